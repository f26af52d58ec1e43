//! The functions at the crate's root: results keep their graph, options reach the score, a time limit needs an observer.

use std::ops::ControlFlow;

use kinfolk::graph::modelstring;
use kinfolk::score::{Halt, ScoreName};
use kinfolk::search::Stop;
use kinfolk::{
    LearnError, LearnOptions, ReadOptions, RelatedData, ScoreSpec, SearchSpec, learn, learn_observed,
};

fn clinics() -> RelatedData {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/clinics");
    let files = ["s1", "s2", "s3"].map(|name| format!("{folder}/{name}.csv"));
    kinfolk::read_csv(files, &ReadOptions::default()).unwrap().data
}

#[test]
fn a_result_keeps_its_graph_and_writes_it_as_a_modelstring_only() {
    let data = clinics();
    let learned = learn(&data, &LearnOptions::default()).unwrap();
    assert_eq!(modelstring::format(&learned.dag, &data.schema().names()), learned.structure);
    assert!(!learned.document().contains_key("dag"));
    let judged = kinfolk::score_structure(&data, &learned.dag, &LearnOptions::default()).unwrap();
    assert_eq!((judged.dag, judged.score), (learned.dag, learned.score));
}

#[test]
fn the_named_score_is_used_and_recorded() {
    let options = LearnOptions::new().with_score(ScoreSpec::named(ScoreName::bhd()));
    let learned = learn(&clinics(), &options).unwrap();
    assert_eq!(learned.score_name, "bhd");
    assert_eq!(learned.settings["score_name"], "bhd");
}

#[test]
fn a_time_limit_is_refused_without_an_observer_that_has_a_clock() {
    let mut search = SearchSpec::default();
    search.time_limit = Some(1.0);
    let options = LearnOptions::new().with_search(search);
    let data = clinics();
    assert_eq!(learn(&data, &options).unwrap_err(), LearnError::NoClock);
    let mut calls = 0;
    let stopped = learn_observed(&data, &options, &mut |_| {
        calls += 1;
        if calls > 3 { ControlFlow::Break(Halt::TimeLimit) } else { ControlFlow::Continue(()) }
    });
    assert_eq!(stopped.unwrap().stop, Stop::TimeLimit);
}
