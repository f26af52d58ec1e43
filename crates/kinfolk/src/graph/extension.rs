//! Consistent extensions: directed graphs with the edges, directions and v-structures of a partially directed one.

use super::Dag;
use crate::data::VariableId;

/// A consistent extension of the graph in which `may_point` gives the directions of every edge, one or both; `None` if there is none.
///
/// Repeatedly takes a node without outgoing edges whose undirected neighbours are linked to all its neighbours, directs
/// all its edges towards it, and removes it. `allows_parents` limits the number of parents. Ties go to the last column.
///
/// Reference: Dor and Tarsi (1992), A simple algorithm to construct a consistent extension of a partially oriented graph.
pub(crate) fn consistent_extension(
    nodes: usize,
    may_point: impl Fn(usize, usize) -> bool,
    allows_parents: impl Fn(usize) -> bool,
) -> Option<Dag> {
    let is_linked = |a: usize, b: usize| may_point(a, b) || may_point(b, a);
    let mut left: Vec<usize> = (0..nodes).collect();
    let mut arcs = Vec::new();
    while !left.is_empty() {
        let is_sink = |&node: &usize| {
            let linked = left.iter().copied().filter(|&other| other != node && is_linked(node, other));
            let near: Vec<usize> = linked.collect();
            let undirected = || near.iter().copied().filter(|&other| may_point(node, other));
            let joins_all =
                |other: usize| near.iter().all(|&third| third == other || is_linked(other, third));
            near.iter().all(|&other| may_point(other, node))
                && allows_parents(near.len())
                && undirected().all(joins_all)
        };
        let position = left.iter().rposition(is_sink)?;
        let sink = left.remove(position);
        let parents = left.iter().filter(|&&other| is_linked(sink, other));
        arcs.extend(parents.map(|&other| (VariableId::new(other), VariableId::new(sink))));
    }
    Dag::from_arcs(nodes, arcs).ok()
}
