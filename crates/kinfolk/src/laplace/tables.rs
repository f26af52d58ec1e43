//! The tables of a family, each with its own centre: its configurations, or its joint cells and its parents'
//! configurations.

use std::ops::Range;

use rustc_hash::FxHashMap;
use serde::Serialize;
use smallvec::{SmallVec, smallvec};

use crate::counts::{Configuration, Counts};
use crate::special::gamma::ln_gamma;
use crate::special::lanes::LANES;
use crate::special::rising_sums::CellCounts;
use crate::special::rising_table::with_rising_table;
use crate::variational::merged_cells::MergedCells;

/// Configurations with at most this many rows are merged if their counts agree, as most do in sparse tables.
const FEW_ROWS: u64 = 32;

/// The cells over which a centre is defined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cells {
    /// One centre per configuration of the parents, over the states of the child.
    #[default]
    Row,
    /// One centre over the joint cells, conditioned on the parents: the model of \[ACS22\].
    Joint,
}

/// One table with a centre of its own.
#[derive(Debug)]
pub(super) struct EvidenceTable {
    /// The exponent of its evidence: the number of equal configurations; −1 for the parents' table (a quotient); 0 for
    /// padding.
    pub(super) weight: f64,
    /// The range of its merged cells among those of all tables.
    pub(super) cells: Range<usize>,
    /// The centre's prior in every cell, and the number of cells, seen or not.
    prior: (f64, f64),
    /// The range of its data sets' rows among those of all tables.
    rows: Range<usize>,
}

/// All tables of a family. A column has an entry per merged cell of every table, padded to a multiple of four by a
/// table of weight zero.
#[derive(Debug, Default)]
pub(super) struct FamilyTables {
    pub(super) tables: Vec<EvidenceTable>,
    /// The number of cells in each merged cell.
    pub(super) multiplicity: Vec<f64>,
    /// The same times the weight of its table.
    pub(super) times: Vec<f64>,
    /// The centre's prior.
    pub(super) alpha0: Vec<f64>,
    /// The prior of the centres of configurations, in every cell.
    row_alpha0: f64,
    /// The initial centre, up to a factor per table.
    pub(super) guess: Vec<f64>,
    /// The counts.
    pub(super) counts: CellCounts,
    /// Whether every table has two cells.
    pub(super) pairs: bool,
    /// Independent of centre and s: Σ lnΓ(Cα0) − C lnΓ(α0).
    pub(super) constant: f64,
    /// The merged cell of every observed cell, in the order of [`Counts::cells`].
    pub(super) cell_of: Vec<usize>,
    /// The merged cell of the never-seen states of every observed configuration, if it has any.
    pub(super) unseen_of: Vec<Option<usize>>,
    /// The rows of every data set in every table.
    rows_of: Vec<u64>,
    /// Summary of the counts for the bounds over s.
    pub(super) extent: Extent,
}

/// The number and size of the counts in the tables, for [`super::s_bounds`].
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Extent {
    /// The number of non-zero counts of cells, by table weight.
    pub(super) in_cells: f64,
    /// The number of data sets with rows in a table, by table weight.
    pub(super) in_tables: f64,
    /// The most rows of a data set in a table.
    pub(super) most_rows: f64,
    /// The free dimensions of all centres.
    pub(super) directions: f64,
}

impl FamilyTables {
    /// Builds the tables of a family, with initial centres for `s`, in reused memory.
    pub(super) fn refill(&mut self, counts: &Counts, cells: Cells, s: f64) {
        self.refill_with(counts, cells, s, 1.0);
    }

    /// The same with another prior of the centres of configurations, in every cell.
    pub(super) fn refill_with(&mut self, counts: &Counts, cells: Cells, s: f64, alpha0: f64) {
        self.clear();
        self.row_alpha0 = alpha0;
        match cells {
            Cells::Row => self.push_rows(counts, s),
            Cells::Joint => self.push_joint_cells(counts),
        }
        self.finish();
    }

    /// Makes every configuration a table; configurations that are equal up to the order of states and data sets are
    /// stored once.
    fn push_rows(&mut self, counts: &Counts, s: f64) {
        let mut known: FxHashMap<Vec<u64>, usize> = FxHashMap::default();
        let mut rows: SmallVec<[u64; 16]> = smallvec![0; counts.data_sets()];
        let mut weights: SmallVec<[f64; 16]> = smallvec![0.0; counts.data_sets()];
        for configuration in counts.configurations() {
            let mut total = 0;
            for cell in configuration.cells() {
                for entry in cell.entries {
                    rows[entry.data_set] += entry.count;
                    total += entry.count;
                }
            }
            if total > FEW_ROWS {
                // Rows of one data set share its table: each has weight s/(s + n), which falls with the number of rows.
                weights.iter_mut().zip(&rows).for_each(|(weight, &rows)| *weight = s / (s + rows as f64));
                self.push_configuration(&configuration, counts.states(), &rows, &weights);
            } else {
                self.push_sparse(&configuration, counts.states(), &mut rows, &mut known);
            }
            rows.fill(0);
        }
    }

    /// Adds the joint cells and, as divisor, the configurations of the parents.
    fn push_joint_cells(&mut self, counts: &Counts) {
        let joint = MergedCells::new(counts);
        self.cell_of.clone_from(&joint.merged_of);
        self.unseen_of.resize(counts.observed_configurations(), joint.unseen);
        self.push_merged(&joint, 1.0, 1.0);
        self.push_merged(&MergedCells::of_configurations(counts), -1.0, counts.states() as f64);
    }

    fn clear(&mut self) {
        self.tables.clear();
        for column in [&mut self.multiplicity, &mut self.times, &mut self.alpha0, &mut self.guess] {
            column.clear();
        }
        self.counts.clear();
        self.constant = 0.0;
        self.cell_of.clear();
        self.unseen_of.clear();
        self.rows_of.clear();
        self.extent = Extent::default();
    }

    /// The number of merged cells so far.
    fn cells(&self) -> usize {
        self.multiplicity.len()
    }

    fn push_merged(&mut self, merged: &MergedCells, weight: f64, alpha0: f64) {
        let first = self.cells();
        for (index, &multiplicity) in merged.multiplicity.iter().enumerate() {
            self.push_cell(multiplicity, alpha0, even(merged.counts(index)));
        }
        self.push_table(first, weight, (alpha0, merged.possible), &merged.rows);
    }

    /// One configuration as a table; its never-seen states are one merged cell.
    fn push_configuration(
        &mut self,
        configuration: &Configuration<'_>,
        states: usize,
        rows: &[u64],
        weights: &[f64],
    ) {
        let first = self.cells();
        for cell in configuration.cells() {
            self.cell_of.push(self.cells());
            let counts = cell.entries.iter().map(|entry| (entry.count, weights[entry.data_set]));
            self.push_cell(1.0, self.row_alpha0, counts);
        }
        self.finish_configuration(first, states, rows);
    }

    /// A configuration with few rows: merged with an earlier one of the same counts up to the order of states and data sets.
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
        // Stored counts are positive, so zero separates cells.
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
                self.push_cell(1.0, self.row_alpha0, even(counts));
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
            self.push_cell(unseen as f64, self.row_alpha0, std::iter::empty());
        }
        self.push_table(first, 1.0, (self.row_alpha0, states as f64), rows);
    }

    /// Adds a cell by its counts, each with the weight of its rows in the initial centre.
    fn push_cell(&mut self, multiplicity: f64, alpha0: f64, counts: impl Iterator<Item = (u64, f64)>) {
        let mut guess = alpha0;
        self.counts.push(counts.map(|(count, weight)| {
            guess += weight * count as f64;
            (count, 1.0)
        }));
        self.multiplicity.push(multiplicity);
        self.alpha0.push(alpha0);
        self.guess.push(guess);
    }

    /// Adds a table that consists of the cells from `first` on.
    fn push_table(&mut self, first: usize, weight: f64, prior: (f64, f64), rows: &[u64]) {
        let start = self.rows_of.len();
        self.rows_of.extend_from_slice(rows);
        let rows = start..self.rows_of.len();
        self.tables.push(EvidenceTable { weight, cells: first..self.cells(), prior, rows });
    }

    /// Pads to a multiple of four cells and computes the sums that depend on table weights.
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
                // A single state has probability one and contributes no evidence.
                table.weight = 0.0;
            }
            self.times
                .extend(self.multiplicity[table.cells.clone()].iter().map(|number| number * table.weight));
            // Usually the same as for the previous table.
            let (alpha0, possible) = table.prior;
            if known.0 != table.prior {
                known = (table.prior, ln_gamma(alpha0 * possible) - possible * ln_gamma(alpha0));
            }
            self.constant += table.weight * known.1;
            if table.weight != 0.0 {
                self.extent.directions += table.weight * (table.prior.1 - 1.0);
                for &rows in &self.rows_of[table.rows.clone()] {
                    self.extent.in_tables += if rows > 0 { table.weight } else { 0.0 };
                    self.extent.most_rows = self.extent.most_rows.max(rows as f64);
                }
            }
        }
        for (times, seen) in self.times.chunks(LANES).zip(self.counts.seen()) {
            self.extent.in_cells += times.iter().zip(seen).map(|(times, seen)| times * seen).sum::<f64>();
        }
        self.pairs = self.tables.iter().all(|table| table.cells.len() == 2);
    }

    /// The first three derivatives in ln s of [`FamilyTables::rises_of_rows`] at one s of a grid.
    pub(super) fn slopes_of_rows(&self, grid: &[f64], grid_point: usize) -> [f64; 3] {
        let mut sums = [0.0; 3];
        with_rising_table(grid, |risings| {
            for table in &self.tables {
                for &rows in &self.rows_of[table.rows.clone()] {
                    for (sum, slope) in sums.iter_mut().zip(risings.slopes(rows, grid_point)) {
                        *sum += table.weight * slope;
                    }
                }
            }
        });
        sums
    }

    /// Σ_f lnΓ(s + n_f) − lnΓ(s) over the rows of the data sets in all tables, at every s of a grid.
    pub(super) fn rises_of_rows(&self, grid: &[f64], sums: &mut Vec<f64>) {
        sums.clear();
        sums.resize(grid.len(), 0.0);
        with_rising_table(grid, |risings| {
            for table in &self.tables {
                for &rows in &self.rows_of[table.rows.clone()] {
                    for (sum, rise) in sums.iter_mut().zip(risings.ln_risings(rows)) {
                        *sum += table.weight * rise;
                    }
                }
            }
        });
    }
}

/// Counts whose rows all have weight one in the initial centre.
fn even(counts: &[u64]) -> impl Iterator<Item = (u64, f64)> {
    counts.iter().map(|&count| (count, 1.0))
}
