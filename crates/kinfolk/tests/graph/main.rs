//! Tests of the graphs: laws on random and on all small graphs, and numbers from bnlearn.

mod bnlearn;
mod compare;
mod cpdag;
mod dag;
mod modelstring;

use kinfolk::data::VariableId;
use kinfolk::graph::Dag;
use proptest::prelude::*;

/// The node at that position.
fn node(index: usize) -> VariableId {
    VariableId::new(index)
}

/// The graph with these arcs.
fn graph(n: usize, arcs: &[(usize, usize)]) -> Dag {
    Dag::from_arcs(n, arcs.iter().map(|&(from, to)| (node(from), node(to)))).expect("a legal graph")
}

/// A random graph: a random order of the nodes, and each arc along it or not.
fn graph_of(n: usize) -> impl Strategy<Value = Dag> {
    let order = Just((0..n).collect::<Vec<usize>>()).prop_shuffle();
    (order, prop::collection::vec(prop::bool::weighted(0.4), n * n)).prop_map(move |(order, chosen)| {
        let mut arcs = Vec::new();
        for later in 0..n {
            for earlier in 0..later {
                if chosen[later * n + earlier] {
                    arcs.push((order[earlier], order[later]));
                }
            }
        }
        graph(n, &arcs)
    })
}

/// A random graph of up to `most` nodes.
fn any_graph(most: usize) -> impl Strategy<Value = Dag> {
    (1..=most).prop_flat_map(graph_of)
}

/// Two random graphs over the same nodes.
fn two_graphs(most: usize) -> impl Strategy<Value = (Dag, Dag)> {
    (1..=most).prop_flat_map(|n| (graph_of(n), graph_of(n)))
}
