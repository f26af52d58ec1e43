//! The result of one method on one replicate, with all grouping variables.

use serde::{Deserialize, Serialize};

/// One replicate learned by one method.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ReplicateRow {
    /// The study.
    pub study: String,
    /// The number of the replicate in its study, from 0.
    pub replicate: u64,
    /// `a` if all data sets have the same structure, `b` if some lose arcs.
    pub scenario: String,
    /// The relation between the data sets' tables: `hier`, `iid`, `id`.
    pub parameters: String,
    /// The domain of their Dirichlet distributions: `joint` or `configuration`.
    pub level: String,
    /// The concentration of the data sets' tables.
    pub concentration: f64,
    /// The number of variables.
    pub nodes: usize,
    /// The number of arcs of the true structure.
    pub arcs: usize,
    /// The requested number of arcs per node.
    pub sparsity: f64,
    /// The number of states of each variable, or several from which it is drawn uniformly.
    pub states: String,
    /// The number of data sets.
    pub data_sets: usize,
    /// Rows of a full data set.
    pub rows: usize,
    /// Rows of all data sets together.
    pub rows_in_all: usize,
    /// The number of altered data sets: in scenario b those that lose arcs, in study 4 those with fewer rows.
    pub altered: usize,
    /// The size of the alteration: arcs lost, the probability of losing each, or the share of rows kept.
    pub by: f64,
    /// The index among the structures with these settings.
    pub structure: u64,
    /// The index of its parameter set.
    pub parameter_set: u64,
    /// The learning method.
    pub method: String,
    /// Structural Hamming distance between the CPDAGs.
    pub shd_cpdag: usize,
    /// Structural Hamming distance between the DAGs.
    pub shd_dag: usize,
    /// Structural Hamming distance between the skeletons.
    pub shd_skeleton: usize,
    /// True positive arcs, with their direction.
    pub tp_dag: usize,
    /// False positive arcs.
    pub fp_dag: usize,
    /// False negative arcs.
    pub fn_dag: usize,
    /// True positive edges of the CPDAG.
    pub tp_cpdag: usize,
    /// False positive edges of the CPDAG.
    pub fp_cpdag: usize,
    /// False negative edges of the CPDAG.
    pub fn_cpdag: usize,
    /// The number of arcs of the learned structure.
    pub learned_arcs: usize,
    /// Its score.
    pub score: f64,
    /// The number of families scored.
    pub families: usize,
    /// The number of fits that did not converge.
    pub not_converged: usize,
    /// The time of the search on one core, in seconds.
    pub seconds: f64,
    /// The seed of the study.
    pub seed: u64,
    /// The version of kinfolk.
    pub version: String,
    /// In the kin study, the regime of the problem.
    #[serde(default)]
    pub regime: String,
    /// For kin, the posterior geometric mean of s over the true families.
    #[serde(default)]
    pub kin_s: Option<f64>,
    /// For kin, the mean probability that the data sets are identical, over the true families.
    #[serde(default)]
    pub kin_identical: Option<f64>,
    /// For kin, that probability for every true family, in column order, separated by semicolons.
    #[serde(default)]
    pub kin_identical_by_family: String,
}
