//! Counting by bitmaps: the rows of every configuration of the shared columns, and which of them have each state of another one.

use rayon::prelude::*;

use super::bitmaps::{Bitmaps, count_each_with, count_pairs};
use super::dense::{room_for, take_off};
use crate::data::VariableId;

/// The rows of each configuration of the shared columns.
pub(super) struct Masks {
    rows: Vec<Vec<u64>>,
    /// How many rows each has, by data set.
    pub(super) counts: Vec<u64>,
}

/// Who makes the masks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Threads {
    /// The thread that asks, because others have groups of their own or are not worth waking.
    One,
    /// All threads, because there is only one group and they would have to wait for it.
    All,
}

impl Masks {
    /// The masks of some columns, the child's last.
    pub(super) fn new(bitmaps: &Bitmaps, shared: &[VariableId], by: Threads) -> Self {
        Self::within(bitmaps, bitmaps.rows().to_vec(), shared, by)
    }

    /// The same of some rows only.
    pub(super) fn within(bitmaps: &Bitmaps, rows: Vec<u64>, shared: &[VariableId], by: Threads) -> Self {
        let (child, parents) = shared.split_last().expect("the child is always shared");
        let of = |configuration: Vec<u64>| {
            let rows = bitmaps.finer(configuration, *child);
            let counts: Vec<u64> = rows.iter().flat_map(|mask| bitmaps.count(mask)).collect();
            (rows, counts)
        };
        let coarse = bitmaps.configurations(rows, parents);
        let (rows, counts): (Vec<Vec<Vec<u64>>>, Vec<Vec<u64>>) = match by {
            Threads::One => coarse.into_iter().map(of).unzip(),
            Threads::All => coarse.into_par_iter().with_max_len(1).map(of).unzip(),
        };
        Self { rows: rows.into_iter().flatten().collect(), counts: counts.concat() }
    }

    /// How many of each are in a bitmap, if there is one data set.
    pub(super) fn count_each_with(&self, counts: &mut Vec<u32>, bitmap: &[u64]) {
        count_each_with(room_for(counts, self.rows.len()), &self.rows, bitmap);
    }

    /// The same where it is known how many are in all: the first are what is left over.
    pub(super) fn count_with(&self, counts: &mut Vec<u32>, bitmap: &[u64], all: u32) {
        let counts = room_for(counts, self.rows.len());
        count_each_with(&mut counts[1..], &self.rows[1..], bitmap);
        counts[0] = all - counts[1..].iter().sum::<u32>();
    }

    /// Counts them by the states of an added column into an empty table: by configuration, state and data set. The first configuration and
    /// the first state are what is left over.
    pub(super) fn count(&self, table: &mut [u64], bitmaps: &Bitmaps, added: VariableId) {
        let (others, data_sets) = (bitmaps.of(added), bitmaps.data_sets().len());
        count_pairs(table, &self.rows, others, bitmaps.data_sets());
        let configuration = (others.len() + 1) * data_sets;
        if (others.len(), data_sets) == (1, 1) {
            // Two states of one data set, the most frequent case, need no loops over either.
            let (pairs, _) = table.as_chunks_mut::<2>();
            let others: u64 = pairs[1..].iter().map(|pair| pair[1]).sum();
            pairs[0][1] = bitmaps.rows_in_states(added)[0] - others;
            pairs.iter_mut().zip(&self.counts).for_each(|(pair, rows)| pair[0] = rows - pair[1]);
            return;
        }
        let (first, others) = table.split_at_mut(configuration);
        for (state, rows) in bitmaps.rows_in_states(added).chunks_exact(data_sets).enumerate() {
            let place = (state + 1) * data_sets;
            let counted = &mut first[place..place + data_sets];
            counted.copy_from_slice(rows);
            for others in others.chunks_exact(configuration) {
                for (left, count) in counted.iter_mut().zip(&others[place..place + data_sets]) {
                    *left -= count;
                }
            }
        }
        for (cells, rows) in table.chunks_exact_mut(configuration).zip(self.counts.chunks_exact(data_sets)) {
            let (first, others) = cells.split_at_mut(data_sets);
            take_off(first, rows, others);
        }
    }
}
