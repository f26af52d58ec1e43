//! One family's contingency table over all data sets.

use std::ops::Range;
use std::sync::{Mutex, OnceLock, PoisonError};

use super::observed::{Builder, Observed};

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
/// Memory is bounded by the rows, never by the number of possible cells: what was observed is stored, or a table with a place for every
/// cell, no larger than a small multiple of the rows; closed forms and ceilings need no more than that.
#[derive(Debug, Default)]
pub struct Counts {
    states: usize,
    possible: f64,
    rows: Vec<u64>,
    /// Every cell's count, by configuration, state and data set, if they were counted so; otherwise empty.
    dense: Vec<u32>,
    /// What was observed; where there is a dense table, once somebody has asked for it.
    observed: OnceLock<Observed>,
    /// Memory for what will be observed, from the table before.
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

/// Tables are equal when what was observed is, however it is stored.
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
        let (rows, observed) = self.emptied(states, possible);
        rows.resize(data_sets, 0);
        observed.clear();
        Builder::new(rows, observed)
    }

    /// Takes over a dense table, by configuration, state and data set, in place of what there was; `rows` are those of each data set.
    pub(crate) fn refill(&mut self, states: usize, possible: f64, rows: &[u64], table: &[u64]) {
        let (known, observed) = self.emptied(states, possible);
        known.extend_from_slice(rows);
        observed.refill(states, rows.len(), table);
    }

    /// Empties the table but for what was observed, whose memory is to be used again.
    fn emptied(&mut self, states: usize, possible: f64) -> (&mut Vec<u64>, &mut Observed) {
        (self.states, self.possible) = (states, possible);
        self.rows.clear();
        self.dense.clear();
        self.observed.get_or_init(Observed::default);
        (&mut self.rows, self.observed.get_mut().expect("it was just made"))
    }

    /// Lends the place for every cell, by configuration, state and data set, to be filled by whoever asks; what is in it before is left
    /// over. `rows` are those of each data set.
    pub(crate) fn places(&mut self, states: usize, possible: f64, rows: &[u64]) -> &mut Vec<u32> {
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

    /// The counts of every possible cell, by configuration, then state, if a single data set was counted so.
    pub(crate) fn dense(&self) -> Option<&[u32]> {
        self.dense_by_data_set().filter(|_| self.rows.len() == 1)
    }

    /// The counts of every possible cell, by configuration, state and data set, if they were counted so.
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
    /// Which of the possible configurations this is, the first parent varying slowest; nothing if there are more than
    /// 64 bits can number.
    pub fn number(&self) -> Option<u64> {
        self.observed.numbers.get(self.index).copied()
    }

    /// The observed cells, by state.
    pub fn cells(&self) -> impl ExactSizeIterator<Item = Cell<'a>> + Clone + use<'a> {
        let observed = self.observed;
        self.cell_range().map(|index| Cell::new(observed, index))
    }

    /// The positions of these cells among all observed cells.
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
            let places = lent.places(states, configurations as f64, &rows);
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
