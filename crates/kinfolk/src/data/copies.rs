//! Rows that equal others of their data set even in the numbers behind the bins, as copies and repeated measurements do.

use rustc_hash::FxHashMap;

use super::{DataSetId, RelatedData, VariableId};

/// The number of pairs must exceed the expected one by so many standard errors.
const ERRORS: f64 = 5.0;

/// The number of pairs must be so many times the expected one: values agree more often than the bins alone tell if columns
/// depend on each other within their bins.
const TIMES: f64 = 3.0;

/// The numbers behind the bins of a column.
#[derive(Debug, Clone)]
pub(super) struct Binned {
    /// The column.
    pub(super) variable: VariableId,
    /// A code of the number in every stored row.
    pub(super) numbers: Vec<u32>,
}

/// Rows equal in all columns, with numbers compared before they were put into bins.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Copies {
    /// The number of rows that equal an earlier one of their data set.
    pub(super) rows: u64,
    /// The number of pairs of such rows.
    pub(super) pairs: u64,
    /// The number of pairs to be expected by chance.
    pub(super) expected: f64,
}

/// Compares the rows of complete data without weights; `None` if there is nothing suspicious.
///
/// Rows that agree in all bins agree in all numbers with at most the probability with which the numbers of one column agree
/// within its bin. For a bin of n rows of which n(v) have the number v this is Σ n(v) (n(v) - 1) / (n (n - 1)); the smallest of
/// the columns counts. The sum over the pairs of rows with equal bins is the expected number, whose error is that of a Poisson
/// variable.
pub(super) fn find_copies(data: &RelatedData, binned: &[Binned]) -> Option<Copies> {
    if binned.is_empty() || !data.is_complete() || data.weights().is_some() {
        return None;
    }
    let agreement: Vec<Vec<f64>> = binned.iter().map(|column| agreement(data, column)).collect();
    let mut found = Copies { rows: 0, pairs: 0, expected: 0.0 };
    for index in 0..data.schema().data_sets().len() {
        let rows: Vec<usize> = data.rows_of(DataSetId::new(index)).collect();
        let mut class = vec![0; rows.len()];
        for variable in data.schema().ids() {
            let column = data.column(variable);
            refine(&mut class, rows.iter().map(|&row| column.get(row)));
        }
        let mut first_of: FxHashMap<u32, (usize, u64)> = FxHashMap::default();
        for (&class, &row) in class.iter().zip(&rows) {
            first_of.entry(class).or_insert((row, 0)).1 += 1;
        }
        let mut classes: Vec<(usize, u64)> = first_of.into_values().filter(|(_, count)| *count > 1).collect();
        // A sum of floats needs an order.
        classes.sort_unstable();
        for (row, count) in classes {
            let chances = binned.iter().zip(&agreement);
            let chance =
                chances.map(|(column, agreement)| agreement[data.column(column.variable).get(row) as usize]);
            found.expected += pairs_of(count) as f64 * chance.fold(1.0, f64::min);
        }
        for column in binned {
            refine(&mut class, rows.iter().map(|&row| column.numbers[row]));
        }
        let mut counts: FxHashMap<u32, u64> = FxHashMap::default();
        class.iter().for_each(|&class| *counts.entry(class).or_default() += 1);
        found.rows += counts.values().map(|count| count - 1).sum::<u64>();
        found.pairs += counts.values().map(|&count| pairs_of(count)).sum::<u64>();
    }
    let (pairs, expected) = (found.pairs as f64, found.expected);
    let is_far = pairs - expected > ERRORS * expected.max(1.0).sqrt() && pairs > TIMES * expected;
    is_far.then_some(found)
}

/// The probability that two rows of a bin have the same number, for every bin of a column.
fn agreement(data: &RelatedData, column: &Binned) -> Vec<f64> {
    let codes = data.column(column.variable);
    let mut rows = vec![0_u64; data.schema().states(column.variable)];
    let mut counts: FxHashMap<(u32, u32), u64> = FxHashMap::default();
    for (row, &number) in column.numbers.iter().enumerate() {
        rows[codes.get(row) as usize] += 1;
        *counts.entry((codes.get(row), number)).or_default() += 1;
    }
    let mut equal = vec![0; rows.len()];
    #[expect(clippy::iter_over_hash_type, reason = "sums of integers have no order")]
    for ((bin, _), count) in counts {
        equal[bin as usize] += pairs_of(count);
    }
    equal.iter().zip(rows).map(|(&equal, rows)| equal as f64 / pairs_of(rows).max(1) as f64).collect()
}

fn pairs_of(count: u64) -> u64 {
    count * count.saturating_sub(1) / 2
}

/// Splits classes of rows by the values of one more column.
fn refine(class: &mut [u32], values: impl Iterator<Item = u32>) {
    let mut known: FxHashMap<(u32, u32), u32> = FxHashMap::default();
    for (class, value) in class.iter_mut().zip(values) {
        let next = u32::try_from(known.len()).expect("fewer distinct rows than fit 32 bits");
        *class = *known.entry((*class, value)).or_insert(next);
    }
}
