//! The observed part of a table: configurations with rows, within them their cells, within those the data sets that saw them.

use std::ops::Range;

use super::Entry;

/// Entries that room is made for at a time.
const SOME_ENTRIES: usize = 4096;

/// What of one family's table was observed, so that memory is bounded by the rows and never by the number of possible cells.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Observed {
    /// Which configuration each observed one is; empty if they are too many to be numbered in 64 bits.
    pub(super) numbers: Vec<u64>,
    /// Where the cells of each observed configuration start, and the end.
    pub(super) configuration_starts: Vec<usize>,
    /// The state of each observed cell.
    pub(super) cell_states: Vec<u32>,
    /// Where the entries of each observed cell start, and the end.
    pub(super) cell_starts: Vec<usize>,
    pub(super) entries: Vec<Entry>,
}

/// How much of a table has been taken over.
#[derive(Default)]
struct Filled {
    configurations: usize,
    cells: usize,
    entries: usize,
    /// The number of the next configuration.
    next: u64,
}

impl Filled {
    /// Ends a configuration with these cells, counted from those that were there; it stays only if there are any.
    fn end_configuration(&mut self, (numbers, starts): (&mut [u64], &mut [usize]), cells: Range<usize>) {
        (numbers[self.configurations], starts[self.configurations]) = (self.next, self.cells + cells.start);
        self.configurations += usize::from(!cells.is_empty());
        self.next += 1;
    }
}

impl Observed {
    /// Forgets everything, but keeps its memory.
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

    /// Takes over a dense table, by configuration, state and data set, in place of what there was.
    ///
    /// Every count is written where the next one belongs, and stays only if it is not zero: a branch on it could not be foreseen.
    pub(super) fn refill<T: Copy + Into<u64>>(&mut self, states: usize, data_sets: usize, table: &[T]) {
        let mut filled = Filled::default();
        // No more room than some configurations may need is made at a time.
        let some = states * data_sets * (SOME_ENTRIES / (states * data_sets)).max(1);
        for table in table.chunks(some) {
            self.make_room(&filled, table.len() / (states * data_sets), states, table.len());
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

    /// Makes the columns long enough for so many configurations more.
    fn make_room(&mut self, filled: &Filled, configurations: usize, states: usize, entries: usize) {
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

    /// Adds some configurations.
    fn fill<T: Copy + Into<u64>>(
        &mut self,
        filled: &mut Filled,
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

    /// The same for a single data set, where every cell has one entry.
    fn fill_single<T: Copy + Into<u64>>(&mut self, filled: &mut Filled, states: usize, table: &[T]) {
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

/// Puts a table together from its cells in ascending order.
pub(crate) struct Builder<'a> {
    rows: &'a mut [u64],
    observed: &'a mut Observed,
    last: Option<(u64, usize)>,
}

impl<'a> Builder<'a> {
    /// Begins with nothing observed and no rows of any data set.
    pub(super) fn new(rows: &'a mut [u64], observed: &'a mut Observed) -> Self {
        Self { rows, observed, last: None }
    }

    /// Adds a count; calls come ordered by configuration, state, data set. Zeros are passed over.
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

    /// Ends the table.
    pub(crate) fn finish(self) {
        self.observed.configuration_starts.push(self.observed.cell_states.len());
        self.observed.cell_starts.push(self.observed.entries.len());
    }

    /// Ends a table whose configurations are only ranked, not numbered.
    pub(crate) fn finish_without_numbers(self) {
        self.observed.numbers.clear();
        self.finish();
    }
}
