//! Whether data sets are identical, related or unrelated: the evidence of the same rows under the three models.

use serde::Serialize;

use super::{Bdeu, BdeuSeparate, Grid, K2, Kin, Score};
use crate::counts::Counts;
use crate::laplace::{Cells, evidence_with_centre_prior};

/// Log evidences that differ by less than this are inconclusive: odds below 3 to 1, "not worth more than a
/// bare mention" (Kass and Raftery, 1995).
pub(crate) const UNDECIDED: f64 = 1.1;

/// Comparable log marginal likelihoods of the same rows (natural logarithms). Extreme tables alone must not
/// make data sets look related or unrelated, so the models without a common centre mix uniform (K2) and
/// extreme (BDeu) priors in equal parts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Evidences {
    /// Identical data sets: one table for all.
    pub identical: f64,
    /// Related data sets: the related half of kin, with centre and closeness integrated out.
    pub related: f64,
    /// Unrelated data sets: one table each.
    pub unrelated: f64,
}

/// The treatment of the data sets with the largest evidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Choice {
    /// Pool: they are samples of one population.
    Pool,
    /// Relate: they share a centre but differ.
    Relate,
    /// Separate: they share only the structure.
    Separate,
}

impl Evidences {
    /// The mean of log evidences; `None` of none.
    pub(crate) fn mean(all: &[Self]) -> Option<Self> {
        let mean = |of: fn(&Self) -> f64| {
            all.iter().map(of).reduce(|sum, more| sum + more).map(|sum| sum / all.len() as f64)
        };
        Some(Self {
            identical: mean(|one| one.identical)?,
            related: mean(|one| one.related)?,
            unrelated: mean(|one| one.unrelated)?,
        })
    }

    /// The evidences of several families together (docs/THEORY.md, E45).
    pub(crate) fn of(counts: &[&Counts], kin: &Kin) -> Self {
        let sum = |of: &dyn Fn(&Counts) -> f64| counts.iter().map(|counts| of(counts)).sum::<f64>();
        let total = |score: &dyn Score| sum(&|counts| score.family_score(counts).total);
        let related = Kin { pooled_half: false, cells: Cells::Row, ..kin.clone() };
        Self {
            identical: half_each(total(&K2), total(&Bdeu::default())),
            related: total(&related),
            unrelated: half_each(sum(&|counts| alone(counts).iter().sum()), total(&BdeuSeparate::default())),
        }
    }

    /// The three treatments by decreasing evidence. Of equal evidences, the simpler model comes first.
    pub(crate) fn ranked(&self) -> [(f64, Choice); 3] {
        let mut ranked = [
            (self.identical, Choice::Pool),
            (self.related, Choice::Relate),
            (self.unrelated, Choice::Separate),
        ];
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
        ranked
    }
}

/// The log evidence that all rows of a family come from one table, with the priors of K2 and BDeu in equal parts.
pub(crate) fn one_table(counts: &Counts) -> f64 {
    half_each(K2.family_score(counts).total, Bdeu::default().family_score(counts).total)
}

/// The largest s of different data sets. With larger ones their tables are as good as the same, and P(identical) could not become large.
/// 50 is a compromise between calibration where s reaches 200 and where it is 10 (`tests/score/identical.rs`).
const DIFFERENT_UP_TO: f64 = 50.0;

/// The probability that the data sets have the same table in this family, at even prior odds against related tables (docs/THEORY.md,
/// E59). Two priors of the centre are averaged on either side, uniform (one imaginary row per cell) and extreme (one per table), so
/// that extreme tables alone do not decide.
///
/// ```
/// use kinfolk::counts::Counts;
/// use kinfolk::score::{Kin, p_identical};
///
/// let alike = Counts::from_table(&[vec![vec![60, 40]], vec![vec![59, 41]], vec![vec![61, 39]]]);
/// let apart = Counts::from_table(&[vec![vec![90, 10]], vec![vec![12, 88]], vec![vec![51, 49]]]);
/// assert!(p_identical(&alike, &Kin::default()) > 0.9);
/// assert!(p_identical(&apart, &Kin::default()) < 1e-6);
/// ```
pub fn p_identical(counts: &Counts, kin: &Kin) -> f64 {
    let values = kin.grid.values();
    let different: Vec<f64> = values.iter().copied().filter(|&s| s <= DIFFERENT_UP_TO).collect();
    let grid =
        if different.is_empty() { kin.grid.clone() } else { Grid::new(different).expect("part of a grid") };
    let extreme = 1.0 / counts.possible_cells();
    let related = |alpha0: f64| {
        let terms: Vec<f64> = grid
            .values()
            .iter()
            .zip(grid.weights())
            .map(|(&s, weight)| weight.ln() + evidence_with_centre_prior(counts, s, alpha0))
            .collect();
        let best = terms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        best + terms.iter().map(|term| (term - best).exp()).sum::<f64>().ln()
    };
    if counts.entries() == 0 {
        return 0.5;
    }
    1.0 / (1.0 + (half_each(related(1.0), related(extreme)) - one_table(counts)).exp())
}

/// Each data set's own evidence, with one imaginary row per cell.
pub(crate) fn alone(counts: &Counts) -> Vec<f64> {
    let own = |data_set| K2.family_score(&counts.of_data_sets(&[data_set])).total;
    (0..counts.data_sets()).map(own).collect()
}

/// ln [½ exp(a) + ½ exp(b)].
pub(crate) fn half_each(a: f64, b: f64) -> f64 {
    a.max(b) + (0.5 + 0.5 * (-(a - b).abs()).exp()).ln()
}
