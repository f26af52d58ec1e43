//! The network of the probable edges.

use super::ArcPosterior;
use crate::data::VariableId;
use crate::graph::{Dag, Move};
use crate::search::Constraints;

/// The network of all edges with at least this probability, each in its more probable direction, and the edges that fit neither way.
///
/// Edges are added by decreasing probability of the arc. Where the more probable direction closes a cycle or is forbidden, the other one
/// is taken; an edge is left out only if both are impossible.
pub fn averaged_network(
    posterior: &ArcPosterior,
    threshold: f64,
    constraints: &Constraints,
) -> (Dag, Vec<(VariableId, VariableId)>) {
    let nodes = || (0..posterior.variables()).map(VariableId::new);
    let pairs = nodes().flat_map(|a| nodes().skip(a.index() + 1).map(move |b| (a, b)));
    let mut edges: Vec<(VariableId, VariableId)> = pairs
        .filter(|&(a, b)| posterior.edge(a, b) >= threshold)
        .map(|(a, b)| if posterior.arc(b, a) > posterior.arc(a, b) { (b, a) } else { (a, b) })
        .collect();
    // A stable sort: equal probabilities keep the column order.
    edges.sort_by(|&(a, b), &(c, d)| posterior.arc(c, d).total_cmp(&posterior.arc(a, b)));
    let mut dag = Dag::empty(posterior.variables());
    let left_out = edges
        .into_iter()
        .filter(|&(from, to)| {
            let mut add = |from, to| constraints.allows(from, to) && dag.apply(&Move::add(from, to)).is_ok();
            !add(from, to) && !add(to, from)
        })
        .collect();
    (dag, left_out)
}
