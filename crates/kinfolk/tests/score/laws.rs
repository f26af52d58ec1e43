//! Laws that every score keeps, one function each, run on all of them.

use std::ops::ControlFlow;

use crate::random::{id, random_data};
use kinfolk::counts::{Batch, Counts, Family, MemoryTally};
use kinfolk::data::RelatedData;
use kinfolk::graph::{Dag, Move};
use kinfolk::laplace::Cells;
use kinfolk::score::{
    Aic, Bdeu, BdeuSeparate, Bdj, Bds, Bhd, Bic, Grid, ImaginarySampleSize, K2, Kin, LogLikelihood, Score,
    ScoreOrBound, Scorer, StructurePrior, UpperBounds, WithStructurePrior,
};
use kinfolk::special::ln_rising;
use kinfolk::variational::{Centre, Prior};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

fn all_scores() -> Vec<Box<dyn Score>> {
    let iss = ImaginarySampleSize::new(3.0).unwrap();
    vec![
        Box::new(Bhd::default()),
        Box::new(Bdeu { iss }),
        Box::new(BdeuSeparate { iss }),
        Box::new(Bic),
        Box::new(Aic),
        Box::new(LogLikelihood),
        Box::new(K2),
        Box::new(Bds { iss }),
        Box::new(Bdj),
        Box::new(Kin::default()),
        Box::new(Kin {
            grid: Grid::new(vec![1e-9, 0.7, 3.0, 1e9]).unwrap(),
            pooled_half: false,
            ..Kin::default()
        }),
        Box::new(Kin {
            grid: Grid::new(vec![0.3, 4.0, 1e6]).unwrap(),
            pooled_half: false,
            cells: Cells::Joint,
        }),
    ]
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * (1.0 + a.abs().max(b.abs()))
}

fn network_score(data: &RelatedData, score: &dyn Score, dag: &Dag) -> f64 {
    let tally = MemoryTally::new(data);
    let families: Vec<Family> = dag.nodes().map(|node| Family::of(dag, node)).collect();
    Scorer::new(&tally, score).explain(&families).unwrap().iter().map(|score| score.total).sum()
}

/// Every choice of arcs along the column order, or against it.
fn random_dag(size: usize, bits: u64) -> Dag {
    let pairs = (0..size).flat_map(|to| (0..to).map(move |from| (from, to)));
    let chosen = pairs.enumerate().filter(|(index, _)| bits >> (index % 64) & 1 == 1);
    Dag::from_arcs(size, chosen.map(|(_, (from, to))| (id(from), id(to)))).unwrap()
}

fn tables() -> impl Strategy<Value = Vec<Vec<Vec<u64>>>> {
    let count = prop_oneof![2 => Just(0_u64), 3 => 1_u64..40];
    let table = prop::collection::vec(prop::collection::vec(count, 3), 4);
    prop::collection::vec(table, 1..5)
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 100, failure_persistence: None, rng_seed: RngSeed::Fixed(3), ..ProptestConfig::default()
    })]

    #[test]
    fn equivalent_graphs_score_equally_where_the_score_claims_it(seed in any::<u64>(), bits in any::<u64>()) {
        let data = random_data(&[2, 3, 2, 4], &[40, 25], false, seed);
        let mut dag = random_dag(4, bits);
        // Turning a covered arc over (both ends have the same other parents) stays in the class.
        let covered = dag.arcs().find(|&(from, to)| {
            let others: Vec<_> = dag.parents(to).iter().copied().filter(|&parent| parent != from).collect();
            others == dag.parents(from)
        });
        if let Some((from, to)) = covered {
            let before = dag.clone();
            dag.apply(&Move::reverse(from, to)).unwrap();
            for prior in [StructurePrior::Uniform, StructurePrior::Size] {
                for score in all_scores().into_iter().filter(|score| score.is_score_equivalent()) {
                    let score = WithStructurePrior { score, structure_prior: prior };
                    let (a, b) = (network_score(&data, &score, &before), network_score(&data, &score, &dag));
                    prop_assert!(close(a, b), "{}: {a} and {b}", score.name());
                }
            }
        }
    }

    #[test]
    fn renaming_states_data_sets_and_configurations_changes_no_score(table in tables()) {
        let mut renamed = table.clone();
        renamed.reverse();
        for counts in &mut renamed {
            counts.rotate_left(1);
            counts.iter_mut().for_each(|states| states.rotate_left(1));
        }
        let (a, b) = (Counts::from_table(&table), Counts::from_table(&renamed));
        for score in all_scores() {
            let (a, b) = (score.family_score(&a), score.family_score(&b));
            prop_assert!(close(a.total, b.total), "{}", score.name());
            if let (Some(a), Some(mut b)) = (a.by_data_set, b.by_data_set) {
                b.reverse();
                prop_assert!(a.iter().zip(&b).all(|(&a, &b)| close(a, b)), "{}", score.name());
            }
        }
    }

    #[test]
    fn no_score_is_above_its_upper_bound(
        table in tables(),
        larger in 1_u64..300,
        ln_s in -9_f64..9.0,
        ln_weight in -5_f64..5.0,
    ) {
        let prior = Prior::new(ln_s.exp(), Centre::PerCell(ln_weight.exp())).unwrap();
        let narrow = Kin { grid: Grid::new(vec![ln_s.exp()]).unwrap(), pooled_half: false, cells: Cells::Row };
        let mut scores = all_scores();
        scores.push(Box::new(Bhd { prior }));
        scores.push(Box::new(narrow));
        // Also with one data set that has most of the rows, with all of them large, and with few states or configurations.
        let mut uneven = table.clone();
        uneven[0].iter_mut().flatten().for_each(|count| *count *= larger);
        let mut large = table.clone();
        large.iter_mut().flatten().flatten().for_each(|count| *count *= larger * larger * larger);
        let few: Vec<Vec<Vec<u64>>> =
            table.iter().map(|rows| vec![rows[0].iter().map(|count| count % 2).collect()]).collect();
        let one: Vec<Vec<Vec<u64>>> = table.iter().map(|rows| vec![vec![rows[0][0]], vec![rows[1][0]]]).collect();
        for table in [table, uneven, large, few, one] {
            let counts = Counts::from_table(&table);
            let mut bounded = Vec::new();
            for score in &scores {
                let Some(bounds) = score.upper_bounds() else { continue };
                let (total, bound) = (score.family_score(&counts).total, bounds.upper_bound(&counts));
                prop_assert!(total <= bound, "{}: {total} above {bound}", score.name());
                prop_assert!(bound < f64::INFINITY, "{}", score.name());
                bounded.push(score.name());
            }
            prop_assert!(bounded.contains(&"bhd") && bounded.contains(&"kin"), "{bounded:?}");
        }
    }

    #[test]
    fn families_bounded_below_a_threshold_score_below_it(table in tables(), larger in 1_u64..60, ln_above in -4_f64..5.0) {
        let mut uneven = table.clone();
        uneven[0].iter_mut().flatten().for_each(|count| *count *= larger);
        let mut large = table.clone();
        large.iter_mut().flatten().flatten().for_each(|count| *count *= larger);
        for table in [table, uneven, large] {
            let counts = Counts::from_table(&table);
            for score in all_scores() {
                let Some(bounds) = score.upper_bounds() else { continue };
                let exact = score.family_score(&counts);
                for least in [exact.total - 1.0, exact.total, exact.total + ln_above.exp()] {
                    match bounds.score_unless_below(&counts, least) {
                        ScoreOrBound::Score(score) => prop_assert_eq!(&score, &exact),
                        ScoreOrBound::AtMost(most) => {
                            let sound = exact.total <= most && most < least;
                            prop_assert!(sound, "{}: {} {most} {least}", score.name(), exact.total);
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn no_centre_gives_bhd_more_than_its_upper_bound(
        table in tables(),
        centre in prop::collection::vec(-12_f64..0.0, 12),
        ln_s in -14_f64..14.0,
    ) {
        let s = ln_s.exp();
        let bound = Bhd { prior: Prior::new(s, Centre::PerCell(1.0)).unwrap() }.upper_bound(&Counts::from_table(&table));
        let whole: f64 = centre.iter().map(|share| share.exp()).sum();
        let alpha: Vec<f64> = centre.iter().map(|share| s * share.exp() / whole).collect();
        let mut total = 0.0;
        for rows in &table {
            for (counts, alpha) in rows.iter().zip(alpha.chunks(3)) {
                total += counts.iter().zip(alpha).map(|(&count, &alpha)| ln_rising(alpha, count)).sum::<f64>();
                total -= ln_rising(alpha.iter().sum(), counts.iter().sum());
            }
        }
        prop_assert!(total <= bound, "s = {s}: {total} above {bound}");
    }

    #[test]
    fn terms_by_data_set_add_up_to_the_score(table in tables()) {
        let counts = Counts::from_table(&table);
        for score in all_scores() {
            let score = score.family_score(&counts);
            if let Some(terms) = score.by_data_set {
                prop_assert!(close(terms.iter().sum(), score.total));
                prop_assert_eq!(terms.len(), table.len());
            }
        }
    }

    #[test]
    fn one_data_set_with_no_pooling_equals_bdeu(table in tables()) {
        let counts = Counts::from_table(&table[..1]);
        let iss = ImaginarySampleSize::new(2.0).unwrap();
        let (alone, pooled) = (BdeuSeparate { iss }.family_score(&counts), Bdeu { iss }.family_score(&counts));
        prop_assert!(close(alone.total, pooled.total));
    }

    #[test]
    fn no_pooling_is_the_sum_of_the_data_sets_each_alone(table in tables()) {
        let score = BdeuSeparate::default();
        let together = score.family_score(&Counts::from_table(&table));
        for (term, data_set) in together.by_data_set.unwrap().iter().zip(&table) {
            let alone = Bdeu::default().family_score(&Counts::from_table(std::slice::from_ref(data_set)));
            prop_assert!(close(*term, alone.total));
        }
    }

    #[test]
    fn pooled_scores_do_not_see_how_rows_are_split_over_data_sets(table in tables()) {
        let stacked = (0..4).map(|j| (0..3).map(|k| table.iter().map(|counts| counts[j][k]).sum()).collect()).collect();
        let (split, stacked) = (Counts::from_table(&table), Counts::from_table(&[stacked]));
        for score in all_scores().iter().filter(|score| score.is_pooled()) {
            prop_assert!(close(score.family_score(&split).total, score.family_score(&stacked).total));
        }
    }
}

#[test]
fn a_prior_on_structures_is_added_to_every_family_of_every_score() {
    let data = random_data(&[2, 3, 2, 2], &[30, 20], false, 5);
    let tally = MemoryTally::new(&data);
    let family = Family::new(id(0), [id(1), id(3)]);
    let family = std::slice::from_ref(&family);
    for score in all_scores() {
        let with = |score, structure_prior| WithStructurePrior { score, structure_prior };
        let bare = with(score, StructurePrior::Uniform);
        let plain = Scorer::new(&tally, &bare).explain(family).unwrap();
        let sized = with(bare.score, StructurePrior::Size);
        let mut scorer = Scorer::new(&tally, &sized);
        let prior = &scorer.explain(family).unwrap()[0];
        // One of the three sets of two parents that a node among four can have.
        assert!((prior.structure_prior.unwrap() + 3.0_f64.ln()).abs() < 1e-14);
        assert!(close(prior.total, plain[0].total - 3.0_f64.ln()), "{}", sized.name());
        assert_eq!((plain[0].structure_prior, &plain[0].by_data_set), (None, &prior.by_data_set));
        let known = scorer.scores(&Batch::of(family), &mut |_| ControlFlow::Continue(())).unwrap();
        assert_eq!(known[0].total, prior.total, "{}", sized.name());
    }
    assert_eq!(Kin::default().structure_prior(), StructurePrior::Size);
    assert_eq!(Bhd::default().structure_prior(), StructurePrior::Uniform);
}

#[test]
fn no_rows_give_a_score_of_zero_or_less_and_never_a_nan() {
    let counts = Counts::from_table(&[vec![vec![0, 0]; 3], vec![vec![0, 0]; 3]]);
    for score in all_scores() {
        let total = score.family_score(&counts).total;
        assert!(total.is_finite() && total <= 0.0, "{}: {total}", score.name());
    }
}

#[test]
fn rounding_takes_no_score_above_its_upper_bound() {
    let prior = |s, alpha0| Bhd { prior: Prior::new(s, Centre::PerCell(alpha0)).unwrap() };
    let cases = [
        (prior(1e-9, 1e-9), vec![vec![vec![1_000_000_000, 0]], vec![vec![0, 17_648_698]]]),
        (prior(1e-9, 10.0), vec![vec![vec![1_000_000_000_000, 1], vec![963_419_409_894, 1]]]),
        (Bhd::default(), vec![vec![vec![1_000_000_000_000_000, 0]], vec![vec![294_943_663_411_530, 0]]]),
    ];
    for (bhd, table) in cases {
        let counts = Counts::from_table(&table);
        for score in [&bhd as &dyn Score, &Kin::default()] {
            let bounds = score.upper_bounds().unwrap();
            let (total, bound) = (score.family_score(&counts).total, bounds.upper_bound(&counts));
            assert!(total <= bound, "{}, {table:?}: {total} above {bound}", score.name());
        }
    }
}

#[test]
fn imaginary_sample_sizes_must_be_positive_numbers() {
    for wrong in [0.0, -1.0, 1e-12, 1e12, f64::NAN, f64::INFINITY] {
        let error = ImaginarySampleSize::new(wrong).unwrap_err().to_string();
        assert!(error.contains("the imaginary sample size (iss) must be"), "{error}");
    }
}
