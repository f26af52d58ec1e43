//! The distances from the centre that chance alone gives to related data sets: what an unremarkable data set looks like.

use super::distance::Model;
use crate::counts::Counts;
use crate::data::VariableId;
use crate::simulate::random::{Purpose, RandomNumbers};

/// Simulated relatives per data set.
pub const RELATIVES: usize = 99;

/// More data sets than these are not simulated: the cost is that of [`RELATIVES`] further explanations.
pub const SIMULATED_UP_TO: usize = 1000;

/// Above this mean, binomial variates are rounded normal ones.
const NORMAL_ABOVE: f64 = 200.0;

/// The smallest and the largest distance among [`RELATIVES`] simulated relatives.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct ChanceRange {
    /// The smallest.
    pub low: f64,
    /// The largest: one relative in a hundred is farther away by chance.
    pub high: f64,
}

/// How the relatives of one data set vary in one family: the closeness of each and its random numbers.
pub(super) struct Relatives {
    numbers: RandomNumbers,
    /// The point on the grid of s for every relative; `None` if its table is the pooled one.
    closeness: Vec<Option<usize>>,
    /// The distances so far.
    pub(super) distances: Vec<f64>,
}

impl Relatives {
    /// Draws the closeness of every relative from its posterior.
    pub(super) fn new(data_set: usize, child: VariableId, identical: f64, s: &[f64]) -> Self {
        let mut numbers = RandomNumbers::of(0, 0, Purpose::Relatives, data_set, child.index());
        let mut draw = || {
            if numbers.unit() < identical {
                return None;
            }
            let mut left = numbers.unit();
            let found = s.iter().position(|probability| {
                left -= probability;
                left < 0.0
            });
            Some(found.unwrap_or(s.len() - 1))
        };
        let closeness = (0..RELATIVES).map(|_| draw()).collect();
        Self { numbers, closeness, distances: vec![0.0; RELATIVES] }
    }

    /// Adds what one configuration, with this many rows of the data set's `all`, contributes to the distance of every relative.
    pub(super) fn add(&mut self, model: &Model<'_>, rows: u64, all: u64) {
        let share = rows as f64 / all as f64;
        for (distance, &closeness) in self.distances.iter_mut().zip(&self.closeness) {
            let table = match closeness {
                None => model.pooled.clone(),
                Some(point) => dirichlet(&mut self.numbers, model.s[point], &model.centres[point]),
            };
            let counts = multinomial(&mut self.numbers, rows, &table);
            *distance += share * model.distance(&counts).0;
        }
    }
}

/// The range of the distances of all relatives of every data set, summed over the families.
pub(super) fn ranges(distances: &[Vec<f64>]) -> Vec<ChanceRange> {
    let range = |values: &Vec<f64>| ChanceRange {
        low: values.iter().copied().fold(f64::INFINITY, f64::min),
        high: values.iter().copied().fold(f64::NEG_INFINITY, f64::max),
    };
    distances.iter().map(range).collect()
}

/// Whether relatives are simulated for these counts.
pub(super) fn is_simulated(counts: &Counts) -> bool {
    (2..=SIMULATED_UP_TO).contains(&counts.data_sets())
}

/// A table of one configuration around its centre.
fn dirichlet(numbers: &mut RandomNumbers, s: f64, centre: &[f64]) -> Vec<f64> {
    let sum: f64 = centre.iter().sum();
    let logs: Vec<f64> =
        centre.iter().map(|share| numbers.ln_gamma((s * share / sum).max(f64::MIN_POSITIVE))).collect();
    let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let weights: Vec<f64> = logs.iter().map(|log| libm::exp(log - most)).collect();
    let total: f64 = weights.iter().sum();
    weights.into_iter().map(|weight| weight / total).collect()
}

/// Rows by state, one binomial variate after the other.
fn multinomial(numbers: &mut RandomNumbers, rows: u64, table: &[f64]) -> Vec<u64> {
    let (mut left, mut mass) = (rows, 1.0);
    let mut counts = vec![0; table.len()];
    let last = table.len() - 1;
    for (count, &probability) in counts.iter_mut().zip(table).take(last) {
        *count = binomial(numbers, left, if mass > 0.0 { (probability / mass).min(1.0) } else { 0.0 });
        left -= *count;
        mass -= probability;
    }
    counts[last] = left;
    counts
}

/// A binomial variate: by waiting times between successes (Devroye, 1986, chapter X.4), or a rounded normal one if its mean is large.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "numbers between 0 and a number of rows"
)]
fn binomial(numbers: &mut RandomNumbers, rows: u64, probability: f64) -> u64 {
    if probability > 0.5 {
        return rows - binomial(numbers, rows, 1.0 - probability);
    }
    if probability <= 0.0 {
        return 0;
    }
    let mean = rows as f64 * probability;
    if mean > NORMAL_ABOVE {
        let deviation = libm::sqrt(mean * (1.0 - probability));
        return libm::round((mean + deviation * numbers.normal()).clamp(0.0, rows as f64)) as u64;
    }
    let base = libm::log1p(-probability);
    let (mut passed, mut successes) = (0.0, 0);
    loop {
        passed += libm::floor(libm::log(numbers.unit()) / base) + 1.0;
        if passed > rows as f64 {
            return successes;
        }
        successes += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn binomial_variates_have_the_mean_and_variance_of_their_distribution() {
        let mut numbers = RandomNumbers::of(1, 0, Purpose::Relatives, 0, 0);
        for (rows, probability) in [(40, 0.1), (40, 0.8), (100_000, 0.001), (5000, 0.3)] {
            let draws: Vec<f64> =
                (0..20_000).map(|_| binomial(&mut numbers, rows, probability) as f64).collect();
            let mean = draws.iter().sum::<f64>() / 20_000.0;
            let variance = draws.iter().map(|draw| (draw - mean).powi(2)).sum::<f64>() / 20_000.0;
            let expected = rows as f64 * probability;
            let spread = expected * (1.0 - probability);
            assert!(
                (mean - expected).abs() < 5.0 * (spread / 20_000.0).sqrt(),
                "{rows} {probability}: {mean}"
            );
            assert!((variance / spread - 1.0).abs() < 0.06, "{rows} {probability}: {variance}");
        }
    }
}
