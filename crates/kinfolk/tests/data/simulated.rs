//! Simulated networks and rows: exact numbers of arcs, the specified distributions, and the same bits for the same
//! seed.

#![expect(clippy::unwrap_used, reason = "a test may fail loudly")]

use kinfolk::data::{DataSetId, RelatedData, VariableId};
use kinfolk::estimate::Relative;
use kinfolk::graph::Dag;
use kinfolk::remedy::{Actionable, Neutral};
use kinfolk::simulate::{
    Design, DesignError, Level, Parameters, Removed, Scenario, Simulated, Streams, sample, simulate,
};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

fn design() -> Design {
    Design {
        nodes: 5,
        arcs: 6,
        max_parents: None,
        states: vec![2],
        rows: vec![100; 3],
        parameters: Parameters::Hier,
        level: Level::Joint,
        s: 10.0,
        alpha0: 1.0,
        scenario: Scenario::A,
    }
}

fn node(index: usize) -> VariableId {
    VariableId::new(index)
}

fn table(simulated: &Simulated, node: VariableId, data_set: usize) -> &[f64] {
    simulated.truth.table(node, DataSetId::new(data_set)).values()
}

/// The mean and the variance of one probability over the data sets.
fn moments(simulated: &Simulated, node: VariableId, cell: usize) -> (f64, f64) {
    let data_sets = simulated.structures.len();
    let values: Vec<f64> = (0..data_sets).map(|f| table(simulated, node, f)[cell]).collect();
    let mean = values.iter().sum::<f64>() / data_sets as f64;
    let variance = values.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>();
    (mean, variance / data_sets as f64)
}

/// The only node of a two-node network that has a parent.
fn child(dag: &Dag) -> VariableId {
    dag.arcs().next().unwrap().1
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 200,
        rng_seed: RngSeed::Fixed(20),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn a_network_has_exactly_the_requested_arcs(
        nodes in 1_usize..15, share in 0.0..1.0_f64, most in prop::option::of(1_usize..5), seed: u64,
    ) {
        let room: usize = (0..nodes).map(|place| place.min(most.unwrap_or(nodes))).sum();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is below the room")]
        let arcs = (share * (room + 1) as f64) as usize;
        let states = if most.is_some() { vec![2, 3] } else { vec![2] };
        let design = Design { nodes, arcs, max_parents: most, states, rows: vec![1], ..design() };
        let simulated = simulate(&design, seed, 0).unwrap();
        let dag = simulated.truth.dag();
        prop_assert_eq!(dag.arc_count(), arcs);
        prop_assert!(dag.nodes().all(|node| dag.parents(node).len() <= most.unwrap_or(nodes)));
        let refused = simulate(&Design { arcs: room + 1, ..design }, seed, 0).unwrap_err();
        let says_room = matches!(refused, DesignError::Arcs { most, .. } if most == room);
        prop_assert!(says_room);
    }

    #[test]
    fn altered_data_sets_lose_exactly_the_requested_arcs_and_do_not_depend_on_them(
        altered in 0_usize..=4, removed in 0_usize..=8, joint: bool, seed: u64, kind in 0_usize..3,
    ) {
        let scenario = Scenario::B { altered, removed: Removed::Arcs(removed) };
        let level = if joint { Level::Joint } else { Level::Configuration };
        let parameters = [Parameters::Hier, Parameters::Iid, Parameters::Id][kind];
        let design = Design {
            nodes: 6, arcs: 8, states: vec![2, 3], rows: vec![5; 4], scenario, level, parameters, ..design()
        };
        let simulated = simulate(&design, seed, 3).unwrap();
        let dag = simulated.truth.dag();
        let fewer = simulated.structures.iter().filter(|structure| structure.arc_count() == 8 - removed);
        let same = simulated.structures.iter().filter(|structure| *structure == dag);
        prop_assert_eq!(fewer.count(), if removed == 0 { 4 } else { altered });
        prop_assert_eq!(same.count(), if removed == 0 { 4 } else { 4 - altered });
        for (f, structure) in simulated.structures.iter().enumerate() {
            for node in dag.nodes() {
                let full = simulated.truth.table(node, DataSetId::new(f));
                let own = simulated.own_table(node, DataSetId::new(f));
                let configurations: usize =
                    structure.parents(node).iter().map(|&p| simulated.truth.schema().states(p)).product();
                prop_assert_eq!(own.rows().len(), configurations);
                prop_assert!(full.rows().all(|row| own.rows().any(|other| other == row)));
                prop_assert!(full.values().iter().all(|p| p.is_finite() && *p >= 0.0));
            }
        }
    }
}

#[test]
fn the_same_seed_and_stream_give_the_same_and_others_do_not() {
    let first = simulate(&design(), 1, 0).unwrap();
    assert_eq!(simulate(&design(), 1, 0).unwrap(), first);
    assert_ne!(simulate(&design(), 2, 0).unwrap().data, first.data);
    assert_ne!(simulate(&design(), 1, 1).unwrap().data, first.data);
    let other_rows = Streams { rows: 7, ..Streams::from(0) };
    let again = simulate(&design(), 1, other_rows).unwrap();
    assert_eq!(again.truth, first.truth);
    assert_ne!(again.data, first.data);
}

fn first_rows(data: &RelatedData, data_set: usize, rows: usize) -> Vec<Vec<u32>> {
    let start = data.rows_of(DataSetId::new(data_set)).start;
    let column = |id| (start..start + rows).map(|row| data.column(id).get(row)).collect();
    data.schema().ids().map(column).collect()
}

#[test]
fn more_rows_and_more_data_sets_leave_the_others_as_they_were() {
    let few = simulate(&design(), 4, 2).unwrap();
    let many = simulate(&Design { rows: vec![150, 500, 100, 60], ..design() }, 4, 2).unwrap();
    for data_set in 0..3 {
        assert_eq!(first_rows(&few.data, data_set, 100), first_rows(&many.data, data_set, 100));
    }
}

/// Five standard errors of a mean of numbers with this variance.
fn five(variance: f64, numbers: usize) -> f64 {
    5.0 * (variance / numbers as f64).sqrt()
}

/// Wide enough for the variance of numbers between 0 and 1: their squared deviations vary by at most an eighth.
fn five_of_variance(numbers: usize) -> f64 {
    five(1.0 / 64.0, numbers)
}

const MANY: usize = 20_000;

#[test]
fn hierarchical_tables_lie_around_the_centre_as_a_dirichlet_does() {
    for s in [1.0, 10.0] {
        let design = Design { nodes: 1, arcs: 0, states: vec![3], rows: vec![1; MANY], s, ..design() };
        let simulated = simulate(&design, 6, 0).unwrap();
        let centre = simulated.truth.tables(node(0)).new.values().to_vec();
        for (cell, a) in centre.into_iter().enumerate() {
            let (mean, variance) = moments(&simulated, node(0), cell);
            let expected = a * (1.0 - a) / (s + 1.0);
            assert!((mean - a).abs() < five(expected, MANY), "{mean} not {a}");
            assert!((variance - expected).abs() < five_of_variance(MANY), "{variance} not {expected}");
        }
    }
}

#[test]
fn conditioning_joint_cells_and_drawing_by_configuration_have_their_own_spreads() {
    // Two binary variables and s = 10: Dir(2.5, 2.5) in each configuration of a joint draw, Dir(5, 5) otherwise.
    // Without its parent the child has Dir(5, 5) at both levels. Var = 1/4 / (total + 1).
    let lose_all = Scenario::B { altered: MANY, removed: Removed::Probability(1.0) };
    for (level, scenario, total) in [
        (Level::Joint, Scenario::A, 5.0),
        (Level::Configuration, Scenario::A, 10.0),
        (Level::Joint, lose_all, 10.0),
        (Level::Configuration, lose_all, 10.0),
    ] {
        let parameters = Parameters::Iid;
        let design =
            Design { nodes: 2, arcs: 1, rows: vec![1; MANY], level, scenario, parameters, ..design() };
        let simulated = simulate(&design, 8, 0).unwrap();
        let child = child(simulated.truth.dag());
        for cell in [0, 2] {
            let (mean, variance) = moments(&simulated, child, cell);
            let expected = 0.25 / (total + 1.0);
            assert!((mean - 0.5).abs() < five(expected, MANY), "{mean}");
            assert!(
                (variance - expected).abs() < five_of_variance(MANY),
                "{level:?}: {variance} not {expected}"
            );
        }
    }
}

#[test]
fn centres_are_drawn_evenly_over_the_simplex() {
    // Dir(1, 1, 1) has mean 1/3 and variance (1/3)(2/3)/4 = 1/18 in every cell.
    let design = Design { nodes: 2000, arcs: 0, states: vec![3], rows: vec![1], ..design() };
    let simulated = simulate(&design, 12, 0).unwrap();
    let centres = (0..2000).map(|index| simulated.truth.tables(node(index)).new.values()[1]);
    let mean = centres.clone().sum::<f64>() / 2000.0;
    let square = centres.map(|a| (a - 1.0 / 3.0) * (a - 1.0 / 3.0)).sum::<f64>() / 2000.0;
    assert!((mean - 1.0 / 3.0).abs() < five(1.0 / 18.0, 2000), "{mean}");
    assert!((square - 1.0 / 18.0).abs() < five_of_variance(2000), "{square}");
}

#[test]
fn identical_parameters_are_identical_and_a_lost_parent_is_averaged_out() {
    let scenario = Scenario::B { altered: 1, removed: Removed::Arcs(1) };
    for level in [Level::Joint, Level::Configuration] {
        let parameters = Parameters::Id;
        let design = Design { nodes: 2, arcs: 1, parameters, level, scenario, ..design() };
        let simulated = simulate(&design, 3, 0).unwrap();
        let child = child(simulated.truth.dag());
        let altered = simulated.structures.iter().position(|structure| structure.arc_count() == 0).unwrap();
        let others: Vec<usize> = (0..3).filter(|f| *f != altered).collect();
        assert_eq!(table(&simulated, child, others[0]), table(&simulated, child, others[1]));
        let full = table(&simulated, child, others[0]);
        let own = simulated.own_table(child, DataSetId::new(altered));
        let (low, high) = (full[0].min(full[2]), full[0].max(full[2]));
        assert!(low < own.values()[0] && own.values()[0] < high);
        if level == Level::Configuration {
            assert!((own.values()[0] - f64::midpoint(full[0], full[2])).abs() < 1e-15);
        }
    }
}

#[test]
fn arcs_are_lost_with_the_requested_probability() {
    let scenario = Scenario::B { altered: 2000, removed: Removed::Probability(0.1) };
    let design = Design { nodes: 10, arcs: 15, rows: vec![1; 2000], scenario, ..design() };
    let simulated = simulate(&design, 5, 0).unwrap();
    let kept: usize = simulated.structures.iter().map(Dag::arc_count).sum();
    let share = kept as f64 / 30_000.0;
    assert!((share - 0.9).abs() < five(0.09, 30_000), "{share}");
}

#[test]
fn rows_have_the_frequencies_of_the_tables() {
    let design = Design {
        nodes: 6,
        arcs: 8,
        states: vec![2, 3, 4],
        rows: vec![40_000, 10_000],
        scenario: Scenario::B { altered: 1, removed: Removed::Arcs(3) },
        ..design()
    };
    let Simulated { truth, data, .. } = simulate(&design, 21, 0).unwrap();
    let schema = truth.schema();
    for f in [0, 1].map(DataSetId::new) {
        for node in schema.ids() {
            let states = schema.states(node);
            let table = truth.table(node, f);
            let mut seen = vec![0_u32; table.values().len()];
            for row in data.rows_of(f) {
                let family = truth.dag().parents(node).iter().chain([&node]);
                seen[family
                    .fold(0, |cell, &v| cell * schema.states(v) + data.column(v).get(row) as usize)] += 1;
            }
            for (seen, probabilities) in seen.chunks(states).zip(table.rows()) {
                let rows: u32 = seen.iter().sum();
                for (&count, p) in seen.iter().zip(probabilities) {
                    let deviation = 5.0 * (f64::from(rows) * p * (1.0 - p)).sqrt() + 1.0;
                    assert!(
                        (f64::from(count) - f64::from(rows) * p).abs() <= deviation,
                        "{count} of {rows}: {p}"
                    );
                }
            }
        }
    }
}

#[test]
fn drawing_one_relative_gives_the_rows_it_has_among_all_and_never_the_simulated_ones() {
    let Simulated { truth, data, .. } = simulate(&design(), 2, 5).unwrap();
    let second = Relative::DataSet(DataSetId::new(1));
    let alone = sample(&truth, &[(second, 40)], 2, 5);
    let among = sample(&truth, &[(Relative::New, 10), (Relative::Pooled, 10), (second, 60)], 2, 5);
    assert_eq!(among.schema().data_sets(), ["new", "pooled", "data_002"]);
    assert_eq!(first_rows(&alone, 0, 40), first_rows(&among, 2, 40));
    assert_ne!(first_rows(&alone, 0, 40), first_rows(&data, 1, 40));
}

#[test]
fn the_smallest_concentrations_still_give_distributions() {
    for (s, alpha0) in [(1e-9, 1e-9), (1e-3, 1.0), (1e9, 1e9)] {
        for level in [Level::Joint, Level::Configuration] {
            for parameters in [Parameters::Hier, Parameters::Iid, Parameters::Id] {
                let scenario = Scenario::B { altered: 2, removed: Removed::Arcs(4) };
                let design =
                    Design { arcs: 10, states: vec![5], s, alpha0, level, parameters, scenario, ..design() };
                // That the tables are distributions is checked when the network is put together.
                simulate(&design, 1, 0).unwrap();
            }
        }
    }
}

#[test]
fn impossible_designs_are_refused_with_a_message() {
    let b = |altered, removed| Scenario::B { altered, removed };
    for (wrong, words) in [
        (Design { nodes: 0, arcs: 0, ..design() }, "at least one node is needed"),
        (Design { rows: vec![], ..design() }, "at least one data set is needed"),
        (Design { rows: vec![3, 0], ..design() }, "at least one row in every data set is needed"),
        (Design { arcs: 11, ..design() }, "11 arcs are too many: 5 nodes can have at most 10"),
        (
            Design { arcs: 5, max_parents: Some(1), ..design() },
            "5 arcs are too many: 5 nodes with at most 1 parents can have at most 4",
        ),
        (Design { states: vec![2, 1], ..design() }, "cannot have 1 states"),
        (Design { s: 0.0, ..design() }, "s cannot be 0"),
        (Design { alpha0: f64::NAN, ..design() }, "alpha0 cannot be NaN"),
        (
            Design { scenario: b(4, Removed::Arcs(1)), ..design() },
            "4 data sets cannot be altered: there are 3",
        ),
        (
            Design { scenario: b(1, Removed::Arcs(7)), ..design() },
            "7 arcs cannot be removed: the network has 6",
        ),
        (Design { scenario: b(1, Removed::Probability(1.5)), ..design() }, "with probability 1.5"),
        (Design { rows: vec![usize::MAX / 2; 2], ..design() }, "too many to be held"),
        (Design { nodes: 30, arcs: 435, ..design() }, "or lower the limit on parents"),
    ] {
        let error = simulate(&wrong, 0, 0).unwrap_err().message(&Neutral);
        assert!(error.contains(words), "{error}");
    }
}

#[test]
fn tables_that_together_are_too_large_are_refused_before_they_are_drawn() {
    // Every arc there can be: the last node has 10^7 cells, in each of three data sets and three tables more.
    let large = Design { nodes: 7, arcs: 21, states: vec![10], ..design() };
    let refused = simulate(&large, 1, 0).unwrap_err();
    let expected = f64::from(6 * 11_111_110_u32);
    assert_eq!(refused, DesignError::Tables { parents: 6, probabilities: expected });
    // No single table is too large: 22 nodes of two parents have 10^6 probabilities each.
    let together = Design { nodes: 24, arcs: 45, max_parents: Some(2), states: vec![55], ..design() };
    assert!(matches!(simulate(&together, 1, 0), Err(DesignError::Tables { parents: 2, .. })));
}
