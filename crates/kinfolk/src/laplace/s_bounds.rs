//! Upper bounds of the evidence at other values of s from one evaluation (docs/THEORY.md, E52 and E53).
//!
//! Given the centres, the bounds follow from the signs of derivatives. The step from given centres to the average over
//! centres is an approximation, so a bound can fail: [`super::evidence`] adds a margin where it skips work because of a
//! bound.

use super::continuation::Evaluated;
use super::tables::Extent;

/// The largest contribution of one count to the slope in 1/s because counts are whole numbers (E52): first for counts up to eight or
/// with s·k < 1, second for the others, where Euler and Maclaurin's formula gives one half.
const BY_A_COUNT: (f64, f64) = (1.0, 0.52);

/// Added at a smaller s for every free dimension of the centres and every nat of variance (E53): at most nine tenths of
/// it was needed in 20,000 random families.
const BELOW_MARGIN: f64 = 0.4;

/// An evaluation at one s, in the form used by the bounds for other s.
#[derive(Debug, Clone, Copy)]
pub(super) struct SBounds {
    s: f64,
    /// The evidence.
    value: f64,
    /// The first four derivatives in ln s of the cells' log-likelihood at the centres.
    derivatives: [f64; 4],
    /// The posterior variance of the first derivative as the centres vary.
    variance: f64,
    /// κ of E52: the largest possible effect of whole counts.
    by_whole_counts: f64,
    extent: Extent,
}

impl SBounds {
    /// The bounds that follow from an evaluation at `s`, where the evidence is `value`.
    pub(super) fn new(s: f64, value: f64, evaluated: &Evaluated, extent: Extent) -> Self {
        let by_whole_counts = BY_A_COUNT.0 * (extent.in_cells - evaluated.smooth)
            + BY_A_COUNT.1 * evaluated.smooth
            - 0.5 * extent.in_tables;
        let &Evaluated { derivatives, variance, .. } = evaluated;
        Self { s, value, derivatives, variance, by_whole_counts, extent }
    }

    /// An upper bound at a larger s (E52), given the first three derivatives in ln s of Σ R(s, n_fj) at the evaluation.
    ///
    /// Given the centres, the log-likelihood is a function of 1/s whose derivatives alternate in sign, up to the effect
    /// of whole counts, so truncating its Taylor series gives an upper bound.
    pub(super) fn above(&self, s: f64, row_derivatives: [f64; 3]) -> f64 {
        let lambda = 1.0 - self.s / s;
        let [first, second, third] =
            std::array::from_fn(|order| self.derivatives[order] - row_derivatives[order]);
        let higher =
            (0.5 * (first + second) + lambda / 6.0 * (2.0 * first + 3.0 * second + third)) * lambda * lambda;
        let rows = self.extent.most_rows;
        let share = rows / (rows + self.s) * lambda;
        let remainder = -(-share).ln_1p() - share * (1.0 + share * (0.5 + share / 3.0));
        self.value
            + self.averaged_over_centres(lambda * first, lambda)
            + higher
            + self.by_whole_counts * remainder
    }

    /// An upper bound at a smaller s (E53), given the decrease of Σ R(s, n_fj) to there.
    ///
    /// Given the centres, the cells' likelihood is s to the power of the number of non-zero counts, times a function of
    /// s whose logarithm has derivatives of alternating sign, so truncating its Taylor series gives an upper bound.
    pub(super) fn below(&self, s: f64, row_difference: f64) -> f64 {
        let ratio = s / self.s;
        let lambda = 1.0 - ratio;
        let seen = self.extent.in_cells;
        let [first, second, third, fourth] = self.derivatives;
        // From derivatives in ln s to derivatives in s, times powers of s.
        let [first, second, third, fourth] = [
            first - seen,
            second - first + seen,
            third - 3.0 * second + 2.0 * first - 2.0 * seen,
            fourth - 6.0 * third + 11.0 * second - 6.0 * first + 6.0 * seen,
        ];
        let higher = (0.5 * second - lambda / 6.0 * (third - lambda / 4.0 * fourth)) * lambda * lambda;
        let margin = BELOW_MARGIN * lambda / ratio.sqrt() * (self.extent.directions + self.variance.max(0.0));
        self.value
            + row_difference
            + seen * ratio.ln()
            + self.averaged_over_centres(-lambda * first, lambda)
            + higher
            + margin
    }

    /// ln E exp(change) over the posterior of the centres, for a change proportional to the first derivative: to second order
    /// change + ½λ²·variance; the other half of the variance covers higher orders.
    fn averaged_over_centres(&self, change: f64, lambda: f64) -> f64 {
        change + lambda * lambda * self.variance.max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::super::continuation::{CLOSE, Continuation, follow_to};
    use super::super::tables::{Cells, FamilyTables};
    use super::*;
    use crate::counts::Counts;
    use crate::laplace::evidence;

    /// Random related tables: few and many data sets, rows and states, similar and dissimilar.
    fn random_counts(random: &mut ChaCha8Rng) -> Counts {
        let (data_sets, configurations, states) =
            (random.random_range(1..12), random.random_range(1..5), random.random_range(2..5));
        let rows = [2_u32, 20, 200, 2000, 30_000, 1_000_000][random.random_range(0..6)];
        let spread = random.random_range(0.0..3.0);
        let common: Vec<f64> = (0..configurations * states).map(|_| random.random_range(-2.0..2.0)).collect();
        let mut configuration = |row: &[f64]| -> Vec<u64> {
            let mut weigh = |ln: &f64| (ln + spread * random.random_range(-1.0..1.0_f64)).exp();
            let weights: Vec<f64> = row.iter().map(&mut weigh).collect();
            if rows > 2000 {
                // Drawn from a normal approximation instead of row by row.
                let total = weights.iter().sum::<f64>();
                let mut draw = |weight: &f64| {
                    let expected = f64::from(rows) * weight / total;
                    let drawn =
                        (expected + random.random_range(-2.0..2.0) * expected.sqrt()).max(0.0).round();
                    #[expect(
                        clippy::cast_possible_truncation,
                        clippy::cast_sign_loss,
                        reason = "a whole number"
                    )]
                    let drawn = drawn as u64;
                    drawn
                };
                return weights.iter().map(&mut draw).collect();
            }
            let mut counts = vec![0; states];
            for _ in 0..rows {
                let mut place = random.random::<f64>() * weights.iter().sum::<f64>();
                let state = weights.iter().position(|weight| {
                    place -= weight;
                    place < 0.0
                });
                counts[state.unwrap_or(0)] += 1;
            }
            counts
        };
        let table: Vec<Vec<Vec<u64>>> =
            (0..data_sets).map(|_| common.chunks(states).map(&mut configuration).collect()).collect();
        Counts::from_table(&table)
    }

    #[test]
    fn bounds_from_another_s_hold() {
        let mut random = ChaCha8Rng::seed_from_u64(5);
        let grid = [0.1, 0.25, 0.5, 2.0, 5.0, 10.0, 50.0, 1000.0, 10_000.0];
        for _ in 0..2000 {
            let counts = random_counts(&mut random);
            let values = grid.map(|s| evidence(&counts, Cells::Row, s));
            let (mut tables, mut rows, mut path) =
                (FamilyTables::default(), Vec::new(), Continuation::default());
            for (here, &s) in grid.iter().enumerate() {
                tables.refill(&counts, Cells::Row, s);
                tables.rises_of_rows(&grid, &mut rows);
                path.start(&tables);
                let found = follow_to(&mut path, &tables, s, CLOSE);
                let bounds = SBounds::new(s, values[here], &found, tables.extent);
                let slopes = tables.slopes_of_rows(&grid, here);
                for (other, &value) in values.iter().enumerate() {
                    let off = rows[here] - rows[other];
                    let bound = if other < here {
                        bounds.below(grid[other], off)
                    } else {
                        bounds.above(grid[other], slopes)
                    };
                    assert!(
                        value <= bound + 1e-9,
                        "{} from {s}: {value} above {bound}, {counts:?}",
                        grid[other]
                    );
                }
            }
        }
    }
}
