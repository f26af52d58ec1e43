//! BHD against BDeu and kin against BHD on related data, measured in turns.

use std::error::Error;

use kinfolk::score::{Bdeu, Bhd, Kin, Score};

use super::data::Recipe;
use super::statistics::{median, seconds_per_call};
use super::{Bench, say};
use crate::search::search;

/// Problems of one kind and the times of all three scores.
pub(crate) struct ScoreTimes {
    pub(crate) recipe: Recipe,
    /// The number of problems, each of them related data sets.
    pub(crate) problems: usize,
    pub(crate) bdeu: Side,
    pub(crate) bhd: Side,
    pub(crate) kin: Side,
}

/// The measurements of one score.
pub(crate) struct Side {
    /// CPU seconds of each problem.
    cpu: Vec<f64>,
    /// Families requested, over all problems.
    families: usize,
}

impl Side {
    /// Mean CPU seconds per problem.
    pub(crate) fn cpu(&self) -> f64 {
        self.cpu.iter().sum::<f64>() / self.cpu.len() as f64
    }

    /// Mean number of families per problem.
    pub(crate) fn families(&self) -> usize {
        self.families / self.cpu.len()
    }

    /// The ratio of times, problem by problem.
    pub(crate) fn ratios(&self, other: &Self) -> Vec<f64> {
        self.cpu.iter().zip(&other.cpu).map(|(this, other)| this / other).collect()
    }
}

impl ScoreTimes {
    /// BHD's time divided by BDeu's, over all problems.
    pub(crate) fn ratio(&self) -> f64 {
        self.bhd.cpu() / self.bdeu.cpu()
    }

    /// kin's time divided by BHD's, over all problems.
    pub(crate) fn kin_ratio(&self) -> f64 {
        self.kin.cpu() / self.bhd.cpu()
    }

    /// The first ratio per family, since the two searches do not visit the same networks.
    pub(crate) fn ratio_per_family(&self) -> f64 {
        self.ratio() * self.bdeu.families as f64 / self.bhd.families as f64
    }
}

pub(crate) fn measure(bench: &Bench) -> Result<Vec<ScoreTimes>, Box<dyn Error>> {
    let shapes =
        [(10, 100, 20), (10, 1000, 20), (50, 100, 10), (50, 1000, 10), (100, 100, 10), (100, 1000, 10)];
    let compare = |(variables, rows, problems)| compare(bench, Recipe::binary(variables, 10, rows), problems);
    shapes.into_iter().map(compare).collect()
}

fn compare(bench: &Bench, recipe: Recipe, problems: usize) -> Result<ScoreTimes, Box<dyn Error>> {
    say(&format!(
        "{problems} × {} variables, 10 × {} rows: BHD, BDeu and kin",
        recipe.variables, recipe.rows_per_data_set
    ));
    let scores: [&dyn Score; 3] = [&Bdeu::default(), &Bhd::default(), &Kin::default()];
    let mut sides = scores.map(|_| Side { cpu: Vec::new(), families: 0 });
    for draw in 0..problems {
        let data = Recipe { draw, ..recipe.clone() }.make();
        let mut times = scores.map(|_| Vec::new());
        for _ in 0..bench.repeats {
            for (score, times) in scores.iter().zip(&mut times) {
                times.push(seconds_per_call(|| search(&data, *score, &bench.one_thread).map(drop))?);
            }
        }
        for ((side, times), score) in sides.iter_mut().zip(times).zip(scores) {
            side.cpu.push(median(times));
            side.families += search(&data, score, &bench.one_thread)?.families;
        }
    }
    let [bdeu, bhd, kin] = sides;
    Ok(ScoreTimes { recipe, problems, bdeu, bhd, kin })
}
