//! The tables whose evidence is asked for: the configurations of a family, or its joint cells and those of its parents.

use std::ops::Range;

use rustc_hash::FxHashMap;
use serde::Serialize;

use super::cells::MergedCells;
use super::columns::LANES;
use super::gamma::ln_gamma;
use super::known::remembering;
use super::risings::Columns;
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
    /// How often its evidence counts: the number of configurations like it; −1 for what is divided by; 0 for one that fills up.
    pub(super) weight: f64,
    /// Its merged cells, among those of all tables.
    pub(super) cells: Range<usize>,
    /// The centre's prior in every cell, and the number of cells, seen or not.
    prior: (f64, f64),
    /// The rows of its data sets, among those of all tables.
    rows: Range<usize>,
}

/// All tables of a family, and where its cells went. A column has an entry for every merged cell of every table; they are filled up
/// to whole fours with a table that counts for nothing.
#[derive(Debug)]
#[expect(clippy::struct_field_names, reason = "they are what it is named for")]
pub(super) struct Tables {
    pub(super) tables: Vec<EvidenceTable>,
    /// How many cells of its table each stands for.
    pub(super) multiplicity: Vec<f64>,
    /// The same, as often as its table counts.
    pub(super) times: Vec<f64>,
    /// The centre's prior.
    pub(super) alpha0: Vec<f64>,
    /// The rows of all data sets together.
    pub(super) total: Vec<f64>,
    /// The counts.
    pub(super) counts: Columns,
    /// Whether every table has two cells.
    pub(super) pairs: bool,
    /// What neither the centre nor s changes: Σ lnΓ(Cα0) − C lnΓ(α0).
    pub(super) constant: f64,
    /// The merged cell of every observed cell, in the order of [`Counts::cells`].
    pub(super) cell_of: Vec<usize>,
    /// The merged cell of the never-seen states of every observed configuration, if it has any.
    pub(super) unseen_of: Vec<Option<usize>>,
    /// The rows of every data set in every table.
    rows_of: Vec<u64>,
}

impl Tables {
    pub(super) fn new(counts: &Counts, cells: Cells) -> Self {
        let mut tables = match cells {
            Cells::Row => Self::of_rows(counts),
            Cells::Joint => Self::of_joint_cells(counts),
        };
        tables.finish();
        tables
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
        let (configurations, cells) = (counts.observed_configurations(), counts.observed_cells());
        // Each configuration can have a cell for what was never seen; and fours are filled up.
        let most = cells + configurations + LANES;
        Self {
            tables: Vec::with_capacity(configurations + 1),
            multiplicity: Vec::with_capacity(most),
            times: Vec::with_capacity(most),
            alpha0: Vec::with_capacity(most),
            total: Vec::with_capacity(most),
            counts: Columns::with_room_for(most, counts.entries()),
            pairs: false,
            constant: 0.0,
            cell_of: Vec::with_capacity(cells),
            unseen_of: Vec::with_capacity(configurations),
            rows_of: Vec::with_capacity(configurations * counts.data_sets()),
        }
    }

    /// The number of merged cells so far.
    fn cells(&self) -> usize {
        self.multiplicity.len()
    }

    fn push_merged(&mut self, merged: &MergedCells, weight: f64, alpha0: f64) {
        let first = self.cells();
        for (index, &multiplicity) in merged.multiplicity.iter().enumerate() {
            self.push_cell(multiplicity, alpha0, merged.counts(index).iter().copied());
        }
        self.push_table(first, weight, (alpha0, merged.possible), &merged.rows);
    }

    /// A configuration as it is, apart from its never-seen states, which are alike.
    fn push_configuration(&mut self, configuration: &Configuration<'_>, states: usize, rows: &[u64]) {
        let first = self.cells();
        for cell in configuration.cells() {
            self.cell_of.push(self.cells());
            self.push_cell(1.0, 1.0, cell.entries.iter().map(|entry| entry.count));
        }
        self.finish_configuration(first, states, rows);
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
        let first = if fresh { self.cells() } else { self.tables[table].cells.start };
        self.cell_of.resize(self.cell_of.len() + patterns.len(), 0);
        for (index, (_, position)) in (first..).zip(&patterns) {
            self.cell_of[*position] = index;
        }
        if fresh {
            for (counts, _) in &patterns {
                self.push_cell(1.0, 1.0, counts.iter().copied());
            }
            self.finish_configuration(first, states, rows);
        } else {
            self.tables[table].weight += 1.0;
            self.unseen_of.push((patterns.len() < states).then_some(first + patterns.len()));
        }
    }

    fn finish_configuration(&mut self, first: usize, states: usize, rows: &[u64]) {
        let unseen = states - (self.cells() - first);
        self.unseen_of.push((unseen > 0).then_some(self.cells()));
        if unseen > 0 {
            self.push_cell(unseen as f64, 1.0, std::iter::empty());
        }
        self.push_table(first, 1.0, (1.0, states as f64), rows);
    }

    fn push_cell(&mut self, multiplicity: f64, alpha0: f64, counts: impl Iterator<Item = u64>) {
        let mut total = 0.0;
        self.counts.push(counts.map(|count| {
            total += count as f64;
            (count, 1.0)
        }));
        self.multiplicity.push(multiplicity);
        self.alpha0.push(alpha0);
        self.total.push(total);
    }

    /// Makes a table of the cells from `first` on.
    fn push_table(&mut self, first: usize, weight: f64, prior: (f64, f64), rows: &[u64]) {
        let start = self.rows_of.len();
        self.rows_of.extend_from_slice(rows);
        let rows = start..self.rows_of.len();
        self.tables.push(EvidenceTable { weight, cells: first..self.cells(), prior, rows });
    }

    /// Fills up to whole fours, and adds up what needs the tables' weights.
    fn finish(&mut self) {
        let first = self.cells();
        let fill = first.next_multiple_of(LANES) - first;
        if fill > 0 {
            (0..fill).for_each(|_| self.push_cell(1.0, 1.0, std::iter::empty()));
            self.push_table(first, 0.0, (1.0, fill as f64), &[]);
        }
        let mut known = ((0.0, 0.0), 0.0);
        for table in &mut self.tables {
            if table.prior.1 == 1.0 {
                // A single cell has all rows whatever s is: no evidence of anything.
                table.weight = 0.0;
            }
            self.times
                .extend(self.multiplicity[table.cells.clone()].iter().map(|number| number * table.weight));
            // Mostly that of the table before.
            let (alpha0, possible) = table.prior;
            if known.0 != table.prior {
                known = (table.prior, ln_gamma(alpha0 * possible) - possible * ln_gamma(alpha0));
            }
            self.constant += table.weight * known.1;
        }
        self.pairs = self.tables.iter().all(|table| table.cells.len() == 2);
    }

    /// Σ_f lnΓ(s + n_f) − lnΓ(s) over the rows of the data sets in all tables, at every s of a grid.
    pub(super) fn rises_of_rows(&self, grid: &[f64]) -> Vec<f64> {
        let mut sums = vec![0.0; grid.len()];
        remembering(grid, |known| {
            for table in &self.tables {
                for &rows in &self.rows_of[table.rows.clone()] {
                    for (sum, rise) in sums.iter_mut().zip(known.ln_risings(rows)) {
                        *sum += table.weight * rise;
                    }
                }
            }
        });
        sums
    }
}
