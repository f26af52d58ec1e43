//! Learning from incomplete data: laws of the draws, the rounds and the available-case score.

use std::ops::ControlFlow;

use kinfolk::counts::{Family, MemoryTally, Tally};
use kinfolk::data::{CellMask, Column, DataSetId, Missing, RelatedData, Schema, Variable, VariableId};
use kinfolk::estimate::{Method, Relative};
use kinfolk::missing::{Completed, FillIn, LearnIncomplete};
use kinfolk::score::{Halt, ImaginarySampleSize, Kin, Score, ScoreName};
use kinfolk::search::Stop;
use kinfolk::{Dag, LearnError, LearnOptions, ScoreSpec, learn, learn_observed};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::json;

use crate::relatives::Relatives;

pub(crate) fn relatives(rows: usize) -> (RelatedData, Dag) {
    Relatives { variables: 5, rows: vec![rows; 3], concentration: 10.0, seed: 3 }.draw()
}

/// The data with cells missing completely at random.
pub(crate) fn with_gaps(data: &RelatedData, share: f64, seed: u64) -> RelatedData {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut mask = || CellMask::new((0..data.stored_rows()).map(|_| random.random::<f64>() < share));
    let masks = data.schema().ids().map(|_| mask()).collect();
    data.clone().with_missing(masks)
}

/// The cells of a row; `None` where they are missing.
pub(crate) fn cells(data: &RelatedData, row: usize) -> Vec<Option<u32>> {
    let cell = |id: VariableId| (!data.is_missing(id, row)).then(|| data.column(id).get(row));
    data.schema().ids().map(cell).collect()
}

/// Data sets from rows of cells.
fn from_rows(schema: &Schema, data_sets: &[(String, Vec<Vec<Option<u32>>>)]) -> RelatedData {
    let rows: Vec<&Vec<Option<u32>>> = data_sets.iter().flat_map(|(_, rows)| rows).collect();
    let mut starts = vec![0];
    data_sets.iter().for_each(|(_, rows)| starts.push(starts.last().unwrap() + rows.len()));
    let column = |id: VariableId| {
        let mut column = Column::for_states(schema.states(id), rows.len());
        rows.iter().for_each(|row| column.push(row[id.index()].unwrap_or(0)));
        column
    };
    let names = data_sets.iter().map(|(name, _)| name.clone()).collect();
    let schema_of = Schema::new(schema.variables().to_vec(), names);
    let masks =
        schema.ids().map(|id| CellMask::new(rows.iter().map(|row| row[id.index()].is_none()))).collect();
    RelatedData::new(schema_of, schema.ids().map(column).collect(), starts, None).with_missing(masks)
}

/// Fills in with a fixed structure by the tables of a method.
fn complete(data: &RelatedData, dag: &Dag, tables: Method, seed: u64) -> Completed {
    FillIn { tables, pooled: false, seed, memory: None }.complete(data, dag).unwrap()
}

#[test]
fn without_missing_values_nothing_changes() {
    let (data, _) = relatives(60);
    let plain = learn(&data, &LearnOptions::default()).unwrap();
    let masked = data.clone().with_missing(vec![None; 5]);
    for missing in [Missing::Impute, Missing::Available] {
        let same = learn(&masked, &LearnOptions::new().with_missing(missing)).unwrap();
        assert_eq!((&same, same.score.to_bits()), (&plain, plain.score.to_bits()));
    }
    assert!(!plain.document().contains_key("missing"));
}

#[test]
fn the_order_of_rows_and_data_sets_changes_nothing() {
    let (data, _) = relatives(60);
    let gaps = with_gaps(&data, 0.3, 1);
    let schema = gaps.schema().clone();
    let mut data_sets: Vec<(String, Vec<Vec<Option<u32>>>)> = schema
        .data_sets()
        .iter()
        .enumerate()
        .map(|(index, name)| {
            let rows = gaps.rows_of(DataSetId::new(index));
            (name.clone(), rows.map(|row| cells(&gaps, row)).collect())
        })
        .collect();
    let first = learn(&gaps, &LearnOptions::default()).unwrap();
    data_sets.reverse();
    data_sets.iter_mut().for_each(|(_, rows)| rows.reverse());
    let other = learn(&from_rows(&schema, &data_sets), &LearnOptions::default()).unwrap();
    assert_eq!(first.structure, other.structure);
    assert!((first.score - other.score).abs() < 1e-7 * first.score.abs(), "{} {}", first.score, other.score);
}

#[test]
fn the_result_records_the_filled_in_cells_and_the_rounds() {
    let (data, _) = relatives(60);
    let mut masks: Vec<Option<CellMask>> = vec![None; 5];
    // The second data set lacks the variable 3, and the third has gaps in the variable 1.
    masks[3] = CellMask::new((0..180).map(|row| (60..120).contains(&row)));
    masks[1] = CellMask::new((0..180).map(|row| row >= 150));
    let gaps = data.clone().with_missing(masks);
    let learned = learn(&gaps, &LearnOptions::default()).unwrap();
    let json = &learned.document()["missing"];
    assert_eq!(json["treatment"], "impute");
    assert_eq!(json["versions"], 5);
    assert!((json["share"].as_f64().unwrap() - 90.0 / 900.0).abs() < 1e-12);
    assert_eq!(json["columns"].as_array().unwrap().len(), 2);
    assert_eq!(json["columns"][0]["absent"], json!(true));
    assert_eq!(json["columns"][1]["share"], json!(0.5));
    let rounds = json["rounds"].as_array().unwrap();
    assert!((3..=16).contains(&rounds.len()), "{}", rounds.len());
    assert_eq!(rounds[rounds.len() - 1]["phase"], 2);
    // The tables of the data set that lacks the variable are those of a new data set, and no other's.
    let tables = complete(&gaps, &learned.dag, Method::Kin(Kin::default()), 0)
        .tables(&learned.dag, &Method::Kin(Kin::default()), None)
        .unwrap();
    let node = VariableId::new(3);
    let new = tables.table_of(node, Relative::New);
    assert_eq!(tables.table_of(node, Relative::DataSet(DataSetId::new(1))), new);
    assert_ne!(tables.table_of(node, Relative::DataSet(DataSetId::new(0))), new);
}

#[test]
fn every_score_learns_from_incomplete_data() {
    let (data, _) = relatives(40);
    let gaps = with_gaps(&data, 0.15, 2);
    for name in ["kin", "bhd", "bdeu", "bic", "bdeu-separate"] {
        use kinfolk::score::NamedChoice as _;
        let score = ScoreSpec::named(ScoreName::from_name(name).unwrap());
        for missing in [Missing::Impute, Missing::Available] {
            let options = LearnOptions::new().with_score(score.clone()).with_missing(missing);
            let learned = learn(&gaps, &options).unwrap();
            assert!(learned.score.is_finite(), "{name} {missing:?}");
            assert_eq!(learned.filled_in.unwrap().versions, if missing == Missing::Impute { 5 } else { 0 });
        }
    }
}

#[test]
fn an_observer_that_stops_gets_the_structure_so_far() {
    let (data, _) = relatives(60);
    let gaps = with_gaps(&data, 0.3, 4);
    let mut calls = 0;
    let stopped = learn_observed(&gaps, &LearnOptions::default(), &mut |_| {
        calls += 1;
        if calls > 60 { ControlFlow::Break(Halt::Interrupted) } else { ControlFlow::Continue(()) }
    });
    let stopped = stopped.unwrap();
    assert_eq!(stopped.stop, Stop::Interrupted);
    assert!(!stopped.filled_in.unwrap().settled);
}

#[test]
fn a_variable_without_any_value_is_refused() {
    let (data, _) = relatives(10);
    let mut masks = vec![None; 5];
    masks[2] = CellMask::new(vec![true; 30]);
    let error = learn(&data.with_missing(masks), &LearnOptions::default()).unwrap_err();
    assert!(matches!(error, LearnError::Missing(_)), "{error}");
}

/// Two binary variables a → b in one data set: rows with both, and rows without b.
fn two_variables(both: &[(u32, u32)], without: &[u32]) -> (RelatedData, Dag) {
    let variable = |name: &str| Variable {
        name: name.to_owned(),
        states: vec!["0".to_owned(), "1".to_owned()],
        constant: false,
    };
    let schema = Schema::new(vec![variable("a"), variable("b")], vec!["d".to_owned()]);
    let rows = both.iter().map(|&(a, b)| vec![Some(a), Some(b)]);
    let rows: Vec<Vec<Option<u32>>> = rows.chain(without.iter().map(|&a| vec![Some(a), None])).collect();
    let dag = Dag::from_arcs(2, [(VariableId::new(0), VariableId::new(1))]).unwrap();
    (from_rows(&schema, &[("d".to_owned(), rows)]), dag)
}

#[test]
fn versions_take_no_more_memory_than_as_many_copies_of_the_data() {
    let (data, dag) = relatives(400);
    let gaps = with_gaps(&data, 0.1, 1);
    assert!(
        (0..gaps.stored_rows()).all(|row| cells(&gaps, row).iter().any(Option::is_some)),
        "every row is kept"
    );
    assert_eq!(data.bytes(), 5 * 1200, "a byte for each cell");
    let completed = complete(&gaps, &dag, Method::Kin(Kin::default()), 1);
    assert!(completed.bytes() <= completed.versions() * gaps.bytes());
    let options = kinfolk::search::SearchSpec::default();
    let search = options.prepare(gaps.schema()).unwrap();
    let kin = Kin::default();
    let learn = LearnIncomplete {
        score: &kin,
        tables: Method::Kin(kin.clone()),
        search: &search,
        treatment: Missing::Impute,
        seed: 1,
        memory: None,
    };
    let found = learn.run(&gaps, serde_json::Map::new(), &mut |_| ControlFlow::Continue(())).unwrap();
    let completed = found.completed.unwrap();
    assert!(completed.bytes() <= completed.versions() * gaps.bytes());
    // Observed cells are those of the data in every version; others were drawn for each.
    for version in 0..completed.versions() {
        let rows = completed.version(version);
        for id in gaps.schema().ids() {
            for row in (0..gaps.stored_rows()).filter(|&row| !gaps.is_missing(id, row)) {
                assert_eq!(rows.column(id).get(row), gaps.column(id).get(row));
            }
        }
    }
    assert_ne!(completed.version(0), completed.version(1));
}

#[test]
fn equal_rows_are_filled_in_independently_of_each_other() {
    // 400 rows a = 0 without b, after as many that show b = 1 half the time: equal rows must not get equal values.
    let both: Vec<(u32, u32)> = (0..400).map(|row| (0, row % 2)).collect();
    let (data, dag) = two_variables(&both, &[0; 400]);
    let completed = complete(&data, &dag, Method::Bayes(ImaginarySampleSize::default()), 3);
    let drawn: Vec<u32> =
        (400..800).map(|row| completed.version(0).column(VariableId::new(1)).get(row)).collect();
    // The number of changes from one row to the next: 200 ± 10 for independent halves.
    let changes = drawn.windows(2).filter(|pair| pair[0] != pair[1]).count();
    assert!(changes.abs_diff(200) < 50, "{changes}");
}

#[test]
fn values_filled_in_follow_the_posterior_of_the_model() {
    // b given a = 0: 30 of 40 rows, and given a = 1: 10 of 40. With few rows to fill in, the tables hardly depend on them.
    let both: Vec<(u32, u32)> =
        (0..80).map(|row| (row / 40, u32::from(row % 40 < if row < 40 { 30 } else { 10 }))).collect();
    let (data, dag) = two_variables(&both, &[0, 0, 0, 0, 1, 1, 1, 1]);
    let (mut ones, mut draws) = ([0.0; 2], [0.0; 2]);
    for seed in 0..200 {
        let completed = complete(&data, &dag, Method::Bayes(ImaginarySampleSize::default()), seed);
        for version in 0..completed.versions() {
            let rows = completed.version(version);
            for row in 80..88 {
                let a = rows.column(VariableId::new(0)).get(row) as usize;
                ones[a] += f64::from(rows.column(VariableId::new(1)).get(row));
                draws[a] += 1.0;
            }
        }
    }
    // 4,000 draws each from a posterior of about 3/4 and 1/4. Draws of one run share its tables, whose own spread from eight filled-in
    // rows is about 0.03 a run: 0.003 over the runs, and 0.007 of the draws.
    for (a, expected) in [30.25 / 40.5, 10.25 / 40.5].into_iter().enumerate() {
        let share = ones[a] / draws[a];
        assert!((share - expected).abs() < 0.03, "{a}: {share} instead of {expected}");
    }
}

#[test]
fn tables_of_one_data_set_agree_with_ordinary_em() {
    // a → b with a missing in some rows and b in others.
    let mut random = ChaCha8Rng::seed_from_u64(9);
    let mut rows: Vec<Vec<Option<u32>>> = Vec::new();
    for _ in 0..4000 {
        let a = u32::from(random.random::<f64>() < 0.3);
        let b = u32::from(random.random::<f64>() < if a == 1 { 0.8 } else { 0.2 });
        let keep = |random: &mut ChaCha8Rng, value: u32| (random.random::<f64>() > 0.3).then_some(value);
        rows.push(vec![keep(&mut random, a), keep(&mut random, b)]);
    }
    let (pattern, dag) = two_variables(&[(0, 0), (1, 1)], &[]);
    let data = from_rows(pattern.schema(), &[("d".to_owned(), rows.clone())]);
    // EM in closed form for the same two tables, from the marginals on.
    let (mut p_a, mut p_b) = (0.5, [0.4, 0.6]);
    for _ in 0..500 {
        let (mut n_a, mut n, mut n_b, mut total) = (0.0, 0.0, [0.0; 2], [0.0; 2]);
        for row in &rows {
            let joint = |a: usize, b: u32| {
                let of_a = if a == 1 { p_a } else { 1.0 - p_a };
                of_a * if b == 1 { p_b[a] } else { 1.0 - p_b[a] }
            };
            let is_possible = |a: usize, b: u32| {
                row[0].is_none_or(|own| own as usize == a) && row[1].is_none_or(|own| own == b)
            };
            let all: Vec<(usize, u32)> =
                [(0, 0), (0, 1), (1, 0), (1, 1)].into_iter().filter(|&(a, b)| is_possible(a, b)).collect();
            let sum: f64 = all.iter().map(|&(a, b)| joint(a, b)).sum();
            if row[0].is_none() && row[1].is_none() {
                continue;
            }
            for (a, b) in all {
                let share = joint(a, b) / sum;
                n += share;
                n_a += share * a as f64;
                total[a] += share;
                n_b[a] += share * f64::from(b);
            }
        }
        (p_a, p_b) = (n_a / n, [n_b[0] / total[0], n_b[1] / total[1]]);
    }
    let method = Method::Bayes(ImaginarySampleSize::default());
    let tables = complete(&data, &dag, method.clone(), 5).tables(&dag, &method, None).unwrap();
    let of = |node: usize| tables.table(VariableId::new(node), DataSetId::new(0)).values().to_vec();
    let (a, b) = (of(0), of(1));
    // Drawing moves a share p of n rows by √(p(1−p)·missing)/n in every version: below 0.01 here, over the mean of five versions and
    // what earlier rounds left.
    for (found, expected) in [(a[1], p_a), (b[1], p_b[0]), (b[3], p_b[1])] {
        assert!((found - expected).abs() < 0.03, "{found} instead of {expected}");
    }
}

#[test]
fn available_case_scores_are_bayes_factors_of_the_rows_complete_for_the_family() {
    // Without gaps in a family, the arc's gain on the rows complete for it is scaled to all rows.
    let both: Vec<(u32, u32)> =
        (0..60).map(|row| (row % 2, u32::from(row % 10 < 5 + 4 * (row % 2)))).collect();
    let (data, _) = two_variables(&both, &[0; 20]);
    let (complete, _) = two_variables(&both, &[]);
    let learned = learn(&data, &LearnOptions::new().with_missing(Missing::Available)).unwrap();
    let kin = Kin::default();
    let tally = MemoryTally::new(&complete);
    let (a, b) = (VariableId::new(0), VariableId::new(1));
    let score = |family: Family| kin.family_score(&tally.tally(&family).unwrap()).total;
    let factor = score(Family::new(b, [a])) - score(Family::new(b, []));
    let expected = (factor * 80.0 / 60.0).max(0.0);
    assert!((learned.score - expected).abs() < 1e-9, "{} instead of {expected}", learned.score);
    assert_eq!(learned.arcs.len(), usize::from(expected > 0.0));
}
