//! Counting by histogram: one pass over a row index and the codes of one added column.
//!
//! A row index (`row_index`) has the cell of every row in the columns that a group of families shares. The cell of a row in one of these
//! families is its index plus the code of the added column times a stride. About half a nanosecond per row, whatever the number of parents.
//! Small tables are counted into several copies, large ones into bytes (`bytes`), the others in blocks of rows (`blocked`).

mod blocked;
mod bytes;
mod row_index;

use std::ops::Range;

use self::blocked::for_each_cell;
pub(in crate::counts) use self::bytes::Scratch;
use self::bytes::count_in_bytes;
pub(in crate::counts) use self::row_index::{Digit, RowIndex, append};
use super::counter::Counter;
use crate::data::Column;

/// Tables of up to this many cells are counted into several copies; in larger ones consecutive rows seldom fall into the same cell.
const LARGE: usize = 256;

/// Sizes of the copies of smaller tables, whose initialisation takes less time.
const MEDIUM: usize = 64;
const SMALL: usize = 16;

/// Copies of a small table. Consecutive rows often fall into the same cell, and an addition must wait for the previous one to the same
/// address. Without copies searches took up to 1.5 times the CPU time (BHD, 50 binary variables, 10 data sets of 10,000 rows).
const COPIES: usize = 4;

/// Tables of more cells, 128 KB, are counted into bytes.
const MOST_WIDE_CELLS: usize = 1 << 15;

/// The column that is added to those of a row index.
#[derive(Clone, Copy)]
pub(in crate::counts) struct Added<'a> {
    pub(in crate::counts) column: &'a Column,
    /// The distance between the cells of its consecutive states.
    pub(in crate::counts) stride: usize,
}

/// Overwrites a table with the counts of some rows, each weighted once or by its weight.
pub(in crate::counts) fn count<T: Counter>(
    table: &mut [T],
    index: &RowIndex,
    added: Option<Added<'_>>,
    rows: Range<usize>,
    weights: Option<&[u64]>,
    scratch: &mut Scratch,
) {
    let weights = weights.map(|weights| &weights[rows.clone()]);
    match index {
        RowIndex::U16(index) => count_column(table, &index[rows.clone()], added, rows, weights, scratch),
        RowIndex::U32(index) => count_column(table, &index[rows.clone()], added, rows, weights, scratch),
    }
}

fn count_column<T: Counter, I: Copy + Into<u32>>(
    table: &mut [T],
    index: &[I],
    added: Option<Added<'_>>,
    rows: Range<usize>,
    weights: Option<&[u64]>,
    scratch: &mut Scratch,
) {
    let Some(Added { column, stride }) = added else {
        // A column with a single state.
        return count_codes(table, index, &vec![0_u8; index.len()], 0, weights, scratch);
    };
    match column {
        Column::U8(codes) => count_codes(table, index, &codes[rows], stride, weights, scratch),
        Column::U16(codes) => count_codes(table, index, &codes[rows], stride, weights, scratch),
        Column::U32(codes) => count_codes(table, index, &codes[rows], stride, weights, scratch),
    }
}

fn count_codes<T: Counter, I: Copy + Into<u32>, C: Copy + Into<u32>>(
    table: &mut [T],
    index: &[I],
    codes: &[C],
    stride: usize,
    weights: Option<&[u64]>,
    scratch: &mut Scratch,
) {
    let stride = u32::try_from(stride).expect("a dense table has fewer than 2^32 cells");
    let cell = |index: I, code: C| index.into() + code.into() * stride;
    if let Some(weights) = weights {
        table.fill(T::default());
        for ((&index, &code), &weight) in index.iter().zip(codes).zip(weights) {
            table[cell(index, code) as usize].add(weight);
        }
    } else if table.len() <= SMALL {
        count_in_copies::<SMALL, _, _, _>(table, index, codes, cell);
    } else if table.len() <= MEDIUM && index.len() >= table.len() {
        count_in_copies::<MEDIUM, _, _, _>(table, index, codes, cell);
    } else if table.len() <= LARGE && index.len() >= table.len() {
        count_in_copies::<LARGE, _, _, _>(table, index, codes, cell);
    } else if table.len() <= MOST_WIDE_CELLS {
        table.fill(T::default());
        for_each_cell(index, codes, stride, move |cell| table[cell].add(1));
    } else {
        count_in_bytes(table, index, codes, stride, scratch);
    }
}

/// Counts into several copies of a table of at most `SIZE` cells, a power of two, and adds them up.
fn count_in_copies<const SIZE: usize, T: Counter, I: Copy, C: Copy>(
    table: &mut [T],
    index: &[I],
    codes: &[C],
    cell: impl Fn(I, C) -> u32,
) {
    let mut copies = [[0_u32; SIZE]; COPIES];
    let (indices, codes) = (index.chunks_exact(COPIES), codes.chunks_exact(COPIES));
    for (&index, &code) in indices.remainder().iter().zip(codes.remainder()) {
        copies[0][cell(index, code) as usize & (SIZE - 1)] += 1;
    }
    for (indices, codes) in indices.zip(codes) {
        for copy in 0..COPIES {
            // The bit mask shows the compiler that the cell is in range; it never changes the cell.
            copies[copy][cell(indices[copy], codes[copy]) as usize & (SIZE - 1)] += 1;
        }
    }
    for (index, count) in table.iter_mut().enumerate() {
        *count = T::of(copies.iter().map(|copy| u64::from(copy[index])).sum::<u64>());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_values_of_a_table_are_overwritten() {
        let index: Vec<u16> = (0..50_000_u32).map(|row| u16::try_from(row % 5).unwrap()).collect();
        let weights = vec![1; index.len()];
        for (cells, weights) in
            [(5, None), (60, None), (200, None), (9000, None), (60_000, None), (5, Some(&weights))]
        {
            let mut table = vec![9_u32; cells];
            let weights = weights.map(Vec::as_slice);
            count_codes(&mut table, &index, &vec![0_u8; index.len()], 5, weights, &mut Scratch::default());
            assert!(table[..5] == [10_000; 5] && table[5..].iter().all(|&count| count == 0), "{cells} cells");
        }
    }

    #[test]
    fn every_size_of_table_counts_every_row() {
        let mut random = 1_u32;
        let mut next = |states: u32| {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            u16::try_from((random >> 8) % states).unwrap()
        };
        // States of the shared columns and of the added one, and rows on both sides of whole blocks.
        for (shared, states, rows) in
            [(3, 5, 1003), (8, 8, 1001), (8, 8, 50), (16, 16, 1002), (40, 40, 999), (401, 401, 300_000)]
        {
            let index: Vec<u16> = (0..rows).map(|_| next(shared)).collect();
            let codes: Vec<u16> = (0..rows).map(|_| next(states)).collect();
            let mut expected = vec![0_u64; (shared * states) as usize];
            for (&index, &code) in index.iter().zip(&codes) {
                expected[usize::from(index) + usize::from(code) * shared as usize] += 1;
            }
            let mut table = vec![7_u32; expected.len()];
            count_codes(&mut table, &index, &codes, shared as usize, None, &mut Scratch::default());
            assert!(table.iter().map(|&count| u64::from(count)).eq(expected), "{shared} × {states}");
        }
    }
}
