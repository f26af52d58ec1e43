//! Counting by bitmaps: the rows of every configuration of the shared columns, and which of them have each state of another one.

use rayon::prelude::*;

use super::bitmaps::{Bitmaps, count_each_with, count_pairs};
use super::dense::{room_for, take_off};
use crate::data::VariableId;

/// The rows of each configuration of the shared columns.
#[derive(Debug, Default)]
pub(super) struct Masks {
    /// One mask after the other, so that all of them are asked for at once and their memory can be used again.
    pub(super) words: Vec<u64>,
    /// How many there are.
    number: usize,
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

/// Which rows masks are made of.
#[derive(Debug, Clone, Copy)]
pub(super) enum Among {
    All,
    /// Those that have the second state of a binary variable.
    With(VariableId),
    /// Those that have the first one.
    Without(VariableId),
}

impl Masks {
    /// The masks of some rows by the configurations of some columns, the child's last, in used memory.
    pub(super) fn new(
        Self { mut words, mut counts, .. }: Self,
        bitmaps: &Bitmaps,
        among: Among,
        shared: &[VariableId],
        by: Threads,
    ) -> Self {
        let (&child, parents) = shared.split_last().expect("the child is always shared");
        let states = |variable: VariableId| bitmaps.of(variable).len() + 1;
        let number: usize = shared.iter().map(|&variable| states(variable)).product();
        let (length, data_sets) = (bitmaps.len(), bitmaps.data_sets().len());
        words.resize(number * length, 0);
        first_mask(&mut words[..length], bitmaps, among);
        // Every mask is divided where it lies: what has the first state of the next column stays, what has others goes to where it belongs.
        let mut side_by_side = number;
        for &parent in parents {
            for masks in words.chunks_exact_mut((side_by_side * length).max(1)) {
                divide(masks, length, bitmaps.of(parent));
            }
            side_by_side /= states(parent);
        }
        counts.resize(number * data_sets, 0);
        let of = |(masks, counts): (&mut [u64], &mut [u64])| {
            divide(masks, length, bitmaps.of(child));
            for (mask, counts) in
                masks.chunks_exact(length.max(1)).zip(counts.chunks_exact_mut(data_sets.max(1)))
            {
                counts.iter_mut().zip(bitmaps.count(mask)).for_each(|(place, count)| *place = count);
            }
        };
        let (masks, cells) = ((side_by_side * length).max(1), (side_by_side * data_sets).max(1));
        match by {
            Threads::One => words.chunks_exact_mut(masks).zip(counts.chunks_exact_mut(cells)).for_each(of),
            Threads::All => words
                .par_chunks_exact_mut(masks)
                .zip(counts.par_chunks_exact_mut(cells))
                .with_max_len(1)
                .for_each(of),
        }
        Self { words, number, counts }
    }

    /// Room for so many masks of so many words each; nothing is counted.
    pub(super) fn emptied(mut self, number: usize, words: usize) -> Self {
        self.words.resize(number * words, 0);
        self.counts.clear();
        Self { number, ..self }
    }

    /// How many words of memory they have.
    pub(super) fn capacity(&self) -> usize {
        self.words.capacity()
    }

    /// How many of each are in a bitmap, if there is one data set.
    pub(super) fn count_each_with(&self, counts: &mut Vec<u32>, bitmap: &[u64]) {
        count_each_with(room_for(counts, self.number), &self.words, bitmap);
    }

    /// The same where it is known how many are in all: the first are what is left over.
    pub(super) fn count_with(&self, counts: &mut Vec<u32>, bitmap: &[u64], all: u32) {
        let counts = room_for(counts, self.number);
        count_each_with(&mut counts[1..], &self.words[bitmap.len()..], bitmap);
        counts[0] = all - counts[1..].iter().sum::<u32>();
    }

    /// Counts them by the states of an added column into an empty table: by configuration, state and data set. The first configuration and
    /// the first state are what is left over.
    pub(super) fn count(&self, table: &mut [u64], bitmaps: &Bitmaps, added: VariableId) {
        let (others, data_sets) = (bitmaps.of(added), bitmaps.data_sets().len());
        count_pairs(table, &self.words, others, bitmaps.data_sets());
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

/// Writes the mask of some rows.
fn first_mask(mask: &mut [u64], bitmaps: &Bitmaps, among: Among) {
    match among {
        Among::All => mask.copy_from_slice(bitmaps.rows()),
        Among::With(variable) => mask.copy_from_slice(&bitmaps.of(variable)[0]),
        Among::Without(variable) => {
            let rows = bitmaps.rows().iter().zip(&bitmaps.of(variable)[0]);
            mask.iter_mut().zip(rows).for_each(|(mask, (rows, state))| *mask = rows & !state);
        }
    }
}

/// Divides the first of some masks by the states of a variable; each has as much room as the others, at the beginning of which it is put.
fn divide(masks: &mut [u64], length: usize, states: &[Vec<u64>]) {
    let room = masks.len() / (states.len() + 1);
    let (rest, others) = masks.split_at_mut(room);
    let rest = &mut rest[..length];
    for (state, both) in states.iter().zip(others.chunks_exact_mut(room.max(1))) {
        for ((rest, both), state) in rest.iter_mut().zip(both).zip(state) {
            *both = *rest & state;
            *rest ^= *both;
        }
    }
}
