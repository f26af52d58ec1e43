//! The Bayesian Dirichlet formula, Eq. (bd) of \[ACS22\], per data set and summed over data sets: used by BHD and
//! unpooled BDeu.

use super::FamilyScore;
use crate::counts::Counts;
use crate::special::gamma::{CANCELS_FROM, ln_rising};
use crate::special::lanes::{LARGE_FROM, large_ln_gammas, ln_gammas};

/// Eq. (bd) in every data set, summed: `cells` are the Dirichlet parameters of the observed cells (in the order of
/// [`Counts::cells`]), `configurations` those of the observed configurations.
pub(super) fn sum_over_data_sets(counts: &Counts, cells: &[f64], configurations: &[f64]) -> FamilyScore {
    let mut own = vec![0.0; cells.len() + configurations.len()];
    let (own_cells, own_configurations) = own.split_at_mut(cells.len());
    ln_gammas(cells, own_cells);
    ln_gammas(configurations, own_configurations);
    let mut terms = DataSetTerms::new(counts.data_sets());
    let mut rows = vec![0_u64; counts.data_sets()];
    for (position, observed) in counts.configurations().enumerate() {
        for (index, observed) in observed.cell_range().zip(observed.cells()) {
            let alpha = (cells[index], own_cells[index]);
            for entry in observed.entries {
                terms.add(1.0, alpha, entry.count, entry.data_set);
                rows[entry.data_set] += entry.count;
            }
        }
        let alpha = (configurations[position], own_configurations[position]);
        for (data_set, rows) in rows.iter_mut().enumerate() {
            let count = std::mem::take(rows);
            if count > 0 {
                terms.add(-1.0, alpha, count, data_set);
            }
        }
    }
    let by_data_set = terms.finish();
    let total = by_data_set.iter().sum();
    FamilyScore { by_data_set: Some(by_data_set), ..FamilyScore::pooled(total) }
}

/// Sums of ±[lnΓ(α + n) − lnΓ(α)] by data set; lnΓ is evaluated for several arguments at a time.
struct DataSetTerms {
    by_data_set: Vec<f64>,
    /// Arguments below [`LARGE_FROM`], and the others, whose lnΓ costs less.
    small: PendingArguments,
    large: PendingArguments,
}

impl DataSetTerms {
    fn new(data_sets: usize) -> Self {
        Self {
            by_data_set: vec![0.0; data_sets],
            small: PendingArguments::default(),
            large: PendingArguments::default(),
        }
    }

    /// Adds a term, given α and lnΓ(α).
    #[inline]
    fn add(&mut self, sign: f64, (alpha, ln_gamma): (f64, f64), count: u64, data_set: usize) {
        if alpha > CANCELS_FROM {
            self.by_data_set[data_set] += sign * ln_rising(alpha, count);
            return;
        }
        self.by_data_set[data_set] -= sign * ln_gamma;
        let argument = alpha + count as f64;
        if argument >= LARGE_FROM {
            if self.large.push(sign, argument, data_set) {
                self.large.flush(large_ln_gammas, &mut self.by_data_set);
            }
        } else if self.small.push(sign, argument, data_set) {
            self.small.flush(ln_gammas, &mut self.by_data_set);
        }
    }

    fn finish(mut self) -> Vec<f64> {
        self.small.flush(ln_gammas, &mut self.by_data_set);
        self.large.flush(large_ln_gammas, &mut self.by_data_set);
        self.by_data_set
    }
}

/// Arguments of lnΓ that have not been evaluated yet, with the sign and the data set of each.
#[derive(Default)]
struct PendingArguments {
    arguments: [f64; Self::CAPACITY],
    signs: [f64; Self::CAPACITY],
    data_sets: [usize; Self::CAPACITY],
    number: usize,
}

impl PendingArguments {
    const CAPACITY: usize = 32;

    /// Adds an argument; returns whether the buffer is full.
    #[inline]
    fn push(&mut self, sign: f64, argument: f64, data_set: usize) -> bool {
        // The mask does not change the index; it lets the compiler drop the bounds check.
        let index = self.number & (Self::CAPACITY - 1);
        self.arguments[index] = argument;
        (self.signs[index], self.data_sets[index]) = (sign, data_set);
        self.number = index + 1;
        self.number == Self::CAPACITY
    }

    /// Evaluates all arguments and adds them to the sums.
    fn flush(&mut self, ln_gammas: fn(&[f64], &mut [f64]), sums: &mut [f64]) {
        let mut values = [0.0; Self::CAPACITY];
        // Padded to whole registers, so that no argument is evaluated by the scalar loop.
        let filled = self.number.next_multiple_of(4);
        self.arguments[self.number..filled].fill(LARGE_FROM);
        ln_gammas(&self.arguments[..filled], &mut values);
        let tags = self.data_sets.iter().zip(&self.signs).take(self.number);
        for ((&data_set, sign), value) in tags.zip(&values) {
            sums[data_set] += sign * value;
        }
        self.number = 0;
    }
}
