//! What the evidence at one s says of other values of s, without an evaluation there (docs/THEORY.md, E52 and E53).

use super::continuation::Evaluated;
use super::tables::Extent;

/// What a count can add to the slope of the evidence because rows come one by one, if it is not above eight or its cell has less than one
/// of s; otherwise it is half of that and a little more.
const BY_A_COUNT: (f64, f64) = (1.0, 0.52);

/// What the centres can add at a smaller s beyond the second order, for every direction and every nat of variance: nine tenths of it
/// were needed at most in 20,000 drawn families.
const ROOM: f64 = 0.4;

/// What is known at one s.
#[derive(Debug, Clone, Copy)]
pub(super) struct SBounds {
    s: f64,
    /// The evidence.
    value: f64,
    /// The first four derivatives in ln s of the likelihood of the cells at the centres.
    derivatives: [f64; 4],
    /// The variance of the first one as the centres vary.
    variance: f64,
    /// What rows that come one by one can add to the slope of the evidence.
    by_single_rows: f64,
    extent: Extent,
}

impl SBounds {
    /// What was found at an s, where the evidence is this.
    pub(super) fn new(s: f64, value: f64, found: &Evaluated, extent: Extent) -> Self {
        let by_single_rows = BY_A_COUNT.0 * (extent.in_cells - found.smooth) + BY_A_COUNT.1 * found.smooth
            - 0.5 * extent.in_tables;
        let &Evaluated { derivatives, variance, .. } = found;
        Self { s, value, derivatives, variance, by_single_rows, extent }
    }

    /// What the evidence is at most at a larger s; what the rows take off it has these derivatives in ln s here.
    ///
    /// For given centres the logarithm of the likelihood is a function of 1/s whose derivatives have alternating signs, but for what rows
    /// can add because they come one by one: leaving terms of its series out makes it larger.
    pub(super) fn above(&self, s: f64, of_rows: [f64; 3]) -> f64 {
        let way = 1.0 - self.s / s;
        let [first, second, third] = std::array::from_fn(|order| self.derivatives[order] - of_rows[order]);
        let bent = (0.5 * (first + second) + way / 6.0 * (2.0 * first + 3.0 * second + third)) * way * way;
        let rows = self.extent.most_rows;
        let share = rows / (rows + self.s) * way;
        let by_rows = -(-share).ln_1p() - share * (1.0 + share * (0.5 + share / 3.0));
        self.value + self.at_centres(way * first, way) + bent + self.by_single_rows * by_rows
    }

    /// What the evidence is at most at a smaller s; the rows take so much less off it there.
    ///
    /// For given centres the likelihood of the cells is s to the power of how many were seen, times a function of s whose logarithm has
    /// derivatives with alternating signs: leaving terms of its series out makes it larger.
    pub(super) fn below(&self, s: f64, less_off: f64) -> f64 {
        let left = s / self.s;
        let way = 1.0 - left;
        let seen = self.extent.in_cells;
        let [first, second, third, fourth] = self.derivatives;
        // The derivatives in s itself, times its powers.
        let [first, second, third, fourth] = [
            first - seen,
            second - first + seen,
            third - 3.0 * second + 2.0 * first - 2.0 * seen,
            fourth - 6.0 * third + 11.0 * second - 6.0 * first + 6.0 * seen,
        ];
        let bent = (0.5 * second - way / 6.0 * (third - way / 4.0 * fourth)) * way * way;
        // The further the centres are from where they will be, the less is known of what they then say.
        let room = ROOM * way / left.sqrt() * (self.extent.directions + self.variance.max(0.0));
        self.value + less_off + seen * left.ln() + self.at_centres(-way * first, way) + bent + room
    }

    /// ln E exp(change) as the centres vary, a change that varies with the slope: to second order it has half of the variance; the other
    /// half is for what that leaves out.
    fn at_centres(&self, change: f64, way: f64) -> f64 {
        change + way * way * self.variance.max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::super::continuation::{CLOSE, Continuation, follow_to};
    use super::super::tables::{Cells, Tables};
    use super::*;
    use crate::counts::Counts;
    use crate::laplace::evidence;

    /// Related tables of all kinds: few and many data sets, rows, states, alike and apart.
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
                // So many are about as many as their weights say, and each is not drawn.
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
    fn no_evidence_is_above_what_another_s_says_of_it() {
        let mut random = ChaCha8Rng::seed_from_u64(5);
        let grid = [0.1, 0.25, 0.5, 2.0, 5.0, 10.0, 50.0, 1000.0, 10_000.0];
        for _ in 0..2000 {
            let counts = random_counts(&mut random);
            let values = grid.map(|s| evidence(&counts, Cells::Row, s));
            let (mut tables, mut rows, mut path) = (Tables::default(), Vec::new(), Continuation::default());
            for (here, &s) in grid.iter().enumerate() {
                tables.refill(&counts, Cells::Row, s);
                tables.rises_of_rows(&grid, &mut rows);
                path.start(&tables);
                let found = follow_to(&mut path, &tables, s, CLOSE);
                let s_bounds = SBounds::new(s, values[here], &found, tables.extent);
                let slopes = tables.slopes_of_rows(&grid, here);
                for (other, &value) in values.iter().enumerate() {
                    let off = rows[here] - rows[other];
                    let bound = if other < here {
                        s_bounds.below(grid[other], off)
                    } else {
                        s_bounds.above(grid[other], slopes)
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
