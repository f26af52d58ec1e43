//! Counting: rows per second of a batch of families, and the measurements behind the cost model of `MemoryTally`.

mod made;

use std::hint::black_box;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use kinfolk::counts::{Batch, MemoryTally, Tally};
use kinfolk::data::RelatedData;

/// Rows of every benchmark here.
const ROWS: usize = 100_000;

/// Families of a batch.
const FAMILIES: usize = 32;

fn count(group: &mut BenchmarkGroup<'_, WallTime>, name: BenchmarkId, data: &RelatedData, parents: usize) {
    let tally = MemoryTally::new(data);
    let batch = Batch::of(&made::extensions(data, parents, FAMILIES));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("one thread can be had");
    group.bench_function(name, |bencher| {
        pool.install(|| {
            bencher.iter(|| {
                let counted = tally.visit_many(&batch, &|_, counts| {
                    black_box(counts);
                });
                counted.expect("there is memory enough");
            });
        });
    });
}

/// Rows per second, by states and parents.
fn tally(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("tally");
    group.throughput(Throughput::Elements((ROWS * FAMILIES) as u64));
    for (states, parents) in [(2, 1), (2, 3), (2, 5), (2, 9), (4, 1), (4, 4), (10, 2)] {
        let data = made::chain(FAMILIES + parents, states, 1, ROWS, made::KEPT);
        let name = BenchmarkId::new(format!("{states} states"), format!("{parents} parents"));
        count(&mut group, name, &data, parents);
    }
    group.finish();
}

/// The constants of the cost model (`counts/memory/plan.rs`), in rows of a histogram: the time of a word of two bitmaps, and the fixed
/// time per data set. Elements are words for the bitmaps and rows for the histograms, so that the ratio of their times per element is
/// `WORD_COST`; with 200 data sets of 500 rows the bitmaps take `DATA_SET_COST` more for every eight words.
fn kernels(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("kernels");
    for (data_sets, named) in [(1, "1 data set"), (200, "200 data sets")] {
        // Independent and uniform, so that consecutive rows rarely fall into the same cell.
        let data = made::chain(FAMILIES + 10, 2, data_sets, ROWS, 0.0);
        let words = data_sets * (ROWS / data_sets).div_ceil(64);
        for parents in [3, 5] {
            // The first configuration and the first of two states are remainders and not counted.
            let pairs = (1 << parents) - 1;
            group.throughput(Throughput::Elements((words * pairs * FAMILIES) as u64));
            let name = BenchmarkId::new(format!("bitmaps, {pairs} pairs"), named);
            count(&mut group, name, &data, parents);
        }
        group.throughput(Throughput::Elements((ROWS * FAMILIES) as u64));
        count(&mut group, BenchmarkId::new("histogram", named), &data, 9);
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20).measurement_time(std::time::Duration::from_secs(2));
    targets = tally, kernels
}
criterion_main!(benches);
