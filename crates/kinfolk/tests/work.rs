//! How much work fixed searches take, in numbers that do not depend on the machine: a worse algorithm fails here, not a slower one.

#![expect(clippy::unwrap_used, reason = "a test may fail loudly")]

mod related;

use std::ops::ControlFlow;

use kinfolk::counts::MemoryTally;
use kinfolk::dirichlet::Prior;
use kinfolk::graph::Dag;
use kinfolk::score::{Bdeu, Bhd, Score, Scorer, Work};
use kinfolk::search::{Constraints, HillClimb};
use related::read_related;

/// The work of a climb from the empty graph with one thread.
fn work(name: &str, score: &dyn Score) -> Work {
    let data = read_related(name);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    pool.install(|| {
        let tally = MemoryTally::new(&data);
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
    // Families scored, fits, Newton steps and rows looked at.
    let measured: [(&str, &dyn Score, [u64; 4]); 6] = [
        ("clinics", &bhd, [35, 35, 160, 84_000]),
        ("clinics", &bdeu, [49, 0, 0, 48_000]),
        ("cohorts", &bhd, [98, 98, 481, 1_308_000]),
        ("cohorts", &bdeu, [397, 0, 0, 1_120_000]),
        ("valleys", &bhd, [82, 82, 367, 376_000]),
        ("valleys", &bdeu, [193, 0, 0, 284_000]),
    ];
    for (name, score, most) in measured {
        let work = work(name, score);
        let done = [work.families_scored, work.fits, work.newton_steps, work.rows_scanned];
        let more = done.iter().zip(most).any(|(&done, most)| done > most);
        assert!(!more, "{name}, {}: {done:?} is more than {most:?}", score.name());
        assert!(work.cache_hits > 0, "{name}, {}: nothing was remembered", score.name());
    }
}
