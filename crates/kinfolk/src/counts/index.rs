//! The number of every row in some columns, which says where it is counted.

use std::ops::Range;

use crate::data::Column;

/// The number of every row, put together from digits.
#[derive(Debug)]
pub(super) enum Index {
    /// Fewer than 2^16 numbers.
    U16(Vec<u16>),
    /// Fewer than 2^32 numbers.
    U32(Vec<u32>),
}

/// A digit of the rows' numbers.
#[derive(Debug, Clone, Copy)]
pub(super) enum Digit<'a> {
    /// The codes of a column, and its states.
    Column(&'a Column, usize),
    /// Nothing yet, but room for a column of so many states.
    Room(usize),
    /// Which of the data sets, whose rows these are.
    DataSet(&'a [Range<usize>]),
}

impl Digit<'_> {
    /// How many values it has.
    fn values(self) -> usize {
        match self {
            Self::Column(_, states) | Self::Room(states) => states,
            Self::DataSet(data_sets) => data_sets.len(),
        }
    }
}

impl Index {
    /// Numbers the rows by digits, the last one varying fastest.
    pub(super) fn new(rows: usize, digits: &[Digit<'_>]) -> Self {
        let numbers: usize = digits.iter().map(|digit| digit.values()).product();
        if numbers <= 1 << 16 { Self::U16(number(rows, digits)) } else { Self::U32(number(rows, digits)) }
    }
}

/// A row's number as far as it is known; the whole number is known to fit.
pub(super) trait Number: Copy + Default {
    /// Appends a digit.
    fn then(self, values: u32, digit: u32) -> Self;
}

impl Number for u16 {
    #[inline]
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the whole number is below 2^16; a digit of 2^16 values leaves no room for another, and all is 0 before it"
    )]
    fn then(self, values: u32, digit: u32) -> Self {
        self.wrapping_mul(values as Self).wrapping_add(digit as Self)
    }
}

impl Number for u32 {
    #[inline]
    fn then(self, values: u32, digit: u32) -> Self {
        self.wrapping_mul(values).wrapping_add(digit)
    }
}

impl Number for u64 {
    #[inline]
    fn then(self, values: u32, digit: u32) -> Self {
        self * Self::from(values) + Self::from(digit)
    }
}

fn number<N: Number>(rows: usize, digits: &[Digit<'_>]) -> Vec<N> {
    let mut numbers = vec![N::default(); rows];
    digits.iter().for_each(|&digit| append(&mut numbers, digit));
    numbers
}

/// Appends a digit to the number of every row.
pub(super) fn append<N: Number>(numbers: &mut [N], digit: Digit<'_>) {
    fn codes_of<N: Number, C: Copy + Into<u32>>(numbers: &mut [N], codes: &[C], values: u32) {
        for (number, &code) in numbers.iter_mut().zip(codes) {
            *number = number.then(values, code.into());
        }
    }
    #[expect(clippy::cast_possible_truncation, reason = "states and data sets are coded in 32 bits")]
    let values = digit.values() as u32;
    match digit {
        Digit::Column(Column::U8(codes), _) => codes_of(numbers, codes, values),
        Digit::Column(Column::U16(codes), _) => codes_of(numbers, codes, values),
        Digit::Column(Column::U32(codes), _) => codes_of(numbers, codes, values),
        Digit::Room(_) => numbers.iter_mut().for_each(|number| *number = number.then(values, 0)),
        Digit::DataSet(data_sets) => {
            for (data_set, rows) in (0..).zip(data_sets) {
                let numbers = &mut numbers[rows.clone()];
                numbers.iter_mut().for_each(|number| *number = number.then(values, data_set));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_numbered_digit_by_digit() {
        let column = |states: u32, factor: u32| {
            let mut column = Column::for_states(states as usize, 50);
            (0..50).for_each(|row| column.push(row * factor % states));
            column
        };
        // With 300 states there are more than 2^16 numbers.
        for states in [7, 300] {
            let (first, last) = (column(states, 3), column(90, 11));
            let data_sets = [0..20, 20..50];
            let digits = [
                Digit::Column(&first, states as usize),
                Digit::Room(4),
                Digit::Column(&last, 90),
                Digit::DataSet(&data_sets),
            ];
            let expected =
                (0..50).map(|row| ((first.get(row) * 4 * 90) + last.get(row)) * 2 + u32::from(row >= 20));
            match Index::new(50, &digits) {
                Index::U16(numbers) => {
                    assert!(states == 7 && numbers.into_iter().map(u32::from).eq(expected));
                }
                Index::U32(numbers) => assert!(states == 300 && numbers.into_iter().eq(expected)),
            }
        }
    }
}
