//! Counting by bitmaps: the rows of every configuration of the shared columns, and which of them have each state of another one.

use rayon::prelude::*;

use super::bitmaps::{Bitmaps, count_each_with};
use super::dense::{Shape, room_for, take_off};
use super::histogram::Cell;
use super::pairs::count_pairs;
use super::words::Words;
use crate::data::VariableId;

/// The rows of each configuration of the shared columns.
#[derive(Debug, Default)]
pub(super) struct Masks {
    /// One mask after the other, so that all of them are asked for at once and their memory can be used again.
    pub(super) words: Words,
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
        words.resize(number * length);
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

    /// How often all rows were looked at to make and count them: once for each that was divided off another, and once more to count each.
    pub(super) fn passes(&self) -> u64 {
        2 * self.number as u64 - 1
    }

    /// Room for so many masks of so many words each; nothing is counted.
    pub(super) fn emptied(mut self, number: usize, words: usize) -> Self {
        self.words.resize(number * words);
        self.counts.clear();
        Self { number, ..self }
    }

    /// How many words of memory they have.
    pub(super) fn capacity(&self) -> usize {
        self.words.capacity()
    }

    /// How many of each are in a bitmap, if there is one data set; says how often all rows were looked at.
    pub(super) fn count_each_with(&self, counts: &mut Vec<u32>, bitmap: &[u64]) -> u64 {
        count_each_with(room_for(counts, self.number), &self.words, bitmap);
        self.number as u64
    }

    /// The same where it is known how many are in all: the first are what is left over.
    pub(super) fn count_with(&self, counts: &mut Vec<u32>, bitmap: &[u64], all: u32) -> u64 {
        let counts = room_for(counts, self.number);
        count_each_with(&mut counts[1..], &self.words[bitmap.len()..], bitmap);
        counts[0] = all - counts[1..].iter().sum::<u32>();
        self.number as u64 - 1
    }

    /// Counts them by the states of an added column into a table in the family's own order; the first state is what is left over, and so
    /// is the first configuration, if to count it takes more than to take all others off. Says how often all rows were looked at.
    pub(super) fn count<T: Cell>(
        &self,
        table: &mut [T],
        shape: Shape,
        bitmaps: &Bitmaps,
        added: VariableId,
    ) -> u64 {
        let from = usize::from(bitmaps.len() > self.counts.len());
        count_pairs(table, shape, &self.words, from, bitmaps.of(added), bitmaps.data_sets());
        if from > 0 {
            let rows = bitmaps.rows_in_states(added).chunks_exact(shape.data_sets);
            for (state, rows) in (1..).zip(rows) {
                for (data_set, &rows) in rows.iter().enumerate() {
                    let others =
                        (1..self.number).map(|cell| table[shape.place(cell, state) + data_set].into());
                    table[shape.place(0, state) + data_set] = T::of(rows - others.sum::<u64>());
                }
            }
        }
        let run = shape.run * shape.data_sets;
        for (cells, rows) in table.chunks_exact_mut(run * shape.states).zip(self.counts.chunks_exact(run)) {
            let (first, others) = cells.split_at_mut(run);
            take_off(first, rows, others);
        }
        ((self.number - from) * bitmaps.of(added).len()) as u64
    }
}

/// Writes the mask of some rows.
fn first_mask(mask: &mut [u64], bitmaps: &Bitmaps, among: Among) {
    match among {
        Among::All => mask.copy_from_slice(bitmaps.rows()),
        Among::With(variable) => mask.copy_from_slice(&bitmaps.of(variable)[0]),
        Among::Without(variable) => {
            let rows = bitmaps.rows().iter().zip(&*bitmaps.of(variable)[0]);
            mask.iter_mut().zip(rows).for_each(|(mask, (rows, state))| *mask = rows & !state);
        }
    }
}

/// Divides the first of some masks by the states of a variable; each has as much room as the others, at the beginning of which it is put.
fn divide(masks: &mut [u64], length: usize, states: &[Words]) {
    let room = masks.len() / (states.len() + 1);
    let (rest, others) = masks.split_at_mut(room);
    let rest = &mut rest[..length];
    for (state, both) in states.iter().zip(others.chunks_exact_mut(room.max(1))) {
        for ((rest, both), state) in rest.iter_mut().zip(both).zip(&**state) {
            *both = *rest & state;
            *rest ^= *both;
        }
    }
}
