//! How much work fixed searches take, in numbers that do not depend on the machine: a worse algorithm fails here, not a slower one.

#![expect(clippy::unwrap_used, reason = "a test may fail loudly")]

mod related;

use std::ops::ControlFlow;

use kinfolk::counts::MemoryTally;
use kinfolk::dirichlet::Prior;
use kinfolk::graph::Dag;
use kinfolk::score::{Bdeu, Bhd, Kin, Score, Scorer, Work};
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
    let kin = Kin::default();
    // Families scored and bounded, fits, Newton steps and rows looked at.
    let measured: [(&str, &dyn Score, [u64; 5]); 9] = [
        ("clinics", &bhd, [29, 60, 29, 133, 80_400]),
        ("clinics", &kin, [28, 81, 0, 0, 102_000]),
        ("clinics", &bdeu, [49, 0, 0, 0, 40_800]),
        ("cohorts", &bhd, [55, 442, 55, 268, 1_168_000]),
        ("cohorts", &kin, [51, 674, 0, 0, 1_860_000]),
        ("cohorts", &bdeu, [397, 0, 0, 0, 910_000]),
        ("valleys", &bhd, [49, 220, 49, 226, 350_000]),
        ("valleys", &kin, [53, 329, 0, 0, 547_000]),
        ("valleys", &bdeu, [193, 0, 0, 0, 234_000]),
    ];
    for (name, score, most) in measured {
        let work = work(name, score);
        let done =
            [work.families_scored, work.families_bounded, work.fits, work.newton_steps, work.rows_scanned];
        let more = done.iter().zip(most).any(|(&done, most)| done > most);
        assert!(!more, "{name}, {}: {done:?} is more than {most:?}", score.name());
        assert!(work.cache_hits > 0, "{name}, {}: nothing was remembered", score.name());
    }
}
