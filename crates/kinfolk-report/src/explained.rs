//! The results of `explain` in the form that the page needs: pooling, distances between data sets, evidence by arc.

use kinfolk::explain::Explanation;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::report::{Report, ReportArc, by_name, index_of};

/// An explanation without the arcs, which are part of the report. Parts that the page only passes on are JSON as in
/// `explain`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Explained {
    /// The meaning of the arcs' numbers by data set: `score` or `given-others`.
    pub terms: String,
    /// Whether the data sets should be pooled.
    pub pooling: Value,
    /// The data sets, by decreasing distance from the common centre.
    pub data_sets: Value,
    /// The similarity of pairs of data sets; null in results of earlier versions.
    pub similarity: Value,
    /// The rule that detects absent arcs.
    pub absence: Value,
    /// The posterior probabilities of the arcs; null if they were not computed.
    pub posterior: Value,
    /// Why there are none, if that is known.
    pub posterior_missing: Value,
    /// The strongest absent arcs, with the change of score if each is added.
    pub left_out: Vec<ReportArc>,
    /// The request that stopped the explanation; null if it is complete.
    pub halted: Value,
}

/// The parts of the JSON of `explain` that are shown.
#[derive(Deserialize)]
struct ExplanationDocument {
    terms: String,
    arcs: Vec<ExplainedArc>,
    pooling: Value,
    data_sets: Value,
    absence: Value,
    #[serde(default)]
    similarity: Value,
    #[serde(default)]
    posterior: Value,
    #[serde(default)]
    posterior_missing: Value,
    #[serde(default)]
    halted: Value,
}

#[derive(Deserialize)]
struct ExplainedArc {
    from: String,
    to: String,
    total: Option<f64>,
    by_data_set: Map<String, Value>,
    given_others: Map<String, Value>,
    present: bool,
    #[serde(default)]
    reversal: Option<f64>,
    #[serde(default)]
    directed: Option<bool>,
}

impl Report {
    /// Adds an explanation of the same network. Scores that are not a sum over the data sets get their evidence by data
    /// set from it.
    #[must_use]
    pub fn with_explanation(self, explanation: &Explanation) -> Self {
        self.explained(json!(explanation)).expect("an explanation has all its parts")
    }

    /// The same from the JSON of `explain`.
    pub fn with_explanation_json(self, text: &str) -> Result<Self, serde_json::Error> {
        self.explained(serde_json::from_str(text)?)
    }

    fn explained(mut self, explanation: Value) -> Result<Self, serde_json::Error> {
        let ExplanationDocument {
            terms,
            arcs,
            pooling,
            data_sets,
            absence,
            similarity,
            posterior,
            posterior_missing,
            halted,
        } = serde_json::from_value(explanation)?;
        let names: Vec<String> = self.data_sets.iter().map(|data_set| data_set.name.clone()).collect();
        let mut left_out = Vec::new();
        for arc in arcs {
            let (from, to) = (index_of(&self.variables, &arc.from)?, index_of(&self.variables, &arc.to)?);
            let given_others = Some(by_name(&arc.given_others, &names, "given_others")?);
            if arc.present {
                let same = |known: &&mut ReportArc| (known.from, known.to) == (from, to);
                if let Some(known) = self.arcs.iter_mut().find(same) {
                    known.given_others = given_others;
                    known.reversal = arc.reversal;
                    known.directed = arc.directed.unwrap_or(known.directed);
                }
            } else {
                let by_data_set = match terms.as_str() {
                    "score" => Some(by_name(&arc.by_data_set, &names, "by_data_set")?),
                    _ => None,
                };
                left_out.push(ReportArc {
                    gain: arc.total,
                    by_data_set,
                    given_others,
                    directed: false,
                    ..ReportArc::between(from, to)
                });
            }
        }
        self.explanation = Some(Explained {
            terms,
            pooling,
            data_sets,
            similarity: rounded(similarity),
            absence,
            posterior,
            posterior_missing,
            left_out,
            halted,
        });
        Ok(self)
    }
}

/// Rounds to two decimals: there is a number for every pair of data sets in every family, shown as a colour.
fn rounded(value: Value) -> Value {
    match value {
        Value::Array(values) => values.into_iter().map(rounded).collect(),
        Value::Object(values) => {
            Value::Object(values.into_iter().map(|(key, value)| (key, rounded(value))).collect())
        }
        Value::Number(number) if number.is_f64() => {
            number.as_f64().map_or(Value::Null, |number| json!((number * 100.0).round() / 100.0))
        }
        other => other,
    }
}
