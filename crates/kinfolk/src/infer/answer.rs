//! One query to the tables of several relatives, answered with names.

use serde::{Serialize, Serializer};

use super::{Given, InferError, Inference, Limits};
use crate::data::VariableId;
use crate::estimate::{CredibleMass, Network, Relative};

/// A query to the tables of several relatives.
#[derive(Debug, Clone)]
pub struct Question {
    /// The target variables; each has a marginal distribution in the answer.
    pub targets: Vec<VariableId>,
    /// The evidence and interventions.
    pub given: Given,
    /// The relatives to query. A relative with the name of an earlier one is skipped.
    pub relatives: Vec<Relative>,
    /// Whether to compute the joint distribution of the targets.
    pub joint: bool,
    /// Whether to compute the most probable explanation.
    pub explanation: bool,
    /// The limit on table sizes.
    pub limits: Limits,
}

/// Values keyed by name, in order; serialised as a JSON object.
#[derive(Debug, Clone, PartialEq)]
pub struct Named<T>(pub Vec<(String, T)>);

impl<T: Serialize> Serialize for Named<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, thing)| (name, thing)))
    }
}

/// The answers of all relatives, with names.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Answer {
    /// The first target.
    pub target: Option<String>,
    /// The probabilities of the first target's states, by relative.
    pub data_sets: Named<Named<f64>>,
    /// The marginal distributions of all targets.
    pub targets: Vec<TargetAnswer>,
    /// The probability that an interval contains the true value, if intervals were requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval_mass: Option<CredibleMass>,
    /// The joint distribution of the targets, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub joint: Option<Vec<JointRow>>,
    /// The evidence.
    pub evidence: Named<String>,
    /// The interventions.
    #[serde(rename = "do")]
    pub set: Named<String>,
    /// ln P(evidence | interventions), by relative; `None` if its tables exceed both those of the answer and the limit.
    pub log_probability_of_evidence: Named<Option<f64>>,
    /// The most probable explanation by relative, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explanation: Option<Named<NamedExplanation>>,
}

/// The marginal distributions of one target.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TargetAnswer {
    /// The target.
    pub target: String,
    /// The probabilities of its states, by relative.
    pub data_sets: Named<Named<f64>>,
    /// The credible interval of each of them, if requested ([`crate::intervals`]); `None` for a relative whose certainty is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub intervals: Option<Named<Option<Named<[f64; 2]>>>>,
}

/// One configuration of the targets.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct JointRow {
    /// The targets' states.
    pub states: Named<String>,
    /// The probability of the configuration, by relative.
    pub data_sets: Named<f64>,
}

/// The most probable states of all variables that are not given.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NamedExplanation {
    /// Every variable that is not given, with its state.
    pub assignment: Named<String>,
    /// ln P(states, evidence | interventions).
    pub log_probability: f64,
}

/// The answer of one relative, with ids instead of names.
struct RelativeAnswer {
    relative: String,
    posteriors: Vec<Vec<f64>>,
    joint: Vec<f64>,
    log_probability: Option<f64>,
    explanation: Option<(Vec<u32>, f64)>,
}

impl Question {
    /// Computes the answer.
    ///
    /// # Panics
    /// If a target is named twice.
    pub fn ask(&self, network: &Network) -> Result<Answer, InferError> {
        let mut answers: Vec<RelativeAnswer> = Vec::new();
        for &relative in &self.relatives {
            let name = network.relative_name(relative);
            if answers.iter().all(|answer| answer.relative != name) {
                answers.push(self.ask_one(network, relative)?);
            }
        }
        let name = |id: VariableId| network.schema().variable(id).name.clone();
        let by_relative = |probabilities: &dyn Fn(&RelativeAnswer) -> f64| {
            Named(answers.iter().map(|answer| (answer.relative.clone(), probabilities(answer))).collect())
        };
        let targets: Vec<TargetAnswer> = self
            .targets
            .iter()
            .enumerate()
            .map(|(at, &target)| {
                let states = &network.schema().variable(target).states;
                let named = |answer: &RelativeAnswer| {
                    let values = states.iter().cloned().zip(answer.posteriors[at].iter().copied());
                    (answer.relative.clone(), Named(values.collect()))
                };
                let data_sets = Named(answers.iter().map(named).collect());
                TargetAnswer { target: name(target), data_sets, intervals: None }
            })
            .collect();
        let joint = self.joint.then(|| {
            let rows = self.configurations(network).into_iter().enumerate();
            rows.map(|(at, states)| JointRow { states, data_sets: by_relative(&|answer| answer.joint[at]) })
                .collect()
        });
        let first = targets.first().cloned();
        let given = |set: bool| {
            let such = network
                .schema()
                .ids()
                .filter(|&id| self.given.is_set(id) == set)
                .filter_map(|id| Some((name(id), state_name(network, id, self.given.state(id)?))));
            Named(such.collect())
        };
        let explanation = self.explanation.then(|| {
            let explained = |answer: &RelativeAnswer| {
                let (states, log_probability) = answer.explanation.clone()?;
                let open = network.schema().ids().zip(states).filter(|(id, _)| !self.given.is_given(*id));
                let named = open.map(|(id, state)| (name(id), state_name(network, id, state)));
                let assignment = Named(named.collect());
                Some((answer.relative.clone(), NamedExplanation { assignment, log_probability }))
            };
            Named(answers.iter().filter_map(explained).collect())
        });
        Ok(Answer {
            target: first.as_ref().map(|first| first.target.clone()),
            data_sets: first.map_or(Named(Vec::new()), |first| first.data_sets),
            targets,
            interval_mass: None,
            joint,
            evidence: given(false),
            set: given(true),
            log_probability_of_evidence: Named(
                answers.iter().map(|answer| (answer.relative.clone(), answer.log_probability)).collect(),
            ),
            explanation,
        })
    }

    fn ask_one(&self, network: &Network, relative: Relative) -> Result<RelativeAnswer, InferError> {
        let inference = Inference::new(network, relative).with_limits(self.limits);
        let log_probability = match inference.log_probability(&self.given) {
            Ok(log) => Some(log),
            Err(InferError::TooLarge { .. }) => None,
            Err(error) => return Err(error),
        };
        let joint =
            if self.joint { inference.joint(&self.targets, &self.given)?.probabilities } else { Vec::new() };
        let explanation = if self.explanation {
            let explanation = inference.explanation(&self.given)?;
            Some((explanation.states, explanation.log_probability))
        } else {
            None
        };
        Ok(RelativeAnswer {
            relative: network.relative_name(relative).to_owned(),
            posteriors: inference.posteriors(&self.targets, &self.given)?,
            joint,
            log_probability,
            explanation,
        })
    }

    /// The targets' states in each of their configurations; the last target varies fastest.
    fn configurations(&self, network: &Network) -> Vec<Named<String>> {
        let mut rows = vec![Named(Vec::new())];
        for &target in &self.targets {
            let variable = network.schema().variable(target);
            rows = rows
                .iter()
                .flat_map(|row| {
                    variable.states.iter().map(|state| {
                        let mut states = row.0.clone();
                        states.push((variable.name.clone(), state.clone()));
                        Named(states)
                    })
                })
                .collect();
        }
        rows
    }
}

fn state_name(network: &Network, id: VariableId, state: u32) -> String {
    network.schema().variable(id).states[state as usize].clone()
}
