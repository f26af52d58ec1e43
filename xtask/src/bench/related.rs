//! BHD against our own BDeu, and kin against BHD, on related data, taking turns.

use std::error::Error;

use kinfolk::score::{Bdeu, Bhd, Kin, Score};

use super::data::Recipe;
use super::statistics::{median, seconds_per_call};
use super::{Bench, say};
use crate::search::{Run, search};

/// One collection of related data sets and the scores on it.
pub(crate) struct Comparison {
    pub(crate) recipe: Recipe,
    pub(crate) repeats: usize,
    pub(crate) bdeu: Side,
    pub(crate) bhd: Side,
    pub(crate) kin: Side,
}

/// What one score took.
pub(crate) struct Side {
    /// CPU seconds.
    pub(crate) cpu: f64,
    pub(crate) run: Run,
}

impl Comparison {
    /// How many times longer BHD takes.
    pub(crate) fn ratio(&self) -> f64 {
        self.bhd.cpu / self.bdeu.cpu
    }

    /// How many times longer than BHD kin takes.
    pub(crate) fn kin_ratio(&self) -> f64 {
        self.kin.cpu / self.bhd.cpu
    }

    /// The first ratio per family looked at, as the two searches do not visit the same networks.
    pub(crate) fn ratio_per_family(&self) -> f64 {
        self.ratio() * self.bdeu.run.families as f64 / self.bhd.run.families as f64
    }
}

pub(crate) fn measure(bench: &Bench) -> Result<Vec<Comparison>, Box<dyn Error>> {
    let shapes = [(10, 100), (10, 1000), (50, 100), (50, 1000)];
    shapes.into_iter().map(|(variables, rows)| compare(bench, Recipe::binary(variables, 10, rows))).collect()
}

fn compare(bench: &Bench, recipe: Recipe) -> Result<Comparison, Box<dyn Error>> {
    say(&format!(
        "{} variables, 10 × {} rows: BHD, BDeu and kin",
        recipe.variables, recipe.rows_per_data_set
    ));
    let data = recipe.make();
    let scores: [&dyn Score; 3] = [&Bdeu::default(), &Bhd::default(), &Kin::default()];
    let mut times = [Vec::new(), Vec::new(), Vec::new()];
    // Cheap enough to be measured more often than searches with peers.
    let repeats = 3 * bench.repeats;
    for _ in 0..repeats {
        for (score, times) in scores.iter().zip(&mut times) {
            times.push(seconds_per_call(|| search(&data, *score, &bench.one_thread).map(drop))?);
        }
    }
    let [bdeu, bhd, kin] = times.map(median);
    let runs = |score| search(&data, score, &bench.one_thread);
    Ok(Comparison {
        recipe,
        repeats,
        bdeu: Side { cpu: bdeu, run: runs(scores[0])? },
        bhd: Side { cpu: bhd, run: runs(scores[1])? },
        kin: Side { cpu: kin, run: runs(scores[2])? },
    })
}
