//! Masks: one bitmap per configuration of the shared columns, and the counts of their intersections with the states of an added column.

use rayon::prelude::*;

use super::columns::Bitmaps;
use super::pairs::count_pairs;
use super::popcount::count_each_with;
use super::words::Words;
use crate::counts::kernels::counter::Counter;
use crate::counts::kernels::dense::{DenseLayout, remainder, resized};
use crate::data::VariableId;

/// The rows of each configuration of the shared columns.
#[derive(Debug, Default)]
pub(in crate::counts) struct Masks {
    /// All masks, one after the other in one allocation, whose memory is reused.
    words: Words,
    number: usize,
    /// The rows of each mask, by data set.
    pub(in crate::counts) counts: Vec<u64>,
}

/// Which threads compute the masks of a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::counts) enum Parallelism {
    /// The current thread: the others have groups of their own, or the work is too little to share.
    Serial,
    /// All threads: there is only one group, for which they would have to wait.
    Parallel,
}

/// One half of the masks, by the state of the first shared column, which is binary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MaskHalf {
    First,
    Second,
}

impl Masks {
    /// The masks of the configurations of some columns, the child's last, in the memory of old masks.
    pub(in crate::counts) fn new(
        Self { mut words, mut counts, .. }: Self,
        bitmaps: &Bitmaps,
        shared: &[VariableId],
        parallelism: Parallelism,
    ) -> Self {
        let (&child, parents) = shared.split_last().expect("the child is always shared");
        let states = |variable: VariableId| bitmaps.of(variable).len() + 1;
        let number: usize = shared.iter().map(|&variable| states(variable)).product();
        let (length, data_sets) = (bitmaps.len(), bitmaps.data_sets().len());
        words.resize(number * length);
        words[..length].copy_from_slice(bitmaps.rows());
        // Every mask is split in place by the states of the next column: the first state stays, the others move to their final positions.
        let mut block = number;
        for &parent in parents {
            for masks in words.chunks_exact_mut((block * length).max(1)) {
                split(masks, length, bitmaps.of(parent));
            }
            block /= states(parent);
        }
        counts.resize(number * data_sets, 0);
        let split_and_count = |(masks, counts): (&mut [u64], &mut [u64])| {
            split(masks, length, bitmaps.of(child));
            for (mask, counts) in
                masks.chunks_exact(length.max(1)).zip(counts.chunks_exact_mut(data_sets.max(1)))
            {
                counts.iter_mut().zip(bitmaps.count(mask)).for_each(|(place, count)| *place = count);
            }
        };
        let (masks, cells) = ((block * length).max(1), (block * data_sets).max(1));
        match parallelism {
            Parallelism::Serial => {
                words.chunks_exact_mut(masks).zip(counts.chunks_exact_mut(cells)).for_each(split_and_count);
            }
            Parallelism::Parallel => words
                .par_chunks_exact_mut(masks)
                .zip(counts.par_chunks_exact_mut(cells))
                .with_max_len(1)
                .for_each(split_and_count),
        }
        Self { words, number, counts }
    }

    /// Scans of all rows to make and count the masks: one for each mask that was split off, and one to count each.
    pub(in crate::counts) fn scans(&self) -> u64 {
        2 * self.number as u64 - 1
    }

    /// The allocated words.
    pub(in crate::counts) fn capacity(&self) -> usize {
        self.words.capacity()
    }

    /// How many rows of each mask of one half are in a bitmap, which has `all` rows in this half; for a single data set. The first mask of
    /// the half is the remainder. Returns the scans of all rows.
    pub(super) fn count_half(&self, half: MaskHalf, counts: &mut Vec<u32>, bitmap: &[u64], all: u32) -> u64 {
        let number = self.number / 2;
        let first = if half == MaskHalf::First { 0 } else { number };
        let counts = resized(counts, number);
        count_each_with(&mut counts[1..], &self.words[(first + 1) * bitmap.len()..], bitmap);
        counts[0] = all - counts[1..].iter().sum::<u32>();
        number as u64 - 1
    }

    /// Counts the masks by the states of an added column into a table in the family's own order. The first state is the remainder of the
    /// others, and so is the first mask where that is cheaper than to count it. Returns the scans of all rows.
    pub(in crate::counts) fn count<T: Counter>(
        &self,
        table: &mut [T],
        layout: DenseLayout,
        bitmaps: &Bitmaps,
        added: VariableId,
    ) -> u64 {
        let from = usize::from(bitmaps.len() > self.counts.len());
        count_pairs(table, layout, &self.words, from, bitmaps.of(added), bitmaps.data_sets());
        if from > 0 {
            let rows = bitmaps.rows_in_states(added).chunks_exact(layout.data_sets);
            for (state, rows) in (1..).zip(rows) {
                for (data_set, &rows) in rows.iter().enumerate() {
                    let others =
                        (1..self.number).map(|cell| table[layout.position(cell, state) + data_set].into());
                    table[layout.position(0, state) + data_set] = T::of(rows - others.sum::<u64>());
                }
            }
        }
        let run = layout.run * layout.data_sets;
        for (cells, rows) in table.chunks_exact_mut(run * layout.states).zip(self.counts.chunks_exact(run)) {
            let (first, others) = cells.split_at_mut(run);
            remainder(first, rows, others);
        }
        ((self.number - from) * bitmaps.of(added).len()) as u64
    }
}

/// Splits the first of some masks by the states of a variable. The memory is divided into equal blocks, one per state, and each part is
/// written to the start of its block.
fn split(masks: &mut [u64], length: usize, states: &[Words]) {
    let block = masks.len() / (states.len() + 1);
    let (rest, others) = masks.split_at_mut(block);
    let rest = &mut rest[..length];
    for (state, both) in states.iter().zip(others.chunks_exact_mut(block.max(1))) {
        for ((rest, both), state) in rest.iter_mut().zip(both).zip(&**state) {
            *both = *rest & state;
            *rest ^= *both;
        }
    }
}
