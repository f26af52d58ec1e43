//! Results of searches and scorings as plain structs with names instead of ids; every output format serialises these.
//!
//! - this file: the result of a search ([`Learned`]) and of a given structure ([`Judged`]).
//! - `document`: either of them with its tables, as JSON; `filled`: what was filled in where values were missing.

mod document;
mod filled;

use std::mem;
use std::ops::ControlFlow;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};

pub use document::Document;
pub use filled::{FilledColumn, FilledIn, Round};

use crate::counts::Family;
use crate::data::{Schema, Variable, VariableId};
use crate::estimate::{Configurations, Network};
use crate::graph::{Dag, MoveKind, modelstring};
use crate::score::{FamilyScore, Halt, KinFit, Kinship, ScoreError, Scorer};
use crate::search::{Event, Restart, Search, SearchMethod, Stop};

/// Arcs whose gain is below this are weak: ln 3, odds of less than 3 to 1.
pub const WEAK_BELOW: f64 = 1.098_612_288_668_109_8;

/// One number per data set, keyed by name, in the order of the data sets.
#[derive(Debug, Clone, PartialEq)]
pub struct ByDataSet(pub Vec<(String, f64)>);

impl Serialize for ByDataSet {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in &self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

/// A variable and its states.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NamedVariable {
    /// Its name.
    pub name: String,
    /// Its states, in the order of their codes.
    pub states: Vec<String>,
}

/// The score of one node.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct NodeScore {
    /// The node.
    pub node: String,
    /// Its parents, in column order.
    pub parents: Vec<String>,
    /// Its score.
    pub total: f64,
    /// The score's terms by data set; `None` for scores on the pooled rows.
    pub by_data_set: Option<ByDataSet>,
    /// What each data set adds to the score given the others ([`Scorer::given_others`]); only for scores that are not sums over
    /// data sets, and where it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub given_others: Option<ByDataSet>,
    /// The fitted concentration of the centre; `None` for scores in closed form.
    pub tau: Option<f64>,
    /// The Newton steps of the fit, or table evaluations for `kin`; 0 for scores in closed form.
    pub iterations: usize,
    /// Whether the fit converged; always true for scores in closed form.
    pub converged: bool,
    /// The relatedness of the data sets in this family; only for `kin`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kin: Option<NamedKinship>,
    /// The contribution of the structure prior to the total; only if it is not uniform.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub structure_prior: Option<f64>,
}

/// The relatedness of the data sets in one family under the `kin` model.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct NamedKinship {
    /// The posterior of s, and the probability that the data sets are identical.
    #[serde(flatten)]
    pub kinship: Kinship,
    /// The centre of every observed configuration, up to a maximum number.
    pub centre: Vec<NamedCentre>,
    /// The number of observed configurations that are left out, if any.
    #[serde(skip_serializing_if = "is_none")]
    pub centre_left_out: usize,
}

/// The centre of one parent configuration.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NamedCentre {
    /// The parents' states, in the order of the parents.
    pub given: Vec<String>,
    /// The probabilities of the node's states.
    pub probabilities: Vec<f64>,
}

/// The contribution of an arc to the score.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ArcGain {
    /// The tail of the arc.
    pub from: String,
    /// The head of the arc.
    pub to: String,
    /// The decrease of the score if only this arc is removed; `None` if the search was stopped and this would take long.
    pub gain: Option<f64>,
    /// The decrease by data set; `None` for scores on the pooled rows.
    pub by_data_set: Option<ByDataSet>,
}

/// A move of the search.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NamedStep {
    /// The effect of the move.
    #[serde(rename = "move")]
    pub kind: MoveKind,
    /// The tail of the arc before the move.
    pub from: String,
    /// The head of the arc before the move.
    pub to: String,
    /// The increase of the score.
    pub gain: f64,
}

/// A structure with its scores.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Scored {
    /// The score's name.
    pub score_name: String,
    /// The score of the network, a natural logarithm.
    pub total: f64,
    /// The score by data set; `None` for scores on the pooled rows.
    pub by_data_set: Option<ByDataSet>,
    /// The sum of the nodes' `given_others`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub given_others: Option<ByDataSet>,
    /// The structure over the variables' ids; in JSON it is the modelstring.
    #[serde(skip)]
    pub dag: Dag,
    /// The structure as a modelstring.
    pub structure: String,
    /// The scores of the nodes, in column order.
    pub nodes: Vec<NodeScore>,
    /// The settings of the score.
    pub settings: Map<String, Value>,
    /// What was filled in, if values were missing. The scores are then means over the versions of the completed data.
    #[serde(rename = "missing", skip_serializing_if = "Option::is_none")]
    pub filled_in: Option<FilledIn>,
}

/// The search method and its guarantee.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SearchSummary {
    /// The requested search.
    pub method: SearchMethod,
    /// Whether an exact search has shown that no network scores higher.
    pub optimal: bool,
    /// The best score against time, for an order search only: all other results are identical on every run. The library
    /// reads no clock, so callers fill it in.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub curve: Vec<CurvePoint>,
}

/// A point of the curve of the best score against time.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct CurvePoint {
    /// The seconds since the search began.
    pub seconds: f64,
    /// The best score at that time.
    pub score: f64,
}

/// The curve of the best score against time, collected from the events of a search by callers with a clock.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ScoreCurve(Vec<CurvePoint>);

impl ScoreCurve {
    /// Adds a point if the event reports a higher score.
    pub fn note(&mut self, event: &Event<'_>, seconds: f64) {
        let (Event::Improved { score } | Event::Stepped { score, partial: false, .. }) = *event else {
            return;
        };
        if self.0.last().is_none_or(|last| score > last.score) {
            self.0.push(CurvePoint { seconds, score });
        }
    }

    /// The points, if results of this search have them.
    pub fn points_of(self, method: SearchMethod) -> Vec<CurvePoint> {
        if method == SearchMethod::Order { self.0 } else { Vec::new() }
    }
}

/// The result of a search.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Learned {
    /// The structure over the variables' ids; in JSON it is the modelstring.
    #[serde(skip)]
    pub dag: Dag,
    /// The structure as a modelstring.
    pub structure: String,
    /// The score's name.
    pub score_name: String,
    /// The score of the network, a natural logarithm.
    pub score: f64,
    /// The score by data set; `None` for scores on the pooled rows.
    pub by_data_set: Option<ByDataSet>,
    /// The data sets' names.
    pub data_sets: Vec<String>,
    /// The variables, in column order.
    pub variables: Vec<NamedVariable>,
    /// The scores of the nodes, in column order.
    pub nodes: Vec<NodeScore>,
    /// The contribution of each arc, in the column order of its endpoints.
    pub arcs: Vec<ArcGain>,
    /// The start of the climb that found the network, as a modelstring.
    pub start: String,
    /// The moves of that climb.
    pub steps: Vec<NamedStep>,
    /// The restarts, in order.
    pub restarts: Vec<Restart>,
    /// Why the search ended.
    pub stop: Stop,
    /// The search method and its guarantee.
    pub search: SearchSummary,
    /// The number of families scored.
    pub families_scored: usize,
    /// The number of them whose fit did not converge.
    pub not_converged: usize,
    /// The settings of the score and the search.
    pub settings: Map<String, Value>,
    /// The treatment of missing values, if there were any. The scores are then means over the versions of the completed data.
    #[serde(rename = "missing", skip_serializing_if = "Option::is_none")]
    pub filled_in: Option<FilledIn>,
}

/// A given structure with its scores.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Judged {
    /// The structure over the variables' ids; in JSON it is the modelstring.
    #[serde(skip)]
    pub dag: Dag,
    /// The structure as a modelstring.
    pub structure: String,
    /// The score's name.
    pub score_name: String,
    /// The score of the network, a natural logarithm.
    pub score: f64,
    /// The score by data set; `None` for scores on the pooled rows.
    pub by_data_set: Option<ByDataSet>,
    /// The data sets' names.
    pub data_sets: Vec<String>,
    /// The variables, in column order.
    pub variables: Vec<NamedVariable>,
    /// The scores of the nodes, in column order.
    pub nodes: Vec<NodeScore>,
    /// The contribution of each arc, in the column order of its endpoints.
    pub arcs: Vec<ArcGain>,
    /// The settings of the score.
    pub settings: Map<String, Value>,
    /// What was filled in, if values were missing. The scores are then means over the versions of the completed data.
    #[serde(rename = "missing", skip_serializing_if = "Option::is_none")]
    pub filled_in: Option<FilledIn>,
}

/// Converts a struct into a JSON object.
fn object(of: &impl Serialize) -> Map<String, Value> {
    let Value::Object(object) = json!(of) else { unreachable!("a struct is an object in JSON") };
    object
}

impl Scored {
    /// Adds what each data set contributes to the evidence given the others, if there are several and the score does not pool
    /// them and is not a sum over them.
    pub fn with_given_others(mut self, scorer: &Scorer<'_>) -> Result<Self, ScoreError> {
        let schema = scorer.schema();
        if scorer.score().is_pooled() || self.by_data_set.is_some() || schema.data_sets().len() < 2 {
            return Ok(self);
        }
        let families: Vec<Family> = self.dag.nodes().map(|node| Family::of(&self.dag, node)).collect();
        let given = scorer.given_others(&families)?;
        let mut sums = vec![0.0; schema.data_sets().len()];
        for (node, given) in self.nodes.iter_mut().zip(given) {
            sums.iter_mut().zip(&given).for_each(|(sum, value)| *sum += value);
            node.given_others = Some(named(schema, given));
        }
        self.given_others = Some(named(schema, sums));
        Ok(self)
    }

    /// The result as a JSON object.
    pub fn document(&self) -> Map<String, Value> {
        object(self)
    }
}

impl Learned {
    /// The result as a JSON object.
    pub fn document(&self) -> Map<String, Value> {
        object(self)
    }

    /// The result as streaming JSON. With the network's tables it is a network file that also holds scores, arcs and moves.
    pub fn into_document(mut self, network: Option<Network>) -> Document {
        let nodes = mem::take(&mut self.nodes);
        Document::new(object(&self), nodes, network)
    }
}

impl Judged {
    /// The result as streaming JSON. With the network's tables it is a network file that also holds scores and arcs.
    pub fn into_document(mut self, network: Option<Network>) -> Document {
        let nodes = mem::take(&mut self.nodes);
        Document::new(object(&self), nodes, network)
    }
}

/// The variables with their states, in column order.
pub fn named_variables(schema: &Schema) -> Vec<NamedVariable> {
    let named =
        |variable: &Variable| NamedVariable { name: variable.name.clone(), states: variable.states.clone() };
    schema.variables().iter().map(named).collect()
}

/// Scores a structure node by node.
pub fn score_structure(
    scorer: &Scorer<'_>,
    dag: &Dag,
    settings: Map<String, Value>,
) -> Result<Scored, ScoreError> {
    let schema = scorer.schema();
    let families: Vec<Family> = dag.nodes().map(|node| Family::of(dag, node)).collect();
    let scores = scorer.explain(&families)?;
    Ok(Scored {
        score_name: scorer.score().name().to_owned(),
        total: scores.iter().map(|score| score.total).sum(),
        by_data_set: sum_by_data_set(schema, &scores),
        given_others: None,
        dag: dag.clone(),
        structure: modelstring::format(dag, &schema.names()),
        nodes: families
            .iter()
            .zip(&scores)
            .map(|(family, score)| node_score(schema, family, score))
            .collect(),
        settings,
        filled_in: None,
    })
}

/// Scores a given structure with the same details as [`learn`].
pub fn judge(scorer: &Scorer<'_>, dag: &Dag, settings: Map<String, Value>) -> Result<Judged, ScoreError> {
    let scored = score_structure(scorer, dag, settings)?;
    let schema = scorer.schema();
    Ok(Judged {
        dag: scored.dag,
        structure: scored.structure,
        score_name: scored.score_name,
        score: scored.total,
        by_data_set: scored.by_data_set,
        data_sets: schema.data_sets().to_vec(),
        variables: named_variables(schema),
        arcs: arc_gains(scorer, dag, &scored.nodes, Stop::Optimum)?,
        nodes: scored.nodes,
        settings: scored.settings,
        filled_in: None,
    })
}

/// Runs a search and returns its result with names.
pub fn learn(
    scorer: &mut Scorer<'_>,
    search: &Search,
    settings: Map<String, Value>,
    observe: &mut dyn FnMut(&Event<'_>) -> ControlFlow<Halt>,
) -> Result<Learned, ScoreError> {
    let climb = search.climb.run(scorer, search.start.clone(), observe)?;
    let schema = scorer.schema();
    let names = schema.names();
    let scored = score_structure(scorer, &climb.dag, settings)?;
    let steps = climb.steps.iter().map(|step| NamedStep {
        kind: step.made.kind,
        from: names[step.made.from.index()].clone(),
        to: names[step.made.to.index()].clone(),
        gain: step.gain,
    });
    Ok(Learned {
        dag: scored.dag,
        structure: scored.structure,
        score_name: scored.score_name,
        score: scored.total,
        by_data_set: scored.by_data_set,
        data_sets: schema.data_sets().to_vec(),
        variables: named_variables(schema),
        arcs: arc_gains(scorer, &climb.dag, &scored.nodes, climb.stop)?,
        nodes: scored.nodes,
        start: modelstring::format(&climb.start, &names),
        steps: steps.collect(),
        restarts: climb.restarts,
        stop: climb.stop,
        search: SearchSummary { method: search.method, optimal: climb.optimal, curve: Vec::new() },
        families_scored: scorer.scored(),
        not_converged: scorer.not_converged(),
        settings: scored.settings,
        filled_in: None,
    })
}

/// The decrease of the score if each arc is removed.
fn arc_gains(
    scorer: &Scorer<'_>,
    dag: &Dag,
    nodes: &[NodeScore],
    stop: Stop,
) -> Result<Vec<ArcGain>, ScoreError> {
    /// After a stopped search, the maximum time in nanoseconds to compute the contributions of the arcs.
    const LONGEST_AFTER_A_STOP: f64 = 1e9;
    let schema = scorer.schema();
    let arcs: Vec<(VariableId, VariableId)> = dag.arcs().collect();
    let without: Vec<Family> = arcs.iter().map(|&(from, to)| Family::of(dag, to).without(from)).collect();
    let stopped = matches!(stop, Stop::TimeLimit | Stop::Interrupted);
    if stopped && scorer.cost(&without) > LONGEST_AFTER_A_STOP {
        let name = |id: VariableId| schema.variable(id).name.clone();
        let unknown = |&(from, to): &(VariableId, VariableId)| ArcGain {
            from: name(from),
            to: name(to),
            gain: None,
            by_data_set: None,
        };
        return Ok(arcs.iter().map(unknown).collect());
    }
    let scores = scorer.explain(&without)?;
    let gains = arcs.iter().zip(&scores).map(|(&(from, to), without)| {
        let with = &nodes[to.index()];
        let by_data_set =
            with.by_data_set.as_ref().zip(without.by_data_set.as_ref()).map(|(with, without)| {
                ByDataSet(
                    with.0
                        .iter()
                        .zip(without)
                        .map(|((name, with), without)| (name.clone(), with - without))
                        .collect(),
                )
            });
        ArcGain {
            from: schema.variable(from).name.clone(),
            to: schema.variable(to).name.clone(),
            gain: Some(with.total - without.total),
            by_data_set,
        }
    });
    Ok(gains.collect())
}

fn node_score(schema: &Schema, family: &Family, score: &FamilyScore) -> NodeScore {
    NodeScore {
        node: schema.variable(family.child()).name.clone(),
        parents: family.parents().iter().map(|&parent| schema.variable(parent).name.clone()).collect(),
        total: score.total,
        by_data_set: score.by_data_set.as_ref().map(|terms| named(schema, terms.clone())),
        given_others: None,
        tau: score.fit.map(|fit| fit.tau),
        iterations: score.fit.map_or(0, |fit| fit.iterations)
            + score.kin.as_ref().map_or(0, |kin| kin.iterations),
        converged: score.converged(),
        kin: score.kin.as_ref().map(|kin| named_kinship(schema, family.parents(), kin)),
        structure_prior: score.structure_prior,
    }
}

fn named_kinship(schema: &Schema, parents: &[VariableId], kin: &KinFit) -> NamedKinship {
    let configurations = Configurations::new(schema, parents);
    // Configurations without a number have no name.
    let centre = kin.centre.iter().filter_map(|row| {
        Some(NamedCentre {
            given: configurations.row(row.configuration?).into_iter().map(str::to_owned).collect(),
            probabilities: row.probabilities.clone(),
        })
    });
    let centre: Vec<NamedCentre> = centre.collect();
    let left_out = kin.left_out + (kin.centre.len() - centre.len());
    NamedKinship { kinship: kin.kinship.clone(), centre, centre_left_out: left_out }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes the field by reference")]
fn is_none(number: &usize) -> bool {
    *number == 0
}

fn sum_by_data_set(schema: &Schema, scores: &[FamilyScore]) -> Option<ByDataSet> {
    let mut sums = vec![0.0; schema.data_sets().len()];
    for score in scores {
        for (sum, term) in sums.iter_mut().zip(score.by_data_set.as_ref()?) {
            *sum += term;
        }
    }
    Some(named(schema, sums))
}

fn named(schema: &Schema, terms: Vec<f64>) -> ByDataSet {
    ByDataSet(schema.data_sets().iter().cloned().zip(terms).collect())
}
