//! The tables whose evidence is asked for: the configurations of a family, or its joint cells and those of its parents.

use std::ops::Range;

use rustc_hash::FxHashMap;
use serde::Serialize;

use super::cells::MergedCells;
use super::risings::Column;
use crate::counts::{Cell, Configuration, Counts};

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
    /// Its merged cells.
    pub(super) cells: Vec<EvidenceCell>,
    /// Where they are among those of all tables.
    pub(super) range: Range<usize>,
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
    /// The number of merged cells of all tables.
    pub(super) cells: usize,
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
            cells: 0,
            cell_of: Vec::with_capacity(counts.observed_cells()),
            unseen_of: Vec::with_capacity(counts.observed_configurations()),
        }
    }

    fn push_merged(&mut self, merged: &MergedCells, weight: f64, alpha0: f64) {
        let cell = |(index, &multiplicity): (usize, &f64)| {
            let counts = merged.counts(index).iter().map(|&count| (count, 1));
            EvidenceCell::new(multiplicity, counts)
        };
        let cells = merged.multiplicity.iter().enumerate().map(cell).collect();
        let rows = Column::new(merged.rows.iter().map(|&rows| (rows, 1)));
        self.push(cells, weight, alpha0, merged.possible, rows);
    }

    /// A configuration as it is, apart from its never-seen states, which are alike.
    fn push_configuration(&mut self, configuration: &Configuration<'_>, states: usize, rows: &[u64]) {
        let entries = |cell: Cell<'_>| {
            let counts = cell.entries.iter().map(|entry| (entry.count, 1));
            EvidenceCell::new(1.0, counts)
        };
        let mut cells = Vec::with_capacity(states);
        cells.extend(configuration.cells().map(entries));
        self.cell_of.extend((0..cells.len()).map(|cell| self.cells + cell));
        self.finish_configuration(cells, states, rows);
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
        let first = if fresh { self.cells } else { self.tables[table].range.start };
        self.cell_of.resize(self.cell_of.len() + patterns.len(), 0);
        for (index, (_, position)) in (first..).zip(&patterns) {
            self.cell_of[*position] = index;
        }
        if fresh {
            let cell = |(counts, _): &(Vec<u64>, usize)| {
                EvidenceCell::new(1.0, counts.iter().map(|&count| (count, 1)))
            };
            self.finish_configuration(patterns.iter().map(cell).collect(), states, rows);
        } else {
            self.tables[table].weight += 1.0;
            self.unseen_of.push((patterns.len() < states).then_some(first + patterns.len()));
        }
    }

    fn finish_configuration(&mut self, mut cells: Vec<EvidenceCell>, states: usize, rows: &[u64]) {
        let unseen = states - cells.len();
        self.unseen_of.push((unseen > 0).then_some(self.cells + cells.len()));
        if unseen > 0 {
            cells.push(EvidenceCell::new(unseen as f64, std::iter::empty()));
        }
        let rows = Column::new(rows.iter().filter(|&&rows| rows > 0).map(|&rows| (rows, 1)));
        self.push(cells, 1.0, 1.0, states as f64, rows);
    }

    fn push(&mut self, cells: Vec<EvidenceCell>, weight: f64, alpha0: f64, possible: f64, rows: Column) {
        let range = self.cells..self.cells + cells.len();
        self.cells = range.end;
        self.tables.push(EvidenceTable { weight, alpha0, possible, cells, range, rows });
    }
}

impl EvidenceCell {
    fn new(multiplicity: f64, counts: impl Iterator<Item = (u64, u64)> + Clone) -> Self {
        let total = counts.clone().map(|(count, times)| count as f64 * times as f64).sum();
        Self { multiplicity, total, counts: Column::new(counts) }
    }
}
