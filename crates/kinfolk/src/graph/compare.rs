//! Comparison of a learned graph with the true one: structural Hamming distance, true and false positives, false negatives.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Cpdag, Dag, Link};
use crate::data::VariableId;

/// The differences between a learned graph and the true one, as equivalence classes, graphs and skeletons.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Comparison {
    /// The structural Hamming distances.
    pub shd: Shd,
    /// The arcs of the two graphs; a reversed arc is one false positive and one false negative.
    pub dag: Hits,
    /// The edges of the two CPDAGs, each counted once; an edge whose direction differs is one false positive and one false
    /// negative.
    pub cpdag: Hits,
    /// The edges of the skeletons.
    pub skeleton: Hits,
}

/// Structural Hamming distances: the number of node pairs whose link differs between the two graphs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shd {
    /// Between the CPDAGs. Report this one: data cannot distinguish the graphs of one class.
    pub cpdag: usize,
    /// Between the graphs.
    pub dag: usize,
    /// Between the skeletons, also called the Hamming distance.
    pub skeleton: usize,
}

/// True positives, false positives and false negatives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hits {
    /// True positives: in both graphs.
    pub tp: usize,
    /// False positives: only in the learned graph.
    pub fp: usize,
    /// False negatives: only in the true graph.
    #[serde(rename = "fn")]
    pub fn_: usize,
}

/// Compares a learned graph with the true one, over the same nodes.
///
/// Complexity: that of [`Cpdag::of`], plus O(m ln m) for m arcs.
///
/// Reference: the distance between CPDAGs is that of Tsamardinos, Brown and Aliferis (2006), The max-min
/// hill-climbing Bayesian network structure learning algorithm, <https://doi.org/10.1007/s10994-006-6889-7>.
///
/// # Panics
/// If the graphs differ in their number of nodes; readers of graphs match nodes by name first.
pub fn compare(learned: &Dag, truth: &Dag) -> Comparison {
    assert_eq!(learned.len(), truth.len(), "graphs to compare must be over the same nodes");
    let (cpdag, cpdag_distance) = tally(&class_links(learned), &class_links(truth));
    let (dag, dag_distance) = tally(&arc_links(learned), &arc_links(truth));
    let (skeleton, skeleton_distance) = tally(&skeleton_links(learned), &skeleton_links(truth));
    Comparison {
        shd: Shd { cpdag: cpdag_distance, dag: dag_distance, skeleton: skeleton_distance },
        dag,
        cpdag,
        skeleton,
    }
}

/// The linked pairs, each with the earlier column first.
type Links = BTreeMap<(VariableId, VariableId), Link>;

fn directed_link((from, to): (VariableId, VariableId)) -> ((VariableId, VariableId), Link) {
    if from < to { ((from, to), Link::Forward) } else { ((to, from), Link::Backward) }
}

fn arc_links(dag: &Dag) -> Links {
    dag.arcs().map(directed_link).collect()
}

fn skeleton_links(dag: &Dag) -> Links {
    dag.arcs().map(|(from, to)| ((from.min(to), from.max(to)), Link::Undirected)).collect()
}

fn class_links(dag: &Dag) -> Links {
    let cpdag = Cpdag::of(dag);
    let directed = cpdag.directed().iter().map(|&arc| directed_link(arc));
    let undirected = cpdag.undirected().iter().map(|&pair| (pair, Link::Undirected));
    directed.chain(undirected).collect()
}

/// The hits, and the number of pairs whose link differs.
fn tally(learned: &Links, truth: &Links) -> (Hits, usize) {
    let tp = learned.iter().filter(|(pair, link)| truth.get(pair) == Some(link)).count();
    let hits = Hits { tp, fp: learned.len() - tp, fn_: truth.len() - tp };
    // A pair with different links counts in both fp and fn, but is one difference.
    let linked_in_both = learned.keys().filter(|pair| truth.contains_key(pair)).count();
    (hits, hits.fp + hits.fn_ - (linked_in_both - tp))
}
