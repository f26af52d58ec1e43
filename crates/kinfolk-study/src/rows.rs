//! The result row of a replicate and a method, with all grouping variables.

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
    /// How the tables of the data sets hang together: `hier`, `iid`, `id`.
    pub parameters: String,
    /// What their Dirichlet distributions are over: `joint` or `configuration`.
    pub level: String,
    /// The concentration of the data sets' tables.
    pub concentration: f64,
    /// Variables.
    pub nodes: usize,
    /// Arcs of the true structure.
    pub arcs: usize,
    /// Arcs asked for, by node.
    pub sparsity: f64,
    /// States of each variable; several numbers are drawn from evenly.
    pub states: String,
    /// Data sets.
    pub data_sets: usize,
    /// Rows of a full data set.
    pub rows: usize,
    /// Rows of all data sets together.
    pub rows_in_all: usize,
    /// How many data sets are altered: in scenario b those that lose arcs, in study 4 those with fewer rows.
    pub altered: usize,
    /// By how much: arcs lost, the probability of losing each, or the share of the rows kept.
    pub by: f64,
    /// Which of the structures with these settings.
    pub structure: u64,
    /// Which of its parameter sets.
    pub parameter_set: u64,
    /// How it was learned.
    pub method: String,
    /// Structural Hamming distance between the CPDAGs.
    pub shd_cpdag: usize,
    /// The same between the graphs as they are.
    pub shd_dag: usize,
    /// The same between the skeletons.
    pub shd_skeleton: usize,
    /// Arcs found, directed as they are.
    pub tp_dag: usize,
    /// Arcs that should not be there.
    pub fp_dag: usize,
    /// Arcs missed.
    pub fn_dag: usize,
    /// Edges of the CPDAG found.
    pub tp_cpdag: usize,
    /// Edges of the CPDAG that should not be there.
    pub fp_cpdag: usize,
    /// Edges of the CPDAG missed.
    pub fn_cpdag: usize,
    /// Arcs of the learned structure.
    pub learned_arcs: usize,
    /// Its score.
    pub score: f64,
    /// Families scored.
    pub families: usize,
    /// Fits that did not reach their maximum.
    pub not_converged: usize,
    /// Seconds that the search took on its core.
    pub seconds: f64,
    /// The seed of the study.
    pub seed: u64,
    /// The version of kinfolk.
    pub version: String,
    /// In the kin study, the regime that the problem belongs to.
    #[serde(default)]
    pub regime: String,
    /// For kin, the posterior mean of s (geometric), over the true families.
    #[serde(default)]
    pub kin_s: Option<f64>,
    /// For kin, the mean probability that the data sets are identical, over the true families.
    #[serde(default)]
    pub kin_identical: Option<f64>,
    /// For kin, that probability for every true family, in the order of the variables and divided by semicolons.
    #[serde(default)]
    pub kin_identical_by_family: String,
}
