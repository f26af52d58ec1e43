//! The paper's numerical example: its score table, its five steps, and the failure of pooled scores.

use std::ops::ControlFlow;

use kinfolk::counts::{Family, MemoryTally, Tally};
use kinfolk::data::{Column, DataSetId, RelatedData};
use kinfolk::estimate::{Method, estimate};
use kinfolk::example;
use kinfolk::graph::{Dag, MoveKind, modelstring};
use kinfolk::score::{Bdeu, Bhd, Bic, Score, Scorer};
use kinfolk::search::{Climb, Constraints, HillClimb};
use kinfolk::variational::fit;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::Value;

fn climb(data: &RelatedData, score: &dyn Score) -> Climb {
    let tally = MemoryTally::new(data);
    let mut scorer = Scorer::new(&tally, score);
    HillClimb::new(Constraints::none(data.schema()))
        .run(&mut scorer, Dag::empty(5), &mut |_| ControlFlow::Continue(()))
        .unwrap()
}

fn structure(climb: &Climb, data: &RelatedData) -> String {
    modelstring::format(&climb.dag, &data.schema().names())
}

#[test]
fn all_printed_scores_are_reproduced_to_three_decimals() {
    let data = example::data();
    let tally = MemoryTally::new(&data);
    let score = Bhd { prior: example::prior() };
    let climb = climb(&data, &score);
    let mut dag = climb.start.clone();
    for (step, printed) in example::PRINTED_SCORES.iter().enumerate() {
        if step > 0 {
            dag.apply(&climb.steps[step - 1].made).unwrap();
        }
        let families: Vec<Family> = dag.nodes().map(|node| Family::of(&dag, node)).collect();
        let scores = Scorer::new(&tally, &score).explain(&families).unwrap();
        for (score, printed) in scores.iter().zip(printed) {
            let term = score.by_data_set.as_ref().unwrap()[example::PRINTED_DATA_SET];
            assert!((term - printed).abs() <= 0.0005, "step {step}: {term} not {printed}");
        }
    }
}

#[test]
fn the_golden_families_of_the_example_come_out_in_both_data_sets() {
    let golden: Value = serde_json::from_str(include_str!("../golden/paper_example.json")).unwrap();
    let data = example::data();
    let tally = MemoryTally::new(&data);
    let find = |name: &Value| data.schema().find(name.as_str().unwrap()).unwrap();
    let families = golden["families"].as_array().unwrap();
    assert_eq!(families.len(), 10);
    for family in families {
        let parents = family["parents"].as_array().unwrap().iter().map(find);
        let counts = tally.tally(&Family::new(find(&family["child"]), parents)).unwrap();
        let fitted = fit(&counts, example::prior());
        assert!((fitted.tau / family["tau"].as_f64().unwrap() - 1.0).abs() < 1e-6);
        for (kappa, expected) in fitted.kappa.iter().zip(family["kappa"].as_array().unwrap()) {
            assert!((kappa / expected.as_f64().unwrap() - 1.0).abs() < 1e-6);
        }
        let score = Bhd { prior: example::prior() }.family_score(&counts);
        for (term, expected) in
            score.by_data_set.unwrap().iter().zip(family["score_by_data_set"].as_array().unwrap())
        {
            assert!((term / expected.as_f64().unwrap() - 1.0).abs() < 1e-8);
        }
    }
}

#[test]
fn the_five_steps_come_in_the_papers_order_and_end_at_its_network() {
    let data = example::data();
    let climb = climb(&data, &Bhd { prior: example::prior() });
    let name = |id| data.schema().variable(id).name.as_str();
    let steps: Vec<(MoveKind, &str, &str)> =
        climb.steps.iter().map(|step| (step.made.kind, name(step.made.from), name(step.made.to))).collect();
    let expected: Vec<(MoveKind, &str, &str)> =
        example::STEPS.iter().map(|&(from, to)| (MoveKind::Add, from, to)).collect();
    assert_eq!(steps, expected);
    assert_eq!(structure(&climb, &data), example::NETWORK);
}

#[test]
fn pooled_bdeu_and_bic_miss_the_network_and_the_association_of_x1_and_x2() {
    let data = example::data();
    let scores: [&dyn Score; 2] = [&Bdeu::default(), &Bic];
    for score in scores {
        let climb = climb(&data, score);
        assert_ne!(structure(&climb, &data), example::NETWORK);
        let (x1, x2) = (data.schema().find("X1").unwrap(), data.schema().find("X2").unwrap());
        let truth = modelstring::parse(example::NETWORK, &data.schema().names()).unwrap();
        let distance = kinfolk::graph::compare(&climb.dag, &truth).shd.cpdag;
        assert!(distance > 0, "{} found {}", score.name(), structure(&climb, &data));
        assert!(!climb.dag.adjacent(x1, x2), "{} found {}", score.name(), structure(&climb, &data));
    }
}

/// The printed original parameters: the probability of state 1, by data set; parents' states outer.
const X1: [f64; 2] = [0.42, 0.18];
const X2_GIVEN_X1: [[f64; 2]; 2] = [[0.31, 0.65], [0.56, 0.16]];
const X3_GIVEN_X1: [[f64; 2]; 2] = [[0.61, 0.42], [0.15, 0.53]];
const X4_GIVEN_X3: [[f64; 2]; 2] = [[0.47, 0.51], [0.38, 0.28]];
/// By data set, then X4, then X1.
const X5_GIVEN_X4_X1: [[[f64; 2]; 2]; 2] = [[[0.46, 0.56], [0.57, 0.52]], [[0.65, 0.43], [0.22, 0.38]]];

/// Rows drawn from the printed parameters.
fn sample(rows: usize, seed: u64) -> RelatedData {
    let schema = example::data().schema().clone();
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut columns = vec![Column::default(); 5];
    for data_set in 0..2 {
        for _ in 0..rows {
            // State 0 is the paper's state 1.
            let mut draw = |probability: f64| usize::from(random.random::<f64>() >= probability);
            let x1 = draw(X1[data_set]);
            let x2 = draw(X2_GIVEN_X1[data_set][x1]);
            let x3 = draw(X3_GIVEN_X1[data_set][x1]);
            let x4 = draw(X4_GIVEN_X3[data_set][x3]);
            let x5 = draw(X5_GIVEN_X4_X1[data_set][x4][x1]);
            for (column, state) in columns.iter_mut().zip([x1, x2, x3, x4, x5]) {
                column.push(u32::try_from(state).unwrap());
            }
        }
    }
    RelatedData::new(schema, columns, vec![0, rows, 2 * rows], None)
}

#[test]
fn with_ten_thousand_rows_from_the_printed_parameters_the_network_is_found_exactly_in_most_draws() {
    let found = (1..=20)
        .filter(|&seed| {
            let data = sample(10_000, seed);
            structure(&climb(&data, &Bhd { prior: example::prior() }), &data) == example::NETWORK
        })
        .count();
    assert!(found >= 18, "found in {found} of 20 draws");
}

/// The mean absolute difference between the estimated probabilities of state 1 and the printed original ones.
fn mean_absolute_error(data: &RelatedData) -> f64 {
    let dag = modelstring::parse(example::NETWORK, &data.schema().names()).unwrap();
    let method = Method::Hierarchical(example::prior());
    let network = estimate(&MemoryTally::new(data), &dag, method).unwrap();
    let mut errors = Vec::new();
    for data_set in 0..2 {
        // Those of X5 are printed by X4, then X1; tables have the first parent slowest.
        let x5 = X5_GIVEN_X4_X1[data_set];
        let x5: Vec<f64> = (0..2).flat_map(|x1| (0..2).map(move |x4| x5[x4][x1])).collect();
        let original: [&[f64]; 5] =
            [&[X1[data_set]], &X2_GIVEN_X1[data_set], &X3_GIVEN_X1[data_set], &X4_GIVEN_X3[data_set], &x5];
        for (node, original) in data.schema().ids().zip(original) {
            let estimated = network.table(node, DataSetId::new(data_set)).rows().map(|row| row[0]);
            errors.extend(estimated.zip(original).map(|(estimated, original)| (estimated - original).abs()));
        }
    }
    assert_eq!(errors.len(), 22);
    errors.iter().sum::<f64>() / errors.len() as f64
}

#[test]
fn the_error_of_the_estimates_falls_with_the_rows_as_the_paper_says() {
    // The paper has one draw of each size: 0.023 and 0.005.
    let error = mean_absolute_error(&example::data());
    assert!((error - 0.023).abs() <= 0.0005, "{error}");
    let errors =
        |rows: usize| -> Vec<f64> { (1..=20).map(|seed| mean_absolute_error(&sample(rows, seed))).collect() };
    let mean = |errors: &[f64]| errors.iter().sum::<f64>() / errors.len() as f64;
    let (few, many) = (errors(1_000), errors(10_000));
    assert!((mean(&few) - 0.023).abs() < 0.002, "{}", mean(&few));
    assert!((mean(&many) * 10_f64.sqrt() / mean(&few) - 1.0).abs() < 0.05, "{}", mean(&many));
    let (least, most) = (many.iter().fold(1.0, |a, &b| b.min(a)), many.iter().fold(0.0, |a, &b| b.max(a)));
    assert!(least < 0.005 && 0.005 < most, "{least} to {most}");
}
