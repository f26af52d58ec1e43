//! A column of codes in the narrowest integer type that holds them.

use std::ops::Range;

use super::CellMask;

/// The codes of one column, one per row. The column widens when a code does not fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Column {
    /// Codes below 2^8.
    U8(Vec<u8>),
    /// Codes below 2^16.
    U16(Vec<u16>),
    /// Codes below 2^32.
    U32(Vec<u32>),
}

impl Default for Column {
    fn default() -> Self {
        Self::U8(Vec::new())
    }
}

impl Column {
    /// An empty column for codes below `states`, with capacity for `rows`.
    pub fn for_states(states: usize, rows: usize) -> Self {
        match states {
            0..=0x100 => Self::U8(Vec::with_capacity(rows)),
            0x101..=0x1_0000 => Self::U16(Vec::with_capacity(rows)),
            _ => Self::U32(Vec::with_capacity(rows)),
        }
    }

    /// Appends a code and widens the column if necessary.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "each arm has just checked that the code fits")]
    pub fn push(&mut self, code: u32) {
        match self {
            Self::U8(codes) if code <= 0xff => codes.push(code as u8),
            Self::U16(codes) if code <= 0xffff => codes.push(code as u16),
            Self::U32(codes) => codes.push(code),
            _ => self.widen_and_push(code),
        }
    }

    /// A separate function, so that the common path of `push` is small enough to inline.
    #[cold]
    #[expect(clippy::cast_possible_truncation, reason = "the arm has just checked that the code fits")]
    fn widen_and_push(&mut self, code: u32) {
        match self {
            Self::U8(codes) if code <= 0xffff => {
                let mut wide: Vec<u16> = codes.iter().map(|&code| u16::from(code)).collect();
                wide.push(code as u16);
                *self = Self::U16(wide);
            }
            _ => {
                let mut wide: Vec<u32> = self.iter().collect();
                wide.push(code);
                *self = Self::U32(wide);
            }
        }
    }

    /// Releases unused capacity.
    pub(super) fn shrink_to_fit(&mut self) {
        match self {
            Self::U8(codes) => codes.shrink_to_fit(),
            Self::U16(codes) => codes.shrink_to_fit(),
            Self::U32(codes) => codes.shrink_to_fit(),
        }
    }

    /// The code of a row.
    #[inline]
    pub fn get(&self, row: usize) -> u32 {
        match self {
            Self::U8(codes) => u32::from(codes[row]),
            Self::U16(codes) => u32::from(codes[row]),
            Self::U32(codes) => codes[row],
        }
    }

    /// Replaces the code of a row.
    ///
    /// # Panics
    /// If the column is too narrow for the code.
    pub(crate) fn set(&mut self, row: usize, code: u32) {
        const FITS: &str = "the column was made for all states of its variable";
        match self {
            Self::U8(codes) => codes[row] = code.try_into().expect(FITS),
            Self::U16(codes) => codes[row] = code.try_into().expect(FITS),
            Self::U32(codes) => codes[row] = code,
        }
    }

    /// The codes several times, one copy after the other, in a column for this many states.
    pub(crate) fn repeated(&self, copies: usize, states: usize) -> Self {
        let mut all = Self::for_states(states, copies * self.len());
        match (self, &mut all) {
            (Self::U8(own), Self::U8(all)) => (0..copies).for_each(|_| all.extend_from_slice(own)),
            _ => (0..copies).for_each(|_| self.iter().for_each(|code| all.push(code))),
        }
        all
    }

    /// The bytes that the codes take.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::U8(codes) => codes.capacity(),
            Self::U16(codes) => 2 * codes.capacity(),
            Self::U32(codes) => 4 * codes.capacity(),
        }
    }

    /// The number of rows.
    #[inline]
    pub fn len(&self) -> usize {
        match self {
            Self::U8(codes) => codes.len(),
            Self::U16(codes) => codes.len(),
            Self::U32(codes) => codes.len(),
        }
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The codes of the given rows, in the given order.
    pub(super) fn of_rows(&self, rows: &[usize]) -> Self {
        match self {
            Self::U8(codes) => Self::U8(rows.iter().map(|&row| codes[row]).collect()),
            Self::U16(codes) => Self::U16(rows.iter().map(|&row| codes[row]).collect()),
            Self::U32(codes) => Self::U32(rows.iter().map(|&row| codes[row]).collect()),
        }
    }

    /// The largest code.
    pub fn max(&self) -> Option<u32> {
        // The compiler vectorises a fold over integers, but not `Iterator::max`.
        let largest = match self {
            Self::U8(codes) => u32::from(codes.iter().fold(0, |largest, &code| largest.max(code))),
            Self::U16(codes) => u32::from(codes.iter().fold(0, |largest, &code| largest.max(code))),
            Self::U32(codes) => codes.iter().fold(0, |largest, &code| largest.max(code)),
        };
        if self.is_empty() { None } else { Some(largest) }
    }

    /// The distinct codes in order of first appearance; codes of `limit` or more count as `limit`.
    pub(super) fn distinct(&self, limit: usize) -> Vec<usize> {
        let Some(largest) = self.max() else { return Vec::new() };
        let most = (largest as usize).min(limit) + 1;
        let mut seen = vec![false; most];
        let mut found = Vec::new();
        let mut codes = self.iter();
        // Most columns show all their codes within a few rows.
        while found.len() < most
            && let Some(code) = codes.next()
        {
            let code = (code as usize).min(limit);
            if !std::mem::replace(&mut seen[code], true) {
                found.push(code);
            }
        }
        found
    }

    /// For each of the `states`, whether it occurs in the range of rows, excluding missing cells.
    pub(super) fn present(&self, rows: Range<usize>, states: usize, missing: Option<&CellMask>) -> Vec<bool> {
        let mut present = vec![false; states];
        let mut absent = states;
        // Most states occur within the first rows.
        for row in rows.filter(|&row| missing.is_none_or(|mask| !mask.get(row))) {
            let state = &mut present[self.get(row) as usize];
            absent -= usize::from(!std::mem::replace(state, true));
            if absent == 0 {
                break;
            }
        }
        present
    }

    /// The codes in row order.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.len()).map(|row| self.get(row))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_widens_and_keeps_its_codes() {
        let mut column = Column::default();
        let codes = [0, 255, 256, 7, 65_535, 65_536, 3];
        for code in codes {
            column.push(code);
        }
        assert!(matches!(column, Column::U32(_)));
        assert_eq!(column.iter().collect::<Vec<_>>(), codes);
        assert_eq!(column.max(), Some(65_536));
        assert_eq!(column.distinct(256), [0, 255, 256, 7, 3]);
        assert_eq!(Column::U8(vec![4, 1, 3, 1]).present(1..4, 5, None), [false, true, false, true, false]);
    }
}
