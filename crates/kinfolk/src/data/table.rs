//! Parses one delimited text table: its header, and its rows with their line numbers.

use std::collections::BTreeSet;
use std::io::{self, Cursor, Read};
use std::path::PathBuf;

use csv::ByteRecord;

use super::coded::CodedTable;
use super::error::DataError;
use super::limits::{Counted, CountingReader, LimitReached, ReadLimits};
use super::source::Source;
use crate::remedy::ReadLimit;

/// The number of bytes searched for the delimiter in a long header.
const LONGEST_SNIFFED: usize = 1 << 20;

/// The delimiters that are detected, in order of preference.
const DELIMITERS: [u8; 4] = [b',', b'\t', b';', b'|'];

/// The parsed header row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Header {
    /// The source's name in messages.
    pub(super) file: String,
    /// The names of the columns.
    pub(super) names: Vec<String>,
    /// The names generated for unnamed columns.
    pub(super) unnamed: Vec<String>,
}

/// An open table whose header has been read.
pub(super) struct TextTable {
    pub(super) header: Header,
    rows: csv::Reader<Box<dyn Read>>,
    compressed: bool,
    /// Whether lines end in `\r\n`, of which the parser leaves the `\n` to the next row.
    crlf: bool,
    line: u64,
    limits: ReadLimits,
    counted: Counted,
    /// The line of the last row, if its last cell spans several lines.
    several_lines: Option<u64>,
}

/// A table whose header, but not its rows, has been read.
///
/// Regular files are closed in between, so that any number of them can be read; pipes stay open.
pub(super) enum Waiting {
    Closed(PathBuf, Header),
    Open(Box<TextTable>),
    Coded(CodedTable, Header),
}

/// The rows of a table, after its header.
pub(super) enum Resumed {
    Text(Box<TextTable>),
    Coded(CodedTable),
}

impl Waiting {
    /// Reads the header of a source.
    pub(super) fn new(source: Source, delimiter: Option<u8>, limits: ReadLimits) -> Result<Self, DataError> {
        if let Source::Coded(table) = source {
            let names = table.columns().iter().map(|column| column.name.as_bytes());
            let header = Header::new(table.name().to_owned(), names)?;
            return Ok(Self::Coded(table, header));
        }
        let path = source.path().filter(|path| path.is_file()).cloned();
        let table = TextTable::open(source, delimiter, limits)?;
        Ok(match path {
            Some(path) => Self::Closed(path, table.header),
            None => Self::Open(Box::new(table)),
        })
    }

    pub(super) fn header(&self) -> &Header {
        match self {
            Self::Closed(_, header) | Self::Coded(_, header) => header,
            Self::Open(table) => &table.header,
        }
    }

    /// Continues with the rows.
    pub(super) fn resume(self, delimiter: Option<u8>, limits: ReadLimits) -> Result<Resumed, DataError> {
        match self {
            Self::Coded(table, _) => Ok(Resumed::Coded(table)),
            Self::Open(table) => Ok(Resumed::Text(table)),
            Self::Closed(path, header) => {
                let table = TextTable::open(Source::Path(path), delimiter, limits)?;
                if table.header == header {
                    Ok(Resumed::Text(Box::new(table)))
                } else {
                    let reason = io::Error::other("the file changed while it was being read");
                    Err(DataError::Read { file: header.file, reason })
                }
            }
        }
    }
}

impl TextTable {
    fn open(source: Source, delimiter: Option<u8>, limits: ReadLimits) -> Result<Self, DataError> {
        let file = source.display();
        let delimiter = delimiter.or(source.is_tab_separated().then_some(b'\t'));
        let (mut reader, compressed) = source.open()?;
        let mut head = Vec::new();
        let first_line = loop {
            let line = FirstLine::find(&head);
            let before = head.len();
            if line.complete || before > LONGEST_SNIFFED {
                break line;
            }
            let more = reader.by_ref().take(1 << 14).read_to_end(&mut head);
            more.map_err(|reason| failure(&file, compressed, reason))?;
            if head.len() == before {
                break line;
            }
        };
        // A byte order mark is not part of the first name.
        let start = if head.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
        let text = CountingReader::new(Cursor::new(head.split_off(start)).chain(reader), limits, compressed);
        let counted = text.counted();
        let text: Box<dyn Read> = Box::new(text);
        let mut rows = csv::ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .delimiter(delimiter.unwrap_or(first_line.delimiter))
            .buffer_capacity(1 << 16)
            .from_reader(text);
        let mut record = ByteRecord::new();
        if !rows
            .read_byte_record(&mut record)
            .map_err(|error| csv_failure(&file, 1, compressed, limits, error))?
        {
            return Err(DataError::Empty { file });
        }
        if record.len() > limits.columns {
            let (limit, most) = (ReadLimit::Columns, limits.columns as u64);
            return Err(DataError::AboveLimit { file, row: 1, column: None, limit, most });
        }
        check_cells(&record, &file, 1, None, limits)?;
        counted.start_row();
        let header = Header::new(file, record.iter())?;
        let several_lines = ends_in_several_lines(&record).then_some(1);
        Ok(Self { header, rows, compressed, crlf: first_line.crlf, line: 1, limits, counted, several_lines })
    }

    /// Reads the next nonblank row and returns its first line number; `None` at the end.
    pub(super) fn next(&mut self, record: &mut ByteRecord) -> Result<Option<u64>, DataError> {
        loop {
            let before = self.rows.position().line();
            let read = self.rows.read_byte_record(record);
            let failed =
                |error| csv_failure(&self.header.file, self.line + 1, self.compressed, self.limits, error);
            if !read.map_err(failed)? {
                return match self.several_lines {
                    Some(row) if self.counted.ends_in_quotes() => {
                        Err(DataError::OpenQuote { file: self.header.file.clone(), row })
                    }
                    _ => Ok(None),
                };
            }
            self.counted.start_row();
            let after = self.rows.position().line();
            let mut start = before;
            if self.crlf || after != before + 1 {
                let inside: u64 = if after == before + 1 { 0 } else { record.iter().map(line_breaks).sum() };
                start = after.saturating_sub(inside);
                if !self.crlf && after > before + inside {
                    start -= 1;
                }
            }
            self.line = start.max(self.line + 1);
            self.several_lines = ends_in_several_lines(record).then_some(self.line);
            let expected = self.header.names.len();
            if record.len() == expected {
                check_cells(record, &self.header.file, self.line, Some(&self.header.names), self.limits)?;
                return Ok(Some(self.line));
            }
            if record.len() > 1 || record.iter().any(|cell| !cell.trim_ascii().is_empty()) {
                let (file, row, found) = (self.header.file.clone(), self.line, record.len());
                if self.several_lines.is_some() && self.counted.ends_in_quotes() {
                    return Err(DataError::OpenQuote { file, row });
                }
                return Err(DataError::Ragged { file, row, found, expected });
            }
        }
    }
}

/// Rejects a row with a cell above the limit.
fn check_cells(
    record: &ByteRecord,
    file: &str,
    row: u64,
    names: Option<&[String]>,
    limits: ReadLimits,
) -> Result<(), DataError> {
    if record.as_slice().len() as u64 <= limits.cell_bytes {
        return Ok(());
    }
    let Some(index) = record.iter().position(|cell| cell.len() as u64 > limits.cell_bytes) else {
        return Ok(());
    };
    let column = names.map(|names| names[index].clone());
    let (limit, most) = (ReadLimit::Cell, limits.cell_bytes);
    Err(DataError::AboveLimit { file: file.to_owned(), row, column, limit, most })
}

/// Whether the last cell of a row spans several lines.
fn ends_in_several_lines(record: &ByteRecord) -> bool {
    record.iter().next_back().is_some_and(|cell| cell.contains(&b'\n'))
}

/// The column name for a given header cell and position: trimmed and never empty.
pub fn column_name(given: &str, index: usize) -> String {
    match given.trim() {
        "" => format!("column {}", index + 1),
        name => name.to_owned(),
    }
}

impl Header {
    fn new<'a>(file: String, cells: impl Iterator<Item = &'a [u8]>) -> Result<Self, DataError> {
        let mut names = Vec::new();
        let mut unnamed = Vec::new();
        for (index, cell) in cells.enumerate() {
            let Ok(name) = std::str::from_utf8(cell) else {
                return Err(DataError::NotUtf8 { file, row: 1, column: None });
            };
            let own = column_name(name, index);
            if name.trim().is_empty() {
                unnamed.push(own.clone());
            }
            names.push(own);
        }
        let mut seen = BTreeSet::new();
        if let Some(column) = names.iter().find(|name| !seen.insert(name.as_str())) {
            return Err(DataError::DuplicateColumn { file, column: column.clone() });
        }
        Ok(Self { file, names, unnamed })
    }
}

/// Properties of the first nonblank line.
struct FirstLine {
    complete: bool,
    delimiter: u8,
    crlf: bool,
}

impl FirstLine {
    /// Detects the most frequent delimiter outside quotes, and the line ending.
    fn find(text: &[u8]) -> Self {
        let mut counts = [0_usize; DELIMITERS.len()];
        let (mut quoted, mut started, mut complete, mut previous) = (false, false, false, 0);
        for &byte in text {
            if byte == b'\n' && started && !quoted {
                complete = true;
                break;
            }
            started |= byte != b'\n' && byte != b'\r';
            quoted ^= byte == b'"';
            if !quoted && let Some(index) = DELIMITERS.iter().position(|&delimiter| delimiter == byte) {
                counts[index] += 1;
            }
            previous = byte;
        }
        let mut best = 0;
        for index in 1..counts.len() {
            if counts[index] > counts[best] {
                best = index;
            }
        }
        Self { complete, delimiter: DELIMITERS[best], crlf: complete && previous == b'\r' }
    }
}

fn line_breaks(cell: &[u8]) -> u64 {
    cell.iter().map(|&byte| u64::from(byte == b'\n')).sum()
}

fn csv_failure(file: &str, row: u64, compressed: bool, limits: ReadLimits, error: csv::Error) -> DataError {
    let reason = match error.into_kind() {
        csv::ErrorKind::Io(reason) => reason,
        other => io::Error::other(format!("{other:?}")),
    };
    if let Some(&LimitReached(limit)) = reason.get_ref().and_then(|cause| cause.downcast_ref()) {
        let most = if limit == ReadLimit::Cell { limits.cell_bytes } else { limits.expanded_bytes };
        return DataError::AboveLimit { file: file.to_owned(), row, column: None, limit, most };
    }
    failure(file, compressed, reason)
}

fn failure(file: &str, compressed: bool, reason: io::Error) -> DataError {
    let file = file.to_owned();
    let damaged = matches!(
        reason.kind(),
        io::ErrorKind::UnexpectedEof | io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput
    );
    if compressed && damaged { DataError::Damaged { file, reason } } else { DataError::Read { file, reason } }
}
