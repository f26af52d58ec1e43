//! Chooses the prior weights of the tables by inner cross-validation on the training rows.

use serde::Serialize;

use super::split::{Split, splits};
use super::work::{Ask, Networks, SplitFailure, go_on};
use super::{ComparedMethod, METHODS, Scheme, Validate};
use crate::data::RelatedData;
use crate::graph::Dag;

/// The first candidates in imaginary rows, the same for all methods: from negligible to more than a small
/// data set.
const GRID: [f64; 9] = [0.25, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0];

/// The grid is extended beyond its ends by this factor, within these limits, while an end is the best weight
/// by at least this many nats over its neighbour.
const STEP: f64 = 4.0;
const LIMITS: (f64, f64) = (1e-4, 1e6);
const WORTH_A_STEP: f64 = 0.01;

/// The number of inner folds, fewer than the ten outer folds by default, because each costs one estimate per weight.
const FOLDS: usize = 5;

/// The prior weights of the tables, in imaginary rows; `None` for a method that has no such weight or is not
/// compared.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Weights {
    /// s of the hierarchical tables, per data set; `None` under kin, which integrates over s.
    pub s: Option<f64>,
    /// s of the pooled table, with the hierarchical model of all rows as one data set.
    pub pooled_s: Option<f64>,
    /// s of the separate tables, with the hierarchical model of each data set alone.
    pub separate_s: Option<f64>,
    /// The imaginary sample size of the pooled-iss table.
    pub pooled_iss: Option<f64>,
    /// The imaginary sample size of each separate-iss table.
    pub separate_iss: Option<f64>,
}

impl Weights {
    /// The weight of a method.
    pub(super) fn of(&self, method: ComparedMethod) -> Option<f64> {
        match method {
            ComparedMethod::Hierarchical => self.s,
            ComparedMethod::Pooled => self.pooled_s,
            ComparedMethod::Separate => self.separate_s,
            ComparedMethod::PooledIss => self.pooled_iss,
            ComparedMethod::SeparateIss => self.separate_iss,
        }
    }

    /// The weight of every method, from a function.
    pub(super) fn from_each(of: impl Fn(ComparedMethod) -> Option<f64>) -> Self {
        let [s, pooled_s, separate_s, pooled_iss, separate_iss] = ComparedMethod::ALL.map(of);
        Self { s, pooled_s, separate_s, pooled_iss, separate_iss }
    }
}

/// A weight with the log-likelihood of inner held-out rows.
type Tried = (f64, f64);

/// The weights that maximise the log-likelihood of inner held-out rows; ties take the smallest. A method that
/// does not apply in a scheme keeps its given weight, and so do all methods if the training rows cannot be
/// split again.
pub(super) fn choose(
    settings: &Validate<'_>,
    training: &RelatedData,
    dags: &[Dag; METHODS],
    given: Weights,
    ask: Ask<'_>,
) -> Result<Weights, SplitFailure> {
    let scheme = match settings.scheme {
        Scheme::Folds(_) => Scheme::Folds(FOLDS),
        Scheme::DataSets => Scheme::DataSets,
    };
    let Ok(splits) = splits(training, scheme, settings.seed) else { return Ok(given) };
    let inner: Vec<(&Split, RelatedData)> =
        splits.iter().map(|split| (split, split.training(training))).collect();
    let tuned = |method: ComparedMethod| {
        given.of(method).is_some() && !(method.is_separate() && scheme == Scheme::DataSets)
    };
    // The log-likelihoods of the wanted methods at one weight.
    let at = |weight: f64, wanted: [bool; METHODS]| -> Result<[f64; METHODS], SplitFailure> {
        let weights =
            Weights::from_each(|method| wanted[method as usize].then_some(weight).or(given.of(method)));
        let mut totals = [0.0; METHODS];
        for (split, inner) in &inner {
            go_on(ask)?;
            let networks = Networks::estimate(settings, inner, dags, weights, wanted)?;
            for sums in networks.judge(training, split, None)? {
                totals.iter_mut().zip(sums.log_likelihoods()).for_each(|(total, more)| *total += more);
            }
        }
        Ok(totals)
    };
    let mut tried: [Vec<Tried>; METHODS] = Default::default();
    let mut wanted = ComparedMethod::ALL.map(tuned);
    let mut candidates = GRID.to_vec();
    while wanted.contains(&true) {
        for &weight in &candidates {
            let totals = at(weight, wanted)?;
            for method in (0..METHODS).filter(|&method| wanted[method]) {
                let place = tried[method].partition_point(|&(other, _)| other < weight);
                tried[method].insert(place, (weight, totals[method]));
            }
        }
        // One direction at a time: the next candidate serves all methods that need it.
        let next = tried.each_ref().map(|tried| beyond(tried));
        let Some(first) = next.into_iter().flatten().reduce(f64::max) else { break };
        candidates = vec![first];
        wanted = next.map(|next| next == Some(first));
    }
    Ok(Weights::from_each(|method| match best(&tried[method as usize]) {
        Some(place) => Some(tried[method as usize][place].0),
        None => given.of(method),
    }))
}

/// The position of the best weight, the smallest of equals.
fn best(tried: &[Tried]) -> Option<usize> {
    (0..tried.len()).reduce(|best, place| if tried[place].1 > tried[best].1 { place } else { best })
}

/// The next weight to try, if the best one is at an end that is worth going beyond.
fn beyond(tried: &[Tried]) -> Option<f64> {
    let last = tried.len().checked_sub(1)?;
    let best = best(tried)?;
    let (neighbour, next) = match best {
        0 => (1, tried[0].0 / STEP),
        best if best == last => (last - 1, tried[last].0 * STEP),
        _ => return None,
    };
    let worth = tried[best].1 - tried[neighbour].1 >= WORTH_A_STEP;
    (worth && (LIMITS.0..=LIMITS.1).contains(&next)).then_some(next)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grid_is_extended_only_at_an_end_that_is_clearly_best() {
        assert_eq!(beyond(&[]), None);
        assert_eq!(beyond(&[(1.0, -5.0), (2.0, -4.0), (5.0, -6.0)]), None);
        assert_eq!(beyond(&[(1.0, -5.0), (2.0, -4.0), (5.0, -3.0)]), Some(20.0));
        assert_eq!(beyond(&[(1.0, -3.0), (2.0, -4.0), (5.0, -5.0)]), Some(0.25));
        assert_eq!(beyond(&[(1.0, -3.001), (2.0, -3.0)]), None, "flat");
        assert_eq!(beyond(&[(1.0, -3.0), (5e5, -2.0)]), None, "at the limit");
    }
}
