//! Counts one family by the method that was planned for it.

use super::plan::{CountingMethod, FamilyPlan};
use super::shared::Shared;
use super::{MemoryTally, counts_fit_32_bits};
use crate::counts::kernels::counter::Counter;
use crate::counts::kernels::dense::{DenseLayout, arrange, gather, marginalize, remainder, resized};
use crate::counts::kernels::histogram::{self, Added, RowIndex};
use crate::counts::kernels::{bitmap, sort};
use crate::counts::{Change, Counts, Family};
use crate::data::VariableId;

/// Cells of the largest table whose memory is kept between two batches: less than half a megabyte in all.
const MOST_KEPT: usize = 4096;

/// Memory that a thread reuses for every family.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    tables: UnorderedTables,
    /// A table of 64-bit counts in the family's own order.
    ordered: Vec<u64>,
    pub(super) counts: Counts,
    /// Cells of the largest table so far; unlimited for sorted rows.
    largest: usize,
    /// Scans of all rows, for reports only.
    pub(super) scans: u64,
}

/// Memory for counts that are not yet in the family's own order.
#[derive(Debug, Default)]
struct UnorderedTables {
    wide: Vec<u64>,
    /// The same where counts fit into 32 bits.
    narrow: Vec<u32>,
    histogram: histogram::Scratch,
    binary: bitmap::Scratch,
}

/// The cells that a histogram counts: those of a row index and an added column.
#[derive(Clone, Copy)]
struct IndexedCells<'a> {
    index: &'a RowIndex,
    added: Option<Added<'a>>,
    number: usize,
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
        plan: &FamilyPlan,
        shared: &Shared<'_>,
        scratch: &mut Scratch,
    ) {
        let (&child, parents) = base.split_last().expect("the child is always part of the base");
        let (states, possible) = (self.states(child), plan.possible);
        let Scratch { counts, ordered, tables, largest, scans } = scratch;
        let cells = plan.base_cells.saturating_mul(plan.states).saturating_mul(self.data_sets.len());
        *largest = (*largest).max(if plan.method == CountingMethod::Sort { usize::MAX } else { cells });
        if plan.method == CountingMethod::Sort {
            let builder = counts.rebuild(states, possible, self.data_sets.len());
            let family = Family::from_ascending(child, parents).changed(plan.change);
            sort::count(self.data, &self.data_sets, &family, builder);
            *scans += 1 + family.parents().len() as u64;
        } else if counts_fit_32_bits(self.data) {
            let dense = counts.dense_mut(states, possible, &self.rows);
            *scans += match (&shared.binary, plan.method, plan.added()) {
                (Some(extensions), CountingMethod::Bitmap, Some(added)) => {
                    extensions.count(added, base, dense, &mut tables.binary)
                }
                _ => self.count_densely(base, plan, shared, dense, tables),
            }
        } else {
            *scans += self.count_densely(base, plan, shared, ordered, tables);
            counts.refill(states, possible, &self.rows, ordered);
        }
    }

    /// Counts one family into a dense table in its own order; returns the scans of all rows.
    fn count_densely<T: Counter>(
        &self,
        base: &[VariableId],
        plan: &FamilyPlan,
        shared: &Shared<'_>,
        ordered: &mut Vec<T>,
        tables: &mut UnorderedTables,
    ) -> u64 {
        let data_sets = self.data_sets.len();
        let cells = plan.base_cells * plan.states;
        let Some(added) = plan.added() else {
            let scans = self.count_without_added(base, plan, shared, tables);
            ordered.clear();
            ordered.extend(tables.wide.iter().map(|&count| T::of(count)));
            return scans;
        };
        let position = base[..base.len() - 1].partition_point(|&parent| parent < added);
        let layout = DenseLayout { run: self.cells(&base[position..]), states: plan.states, data_sets };
        match (&shared.masks, &shared.index) {
            (Some(masks), _) if plan.method == CountingMethod::Bitmap => {
                let bitmaps = self.bitmaps.as_ref().expect("the plan uses bitmaps only if there are any");
                masks.count(resized(ordered, cells * data_sets), layout, bitmaps, added)
            }
            (_, Some(index)) => {
                let added = Added { column: self.data.column(added), stride: plan.base_cells };
                let cells = IndexedCells { index, added: Some(added), number: cells };
                if position == 0 && data_sets == 1 {
                    // The order of counting is the family's own.
                    self.count_cells(resized(ordered, cells.number), cells, &mut tables.histogram);
                } else if counts_fit_32_bits(self.data) {
                    self.count_and_arrange(&mut tables.narrow, ordered, layout, cells, &mut tables.histogram);
                } else {
                    self.count_and_arrange(&mut tables.wide, ordered, layout, cells, &mut tables.histogram);
                }
                1
            }
            _ => unreachable!("the shared part has what every planned method needs"),
        }
    }

    /// Counts by histogram and arranges the table in the family's own order.
    fn count_and_arrange<T: Counter>(
        &self,
        apart: &mut Vec<impl Counter>,
        ordered: &mut Vec<T>,
        layout: DenseLayout,
        cells: IndexedCells<'_>,
        scratch: &mut histogram::Scratch,
    ) {
        let size = cells.number * layout.data_sets;
        let apart = resized(apart, size);
        self.count_cells(apart, cells, scratch);
        let base = cells.number / layout.states;
        arrange(resized(ordered, size), layout, |cell, added, places| {
            gather(places, apart, added * base + cell, cells.number);
        });
    }

    /// Counts by histogram, each data set into a table of its own.
    fn count_cells<T: Counter>(
        &self,
        table: &mut [T],
        cells: IndexedCells<'_>,
        scratch: &mut histogram::Scratch,
    ) {
        for (table, rows) in table.chunks_exact_mut(cells.number).zip(&self.data_sets) {
            histogram::count(table, cells.index, cells.added, rows.clone(), self.data.weights(), scratch);
        }
    }

    /// Counts a family that adds no column to the shared ones into `tables.wide`; returns the scans of all rows.
    fn count_without_added(
        &self,
        base: &[VariableId],
        plan: &FamilyPlan,
        shared: &Shared<'_>,
        tables: &mut UnorderedTables,
    ) -> u64 {
        let table = &mut tables.wide;
        if plan.method == CountingMethod::Known {
            let child = base[base.len() - 1];
            self.count_states(resized(table, self.states(child) * self.data_sets.len()), child);
            return 0;
        }
        let scans = self.count_shared(table, plan.base_cells, shared, &mut tables.histogram);
        if let Change::Without(parent) = plan.change {
            let place =
                base.iter().position(|&other| other == parent).expect("a removed parent is a shared column");
            let fast = self.cells(&base[place + 1..]) * self.data_sets.len();
            marginalize(table, self.states(parent), fast);
        }
        scans
    }

    /// The rows in each state; the first state is the remainder.
    fn count_states(&self, table: &mut [u64], child: VariableId) {
        let bitmaps = self.bitmaps.as_ref().expect("the plan uses bitmaps only if there are any");
        let (first, others) = table.split_at_mut(self.data_sets.len());
        others.copy_from_slice(bitmaps.rows_in_states(child));
        remainder(first, &self.rows, others);
    }

    /// Counts the shared columns alone, the data sets of a cell side by side; returns the scans of all rows.
    fn count_shared(
        &self,
        table: &mut Vec<u64>,
        cells: usize,
        shared: &Shared<'_>,
        scratch: &mut histogram::Scratch,
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
            Shared { index: Some(index), .. } => {
                let mut apart = vec![0; cells * data_sets];
                self.count_cells(&mut apart, IndexedCells { index, added: None, number: cells }, scratch);
                let by_cell =
                    (0..cells * data_sets).map(|place| apart[place % data_sets * cells + place / data_sets]);
                table.clear();
                table.extend(by_cell);
                1
            }
            _ => unreachable!("the shared part has what every planned method needs"),
        }
    }
}
