//! The growth of search time with the size of the problem, and the largest searches.

use std::error::Error;

use kinfolk::counts::{Batch, Change, Family, MemoryTally, Tally};
use kinfolk::data::VariableId;
use kinfolk::score::{Bdeu, Bhd, Score};

use super::data::Recipe;
use super::statistics::{exponent, median, median_seconds, prepared_seconds};
use super::{Bench, say};
use crate::search::{Run, search, tally};

/// CPU time as a function of one quantity.
pub(crate) struct Growth {
    /// The quantity.
    pub(crate) what: &'static str,
    /// The fixed parameters.
    pub(crate) at: &'static str,
    pub(crate) score: &'static str,
    /// The quantity and CPU seconds.
    pub(crate) points: Vec<(f64, f64)>,
}

/// One large search.
pub(crate) struct Large {
    pub(crate) score: &'static str,
    pub(crate) recipe: Recipe,
    pub(crate) run: Run,
}

impl Growth {
    /// The exponent of a power law through the points.
    pub(crate) fn exponent(&self) -> f64 {
        exponent(&self.points)
    }
}

/// The searches of 1,000 variables, once each.
pub(crate) fn large(bench: &Bench) -> Result<Vec<Large>, Box<dyn Error>> {
    let mut all = Vec::new();
    for (score, data_sets) in [(&Bdeu::default() as &dyn Score, 1), (&Bhd::default(), 10)] {
        say(&format!("1,000 variables, 1e5 rows, {}", score.name()));
        let recipe = Recipe::binary(1000, data_sets, 100_000 / data_sets);
        let run = search(&recipe.make(), score, &bench.one_thread)?;
        all.push(Large { score: score.name(), recipe, run });
    }
    Ok(all)
}

pub(crate) fn growth(bench: &Bench) -> Result<Vec<Growth>, Box<dyn Error>> {
    let mut all = Vec::new();
    for score in [&Bdeu::default() as &dyn Score, &Bhd::default()] {
        say(&format!("growth, {}", score.name()));
        let mut add = |what, at, recipes: Vec<(usize, Recipe)>| -> Result<(), Box<dyn Error>> {
            let points = recipes.into_iter().map(|(x, recipe)| {
                let data = recipe.make();
                let seconds = median_seconds(3, || search(&data, score, &bench.one_thread).map(drop))?;
                Ok::<_, Box<dyn Error>>((x as f64, seconds))
            });
            let points = points.collect::<Result<_, _>>()?;
            all.push(Growth { what, at, score: score.name(), points });
            Ok(())
        };
        let binary = Recipe::binary;
        add(
            "variables N",
            "1e4 rows in 10 data sets, binary",
            [25, 50, 100, 200].map(|n| (n, binary(n, 10, 1000))).into(),
        )?;
        add(
            "rows n",
            "N = 50, 10 data sets, binary",
            [1_000, 3_000, 10_000, 30_000, 100_000].map(|n| (n, binary(50, 10, n / 10))).into(),
        )?;
        add(
            "data sets F",
            "N = 30, 1e4 rows in all, binary",
            [2, 5, 10, 20, 50].map(|f| (f, binary(30, f, 10_000 / f))).into(),
        )?;
        let arity = |r| Recipe { states: (r, r), ..binary(30, 10, 1000) };
        add("states r", "N = 30, 1e4 rows in 10 data sets", [2, 3, 4, 6, 8].map(|r| (r, arity(r))).into())?;
        all.push(Growth {
            what: "parents of one family",
            at: "counted and scored, 1e4 rows in 10 data sets, binary",
            score: score.name(),
            points: [1, 2, 3, 4, 6, 8, 10]
                .map(|parents| by_parents(bench, score, parents).map(|seconds| (parents as f64, seconds)))
                .into_iter()
                .collect::<Result<_, _>>()?,
        });
    }
    Ok(all)
}

/// CPU seconds to count and score one extension of a family with a new tally, whose caches are empty.
fn by_parents(bench: &Bench, score: &dyn Score, parents: usize) -> Result<f64, Box<dyn Error>> {
    let data = Recipe::binary(50, 10, 1000).make();
    let shared = (1..parents).map(VariableId::new);
    let mut batch = Batch::default();
    let shared = Family::new(VariableId::new(0), shared);
    batch.around(&shared, (parents..50).map(|added| Change::With(VariableId::new(added))));
    let work = |tally: &MemoryTally<'_>| {
        tally.visit_many(&batch, &|_, counts| {
            std::hint::black_box(score.family_score(counts));
        })
    };
    let seconds =
        bench.one_thread.install(|| prepared_seconds(3, || tally(&data, score), work)).map(median)?;
    Ok(seconds / batch.len() as f64)
}
