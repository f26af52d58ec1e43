//! The hierarchical fit against forty families fitted in 40-digit arithmetic.

use kinfolk::counts::Counts;
use kinfolk::score::{Bhd, Score};
use kinfolk::variational::{Centre, Prior, fit};
use serde::Deserialize;

#[derive(Deserialize)]
struct GoldenFit {
    name: String,
    s: f64,
    s0: f64,
    counts: Vec<Vec<Vec<u64>>>,
    tau: f64,
    kappa: Vec<Vec<f64>>,
    lower_bound: f64,
    score: f64,
    score_by_data_set: Vec<f64>,
}

fn golden() -> Vec<GoldenFit> {
    serde_json::from_str(include_str!("../golden/families.json")).unwrap()
}

fn relative(value: f64, expected: f64) -> f64 {
    ((value - expected) / expected).abs()
}

#[test]
fn forty_families_give_the_golden_centre_in_few_steps() {
    let families = golden();
    assert_eq!(families.len(), 40);
    let mut steps = 0;
    for family in &families {
        let counts = Counts::from_table(&family.counts);
        let prior = Prior::new(family.s, Centre::Total(family.s0)).unwrap();
        let fitted = fit(&counts, prior);
        let name = &family.name;
        let score = Bhd { prior }.family_score(&counts);
        let off = (score.total - family.score).abs();
        assert!(off <= 1e-8 * family.score.abs(), "{name}: score {} not {}", score.total, family.score);
        for (term, expected) in score.by_data_set.unwrap().iter().zip(&family.score_by_data_set) {
            assert!((term - expected).abs() <= 1e-8 * expected.abs(), "{name}: {term} not {expected}");
        }
        assert!(fitted.converged(), "{name}");
        assert!(fitted.iterations <= 10, "{name}: {} steps", fitted.iterations);
        steps += fitted.iterations;
        assert!(relative(fitted.tau, family.tau) < 1e-6, "{name}: tau {} not {}", fitted.tau, family.tau);
        assert!(relative(fitted.elbo, family.lower_bound) < 1e-8, "{name}: bound");
        let mut kappa = fitted.kappa.iter();
        for (configuration, expected) in family.kappa.iter().enumerate() {
            for (state, &expected) in expected.iter().enumerate() {
                let seen = family.counts.iter().any(|counts| counts[configuration][state] > 0);
                let value = if seen { *kappa.next().unwrap() } else { fitted.kappa_unseen };
                assert!(relative(value, expected) < 1e-6, "{name}: kappa {value} not {expected}");
            }
        }
    }
    assert!(steps <= 40 * 5, "{steps} steps in all");
}
