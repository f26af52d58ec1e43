//! The observed cells of a table in compressed form: configurations, their cells, and the counts of each cell by data set.

use std::ops::Range;

use super::Entry;

/// Entries by which the columns grow at a time.
const SOME_ENTRIES: usize = 4096;

/// The observed cells of one family's table. Memory is bounded by the rows, not by the number of possible cells.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Observed {
    /// The index of each observed configuration among the possible ones; empty if 64 bits cannot number them.
    pub(super) numbers: Vec<u64>,
    /// Where the cells of each observed configuration start, and the end.
    pub(super) configuration_starts: Vec<usize>,
    /// The state of each observed cell.
    pub(super) cell_states: Vec<u32>,
    /// Where the entries of each observed cell start, and the end.
    pub(super) cell_starts: Vec<usize>,
    pub(super) entries: Vec<Entry>,
}

/// How much of a dense table has been copied.
#[derive(Default)]
struct FillState {
    configurations: usize,
    cells: usize,
    entries: usize,
    /// The number of the next configuration.
    next: u64,
}

impl FillState {
    /// Ends a configuration with the given cells, relative to `self.cells`; it is kept only if it has any.
    fn end_configuration(&mut self, (numbers, starts): (&mut [u64], &mut [usize]), cells: Range<usize>) {
        (numbers[self.configurations], starts[self.configurations]) = (self.next, self.cells + cells.start);
        self.configurations += usize::from(!cells.is_empty());
        self.next += 1;
    }
}

impl Observed {
    /// Removes everything and keeps the memory.
    pub(super) fn clear(&mut self) {
        self.numbers.clear();
        self.configuration_starts.clear();
        self.cell_states.clear();
        self.cell_starts.clear();
        self.entries.clear();
    }

    /// The positions of the cells of an observed configuration.
    pub(super) fn cells_of(&self, configuration: usize) -> Range<usize> {
        self.configuration_starts[configuration]..self.configuration_starts[configuration + 1]
    }

    /// The entries of an observed cell.
    pub(super) fn entries_of(&self, cell: usize) -> &[Entry] {
        &self.entries[self.cell_starts[cell]..self.cell_starts[cell + 1]]
    }

    /// Replaces the contents by the non-zero counts of a dense table, by configuration, state and data set.
    ///
    /// Every count is written to the next free position, which only advances if the count is not zero: a branch would be mispredicted often.
    pub(super) fn refill<T: Copy + Into<u64>>(&mut self, states: usize, data_sets: usize, table: &[T]) {
        let mut filled = FillState::default();
        // The columns grow by the size of a few configurations at a time.
        let some = states * data_sets * (SOME_ENTRIES / (states * data_sets)).max(1);
        for table in table.chunks(some) {
            self.grow(&filled, table.len() / (states * data_sets), states, table.len());
            if data_sets == 1 {
                self.fill_single(&mut filled, states, table);
            } else {
                self.fill(&mut filled, states, data_sets, table);
            }
        }
        self.numbers.truncate(filled.configurations);
        self.configuration_starts.truncate(filled.configurations);
        self.configuration_starts.push(filled.cells);
        self.cell_states.truncate(filled.cells);
        self.cell_starts.truncate(filled.cells);
        self.cell_starts.push(filled.entries);
        self.entries.truncate(filled.entries);
    }

    /// Makes the columns long enough for a number of further configurations.
    fn grow(&mut self, filled: &FillState, configurations: usize, states: usize, entries: usize) {
        fn lengthen<T: Copy>(column: &mut Vec<T>, length: usize, filler: T) {
            if column.len() < length {
                column.resize(length, filler);
            }
        }
        let cells = configurations * states;
        lengthen(&mut self.numbers, filled.configurations + configurations, 0);
        lengthen(&mut self.configuration_starts, filled.configurations + configurations, 0);
        lengthen(&mut self.cell_states, filled.cells + cells, 0);
        lengthen(&mut self.cell_starts, filled.cells + cells, 0);
        lengthen(&mut self.entries, filled.entries + entries, Entry { data_set: 0, count: 0 });
    }

    /// Appends some configurations.
    fn fill<T: Copy + Into<u64>>(
        &mut self,
        filled: &mut FillState,
        states: usize,
        data_sets: usize,
        table: &[T],
    ) {
        let entries = &mut self.entries[filled.entries..];
        let cell_states = &mut self.cell_states[filled.cells..];
        let cell_starts = &mut self.cell_starts[filled.cells..];
        let (mut cell, mut entry) = (0, 0);
        for configuration in table.chunks_exact(states * data_sets) {
            let first_cell = cell;
            for (state, counts) in (0_u32..).zip(configuration.chunks_exact(data_sets)) {
                let first = entry;
                for (data_set, &count) in counts.iter().enumerate() {
                    let count = count.into();
                    entries[entry] = Entry { data_set, count };
                    entry += usize::from(count > 0);
                }
                (cell_states[cell], cell_starts[cell]) = (state, filled.entries + first);
                cell += usize::from(entry > first);
            }
            let starts = (&mut self.numbers[..], &mut self.configuration_starts[..]);
            filled.end_configuration(starts, first_cell..cell);
        }
        filled.cells += cell;
        filled.entries += entry;
    }

    /// The same for a single data set, where every cell has exactly one entry.
    fn fill_single<T: Copy + Into<u64>>(&mut self, filled: &mut FillState, states: usize, table: &[T]) {
        let entries = &mut self.entries[filled.entries..][..table.len()];
        let cell_states = &mut self.cell_states[filled.cells..][..table.len()];
        let cell_starts = &mut self.cell_starts[filled.cells..][..table.len()];
        let mut cell = 0;
        for configuration in table.chunks_exact(states) {
            let first_cell = cell;
            for (state, &count) in (0_u32..).zip(configuration) {
                let count = count.into();
                entries[cell] = Entry { data_set: 0, count };
                (cell_states[cell], cell_starts[cell]) = (state, filled.cells + cell);
                cell += usize::from(count > 0);
            }
            let starts = (&mut self.numbers[..], &mut self.configuration_starts[..]);
            filled.end_configuration(starts, first_cell..cell);
        }
        filled.cells += cell;
        filled.entries += cell;
    }
}

/// Builds the observed cells of a table from counts in ascending order.
pub(crate) struct Builder<'a> {
    rows: &'a mut [u64],
    observed: &'a mut Observed,
    last: Option<(u64, usize)>,
}

impl<'a> Builder<'a> {
    /// Starts with no cells and zero rows.
    pub(super) fn new(rows: &'a mut [u64], observed: &'a mut Observed) -> Self {
        Self { rows, observed, last: None }
    }

    /// Appends a count; calls must be ordered by configuration, state and data set. Zeros are skipped.
    #[inline]
    pub(crate) fn push(&mut self, configuration: u64, state: usize, data_set: usize, count: u64) {
        if count == 0 {
            return;
        }
        debug_assert!(self.last <= Some((configuration, state)), "cells come in order");
        let observed = &mut *self.observed;
        if self.last != Some((configuration, state)) {
            if self.last.is_none_or(|(last, _)| last != configuration) {
                observed.numbers.push(configuration);
                observed.configuration_starts.push(observed.cell_states.len());
            }
            #[expect(clippy::cast_possible_truncation, reason = "states are coded in 32 bits")]
            observed.cell_states.push(state as u32);
            observed.cell_starts.push(observed.entries.len());
            self.last = Some((configuration, state));
        }
        self.rows[data_set] += count;
        observed.entries.push(Entry { data_set, count });
    }

    /// Completes the table.
    pub(crate) fn finish(self) {
        self.observed.configuration_starts.push(self.observed.cell_states.len());
        self.observed.cell_starts.push(self.observed.entries.len());
    }

    /// Completes a table whose configurations are ranked but not numbered.
    pub(crate) fn finish_without_numbers(self) {
        self.observed.numbers.clear();
        self.finish();
    }
}
