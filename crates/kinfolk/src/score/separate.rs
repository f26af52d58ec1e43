//! No pooling: each data set scored alone and the scores added.

use super::{FamilyScore, ImaginarySampleSize, Score};
use crate::counts::Counts;
use crate::special::gamma::{CANCELS_FROM, ln_rising};
use crate::special::lanes::{LARGE_FROM, large_ln_gammas, ln_gammas};

/// The sum over the data sets of each one's own BDeu: the other extreme from pooling the rows.
#[derive(Debug, Clone, Copy, Default)]
pub struct BdeuSeparate {
    /// The imaginary sample size in each data set.
    pub iss: ImaginarySampleSize,
}

impl Score for BdeuSeparate {
    fn name(&self) -> &'static str {
        "bdeu-separate"
    }

    fn family_score(&self, counts: &Counts) -> FamilyScore {
        let alpha = self.iss.get() / counts.possible_cells();
        let cells = vec![alpha; counts.observed_cells()];
        let configurations = vec![alpha * counts.states() as f64; counts.observed_configurations()];
        sum_over_data_sets(counts, &cells, &configurations)
    }

    fn is_score_equivalent(&self) -> bool {
        true
    }

    fn is_pooled(&self) -> bool {
        false
    }
}

/// Eq. (bd) of \[ACS22\] in every data set, added up: `cells` are the Dirichlet parameters of the observed cells (in the order of
/// [`Counts::cells`]), `configurations` those of the observed configurations.
pub(super) fn sum_over_data_sets(counts: &Counts, cells: &[f64], configurations: &[f64]) -> FamilyScore {
    let mut own = vec![0.0; cells.len() + configurations.len()];
    let (own_cells, own_configurations) = own.split_at_mut(cells.len());
    ln_gammas(cells, own_cells);
    ln_gammas(configurations, own_configurations);
    let mut terms = Terms::new(counts.data_sets());
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

/// Terms ± lnΓ(α + n) ∓ lnΓ(α) by data set, worked out some at a time.
struct Terms {
    by_data_set: Vec<f64>,
    /// Arguments below eight, and the others, whose lnΓ costs less.
    small: Waiting,
    large: Waiting,
}

impl Terms {
    fn new(data_sets: usize) -> Self {
        Self { by_data_set: vec![0.0; data_sets], small: Waiting::default(), large: Waiting::default() }
    }

    /// Adds a term; α comes with its lnΓ.
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
                self.large.take(large_ln_gammas, &mut self.by_data_set);
            }
        } else if self.small.push(sign, argument, data_set) {
            self.small.take(ln_gammas, &mut self.by_data_set);
        }
    }

    fn finish(mut self) -> Vec<f64> {
        self.small.take(ln_gammas, &mut self.by_data_set);
        self.large.take(large_ln_gammas, &mut self.by_data_set);
        self.by_data_set
    }
}

/// Arguments of lnΓ, which is worked out for many at a time, with the sign and the data set of each.
#[derive(Default)]
struct Waiting {
    arguments: [f64; Self::AT_ONCE],
    signs: [f64; Self::AT_ONCE],
    data_sets: [usize; Self::AT_ONCE],
    number: usize,
}

impl Waiting {
    const AT_ONCE: usize = 32;

    /// Puts one more in; says whether no other has room.
    #[inline]
    fn push(&mut self, sign: f64, argument: f64, data_set: usize) -> bool {
        // The mask never changes the place; it tells the compiler that there is one.
        let place = self.number & (Self::AT_ONCE - 1);
        self.arguments[place] = argument;
        (self.signs[place], self.data_sets[place]) = (sign, data_set);
        self.number = place + 1;
        self.number == Self::AT_ONCE
    }

    /// Adds what waits to the sums.
    fn take(&mut self, ln_gammas: fn(&[f64], &mut [f64]), sums: &mut [f64]) {
        let mut values = [0.0; Self::AT_ONCE];
        // Whole fours, so that nothing is worked out alone.
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
