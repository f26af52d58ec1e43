//! How much work fixed searches take, in numbers that do not depend on the machine: a worse algorithm fails here, not a slower one.

#![expect(clippy::unwrap_used, reason = "a test may fail loudly")]

mod related;

use std::ops::ControlFlow;

use kinfolk::counts::MemoryTally;
use kinfolk::data::{Column, RelatedData, Schema, Variable};
use kinfolk::dirichlet::Prior;
use kinfolk::graph::Dag;
use kinfolk::score::{Bdeu, Bhd, Kin, Score, Scorer, Work};
use kinfolk::search::{Constraints, HillClimb};
use related::read_related;

/// The work of a climb from the empty graph with so many threads.
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

#[test]
fn searches_take_no_more_work_than_they_did() {
    let bhd = Bhd { prior: Prior::default() };
    let bdeu = Bdeu::default();
    let kin = Kin::default();
    // Families scored and bounded, fits, Newton steps and all rows for every family.
    let measured: [(&str, &dyn Score, [u64; 5]); 9] = [
        ("clinics", &bhd, [29, 60, 29, 133, 53_400]),
        ("clinics", &kin, [28, 81, 0, 0, 65_400]),
        ("clinics", &bdeu, [49, 0, 0, 0, 29_400]),
        ("cohorts", &bhd, [55, 442, 55, 268, 994_000]),
        ("cohorts", &kin, [51, 674, 0, 0, 1_450_000]),
        ("cohorts", &bdeu, [397, 0, 0, 0, 794_000]),
        ("valleys", &bhd, [49, 220, 49, 226, 269_000]),
        ("valleys", &kin, [53, 329, 0, 0, 382_000]),
        ("valleys", &bdeu, [193, 0, 0, 0, 193_000]),
    ];
    for (name, score, most) in measured {
        let work = work(&read_related(name), score, 1);
        let done =
            [work.families_scored, work.families_bounded, work.fits, work.newton_steps, work.rows_scanned];
        let more = done.iter().zip(most).any(|(&done, most)| done > most);
        assert!(!more, "{name}, {}: {done:?} is more than {most:?}", score.name());
        assert!(work.cache_hits > 0, "{name}, {}: nothing was remembered", score.name());
    }
}

#[test]
fn any_number_of_threads_does_the_same_work() {
    // So many states that families are expensive, and batches end where the number of threads says.
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
    assert!(one.families_scored > 400 && one.rows_scanned == one.families_scored * u64::from(rows));
    for threads in [2, 3, 8] {
        assert_eq!(work(&data, &Bdeu::default(), threads), one, "{threads} threads");
    }
}
