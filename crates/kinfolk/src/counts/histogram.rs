//! Counting by histogram: a row's cell number is that of the shared columns and one code more.

use crate::data::Column;

/// Tables of up to this many cells are counted into several copies at once; larger ones seldom meet the same cell twice in a row.
const SMALL: usize = 256;

/// The copies of tables up to this size are so small that beginning with them costs next to nothing.
const TINY: usize = 16;

/// Copies of a small table: consecutive rows often fall into the same cell, and adding to it must not wait.
const COPIES: usize = 4;

/// The cell number of every row in some shared columns.
#[derive(Debug)]
pub(super) enum Index {
    /// Fewer than 2^16 cells.
    U16(Vec<u16>),
    /// Fewer than 2^32 cells.
    U32(Vec<u32>),
}

impl Index {
    /// Numbers the rows by the columns' codes, the last column varying fastest.
    pub(super) fn new(rows: usize, columns: &[(&Column, usize)]) -> Self {
        let cells: usize = columns.iter().map(|(_, states)| states).product();
        if cells <= 1 << 16 {
            let mut number = vec![0_u16; rows];
            columns.iter().for_each(|&(column, states)| append_u16(&mut number, column, states));
            Self::U16(number)
        } else {
            let mut number = vec![0_u32; rows];
            columns.iter().for_each(|&(column, states)| append_u32(&mut number, column, states));
            Self::U32(number)
        }
    }
}

/// Appends a column's code as the last digit of each row's number.
fn append_u16(number: &mut [u16], column: &Column, states: usize) {
    #[expect(clippy::cast_possible_truncation, reason = "the whole number is below 2^16")]
    fn append<T: Copy + Into<u32>>(number: &mut [u16], codes: &[T], states: u16) {
        for (number, &code) in number.iter_mut().zip(codes) {
            *number = number.wrapping_mul(states).wrapping_add(code.into() as u16);
        }
    }
    #[expect(clippy::cast_possible_truncation, reason = "2^16 states leave no room for another column")]
    let states = states as u16;
    match column {
        Column::U8(codes) => append(number, codes, states),
        Column::U16(codes) => append(number, codes, states),
        Column::U32(codes) => append(number, codes, states),
    }
}

/// Appends a column's code as the last digit of each row's number.
fn append_u32(number: &mut [u32], column: &Column, states: usize) {
    fn append<T: Copy + Into<u32>>(number: &mut [u32], codes: &[T], states: u32) {
        for (number, &code) in number.iter_mut().zip(codes) {
            *number = number.wrapping_mul(states).wrapping_add(code.into());
        }
    }
    #[expect(clippy::cast_possible_truncation, reason = "the whole number is below 2^32")]
    let states = states as u32;
    match column {
        Column::U8(codes) => append(number, codes, states),
        Column::U16(codes) => append(number, codes, states),
        Column::U32(codes) => append(number, codes, states),
    }
}

/// Adds the rows of one data set to its table: cell number × states of the last column + its code.
pub(super) fn count(
    table: &mut [u64],
    index: &Index,
    last: Option<(&Column, usize)>,
    rows: std::ops::Range<usize>,
    weights: Option<&[u64]>,
) {
    let weights = weights.map(|weights| &weights[rows.clone()]);
    match index {
        Index::U16(number) => count_column(table, &number[rows.clone()], last, rows, weights),
        Index::U32(number) => count_column(table, &number[rows.clone()], last, rows, weights),
    }
}

fn count_column<I: Copy + Into<u32>>(
    table: &mut [u64],
    number: &[I],
    last: Option<(&Column, usize)>,
    rows: std::ops::Range<usize>,
    weights: Option<&[u64]>,
) {
    match last {
        // No column more: one state with code 0.
        None => count_codes(table, number, &vec![0_u8; number.len()], 1, weights),
        Some((Column::U8(codes), states)) => count_codes(table, number, &codes[rows], states, weights),
        Some((Column::U16(codes), states)) => count_codes(table, number, &codes[rows], states, weights),
        Some((Column::U32(codes), states)) => count_codes(table, number, &codes[rows], states, weights),
    }
}

fn count_codes<I: Copy + Into<u32>, C: Copy + Into<u32>>(
    table: &mut [u64],
    number: &[I],
    codes: &[C],
    states: usize,
    weights: Option<&[u64]>,
) {
    let states = u32::try_from(states).expect("states are coded in 32 bits");
    let cell = |number: I, code: C| (number.into() * states + code.into()) as usize;
    if let Some(weights) = weights {
        for ((&number, &code), weight) in number.iter().zip(codes).zip(weights) {
            table[cell(number, code)] += weight;
        }
    } else if table.len() <= TINY {
        count_in_copies::<TINY, _, _>(table, number, codes, cell);
    } else if table.len() <= SMALL && number.len() >= table.len() {
        count_in_copies::<SMALL, _, _>(table, number, codes, cell);
    } else {
        for (&number, &code) in number.iter().zip(codes) {
            table[cell(number, code)] += 1;
        }
    }
}

/// Counts into several copies of a table of at most `SIZE` cells, a power of two.
fn count_in_copies<const SIZE: usize, I: Copy, C: Copy>(
    table: &mut [u64],
    number: &[I],
    codes: &[C],
    cell: impl Fn(I, C) -> usize,
) {
    let mut copies = [[0_u32; SIZE]; COPIES];
    let (numbers, codes) = (number.chunks_exact(COPIES), codes.chunks_exact(COPIES));
    for (&number, &code) in numbers.remainder().iter().zip(codes.remainder()) {
        table[cell(number, code)] += 1;
    }
    for (numbers, codes) in numbers.zip(codes) {
        for copy in 0..COPIES {
            // Masking tells the compiler that the cell is within the table; it never changes it.
            copies[copy][cell(numbers[copy], codes[copy]) & (SIZE - 1)] += 1;
        }
    }
    for (index, count) in table.iter_mut().enumerate() {
        *count += copies.iter().map(|copy| u64::from(copy[index])).sum::<u64>();
    }
}
