//! Validation: related data sets improve each other's predictions, and the properties on which its numbers rest.

use std::ops::ControlFlow;

use crate::random::{id, random_data};
use crate::relatives::Relatives;
use kinfolk::counts::MemoryTally;
use kinfolk::data::{Column, DataSetId, RelatedData, Schema, Variable};
use kinfolk::estimate::{self, Relative, estimate};
use kinfolk::graph::{Dag, modelstring};
use kinfolk::score::{Bdeu, Bhd, Choice, Halt, ImaginarySampleSize, Kin};
use kinfolk::search::{Constraints, Search};
use kinfolk::validate::{
    ComparedMethod, MethodResult, Scheme, Structures, Validate, ValidateError, Validation, ValidationStop,
    Verdict,
};
use kinfolk::variational::{Centre, Prior};

fn settings(scheme: Scheme, structures: Structures<'_>) -> Validate<'_> {
    let prior = Prior::default();
    Validate {
        scheme,
        structures,
        prior,
        kin: None,
        iss: None,
        tune: false,
        target: None,
        seed: 1,
        memory: None,
    }
}

/// With one imaginary row per table for the alternatives.
fn with_iss(scheme: Scheme, structures: Structures<'_>) -> Validate<'_> {
    Validate { iss: Some(ImaginarySampleSize::default()), ..settings(scheme, structures) }
}

/// The result of a method.
fn of(validation: &Validation, method: ComparedMethod) -> &MethodResult {
    validation.methods.iter().find(|result| result.method == method).unwrap()
}

fn run(validate: &Validate<'_>, data: &RelatedData) -> Validation {
    validate.run(data, &|_| ControlFlow::Continue(())).unwrap()
}

fn plain_search(data: &RelatedData) -> Search {
    Search::plain(Constraints::none(data.schema()), Dag::empty(data.schema().variables().len()))
}

fn few_rows_each(seed: u64) -> Relatives {
    Relatives { variables: 7, rows: vec![60; 8], concentration: 10.0, seed }
}

/// [a][b|a], two states each.
fn pair(data: &RelatedData) -> Dag {
    modelstring::parse("[V0][V1|V0]", &data.schema().names()).unwrap()
}

#[test]
fn hierarchical_tables_predict_better_on_related_data_sets_with_few_rows() {
    for seed in 1..=4 {
        let (data, truth) = few_rows_each(seed).draw();
        let search = plain_search(&data);
        let bhd = Bhd { prior: Prior::default() };
        for structures in [Structures::Given(&truth), Structures::Shared(&bhd, &search)] {
            // Every method may choose how much its prior weighs, so that none loses by the weight alone.
            let validate = Validate { tune: true, ..settings(Scheme::Folds(10), structures) };
            let differences = run(&validate, &data).differences;
            let pooled = &differences[0];
            assert_eq!(pooled.verdict, Verdict::Better, "seed {seed}: {pooled:?}");
            assert!(pooled.per_row.unwrap() > 2.0 * pooled.se_by_data_set.unwrap());
            // Separate tables of the same model are close: the sign is clear in every draw, the size over all of them (below).
            assert!(differences[1].per_row.unwrap() > 0.0, "seed {seed}: {:?}", differences[1]);
        }
    }
}

#[test]
fn the_gain_is_there_in_every_one_of_twelve_families_of_relatives() {
    // One family of 8 times 60 rows does not always decide it alone; over independent families it is clear.
    let differences: Vec<[f64; 2]> = (1..=12)
        .map(|seed| {
            let (data, truth) = few_rows_each(seed).draw();
            let validate = Validate { tune: true, ..settings(Scheme::Folds(10), Structures::Given(&truth)) };
            let differences = run(&validate, &data).differences;
            [differences[0].per_row.unwrap(), differences[1].per_row.unwrap()]
        })
        .collect();
    for rival in 0..2 {
        let gains: Vec<f64> = differences.iter().map(|both| both[rival]).collect();
        let (mean, error) = mean_and_error(&gains);
        assert!(gains.iter().all(|&gain| gain > 0.0) && mean > 5.0 * error, "{gains:?}");
    }
}

#[test]
fn kin_tables_predict_better_than_tuned_pooled_and_separate_tables() {
    let kin = Kin::default();
    for (tune, learned) in [(false, false), (false, true), (true, false)] {
        let mut gains: [Vec<f64>; 4] = Default::default();
        for seed in 1..=12 {
            let (data, truth) = few_rows_each(seed).draw();
            let search = plain_search(&data);
            let structures =
                if learned { Structures::Shared(&kin, &search) } else { Structures::Given(&truth) };
            let validate = Validate { kin: Some(&kin), tune, ..with_iss(Scheme::Folds(10), structures) };
            for (gains, difference) in gains.iter_mut().zip(run(&validate, &data).differences) {
                gains.push(difference.per_row.unwrap());
            }
        }
        for gains in gains {
            let (mean, error) = mean_and_error(&gains);
            assert!(
                gains.iter().all(|&gain| gain > 0.0) && mean > 5.0 * error,
                "{tune} {learned}: {gains:?}"
            );
        }
    }
}

fn mean_and_error(values: &[f64]) -> (f64, f64) {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (mean, (squares / (count - 1.0) / count).sqrt())
}

#[test]
fn pooled_tables_win_if_the_data_sets_are_one() {
    let (data, truth) = Relatives { concentration: 1e7, ..few_rows_each(5) }.draw();
    let validation = run(&settings(Scheme::Folds(10), Structures::Given(&truth)), &data);
    assert_eq!(validation.differences[0].verdict, Verdict::Worse, "{:?}", validation.differences[0]);
}

#[test]
fn every_row_is_held_out_once_and_folds_are_even() {
    let data = random_data(&[2, 3, 2], &[31, 4, 57], true, 7);
    let dag = Dag::empty(3);
    for (scheme, parts) in [(Scheme::Folds(10), 10), (Scheme::DataSets, 3)] {
        let validation = run(&settings(scheme, Structures::Given(&dag)), &data);
        assert_eq!(
            (validation.folds, validation.folds_done, validation.stop),
            (parts, parts, ValidationStop::Complete)
        );
        for method in validation.methods.iter().filter(|method| method.applicable) {
            for (index, (_, held_out)) in method.by_data_set.0.iter().enumerate() {
                assert_eq!(held_out.rows, data.rows(DataSetId::new(index)));
            }
        }
        let rows: Vec<u64> = validation.structures.iter().map(|held| held.rows).collect();
        if parts == 10 {
            assert!(rows.iter().max().unwrap() - rows.iter().min().unwrap() <= 1, "{rows:?}");
        }
    }
}

#[test]
fn held_out_data_sets_agree_with_hand_calculation() {
    // One column: data set s0 has u, u, v; s1 has v, v, v, v, u. Leaving s1 out leaves u 2, v 1 and an imaginary row split evenly.
    let mut column = Column::for_states(2, 8);
    [0, 0, 1, 1, 1, 1, 1, 0].iter().for_each(|&code| column.push(code));
    let variable =
        Variable { name: "x".to_owned(), states: vec!["u".to_owned(), "v".to_owned()], constant: false };
    let schema = Schema::new(vec![variable], vec!["s0".to_owned(), "s1".to_owned()]);
    let data = RelatedData::new(schema, vec![column], vec![0, 3, 8], None);
    let dag = Dag::empty(1);
    let validation = run(&with_iss(Scheme::DataSets, Structures::Given(&dag)), &data);
    let pooled = of(&validation, ComparedMethod::PooledIss);
    let s1 = pooled.by_data_set.0[1].1;
    let expected = 4.0 * (1.5_f64 / 4.0).ln() + (2.5_f64 / 4.0).ln();
    assert!((s1.log_likelihood.unwrap() - expected).abs() < 1e-12);
    assert!((s1.per_row.unwrap() - expected / 5.0).abs() < 1e-12);
    let s0 = pooled.by_data_set.0[0].1.log_likelihood.unwrap();
    assert!((s0 - (2.0 * (1.5_f64 / 6.0).ln() + (4.5_f64 / 6.0).ln())).abs() < 1e-12);
    assert!((pooled.all.log_likelihood.unwrap() - expected - s0).abs() < 1e-12);
    for method in [ComparedMethod::Separate, ComparedMethod::SeparateIss] {
        let separate = of(&validation, method);
        assert_eq!((separate.applicable, separate.all.per_row), (false, None));
    }
    assert_eq!(validation.differences.len(), 2);
}

#[test]
fn the_target_is_predicted_as_by_the_whole_joint_distribution() {
    let data = random_data(&[2, 3, 2, 3], &[40, 30], false, 3);
    let dag = modelstring::parse("[V0][V1|V0][V2|V1:V3][V3]", &data.schema().names()).unwrap();
    let target = id(1);
    let validate = Validate { target: Some(target), ..with_iss(Scheme::DataSets, Structures::Given(&dag)) };
    let validation = run(&validate, &data);
    let left = data.without(DataSetId::new(0));
    let bayes = estimate::Method::Bayes(ImaginarySampleSize::default());
    let network = estimate(&MemoryTally::new(&left), &dag, bayes).unwrap();
    let probability = |codes: &[usize]| -> f64 {
        let factor = |node: usize| {
            let states = |id: kinfolk::data::VariableId| data.schema().states(id);
            let parents = dag.parents(id(node));
            let first =
                parents.iter().fold(0, |number, &parent| number * states(parent) + codes[parent.index()]);
            network.table_of(id(node), Relative::Pooled).values()[first * states(id(node)) + codes[node]]
        };
        (0..4).map(factor).product()
    };
    let (mut hits, mut log_loss, mut brier) = (0.0, 0.0, 0.0);
    for row in 0..40 {
        let codes: Vec<usize> = (0..4).map(|node| data.column(id(node)).get(row) as usize).collect();
        let with = |state: usize| probability(&[codes[0], state, codes[2], codes[3]]);
        let sum: f64 = (0..3).map(with).sum();
        let shares: Vec<f64> = (0..3).map(|state| with(state) / sum).collect();
        let truth = codes[1];
        hits += if shares.iter().all(|&share| share <= shares[truth]) { 1.0 } else { 0.0 };
        log_loss -= shares[truth].ln();
        brier += (0..3).map(|k| (shares[k] - if k == truth { 1.0 } else { 0.0 }).powi(2)).sum::<f64>();
    }
    let found = of(&validation, ComparedMethod::PooledIss).target_by_data_set.as_ref().unwrap().0[0].1;
    for (found, expected) in [(found.accuracy, hits), (found.log_loss, log_loss), (found.brier, brier)] {
        assert!((found.unwrap() - expected / 40.0).abs() < 1e-10, "{found:?} not {}", expected / 40.0);
    }
}

#[test]
fn a_weight_counts_as_that_many_rows() {
    let weighted = random_data(&[2, 2], &[20, 15], true, 11);
    let copies = |row: usize| std::iter::repeat_n(row, usize::try_from(weighted.weight(row)).unwrap());
    let mut starts = vec![0];
    let mut columns = vec![Column::for_states(2, 0), Column::for_states(2, 0)];
    for data_set in [0, 1].map(DataSetId::new) {
        for row in weighted.rows_of(data_set).flat_map(copies) {
            columns
                .iter_mut()
                .enumerate()
                .for_each(|(v, column)| column.push(weighted.column(id(v)).get(row)));
        }
        starts.push(columns[0].len());
    }
    let expanded = RelatedData::new(weighted.schema().clone(), columns, starts, None);
    let dag = pair(&weighted);
    let validate = settings(Scheme::Folds(5), Structures::Given(&dag));
    let (of_weights, of_copies) = (run(&validate, &weighted), run(&validate, &expanded));
    let close = |a: Option<f64>, b: Option<f64>| assert!((a.unwrap() - b.unwrap()).abs() < 1e-10);
    for (weights, copies) in of_weights.methods.iter().zip(&of_copies.methods) {
        assert_eq!(weights.all.rows, copies.all.rows);
        close(weights.all.log_likelihood, copies.all.log_likelihood);
    }
    for (weights, copies) in of_weights.differences.iter().zip(&of_copies.differences) {
        close(weights.se, copies.se);
        close(weights.se_by_data_set, copies.se_by_data_set);
    }
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let (data, _) = few_rows_each(9).draw();
    let search = plain_search(&data);
    let validate =
        Validate { tune: true, target: Some(id(2)), ..with_iss(Scheme::Folds(4), Structures::Own(&search)) };
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| run(&validate, &data))
    };
    assert_eq!(with(1), with(3));
}

#[test]
fn one_data_set_is_the_same_for_all_methods_and_cannot_be_left_out() {
    let data = random_data(&[2, 2], &[30], false, 2);
    let dag = pair(&data);
    let kin = Kin::default();
    for kin in [None, Some(&kin)] {
        let validation = run(&Validate { kin, ..settings(Scheme::Folds(3), Structures::Given(&dag)) }, &data);
        assert_eq!(validation.methods[0].all, validation.methods[1].all);
        assert_eq!(validation.methods[0].all, validation.methods[2].all);
        assert_eq!(validation.differences[0].se_by_data_set, None);
        assert_eq!(validation.differences[0].verdict, Verdict::Undecided);
        assert_eq!(validation.agreement, None);
    }
    let refused = settings(Scheme::DataSets, Structures::Given(&dag));
    assert_eq!(refused.run(&data, &|_| ControlFlow::Continue(())), Err(ValidateError::OneDataSet));
    for folds in [0, 1, 31] {
        let refused = settings(Scheme::Folds(folds), Structures::Given(&dag));
        let error = refused.run(&data, &|_| ControlFlow::Continue(())).unwrap_err();
        assert_eq!(error, ValidateError::Folds { folds, rows: 30 });
    }
}

#[test]
fn a_requested_stop_keeps_finished_work() {
    let data = random_data(&[2, 2], &[30, 30], false, 2);
    let dag = pair(&data);
    let validate = settings(Scheme::Folds(6), Structures::Given(&dag));
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let stop = |at: usize| {
        one.install(|| {
            validate.run(&data, &|progress| {
                if progress.done >= at {
                    ControlFlow::Break(Halt::Interrupted)
                } else {
                    ControlFlow::Continue(())
                }
            })
        })
    };
    let some = stop(2).unwrap();
    assert_eq!((some.stop, some.folds, some.folds_done), (ValidationStop::Interrupted, 6, 2));
    assert_eq!(some.methods[0].all.rows, some.structures.iter().map(|held| held.rows).sum::<u64>());
    let none = stop(0).unwrap();
    assert_eq!((none.folds_done, none.methods[0].all.per_row), (0, None));
    assert_eq!(none.differences[0].verdict, Verdict::Undecided);
}

#[test]
fn columns_constant_in_the_training_rows_are_not_parents() {
    // V0 varies in data set s1 only, so that it is constant when s1 is left out.
    let random = random_data(&[2, 2], &[30, 30], false, 4);
    let mut first = Column::for_states(2, 60);
    (0..60).for_each(|row| first.push(if row < 30 { 0 } else { random.column(id(0)).get(row) }));
    let columns = vec![first, random.column(id(1)).clone()];
    let data = RelatedData::new(random.schema().clone(), columns, vec![0, 30, 60], None);
    let left = data.without(DataSetId::new(1));
    assert!(
        left.schema().variable(id(0)).constant
            && !data.without(DataSetId::new(0)).schema().variable(id(0)).constant
    );
    let constraints = Constraints::none(data.schema());
    assert!(constraints.allows(id(0), id(1)));
    let constraints = constraints.for_rows_of(left.schema());
    assert!(!constraints.allows(id(0), id(1)) && constraints.allows(id(1), id(0)));
    let search = plain_search(&data);
    let bdeu = Bdeu { iss: ImaginarySampleSize::default() };
    let validation = run(&settings(Scheme::DataSets, Structures::Shared(&bdeu, &search)), &data);
    assert!(!validation.structures[1].pooled.contains("|V0"), "{:?}", validation.structures);
}

#[test]
fn weights_given_are_used_and_weights_chosen_are_recorded() {
    let (data, truth) = few_rows_each(6).draw();
    let prior = Prior::new(3.0, Centre::PerCell(1.0)).unwrap();
    let given = Validate { prior, ..settings(Scheme::Folds(3), Structures::Given(&truth)) };
    assert!(run(&given, &data).structures.iter().all(|held| held.weights.s == Some(3.0)));
    let tuned = run(&Validate { tune: true, ..given }, &data);
    // The tables were drawn with a concentration of 10.
    assert!(
        tuned.tuned
            && tuned.structures.iter().all(|held| held.weights.s.is_some_and(|s| (2.0..=50.0).contains(&s)))
    );
}

/// Rows of one population, dealt to data sets by lot: the rows are independent draws, so that consecutive parts do.
fn by_lot(seed: u64, concentration: f64, sizes: &[usize]) -> (RelatedData, Dag) {
    let rows = sizes.iter().sum();
    let (one, truth) = Relatives { variables: 5, rows: vec![rows], concentration, seed }.draw();
    let names = (0..sizes.len()).map(|index| format!("s{index}")).collect();
    let schema = Schema::new(one.schema().ids().map(|id| one.schema().variable(id).clone()).collect(), names);
    let mut starts = vec![0];
    sizes.iter().for_each(|size| starts.push(starts[starts.len() - 1] + size));
    let columns = one.schema().ids().map(|id| one.column(id).clone()).collect();
    (RelatedData::new(schema, columns, starts, None), truth)
}

#[test]
fn no_advantage_over_pooling_is_claimed_for_groups_drawn_by_lot() {
    // A concentration of 1e7 gives moderate tables, 2 and 10 give tables with rare states: a prior alone must not decide.
    let kin = Kin::default();
    for (concentration, sizes) in
        [(1e7, vec![40; 4]), (10.0, vec![40; 4]), (2.0, vec![40; 4]), (2.0, vec![160])]
    {
        let claims = (0..100).filter(|&seed| {
            let (data, truth) = by_lot(seed, concentration, &sizes);
            let structures = Structures::Given(&truth);
            let validation =
                run(&Validate { kin: Some(&kin), ..settings(Scheme::Folds(5), structures) }, &data);
            validation.differences[0].verdict == Verdict::Better
        });
        let claims = claims.count();
        assert!(claims <= 5, "{claims} of 100 with concentration {concentration} in {} parts", sizes.len());
    }
}

#[test]
fn the_advantage_is_claimed_for_related_data_sets_and_agrees_with_the_evidence() {
    let kin = Kin::default();
    let (mut claims, mut gains) = (0, Vec::new());
    for seed in 0..20 {
        let (data, truth) = Relatives { variables: 5, rows: vec![40; 8], concentration: 10.0, seed }.draw();
        let structures = Structures::Given(&truth);
        let validation = run(&Validate { kin: Some(&kin), ..settings(Scheme::Folds(5), structures) }, &data);
        let [pooled, separate] = &validation.differences[..] else { panic!("{validation:?}") };
        claims += usize::from(pooled.verdict == Verdict::Better);
        gains.push(separate.per_row.unwrap());
        assert_ne!(separate.verdict, Verdict::Worse, "{separate:?}");
        let agreement = validation.agreement.unwrap();
        assert_eq!((agreement.choice, agreement.agrees), (Choice::Relate, true), "{agreement:?}");
    }
    assert_eq!(claims, 20, "over pooled tables");
    let (mean, error) = mean_and_error(&gains);
    assert!(mean > 4.0 * error, "over separate tables: {mean} ± {error}");
}

#[test]
fn tuning_goes_beyond_the_ends_of_its_grid() {
    // One population: the larger s, the better.
    let (data, truth) = Relatives { concentration: 1e7, ..few_rows_each(3) }.draw();
    let validate = Validate { tune: true, ..settings(Scheme::Folds(3), Structures::Given(&truth)) };
    let found = run(&validate, &data);
    assert!(found.structures.iter().any(|held| held.weights.s > Some(100.0)), "{:?}", found.structures);
    // A deterministic copy: the smaller the imaginary sample, the better.
    let mut first = Column::for_states(2, 200);
    (0..200).for_each(|row| first.push(u32::from(row % 3 == 0)));
    let schema = random_data(&[2, 2], &[100, 100], false, 1).schema().clone();
    let data = RelatedData::new(schema, vec![first.clone(), first], vec![0, 100, 200], None);
    let dag = pair(&data);
    let validate = Validate { tune: true, ..with_iss(Scheme::Folds(3), Structures::Given(&dag)) };
    let found = run(&validate, &data);
    assert!(
        found.structures.iter().all(|held| held.weights.separate_iss < Some(0.25)),
        "{:?}",
        found.structures
    );
}
