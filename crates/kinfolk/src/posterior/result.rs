//! Posterior probabilities with names instead of ids; every output format serialises these.

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
    /// The tail of the arc.
    pub from: String,
    /// The head of the arc.
    pub to: String,
    /// Its posterior probability.
    pub probability: f64,
}

/// The probability of one edge.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EdgeProbability {
    /// Its endpoints, in column order.
    pub between: [String; 2],
    /// The posterior probability of an arc between them, in either direction.
    pub probability: f64,
}

/// The method, its convergence diagnostics and its cost.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct PosteriorSummary {
    /// The method: `exact` or `mcmc`.
    pub method: &'static str,
    /// The number of Markov chains; `None` if the probabilities are exact.
    pub chains: Option<usize>,
    /// Sweeps of each chain.
    pub sweeps: Option<usize>,
    /// The largest split R-hat of an arc; close to 1 if the chains agree.
    pub rhat: Option<f64>,
    /// The smallest effective sample size of an arc; `None` if every arc has a probability close to 0 or 1.
    pub ess: Option<f64>,
    /// The largest difference between two chains' probabilities of an arc.
    pub difference: Option<f64>,
    /// Whether the chains agree within the tolerance; true for exact probabilities.
    pub converged: bool,
    /// Why the chains were stopped before they agreed, if they were.
    pub halted: Option<Halt>,
    /// The number of families scored.
    pub families_scored: usize,
    /// The number of parent sets in the sums.
    pub parent_sets: usize,
    /// Why the probabilities may be poorly calibrated, if so. Every view shows it with the numbers.
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

/// The posterior probabilities of a network's arcs: the key `posterior` of explanations and reports.
///
/// Every view shows for each arc the probability of the edge and, given the edge, of its direction, `arc / edge`; the
/// most probable edges that the network lacks; and `score_name`, `method` and, if present, `caution`. If `converged` is
/// false, it reports that the chains still differed by `difference`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct NetworkPosterior {
    /// The network as a modelstring.
    pub structure: String,
    /// The name of the score.
    pub score_name: String,
    /// The arcs of the network, in column order.
    pub arcs: Vec<NetworkArc>,
    /// The most probable edges that the network lacks, the most probable first.
    pub left_out: Vec<EdgeProbability>,
    /// How the probabilities were computed.
    #[serde(flatten)]
    pub summary: PosteriorSummary,
}

/// The posterior probability of one arc of a network.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NetworkArc {
    /// The tail of the arc.
    pub from: String,
    /// The head of the arc.
    pub to: String,
    /// The posterior probability of an arc between the two, in either direction.
    pub edge: f64,
    /// The posterior probability of the arc in this direction.
    pub arc: f64,
    /// The posterior probability of the arc in the other direction.
    pub reversed: f64,
}

impl NetworkPosterior {
    /// The posterior of a network, with this many of the edges that it lacks.
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

/// The edges that pass the filter, the most probable first.
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

/// The probability of a requested feature.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct QueryAnswer {
    /// The query.
    pub query: String,
    /// The posterior probability that a network has the feature.
    pub probability: f64,
    /// Its Monte Carlo standard error; `None` if the probability is exact.
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
    /// The averaged network of the edges with at least the threshold's probability, as a modelstring.
    pub structure: String,
    /// The threshold.
    pub threshold: f64,
    /// Edges above the threshold that fit into the network in neither direction.
    pub left_out: Vec<[String; 2]>,
    /// The answers to all queries, in their order.
    pub queries: Vec<QueryAnswer>,
    /// The posterior of the given network, if there is one.
    pub network: Option<NetworkPosterior>,
    /// How the probabilities were computed.
    #[serde(flatten)]
    pub summary: PosteriorSummary,
    /// The settings of the score.
    pub settings: Map<String, Value>,
}

/// The caution for a pooled score on several data sets.
const POOLED_CAUTION: &str = "the score pools all data sets; if their probabilities differ, \
    it is overconfident, and these numbers are too close to 0 and 1";

impl NamedPosterior {
    /// Combines the probabilities with the names of a schema. The scorer's own schema has one data set if its score is
    /// pooled.
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

    /// Adds the answers to queries; the posterior must have been computed with their features.
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

    /// Adds the posterior of a network.
    #[must_use]
    pub fn with_network(self, network: NetworkPosterior) -> Self {
        Self { network: Some(network), ..self }
    }
}
