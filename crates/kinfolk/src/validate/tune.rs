//! Chooses the prior weights of the tables by inner cross-validation on the training rows.

use serde::Serialize;

use super::result::Sums;
use super::split::splits;
use super::work::{Ask, Networks, SplitFailure, go_on};
use super::{Scheme, Validate};
use crate::data::RelatedData;
use crate::graph::Dag;
use crate::score::ImaginarySampleSize;
use crate::variational::{Centre, Prior};

/// The candidate weights in imaginary rows, the same for all methods: from negligible to more than a small
/// data set.
const GRID: [f64; 9] = [0.25, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0];

/// The number of inner folds, fewer than the ten outer folds by default, because each costs one estimate per weight.
const FOLDS: usize = 5;

/// The prior weights of the tables, in imaginary rows.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Weights {
    /// s of the hierarchical tables, per data set; `None` under kin, which integrates over s.
    pub s: Option<f64>,
    /// The imaginary sample size of the pooled table.
    pub pooled_iss: f64,
    /// The imaginary sample size of each separate table.
    pub separate_iss: f64,
}

impl Weights {
    /// The prior of hierarchical tables with a fixed s.
    pub(super) fn prior(&self, centre: Centre) -> Option<Prior> {
        self.s.map(|s| Prior::new(s, centre).expect("the weights are those given or of the grid"))
    }

    pub(super) fn sample_sizes(&self) -> [ImaginarySampleSize; 2] {
        [self.pooled_iss, self.separate_iss]
            .map(|size| ImaginarySampleSize::new(size).expect("the weights are those given or of the grid"))
    }
}

/// The weights that maximise the log-likelihood of inner held-out rows; ties take the smallest. A method that
/// does not apply in a scheme keeps its given weight, and so do all methods if the training rows cannot be
/// split again.
pub(super) fn choose(
    settings: &Validate<'_>,
    training: &RelatedData,
    dags: &[Dag; 3],
    given: Weights,
    ask: Ask<'_>,
) -> Result<Weights, SplitFailure> {
    let scheme = match settings.scheme {
        Scheme::Folds(_) => Scheme::Folds(FOLDS),
        Scheme::DataSets => Scheme::DataSets,
    };
    let Ok(splits) = splits(training, scheme, settings.seed) else { return Ok(given) };
    let mut totals = [[0.0; 3]; GRID.len()];
    for split in &splits {
        let inner = split.training(training);
        for (totals, &weight) in totals.iter_mut().zip(&GRID) {
            go_on(ask)?;
            let weights = Weights { s: given.s.map(|_| weight), pooled_iss: weight, separate_iss: weight };
            let networks = Networks::estimate(settings, &inner, dags, weights)?;
            for sums in networks.judge(training, split, None) {
                add(totals, &sums);
            }
        }
    }
    let best = |method: usize| {
        let mut best = 0;
        for (index, total) in totals.iter().enumerate() {
            if total[method] > totals[best][method] {
                best = index;
            }
        }
        GRID[best]
    };
    let separate_iss = if scheme == Scheme::DataSets { given.separate_iss } else { best(2) };
    Ok(Weights { s: given.s.map(|_| best(0)), pooled_iss: best(1), separate_iss })
}

fn add(totals: &mut [f64; 3], sums: &Sums) {
    for (total, more) in totals.iter_mut().zip(sums.log_likelihoods()) {
        *total += more;
    }
}
