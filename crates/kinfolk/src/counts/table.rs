//! One family's contingency table over all data sets, holding observed cells only.

/// How often one cell was seen in one data set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// The data set's position.
    pub data_set: usize,
    /// The count, never zero.
    pub count: u64,
}

/// The counts of one family by data set, configuration of the parents and state of the child.
///
/// Only what was observed is stored, so that memory is bounded by the rows and never by the number of possible cells:
/// observed configurations, within them their observed cells, within those the data sets that saw them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Counts {
    states: usize,
    possible: f64,
    rows: Vec<u64>,
    /// Which configuration each observed one is; empty if they are too many to be numbered in 64 bits.
    numbers: Vec<u64>,
    /// Where the cells of each observed configuration start, and the end.
    configuration_starts: Vec<usize>,
    /// The state of each observed cell.
    cell_states: Vec<u32>,
    /// Where the entries of each observed cell start, and the end.
    cell_starts: Vec<usize>,
    entries: Vec<Entry>,
}

/// One observed configuration of the parents.
#[derive(Debug, Clone, Copy)]
pub struct Configuration<'a> {
    counts: &'a Counts,
    index: usize,
}

/// One observed cell: a configuration of the parents together with a state of the child.
#[derive(Debug, Clone, Copy)]
pub struct Cell<'a> {
    /// The state of the child.
    pub state: usize,
    /// Its counts by data set, in the data sets' order.
    pub entries: &'a [Entry],
}

impl Counts {
    /// Empties the table for a child of `states` states whose parents have `possible` configurations, keeping its memory.
    pub(crate) fn rebuild(&mut self, states: usize, possible: f64, data_sets: usize) -> Builder<'_> {
        (self.states, self.possible) = (states, possible);
        self.rows.clear();
        self.rows.resize(data_sets, 0);
        self.numbers.clear();
        self.configuration_starts.clear();
        self.cell_states.clear();
        self.cell_starts.clear();
        self.entries.clear();
        Builder { counts: self, last: None }
    }

    /// Counts from a full table, `table[data set][configuration][state]`.
    ///
    /// # Panics
    /// If the table is ragged or has no data set, configuration or state.
    pub fn from_table(table: &[Vec<Vec<u64>>]) -> Self {
        let configurations = table[0].len();
        let states = table[0][0].len();
        let mut counts = Self::default();
        let mut builder = counts.rebuild(states, configurations as f64, table.len());
        for configuration in 0..configurations {
            for state in 0..states {
                for (data_set, table) in table.iter().enumerate() {
                    assert!(table.len() == configurations && table[configuration].len() == states);
                    builder.push(configuration as u64, state, data_set, table[configuration][state]);
                }
            }
        }
        builder.finish();
        counts
    }

    /// The number of states of the child.
    pub fn states(&self) -> usize {
        self.states
    }

    /// The number of possible configurations of the parents, observed or not; exact below 2^53.
    pub fn possible_configurations(&self) -> f64 {
        self.possible
    }

    /// The number of possible cells, observed or not.
    pub fn possible_cells(&self) -> f64 {
        self.possible * self.states as f64
    }

    /// The number of data sets.
    pub fn data_sets(&self) -> usize {
        self.rows.len()
    }

    /// The number of rows of each data set.
    pub fn rows(&self) -> &[u64] {
        &self.rows
    }

    /// The number of observed cells.
    pub fn observed_cells(&self) -> usize {
        self.cell_states.len()
    }

    /// The number of cells observed in each data set, all data sets together.
    pub fn entries(&self) -> usize {
        self.entries.len()
    }

    /// The number of observed configurations.
    pub fn observed_configurations(&self) -> usize {
        self.configuration_starts.len() - 1
    }

    /// The observed configurations, ascending: the first parent varies slowest.
    pub fn configurations(&self) -> impl ExactSizeIterator<Item = Configuration<'_>> {
        (0..self.observed_configurations()).map(|index| Configuration { counts: self, index })
    }

    /// All observed cells, by configuration, then state.
    pub fn cells(&self) -> impl ExactSizeIterator<Item = Cell<'_>> {
        (0..self.observed_cells()).map(|index| self.cell(index))
    }

    fn cell(&self, index: usize) -> Cell<'_> {
        Cell {
            state: self.cell_states[index] as usize,
            entries: &self.entries[self.cell_starts[index]..self.cell_starts[index + 1]],
        }
    }
}

impl<'a> Configuration<'a> {
    /// Which of the possible configurations this is, the first parent varying slowest; nothing if there are more than
    /// 64 bits can number.
    pub fn number(&self) -> Option<u64> {
        self.counts.numbers.get(self.index).copied()
    }

    /// The observed cells, by state.
    pub fn cells(&self) -> impl ExactSizeIterator<Item = Cell<'a>> + use<'a> {
        let counts = self.counts;
        self.cell_range().map(|index| counts.cell(index))
    }

    /// The positions of these cells among all observed cells.
    pub fn cell_range(&self) -> std::ops::Range<usize> {
        self.counts.configuration_starts[self.index]..self.counts.configuration_starts[self.index + 1]
    }
}

impl Cell<'_> {
    /// The count over all data sets.
    pub fn total(&self) -> u64 {
        self.entries.iter().map(|entry| entry.count).sum()
    }
}

/// Puts a table together from its cells in ascending order.
pub(crate) struct Builder<'a> {
    counts: &'a mut Counts,
    last: Option<(u64, usize)>,
}

impl Builder<'_> {
    /// Adds a count; calls come ordered by configuration, state, data set. Zeros are passed over.
    #[inline]
    pub(crate) fn push(&mut self, configuration: u64, state: usize, data_set: usize, count: u64) {
        if count == 0 {
            return;
        }
        debug_assert!(self.last <= Some((configuration, state)), "cells come in order");
        let counts = &mut *self.counts;
        if self.last != Some((configuration, state)) {
            if self.last.is_none_or(|(last, _)| last != configuration) {
                counts.numbers.push(configuration);
                counts.configuration_starts.push(counts.cell_states.len());
            }
            #[expect(clippy::cast_possible_truncation, reason = "states are coded in 32 bits")]
            counts.cell_states.push(state as u32);
            counts.cell_starts.push(counts.entries.len());
            self.last = Some((configuration, state));
        }
        counts.rows[data_set] += count;
        counts.entries.push(Entry { data_set, count });
    }

    /// The number of data sets.
    pub(crate) fn data_sets(&self) -> usize {
        self.counts.rows.len()
    }

    /// Says how many rows each data set has, for a table that is made of whole cells.
    pub(crate) fn set_rows(&mut self, rows: &[u64]) {
        self.counts.rows.copy_from_slice(rows);
    }

    /// Adds a configuration: what is counted in each state and data set, zeros among it; calls come ordered by configuration. The
    /// rows of the data sets are told by [`Builder::set_rows`].
    #[inline]
    pub(crate) fn push_configuration(&mut self, configuration: u64, count: impl Fn(usize, usize) -> u64) {
        let counts = &mut *self.counts;
        debug_assert!(counts.numbers.last() < Some(&configuration), "configurations come in order");
        let (states, data_sets) = (counts.states, counts.rows.len());
        let first_cell = counts.cell_states.len();
        counts.cell_states.reserve(states);
        counts.cell_starts.reserve(states);
        counts.entries.reserve(states * data_sets);
        for state in 0..states {
            let first = counts.entries.len();
            for data_set in 0..data_sets {
                let count = count(state, data_set);
                if count > 0 {
                    counts.entries.push(Entry { data_set, count });
                }
            }
            if counts.entries.len() > first {
                #[expect(clippy::cast_possible_truncation, reason = "states are coded in 32 bits")]
                counts.cell_states.push(state as u32);
                counts.cell_starts.push(first);
            }
        }
        if counts.cell_states.len() > first_cell {
            counts.numbers.push(configuration);
            counts.configuration_starts.push(first_cell);
        }
    }

    /// Ends the table.
    pub(crate) fn finish(self) {
        self.counts.configuration_starts.push(self.counts.cell_states.len());
        self.counts.cell_starts.push(self.counts.entries.len());
    }

    /// Ends a table whose configurations are only ranked, not numbered.
    pub(crate) fn finish_without_numbers(self) {
        self.counts.numbers.clear();
        self.finish();
    }
}
