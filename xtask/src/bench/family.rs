//! The time of BHD's score of one family, by observed and by possible cells.

use std::error::Error;
use std::hint::black_box;

use kinfolk::counts::{Counts, Family, MemoryTally, Tally};
use kinfolk::data::{Column, RelatedData, Schema, Variable, VariableId};
use kinfolk::score::{Bhd, Score};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::data::related_tables;
use super::statistics::{exponent, median_seconds};
use super::{Bench, say};

/// The number of data sets.
const DATA_SETS: usize = 10;

/// Rows of each data set.
const ROWS: usize = 5000;

/// One family and the time of its score.
pub(crate) struct FamilyTime {
    pub(crate) observed: usize,
    pub(crate) possible: f64,
    /// CPU seconds.
    pub(crate) seconds: f64,
}

/// The measurements.
pub(crate) struct Families {
    /// Increasing numbers of cells, all of them observed.
    pub(crate) by_observed: Vec<FamilyTime>,
    /// 512 observed cells among increasing numbers of possible ones.
    pub(crate) by_possible: Vec<FamilyTime>,
}

impl Families {
    /// The growth exponent of the time in the observed cells.
    pub(crate) fn observed_exponent(&self) -> f64 {
        let points = self.by_observed.iter().map(|point| (point.observed as f64, point.seconds));
        exponent(&points.collect::<Vec<_>>())
    }

    /// The growth exponent of the time in the possible cells.
    pub(crate) fn possible_exponent(&self) -> f64 {
        exponent(&self.by_possible.iter().map(|point| (point.possible, point.seconds)).collect::<Vec<_>>())
    }
}

pub(crate) fn measure(bench: &Bench) -> Result<Families, Box<dyn Error>> {
    say("one BHD family");
    let points = |shapes: &[(u32, usize)]| {
        shapes.iter().map(|&(variables, never)| point(bench, variables, never)).collect::<Result<_, _>>()
    };
    Ok(Families {
        by_observed: points(&[(5, 0), (7, 0), (9, 0), (11, 0), (13, 0)])?,
        by_possible: points(&[(9, 0), (9, 4), (9, 8), (9, 16), (9, 24)])?,
    })
}

fn point(bench: &Bench, variables: u32, never: usize) -> Result<FamilyTime, Box<dyn Error>> {
    let counts = counts(variables, never)?;
    let score = Bhd::default();
    let seconds = median_seconds(bench.repeats, || -> Result<(), Box<dyn Error>> {
        black_box(score.family_score(black_box(&counts)));
        Ok(())
    })?;
    Ok(FamilyTime { observed: counts.observed_cells(), possible: counts.possible_cells(), seconds })
}

/// Related counts of a binary family with every cell of `variables` columns observed, and `never` more parents whose second
/// state never occurs.
fn counts(variables: u32, never: usize) -> Result<Counts, Box<dyn Error>> {
    let cells = 1_usize << variables;
    let mut random = ChaCha8Rng::seed_from_u64(u64::from(variables));
    let tables = related_tables(cells, DATA_SETS, cells as f64, &mut random);
    let mut rows = Vec::with_capacity(DATA_SETS * ROWS);
    for (data_set, table) in tables.iter().enumerate() {
        let up_to: Vec<f64> = table
            .iter()
            .scan(0.0, |sum, share| {
                *sum += share;
                Some(*sum)
            })
            .collect();
        for row in 0..ROWS {
            // The first rows cover all cells.
            let turn = row * DATA_SETS + data_set;
            let draw: f64 = random.random();
            let drawn = up_to.partition_point(|&up_to| up_to <= draw).min(cells - 1);
            rows.push(if turn < cells { turn } else { drawn });
        }
    }
    let digits = (0..variables).map(|digit| rows.iter().map(|row| u8::from(row >> digit & 1 == 1)).collect());
    let constant = (0..never).map(|_| vec![0; rows.len()]);
    let columns: Vec<Column> = digits.chain(constant).map(Column::U8).collect();
    let all = columns.len();
    let variable = |index: usize| Variable {
        name: format!("V{index}"),
        states: vec!["a".to_owned(), "b".to_owned()],
        constant: index >= all - never,
    };
    let schema =
        Schema::new((0..all).map(variable).collect(), (0..DATA_SETS).map(|f| format!("set{f}")).collect());
    let data = RelatedData::new(schema, columns, (0..=DATA_SETS).map(|f| f * ROWS).collect(), None);
    let family = Family::new(VariableId::new(0), (1..all).map(VariableId::new));
    Ok(MemoryTally::new(&data).tally(&family)?)
}
