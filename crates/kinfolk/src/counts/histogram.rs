//! Counting by histogram: a row's cell number is that of the shared columns and one code more.

use super::index::Index;
use crate::data::Column;

/// Tables of up to this many cells are counted into several copies at once; larger ones seldom meet the same cell twice in a row.
const SMALL: usize = 256;

/// The copies of tables up to this size are so small that beginning with them costs next to nothing.
const TINY: usize = 16;

/// The copies of tables up to this size cost a quarter of the largest ones'.
const MEDIUM: usize = 64;

/// Rows whose cells are worked out before they are counted.
const AHEAD: usize = 64;

/// Copies of a small table: consecutive rows often fall into the same cell, and adding to it must not wait.
const COPIES: usize = 4;

/// A table's cells: narrow ones while every row counts once, so that twice as many fit into the caches.
pub(super) trait Cell: Copy + Default + Into<u64> {
    /// A count, which is known to fit.
    fn of(rows: u64) -> Self;

    /// Counts rows more.
    fn add(&mut self, rows: u64);

    /// Takes rows off that are among those counted.
    fn take(&mut self, rows: Self);
}

impl Cell for u32 {
    #[inline]
    #[expect(
        clippy::cast_possible_truncation,
        reason = "no more rows than 32 bits can number are counted so"
    )]
    fn of(rows: u64) -> Self {
        rows as Self
    }

    #[inline]
    fn add(&mut self, rows: u64) {
        *self += Self::of(rows);
    }

    #[inline]
    fn take(&mut self, rows: Self) {
        *self -= rows;
    }
}

impl Cell for u64 {
    #[inline]
    fn of(rows: u64) -> Self {
        rows
    }

    #[inline]
    fn add(&mut self, rows: u64) {
        *self += rows;
    }

    #[inline]
    fn take(&mut self, rows: Self) {
        *self -= rows;
    }
}

/// Adds rows to a table: each at its number plus the code of one column more, times a stride, such as the number of cells of the shared
/// columns: then what belongs to one of its states stays side by side.
pub(super) fn count<T: Cell>(
    table: &mut [T],
    index: &Index,
    more: Option<(&Column, usize)>,
    rows: std::ops::Range<usize>,
    weights: Option<&[u64]>,
) {
    let weights = weights.map(|weights| &weights[rows.clone()]);
    match index {
        Index::U16(number) => count_column(table, &number[rows.clone()], more, rows, weights),
        Index::U32(number) => count_column(table, &number[rows.clone()], more, rows, weights),
    }
}

fn count_column<T: Cell, I: Copy + Into<u32>>(
    table: &mut [T],
    number: &[I],
    more: Option<(&Column, usize)>,
    rows: std::ops::Range<usize>,
    weights: Option<&[u64]>,
) {
    match more {
        // No column more: one state with code 0.
        None => count_codes(table, number, &vec![0_u8; number.len()], 0, weights),
        Some((Column::U8(codes), shared)) => count_codes(table, number, &codes[rows], shared, weights),
        Some((Column::U16(codes), shared)) => count_codes(table, number, &codes[rows], shared, weights),
        Some((Column::U32(codes), shared)) => count_codes(table, number, &codes[rows], shared, weights),
    }
}

fn count_codes<T: Cell, I: Copy + Into<u32>, C: Copy + Into<u32>>(
    table: &mut [T],
    number: &[I],
    codes: &[C],
    shared: usize,
    weights: Option<&[u64]>,
) {
    let shared = u32::try_from(shared).expect("a dense table has fewer cells");
    let cell = |number: I, code: C| number.into() + code.into() * shared;
    if let Some(weights) = weights {
        for ((&number, &code), &weight) in number.iter().zip(codes).zip(weights) {
            table[cell(number, code) as usize].add(weight);
        }
    } else if table.len() <= TINY {
        count_in_copies::<TINY, _, _, _>(table, number, codes, cell);
    } else if table.len() <= MEDIUM && number.len() >= table.len() {
        count_in_copies::<MEDIUM, _, _, _>(table, number, codes, cell);
    } else if table.len() <= SMALL && number.len() >= table.len() {
        count_in_copies::<SMALL, _, _, _>(table, number, codes, cell);
    } else {
        count_ahead(table, number, codes, shared);
    }
}

/// Counts rows whose cells are worked out ahead, several in one instruction, so that counting waits for nothing but memory.
fn count_ahead<T: Cell, I: Copy + Into<u32>, C: Copy + Into<u32>>(
    table: &mut [T],
    number: &[I],
    codes: &[C],
    shared: u32,
) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        #[expect(
            unsafe_code,
            reason = "this is the innermost loop of a search over variables of many states"
        )]
        // SAFETY: the processor was just found to have AVX2, and the function has no other demands.
        return unsafe { count_ahead_avx2(table, number, codes, shared) };
    }
    count_ahead_body(table, number, codes, shared);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn count_ahead_avx2<T: Cell, I: Copy + Into<u32>, C: Copy + Into<u32>>(
    table: &mut [T],
    number: &[I],
    codes: &[C],
    shared: u32,
) {
    count_ahead_body(table, number, codes, shared);
}

#[expect(
    clippy::inline_always,
    reason = "kernels must be compiled for the processor their caller is compiled for"
)]
#[inline(always)]
fn count_ahead_body<T: Cell, I: Copy + Into<u32>, C: Copy + Into<u32>>(
    table: &mut [T],
    number: &[I],
    codes: &[C],
    shared: u32,
) {
    let mut cells = [0_u32; AHEAD];
    let ((numbers, last), (all_codes, last_codes)) =
        (number.as_chunks::<AHEAD>(), codes.as_chunks::<AHEAD>());
    for (numbers, codes) in numbers.iter().zip(all_codes) {
        let mut largest = 0;
        for ((cell, &number), &code) in cells.iter_mut().zip(numbers).zip(codes) {
            *cell = number.into() + code.into() * shared;
            largest = largest.max(*cell);
        }
        assert!((largest as usize) < table.len(), "every row has its cell in the table");
        for &cell in &cells {
            #[expect(
                unsafe_code,
                reason = "fewer instructions a row keep more rows under way: a tenth less time for large tables"
            )]
            // SAFETY: the largest of these cells was just found to be within the table.
            unsafe { table.get_unchecked_mut(cell as usize) }.add(1);
        }
    }
    for (&number, &code) in last.iter().zip(last_codes) {
        table[(number.into() + code.into() * shared) as usize].add(1);
    }
}

/// Counts into several copies of a table of at most `SIZE` cells, a power of two.
fn count_in_copies<const SIZE: usize, T: Cell, I: Copy, C: Copy>(
    table: &mut [T],
    number: &[I],
    codes: &[C],
    cell: impl Fn(I, C) -> u32,
) {
    let mut copies = [[0_u32; SIZE]; COPIES];
    let (numbers, codes) = (number.chunks_exact(COPIES), codes.chunks_exact(COPIES));
    for (&number, &code) in numbers.remainder().iter().zip(codes.remainder()) {
        table[cell(number, code) as usize].add(1);
    }
    for (numbers, codes) in numbers.zip(codes) {
        for copy in 0..COPIES {
            // Masking tells the compiler that the cell is within the table; it never changes it.
            copies[copy][cell(numbers[copy], codes[copy]) as usize & (SIZE - 1)] += 1;
        }
    }
    for (index, count) in table.iter_mut().enumerate() {
        count.add(copies.iter().map(|copy| u64::from(copy[index])).sum::<u64>());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_worked_out_ahead_are_those_of_every_row() {
        let rows = 1000_u32;
        let number: Vec<u16> = (0..rows).map(|row| u16::try_from(row * row % 101).unwrap()).collect();
        let codes: Vec<u8> = (0..rows).map(|row| u8::try_from(row * 7 % 5).unwrap()).collect();
        let mut expected = vec![0_u32; 505];
        for (&number, &code) in number.iter().zip(&codes) {
            expected[usize::from(number) + usize::from(code) * 101] += 1;
        }
        // Lengths on both sides of whole blocks.
        for taken in [1000, 960, 63] {
            let (mut wide, mut plain) = (vec![0_u32; 505], vec![0_u64; 505]);
            count_ahead(&mut wide, &number[..taken], &codes[..taken], 101);
            count_ahead_body(&mut plain, &number[..taken], &codes[..taken], 101);
            assert!(wide.iter().zip(&plain).all(|(&wide, &plain)| u64::from(wide) == plain), "{taken} rows");
            assert_eq!(plain.iter().sum::<u64>(), taken as u64);
            assert!(taken < 1000 || wide == expected);
        }
    }

    #[test]
    #[should_panic(expected = "every row has its cell in the table")]
    fn a_row_without_a_cell_is_refused_before_it_is_counted() {
        count_ahead(&mut [0_u32; 505], &[101_u16; 64], &[4_u8; 64], 101);
    }
}
