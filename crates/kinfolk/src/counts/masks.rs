//! Counting by bitmaps: the rows of every configuration of the shared columns, and which of them have each state of another one.

use rayon::prelude::*;

use super::bitmaps::{Bitmaps, count_each_with};
use super::dense::{Shape, room_for, take_off};
use super::histogram::Cell;
use super::pairs::count_pairs;
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

    /// Counts them by the states of an added column into a table in the family's own order; the first state is what is left over, and so
    /// is the first configuration, if to count it takes more than to take all others off.
    pub(super) fn count<T: Cell>(&self, table: &mut [T], shape: Shape, bitmaps: &Bitmaps, added: VariableId) {
        let from = usize::from(bitmaps.len() > self.counts.len());
        count_pairs(table, shape, &self.rows, from, bitmaps.of(added), bitmaps.data_sets());
        if from > 0 {
            let rows = bitmaps.rows_in_states(added).chunks_exact(shape.data_sets);
            for (state, rows) in (1..).zip(rows) {
                for (data_set, &rows) in rows.iter().enumerate() {
                    let others =
                        (1..self.rows.len()).map(|cell| table[shape.place(cell, state) + data_set].into());
                    table[shape.place(0, state) + data_set] = T::of(rows - others.sum::<u64>());
                }
            }
        }
        let run = shape.run * shape.data_sets;
        for (cells, rows) in table.chunks_exact_mut(run * shape.states).zip(self.counts.chunks_exact(run)) {
            let (first, others) = cells.split_at_mut(run);
            take_off(first, rows, others);
        }
    }
}
