//! One family's contingency table over all data sets, holding observed cells only.

use std::ops::Range;

/// Entries that room is made for at a time.
const SOME_ENTRIES: usize = 4096;

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

    /// Takes over a dense table, by configuration, state and data set, in place of what there was; `rows` are those of each data set.
    ///
    /// Every count is written where the next one belongs, and stays only if it is not zero: a branch on it could not be foreseen.
    pub(crate) fn refill(&mut self, states: usize, possible: f64, rows: &[u64], table: &[u64]) {
        if self.is_full(states) && rows.len() == 1 && !table.contains(&0) {
            self.possible = possible;
            self.rows[0] = rows[0];
            self.refill_full(table);
            return;
        }
        (self.states, self.possible) = (states, possible);
        self.rows.clear();
        self.rows.extend_from_slice(rows);
        let data_sets = rows.len();
        let mut filled = Filled::default();
        // No more room than some configurations may need is made at a time.
        let some = states * data_sets * (SOME_ENTRIES / (states * data_sets)).max(1);
        for table in table.chunks(some) {
            self.make_room(&filled, table.len() / (states * data_sets), table.len());
            if data_sets == 1 {
                self.fill_single(&mut filled, table);
            } else {
                self.fill(&mut filled, table);
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

    /// Whether every configuration up to the last has a single data set's rows in every state of the child.
    fn is_full(&self, states: usize) -> bool {
        let configurations = self.numbers.len();
        (self.states, self.rows.len()) == (states, 1)
            && self.entries.len() == configurations * states
            && self.numbers.last().is_some_and(|&last| last + 1 == configurations as u64)
    }

    /// Takes over a table without zeros in place of another one: all but the counts is as it was, as far as it goes.
    fn refill_full(&mut self, table: &[u64]) {
        self.entries.clear();
        self.entries.extend(table.iter().map(|&count| Entry { data_set: 0, count }));
        let (before, configurations) = (self.numbers.len(), table.len() / self.states);
        if configurations <= before {
            self.numbers.truncate(configurations);
            self.configuration_starts.truncate(configurations + 1);
            self.cell_states.truncate(table.len());
            self.cell_starts.truncate(table.len() + 1);
        } else {
            let states = self.states;
            #[expect(clippy::cast_possible_truncation, reason = "states are coded in 32 bits")]
            let state = |cell: usize| (cell % states) as u32;
            self.numbers.extend(before as u64..configurations as u64);
            self.configuration_starts.extend((before + 1..=configurations).map(|number| number * states));
            self.cell_states.extend((before * states..table.len()).map(state));
            self.cell_starts.extend(before * states + 1..=table.len());
        }
    }

    /// Makes the columns long enough for so many configurations more.
    fn make_room(&mut self, filled: &Filled, configurations: usize, entries: usize) {
        fn lengthen<T: Copy>(column: &mut Vec<T>, length: usize, filler: T) {
            if column.len() < length {
                column.resize(length, filler);
            }
        }
        let cells = configurations * self.states;
        lengthen(&mut self.numbers, filled.configurations + configurations, 0);
        lengthen(&mut self.configuration_starts, filled.configurations + configurations, 0);
        lengthen(&mut self.cell_states, filled.cells + cells, 0);
        lengthen(&mut self.cell_starts, filled.cells + cells, 0);
        lengthen(&mut self.entries, filled.entries + entries, Entry { data_set: 0, count: 0 });
    }

    /// Adds some configurations.
    fn fill(&mut self, filled: &mut Filled, table: &[u64]) {
        let (states, data_sets) = (self.states, self.rows.len());
        let entries = &mut self.entries[filled.entries..];
        let cell_states = &mut self.cell_states[filled.cells..];
        let cell_starts = &mut self.cell_starts[filled.cells..];
        let (mut cell, mut entry) = (0, 0);
        for configuration in table.chunks_exact(states * data_sets) {
            let first_cell = cell;
            for (state, counts) in (0_u32..).zip(configuration.chunks_exact(data_sets)) {
                let first = entry;
                for (data_set, &count) in counts.iter().enumerate() {
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
    fn fill_single(&mut self, filled: &mut Filled, table: &[u64]) {
        let entries = &mut self.entries[filled.entries..][..table.len()];
        let cell_states = &mut self.cell_states[filled.cells..][..table.len()];
        let cell_starts = &mut self.cell_starts[filled.cells..][..table.len()];
        let mut cell = 0;
        for configuration in table.chunks_exact(self.states) {
            let first_cell = cell;
            for (state, &count) in (0_u32..).zip(configuration) {
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

    /// The cells of every observed configuration, if each has two of one data set.
    pub(crate) fn pairs(&self) -> Option<&[[Entry; 2]]> {
        let all = self.entries.len() == 2 * self.observed_configurations();
        (self.states == 2 && self.rows.len() == 1 && all).then(|| self.entries.as_chunks().0)
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

    /// The counts of the observed cells by state, if there is only one data set: then every cell has one entry.
    #[inline]
    pub(crate) fn only_entries(&self) -> Option<&'a [Entry]> {
        (self.counts.rows.len() == 1).then(|| &self.counts.entries[self.cell_range()])
    }

    /// The positions of these cells among all observed cells.
    pub fn cell_range(&self) -> Range<usize> {
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A dense table by configuration, state and data set, about half of it zeros, and some configurations without rows.
    fn dense(configurations: usize, size: usize, seed: u64) -> Vec<u64> {
        let mut number = seed;
        let mut next = || {
            number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            number >> 60
        };
        (0..configurations)
            .flat_map(|_| {
                let seen = u64::from(next() > 3);
                (0..size).map(|_| seen * next().saturating_sub(8)).collect::<Vec<_>>()
            })
            .collect()
    }

    #[test]
    fn a_table_taken_over_in_used_memory_is_the_one_put_together_cell_by_cell() {
        let mut used = Counts::default();
        let shapes =
            [(40, 3, 1), (2, 2, 1), (7, 4, 3), (3000, 2, 1), (1, 5, 2), (900, 3, 4), (2, 3000, 2), (5, 2, 1)];
        let full = [(4, 2, 1), (2, 2, 1), (16, 2, 1), (1, 3, 1), (2, 3, 1)];
        let shapes = shapes.into_iter().map(|shape| (shape, 0)).chain(full.map(|shape| (shape, 1)));
        for (seed, ((configurations, states, data_sets), least)) in (1..).zip(shapes.chain([((4, 3, 1), 0)]))
        {
            let mut table = dense(configurations, states * data_sets, seed);
            table.iter_mut().for_each(|count| *count = (*count).max(least));
            let mut rows = vec![0; data_sets];
            let mut fresh = Counts::default();
            let mut builder = fresh.rebuild(states, configurations as f64, data_sets);
            for (place, &count) in table.iter().enumerate() {
                let (cell, data_set) = (place / data_sets, place % data_sets);
                builder.push((cell / states) as u64, cell % states, data_set, count);
                rows[data_set] += count;
            }
            builder.finish();
            used.refill(states, configurations as f64, &rows, &table);
            assert!(used == fresh, "{configurations} × {states} × {data_sets}");
            assert!(table.len() < 20 || least > 0 || used.entries() < table.len(), "there are zeros");
        }
    }
}
