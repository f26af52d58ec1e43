//! The tables whose evidence is asked for: the configurations of a family, or its joint cells and those of its parents.

use rustc_hash::FxHashMap;
use serde::Serialize;

use super::cells::MergedCells;
use super::risings::Column;
use crate::counts::{Configuration, Counts};

/// Configurations with so few rows are looked up among those met before: in sparse tables most are alike.
const FEW_ROWS: u64 = 32;

/// What the data sets' tables are drawn around.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cells {
    /// A centre in every configuration of the parents, over the states of the child.
    #[default]
    Row,
    /// One centre over the joint cells, conditioned on the parents: the model of \[ACS22\].
    Joint,
}

/// One table with a centre of its own.
#[derive(Debug)]
pub(super) struct EvidenceTable {
    /// How often its evidence counts: the number of configurations like it; −1 for what is divided by.
    pub(super) weight: f64,
    /// The centre's prior in every cell.
    pub(super) alpha0: f64,
    /// The number of cells, seen or not.
    pub(super) possible: f64,
    /// Its merged cells among those of all tables.
    pub(super) cells: std::ops::Range<usize>,
    /// The rows of the data sets.
    pub(super) rows: Column,
}

/// Distinct cells of one table, with what they stand for.
#[derive(Debug)]
pub(super) struct EvidenceCell {
    /// How many cells of its table it stands for.
    pub(super) multiplicity: f64,
    /// Its rows, all data sets together.
    pub(super) total: f64,
    /// Its counts.
    pub(super) counts: Column,
}

/// All tables of a family, and where its cells went.
#[derive(Debug)]
#[expect(clippy::struct_field_names, reason = "they are what it is named for")]
pub(super) struct Tables {
    pub(super) tables: Vec<EvidenceTable>,
    pub(super) cells: Vec<EvidenceCell>,
    /// The merged cell of every observed cell, in the order of [`Counts::cells`].
    pub(super) cell_of: Vec<usize>,
    /// The merged cell of the never-seen states of every observed configuration, if it has any.
    pub(super) unseen_of: Vec<Option<usize>>,
}

impl Tables {
    pub(super) fn new(counts: &Counts, cells: Cells) -> Self {
        match cells {
            Cells::Row => Self::of_rows(counts),
            Cells::Joint => Self::of_joint_cells(counts),
        }
    }

    /// Every configuration is a table; those that are alike up to names are kept once.
    fn of_rows(counts: &Counts) -> Self {
        let mut tables = Self::with_room_for(counts);
        let mut known: FxHashMap<Vec<u64>, usize> = FxHashMap::default();
        let mut rows = vec![0; counts.data_sets()];
        for configuration in counts.configurations() {
            let mut total = 0;
            for entry in configuration.cells().flat_map(|cell| cell.entries) {
                rows[entry.data_set] += entry.count;
                total += entry.count;
            }
            if total > FEW_ROWS {
                tables.push_configuration(&configuration, counts.states(), &rows);
            } else {
                tables.push_sparse(&configuration, counts.states(), &mut rows, &mut known);
            }
            rows.fill(0);
        }
        tables
    }

    /// The joint cells, divided by the configurations of the parents, whose centre has the joint one's sums.
    fn of_joint_cells(counts: &Counts) -> Self {
        let mut tables = Self::with_room_for(counts);
        let joint = MergedCells::new(counts);
        tables.cell_of.clone_from(&joint.merged_of);
        tables.unseen_of = vec![joint.unseen; counts.observed_configurations()];
        tables.push_merged(&joint, 1.0, 1.0);
        tables.push_merged(&MergedCells::of_configurations(counts), -1.0, counts.states() as f64);
        tables
    }

    fn with_room_for(counts: &Counts) -> Self {
        Self {
            tables: Vec::with_capacity(counts.observed_configurations()),
            cells: Vec::with_capacity(counts.observed_cells() + counts.observed_configurations()),
            cell_of: Vec::with_capacity(counts.observed_cells()),
            unseen_of: Vec::with_capacity(counts.observed_configurations()),
        }
    }

    fn push_merged(&mut self, merged: &MergedCells, weight: f64, alpha0: f64) {
        let first = self.cells.len();
        for (index, &multiplicity) in merged.multiplicity.iter().enumerate() {
            let counts = merged.counts(index).iter().map(|repeated| (repeated.count, repeated.times));
            self.push_cell(multiplicity, counts);
        }
        let rows = Column::new(merged.rows.iter().map(|&rows| (rows, 1)));
        let cells = first..self.cells.len();
        self.tables.push(EvidenceTable { weight, alpha0, possible: merged.possible, cells, rows });
    }

    /// A configuration as it is, apart from its never-seen states, which are alike.
    fn push_configuration(&mut self, configuration: &Configuration<'_>, states: usize, rows: &[u64]) {
        let first = self.cells.len();
        for cell in configuration.cells() {
            let index = self.push_cell(1.0, cell.entries.iter().map(|entry| (entry.count, 1)));
            self.cell_of.push(index);
        }
        self.finish_configuration(first, configuration.cells().len(), states, rows);
    }

    /// A configuration with few rows: the same table as one met before, if their counts differ by names only.
    fn push_sparse(
        &mut self,
        configuration: &Configuration<'_>,
        states: usize,
        rows: &mut [u64],
        known: &mut FxHashMap<Vec<u64>, usize>,
    ) {
        let mut patterns: Vec<(Vec<u64>, usize)> = configuration
            .cells()
            .zip(self.cell_of.len()..)
            .map(|(cell, position)| {
                let mut counts: Vec<u64> = cell.entries.iter().map(|entry| entry.count).collect();
                counts.sort_unstable();
                (counts, position)
            })
            .collect();
        patterns.sort_unstable();
        rows.sort_unstable();
        // Counts are never zero, so a zero ends a cell.
        let mut key: Vec<u64> = Vec::new();
        for (counts, _) in &patterns {
            key.extend(counts.iter().chain([&0]));
        }
        key.extend(rows.iter().filter(|&&count| count > 0));
        let table = *known.entry(key).or_insert(self.tables.len());
        let fresh = table == self.tables.len();
        let first = if fresh { self.cells.len() } else { self.tables[table].cells.start };
        self.cell_of.resize(self.cell_of.len() + patterns.len(), 0);
        for (index, (counts, position)) in (first..).zip(&patterns) {
            self.cell_of[*position] = index;
            if fresh {
                self.push_cell(1.0, counts.iter().map(|&count| (count, 1)));
            }
        }
        if fresh {
            self.finish_configuration(first, patterns.len(), states, rows);
        } else {
            self.tables[table].weight += 1.0;
            self.unseen_of.push((patterns.len() < states).then_some(first + patterns.len()));
        }
    }

    fn finish_configuration(&mut self, first: usize, observed: usize, states: usize, rows: &[u64]) {
        let unseen =
            (observed < states).then(|| self.push_cell((states - observed) as f64, std::iter::empty()));
        self.unseen_of.push(unseen);
        let rows = Column::new(rows.iter().filter(|&&rows| rows > 0).map(|&rows| (rows, 1)));
        let cells = first..self.cells.len();
        self.tables.push(EvidenceTable { weight: 1.0, alpha0: 1.0, possible: states as f64, cells, rows });
    }

    fn push_cell(&mut self, multiplicity: f64, counts: impl Iterator<Item = (u64, u64)> + Clone) -> usize {
        let total = counts.clone().map(|(count, times)| count as f64 * times as f64).sum();
        self.cells.push(EvidenceCell { multiplicity, total, counts: Column::new(counts) });
        self.cells.len() - 1
    }
}
