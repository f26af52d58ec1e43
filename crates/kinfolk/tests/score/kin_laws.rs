//! Laws of the evidence behind the `kin` score: its limits, where it is exact, and sampling as an oracle.

use kinfolk::counts::Counts;
use kinfolk::laplace::{Cells, evidence};
use kinfolk::score::{Bdeu, Grid, K2, Kin, Score};
use kinfolk::special::{ln_gamma, ln_rising, trigamma_rise};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// counts[data set][configuration][state]
pub(crate) type CellCounts = Vec<Vec<Vec<u64>>>;

const BOTH: [Cells; 2] = [Cells::Row, Cells::Joint];

/// Related tables: small counts, many zeros, now and then large ones or an empty data set.
fn tables(most: u64) -> impl Strategy<Value = CellCounts> {
    (1_usize..6, 1_usize..6, 2_usize..5).prop_flat_map(move |(data_sets, configurations, states)| {
        let count = prop_oneof![3 => Just(0_u64), 4 => 1..20.min(most), 1 => 1..most];
        let table = prop::collection::vec(prop::collection::vec(count, states), configurations);
        let empty = Just(vec![vec![0; states]; configurations]);
        prop::collection::vec(prop_oneof![8 => table, 1 => empty], data_sets)
    })
}

fn close(a: f64, b: f64, tolerance: f64) -> bool {
    (a - b).abs() <= tolerance * (1.0 + a.abs().max(b.abs()))
}

fn value(table: &CellCounts, cells: Cells, s: f64) -> f64 {
    evidence(&Counts::from_table(table), cells, s)
}

/// The tables of some configurations.
fn rows(table: &CellCounts, keep: impl Fn(usize) -> bool) -> CellCounts {
    let kept = |counts: &Vec<Vec<u64>>| {
        counts.iter().enumerate().filter(|(j, _)| keep(*j)).map(|(_, row)| row.clone()).collect()
    };
    table.iter().map(kept).collect()
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 200, failure_persistence: None, rng_seed: RngSeed::Fixed(8), ..ProptestConfig::default()
    })]

    #[test]
    fn as_s_grows_the_data_sets_become_one(table in tables(200)) {
        let pooled = K2.family_score(&Counts::from_table(&table)).total;
        prop_assert!(close(value(&table, Cells::Row, 1e9), pooled, 1e-4));
        prop_assert!(!close(value(&table, Cells::Row, 1.0), pooled, 1e-4) || table.len() < 5);
    }

    #[test]
    fn as_s_vanishes_every_data_set_has_its_own_states(table in tables(200)) {
        // ln E Π a^M for a uniform on the simplex, M the number of data sets that have a state, and the terms
        // independent of s.
        let s: f64 = 1e-7;
        let states = table[0][0].len();
        let mut expected = 0.0;
        for j in 0..table[0].len() {
            let mut having = vec![0.0; states];
            for counts in table.iter().map(|counts| &counts[j]).filter(|counts| counts.iter().sum::<u64>() > 0) {
                let seen = counts.iter().filter(|&&count| count > 0).count();
                expected += (seen - 1) as f64 * s.ln() - ln_gamma(counts.iter().sum::<u64>() as f64);
                for (having, &count) in having.iter_mut().zip(counts).filter(|(_, count)| **count > 0) {
                    *having += 1.0;
                    expected += ln_gamma(count as f64);
                }
            }
            expected += ln_gamma(states as f64) - ln_gamma(states as f64 + having.iter().sum::<f64>());
            expected += having.iter().map(|having| ln_gamma(1.0 + having)).sum::<f64>();
        }
        prop_assert!(close(value(&table, Cells::Row, s), expected, 1e-5));
    }

    #[test]
    fn one_row_per_data_set_is_uninformative_about_s(states in prop::collection::vec(0_usize..4, 1..9), s in 1e-3_f64..1e4) {
        let table: CellCounts = states.iter().map(|&state| vec![(0..4).map(|k| u64::from(k == state)).collect()]).collect();
        let pooled = K2.family_score(&Counts::from_table(&table)).total;
        prop_assert!(close(value(&table, Cells::Row, s), pooled, 1e-10));
    }

    #[test]
    fn configurations_add_up_and_equal_ones_count_with_their_multiplicity(table in tables(60), s in 0.05_f64..500.0) {
        let alone = |j: usize| value(&rows(&table, |other| other == j), Cells::Row, s);
        let sum: f64 = (0..table[0].len()).map(alone).sum();
        prop_assert!(close(value(&table, Cells::Row, s), sum, 1e-9));
        // The same configurations with data sets and states in another order.
        let mut doubled = table.clone();
        for (counts, other) in doubled.iter_mut().zip(table.iter().rev()) {
            counts.extend(other.iter().map(|row| row.iter().rev().copied().collect::<Vec<_>>()));
        }
        prop_assert!(close(value(&doubled, Cells::Row, s), 2.0 * sum, 1e-9));
    }

    #[test]
    fn without_parents_joint_cells_are_the_rows(table in tables(500), s in 0.05_f64..500.0) {
        let alone = rows(&table, |j| j == 0);
        prop_assert!(close(value(&alone, Cells::Row, s), value(&alone, Cells::Joint, s), 1e-10));
    }

    #[test]
    fn a_grid_gives_what_its_values_give_one_by_one(
        table in tables(3000),
        grid in prop::collection::vec(-2.0_f64..5.0, 1..7),
    ) {
        let counts = Counts::from_table(&table);
        for cells in BOTH {
            let values: Vec<f64> = grid.iter().map(|power| 10.0_f64.powf(*power)).collect();
            let grid = Grid::new(values).unwrap();
            let single: Vec<f64> = grid.values().iter().map(|&s| evidence(&counts, cells, s)).collect();
            let best = single.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let sum: f64 = grid.weights().iter().zip(&single).map(|(w, v)| w * (v - best).exp()).sum();
            let kin = Kin { grid, pooled_half: false, cells };
            let score = kin.explain(&counts);
            prop_assert!(close(score.total, best + sum.ln(), 1e-9), "{} not {}", score.total, best + sum.ln());
            prop_assert!(score.converged());
            let fit = score.kin.unwrap();
            prop_assert!(close(fit.kinship.s_posterior.iter().sum(), 1.0, 1e-12));
            prop_assert_eq!(fit.kinship.pooled_share, None);
            for row in fit.centre {
                prop_assert!(close(row.probabilities.iter().sum(), 1.0, 1e-9));
            }
            prop_assert_eq!(kin.family_score(&counts).total, score.total);
        }
    }

    #[test]
    fn the_pooled_half_is_bdeu_and_its_share_of_the_score_the_probability_of_identity(table in tables(300)) {
        let counts = Counts::from_table(&table);
        let score = Kin::default().explain(&counts);
        let related = Kin { pooled_half: false, ..Kin::default() }.family_score(&counts).total;
        let identical = score.kin.unwrap().kinship.pooled_share.unwrap();
        let pooled = Bdeu::default().family_score(&counts).total;
        prop_assert!(close(identical.ln(), pooled - score.total - 2.0_f64.ln(), 1e-9));
        prop_assert!(score.total <= pooled.max(related) + 1e-9);
        prop_assert!(score.total >= pooled.max(related) - 2.0_f64.ln() - 1e-9);
    }
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
        ("a rare state", vec![vec![vec![billion, 1, 0]], vec![vec![billion, 0, 2]]]),
        ("one state", vec![vec![vec![5]], vec![vec![9]]]),
        ("forty states", vec![vec![(0..40).map(|k| k * k % 17).collect()], vec![vec![1; 40]]]),
    ];
    let grid = Grid::new((-9..=9).map(|power| 10.0_f64.powi(power)).collect()).unwrap();
    for (name, table) in &tables {
        let counts = Counts::from_table(table);
        for cells in BOTH {
            let score = Kin { grid: grid.clone(), pooled_half: true, cells }.explain(&counts);
            assert!(score.converged(), "{name}, {cells:?}");
            assert!(score.total.is_finite() && score.total <= 0.0, "{name}, {cells:?}: {}", score.total);
            for &s in grid.values() {
                let single = evidence(&counts, cells, s);
                assert!(single.is_finite() && single <= 1e-9, "{name}, {cells:?}, s = {s}: {single}");
            }
        }
    }
}

#[test]
fn wide_grids_keep_every_s_with_a_share() {
    // Two data sets with nothing in common: the evidence of a small s was worked out by hand, ln(1/6) apart from terms in s.
    let counts = Counts::from_table(&[vec![vec![50, 0]], vec![vec![0, 50]]]);
    for values in [vec![1e-9, 1e9], vec![1e-9, 1e8], vec![1e-9, 1.0, 1e9], vec![1e-9, 1e-3]] {
        let small = evidence(&counts, Cells::Row, values[0]);
        assert!((small - (1.0_f64 / 6.0).ln()).abs() < 1e-4, "{small}");
        let grid = Grid::new(values).unwrap();
        let single: Vec<f64> = grid.values().iter().map(|&s| evidence(&counts, Cells::Row, s)).collect();
        let sum: f64 = grid.weights().iter().zip(&single).map(|(weight, value)| weight * value.exp()).sum();
        let kin = Kin { grid, pooled_half: false, cells: Cells::Row };
        assert!(close(kin.family_score(&counts).total, sum.ln(), 1e-9), "{single:?}");
    }
}

/// A gamma variate with scale one (Marsaglia and Tsang 2000, <https://doi.org/10.1145/358407.358414>).
fn gamma(shape: f64, random: &mut ChaCha8Rng) -> f64 {
    if shape < 1.0 {
        return gamma(shape + 1.0, random) * random.random::<f64>().powf(1.0 / shape);
    }
    let d = shape - 1.0 / 3.0;
    loop {
        let (u1, u2): (f64, f64) = (1.0 - random.random::<f64>(), random.random());
        let normal = (-2.0 * u1.ln()).sqrt() * (std::f64::consts::TAU * u2).cos();
        let v = (1.0 + normal / (9.0 * d).sqrt()).powi(3);
        if v > 0.0 && (1.0 - random.random::<f64>()).ln() < 0.5 * normal * normal + d - d * v + d * v.ln() {
            return d * v;
        }
    }
}

/// ln of the evidence of one configuration by importance sampling of the centre, and its standard error.
fn sampled(table: &CellCounts, s: f64, random: &mut ChaCha8Rng) -> (f64, f64) {
    let single = Kin { grid: Grid::new(vec![s]).unwrap(), pooled_half: false, cells: Cells::Row };
    let centre = single.explain(&Counts::from_table(table)).kin.unwrap().centre[0].probabilities.clone();
    let states = centre.len() as f64;
    // Half of the draws are from the prior, half are spread like the integrand, a little wider.
    let curvature = |state: usize, x: f64| -> f64 {
        table.iter().map(|counts| -x * x * trigamma_rise(x, counts[0][state])).sum()
    };
    let shape: Vec<f64> =
        centre.iter().enumerate().map(|(state, k)| 1.0 + 0.9 * curvature(state, s * k)).collect();
    let density = |a: &[f64], shape: &[f64]| {
        ln_gamma(shape.iter().sum())
            + shape.iter().zip(a).map(|(shape, a)| (shape - 1.0) * a.ln() - ln_gamma(*shape)).sum::<f64>()
    };
    let draws = 40_000;
    let weights: Vec<f64> = (0..draws)
        .map(|draw| {
            let from: Vec<f64> = if draw % 2 == 0 { vec![1.0; centre.len()] } else { shape.clone() };
            let drawn: Vec<f64> = from.iter().map(|shape| gamma(*shape, random).max(1e-280)).collect();
            let total: f64 = drawn.iter().sum();
            let a: Vec<f64> = drawn.iter().map(|drawn| drawn / total).collect();
            let likelihood: f64 = table
                .iter()
                .map(|counts| {
                    let cells: f64 =
                        a.iter().zip(&counts[0]).map(|(a, &count)| ln_rising(s * a, count)).sum();
                    cells - ln_rising(s, counts[0].iter().sum())
                })
                .sum();
            let prior = ln_gamma(states);
            let proposal = (0.5 * prior.exp() + 0.5 * density(&a, &shape).exp()).ln();
            likelihood + prior - proposal
        })
        .collect();
    let best = weights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let relative: Vec<f64> = weights.iter().map(|weight| (weight - best).exp()).collect();
    let mean = relative.iter().sum::<f64>() / f64::from(draws);
    let variance = relative.iter().map(|weight| (weight - mean).powi(2)).sum::<f64>() / f64::from(draws);
    (best + mean.ln(), (variance / f64::from(draws)).sqrt() / mean)
}

#[test]
fn importance_sampling_agrees_on_up_to_twelve_states() {
    let mut random = ChaCha8Rng::seed_from_u64(11);
    for (states, data_sets, most) in [(3, 4, 30), (4, 10, 12), (6, 3, 60), (12, 5, 20)] {
        let table: CellCounts = (0..data_sets)
            .map(|_| vec![(0..states).map(|_| random.random_range(0..most)).collect()])
            .collect();
        for s in [0.1, 1.0, 8.0, 60.0, 1000.0] {
            let (sampled, error) = sampled(&table, s, &mut random);
            let laplace = value(&table, Cells::Row, s);
            assert!(error < 0.05, "{states} states, s = {s}: the sample has an error of {error}");
            let difference = (laplace - sampled).abs();
            // The error of the method itself, as measured with many samples: 0.08.
            assert!(
                difference < 0.08 + 4.0 * error,
                "{states} states, s = {s}: {laplace} not {sampled} ± {error}"
            );
        }
    }
}

#[test]
fn centres_are_listed_up_to_a_limit() {
    for (configurations, states) in [(64, 1024), (65, 1024)] {
        let table: Vec<Vec<u64>> =
            (0..configurations).map(|j| (0..states).map(|k| u64::from(k == j)).collect()).collect();
        let counts = Counts::from_table(&[table.clone(), table]);
        let explained = Kin::default().explain(&counts);
        let fit = explained.kin.as_ref().unwrap();
        let listed = if configurations == 64 { 64 } else { 0 };
        assert_eq!((fit.centre.len(), fit.left_out), (listed, configurations - listed));
        assert!(fit.centre.iter().all(|row| close(row.probabilities.iter().sum(), 1.0, 1e-9)));
        assert!(close(explained.total, Kin::default().family_score(&counts).total, 1e-12));
    }
}
