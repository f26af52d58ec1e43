//! Whole searches on one thread: BDeu, BHD and kin on small related data.

mod made;

use std::hint::black_box;
use std::ops::ControlFlow;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use kinfolk::counts::MemoryTally;
use kinfolk::graph::Dag;
use kinfolk::score::{Bdeu, Bhd, Kin, Score, Scorer};
use kinfolk::search::{Constraints, HillClimb};

fn searches(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("search");
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("one thread can be had");
    for (variables, states) in [(10, 2), (30, 2), (20, 3)] {
        let data = made::chain(variables, states, 10, 10_000, made::KEPT);
        let climb = HillClimb::new(Constraints::none(data.schema()));
        for score in [&Bdeu::default() as &dyn Score, &Bhd::default(), &Kin::default()] {
            let name = BenchmarkId::new(score.name(), format!("{variables} variables of {states} states"));
            let run = || {
                let tally = MemoryTally::by_data_set_or_pooled(&data, score.is_pooled());
                let mut scorer = Scorer::new(&tally, score);
                climb.run(&mut scorer, Dag::empty(variables), &mut |_| ControlFlow::Continue(()))
            };
            group.bench_function(name, |bencher| {
                pool.install(|| bencher.iter(|| black_box(run().expect("there is memory enough"))));
            });
        }
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20).measurement_time(std::time::Duration::from_secs(2));
    targets = searches
}
criterion_main!(benches);
