//! How much work fixed searches take, in numbers that do not depend on the machine: a worse algorithm fails here, not a slower one.

use std::ops::ControlFlow;

use crate::related::read_related;
use kinfolk::counts::MemoryTally;
use kinfolk::data::{Column, RelatedData, Schema, Variable};
use kinfolk::graph::Dag;
use kinfolk::score::{Bdeu, Bhd, Kin, Score, Scorer, Work};
use kinfolk::search::{Constraints, HillClimb};
use kinfolk::simulate::{Design, Level, Parameters, Scenario, simulate};
use kinfolk::variational::Prior;

/// The work of a climb from the empty graph with this many threads.
fn work(data: &RelatedData, score: &dyn Score, threads: usize) -> Work {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| {
        let tally = MemoryTally::new(data);
        let mut scorer = Scorer::new(&tally, score);
        let start = Dag::empty(data.schema().variables().len());
        let climb = HillClimb::new(Constraints::none(data.schema()));
        climb.run(&mut scorer, start, &mut |_| ControlFlow::Continue(())).unwrap();
        scorer.work()
    })
}

/// Simulated binary data in this many data sets.
fn binary_data(data_sets: usize, rows: usize) -> RelatedData {
    let design = Design {
        nodes: 20,
        arcs: 24,
        max_parents: None,
        states: vec![2],
        rows: vec![rows; data_sets],
        parameters: Parameters::Hier,
        level: Level::Joint,
        s: 10.0,
        alpha0: 1.0,
        scenario: Scenario::A,
    };
    simulate(&design, 1, 0).unwrap().data
}

#[test]
fn searches_take_no_more_work_than_they_did() {
    let bhd = Bhd { prior: Prior::default() };
    let (bdeu, kin) = (Bdeu::default(), Kin::default());
    let [clinics, cohorts, valleys] = ["clinics", "cohorts", "valleys"].map(read_related);
    let (one, ten) = (binary_data(1, 1000), binary_data(10, 100));
    // Families scored and bounded, fits, Newton steps and rows looked at.
    let measured: [(&str, &RelatedData, &dyn Score, [u64; 5]); 12] = [
        ("clinics", &clinics, &bhd, [29, 60, 29, 133, 1_010_400]),
        ("clinics", &clinics, &kin, [28, 81, 0, 0, 1_626_000]),
        ("clinics", &clinics, &bdeu, [49, 0, 0, 0, 537_000]),
        ("cohorts", &cohorts, &bhd, [58, 442, 58, 284, 14_268_000]),
        ("cohorts", &cohorts, &kin, [52, 674, 0, 0, 23_842_000]),
        ("cohorts", &cohorts, &bdeu, [397, 0, 0, 0, 12_562_000]),
        ("valleys", &valleys, &bhd, [51, 220, 51, 236, 3_448_000]),
        ("valleys", &valleys, &kin, [53, 329, 0, 0, 5_913_000]),
        ("valleys", &valleys, &bdeu, [193, 0, 0, 0, 1_432_000]),
        ("one binary data set", &one, &bdeu, [664, 0, 0, 0, 2_175_000]),
        ("ten binary data sets", &ten, &bhd, [83, 895, 83, 375, 5_878_000]),
        ("ten binary data sets", &ten, &kin, [90, 1237, 0, 0, 9_702_000]),
    ];
    let mut exceeded = Vec::new();
    for (name, data, score, most) in measured {
        let work = work(data, score, 1);
        let done =
            [work.families_scored, work.families_bounded, work.fits, work.newton_steps, work.rows_scanned];
        if done.iter().zip(most).any(|(&done, most)| done > most) {
            exceeded.push(format!("{name}, {}: {done:?} is more than {most:?}", score.name()));
        }
        assert!(work.cache_hits > 0, "{name}, {}: nothing was remembered", score.name());
    }
    assert!(exceeded.is_empty(), "{}", exceeded.join("\n"));
}

#[test]
fn any_number_of_threads_does_the_same_work() {
    // Enough states that families are expensive and the number of threads determines the batches.
    let (states, rows) = (250_u32, 2_000_u32);
    let columns: Vec<Column> = (1..=30_u32)
        .map(|factor| {
            let mut column = Column::for_states(states as usize, rows as usize);
            (0..rows).for_each(|row| column.push((row * row / 7 + row * factor) % states));
            column
        })
        .collect();
    let variable = |index: usize| Variable {
        name: format!("V{index}"),
        states: (0..states).map(|state| state.to_string()).collect(),
        constant: false,
    };
    let schema = Schema::new((0..30).map(variable).collect(), vec!["all".to_owned()]);
    let data = RelatedData::new(schema, columns, vec![0, rows as usize], None);
    let one = work(&data, &Bdeu::default(), 1);
    assert!(one.families_scored > 400);
    for threads in [2, 3, 8] {
        let more = work(&data, &Bdeu::default(), threads);
        // Shared parts are computed for every batch, and batches grow with the number of threads.
        let part = more.rows_scanned as f64 / one.rows_scanned as f64;
        assert!((0.9..=1.0).contains(&part), "{threads} threads: {part}");
        assert_eq!(Work { rows_scanned: one.rows_scanned, ..more }, one, "{threads} threads");
    }
}
