//! The bootstrap: certain arcs are certain, the answer depends on the seed alone, and nothing finished is lost or done twice.

use std::ops::ControlFlow;
use std::sync::Mutex;

use crate::related::read_related;
use kinfolk::bootstrap::{
    Bootstrap, BootstrapError, BootstrapSample, BootstrapStop, Bootstrapped, By, FinishedSearch,
};
use kinfolk::counts::{Family, MemoryTally, Selection, Tally};
use kinfolk::data::{Column, DataSetId, RelatedData, Schema, Variable};
use kinfolk::graph::{Dag, compare, modelstring};
use kinfolk::score::{Bdeu, Bhd, Halt, Score, Scorer};
use kinfolk::search::{Constraints, Event, HillClimb};
use kinfolk::simulate::{Design, Level, Parameters, Scenario, simulate};

fn settings<'a>(data: &RelatedData, score: &'a dyn Score) -> Bootstrap<'a> {
    Bootstrap {
        score,
        climb: HillClimb::new(Constraints::none(data.schema())),
        start: Dag::empty(data.schema().variables().len()),
        keep_scores: None,
        by: By::Rows,
        replicates: 12,
        leave_one_out: Some(false),
        seed: 4,
        memory: None,
        tables: kinfolk::estimate::Method::Kin(kinfolk::score::Kin::default()),
    }
}

fn run(bootstrap: &Bootstrap<'_>, data: &RelatedData) -> Bootstrapped {
    bootstrap.run(data, &[], &|_| ControlFlow::Continue(())).unwrap()
}

/// Three data sets in which `b` equals `a`, and `c` is an independent coin.
fn certain() -> RelatedData {
    let variable = |name: &str| Variable {
        name: name.to_owned(),
        states: vec!["0".to_owned(), "1".to_owned()],
        constant: false,
    };
    let schema =
        Schema::new(["a", "b", "c"].map(variable).to_vec(), ["x", "y", "z"].map(str::to_owned).to_vec());
    let a: Vec<u32> = (0..300).map(|row| u32::from(row % 5 < 2)).collect();
    let c: Vec<u32> = (0..300).map(|row| u32::from(row * 7919 % 11 < 5)).collect();
    let columns = [&a, &a, &c].map(|codes| {
        let mut column = Column::for_states(2, codes.len());
        codes.iter().for_each(|&code| column.push(code));
        column
    });
    let columns = columns.to_vec();
    RelatedData::new(schema, columns, vec![0, 100, 200, 300], None)
}

#[test]
fn a_certain_arc_has_strength_one() {
    let data = certain();
    for by in [By::Rows, By::DataSets] {
        let bhd = Bhd::default();
        let found = run(&Bootstrap { by, ..settings(&data, &bhd) }, &data);
        let first = &found.arcs[0];
        assert_eq!((first.from.as_str(), first.to.as_str()), ("a", "b"));
        assert_eq!((first.strength, first.averaged), (1.0, true));
        assert!(found.averaged.as_ref().unwrap().contains("[b|a"), "{:?}", found.averaged);
        assert_eq!((found.replicates, found.stop), (12, BootstrapStop::Complete));
    }
    // BDeu cannot distinguish a → b from b → a.
    let bdeu = Bdeu::default();
    let found = run(&settings(&data, &bdeu), &data);
    assert_eq!((found.arcs[0].strength, found.arcs[0].direction), (1.0, 0.5));
}

#[test]
fn the_seed_decides_and_the_number_of_threads_does_not() {
    let data = read_related("clinics");
    let bhd = Bhd::default();
    for by in [By::Rows, By::DataSets] {
        let bootstrap = Bootstrap { by, leave_one_out: Some(true), ..settings(&data, &bhd) };
        let with = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| run(&bootstrap, &data))
        };
        let once = with(1);
        assert_eq!(once, with(3));
        assert_ne!(once.arcs, run(&Bootstrap { seed: 5, ..bootstrap.clone() }, &data).arcs);
    }
}

#[test]
fn strengths_are_shares_of_the_structures_found() {
    let data = read_related("clinics");
    let bhd = Bhd::default();
    let records: Mutex<Vec<FinishedSearch>> = Mutex::new(Vec::new());
    let found = settings(&data, &bhd)
        .run(&data, &[], &|progress| {
            records.lock().unwrap().extend(progress.finished.cloned());
            ControlFlow::Continue(())
        })
        .unwrap();
    let records = records.into_inner().unwrap();
    assert_eq!(records.len(), 13);
    let dags: Vec<Dag> = records
        .iter()
        .filter(|record| record.sample != BootstrapSample::All)
        .map(|record| modelstring::parse(&record.structure, &data.schema().names()).unwrap())
        .collect();
    for arc in &found.arcs {
        let (from, to) = (data.schema().find(&arc.from).unwrap(), data.schema().find(&arc.to).unwrap());
        let linked = dags.iter().filter(|dag| dag.adjacent(from, to)).count() as f64;
        let forward = dags.iter().filter(|dag| dag.has_arc(from, to)).count() as f64;
        assert_eq!((arc.strength, arc.direction), (linked / 12.0, forward / linked));
        assert!(arc.direction >= 0.5);
    }
    let averaged = modelstring::parse(found.averaged.as_ref().unwrap(), &data.schema().names()).unwrap();
    assert_eq!(
        averaged.arc_count() + found.skipped.len(),
        found
            .arcs
            .iter()
            .filter(|arc| arc.strength > found.threshold.unwrap() || arc.strength == 1.0)
            .count()
    );
}

#[test]
fn finished_searches_are_not_repeated_and_change_nothing() {
    let data = read_related("clinics");
    let bhd = Bhd::default();
    let bootstrap = Bootstrap { leave_one_out: Some(true), ..settings(&data, &bhd) };
    let whole = run(&bootstrap, &data);
    // Stopped after some searches, and continued with the finished ones.
    let kept: Mutex<Vec<FinishedSearch>> = Mutex::new(Vec::new());
    let stopped = bootstrap
        .run(&data, &[], &|progress| {
            let mut kept = kept.lock().unwrap();
            kept.extend(progress.finished.cloned());
            if kept.len() >= 6 { ControlFlow::Break(Halt::Interrupted) } else { ControlFlow::Continue(()) }
        })
        .unwrap();
    assert_eq!(stopped.stop, BootstrapStop::Interrupted);
    let kept = kept.into_inner().unwrap();
    assert!(stopped.replicates < 12 && kept.len() >= 6);
    let again: Mutex<Vec<FinishedSearch>> = Mutex::new(Vec::new());
    let continued = bootstrap
        .run(&data, &kept, &|progress| {
            again.lock().unwrap().extend(progress.finished.cloned());
            ControlFlow::Continue(())
        })
        .unwrap();
    assert_eq!(continued, whole);
    let again = again.into_inner().unwrap();
    assert_eq!(again.len() + kept.len(), 12 + 3 + 1);
    assert!(again.iter().all(|record| !kept.contains(record)));
}

#[test]
fn leaving_a_data_set_out_is_learning_without_it() {
    let data = read_related("clinics");
    let bhd = Bhd::default();
    let bootstrap = Bootstrap { leave_one_out: Some(true), replicates: 1, ..settings(&data, &bhd) };
    let found = run(&bootstrap, &data);
    let all = modelstring::parse(found.learned.as_ref().unwrap(), &data.schema().names()).unwrap();
    for (index, left_out) in found.leave_one_out.unwrap().iter().enumerate() {
        let others = data.without(DataSetId::new(index));
        let tally = MemoryTally::new(&others);
        let climb = HillClimb::new(Constraints::none(others.schema()));
        let mut go_on = |_: &Event<'_>| ControlFlow::Continue(());
        let without = climb.run(&mut Scorer::new(&tally, &bhd), Dag::empty(6), &mut go_on).unwrap().dag;
        assert_eq!(left_out.structure, modelstring::format(&without, &data.schema().names()));
        assert_eq!(left_out.kept.len() + left_out.lost.len(), all.arc_count());
        assert_eq!(left_out.kept.len() + left_out.gained.len(), without.arc_count());
        let skeleton = compare(&without, &all).skeleton;
        assert_eq!(
            (left_out.kept.len(), left_out.lost.len(), left_out.gained.len()),
            (skeleton.tp, skeleton.fn_, skeleton.fp)
        );
        for arc in &left_out.reversed {
            let [from, to] = [&arc.from, &arc.to].map(|name| data.schema().find(name).unwrap());
            assert!(left_out.kept.contains(arc) && all.has_arc(from, to) && without.has_arc(to, from));
        }
        assert_eq!(left_out.data_set, data.schema().data_sets()[index]);
    }
}

#[test]
fn a_selection_counts_as_if_the_rows_were_copied() {
    let data = read_related("clinics");
    let tally = MemoryTally::new(&data);
    let selection = Selection::new(&tally, vec![2, 0, 2]).unwrap();
    assert_eq!(selection.schema().data_sets(), ["s1", "s3", "s3 (2)"]);
    let ids: Vec<_> = data.schema().ids().collect();
    let family = Family::new(ids[1], [ids[3], ids[5]]);
    let others = data.without(DataSetId::new(1));
    let (selected, plain) =
        (selection.tally(&family).unwrap(), MemoryTally::new(&others).tally(&family).unwrap());
    assert_eq!(selected.rows(), [plain.rows()[0], plain.rows()[1], plain.rows()[1]]);
    assert_eq!(selected.of_data_sets(&[0, 1]), plain);
    assert_eq!(selected.of_data_sets(&[0, 2]), plain);
}

#[test]
fn weights_are_drawn_as_rows_are() {
    // A row of weight 100 is a hundred rows: the same arc is as certain.
    let data = certain();
    let weighted = data.reweighted(&vec![3; data.stored_rows()]);
    let bhd = Bhd::default();
    let found = run(&settings(&weighted, &bhd), &weighted);
    assert_eq!((found.arcs[0].strength, found.arcs[0].to.as_str()), (1.0, "b"));
}

#[test]
fn rows_of_weight_zero_equal_removed_rows() {
    // Few parents are counted in tables, five of twenty states each by sorting.
    let design = Design {
        nodes: 6,
        arcs: 5,
        max_parents: Some(2),
        states: vec![20],
        rows: vec![300, 200],
        parameters: Parameters::Hier,
        level: Level::Joint,
        s: 10.0,
        alpha0: 1.0,
        scenario: Scenario::A,
    };
    let data = simulate(&design, 1, 0).unwrap().data;
    let weights: Vec<u64> = (0..data.stored_rows() as u64).map(|row| row * 7919 % 4).collect();
    let (kept, copied) = (data.with_weights(weights.clone()), data.reweighted(&weights));
    assert!(weights.contains(&0) && kept.stored_rows() > copied.stored_rows());
    assert_eq!(kept.schema(), copied.schema());
    let ids: Vec<_> = data.schema().ids().collect();
    let families: Vec<Family> =
        (0..ids.len()).map(|parents| Family::new(ids[5], ids[..parents].iter().copied())).collect();
    for pooled in [false, true] {
        let tally = |data| if pooled { MemoryTally::pooled(data) } else { MemoryTally::new(data) };
        assert_eq!(
            tally(&kept).tally_many(&families).unwrap(),
            tally(&copied).tally_many(&families).unwrap()
        );
    }
    // Where only one state counts, the variable is constant.
    let one: Vec<u64> =
        (0..data.stored_rows()).map(|row| u64::from(data.column(ids[0]).get(row) == 0)).collect();
    let constant =
        |data: &RelatedData| data.schema().variables().iter().map(|v| v.constant).collect::<Vec<_>>();
    assert_eq!(constant(&data.with_weights(one.clone())), constant(&data.reweighted(&one)));
    assert!(constant(&data.with_weights(one))[0]);
}

#[test]
fn impossible_bootstraps_are_refused() {
    let data = read_related("clinics");
    let one = data.without(DataSetId::new(0)).without(DataSetId::new(0));
    let bhd = Bhd::default();
    let refusal = |bootstrap: Bootstrap<'_>, data: &RelatedData, done: &[FinishedSearch]| {
        bootstrap.run(data, done, &|_| ControlFlow::Continue(())).unwrap_err()
    };
    let plain = settings(&data, &bhd);
    assert_eq!(
        refusal(Bootstrap { replicates: 0, ..plain.clone() }, &data, &[]),
        BootstrapError::NoReplicate
    );
    assert_eq!(
        refusal(Bootstrap { replicates: u64::MAX, ..plain.clone() }, &data, &[]),
        BootstrapError::TooManyReplicates { replicates: u64::MAX }
    );
    for wrong in [
        Bootstrap { by: By::DataSets, ..plain.clone() },
        Bootstrap { leave_one_out: Some(true), ..plain.clone() },
    ] {
        assert!(matches!(refusal(wrong, &one, &[]), BootstrapError::OneDataSet { .. }));
    }
    let foreign = FinishedSearch { sample: BootstrapSample::Replicate(0), structure: "[Q]".to_owned() };
    assert!(matches!(refusal(plain, &data, &[foreign]), BootstrapError::Record(_)));
}
