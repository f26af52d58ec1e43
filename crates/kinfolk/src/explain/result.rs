//! What an explanation consists of: plain structs with names, from which every view is written.

use serde::Serialize;

use super::Rule;
use crate::learned::ByDataSet;
use crate::score::Halt;
use crate::search::Stop;

/// Why a network is what it is.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Explanation {
    /// The structure as a modelstring.
    pub structure: String,
    /// The score's name.
    pub score_name: String,
    /// The score of the whole network, a natural logarithm.
    pub score: f64,
    /// Whose numbers the arcs have by data set: the score's own terms, or, if it is no sum over the data sets, what each adds to the
    /// evidence given the others.
    pub terms: Terms,
    /// Every arc of the network, in column order, then the strongest ones left out, strongest first.
    pub arcs: Vec<ExplainedArc>,
    /// Whether the data sets should be pooled.
    pub pooling: Pooling,
    /// The data sets, the farthest from what all have in common first.
    pub data_sets: Vec<Member>,
    /// How arcs that are absent in a data set were found.
    pub absence: Absence,
    /// Who asked to stop before arcs left out, or other scores' networks, were found; nothing if the explanation is whole.
    pub halted: Option<Halt>,
}

/// Whose numbers are given by data set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Terms {
    /// The score is a sum over the data sets, and these are its terms; the prior on structures belongs to none.
    Score,
    /// What a data set adds to the evidence for the arc, given all others.
    GivenOthers,
}

/// What an arc is worth, or would be.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ExplainedArc {
    /// Where it starts.
    pub from: String,
    /// Where it ends.
    pub to: String,
    /// What the score loses without it if it is present; what adding it would change if it is not.
    pub total: f64,
    /// The same by data set, as [`Explanation::terms`] says.
    pub by_data_set: ByDataSet,
    /// What each data set's own rows say for the arc (positive) or against it, given the other data sets.
    pub given_others: ByDataSet,
    /// Whether the network has it.
    pub present: bool,
}

/// What to do with the data sets, by the evidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Choice {
    /// They are samples of one population.
    Pool,
    /// They are relatives.
    Relate,
    /// They have nothing in common but the structure.
    Separate,
}

/// One graph under every way to see the data sets.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GraphScores {
    /// Whose best it is: `explained`, `pooled`, `separate` or `hierarchical`.
    pub best_of: &'static str,
    /// The structure as a modelstring.
    pub structure: String,
    /// Its arcs.
    pub arcs: usize,
    /// Its structural Hamming distance from the explained one, between CPDAGs.
    pub shd: usize,
    /// BDeu of the pooled rows.
    pub pooled: f64,
    /// BDeu of each data set alone, added up.
    pub separate: f64,
    /// BHD, which is a score but no evidence.
    pub hierarchical: f64,
    /// The evidences that the verdict compares.
    pub evidence: Evidences,
    /// Why the search for it ended; nothing for the explained one.
    pub stop: Option<Stop>,
}

/// Marginal likelihoods of the same rows, a natural logarithm each, that can be compared. Whether tables are extreme or not is no
/// reason to take data sets for related: where there is no common centre, uniform tables (K2) and extreme ones (BDeu) have half of the
/// prior each.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Evidences {
    /// They are identical: one table for all.
    pub identical: f64,
    /// They are related: the related half of kin, centre and closeness integrated out.
    pub related: f64,
    /// They have nothing in common: a table for each.
    pub unrelated: f64,
}

/// Whether the data sets should be pooled.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Pooling {
    /// BDeu of the pooled rows. Its prior on tables, which prefers extreme ones, tells it from related data sets: compare `evidence`.
    pub pooled: f64,
    /// BDeu of each data set alone, added up; the same holds.
    pub separate: f64,
    /// BHD of the network. It is no evidence, because its centre was fitted on the same rows, and the verdict does not use it.
    pub hierarchical: f64,
    /// The evidences that the verdict compares.
    pub evidence: Evidences,
    /// What has the largest evidence.
    pub choice: Choice,
    /// How far, in nats, its evidence is above the next one's.
    pub margin: f64,
    /// The same in words, with the numbers behind it.
    pub verdict: String,
    /// The explained network and each score's own best.
    pub graphs: Vec<GraphScores>,
    /// Node by node, in column order.
    pub nodes: Vec<PoolingNode>,
}

/// How alike the data sets are in one family.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PoolingNode {
    /// The node.
    pub node: String,
    /// Its parents, in column order.
    pub parents: Vec<String>,
    /// Its share of [`Pooling::pooled`].
    pub pooled: f64,
    /// Its share of [`Pooling::separate`].
    pub separate: f64,
    /// Its share of [`Pooling::hierarchical`].
    pub hierarchical: f64,
    /// The evidences of this family alone.
    pub evidence: Evidences,
    /// The probability that the data sets are identical here and not related, by these evidences at even odds.
    pub identical: f64,
    /// The same probability as the kin score has it, whose pooled half is BDeu.
    pub identical_by_kin: f64,
    /// How closely they hold to the centre if they are related: the posterior's geometric mean of s, in imaginary rows.
    pub s_mean: f64,
    /// The concentration of the centre that BHD fitted.
    pub tau: f64,
    /// How far the data sets' tables lie from the centre: Kullback–Leibler divergence in nats per row, over all rows.
    pub divergence: f64,
    /// The same as total variation.
    pub total_variation: f64,
    /// The divergence by data set.
    pub by_data_set: ByDataSet,
    /// Whether all fits reached their maximum.
    pub converged: bool,
}

/// How one data set lies among the others.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Member {
    /// Its name.
    pub name: String,
    /// Its rows.
    pub rows: u64,
    /// How far its tables lie from the centre: Kullback–Leibler divergence in nats per row, all nodes added up.
    pub distance: f64,
    /// The total variation between its tables and the centre, the mean over the nodes.
    pub total_variation: f64,
    /// By how much knowing the other data sets raises the evidence of its rows, in nats; below zero it is better off alone.
    pub gain_from_others: f64,
    /// Arcs of the network that it speaks against.
    pub altered_arcs: Vec<AbsentArc>,
}

/// An arc that is absent in one data set.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AbsentArc {
    /// Where it starts.
    pub from: String,
    /// Where it ends.
    pub to: String,
    /// The natural logarithm of the Bayes factor of its absence.
    pub evidence: f64,
    /// The probability of its absence, with the prior of [`Absence`].
    pub probability: f64,
}

/// How absent arcs are found.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Absence {
    /// The evidence used.
    pub rule: Rule,
    /// The probability, before the data, that an arc of the network is absent in a data set.
    pub prior: f64,
    /// The evidence from which on an arc is called absent: where its probability is one half.
    pub threshold: f64,
}
