//! The row index: the cell index of every row in some columns, in mixed radix.

use std::ops::Range;

use crate::data::Column;

/// The cell index of every row.
#[derive(Debug)]
pub(in crate::counts) enum RowIndex {
    /// At most 2^16 cells.
    U16(Vec<u16>),
    /// At most 2^32 cells.
    U32(Vec<u32>),
}

/// One digit of a row index.
#[derive(Debug, Clone, Copy)]
pub(in crate::counts) enum Digit<'a> {
    /// The codes of a column with a number of states.
    Column(&'a Column, usize),
    /// The data set of a row; the data sets are consecutive row ranges.
    DataSet(&'a [Range<usize>]),
}

impl Digit<'_> {
    /// The number of values.
    fn values(self) -> usize {
        match self {
            Self::Column(_, states) => states,
            Self::DataSet(data_sets) => data_sets.len(),
        }
    }
}

impl RowIndex {
    /// Computes the index from digits, the last one varying fastest.
    pub(in crate::counts) fn new(rows: usize, digits: &[Digit<'_>]) -> Self {
        let cells: usize = digits.iter().map(|digit| digit.values()).product();
        if cells <= 1 << 16 { Self::U16(compute(rows, digits)) } else { Self::U32(compute(rows, digits)) }
    }
}

/// The index of a row over the digits so far; the complete index is known to fit.
pub(in crate::counts) trait IndexValue: Copy + Default {
    /// Appends a digit.
    fn then(self, values: u32, digit: u32) -> Self;
}

impl IndexValue for u16 {
    #[inline]
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the complete index is below 2^16; next to a digit of 2^16 values all others have one value, hence are 0"
    )]
    fn then(self, values: u32, digit: u32) -> Self {
        self.wrapping_mul(values as Self).wrapping_add(digit as Self)
    }
}

impl IndexValue for u32 {
    #[inline]
    fn then(self, values: u32, digit: u32) -> Self {
        self.wrapping_mul(values).wrapping_add(digit)
    }
}

impl IndexValue for u64 {
    #[inline]
    fn then(self, values: u32, digit: u32) -> Self {
        self * Self::from(values) + Self::from(digit)
    }
}

fn compute<N: IndexValue>(rows: usize, digits: &[Digit<'_>]) -> Vec<N> {
    let mut index = vec![N::default(); rows];
    digits.iter().for_each(|&digit| append(&mut index, digit));
    index
}

/// Appends a digit to the index of every row.
pub(in crate::counts) fn append<N: IndexValue>(index: &mut [N], digit: Digit<'_>) {
    fn append_codes<N: IndexValue, C: Copy + Into<u32>>(index: &mut [N], codes: &[C], values: u32) {
        for (value, &code) in index.iter_mut().zip(codes) {
            *value = value.then(values, code.into());
        }
    }
    #[expect(clippy::cast_possible_truncation, reason = "states and data sets are coded in 32 bits")]
    let values = digit.values() as u32;
    match digit {
        Digit::Column(Column::U8(codes), _) => append_codes(index, codes, values),
        Digit::Column(Column::U16(codes), _) => append_codes(index, codes, values),
        Digit::Column(Column::U32(codes), _) => append_codes(index, codes, values),
        Digit::DataSet(data_sets) => {
            for (data_set, rows) in (0..).zip(data_sets) {
                let of_data_set = &mut index[rows.clone()];
                of_data_set.iter_mut().for_each(|value| *value = value.then(values, data_set));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_index_is_computed_digit_by_digit() {
        let column = |states: u32, factor: u32| {
            let mut column = Column::for_states(states as usize, 50);
            (0..50).for_each(|row| column.push(row * factor % states));
            column
        };
        // With 500 states there are more than 2^16 cells.
        for states in [7, 500] {
            let (first, last) = (column(states, 3), column(90, 11));
            let data_sets = [0..20, 20..50];
            let digits = [
                Digit::Column(&first, states as usize),
                Digit::Column(&last, 90),
                Digit::DataSet(&data_sets),
            ];
            let expected =
                (0..50).map(|row| (first.get(row) * 90 + last.get(row)) * 2 + u32::from(row >= 20));
            match RowIndex::new(50, &digits) {
                RowIndex::U16(index) => {
                    assert!(states == 7 && index.into_iter().map(u32::from).eq(expected));
                }
                RowIndex::U32(index) => assert!(states == 500 && index.into_iter().eq(expected)),
            }
        }
    }
}
