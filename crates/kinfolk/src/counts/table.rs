//! The contingency table of one family over all data sets.

use std::ops::Range;
use std::sync::{Mutex, OnceLock, PoisonError};

use super::observed::{Builder, Observed};

/// The count of one cell in one data set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// The data set's position.
    pub data_set: usize,
    /// The count, never zero.
    pub count: u64,
}

/// The counts of one family by data set, configuration of the parents and state of the child.
///
/// Memory is bounded by the number of rows, not by the number of possible cells: a table stores either the observed cells, or all cells if
/// these are at most a small multiple of the rows. Closed-form scores and upper bounds read the dense table directly; the observed cells
/// are extracted from it on first use.
#[derive(Debug, Default)]
pub struct Counts {
    states: usize,
    possible: f64,
    rows: Vec<u64>,
    /// The dense table, by configuration, state and data set; empty if only observed cells are stored.
    dense: Vec<u32>,
    /// The observed cells; extracted on first use if there is a dense table.
    observed: OnceLock<Observed>,
    /// Memory of the previous table's observed cells, to be reused.
    spare: Mutex<Observed>,
}

impl Clone for Counts {
    fn clone(&self) -> Self {
        let Self { states, possible, rows, dense, observed, .. } = self;
        Self {
            states: *states,
            possible: *possible,
            rows: rows.clone(),
            dense: dense.clone(),
            observed: observed.clone(),
            spare: Mutex::default(),
        }
    }
}

/// Tables are equal if their observed cells are, whether they are stored densely or not.
impl PartialEq for Counts {
    fn eq(&self, other: &Self) -> bool {
        (self.states, self.possible, &self.rows) == (other.states, other.possible, &other.rows)
            && self.observed() == other.observed()
    }
}

/// One observed configuration of the parents.
#[derive(Debug, Clone, Copy)]
pub struct Configuration<'a> {
    observed: &'a Observed,
    index: usize,
}

/// One observed cell: a configuration of the parents and a state of the child.
#[derive(Debug, Clone, Copy)]
pub struct Cell<'a> {
    /// The state of the child.
    pub state: usize,
    /// Its counts, in the order of the data sets.
    pub entries: &'a [Entry],
}

impl Counts {
    /// Clears the table for a child with `states` states and parents with `possible` configurations, and keeps the memory.
    pub(crate) fn rebuild(&mut self, states: usize, possible: f64, data_sets: usize) -> Builder<'_> {
        let (rows, observed) = self.emptied(states, possible);
        rows.resize(data_sets, 0);
        observed.clear();
        Builder::new(rows, observed)
    }

    /// Replaces the contents by the observed cells of a dense table, by configuration, state and data set; `rows` has the number of rows
    /// of each data set.
    pub(crate) fn refill(&mut self, states: usize, possible: f64, rows: &[u64], table: &[u64]) {
        let (known, observed) = self.emptied(states, possible);
        known.extend_from_slice(rows);
        observed.refill(states, rows.len(), table);
    }

    /// Clears everything but the observed cells, which the caller overwrites.
    fn emptied(&mut self, states: usize, possible: f64) -> (&mut Vec<u64>, &mut Observed) {
        (self.states, self.possible) = (states, possible);
        self.rows.clear();
        self.dense.clear();
        self.observed.get_or_init(Observed::default);
        (&mut self.rows, self.observed.get_mut().expect("it was just made"))
    }

    /// Makes the table dense and returns it for the caller to fill, by configuration, state and data set; it holds old values. `rows` has
    /// the number of rows of each data set.
    pub(crate) fn dense_mut(&mut self, states: usize, possible: f64, rows: &[u64]) -> &mut Vec<u32> {
        (self.states, self.possible) = (states, possible);
        self.rows.clear();
        self.rows.extend_from_slice(rows);
        if let Some(observed) = self.observed.take() {
            *self.spare.get_mut().unwrap_or_else(PoisonError::into_inner) = observed;
        }
        &mut self.dense
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

    fn observed(&self) -> &Observed {
        self.observed.get_or_init(|| {
            let mut observed =
                std::mem::take(&mut *self.spare.lock().unwrap_or_else(PoisonError::into_inner));
            observed.refill(self.states, self.rows.len(), &self.dense);
            observed
        })
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
        self.observed().cell_states.len()
    }

    /// The number of cells observed in each data set, all data sets together.
    pub fn entries(&self) -> usize {
        self.observed().entries.len()
    }

    /// The number of observed configurations.
    pub fn observed_configurations(&self) -> usize {
        match self.dense_by_data_set() {
            Some(dense) => {
                let is_observed = |cells: &&[u32]| cells.iter().any(|&count| count > 0);
                dense.chunks_exact(self.states * self.rows.len()).filter(is_observed).count()
            }
            None => self.observed().configuration_starts.len() - 1,
        }
    }

    /// The observed configurations, ascending: the first parent varies slowest.
    pub fn configurations(&self) -> impl ExactSizeIterator<Item = Configuration<'_>> {
        let observed = self.observed();
        (0..observed.configuration_starts.len() - 1).map(move |index| Configuration { observed, index })
    }

    /// The dense table by configuration and state, if there is one and only one data set.
    pub(crate) fn dense(&self) -> Option<&[u32]> {
        self.dense_by_data_set().filter(|_| self.rows.len() == 1)
    }

    /// The dense table by configuration, state and data set, if there is one.
    pub(crate) fn dense_by_data_set(&self) -> Option<&[u32]> {
        (!self.dense.is_empty()).then_some(&self.dense[..])
    }

    /// All observed cells, by configuration, then state.
    pub fn cells(&self) -> impl ExactSizeIterator<Item = Cell<'_>> {
        let observed = self.observed();
        (0..observed.cell_states.len()).map(|index| Cell::new(observed, index))
    }
}

impl<'a> Configuration<'a> {
    /// The index of this configuration among all possible ones, the first parent varying slowest; `None` if there are more than 2^64.
    pub fn number(&self) -> Option<u64> {
        self.observed.numbers.get(self.index).copied()
    }

    /// The observed cells, by state.
    pub fn cells(&self) -> impl ExactSizeIterator<Item = Cell<'a>> + Clone + use<'a> {
        let observed = self.observed;
        self.cell_range().map(|index| Cell::new(observed, index))
    }

    /// The positions of the configuration's cells among all observed cells.
    pub fn cell_range(&self) -> Range<usize> {
        self.observed.cells_of(self.index)
    }
}

impl<'a> Cell<'a> {
    fn new(observed: &'a Observed, index: usize) -> Self {
        Self { state: observed.cell_states[index] as usize, entries: observed.entries_of(index) }
    }

    /// The count over all data sets.
    pub fn total(&self) -> u64 {
        self.entries.iter().map(|entry| entry.count).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A dense table by configuration, state and data set; about half of the counts are zero, and some configurations have no rows.
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
    fn a_table_in_reused_memory_equals_one_built_cell_by_cell() {
        let (mut used, mut lent) = (Counts::default(), Counts::default());
        let shapes =
            [(40, 3, 1), (2, 2, 1), (7, 4, 3), (3000, 2, 1), (1, 5, 2), (900, 3, 4), (2, 3000, 2), (5, 2, 1)];
        for (seed, (configurations, states, data_sets)) in (1..).zip(shapes) {
            let table = dense(configurations, states * data_sets, seed);
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
            assert!(table.len() < 20 || used.entries() < table.len(), "there are zeros");
            let places = lent.dense_mut(states, configurations as f64, &rows);
            places.clear();
            places.extend(table.iter().map(|&count| u32::try_from(count).unwrap()));
            assert_eq!(lent.dense().is_some(), data_sets == 1);
            assert_eq!(lent.observed_configurations(), fresh.observed_configurations());
            assert!(lent == fresh, "{configurations} × {states} × {data_sets}");
            lent.refill(states, configurations as f64, &rows, &table);
            assert!(lent.dense_by_data_set().is_none() && lent == fresh);
        }
    }
}
