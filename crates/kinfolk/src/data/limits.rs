//! Limits on the cells, columns and decompressed size of a file, against damaged and hostile files.

use std::cell::Cell;
use std::error::Error;
use std::fmt;
use std::io::{self, Read};
use std::rc::Rc;
use std::str::FromStr;

use thiserror::Error;

use crate::remedy::ReadLimit;

/// Limits on one file. Tables in memory have none.
///
/// The text form is a list such as `cell=4,columns=200000,expanded=50000`, with sizes in MB.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadLimits {
    /// The largest number of bytes of a cell. A whole row may have 64 times as many.
    pub cell_bytes: u64,
    /// The largest number of columns.
    pub columns: usize,
    /// The largest number of bytes that a compressed file may expand to.
    pub expanded_bytes: u64,
}

/// Bytes in a megabyte.
const MEGABYTE: u64 = 1_000_000;

/// The bytes of a row, in multiples of the limit on a cell.
const CELLS_PER_ROW: u64 = 64;

impl Default for ReadLimits {
    fn default() -> Self {
        Self { cell_bytes: MEGABYTE, columns: 100_000, expanded_bytes: 100_000 * MEGABYTE }
    }
}

/// A text that is not a list of limits.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("`{0}` is not a limit; limits are cell=MB, columns=N and expanded=MB, with whole numbers from 1 on")]
pub struct ReadLimitsError(String);

impl FromStr for ReadLimits {
    type Err = ReadLimitsError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut limits = Self::default();
        for item in text.split(',') {
            let wrong = || ReadLimitsError(item.to_owned());
            let (name, value) = item.split_once('=').ok_or_else(wrong)?;
            let value: u64 = value.trim().parse().ok().filter(|value| *value > 0).ok_or_else(wrong)?;
            match name.trim() {
                "cell" => limits.cell_bytes = value.saturating_mul(MEGABYTE),
                "columns" => limits.columns = usize::try_from(value).unwrap_or(usize::MAX),
                "expanded" => limits.expanded_bytes = value.saturating_mul(MEGABYTE),
                _ => return Err(wrong()),
            }
        }
        Ok(limits)
    }
}

/// A limit that a reader has reached, as the cause of an I/O error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LimitReached(pub(super) ReadLimit);

impl Error for LimitReached {}

impl fmt::Display for LimitReached {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the limit `{}` is reached", self.0.name())
    }
}

/// Counts the bytes and the quotation marks of a text on their way to the parser, and fails at a limit.
///
/// The parser holds a whole row in memory and reads an unclosed quote as a cell that extends to the end of the file.
pub(super) struct CountingReader<R> {
    inner: R,
    limits: ReadLimits,
    compressed: bool,
    total: u64,
    counted: Counted,
}

/// What a [`CountingReader`] has counted, shared with the owner of the parser.
#[derive(Debug, Clone, Default)]
pub(super) struct Counted {
    /// Whether the number of quotation marks so far is odd.
    odd_quotes: Rc<Cell<bool>>,
    /// The bytes since the last complete row.
    row_bytes: Rc<Cell<u64>>,
    /// Whether the parser has read beyond the last byte.
    at_end: Rc<Cell<bool>>,
}

impl Counted {
    /// Whether the whole text was read and a quotation mark in it is not closed.
    pub(super) fn ends_in_quotes(&self) -> bool {
        self.at_end.get() && self.odd_quotes.get()
    }

    /// Starts a row.
    pub(super) fn start_row(&self) {
        self.row_bytes.set(0);
    }
}

impl<R: Read> CountingReader<R> {
    pub(super) fn new(inner: R, limits: ReadLimits, compressed: bool) -> Self {
        Self { inner, limits, compressed, total: 0, counted: Counted::default() }
    }

    pub(super) fn counted(&self) -> Counted {
        self.counted.clone()
    }
}

impl<R: Read> Read for CountingReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let row_bytes = self.counted.row_bytes.get();
        if row_bytes > self.limits.cell_bytes.saturating_mul(CELLS_PER_ROW) {
            return Err(io::Error::other(LimitReached(ReadLimit::Cell)));
        }
        if self.compressed && self.total > self.limits.expanded_bytes {
            return Err(io::Error::other(LimitReached(ReadLimit::Expanded)));
        }
        let length = self.inner.read(buffer)?;
        self.total += length as u64;
        self.counted.at_end.set(length == 0);
        self.counted.row_bytes.set(row_bytes + length as u64);
        let odd = &self.counted.odd_quotes;
        odd.set(buffer[..length].iter().fold(odd.get(), |odd, &byte| odd ^ (byte == b'"')));
        Ok(length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_read_from_their_text() {
        let limits: ReadLimits = "cell=4, columns=200".parse().unwrap();
        assert_eq!(limits, ReadLimits { cell_bytes: 4_000_000, columns: 200, ..ReadLimits::default() });
        for wrong in ["", "cell", "cell=0", "cell=-1", "rows=4", "columns=2.5"] {
            assert!(wrong.parse::<ReadLimits>().is_err(), "{wrong}");
        }
    }
}
