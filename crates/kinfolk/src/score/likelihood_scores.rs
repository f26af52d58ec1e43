//! Scores from the maximised likelihood of the pooled rows: the log-likelihood itself, AIC and BIC.

use super::{FamilyScore, Score};
use crate::counts::Counts;

/// Σ n ln(n / n of the configuration).
fn log_likelihood(counts: &Counts) -> f64 {
    let mut sum = 0.0;
    match counts.dense() {
        Some(table) => table.chunks_exact(counts.states()).for_each(|cells| {
            add_terms(&mut sum, cells.iter().filter(|&&count| count > 0).map(|&count| count.into()));
        }),
        None => counts.configurations().for_each(|configuration| {
            add_terms(&mut sum, configuration.cells().map(|cell| cell.total()));
        }),
    }
    sum
}

/// Adds the terms of one configuration, given the counts of its cells.
fn add_terms(sum: &mut f64, cells: impl Iterator<Item = u64> + Clone) {
    let rows: u64 = cells.clone().sum();
    for count in cells {
        let count = count as f64;
        *sum += count * (count / rows as f64).ln();
    }
}

/// Free parameters of the family: (r − 1) in every possible configuration, observed or not.
fn parameters(counts: &Counts) -> f64 {
    (counts.states() - 1) as f64 * counts.possible_configurations()
}

/// The log-likelihood, which never penalises an arc.
#[derive(Debug, Clone, Copy)]
pub struct LogLikelihood;

impl Score for LogLikelihood {
    fn name(&self) -> &'static str {
        "loglik"
    }

    fn family_score(&self, counts: &Counts) -> FamilyScore {
        FamilyScore::pooled(log_likelihood(counts))
    }

    fn is_log_evidence(&self) -> bool {
        false
    }

    fn is_score_equivalent(&self) -> bool {
        true
    }

    fn is_pooled(&self) -> bool {
        true
    }
}

/// Akaike's criterion, on the scale of a log-likelihood: log-likelihood − parameters
/// (<https://doi.org/10.1109/TAC.1974.1100705>).
#[derive(Debug, Clone, Copy)]
pub struct Aic;

impl Score for Aic {
    fn name(&self) -> &'static str {
        "aic"
    }

    fn family_score(&self, counts: &Counts) -> FamilyScore {
        FamilyScore::pooled(log_likelihood(counts) - parameters(counts))
    }

    fn is_log_evidence(&self) -> bool {
        false
    }

    fn is_score_equivalent(&self) -> bool {
        true
    }

    fn is_pooled(&self) -> bool {
        true
    }
}

/// Schwarz's criterion, on the scale of a log-likelihood: log-likelihood − ½ ln(rows) · parameters
/// (<https://doi.org/10.1214/aos/1176344136>).
#[derive(Debug, Clone, Copy)]
pub struct Bic;

impl Score for Bic {
    fn name(&self) -> &'static str {
        "bic"
    }

    fn family_score(&self, counts: &Counts) -> FamilyScore {
        // Without rows the penalty is zero: ln 1 = 0.
        let rows = counts.rows().iter().sum::<u64>().max(1) as f64;
        FamilyScore::pooled(log_likelihood(counts) - 0.5 * rows.ln() * parameters(counts))
    }

    fn is_score_equivalent(&self) -> bool {
        true
    }

    fn is_pooled(&self) -> bool {
        true
    }
}
