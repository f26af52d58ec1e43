//! Warnings about learned networks: copies of rows, large tables, and arcs in the missing state.

use kinfolk::data::{Column, DataSetId, Missing, ReadOptions, RelatedData, Source, read};
use kinfolk::learned::{ArcGain, Learned};
use kinfolk::review::{Review, Warning, identical_rows};
use kinfolk::score::Kin;
use kinfolk::simulate::{Design, Level, Parameters, Scenario, simulate};
use kinfolk::{LearnOptions, Network, fit_tables, learn};

fn design(nodes: usize, parameters: Parameters) -> Design {
    Design {
        nodes,
        arcs: nodes * 5 / 4,
        max_parents: Some(3),
        states: vec![2; nodes],
        rows: vec![100; 5],
        parameters,
        level: Level::Configuration,
        s: 10.0,
        alpha0: 1.0,
        scenario: Scenario::A,
    }
}

/// A network by hill-climbing, and its tables.
fn network(data: &RelatedData) -> (Learned, Network) {
    let mut options = LearnOptions::default();
    options.search.restarts = Some(0);
    let learned = learn(data, &options).unwrap();
    let tables = fit_tables(data, &learned.dag, &options).unwrap();
    (learned, tables)
}

/// The same data with the last third of every data set replaced by copies of rows of the first third.
fn with_copies(data: &RelatedData) -> RelatedData {
    let (mut rows, mut starts) = (Vec::new(), vec![0]);
    for index in 0..data.schema().data_sets().len() {
        let own = data.rows_of(DataSetId::new(index));
        let third = own.len() / 3;
        rows.extend(own.start..own.end - third);
        rows.extend(own.start..own.start + third);
        starts.push(rows.len());
    }
    let columns = data.schema().ids().map(|id| {
        let mut column = Column::for_states(data.schema().states(id), rows.len());
        rows.iter().for_each(|&row| column.push(data.column(id).get(row)));
        column
    });
    RelatedData::new(data.schema().clone(), columns.collect(), starts, None)
}

#[test]
fn copies_of_rows_are_noticed_and_independent_rows_are_not() {
    let (mut false_alarms, mut noticed, mut problems) = (0, 0, 0);
    for parameters in [Parameters::Hier, Parameters::Iid, Parameters::Id] {
        for seed in 0..34 {
            let data = simulate(&design(15, parameters), 5_000 + seed, 0).unwrap().data;
            let found = identical_rows(&data, &network(&data).1).unwrap();
            false_alarms += usize::from(found.is_suspicious());
            let copied = with_copies(&data);
            noticed += usize::from(identical_rows(&copied, &network(&copied).1).unwrap().is_suspicious());
            problems += 1;
        }
    }
    assert!(false_alarms <= 1, "{false_alarms}");
    assert!(noticed * 10 >= problems * 6, "{noticed} of {problems}");
}

#[test]
fn the_expected_number_of_pairs_is_that_of_rows_drawn_from_the_network() {
    const DRAWS: u32 = 400;
    let truth = simulate(&design(8, Parameters::Hier), 77, 0).unwrap().truth;
    let (mut sum, mut squares, mut expected, mut error) = (0.0, 0.0, 0.0, 0.0);
    for draw in 0..DRAWS {
        let streams =
            kinfolk::simulate::Streams { rows: u64::from(draw), ..kinfolk::simulate::Streams::from(0) };
        let data = simulate(&design(8, Parameters::Hier), 77, streams).unwrap().data;
        let found = identical_rows(&data, &truth).unwrap();
        let own: u64 = found.repeated;
        assert!(own as f64 <= found.pairs && found.rows == 500);
        sum += found.pairs;
        squares += found.pairs * found.pairs;
        expected += found.expected_pairs / f64::from(DRAWS);
        error += found.error / f64::from(DRAWS);
    }
    let mean = sum / f64::from(DRAWS);
    let deviation = (squares / f64::from(DRAWS) - mean * mean).sqrt();
    assert!(
        (mean - expected).abs() < 4.0 * deviation / f64::from(DRAWS).sqrt(),
        "{mean} {expected} {deviation}"
    );
    assert!((deviation / error - 1.0).abs() < 0.15, "{deviation} {error}");
}

/// Reads one text.
fn reading(text: &str, options: &ReadOptions) -> RelatedData {
    let source = Source::Reader {
        name: "visits".to_owned(),
        reader: Box::new(std::io::Cursor::new(text.as_bytes().to_vec())),
    };
    read(vec![source], options).unwrap().data
}

/// Numbers below a limit, from a seed: SplitMix64 (Steele, Lea and Flood, 2014).
fn numbers(mut state: u64) -> impl FnMut(u64) -> u64 {
    move |below| {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % below
    }
}

/// Visits of 128 patients in 8 centres. The treatment is drawn by lot, and all columns but the outcome are those of the patient.
fn visits() -> String {
    let mut next = numbers(2024);
    let mut text = "centre,id,treat,sex,age,height,weight,inherit,steroids,status\n".to_owned();
    for patient in 0..128 {
        let age = 2 + next(40);
        let height = 80 + 2 * age + next(30);
        let weight = height / 2 + next(20);
        let own = [next(2), u64::from(next(5) == 0), age, height, weight, next(3), u64::from(next(8) == 0)];
        let own = own.map(|value| value.to_string()).join(",");
        for _ in 0..=next(4) {
            text += &format!("{},{patient},{own},{}\n", patient % 8, u64::from(next(4) == 0));
        }
    }
    text
}

#[test]
fn repeated_visits_give_a_treatment_by_lot_no_parents_if_a_patient_counts_once() {
    let options = ReadOptions {
        group: Some("centre".to_owned()),
        discretize: vec!["all=quantile:3".parse().unwrap()],
        ..ReadOptions::default()
    };
    // Arcs of less than three nats may come by chance.
    let of_treatment = |data: &RelatedData| {
        let learned = network(data).0;
        let ends = |arc: &&ArcGain| arc.from == "treat" || arc.to == "treat";
        learned.arcs.iter().filter(ends).filter(|arc| arc.gain.unwrap() > 3.0).count()
    };
    let text = visits();
    let all = reading(&text, &ReadOptions { ignore: vec!["id".to_owned()], ..options.clone() });
    assert!(of_treatment(&all) >= 2, "{}", of_treatment(&all));
    let drawn = (1..=10).map(|id_seed| {
        let one = reading(&text, &ReadOptions { id: Some("id".to_owned()), id_seed, ..options.clone() });
        assert_eq!(one.stored_rows(), 128);
        of_treatment(&one)
    });
    let found: Vec<usize> = drawn.collect();
    assert!(found.iter().sum::<usize>() <= 2, "{found:?}");
}

fn warnings(data: &RelatedData) -> Vec<Warning> {
    let (learned, tables) = network(data);
    let review = Review {
        data,
        dag: &learned.dag,
        arcs: &learned.arcs,
        score: &Kin::default(),
        network: Some(&tables),
        memory: None,
    };
    review.warnings().unwrap()
}

#[test]
fn arcs_that_come_from_missing_values_are_named_with_both_gains() {
    let mut next = numbers(7);
    // In every third row neither x nor y was measured. v depends on u, and x does not depend on y.
    let mut text = "centre,u,v,x,y\n".to_owned();
    for row in 0..600 {
        let u = next(2);
        let v = if next(10) == 0 { 1 - u } else { u };
        let measured = |value: u64| if row % 3 == 1 { "NA".to_owned() } else { value.to_string() };
        text += &format!("{},{u},{v},{},{}\n", row % 2, measured(next(2)), measured(next(2)));
    }
    let options =
        ReadOptions { group: Some("centre".to_owned()), missing: Missing::Level, ..ReadOptions::default() };
    let data = reading(&text, &options);
    let found = warnings(&data);
    let [Warning::MissingState { from, to, gain, observed_gain, rows: 200, of: 600 }] = &found[..] else {
        panic!("{found:?}");
    };
    let mut ends = [from.as_str(), to.as_str()];
    ends.sort_unstable();
    assert_eq!(ends, ["x", "y"]);
    assert!(*gain > 100.0 && *observed_gain < 1.1, "{gain} {observed_gain}");
    // The gain of the observed rows is the gain of those rows alone, read without the others.
    let observed: Vec<&str> = text.lines().filter(|line| !line.contains("NA")).collect();
    let two = reading(&format!("{}\n", observed.join("\n")), &options);
    let judged = kinfolk::score_structure(
        &two,
        &kinfolk::graph::modelstring::parse(&format!("[u][v][{from}][{to}|{from}]"), &two.schema().names())
            .unwrap(),
        &LearnOptions::default(),
    );
    let judged = judged.unwrap();
    assert!(
        (judged.arcs[0].gain.unwrap() - observed_gain).abs() < 1e-6,
        "{:?} {observed_gain}",
        judged.arcs[0].gain
    );
}

#[test]
fn an_arc_in_the_observed_rows_is_not_blamed_on_missing_values() {
    let mut next = numbers(8);
    let mut text = "u,v\n".to_owned();
    for _ in 0..400 {
        let u = next(2);
        let v = if next(10) == 0 { 1 - u } else { u };
        text += &if next(3) == 0 { format!("NA,{v}\n") } else { format!("{u},{v}\n") };
    }
    let data = reading(&text, &ReadOptions { missing: Missing::Level, ..ReadOptions::default() });
    assert_eq!(network(&data).0.arcs.len(), 1);
    assert_eq!(warnings(&data), []);
}

#[test]
fn tables_with_more_cells_than_rows_are_named() {
    let mut next = numbers(9);
    let mut text = "a,b,c\n".to_owned();
    for _ in 0..40 {
        let (a, b) = (next(6), next(6));
        text += &format!("{a},{b},{}\n", (a + b) % 6);
    }
    let data = reading(&text, &ReadOptions::default());
    let dag = kinfolk::graph::modelstring::parse("[a][b][c|a:b]", &data.schema().names()).unwrap();
    let review =
        Review { data: &data, dag: &dag, arcs: &[], score: &Kin::default(), network: None, memory: None };
    let found = review.warnings().unwrap();
    let expected = Warning::LargeTable {
        node: "c".to_owned(),
        parents: vec!["a".to_owned(), "b".to_owned()],
        cells: 216.0,
        rows: 40,
    };
    assert_eq!(found, [expected]);
}
