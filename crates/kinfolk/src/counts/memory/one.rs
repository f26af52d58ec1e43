//! Counting one family, in the way that was chosen for it.

use super::indices::{self, Indices};
use super::{MemoryTally, Shared, is_narrow};
use crate::counts::dense::{Shape, arrange, gather, room_for, sum_over_digit, take_off};
use crate::counts::histogram::{self, Bytes};
use crate::counts::index::Index;
use crate::counts::ways::{Extension, Way};
use crate::counts::{Change, Counts, Family, binary, sparse};
use crate::data::{Column, VariableId};

/// Cells of a table whose memory is kept between two batches: all in all, less than half a megabyte.
const MOST_KEPT: usize = 4096;

/// Memory that a thread uses again for every family.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    workspace: Workspace,
    /// A table in the family's own order.
    ordered: Vec<u64>,
    pub(super) counts: Counts,
    /// The cells of the largest table so far; that of sorted rows is larger than any.
    largest: usize,
    /// How often all rows were looked at, for the record.
    pub(super) passes: u64,
}

/// What rows are counted by: their numbers in the shared columns, and a column more with its stride, which make so many cells.
#[derive(Clone, Copy)]
struct By<'a> {
    index: &'a Index,
    more: Option<(&'a Column, usize)>,
    cells: usize,
}

/// Memory for what is counted before it is put in order.
#[derive(Debug, Default)]
struct Workspace {
    table: Vec<u64>,
    /// The same for rows that count once each.
    narrow: Vec<u32>,
    bytes: Bytes,
    binary: binary::Workspace,
}

impl Scratch {
    /// Whether it is small enough to be kept between two batches.
    pub(super) fn is_small(&self) -> bool {
        self.largest <= MOST_KEPT
    }
}

impl MemoryTally<'_> {
    /// Counts one family into the scratch memory.
    pub(super) fn count(
        &self,
        base: &[VariableId],
        extension: &Extension,
        shared: &Shared<'_>,
        scratch: &mut Scratch,
    ) {
        let (&child, parents) = base.split_last().expect("the child is always part of the base");
        let (states, possible) = (self.states(child), extension.possible);
        let Scratch { counts, ordered, workspace, largest, passes } = scratch;
        let cells = extension.base.saturating_mul(extension.states).saturating_mul(self.data_sets.len());
        *largest = (*largest).max(if extension.way == Way::Sort { usize::MAX } else { cells });
        if extension.way == Way::Sort {
            let builder = counts.rebuild(states, possible, self.data_sets.len());
            let family = Family::from_ascending(child, parents).changed(extension.change);
            sparse::count(self.data, &self.data_sets, &family, builder);
            *passes += 1 + family.parents().len() as u64;
        } else if is_narrow(self.data) {
            let places = counts.places(states, possible, &self.rows);
            *passes += match (&shared.binary, extension.way, extension.added()) {
                (Some(extensions), Way::Bitmaps, Some(added)) => {
                    extensions.count(added, base, places, &mut workspace.binary)
                }
                _ => self.count_densely(base, extension, shared, places, workspace),
            }
        } else {
            *passes += self.count_densely(base, extension, shared, ordered, workspace);
            counts.refill(states, possible, &self.rows, ordered);
        }
    }

    /// Counts one family into a table in its own order, all data sets of a cell side by side; says how often all rows were looked at.
    fn count_densely<T: histogram::Cell>(
        &self,
        base: &[VariableId],
        extension: &Extension,
        shared: &Shared<'_>,
        ordered: &mut Vec<T>,
        Workspace { table, narrow, bytes, .. }: &mut Workspace,
    ) -> u64 {
        let data_sets = self.data_sets.len();
        let cells = extension.base * extension.states;
        let Some(added) = extension.added() else {
            let mut passes = 0;
            if extension.way == Way::Known {
                let child = base[base.len() - 1];
                self.count_known(room_for(table, self.states(child) * data_sets), child);
            } else {
                passes = self.count_shared(table, cells, shared, bytes);
                if let Change::Without(parent) = extension.change {
                    self.sum_out(table, base, parent);
                }
            }
            ordered.clear();
            ordered.extend(table.iter().map(|&count| T::of(count)));
            return passes;
        };
        // The added column has its place among the shared parents; for every state of it, so many cells stay side by side.
        let place = indices::place(base, added, extension.states);
        let shape = Shape { run: self.cells(&base[place.before..]), states: extension.states, data_sets };
        match (&shared.masks, shared.indices.of(place), &shared.indices.alone) {
            (Some(masks), ..) if extension.way == Way::Bitmaps => {
                let bitmaps = self.bitmaps.as_ref().expect("there are bitmaps where they were chosen");
                masks.count(room_for(ordered, cells * data_sets), shape, bitmaps, added)
            }
            (_, Some(index), _) => {
                let more = Some((self.data.column(added), shape.run * data_sets));
                let (table, rows) = (room_for(ordered, cells * data_sets), 0..self.data.stored_rows());
                histogram::count(table, index, more, rows, self.data.weights(), bytes);
                1
            }
            (.., Some(index)) => {
                let by = By { index, more: Some((self.data.column(added), extension.base)), cells };
                if place.before == 0 && data_sets == 1 {
                    // They are counted in the family's order.
                    self.count_by_index(room_for(ordered, cells), by, bytes);
                } else if is_narrow(self.data) {
                    self.count_and_arrange(narrow, ordered, shape, by, bytes);
                } else {
                    self.count_and_arrange(table, ordered, shape, by, bytes);
                }
                1
            }
            _ => unreachable!("the shared part was worked out for every way that is taken"),
        }
    }

    /// Counts by histogram and puts the table in order.
    fn count_and_arrange<T: histogram::Cell>(
        &self,
        apart: &mut Vec<impl histogram::Cell>,
        ordered: &mut Vec<T>,
        shape: Shape,
        by: By<'_>,
        bytes: &mut Bytes,
    ) {
        let size = by.cells * shape.data_sets;
        let apart = room_for(apart, size);
        self.count_by_index(apart, by, bytes);
        let base = by.cells / shape.states;
        arrange(room_for(ordered, size), shape, |cell, added, places| {
            gather(places, apart, added * base + cell, by.cells);
        });
    }

    /// Counts by histogram, each data set into a table of its own.
    fn count_by_index<T: histogram::Cell>(&self, table: &mut [T], by: By<'_>, bytes: &mut Bytes) {
        for (table, rows) in table.chunks_exact_mut(by.cells).zip(&self.data_sets) {
            histogram::count(table, by.index, by.more, rows.clone(), self.data.weights(), bytes);
        }
    }

    /// The rows in each state; the first state is what is left over.
    fn count_known(&self, table: &mut [u64], child: VariableId) {
        let bitmaps = self.bitmaps.as_ref().expect("there are bitmaps where they were chosen");
        let (first, others) = table.split_at_mut(self.data_sets.len());
        others.copy_from_slice(bitmaps.rows_in_states(child));
        take_off(first, &self.rows, others);
    }

    /// Counts the shared columns alone, all data sets of a cell side by side; says how often all rows were looked at.
    fn count_shared(
        &self,
        table: &mut Vec<u64>,
        cells: usize,
        shared: &Shared<'_>,
        bytes: &mut Bytes,
    ) -> u64 {
        let data_sets = self.data_sets.len();
        match shared {
            Shared { binary: Some(extensions), .. } => {
                table.clear();
                table.extend(extensions.rows.iter().map(|&rows| u64::from(rows)));
                0
            }
            Shared { masks: Some(masks), .. } => {
                table.clone_from(&masks.counts);
                0
            }
            Shared { indices: Indices { alone: Some(index), .. }, .. } => {
                let mut apart = vec![0; cells * data_sets];
                self.count_by_index(&mut apart, By { index, more: None, cells }, bytes);
                let by_cell =
                    (0..cells * data_sets).map(|place| apart[place % data_sets * cells + place / data_sets]);
                table.clear();
                table.extend(by_cell);
                1
            }
            _ => unreachable!("the shared part was worked out for every way that is taken"),
        }
    }

    /// Sums a table of the shared columns over one of the parents.
    fn sum_out(&self, table: &mut Vec<u64>, base: &[VariableId], parent: VariableId) {
        let place = base.iter().position(|&other| other == parent).expect("a parent that is left is shared");
        let fast = self.cells(&base[place + 1..]) * self.data_sets.len();
        sum_over_digit(table, self.states(parent), fast);
    }
}
