//! Result types of an explanation.

use serde::Serialize;

use super::AbsenceRule;
use super::similarity::Similarity;
use crate::learned::{ByDataSet, FilledIn};
use crate::posterior::NetworkPosterior;
use crate::score::{Choice, Evidences, Halt};
use crate::search::Stop;

/// The explanation of a network.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Explanation {
    /// The structure as a modelstring.
    pub structure: String,
    /// The score's name.
    pub score_name: String,
    /// The log score of the whole network (natural logarithm).
    pub score: f64,
    /// The meaning of the arcs' numbers by data set: the score's own terms or, if the score is not a sum over
    /// data sets, each data set's contribution to the evidence given the others.
    pub terms: Terms,
    /// All arcs of the network in column order, then the strongest arcs left out, in decreasing order.
    pub arcs: Vec<ExplainedArc>,
    /// Whether to pool the data sets.
    pub pooling: PoolingComparison,
    /// The data sets, in decreasing order of distance from the centre.
    pub data_sets: Vec<Member>,
    /// How alike pairs of data sets are.
    pub similarity: Option<Similarity>,
    /// The edges that some of the networks of [`PoolingComparison::graphs`] have and others have not, in column order.
    pub differing_edges: Vec<DifferingEdge>,
    /// The rule that detects absent arcs.
    pub absence: Absence,
    /// How sure the arcs are: the posterior probability of every edge and direction, and of the most probable edges left out; `None`
    /// if it was not computed.
    pub posterior: Option<NetworkPosterior>,
    /// Why there is no posterior; `None` if there is one or it was not wanted.
    pub posterior_missing: Option<String>,
    /// The request that stopped the explanation before left-out arcs or other scores' networks were found;
    /// `None` if it is complete.
    pub halted: Option<Halt>,
    /// What was filled in, if values were missing. The numbers are then means over the versions of the completed data.
    #[serde(rename = "missing", skip_serializing_if = "Option::is_none")]
    pub filled_in: Option<FilledIn>,
}

/// The meaning of numbers by data set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Terms {
    /// The score is a sum over data sets, and these are its terms; they exclude the structure prior.
    Score,
    /// A data set's contribution to the evidence for the arc, given all others.
    GivenOthers,
}

/// The contribution of an arc to the score.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ExplainedArc {
    /// The arc's tail.
    pub from: String,
    /// The arc's head.
    pub to: String,
    /// If the arc is present, the score lost by removing it; otherwise, the change of score on adding it.
    pub total: f64,
    /// `total` by data set, as defined by [`Explanation::terms`].
    pub by_data_set: ByDataSet,
    /// The evidence of each data set's own rows for the arc (positive) or against it (negative), given the
    /// other data sets.
    pub given_others: ByDataSet,
    /// Whether the network contains the arc.
    pub present: bool,
    /// For an arc of the network, the change of score of the best network found that has it reversed; `None` if every one has a
    /// cycle, and for arcs left out.
    pub reversal: Option<f64>,
    /// For an arc of the network, whether the data direct it: for score-equivalent scores, whether the whole equivalence class has
    /// it in this direction; for others, whether reversing it costs more than [`DIRECTED_ABOVE`](super::DIRECTED_ABOVE).
    pub directed: Option<bool>,
}

/// Scores of one graph under all three treatments of the data sets.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GraphScores {
    /// The score that this graph maximises: `explained`, `pooled`, `separate` or `hierarchical`.
    pub best_of: &'static str,
    /// The structure as a modelstring.
    pub structure: String,
    /// The number of arcs.
    pub arcs: usize,
    /// The structural Hamming distance between its CPDAG and that of the explained graph.
    pub shd: usize,
    /// BDeu of the pooled rows.
    pub pooled: f64,
    /// The sum of the data sets' separate BDeu scores.
    pub separate: f64,
    /// BHD, which is a score but not an evidence.
    pub hierarchical: f64,
    /// The evidences that the verdict compares.
    pub evidence: Evidences,
    /// Why the search for it ended; `None` for the explained graph.
    pub stop: Option<Stop>,
}

/// Whether to pool the data sets.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct PoolingComparison {
    /// BDeu of the pooled rows. Its prior favours extreme tables, unlike that of related data sets: compare
    /// `evidence` instead.
    pub pooled: f64,
    /// The sum of the data sets' separate BDeu scores, with the same caveat as `pooled`.
    pub separate: f64,
    /// BHD of the network. It is not an evidence, because its centre is fitted to the same rows; the verdict
    /// does not use it.
    pub hierarchical: f64,
    /// The evidences that the verdict compares.
    pub evidence: Evidences,
    /// The treatment with the largest evidence.
    pub choice: Choice,
    /// The difference between the largest and the second-largest log evidence, in nats.
    pub margin: f64,
    /// Whether the difference is large enough to decide: odds of at least 3 to 1.
    pub decided: bool,
    /// The verdict as text, with its numbers.
    pub verdict: String,
    /// The explained network and the best network of each score.
    pub graphs: Vec<GraphScores>,
    /// The nodes, in column order.
    pub nodes: Vec<PoolingNode>,
}

/// Heterogeneity of the data sets in one family.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct PoolingNode {
    /// The node.
    pub node: String,
    /// Its parents, in column order.
    pub parents: Vec<String>,
    /// Its term of [`PoolingComparison::pooled`].
    pub pooled: f64,
    /// Its term of [`PoolingComparison::separate`].
    pub separate: f64,
    /// Its term of [`PoolingComparison::hierarchical`].
    pub hierarchical: f64,
    /// The evidences of this family alone.
    pub evidence: Evidences,
    /// The probability that the data sets have the same table ([`crate::score::p_identical`]).
    pub p_identical: f64,
    /// The weight of the pooled half in the kin score and its tables.
    pub pooled_share: f64,
    /// The posterior geometric mean of s given that the data sets are related, in imaginary rows.
    pub s_mean: f64,
    /// The concentration of the centre fitted by BHD.
    pub tau: f64,
    /// The mean distance of the data sets' tables from the centre over all rows: Kullback–Leibler divergence
    /// in nats per row.
    pub divergence: f64,
    /// As `divergence`, with total variation.
    pub total_variation: f64,
    /// The divergence by data set.
    pub by_data_set: ByDataSet,
    /// Whether all fits converged.
    pub converged: bool,
}

/// One data set compared with the others.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Member {
    /// Its name.
    pub name: String,
    /// Its number of rows.
    pub rows: u64,
    /// The distance of its tables from the centre: Kullback–Leibler divergence in nats per row, summed over
    /// nodes.
    pub distance: f64,
    /// The range of the distances of simulated related data sets with as many rows; `None` for one data set and for more than
    /// [`SIMULATED_UP_TO`](super::SIMULATED_UP_TO).
    pub chance: Option<super::ChanceRange>,
    /// The total variation distance of its tables from the centre, averaged over nodes.
    pub total_variation: f64,
    /// What it adds to the log evidence of the network given the other data sets: the evidence of all less that without it.
    pub given_others: f64,
    /// The gain in its log evidence from knowing the other data sets, in nats; negative if it fits better
    /// alone.
    pub gain_from_others: f64,
    /// `distance` by node, the largest first.
    pub by_node: ByDataSet,
    /// Arcs of the network that are absent in it.
    pub altered_arcs: Vec<AbsentArc>,
    /// Arcs that the network lacks and that this data set has by its own rows, while the others together are against them.
    pub own_arcs: Vec<OwnArc>,
}

/// An edge on which networks differ.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DifferingEdge {
    /// Its ends, in column order.
    pub between: [String; 2],
    /// The networks that have it, by [`GraphScores::best_of`].
    pub present_in: Vec<&'static str>,
    /// The networks that lack it.
    pub absent_from: Vec<&'static str>,
}

/// An arc that the network lacks and one data set has.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OwnArc {
    /// The arc's tail.
    pub from: String,
    /// The arc's head.
    pub to: String,
    /// The log Bayes factor (BDeu, natural logarithm) of its presence in the rows of the data set alone.
    pub evidence: f64,
    /// The sum of the same over all other data sets, which is negative.
    pub others: f64,
}

/// An arc that is absent in one data set.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AbsentArc {
    /// The arc's tail.
    pub from: String,
    /// The arc's head.
    pub to: String,
    /// The log Bayes factor of its absence (natural logarithm).
    pub evidence: f64,
    /// The posterior probability of its absence, with the prior of [`Absence`].
    pub probability: f64,
}

/// The rule that detects absent arcs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Absence {
    /// The evidence it uses.
    pub rule: AbsenceRule,
    /// The prior probability that an arc of the network is absent in a data set.
    pub prior: f64,
    /// The log Bayes factor above which an arc is absent: posterior probability one half.
    pub threshold: f64,
}
