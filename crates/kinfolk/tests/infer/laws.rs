//! Properties for every network and every query: answers equal those of enumeration.

use kinfolk::data::VariableId;
use kinfolk::estimate::Relative;
use kinfolk::infer::{Given, InferError, Inference};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use crate::enumeration::{enumerate, random_given, random_network};

const TOLERANCE: f64 = 1e-12;

fn fixed(seed: u64) -> ProptestConfig {
    ProptestConfig {
        rng_seed: RngSeed::Fixed(seed),
        failure_persistence: None,
        cases: 400,
        ..Default::default()
    }
}

fn close(left: f64, right: f64) -> bool {
    (left - right).abs() <= TOLERANCE
}

proptest! {
    #![proptest_config(fixed(11))]

    #[test]
    fn posteriors_are_those_of_enumeration(nodes in 1_usize..8, density in 0.0..0.9, seed in any::<u64>()) {
        let network = random_network(nodes, 3, density, seed);
        let given = random_given(&network, seed ^ 1);
        for relative in network.relatives() {
            let inference = Inference::new(&network, relative);
            let all = enumerate(&network, relative, &given);
            let evidence: f64 = all.iter().map(|(_, p)| p).sum();
            let impossible =
                InferError::Impossible { relative: network.relative_name(relative).to_owned() };
            if evidence == 0.0 {
                prop_assert_eq!(inference.log_probability(&given), Err(impossible.clone()));
                prop_assert_eq!(inference.explanation(&given), Err(impossible));
                continue;
            }
            prop_assert!(close(inference.log_probability(&given).unwrap(), evidence.ln()));
            let targets: Vec<VariableId> = network.schema().ids().collect();
            let posteriors = inference.posteriors(&targets, &given).unwrap();
            for (&target, posterior) in targets.iter().zip(&posteriors) {
                let alone = inference.posterior(target, &given).unwrap();
                for (state, (&value, &alone)) in posterior.iter().zip(&alone).enumerate() {
                    let agrees = |row: &[u32]| row[target.index()] as usize == state;
                    let expected: f64 = all.iter().filter(|(row, _)| agrees(row)).map(|(_, p)| p).sum();
                    prop_assert!(close(value, expected / evidence), "{value} {}", expected / evidence);
                    prop_assert!(close(alone, value));
                }
            }
        }
    }

    #[test]
    fn joint_distributions_are_those_of_enumeration(
        nodes in 1_usize..8,
        density in 0.0..0.9,
        seed in any::<u64>(),
        chosen in prop::collection::vec(any::<prop::sample::Index>(), 1..4),
    ) {
        let network = random_network(nodes, 3, density, seed);
        let given = random_given(&network, seed ^ 2);
        let mut targets: Vec<VariableId> = Vec::new();
        for index in chosen {
            let target = VariableId::new(index.index(nodes));
            if !targets.contains(&target) {
                targets.push(target);
            }
        }
        let all = enumerate(&network, Relative::New, &given);
        let evidence: f64 = all.iter().map(|(_, p)| p).sum();
        prop_assume!(evidence > 0.0);
        let joint = Inference::new(&network, Relative::New).joint(&targets, &given).unwrap();
        let mut expected = vec![0.0; joint.probabilities.len()];
        for (row, p) in &all {
            let cell = targets.iter().fold(0, |cell, target| {
                cell * network.schema().states(*target) + row[target.index()] as usize
            });
            expected[cell] += p / evidence;
        }
        for (value, expected) in joint.probabilities.iter().zip(expected) {
            prop_assert!(close(*value, expected), "{value} {expected}");
        }
    }

    #[test]
    fn explanations_are_the_most_probable_configurations(
        nodes in 1_usize..8, density in 0.0..0.9, seed in any::<u64>(),
    ) {
        let network = random_network(nodes, 3, density, seed);
        let given = random_given(&network, seed ^ 3);
        let all = enumerate(&network, Relative::Pooled, &given);
        let best = all.iter().map(|(_, p)| *p).fold(0.0, f64::max);
        prop_assume!(best > 0.0);
        let found = Inference::new(&network, Relative::Pooled).explanation(&given).unwrap();
        prop_assert!(close(found.log_probability, best.ln()), "{} {}", found.log_probability, best.ln());
        let (_, probability) = all.iter().find(|(row, _)| *row == found.states).unwrap();
        prop_assert!(close(*probability, best));
    }

    #[test]
    fn row_likelihoods_are_those_of_enumeration(nodes in 1_usize..8, density in 0.0..0.9, seed in any::<u64>()) {
        let network = random_network(nodes, 3, density, seed);
        let given = random_given(&network, seed ^ 4);
        let row: Vec<Option<u32>> = network.schema().ids().map(|id| given.state(id)).collect();
        let observed = Given::row(&network, &row);
        let all = enumerate(&network, Relative::New, &observed);
        let expected: f64 = all.iter().map(|(_, p)| p).sum();
        let found = Inference::new(&network, Relative::New).log_likelihood(&row).unwrap();
        prop_assert!(found == expected.ln() || close(found, expected.ln()), "{found} {}", expected.ln());
        let complete: Vec<Option<u32>> = all[0].0.iter().map(|&state| Some(state)).collect();
        let found = Inference::new(&network, Relative::New).log_likelihood(&complete).unwrap();
        prop_assert!(found == all[0].1.ln() || close(found, all[0].1.ln()));
    }
}
