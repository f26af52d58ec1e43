//! Completed rows: posteriors and draws are those of enumeration.

use kinfolk::estimate::Relative;
use kinfolk::infer::{Completer, Given, InferError};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::enumeration::{enumerate, random_given, random_network};

proptest! {
    #![proptest_config(ProptestConfig {
        rng_seed: RngSeed::Fixed(13), failure_persistence: None, cases: 60, ..Default::default()
    })]

    #[test]
    fn draws_and_posteriors_of_missing_values_are_those_of_enumeration(
        nodes in 2_usize..6, density in 0.0..0.9, seed in any::<u64>(),
    ) {
        const DRAWS: usize = 2000;
        let network = random_network(nodes, 3, density, seed);
        let given = random_given(&network, seed ^ 5);
        let row: Vec<Option<u32>> = network.schema().ids().map(|id| given.state(id)).collect();
        let all = enumerate(&network, Relative::New, &Given::row(&network, &row));
        let total: f64 = all.iter().map(|(_, p)| p).sum();
        let mut completer = Completer::new(&network, Relative::New);
        completer.prepare(&row).unwrap();
        let completion = match completer.completion(&row) {
            Err(InferError::Impossible { .. }) => {
                prop_assert_eq!(total, 0.0);
                return Ok(());
            }
            completion => completion.unwrap(),
        };
        // Impossible evidence that is d-separated from all missing values is not noticed, as in posteriors.
        prop_assume!(total > 0.0);
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut counts = vec![0_u32; all.len()];
        for _ in 0..DRAWS {
            let drawn = completion.draw(&mut || random.random_range(0.0..1.0));
            let place = all.iter().position(|(states, _)| *states == drawn);
            prop_assert!(place.is_some(), "observed values are kept");
            counts[place.unwrap()] += 1;
        }
        for ((_, p), &count) in all.iter().zip(&counts) {
            let p = p / total;
            // Six standard deviations of a binomial count, and at least 6 draws for rare configurations.
            let tolerance = 6.0 * (DRAWS as f64 * p * (1.0 - p)).sqrt().max(1.0);
            prop_assert!((f64::from(count) - DRAWS as f64 * p).abs() <= tolerance, "{count} of {DRAWS}, {p}");
            prop_assert!(p > 0.0 || count == 0, "what is impossible is never drawn");
        }
        let missing = completion.missing().to_vec();
        for (id, posterior) in missing.iter().zip(completion.posteriors()) {
            for (state, value) in posterior.into_iter().enumerate() {
                let such = all.iter().filter(|(row, _)| row[id.index()] as usize == state);
                let expected = such.map(|(_, p)| p).sum::<f64>() / total;
                prop_assert!((value - expected).abs() < 1e-12, "{value} {expected}");
            }
        }
    }
}
