//! Laws of the hierarchical fit, its extremes, and the printed algorithm as an oracle.

use kinfolk::counts::Counts;
use kinfolk::score::{Bhd, Score};
use kinfolk::variational::{Centre, Fitted, Prior, Start, fit, fit_from};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use crate::algorithm1;
use crate::kin_laws::CellCounts;

/// Related tables: small counts, many zeros, now and then large ones or an empty data set.
fn tables() -> impl Strategy<Value = CellCounts> {
    (1_usize..6, 1_usize..7, 2_usize..5).prop_flat_map(|(data_sets, configurations, states)| {
        let count = prop_oneof![4 => Just(0_u64), 4 => 1_u64..20, 1 => 20_u64..5000];
        let table = prop::collection::vec(prop::collection::vec(count, states), configurations);
        let empty = Just(vec![vec![0; states]; configurations]);
        prop::collection::vec(prop_oneof![8 => table, 1 => empty], data_sets)
    })
}

fn priors() -> impl Strategy<Value = Prior> {
    let weight = prop::sample::select(vec![0.1, 0.5, 1.0, 3.0, 10.0, 100.0]);
    (weight.clone(), weight, any::<bool>()).prop_map(|(s, centre, per_cell)| {
        Prior::new(s, if per_cell { Centre::PerCell(centre) } else { Centre::Total(centre) }).unwrap()
    })
}

fn close(a: f64, b: f64, tolerance: f64) -> bool {
    (a - b).abs() <= tolerance * (1.0 + a.abs().max(b.abs()))
}

fn same_fit(a: &Fitted, b: &Fitted) -> bool {
    let kappas = a.kappa.iter().zip(&b.kappa).all(|(a, b)| (a - b).abs() <= 1e-6 * a);
    kappas
        && close(a.kappa_unseen, b.kappa_unseen, 1e-6)
        && close(a.tau, b.tau, 1e-5)
        && close(a.elbo, b.elbo, 1e-8)
}

fn score(table: &CellCounts, prior: Prior) -> f64 {
    Bhd { prior }.family_score(&Counts::from_table(table)).total
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 300, failure_persistence: None, rng_seed: RngSeed::Fixed(1), ..ProptestConfig::default()
    })]

    #[test]
    fn any_start_gives_the_same_fit(
        table in tables(),
        prior in priors(),
        weight in 0.01_f64..100.0,
        tau in 0.1_f64..10_000.0,
    ) {
        let counts = Counts::from_table(&table);
        let usual = fit(&counts, prior);
        prop_assert!(usual.converged());
        for start in [Start::Uniform { tau }, Start::Smoothed { weight, tau }] {
            let other = fit_from(&counts, prior, start, &mut |_| {});
            prop_assert!(other.converged());
            prop_assert!(same_fit(&usual, &other), "{start:?}: {usual:?} {other:?}");
        }
    }

    #[test]
    fn the_elbo_never_falls(
        table in tables(),
        prior in prop_oneof![priors(), prop::sample::select(extreme_priors())],
        tau in 0.1_f64..10_000.0,
        weight in 0.01_f64..100.0,
    ) {
        let counts = Counts::from_table(&table);
        for start in [Start::Balanced, Start::Uniform { tau }, Start::Smoothed { weight, tau }] {
            let mut last = f64::NEG_INFINITY;
            let mut fell = None;
            fit_from(&counts, prior, start, &mut |iterate| {
                if iterate.elbo < last - iterate.noise {
                    fell = Some((last, iterate.elbo));
                }
                last = iterate.elbo;
            });
            prop_assert_eq!(fell, None, "{:?}", start);
        }
    }

    #[test]
    fn renaming_states_data_sets_and_parent_configurations_changes_nothing(
        table in tables(),
        prior in priors(),
        turns in (0_usize..5, 0_usize..5, 0_usize..5),
    ) {
        let mut renamed = table.clone();
        let data_sets = renamed.len();
        renamed.rotate_left(turns.0 % data_sets);
        for counts in &mut renamed {
            let configurations = counts.len();
            counts.rotate_left(turns.1 % configurations);
            for states in counts {
                let number = states.len();
                states.rotate_left(turns.2 % number);
                states.reverse();
            }
        }
        prop_assert!(close(score(&table, prior), score(&renamed, prior), 1e-10));
        let (a, b) = (fit(&Counts::from_table(&table), prior), fit(&Counts::from_table(&renamed), prior));
        prop_assert!(close(a.tau, b.tau, 1e-7) && close(a.elbo, b.elbo, 1e-10));
    }

    #[test]
    fn the_printed_algorithm_agrees_where_it_converges(table in tables(), s in 0.2_f64..2.0) {
        let prior = Prior::new(s, Centre::PerCell(1.0)).unwrap();
        let fitted = fit(&Counts::from_table(&table), prior);
        if let Some(oracle) = algorithm1::fit(&table, s, 1.0) {
            prop_assert!(close(oracle.tau, fitted.tau, 1e-4), "τ {} not {}", fitted.tau, oracle.tau);
            let mut kappa = fitted.kappa.iter();
            for (cell, &expected) in oracle.kappa.iter().enumerate() {
                let states = table[0][0].len();
                let seen = table.iter().any(|counts| counts[cell / states][cell % states] > 0);
                let value = if seen { *kappa.next().unwrap() } else { fitted.kappa_unseen };
                prop_assert!(close(value, expected, 1e-6), "κ {value} not {expected}");
            }
        }
    }
}

#[test]
fn the_printed_algorithm_does_converge_on_ordinary_tables() {
    let table: CellCounts =
        vec![vec![vec![12, 3], vec![4, 9]], vec![vec![8, 8], vec![1, 14]], vec![vec![20, 2], vec![6, 6]]];
    let oracle = algorithm1::fit(&table, 1.0, 1.0).expect("the printed algorithm converges here");
    let fitted = fit(&Counts::from_table(&table), Prior::default());
    for (value, expected) in fitted.kappa.iter().zip(&oracle.kappa) {
        assert!((value - expected).abs() < 1e-8);
    }
}

/// The extremes of the valid priors.
fn extreme_priors() -> Vec<Prior> {
    let weights = [1e-3, 0.1, 1.0, 30.0, 1e4];
    let mut priors = Vec::new();
    for s in weights {
        for alpha0 in weights {
            priors.push(Prior::new(s, Centre::PerCell(alpha0)).unwrap());
        }
    }
    priors
}

#[test]
fn the_extremes_converge_to_finite_numbers() {
    let billion = 1_000_000_000;
    let tables: Vec<(&str, CellCounts)> = vec![
        ("one data set", vec![vec![vec![3, 4], vec![5, 0]]]),
        ("one row", vec![vec![vec![0, 1, 0], vec![0, 0, 0]]]),
        ("no rows at all", vec![vec![vec![0, 0]], vec![vec![0, 0]]]),
        ("an empty data set", vec![vec![vec![3, 4]], vec![vec![0, 0]], vec![vec![7, 1]]]),
        ("a thousand data sets", (0..1000).map(|f| vec![vec![f % 7, f % 3], vec![f % 2, 5]]).collect()),
        ("all rows alike", vec![vec![vec![50, 0], vec![0, 0]]; 5]),
        ("counts of 1e9", vec![vec![vec![billion, 3 * billion]], vec![vec![2 * billion, billion]]]),
        ("one state", vec![vec![vec![5]], vec![vec![9]]]),
    ];
    for (name, table) in &tables {
        let counts = Counts::from_table(table);
        for prior in extreme_priors() {
            let fitted = fit(&counts, prior);
            let score = Bhd { prior }.family_score(&counts);
            assert!(
                score.total.is_finite() && score.total <= 0.0,
                "{name}, {prior:?}: score {}",
                score.total
            );
            assert!(fitted.tau.is_finite() && fitted.tau > 0.0, "{name}, {prior:?}");
            assert!(
                fitted.converged(),
                "{name}, {prior:?}: {:?} after {}",
                fitted.outcome,
                fitted.iterations
            );
        }
    }
}
