//! The filled-in values with their probabilities, and a summary by data set and column.

use serde::Serialize;

use crate::data::{NewRows, UnseenValue, VariableId};
use crate::estimate::{Network, Relative};

/// One value that was missing.
#[derive(Debug, Clone, PartialEq)]
pub struct ImputedCell {
    /// The variable.
    pub variable: VariableId,
    /// The state filled in, by version.
    pub values: Vec<u32>,
    /// The posterior probability of every state, given the observed values of the row.
    pub probabilities: Vec<f64>,
}

impl ImputedCell {
    /// The probability of the state filled in.
    pub fn probability(&self, version: usize) -> f64 {
        self.probabilities[self.values[version] as usize]
    }
}

/// One row with its values filled in.
#[derive(Debug, Clone, PartialEq)]
pub struct ImputedRow {
    /// The file.
    pub file: String,
    /// The row number in its file; the header is row 1.
    pub row: u64,
    /// The row's data set.
    pub data_set: String,
    /// Whether the network lacks that data set, so that the tables of a new data set were used.
    pub unknown: bool,
    /// The relative whose tables were used.
    pub tables: Relative,
    /// The values filled in, in column order; empty for a complete row.
    pub cells: Vec<ImputedCell>,
    /// Whether the row's observed values have probability zero, so that nothing was filled in.
    pub impossible: bool,
}

/// The filled-in values of one column.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ImputedColumn {
    /// The data set.
    pub data_set: String,
    /// The column.
    pub column: String,
    /// The number of values filled in.
    pub filled: u64,
    /// The mean over these values of the largest posterior probability: the expected share of correct values if the
    /// most probable ones are filled in and the network is true.
    pub mean_largest_probability: f64,
}

/// All rows, file by file, with a summary.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Imputed {
    /// The number of versions.
    pub versions: usize,
    /// The rows.
    #[serde(skip)]
    pub rows: Vec<ImputedRow>,
    /// The number of rows read.
    pub rows_read: u64,
    /// The number of rows in which values were filled in.
    pub rows_filled: u64,
    /// The number of values filled in.
    pub values_filled: u64,
    /// The number of incomplete rows whose observed values have probability zero: they stay incomplete.
    pub rows_impossible: u64,
    /// The values filled in, by data set and column.
    pub columns: Vec<ImputedColumn>,
    /// Data sets that the network does not have; the tables of a new data set were used for them.
    pub unknown_data_sets: Vec<String>,
    /// Columns that a file lacks, by file; they are added.
    pub absent_columns: Vec<(String, Vec<String>)>,
    /// Values treated as missing and replaced, because they match no state.
    pub unseen: Vec<UnseenValue>,
}

impl Imputed {
    pub(super) fn new(versions: usize, rows: &NewRows) -> Self {
        Self {
            versions,
            rows: Vec::new(),
            rows_read: 0,
            rows_filled: 0,
            values_filled: 0,
            rows_impossible: 0,
            columns: Vec::new(),
            unknown_data_sets: Vec::new(),
            absent_columns: rows.absent.clone(),
            unseen: rows.unseen.clone(),
        }
    }

    /// Computes the summary.
    pub(super) fn summarised(mut self, network: &Network) -> Self {
        let mut data_sets: Vec<&str> = Vec::new();
        let variables = network.schema().variables();
        let mut sums: Vec<Vec<(u64, f64)>> = Vec::new();
        for row in &self.rows {
            let at = data_sets.iter().position(|name| *name == row.data_set).unwrap_or_else(|| {
                data_sets.push(&row.data_set);
                sums.push(vec![(0, 0.0); variables.len()]);
                data_sets.len() - 1
            });
            if row.unknown && !self.unknown_data_sets.contains(&row.data_set) {
                self.unknown_data_sets.push(row.data_set.clone());
            }
            self.rows_filled += u64::from(!row.cells.is_empty());
            self.rows_impossible += u64::from(row.impossible);
            for cell in &row.cells {
                let (filled, largest) = &mut sums[at][cell.variable.index()];
                *filled += 1;
                *largest += cell.probabilities.iter().copied().fold(0.0, f64::max);
            }
        }
        let mut columns = Vec::new();
        for (data_set, sums) in data_sets.iter().zip(&sums) {
            for (variable, &(filled, largest)) in variables.iter().zip(sums).filter(|(_, sums)| sums.0 > 0) {
                columns.push(ImputedColumn {
                    data_set: (*data_set).to_owned(),
                    column: variable.name.clone(),
                    filled,
                    mean_largest_probability: largest / filled as f64,
                });
            }
        }
        self.rows_read = self.rows.len() as u64;
        self.values_filled = columns.iter().map(|column| column.filled).sum();
        self.columns = columns;
        self
    }
}
