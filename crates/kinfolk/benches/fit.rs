//! The hierarchical fit and the scores of one family, by observed cells.

mod made;

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use kinfolk::counts::{MemoryTally, Tally};
use kinfolk::score::{Bdeu, Bhd, Score};
use kinfolk::variational::{Prior, fit};

fn fits(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("fit");
    for parents in [1, 3, 8] {
        let data = made::chain(parents + 1, 2, 10, 10_000, 0.3);
        let family = made::extensions(&data, parents, 1).remove(0);
        let counts = MemoryTally::new(&data).tally(&family).expect("there is memory enough");
        let cells = format!("{} cells", counts.observed_cells());
        group.bench_function(BenchmarkId::new("fit", &cells), |bencher| {
            bencher.iter(|| black_box(fit(black_box(&counts), Prior::default())));
        });
        for score in [&Bdeu::default() as &dyn Score, &Bhd::default()] {
            group.bench_function(BenchmarkId::new(score.name(), &cells), |bencher| {
                bencher.iter(|| black_box(score.family_score(black_box(&counts))));
            });
        }
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20).measurement_time(std::time::Duration::from_secs(2));
    targets = fits
}
criterion_main!(benches);
