//! Reproducible random numbers: one generator, split into independent streams, with the same bits on every machine.
//!
//! The generator is `ChaCha` with 8 rounds. Its 256-bit key is four 64-bit words in little-endian order: seed, purpose, data set
//! and variable; its 64-bit stream is the replicate. Every part of a simulation therefore has its own numbers: additional rows,
//! data sets or replicates do not change the existing ones, and any part can be regenerated alone.
//!
//! Floating-point functions come from the crate `libm`, which uses plain arithmetic, not from the standard library, which calls
//! the operating system's. (The crate `rand_distr` guarantees this only if no other crate in the build enables the standard
//! library in `num-traits`. Its Dirichlet draws are not in log space, so that small shapes give rows of zeros.)

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// The purpose of random numbers. The discriminant is part of the key and must not change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Numbers of states.
    States = 1,
    /// The node order and the arcs.
    Structure = 2,
    /// The altered data sets and their removed arcs.
    Alteration = 3,
    /// The common centre of a node.
    Centre = 4,
    /// A node's table in a data set.
    Table = 5,
    /// A variable's values in the rows of a simulated data set.
    Rows = 6,
    /// A variable's values in rows sampled from a given network; independent of its data even with the same seed.
    Fresh = 7,
    /// The missing cells of a row, filled in while learning.
    Missing = 8,
    /// The missing values of a row of a file; the keys are the file and the row, the stream is the version.
    Imputed = 9,
    /// The simulated relatives of a data set in one family.
    Relatives = 10,
    /// The tables of one relative of a network, drawn from their posterior; the stream is the draw.
    Posterior = 11,
}

/// The random numbers of one purpose.
pub(crate) struct RandomNumbers(ChaCha8Rng);

impl RandomNumbers {
    /// The random numbers of a purpose without data set and variable.
    pub(crate) fn new(seed: u64, stream: u64, purpose: Purpose) -> Self {
        Self::of(seed, stream, purpose, 0, 0)
    }

    /// The random numbers of a purpose for one data set and variable.
    pub(crate) fn of(seed: u64, stream: u64, purpose: Purpose, data_set: usize, variable: usize) -> Self {
        Self::keyed(seed, stream, purpose, [data_set as u64, variable as u64])
    }

    /// The random numbers of a purpose for a key of two words.
    pub(crate) fn keyed(seed: u64, stream: u64, purpose: Purpose, own: [u64; 2]) -> Self {
        let mut key = [0; 32];
        let words = [seed, purpose as u64, own[0], own[1]];
        for (bytes, word) in key.chunks_exact_mut(8).zip(words) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
        let mut generator = ChaCha8Rng::from_seed(key);
        generator.set_stream(stream);
        Self(generator)
    }

    /// A uniform number in the open interval (0, 1): the midpoints of 2^52 equal intervals.
    pub(crate) fn unit(&mut self) -> f64 {
        const INTERVALS: f64 = 4_503_599_627_370_496.0;
        ((self.0.next_u64() >> 12) as f64 + 0.5) / INTERVALS
    }

    /// A uniform integer below `limit`.
    ///
    /// Lemire (2019), Fast random integer generation in an interval, <https://doi.org/10.1145/3230636>.
    #[expect(clippy::cast_possible_truncation, reason = "the two halves of a product of 64-bit numbers")]
    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        assert!(limit > 0, "there is nothing below zero");
        let unfair = limit.wrapping_neg() % limit;
        loop {
            let product = u128::from(self.0.next_u64()) * u128::from(limit);
            if product as u64 >= unfair {
                return (product >> 64) as u64;
            }
        }
    }

    /// A uniform index into a list of this length.
    pub(crate) fn index(&mut self, length: usize) -> usize {
        usize::try_from(self.below(length as u64)).expect("it is below a length")
    }

    /// A standard normal variate by the polar method.
    ///
    /// Marsaglia, Bray (1964), A convenient method for generating normal variables, <https://doi.org/10.1137/1006063>.
    pub(crate) fn normal(&mut self) -> f64 {
        loop {
            let (x, y) = (2.0 * self.unit() - 1.0, 2.0 * self.unit() - 1.0);
            let square = x * x + y * y;
            if square < 1.0 {
                return x * libm::sqrt(-2.0 * libm::log(square) / square);
            }
        }
    }

    /// The logarithm of a gamma variate with this shape and scale 1; it does not underflow for small shapes.
    ///
    /// For shapes below 1, a variate of shape + 1 is multiplied by U^(1/shape). Marsaglia, Tsang (2000), A simple method for
    /// generating gamma variables, <https://doi.org/10.1145/358407.358414>.
    pub(crate) fn ln_gamma(&mut self, shape: f64) -> f64 {
        if shape < 1.0 {
            return self.ln_gamma(shape + 1.0) + libm::log(self.unit()) / shape;
        }
        let d = shape - 1.0 / 3.0;
        let c = 1.0 / libm::sqrt(9.0 * d);
        loop {
            let x = self.normal();
            let root = 1.0 + c * x;
            if root <= 0.0 {
                continue;
            }
            let cube = root * root * root;
            let ln_cube = 3.0 * libm::log(root);
            if libm::log(self.unit()) < 0.5 * x * x + d * (1.0 - cube + ln_cube) {
                return libm::log(d) + ln_cube;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sample mean and variance of many draws.
    fn moments(draws: usize, mut draw: impl FnMut() -> f64) -> (f64, f64) {
        let values: Vec<f64> = (0..draws).map(|_| draw()).collect();
        let mean = values.iter().sum::<f64>() / draws as f64;
        let variance = values.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>() / draws as f64;
        (mean, variance)
    }

    #[test]
    fn the_generator_is_chacha_with_eight_rounds() {
        // Keystream of ChaCha8 for a key and nonce of zeros (draft-strombergson-chacha-test-vectors, TC1, 256 bits):
        // 3e00ef2f895f40d6…. Purposes start at 1, so no simulation has that key, and the test uses the generator directly.
        let mut zero = RandomNumbers(ChaCha8Rng::from_seed([0; 32]));
        assert_eq!(zero.0.next_u64().to_le_bytes(), [0x3e, 0x00, 0xef, 0x2f, 0x89, 0x5f, 0x40, 0xd6]);
    }

    #[test]
    fn every_part_of_the_key_gives_other_numbers() {
        let first = |seed, stream, purpose, data_set, variable| {
            RandomNumbers::of(seed, stream, purpose, data_set, variable).0.next_u64()
        };
        let mut all = vec![
            first(1, 0, Purpose::Rows, 0, 0),
            first(2, 0, Purpose::Rows, 0, 0),
            first(1, 1, Purpose::Rows, 0, 0),
            first(1, 0, Purpose::Table, 0, 0),
            first(1, 0, Purpose::Rows, 1, 0),
            first(1, 0, Purpose::Rows, 0, 1),
        ];
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 6);
    }

    #[test]
    fn whole_numbers_are_evenly_spread() {
        let mut numbers = RandomNumbers::new(7, 0, Purpose::Structure);
        let mut seen = [0_u32; 6];
        (0..60_000).for_each(|_| seen[numbers.index(6)] += 1);
        // Five standard deviations of a binomial count: 5·√(60000·(1/6)·(5/6)) = 456.
        assert!(seen.iter().all(|&count| count.abs_diff(10_000) < 456), "{seen:?}");
    }

    #[test]
    fn gamma_numbers_have_the_mean_and_variance_of_their_shape() {
        const DRAWS: usize = 200_000;
        for shape in [0.05, 0.3, 1.0, 2.5, 40.0] {
            let mut numbers = RandomNumbers::new(11, 0, Purpose::Table);
            let (mean, variance) = moments(DRAWS, || libm::exp(numbers.ln_gamma(shape)));
            // Mean and variance equal the shape. The fourth central moment is 3·shape² + 6·shape.
            let of_mean = 5.0 * libm::sqrt(shape / DRAWS as f64);
            let of_variance = 5.0 * libm::sqrt((2.0 * shape * shape + 6.0 * shape) / DRAWS as f64);
            assert!((mean - shape).abs() < of_mean, "{shape}: mean {mean}");
            assert!((variance - shape).abs() < of_variance, "{shape}: variance {variance}");
        }
    }

    #[test]
    fn the_smallest_shapes_still_give_finite_logarithms() {
        let mut numbers = RandomNumbers::new(3, 0, Purpose::Table);
        assert!((0..1000).all(|_| numbers.ln_gamma(1e-300).is_finite()));
    }
}
