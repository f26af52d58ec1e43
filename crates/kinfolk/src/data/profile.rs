//! Summaries of columns as stored in the files: values, shares and missing values by data set.

use serde::Serialize;

use super::levels::{number, union};
use super::missing::MissingTest;
use super::raw::RawColumn;
use super::rows::Rows;

/// A column as stored in the files, before discretisation.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ColumnProfile {
    /// Its name.
    pub name: String,
    /// The number of distinct values over all data sets, without missing ones.
    pub distinct: usize,
    /// Whether all values are numbers.
    pub numeric: bool,
    /// Whether all values are whole numbers.
    pub integer: bool,
    /// The distinct values in order, if there are no more than the maximal number of states.
    pub values: Option<Vec<String>>,
    /// The column in each data set.
    pub data_sets: Vec<ColumnInDataSet>,
}

/// A column in one data set. Rows count with their multiplicity.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ColumnInDataSet {
    /// The data set.
    pub data_set: String,
    /// The number of rows with a value.
    pub rows: u64,
    /// The number of rows without one.
    pub missing: u64,
    /// The share of each value among the rows with a value; `None` if `values` is.
    pub shares: Option<Vec<f64>>,
    /// The range, if all values are numbers.
    pub numbers: Option<NumberSummary>,
}

/// The range of a numeric column.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct NumberSummary {
    /// The smallest value.
    pub min: f64,
    /// The median of the rows; the lower one of two middle values.
    pub median: f64,
    /// The largest value.
    pub max: f64,
}

/// Whether so many distinct numbers are quantities, not codes of categories.
pub(super) fn is_quantity(distinct: usize, integer: bool) -> bool {
    /// Rating scales and codes have at most this many values.
    const MOST_CODES: usize = 10;
    distinct > 2 && (distinct > MOST_CODES || !integer)
}

impl ColumnProfile {
    /// Whether a numeric column holds quantities rather than codes of categories: some value is not a whole number, or
    /// there are more than ten distinct values.
    pub fn is_quantity(&self) -> bool {
        self.numeric && is_quantity(self.distinct, self.integer)
    }

    pub(super) fn new(column: &RawColumn, missing: &MissingTest<'_>, rows: &Rows, max_states: usize) -> Self {
        let is_missing = missing.codes(column);
        let known: Vec<bool> = is_missing.iter().map(|missing| !missing).collect();
        let levels = union(&column.dictionary, &known);
        let values: Vec<Option<f64>> = column.dictionary.iter().map(|text| number(text)).collect();
        let all_are = |such: fn(f64) -> bool| {
            let mut values = values.iter().zip(&known).filter(|(_, known)| **known);
            known.contains(&true) && values.all(|(value, _)| value.is_some_and(such))
        };
        let (numeric, integer) = (all_are(|_| true), all_are(|value| value.fract() == 0.0));
        let listed = levels.states.len() <= max_states;
        let mut data_sets = Vec::with_capacity(rows.data_sets.len());
        let mut counts = vec![vec![0_u64; column.dictionary.len()]; rows.data_sets.len()];
        for (row, code) in column.codes.iter().enumerate().filter(|(row, _)| !rows.is_dropped(*row)) {
            counts[rows.data_set(row)][code as usize] += rows.weight(row);
        }
        for (name, counts) in rows.data_sets.iter().zip(counts) {
            let total_of = |missing: bool| -> u64 {
                counts.iter().zip(&is_missing).filter(|(_, is)| **is == missing).map(|(count, _)| count).sum()
            };
            let total = total_of(false);
            let shares = listed.then(|| {
                let mut shares = vec![0.0; levels.states.len()];
                for (count, state) in counts.iter().zip(&levels.of_code) {
                    if let Some(state) = state {
                        shares[*state as usize] += *count as f64 / total.max(1) as f64;
                    }
                }
                shares
            });
            let numbers = if numeric { summarise(&values, &counts, &known) } else { None };
            let data_set = name.clone();
            data_sets.push(ColumnInDataSet {
                data_set,
                rows: total,
                missing: total_of(true),
                shares,
                numbers,
            });
        }
        let distinct = levels.states.len();
        let values = listed.then_some(levels.states);
        Self { name: column.name.clone(), distinct, numeric, integer, values, data_sets }
    }
}

fn summarise(values: &[Option<f64>], counts: &[u64], known: &[bool]) -> Option<NumberSummary> {
    let cells = values.iter().zip(counts).zip(known).filter(|((_, count), known)| **known && **count > 0);
    let mut found: Vec<(f64, u64)> =
        cells.filter_map(|((value, count), _)| Some((*value.as_ref()?, *count))).collect();
    found.sort_by(|a, b| a.0.total_cmp(&b.0));
    let rows: u64 = found.iter().map(|(_, count)| count).sum();
    let mut before = 0;
    let median = found.iter().find(|(_, count)| {
        before += count;
        2 * before >= rows
    })?;
    Some(NumberSummary { min: found.first()?.0, median: median.0, max: found.last()?.0 })
}
