//! Predictions are posteriors, and their metrics are those that a pencil gives.

use kinfolk::data::VariableId;
use kinfolk::estimate::Relative;
use kinfolk::infer::{Evaluation, Given, Inference, Predictor};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use crate::enumeration::{random_given, random_network};

proptest! {
    #![proptest_config(ProptestConfig {
        rng_seed: RngSeed::Fixed(12), failure_persistence: None, cases: 200, ..Default::default()
    })]

    #[test]
    fn a_prediction_is_the_posterior_given_the_other_values(
        nodes in 2_usize..8, density in 0.0..0.9, seed in any::<u64>(), complete in any::<bool>(),
    ) {
        let network = random_network(nodes, 3, density, seed);
        let target = VariableId::new(0);
        let inference = Inference::new(&network, Relative::New);
        let mut predictor = Predictor::new(&network, Relative::New, target);
        for repeat in 0..4 {
            let given = random_given(&network, seed ^ repeat);
            let filled = |id| given.state(id).or(complete.then_some(0));
            let row: Vec<Option<u32>> = network.schema().ids().map(filled).collect();
            let mut others = row.clone();
            others[0] = None;
            let others = Given::row(&network, &others);
            // Twice: the second time from the cache.
            for _ in 0..2 {
                match (predictor.probabilities(&row), inference.posterior(target, &others)) {
                    (Ok(predicted), Ok(posterior)) => {
                        for (p, q) in predicted.iter().zip(&posterior) {
                            prop_assert!((p - q).abs() < 1e-12, "{p} {q}");
                        }
                    }
                    (predicted, posterior) => prop_assert_eq!(predicted, posterior),
                }
            }
        }
    }
}

#[test]
fn metrics_agree_with_hand_calculation() {
    let mut evaluation = Evaluation::new(vec![0.5, 0.5]);
    assert!(evaluation.metrics().is_none());
    evaluation.add(Some(&[0.75, 0.25]), 0, 2);
    evaluation.add(Some(&[0.75, 0.25]), 1, 1);
    evaluation.add(Some(&[0.0, 1.0]), 1, 1);
    evaluation.add(None, 1, 1);
    let metrics = evaluation.metrics().unwrap();
    assert_eq!((metrics.n, metrics.impossible, metrics.accuracy), (5, 1, 0.75));
    let close = |left: f64, right: f64| assert!((left - right).abs() < 1e-15, "{left} {right}");
    close(metrics.log_loss, -(2.0 * 0.75_f64.ln() + 0.25_f64.ln()) / 4.0);
    close(metrics.baseline_log_loss, 2.0_f64.ln());
    close(metrics.brier, (2.0 * 0.125 + 1.125) / 4.0);
    // Of the four pairs of a row with state 0 and one with state 1 two are in order, and two are ties.
    close(metrics.auc.unwrap(), 0.75);
    let [middle, last] = &metrics.calibration.bins[..] else { panic!("two bins have rows") };
    assert_eq!((middle.count, middle.mean_predicted, middle.observed_share), (3, 0.75, 2.0 / 3.0));
    assert_eq!((last.from, last.to, last.count, last.observed_share), (0.9, 1.0, 1, 1.0));
    close(metrics.calibration.expected_error, 3.0 / 4.0 * (0.75 - 2.0 / 3.0));
}

#[test]
fn the_area_under_the_curve_is_the_mean_over_states_and_counts_pairs() {
    let rows = [
        ([0.5, 0.3, 0.2], 0, 1),
        ([0.2, 0.5, 0.3], 1, 2),
        ([0.4, 0.4, 0.2], 1, 1),
        ([0.45, 0.1, 0.45], 2, 3),
        ([0.6, 0.2, 0.2], 2, 1),
    ];
    let mut evaluation = Evaluation::new(vec![1.0 / 3.0; 3]);
    rows.iter()
        .for_each(|(probabilities, outcome, weight)| evaluation.add(Some(probabilities), *outcome, *weight));
    let area = |state: usize| {
        let (mut won, mut pairs) = (0.0, 0.0);
        for own in rows.iter().filter(|row| row.1 as usize == state) {
            for other in rows.iter().filter(|row| row.1 as usize != state) {
                let (p, q, weight) = (own.0[state], other.0[state], (own.2 * other.2) as f64);
                won += weight
                    * if p > q {
                        1.0
                    } else if p < q {
                        0.0
                    } else {
                        0.5
                    };
                pairs += weight;
            }
        }
        won / pairs
    };
    let expected = (0..3).map(area).sum::<f64>() / 3.0;
    assert!((evaluation.metrics().unwrap().auc.unwrap() - expected).abs() < 1e-15);
    let mut alike = Evaluation::new(vec![0.5, 0.5]);
    alike.add(Some(&[0.5, 0.5]), 1, 2);
    assert_eq!(alike.metrics().unwrap().auc, None);
}

#[test]
fn an_observed_outcome_of_probability_zero_has_infinite_log_loss() {
    let mut evaluation = Evaluation::new(vec![0.5, 0.5]);
    evaluation.add(Some(&[1.0, 0.0]), 1, 1);
    let metrics = evaluation.metrics().unwrap();
    assert_eq!(metrics.log_loss, f64::INFINITY);
    assert!(serde_json::to_value(&metrics).unwrap()["log_loss"].is_null());
}
