//! Columns with few states as bitmaps, one per state, so that 64 rows are counted at a time.

use std::ops::Range;

use rayon::prelude::*;

use super::popcount::{BLOCK, count_both};
use super::words::Words;
use crate::data::{Column, RelatedData, VariableId};

/// The least number of codes for which packing is shared between threads.
const FEWEST_CODES: usize = 1 << 18;

/// Columns with up to this many states have bitmaps, which then take less memory than their codes.
const MOST_STATES: usize = 8;

/// One bitmap per variable and state except the first state. Every data set starts at a word boundary.
#[derive(Debug)]
pub(in crate::counts) struct Bitmaps {
    /// The words of each data set within every bitmap.
    words: Vec<Range<usize>>,
    /// The number of words outside of whole blocks of a data set.
    single: usize,
    /// Ones for rows, zeros for padding.
    rows: Vec<u64>,
    /// The number of rows.
    all: u64,
    /// `states[variable][state - 1]`; empty for variables with too many states.
    states: Vec<Vec<Words>>,
    /// `counts[variable][(state - 1) × data sets + data set]`: the rows in each bitmap.
    counts: Vec<Vec<u64>>,
}

impl Bitmaps {
    /// The bitmaps of all columns with few states; `data_sets` are row ranges.
    pub(in crate::counts) fn new(data: &RelatedData, data_sets: &[Range<usize>]) -> Self {
        let mut words = Vec::with_capacity(data_sets.len());
        let mut next = 0;
        for rows in data_sets {
            let mut end = next + rows.len().div_ceil(64);
            if data_sets.len() == 1 {
                // Whole blocks are counted faster than single words, and the padding is small.
                end = end.next_multiple_of(BLOCK);
            }
            words.push(next..end);
            next = end;
        }
        let mut rows = vec![0; next];
        for (words, data_set) in words.iter().zip(data_sets) {
            for (index, word) in rows[words.clone()].iter_mut().enumerate() {
                let filled = data_set.len().saturating_sub(64 * index).min(64);
                *word = if filled == 0 { 0 } else { u64::MAX >> (64 - filled) };
            }
        }
        // This thread allocates all bitmaps, because its allocator can reuse what reading freed; the others only fill them.
        let empty = |variable: VariableId| {
            let states = data.schema().states(variable);
            let has_bitmaps = matches!(data.column(variable), Column::U8(_)) && states <= MOST_STATES;
            let bitmaps = if has_bitmaps { states.saturating_sub(1) } else { 0 };
            (0..bitmaps).map(|_| Words::zeros(next)).collect()
        };
        let variables: Vec<VariableId> = data.schema().ids().collect();
        let mut states: Vec<Vec<Words>> = variables.iter().map(|&variable| empty(variable)).collect();
        let fewest = FEWEST_CODES.div_ceil(data.stored_rows().max(1));
        states.par_iter_mut().zip(&variables).with_min_len(fewest).for_each(|(bitmaps, &variable)| {
            let Column::U8(codes) = data.column(variable) else { return };
            for (state, bitmap) in (1..).zip(bitmaps) {
                for (words, data_set) in words.iter().zip(data_sets) {
                    pack(&codes[data_set.clone()], state, &mut bitmap[words.clone()]);
                }
            }
        });
        let count = |bitmap: &Words| count_each(bitmap, &words).collect::<Vec<_>>();
        let counts = states.iter().map(|bitmaps| bitmaps.iter().flat_map(count).collect()).collect();
        let all = data_sets.iter().map(|rows| rows.len() as u64).sum();
        let single = words.iter().map(|words| words.len() % BLOCK).sum();
        Self { words, single, rows, all, states, counts }
    }

    /// Whether a variable has bitmaps.
    pub(in crate::counts) fn has(&self, variable: VariableId) -> bool {
        !self.states[variable.index()].is_empty()
    }

    /// The words of one bitmap.
    pub(in crate::counts) fn len(&self) -> usize {
        self.rows.len()
    }

    /// The number of words outside of whole blocks of a data set.
    pub(in crate::counts) fn single_words(&self) -> usize {
        self.single
    }

    /// The words of each data set.
    pub(super) fn data_sets(&self) -> &[Range<usize>] {
        &self.words
    }

    /// The bitmaps of a variable's states from the second on.
    pub(super) fn of(&self, variable: VariableId) -> &[Words] {
        &self.states[variable.index()]
    }

    /// The rows of each data set in each state from the second on, by state and data set.
    pub(in crate::counts) fn rows_in_states(&self, variable: VariableId) -> &[u64] {
        &self.counts[variable.index()]
    }

    /// The number of rows.
    pub(super) fn all_rows(&self) -> u64 {
        self.all
    }

    /// The number of rows of a mask, by data set.
    pub(super) fn count(&self, mask: &[u64]) -> impl Iterator<Item = u64> {
        count_each(mask, &self.words)
    }

    /// The mask of all rows.
    pub(super) fn rows(&self) -> &[u64] {
        &self.rows
    }
}

/// Sets the bits of the rows in a state, eight rows at a time.
fn pack(codes: &[u8], state: usize, bitmap: &mut [u64]) {
    let state = u8::try_from(state).expect("columns with bitmaps have few states");
    for (word, rows) in bitmap.iter_mut().zip(codes.chunks(64)) {
        let (eights, rest) = rows.as_chunks::<8>();
        *word = 0;
        for (index, &eight) in eights.iter().enumerate() {
            *word |= equal_bytes(eight, state) << (8 * index);
        }
        for (index, &code) in rest.iter().enumerate() {
            *word |= u64::from(code == state) << (8 * eights.len() + index);
        }
    }
}

/// One bit for each of eight bytes: whether it has a value.
fn equal_bytes(bytes: [u8; 8], value: u8) -> u64 {
    const LOW: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    let difference = u64::from_le_bytes(bytes) ^ (u64::from(value) * 0x0101_0101_0101_0101);
    // The lowest bit of every byte is set if its difference is zero; the product gathers these bits in the top byte.
    let zero = !(((difference & LOW) + LOW) | difference | LOW) >> 7;
    zero.wrapping_mul(0x0102_0408_1020_4080) >> 56
}

/// The number of set bits in the words of each data set.
fn count_each(bitmap: &[u64], data_sets: &[Range<usize>]) -> impl Iterator<Item = u64> {
    data_sets.iter().map(|words| count_both(&bitmap[words.clone()], &bitmap[words.clone()]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packing_sets_the_bits_of_the_rows_in_a_state() {
        let codes: Vec<u8> = (0..203_u32).map(|row| u8::try_from(row * row % 7).unwrap()).collect();
        for state in 0..7_u8 {
            let mut bitmap = vec![u64::MAX; 4];
            pack(&codes, usize::from(state), &mut bitmap);
            for row in 0..256 {
                let set = bitmap[row / 64] >> (row % 64) & 1 == 1;
                assert_eq!(set, codes.get(row) == Some(&state), "row {row}, state {state}");
            }
        }
    }
}
