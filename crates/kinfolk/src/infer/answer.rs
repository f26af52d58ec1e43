//! One question to several relatives at once, answered with names.

use serde::{Serialize, Serializer};

use super::{Given, InferError, Inference, Limits};
use crate::data::VariableId;
use crate::estimate::{Network, Relative};

/// A question to several relatives at once.
#[derive(Debug, Clone)]
pub struct Question {
    /// What to tell the probabilities of, each by itself.
    pub targets: Vec<VariableId>,
    /// What is observed and set.
    pub given: Given,
    /// Who is asked; a relative whose name an earlier one has is left out.
    pub relatives: Vec<Relative>,
    /// Whether to tell the targets' joint distribution too.
    pub joint: bool,
    /// Whether to tell the most probable explanation too.
    pub explanation: bool,
    /// How large tables may become.
    pub limits: Limits,
}

/// Things by name, in their order; an object in JSON.
#[derive(Debug, Clone, PartialEq)]
pub struct Named<T>(pub Vec<(String, T)>);

impl<T: Serialize> Serialize for Named<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, thing)| (name, thing)))
    }
}

/// What the relatives answer, with names.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Answer {
    /// The first target.
    pub target: Option<String>,
    /// By relative, the probabilities of the first target's states.
    pub data_sets: Named<Named<f64>>,
    /// The same for every target.
    pub targets: Vec<TargetAnswer>,
    /// The targets' joint distribution, if asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub joint: Option<Vec<JointRow>>,
    /// What was observed.
    pub evidence: Named<String>,
    /// What was set.
    #[serde(rename = "do")]
    pub set: Named<String>,
    /// By relative, ln P(evidence | what is set); nothing where that needs larger tables than the answer and than are allowed.
    pub log_probability_of_evidence: Named<Option<f64>>,
    /// By relative, the most probable explanation, if asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explanation: Option<Named<NamedExplanation>>,
}

/// The answers for one target.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TargetAnswer {
    /// The target.
    pub target: String,
    /// By relative, the probabilities of its states.
    pub data_sets: Named<Named<f64>>,
}

/// One configuration of the targets.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct JointRow {
    /// The targets' states.
    pub states: Named<String>,
    /// By relative, their probability.
    pub data_sets: Named<f64>,
}

/// The most probable states of what is not given.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NamedExplanation {
    /// Every variable that is not given, with its state.
    pub assignment: Named<String>,
    /// ln P(these states and the evidence | what is set).
    pub log_probability: f64,
}

/// What one relative says, before names are put to it.
struct Reply {
    relative: String,
    posteriors: Vec<Vec<f64>>,
    joint: Vec<f64>,
    log_probability: Option<f64>,
    explanation: Option<(Vec<u32>, f64)>,
}

impl Question {
    /// Asks.
    ///
    /// # Panics
    /// If a target is named twice.
    pub fn ask(&self, network: &Network) -> Result<Answer, InferError> {
        let mut replies: Vec<Reply> = Vec::new();
        for &relative in &self.relatives {
            let name = network.relative_name(relative);
            if replies.iter().all(|reply| reply.relative != name) {
                replies.push(self.ask_one(network, relative)?);
            }
        }
        let name = |id: VariableId| network.schema().variable(id).name.clone();
        let by_relative = |probabilities: &dyn Fn(&Reply) -> f64| {
            Named(replies.iter().map(|reply| (reply.relative.clone(), probabilities(reply))).collect())
        };
        let targets: Vec<TargetAnswer> = self
            .targets
            .iter()
            .enumerate()
            .map(|(at, &target)| {
                let states = &network.schema().variable(target).states;
                let named = |reply: &Reply| {
                    let values = states.iter().cloned().zip(reply.posteriors[at].iter().copied());
                    (reply.relative.clone(), Named(values.collect()))
                };
                TargetAnswer { target: name(target), data_sets: Named(replies.iter().map(named).collect()) }
            })
            .collect();
        let joint = self.joint.then(|| {
            let rows = self.configurations(network).into_iter().enumerate();
            rows.map(|(at, states)| JointRow { states, data_sets: by_relative(&|reply| reply.joint[at]) })
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
            let explained = |reply: &Reply| {
                let (states, log_probability) = reply.explanation.clone()?;
                let open = network.schema().ids().zip(states).filter(|(id, _)| !self.given.is_given(*id));
                let named = open.map(|(id, state)| (name(id), state_name(network, id, state)));
                let assignment = Named(named.collect());
                Some((reply.relative.clone(), NamedExplanation { assignment, log_probability }))
            };
            Named(replies.iter().filter_map(explained).collect())
        });
        Ok(Answer {
            target: first.as_ref().map(|first| first.target.clone()),
            data_sets: first.map_or(Named(Vec::new()), |first| first.data_sets),
            targets,
            joint,
            evidence: given(false),
            set: given(true),
            log_probability_of_evidence: Named(
                replies.iter().map(|reply| (reply.relative.clone(), reply.log_probability)).collect(),
            ),
            explanation,
        })
    }

    fn ask_one(&self, network: &Network, relative: Relative) -> Result<Reply, InferError> {
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
        Ok(Reply {
            relative: network.relative_name(relative).to_owned(),
            posteriors: inference.posteriors(&self.targets, &self.given)?,
            joint,
            log_probability,
            explanation,
        })
    }

    /// The targets' states in each of their configurations, the last varying fastest.
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
