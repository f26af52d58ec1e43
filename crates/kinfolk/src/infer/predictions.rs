//! Predictions for all rows of several files, with names and known outcomes.

use serde::Serialize;

use super::metrics::{Evaluation, Metrics, most_probable};
use super::{Given, InferError, Inference, Limits, Named, Predictor};
use crate::data::{NewRows, UnseenValue, VariableId};
use crate::estimate::{CredibleMass, Network, Relative};

/// The prediction for one row.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Prediction {
    /// The file.
    pub file: String,
    /// The row's data set.
    pub data_set: String,
    /// The row number in its file; the header is row 1.
    pub row: u64,
    /// The relative whose tables were used.
    pub tables: String,
    /// The probabilities of the target's states; `None` if the row's other values have probability zero.
    pub probabilities: Option<Named<f64>>,
    /// The credible interval of each of them, if requested ([`crate::intervals`]) and if the certainty of the tables is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub intervals: Option<Named<[f64; 2]>>,
    /// The most probable state; the first one in case of ties.
    pub predicted: Option<String>,
    /// The true state, if known.
    pub actual: Option<String>,
}

/// Predictions with names.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Predictions {
    /// The target.
    pub target: String,
    /// One prediction per row, file by file.
    pub rows: Vec<Prediction>,
    /// The probability that an interval contains the true value, if intervals were requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval_mass: Option<CredibleMass>,
    /// The metrics; `None` if no row has a known outcome.
    pub metrics: Option<AllMetrics>,
    /// The target's pooled marginal distribution, the baseline of the metrics.
    pub baseline: Named<f64>,
    /// Data sets that the network does not have; they were predicted with the tables of a new data set.
    pub unknown_data_sets: Vec<String>,
    /// Values treated as missing, because they match no state.
    pub unseen: Vec<UnseenValue>,
    /// Data sets whose rows are those that the network was learned from, so that their metrics are in-sample; for callers to fill in.
    pub in_sample: Vec<String>,
}

/// Metrics over all rows and by data set.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AllMetrics {
    /// Over all rows.
    #[serde(flatten)]
    pub overall: Metrics,
    /// By data set.
    pub data_sets: Named<Metrics>,
}

/// Predicts a variable in every row with the tables of the row's data set (those of a new data set if the network does not have
/// it), or with those of one relative for all rows. Missing values are summed out.
pub fn predict(
    network: &Network,
    target: VariableId,
    rows: &NewRows,
    forced: Option<Relative>,
    limits: Limits,
) -> Result<Predictions, InferError> {
    let variable = network.schema().variable(target);
    let baseline = Inference::new(network, Relative::Pooled)
        .with_limits(limits)
        .posterior(target, &Given::nothing(network))?;
    let mut predictors: Vec<(Relative, Predictor<'_>)> = Vec::new();
    let mut overall = Evaluation::new(baseline.clone());
    let mut by_data_set: Vec<(String, Evaluation)> = Vec::new();
    let mut unknown_data_sets: Vec<String> = Vec::new();
    let mut predictions = Vec::new();
    for row in rows.iter() {
        let relative = forced.unwrap_or(Relative::of(row.known));
        if forced.is_none() && row.known.is_none() && !unknown_data_sets.contains(&row.data_set) {
            unknown_data_sets.push(row.data_set.clone());
        }
        let at = predictors.iter().position(|(other, _)| *other == relative).unwrap_or_else(|| {
            predictors.push((relative, Predictor::new(network, relative, target).with_limits(limits)));
            predictors.len() - 1
        });
        let probabilities = match predictors[at].1.probabilities(&row.values) {
            Ok(probabilities) => Some(probabilities),
            Err(InferError::Impossible { .. }) => None,
            Err(error) => return Err(error),
        };
        let actual = row.values[target.index()];
        if let Some(actual) = actual {
            let at = by_data_set.iter().position(|(name, _)| *name == row.data_set).unwrap_or_else(|| {
                by_data_set.push((row.data_set.clone(), Evaluation::new(baseline.clone())));
                by_data_set.len() - 1
            });
            overall.add(probabilities.as_deref(), actual, row.weight);
            by_data_set[at].1.add(probabilities.as_deref(), actual, row.weight);
        }
        let state = |code: usize| variable.states[code].clone();
        predictions.push(Prediction {
            file: row.file,
            data_set: row.data_set,
            row: row.row,
            tables: network.relative_name(relative).to_owned(),
            predicted: probabilities.as_deref().map(|probabilities| state(most_probable(probabilities))),
            probabilities: probabilities
                .map(|probabilities| Named(variable.states.iter().cloned().zip(probabilities).collect())),
            intervals: None,
            actual: actual.map(|actual| state(actual as usize)),
        });
    }
    let by_data_set = by_data_set.into_iter();
    let data_sets = by_data_set.filter_map(|(name, evaluation)| Some((name, evaluation.metrics()?)));
    let data_sets = Named(data_sets.collect());
    Ok(Predictions {
        target: variable.name.clone(),
        rows: predictions,
        interval_mass: None,
        metrics: overall.metrics().map(|overall| AllMetrics { overall, data_sets }),
        baseline: Named(variable.states.iter().cloned().zip(baseline).collect()),
        unknown_data_sets,
        unseen: rows.unseen.clone(),
        in_sample: Vec::new(),
    })
}
