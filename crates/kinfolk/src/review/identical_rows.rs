//! Identical rows: their number against the number that the network explains.

use std::fmt;

use rustc_hash::FxHashMap;
use serde::Serialize;

use crate::data::{DataSetId, RelatedData, VariableId};
use crate::estimate::{Network, Relative};

/// The difference to the expected number of pairs must be so many standard errors.
const ERRORS: f64 = 5.0;

/// The number of pairs must be so many times the expected one: a network that is not exactly right explains too few.
const TIMES: f64 = 1.5;

/// Pairs of identical rows of the same data set, found and expected.
///
/// If the rows x of a data set of n rows are drawn from its tables, each has (n - 1) p(x) identical ones on average, so that Σ (n - 1) p(x) / 2
/// pairs are expected. The number of pairs is a U-statistic; with the moments m1 and m2 of p(x) and p(x)² over the rows its
/// variance is n (n - 1) / 2 · (m1 - m1²) + n (n - 1) (n - 2) (m2 - m1²). Rows with missing values do not count.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct IdenticalRows {
    /// The number of complete rows.
    pub rows: u64,
    /// The number of rows that equal an earlier row of their data set.
    pub repeated: u64,
    /// The number of pairs of identical rows.
    pub pairs: f64,
    /// The number of pairs that the network explains.
    pub expected_pairs: f64,
    /// The standard error of the expected number.
    pub error: f64,
}

impl IdenticalRows {
    /// Whether there are far more pairs than expected.
    pub fn is_suspicious(&self) -> bool {
        let above = self.pairs - self.expected_pairs;
        // The error of few pairs is at least that of one.
        above > ERRORS * self.error.max(1.0) && self.pairs > TIMES * self.expected_pairs
    }
}

impl fmt::Display for IdenticalRows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { rows, repeated, pairs, expected_pairs, error } = self;
        write!(
            f,
            "{repeated} of {rows} rows repeat another row of their data set: {pairs} pairs of identical rows, where the network \
             explains {expected_pairs:.1} ± {error:.1}; rows that are not independent, such as copies or several of one subject, \
             make every arc look more certain than it is"
        )
    }
}

/// Counts the pairs of identical rows, and those that the network explains; `None` without two complete rows in a data set.
///
/// # Panics
/// If the network has other variables or data sets than the data.
pub fn identical_rows(data: &RelatedData, network: &Network) -> Option<IdenticalRows> {
    assert_eq!(data.schema().names(), network.schema().names(), "the network has the variables of the data");
    let mut found = IdenticalRows { rows: 0, repeated: 0, pairs: 0.0, expected_pairs: 0.0, error: 0.0 };
    let mut variance = 0.0;
    for index in 0..data.schema().data_sets().len() {
        let id = DataSetId::new(index);
        let complete = |row: &usize| {
            data.is_complete() || data.schema().ids().all(|variable| !data.is_missing(variable, *row))
        };
        let rows: Vec<usize> =
            data.rows_of(id).filter(complete).filter(|&row| data.weight(row) > 0).collect();
        let n: u64 = rows.iter().map(|&row| data.weight(row)).sum();
        if n < 2 {
            continue;
        }
        found.rows += n;
        for count in multiplicities(data, &rows) {
            found.repeated += count - 1;
            found.pairs += (count as f64) * (count - 1) as f64 / 2.0;
        }
        let (mut first, mut second) = (0.0, 0.0);
        for (&row, probability) in rows.iter().zip(probabilities(data, network, id, &rows)) {
            let weight = data.weight(row) as f64 / n as f64;
            first += weight * probability;
            second += weight * probability * probability;
        }
        let n = n as f64;
        found.expected_pairs += n * (n - 1.0) / 2.0 * first;
        variance += n * (n - 1.0) / 2.0 * (first - first * first)
            + n * (n - 1.0) * (n - 2.0) * (second - first * first).max(0.0);
    }
    found.error = variance.max(0.0).sqrt();
    (found.rows > 0).then_some(found)
}

/// The number of rows, with their multiplicity, of each distinct row.
fn multiplicities(data: &RelatedData, rows: &[usize]) -> Vec<u64> {
    let mut class = vec![0_u32; rows.len()];
    for variable in data.schema().ids() {
        let column = data.column(variable);
        let mut known: FxHashMap<(u32, u32), u32> = FxHashMap::default();
        for (class, &row) in class.iter_mut().zip(rows) {
            let next = u32::try_from(known.len()).expect("fewer distinct rows than fit 32 bits");
            *class = *known.entry((*class, column.get(row))).or_insert(next);
        }
    }
    let mut counts = vec![0; rows.len()];
    for (class, &row) in class.iter().zip(rows) {
        counts[*class as usize] += data.weight(row);
    }
    counts.retain(|&count| count > 0);
    counts
}

/// The probability of each row under the tables of its data set.
fn probabilities(data: &RelatedData, network: &Network, id: DataSetId, rows: &[usize]) -> Vec<f64> {
    let mut probabilities = vec![1.0; rows.len()];
    for node in network.schema().ids() {
        let states = |variable: VariableId| network.schema().states(variable);
        let parents = network.dag().parents(node);
        let values = network.table_of(node, Relative::DataSet(id)).values();
        for (probability, &row) in probabilities.iter_mut().zip(rows) {
            let code = |variable: VariableId| data.column(variable).get(row) as usize;
            let configuration =
                parents.iter().fold(0, |number, &parent| number * states(parent) + code(parent));
            *probability *= values[configuration * states(node) + code(node)];
        }
    }
    probabilities
}
