//! How uncertain the rows of the tables are: every row as a Dirichlet distribution, and the credible intervals of its probabilities.
//!
//! The posterior of a row is a mixture over s, over related or identical data sets and over the centre. It is represented by the
//! Dirichlet distribution with its mean, which is the row of the table, and its total variance: one number per row, the
//! concentration (docs/THEORY.md, E62).

use serde::Serialize;
use thiserror::Error;

use super::{NodeTables, Relative, Table};
use crate::remedy::{Actionable, Remedy};
use crate::special::beta_quantile;

/// The largest concentration: more rows change no digit that is shown, and quantiles would take long.
const LARGEST: f64 = 1e9;

/// The smallest concentration, at which a row is 0 for all states but one.
const SMALLEST: f64 = 1e-9;

/// The concentration of every row of a node's tables, by configuration.
///
/// A row with probabilities p and concentration ν has the distribution Dirichlet(ν p). For a data set this is the posterior of its
/// row, for `new` the prediction for a data set that was not observed: it includes the spread between data sets.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Concentration {
    /// One list per data set.
    pub by_data_set: Vec<Vec<f64>>,
    /// If all rows come from one population.
    pub pooled: Vec<f64>,
    /// `None` if the method does not say how data sets differ.
    pub new: Option<Vec<f64>>,
}

/// The probability that a credible interval contains the true value: above 0 and below 1.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(transparent)]
pub struct CredibleMass(f64);

/// An invalid probability of credible intervals.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
#[error("intervals with probability {0} do not exist; give a number between 0 and 1, such as 0.9")]
pub struct NotAMass(f64);

impl Actionable for NotAMass {
    fn remedies(&self) -> Vec<Remedy> {
        Vec::new()
    }
}

impl CredibleMass {
    /// Checks the probability.
    pub fn new(mass: f64) -> Result<Self, NotAMass> {
        if mass > 0.0 && mass < 1.0 { Ok(Self(mass)) } else { Err(NotAMass(mass)) }
    }

    /// The probability.
    pub fn get(self) -> f64 {
        self.0
    }

    /// The probability of either side outside an interval.
    pub(crate) fn tail(self) -> f64 {
        0.5 * (1.0 - self.0)
    }

    /// The credible interval of one probability of a row with this concentration: the quantiles of beta(ν p, ν (1 − p)), widened to
    /// contain p, which lies outside in very skewed distributions.
    pub fn interval(self, probability: f64, concentration: f64) -> [f64; 2] {
        if probability <= 0.0 || probability >= 1.0 {
            return [probability, probability];
        }
        let (a, b) = (concentration * probability, concentration * (1.0 - probability));
        let low = beta_quantile(a, b, self.tail());
        let high = 1.0 - beta_quantile(b, a, self.tail());
        [low.min(probability), high.max(probability)]
    }
}

/// Σ_k E[θ_k²] of a row θ.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct SecondMoment(f64);

impl SecondMoment {
    /// Of Dirichlet(concentration · m), where Σ m_k² is `squares`, or its expectation if m is random.
    pub(super) fn of_dirichlet(concentration: f64, squares: f64) -> Self {
        Self((concentration * squares + 1.0) / (concentration + 1.0))
    }

    /// Adds a component of a mixture.
    pub(super) fn add(&mut self, weight: f64, component: Self) {
        self.0 += weight * component.0;
    }

    /// The concentration of the Dirichlet distribution with this second moment and this mean.
    pub(super) fn concentration(self, mean: &[f64]) -> f64 {
        let variance = self.0 - squares(mean);
        if variance <= 0.0 { LARGEST } else { ((1.0 - self.0) / variance).clamp(SMALLEST, LARGEST) }
    }
}

/// Σ_k m_k².
pub(super) fn squares(row: &[f64]) -> f64 {
    row.iter().map(|value| value * value).sum()
}

/// A row of related data sets given s: θ ~ Dirichlet(prior · c + n) with n of `rows` rows, where the centre c has the distribution
/// Dirichlet(`centre_concentration` · its mean), and `mean` is the mean of θ.
pub(super) fn related_row(
    prior: f64,
    rows: f64,
    mean: &[f64],
    centre: &[f64],
    centre_concentration: f64,
) -> SecondMoment {
    let total = prior + rows;
    let centre_variance = (1.0 - squares(centre)) / (centre_concentration + 1.0);
    let weight = prior / total;
    SecondMoment::of_dirichlet(total, squares(mean) + weight * weight * centre_variance)
}

impl Concentration {
    /// The concentrations of the mean of several tables, each an equally probable version: the mean second moment. `mean` has the
    /// mean tables: of the data sets, pooled and new.
    pub(super) fn of_mixture(versions: &[(&Self, &NodeTables)], mean: [&[Table]; 3]) -> Self {
        type Part<'a> = (&'a Table, &'a [f64]);
        let of = |mean: &Table, parts: &[Part<'_>]| -> Vec<f64> {
            let row = |(place, row): (usize, &[f64])| {
                let mut all = SecondMoment::default();
                for (table, concentrations) in parts {
                    let row = table.rows().nth(place).expect("versions have equally many rows");
                    let moment = SecondMoment::of_dirichlet(concentrations[place], squares(row));
                    all.add(1.0 / parts.len() as f64, moment);
                }
                all.concentration(row)
            };
            mean.rows().enumerate().map(row).collect()
        };
        let [by_data_set, pooled, new] = mean;
        let data_set = |at: usize| -> Vec<Part<'_>> {
            versions.iter().map(|(of, node)| (&node.by_data_set[at], &of.by_data_set[at][..])).collect()
        };
        let pooled_parts: Vec<Part<'_>> =
            versions.iter().map(|(of, node)| (&node.pooled, &of.pooled[..])).collect();
        let new_parts: Option<Vec<Part<'_>>> =
            versions.iter().map(|(of, node)| Some((&node.new, &of.new.as_ref()?[..]))).collect();
        Self {
            by_data_set: by_data_set.iter().enumerate().map(|(at, mean)| of(mean, &data_set(at))).collect(),
            pooled: of(&pooled[0], &pooled_parts),
            new: new_parts.map(|parts| of(&new[0], &parts)),
        }
    }

    /// The concentrations of one relative.
    pub fn of_relative(&self, relative: Relative) -> Option<&[f64]> {
        match relative {
            Relative::DataSet(id) => Some(&self.by_data_set[id.index()]),
            Relative::Pooled => Some(&self.pooled),
            Relative::New => self.new.as_deref(),
        }
    }
}
