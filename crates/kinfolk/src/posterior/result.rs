//! Posterior probabilities with names, from which every view is written.

use serde::Serialize;
use serde_json::{Map, Value};

use super::{ArcPosterior, FeatureQuery};
use crate::data::{Schema, VariableId};
use crate::graph::{Dag, modelstring};
use crate::score::{Halt, Scorer};
use crate::search::Constraints;

/// The probability of one arc.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ArcProbability {
    /// Where it starts.
    pub from: String,
    /// Where it ends.
    pub to: String,
    /// The posterior probability that the network has it.
    pub probability: f64,
}

/// The probability of one edge.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EdgeProbability {
    /// Its ends, in column order.
    pub between: [String; 2],
    /// The posterior probability that an arc joins them, in either direction.
    pub probability: f64,
}

/// How probabilities were computed, and how far to trust them.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct PosteriorSummary {
    /// How the probabilities were computed: `exact` or `mcmc`.
    pub method: &'static str,
    /// The number of Markov chains; nothing if the probabilities are exact.
    pub chains: Option<usize>,
    /// Sweeps of each chain.
    pub sweeps: Option<usize>,
    /// The largest split R-hat of an arc; close to 1 if the chains agree.
    pub rhat: Option<f64>,
    /// The smallest effective sample size of an arc; nothing if every arc is as good as certain.
    pub ess: Option<f64>,
    /// The largest difference between two chains' probabilities of an arc.
    pub difference: Option<f64>,
    /// Whether the chains agree as closely as was asked for; exact probabilities always do.
    pub converged: bool,
    /// Why the chains were stopped before they agreed, if somebody asked for it.
    pub halted: Option<Halt>,
    /// Families scored.
    pub families_scored: usize,
    /// Parent sets summed over.
    pub parent_sets: usize,
    /// Why the numbers are not to be taken for calibrated probabilities, if there is a reason. Every view shows it with the numbers.
    pub caution: Option<&'static str>,
}

impl PosteriorSummary {
    fn new(scorer: &Scorer<'_>, schema: &Schema, posterior: &ArcPosterior) -> Self {
        let chains = posterior.chains.as_ref();
        Self {
            method: if chains.is_some() { "mcmc" } else { "exact" },
            chains: chains.map(|chains| chains.chains),
            sweeps: chains.map(|chains| chains.sweeps),
            rhat: chains.map(|chains| chains.rhat),
            ess: chains.and_then(|chains| chains.ess),
            difference: chains.map(|chains| chains.difference),
            converged: chains.is_none_or(|chains| chains.converged),
            halted: chains.and_then(|chains| chains.halted),
            families_scored: posterior.families_scored,
            parent_sets: posterior.parent_sets,
            caution: (scorer.score().is_pooled() && schema.data_sets().len() > 1).then_some(POOLED_CAUTION),
        }
    }
}

/// How sure the arcs of a network are, given the data: the key `posterior` of explanations and reports.
///
/// A view shows beside every arc the probability of the edge and of its direction, `arc / edge`; below, the most probable edges that the
/// network lacks; and always `score_name`, `method` and, if there is one, `caution`. If `converged` is false, it says that the chains
/// still differed by `difference`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct NetworkPosterior {
    /// The network as a modelstring.
    pub structure: String,
    /// The score whose posterior it is.
    pub score_name: String,
    /// The arcs of the network, in column order.
    pub arcs: Vec<NetworkArc>,
    /// The most probable edges that the network lacks, the most probable first.
    pub left_out: Vec<EdgeProbability>,
    /// How the probabilities were computed.
    #[serde(flatten)]
    pub summary: PosteriorSummary,
}

/// How sure one arc of a network is.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NetworkArc {
    /// Where it starts.
    pub from: String,
    /// Where it ends.
    pub to: String,
    /// The posterior probability that an arc joins the two, in either direction.
    pub edge: f64,
    /// The posterior probability of the arc in this direction.
    pub arc: f64,
    /// The posterior probability of the arc in the other direction.
    pub reversed: f64,
}

impl NetworkPosterior {
    /// What a posterior says of a network, with this many of the edges that it lacks.
    pub fn new(
        scorer: &Scorer<'_>,
        schema: &Schema,
        posterior: &ArcPosterior,
        dag: &Dag,
        left_out: usize,
    ) -> Self {
        let name = |id: VariableId| schema.variable(id).name.clone();
        let arcs = dag.arcs().map(|(from, to)| NetworkArc {
            from: name(from),
            to: name(to),
            edge: posterior.edge(from, to),
            arc: posterior.arc(from, to),
            reversed: posterior.arc(to, from),
        });
        let mut absent = edges(schema, posterior, |a, b| !dag.adjacent(a, b));
        absent.truncate(left_out);
        Self {
            structure: modelstring::format(dag, &schema.names()),
            score_name: scorer.score().name().to_owned(),
            arcs: arcs.collect(),
            left_out: absent,
            summary: PosteriorSummary::new(scorer, schema, posterior),
        }
    }
}

/// The edges of a kind, the most probable first.
fn edges(
    schema: &Schema,
    posterior: &ArcPosterior,
    has: impl Fn(VariableId, VariableId) -> bool,
) -> Vec<EdgeProbability> {
    let name = |id: VariableId| schema.variable(id).name.clone();
    let pairs = schema.ids().flat_map(|a| schema.ids().filter(move |&b| a < b).map(move |b| (a, b)));
    let mut edges: Vec<EdgeProbability> = pairs
        .filter(|&(a, b)| has(a, b))
        .map(|(a, b)| EdgeProbability { between: [name(a), name(b)], probability: posterior.edge(a, b) })
        .collect();
    edges.sort_by(|a, b| b.probability.total_cmp(&a.probability));
    edges
}

/// The probability of a feature that was asked for.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct QueryAnswer {
    /// The question.
    pub query: String,
    /// The posterior probability that a network has the feature.
    pub probability: f64,
    /// Its Monte Carlo standard error; nothing if the probability is exact.
    pub standard_error: Option<f64>,
}

/// Posterior probabilities of arcs and edges, with names.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct NamedPosterior {
    /// The score's name.
    pub score_name: String,
    /// All arcs that the constraints allow, the most probable first.
    pub arcs: Vec<ArcProbability>,
    /// All edges, the most probable first.
    pub edges: Vec<EdgeProbability>,
    /// The network of the edges with at least the threshold's probability, as a modelstring.
    pub structure: String,
    /// The threshold.
    pub threshold: f64,
    /// Edges above the threshold that fit into the network in neither direction.
    pub left_out: Vec<[String; 2]>,
    /// The answers to all questions, in their order.
    pub queries: Vec<QueryAnswer>,
    /// What the posterior says of the given network, if there is one.
    pub network: Option<NetworkPosterior>,
    /// How the probabilities were computed.
    #[serde(flatten)]
    pub summary: PosteriorSummary,
    /// How the score was set up.
    pub settings: Map<String, Value>,
}

/// The reason not to trust the probabilities of a pooled score on several data sets.
const POOLED_CAUTION: &str = "the score pools all data sets; if their probabilities differ, \
    it is overconfident, and these numbers are too close to 0 and 1";

impl NamedPosterior {
    /// Names the probabilities that a scorer gave for the data of this schema; the scorer's own has one data set if its score is pooled.
    pub fn new(
        scorer: &Scorer<'_>,
        schema: &Schema,
        posterior: &ArcPosterior,
        constraints: &Constraints,
        threshold: f64,
        settings: Map<String, Value>,
    ) -> Self {
        let name = |id: VariableId| schema.variable(id).name.clone();
        let pairs = || schema.ids().flat_map(|a| schema.ids().map(move |b| (a, b)));
        let mut arcs: Vec<ArcProbability> = pairs()
            .filter(|&(from, to)| from != to && constraints.allows(from, to))
            .map(|(from, to)| ArcProbability {
                from: name(from),
                to: name(to),
                probability: posterior.arc(from, to),
            })
            .collect();
        arcs.sort_by(|a, b| b.probability.total_cmp(&a.probability));
        let (dag, left_out) = posterior.averaged(threshold, constraints);
        Self {
            score_name: scorer.score().name().to_owned(),
            arcs,
            edges: edges(schema, posterior, |_, _| true),
            structure: modelstring::format(&dag, &schema.names()),
            threshold,
            left_out: left_out.into_iter().map(|(a, b)| [name(a), name(b)]).collect(),
            queries: Vec::new(),
            network: None,
            summary: PosteriorSummary::new(scorer, schema, posterior),
            settings,
        }
    }

    /// The same with answers to the questions whose features the posterior was asked for.
    #[must_use]
    pub fn with_answers(self, queries: &[FeatureQuery], posterior: &ArcPosterior) -> Self {
        assert_eq!(queries.len(), posterior.features.len(), "one feature per question");
        let answers = queries.iter().zip(&posterior.features).map(|(query, found)| QueryAnswer {
            query: query.text.clone(),
            probability: found.probability,
            standard_error: found.standard_error,
        });
        Self { queries: answers.collect(), ..self }
    }

    /// The same with what the posterior says of a network.
    #[must_use]
    pub fn with_network(self, network: NetworkPosterior) -> Self {
        Self { network: Some(network), ..self }
    }
}
