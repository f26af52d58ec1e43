//! The `kin` score: the evidence of a family, averaged over identical and related data sets and over their relatedness
//! s.

use serde::{Deserialize, Serialize};

use super::relatedness::half_each;
use super::upper_bound::{separate_likelihood, with_rounding};
use super::{
    Bdeu, FamilyScore, Grid, ImaginarySampleSize, Score, ScoreOrBound, StructurePrior, UpperBounds,
    p_identical,
};
use crate::counts::{Configuration, Counts};
use crate::laplace::{Cells, Evidence, Floor};

/// ln [½ exp(P) + ½ exp(H)]: P is the evidence if the data sets are identical (BDeu of the pooled rows), H the evidence
/// if they are related, with their common centre and the concentration s integrated out (docs/THEORY.md, E32 to E37).
///
/// Unlike BHD, which needs a fixed s, it infers in every family how similar the data sets are. It does not decompose
/// over the data sets: they are independent only given s and the centre, and both are integrated out. It is not
/// score-equivalent. It comes with a prior on the number of parents ([`StructurePrior::Size`]). Like every prior on
/// structures, that is added by the [`super::Scorer`]; [`super::WithStructurePrior`] replaces it.
///
/// Cost: little more than one evaluation of the distinct observed cells per s of the grid.
///
/// ```
/// use kinfolk::counts::Counts;
/// use kinfolk::score::{Kin, Score};
///
/// let alike = Counts::from_table(&[vec![vec![60, 40]], vec![vec![59, 41]], vec![vec![61, 39]]]);
/// let apart = Counts::from_table(&[vec![vec![90, 10]], vec![vec![12, 88]], vec![vec![51, 49]]]);
/// let kinship = |counts| Kin::default().explain(counts).kin.expect("kin reports the relatedness").kinship;
/// assert!(kinship(&alike).p_identical.expect("the pooled half is on") > 0.9);
/// assert!(kinship(&alike).s_mean > kinship(&apart).s_mean);
/// ```
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Kin {
    /// The values of s.
    pub grid: Grid,
    /// Whether identical data sets have prior probability one half.
    pub pooled_half: bool,
    /// The cells over which a centre is defined.
    pub cells: Cells,
}

impl Default for Kin {
    /// The default grid, with the pooled half, one centre per configuration.
    fn default() -> Self {
        Self { grid: Grid::default(), pooled_half: true, cells: Cells::Row }
    }
}

/// The largest number of centre probabilities listed per family, one or two megabytes of text: with many states and
/// configurations there are more of them than rows.
const MOST_LISTED: usize = 1 << 16;

/// The posterior of the relatedness of the data sets in one family.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Kinship {
    /// The values of s.
    pub s: Vec<f64>,
    /// Their probabilities, given that the data sets are related and not identical.
    pub s_posterior: Vec<f64>,
    /// The posterior geometric mean of s.
    pub s_mean: f64,
    /// The weight of the pooled half in the score and in the tables; `None` without it. It is not the probability that the data sets
    /// are identical: see `p_identical`.
    #[serde(alias = "identical")]
    pub pooled_share: Option<f64>,
    /// The probability that the data sets have the same table here ([`p_identical`]); `None` without the pooled half, and in files
    /// that do not have it.
    #[serde(default)]
    pub p_identical: Option<f64>,
}

impl Kinship {
    /// The mean over several versions of the data.
    pub(crate) fn mean(all: &[&Self]) -> Self {
        let share = 1.0 / all.len() as f64;
        let s = all[0].s.clone();
        let at = |place: usize| all.iter().map(|one| share * one.s_posterior[place]).sum::<f64>();
        let s_posterior: Vec<f64> = (0..s.len()).map(at).collect();
        let ln_mean: f64 = s.iter().zip(&s_posterior).map(|(s, probability)| probability * s.ln()).sum();
        let mean = |of: fn(&Self) -> Option<f64>| {
            all.iter().map(|one| of(one)).sum::<Option<f64>>().map(|sum| share * sum)
        };
        let pooled_share = mean(|one| one.pooled_share);
        let p_identical = mean(|one| one.p_identical);
        Self { s, s_posterior, s_mean: ln_mean.exp(), pooled_share, p_identical }
    }
}

/// The posterior behind the `kin` score of one family.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct KinFit {
    /// The relatedness of the data sets.
    pub kinship: Kinship,
    /// The centre of every observed configuration, in their order, averaged over s; empty if there are too many probabilities.
    pub centre: Vec<CentreRow>,
    /// The number of configurations whose centre is not listed.
    pub left_out: usize,
    /// The number of table evaluations.
    pub iterations: usize,
    /// Whether all centres were found.
    pub converged: bool,
}

/// The centre of one observed configuration.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CentreRow {
    /// The number of the configuration; `None` if it exceeds 64 bits.
    pub configuration: Option<u64>,
    /// P(state | configuration) at the centre.
    pub probabilities: Vec<f64>,
}

/// The posterior of s, the probability of identity, and the centres of one family.
#[derive(Debug)]
pub(crate) struct Posterior {
    /// The score.
    pub(crate) total: f64,
    /// The probability of each s, given that the data sets are related and not identical.
    pub(crate) s: Vec<f64>,
    /// The probability that they are identical.
    pub(crate) identical: f64,
    /// The evidence over the grid, with the centres.
    pub(crate) evidence: Evidence,
}

impl Kin {
    /// The imaginary sample size of the pooled half.
    pub(crate) fn pooled() -> ImaginarySampleSize {
        ImaginarySampleSize::default()
    }

    /// The posterior given the counts.
    pub(crate) fn posterior(&self, counts: &Counts) -> Posterior {
        let evidence = Evidence::over(counts, self.cells, self.grid.values());
        let best = evidence.values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let mut s: Vec<f64> = self.shares(&evidence.values, best).collect();
        let sum: f64 = s.iter().sum();
        s.iter_mut().for_each(|probability| *probability /= sum);
        let related = self.related_score(counts, &evidence.values);
        let Some(pooled) = self.pooled_score(counts) else {
            return Posterior { total: related, s, identical: 0.0, evidence };
        };
        let total = half_each(pooled, related);
        Posterior { total, s, identical: 1.0 / (1.0 + (related - pooled).exp()), evidence }
    }

    /// The score of identical data sets, if the pooled half is on.
    fn pooled_score(&self, counts: &Counts) -> Option<f64> {
        self.pooled_half.then(|| Bdeu { iss: Self::pooled() }.family_score(counts).total)
    }

    /// Computes the score alone, for searches, or returns an upper estimate if the score is estimated to be below
    /// `least`.
    ///
    /// The grid of s is evaluated from its middle until the remaining s cannot raise the score to `least`, by upper
    /// bounds with a heuristic margin of 2 nats (docs/THEORY.md, E52 to E54): no failure in 100,000 random families,
    /// but no proof.
    fn score_or_bound(&self, counts: &Counts, least: Option<f64>) -> ScoreOrBound {
        let pooled = self.pooled_score(counts);
        let total = |related: f64| pooled.map_or(related, |pooled| half_each(pooled, related));
        let needed = least.and_then(|least| pooled.map_or(Some(least), |pooled| other_half(pooled, least)));
        let floor = needed.map(|least| Floor { weights: self.grid.weights(), least });
        let related =
            |evidence: &Evidence| evidence.converged.then(|| self.related_score(counts, &evidence.values));
        match Evidence::unless_below(counts, self.cells, self.grid.values(), floor, related) {
            Ok(Some(related)) => ScoreOrBound::Score(FamilyScore::pooled(total(related))),
            Ok(None) => ScoreOrBound::Score(self.explain(counts)),
            Err(most) if least.is_some_and(|least| total(most) < least) => ScoreOrBound::AtMost(total(most)),
            // Rounding put the mixture above `least`: evaluate it completely.
            Err(_) => self.score_or_bound(counts, None),
        }
    }

    /// The evidence of the related half: the sum over s.
    fn related_score(&self, counts: &Counts, evidence: &[f64]) -> f64 {
        let best = evidence.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = self.shares(evidence, best).sum();
        if counts.entries() == 0 { 0.0 } else { best + sum.ln() }
    }

    /// The contribution of every s to that sum, relative to the best.
    fn shares(&self, evidence: &[f64], best: f64) -> impl Iterator<Item = f64> {
        self.grid.weights().iter().zip(evidence).map(move |(weight, value)| weight * (value - best).exp())
    }
}

/// Solves ln(½eᵃ + ½eᵇ) = mixture for b; `None` if no b does, or only by rounding.
fn other_half(a: f64, mixture: f64) -> Option<f64> {
    let rest = 2.0 - (a - mixture).exp();
    (rest > 1e-9).then(|| mixture + rest.ln())
}

impl Posterior {
    /// The centre of an observed configuration at one s, over all states. It sums to one; over joint cells, to the
    /// centre's share of the configuration.
    pub(crate) fn centre(
        &self,
        states: usize,
        grid_point: usize,
        (index, configuration): (usize, &Configuration<'_>),
    ) -> Vec<f64> {
        let unseen = self.evidence.centre_unseen(grid_point, index).unwrap_or(0.0);
        let mut centre = vec![unseen; states];
        for (position, cell) in configuration.cell_range().zip(configuration.cells()) {
            centre[cell.state] = self.evidence.centre(grid_point, position);
        }
        centre
    }

    /// The centre of an observed configuration, averaged over s and conditioned on the configuration.
    pub(crate) fn mean_centre(&self, states: usize, observed: (usize, &Configuration<'_>)) -> Vec<f64> {
        let mut mean = vec![0.0; states];
        for (grid_point, probability) in self.s.iter().enumerate() {
            let centre = self.centre(states, grid_point, observed);
            let share: f64 = centre.iter().sum();
            mean.iter_mut().zip(centre).for_each(|(mean, centre)| *mean += probability * centre / share);
        }
        mean
    }

    /// The score with its posterior.
    fn explained(&self, kin: &Kin, counts: &Counts) -> FamilyScore {
        let observed = counts.observed_configurations();
        let listed = if observed.saturating_mul(counts.states()) <= MOST_LISTED { observed } else { 0 };
        let centre =
            counts.configurations().enumerate().take(listed).map(|(index, configuration)| CentreRow {
                configuration: configuration.number(),
                probabilities: self.mean_centre(counts.states(), (index, &configuration)),
            });
        let fit = KinFit {
            kinship: self.kinship(kin, counts),
            centre: centre.collect(),
            left_out: observed - listed,
            iterations: self.evidence.evaluations,
            converged: self.evidence.converged,
        };
        FamilyScore { kin: Some(Box::new(fit)), ..FamilyScore::pooled(self.total) }
    }

    /// The relatedness of the data sets.
    pub(crate) fn kinship(&self, kin: &Kin, counts: &Counts) -> Kinship {
        let p_identical = kin.pooled_half.then(|| p_identical(counts, kin));
        Kinship { p_identical, ..self.kinship_without_identity(kin) }
    }

    /// The same without the probability that they are identical, which costs more than the rest.
    pub(crate) fn kinship_without_identity(&self, kin: &Kin) -> Kinship {
        Kinship {
            s: kin.grid.values().to_vec(),
            s_posterior: self.s.clone(),
            s_mean: self.s_mean(kin),
            pooled_share: kin.pooled_half.then_some(self.identical),
            p_identical: None,
        }
    }

    /// The geometric mean of s.
    pub(crate) fn s_mean(&self, kin: &Kin) -> f64 {
        let grid = kin.grid.values().iter().zip(&self.s);
        grid.map(|(s, probability)| probability * s.ln()).sum::<f64>().exp()
    }
}

impl Score for Kin {
    fn name(&self) -> &'static str {
        "kin"
    }

    fn family_score(&self, counts: &Counts) -> FamilyScore {
        match self.score_or_bound(counts, None) {
            ScoreOrBound::Score(score) => score,
            ScoreOrBound::AtMost(_) => unreachable!("without a floor no family is skipped"),
        }
    }

    fn explain(&self, counts: &Counts) -> FamilyScore {
        self.posterior(counts).explained(self, counts)
    }

    /// Only with one centre per configuration: joint cells are divided by the parents' cells, and the error of the
    /// quotient is not covered by the margin of [`Kin::upper_bound`].
    fn upper_bounds(&self) -> Option<&dyn UpperBounds> {
        if self.cells == Cells::Row { Some(self) } else { None }
    }

    fn structure_prior(&self) -> StructurePrior {
        StructurePrior::Size
    }

    fn is_score_equivalent(&self) -> bool {
        false
    }

    fn is_pooled(&self) -> bool {
        false
    }
}

impl UpperBounds for Kin {
    /// For identical and for related data sets, and for any s and centre, the probability of a data set's rows is at
    /// most their maximised likelihood. The evidence is computed by Laplace's method, whose error is far below the
    /// difference between an average over centres and the maximised likelihood (docs/THEORY.md, E51).
    fn upper_bound(&self, counts: &Counts) -> f64 {
        with_rounding(separate_likelihood(counts), counts)
    }

    fn score_unless_below(&self, counts: &Counts, least: f64) -> ScoreOrBound {
        self.score_or_bound(counts, Some(least))
    }
}
