//! Time per row of the counting kernels, and the measured values of the cost model's constants.

use std::error::Error;
use std::hint::black_box;

use kinfolk::counts::{Batch, Change, Family, MemoryTally, Tally};
use kinfolk::data::{Column, RelatedData, Schema, Variable, VariableId};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::statistics::{median, prepared_seconds};
use super::{Bench, say};

/// The rows counted.
const ROWS: usize = 100_000;

/// Rows for the largest tables, so that there are more rows than cells.
const MANY_ROWS: usize = 1_000_000;

/// Data sets in the comparison of many with one.
const MANY: usize = 200;

/// Families that extend the same base, as in one step of a search; fewer for `MANY_ROWS`.
const BATCH: usize = 64;
const SMALL_BATCH: usize = 16;

/// These measurements are short: they are repeated this many times as often as the others.
pub(crate) const OFTEN: usize = 5;

/// The time per row of one family.
pub(crate) struct CountingTime {
    pub(crate) states: usize,
    pub(crate) parents: usize,
    pub(crate) rows: usize,
    /// Nanoseconds per row: the minimum of all repeats, because other load on the machine only adds time.
    pub(crate) nanoseconds: f64,
    /// The median of all repeats.
    pub(crate) median: f64,
}

/// The measurements.
pub(crate) struct Counting {
    pub(crate) bitmaps: Vec<CountingTime>,
    pub(crate) histograms: Vec<CountingTime>,
    /// The cost of a word of two bitmaps, in rows of a histogram.
    pub(crate) word_cost: f64,
    /// The extra cost of the bitmaps of a separate data set over the same rows as a part of a larger one, in rows of a histogram.
    pub(crate) data_set_cost: f64,
}

pub(crate) fn measure(bench: &Bench) -> Result<Counting, Box<dyn Error>> {
    say("counting");
    let binary = even_data(BATCH + 10, 2, 1, ROWS);
    let point = |data: &RelatedData, parents| -> Result<CountingTime, Box<dyn Error>> {
        let measured = nanoseconds_per_row(bench, data, parents, BATCH)?;
        let states = data.schema().states(VariableId::new(0));
        let (nanoseconds, median) = (least(&measured), median(measured));
        Ok(CountingTime { states, parents, rows: data.stored_rows(), nanoseconds, median })
    };
    let bitmaps =
        [1, 3, 5].map(|parents| point(&binary, parents)).into_iter().collect::<Result<Vec<_>, _>>()?;
    let mut histograms = vec![point(&binary, 9)?];
    for (states, parents) in [(4, 4), (10, 2), (50, 1), (300, 1), (600, 1)] {
        histograms.push(point(&even_data(BATCH + parents, states, 1, ROWS), parents)?);
    }
    for states in [300, 600, 1000] {
        histograms.push(point(&even_data(SMALL_BATCH + 1, states, 1, MANY_ROWS), 1)?);
    }
    // Three parents need 7 pairs of bitmaps and five 31, each of one word per 64 rows.
    let many = even_data(BATCH + 10, 2, MANY, ROWS);
    let row = histograms[0].nanoseconds;
    let one = (bitmaps[2].nanoseconds - bitmaps[1].nanoseconds) * ROWS as f64 / (31.0 - 7.0);
    let of_many = |parents| nanoseconds_per_row(bench, &many, parents, BATCH).map(|all| least(&all));
    let apart = (of_many(5)? - of_many(3)?) * ROWS as f64 / (31.0 - 7.0);
    let word_cost = one / (ROWS as f64 / 64.0) / row;
    Ok(Counting { bitmaps, histograms, word_cost, data_set_cost: (apart - one) / (MANY - 1) as f64 / row })
}

/// Counts a batch of at most `most` families that share all parents but one, by a new tally, whose caches are empty.
fn nanoseconds_per_row(
    bench: &Bench,
    data: &RelatedData,
    parents: usize,
    most: usize,
) -> Result<Vec<f64>, Box<dyn Error>> {
    let families = most.min(data.schema().variables().len() - parents);
    let shared = (1..parents).map(VariableId::new);
    let added = (parents..parents + families).map(VariableId::new);
    let mut batch = Batch::default();
    batch.around(&Family::new(VariableId::new(0), shared), added.map(Change::With));
    let count = |tally: &MemoryTally<'_>| {
        tally.visit_many(&batch, &|_, counts| {
            black_box(counts);
        })
    };
    let repeats = OFTEN * bench.repeats;
    let seconds = bench.one_thread.install(|| prepared_seconds(repeats, || MemoryTally::new(data), count))?;
    let per_row = 1e9 / (data.stored_rows() * families) as f64;
    Ok(seconds.into_iter().map(|seconds| seconds * per_row).collect())
}

fn least(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::INFINITY, f64::min)
}

/// Independent variables with equally likely states, so that consecutive rows rarely fall into the same cell.
fn even_data(variables: usize, states: usize, data_sets: usize, rows: usize) -> RelatedData {
    let mut random = ChaCha8Rng::seed_from_u64(states as u64);
    let last = u32::try_from(states).expect("few states");
    let columns = (0..variables).map(|_| {
        let mut column = Column::for_states(states, rows);
        (0..rows).for_each(|_| column.push(random.random_range(0..last)));
        column
    });
    let variable = |index: usize| Variable {
        name: format!("V{index}"),
        states: (0..states).map(|state| state.to_string()).collect(),
        constant: false,
    };
    let names = (0..data_sets).map(|data_set| format!("set{data_set}")).collect();
    let schema = Schema::new((0..variables).map(variable).collect(), names);
    let starts = (0..=data_sets).map(|data_set| data_set * rows / data_sets).collect();
    RelatedData::new(schema, columns.collect(), starts, None)
}
