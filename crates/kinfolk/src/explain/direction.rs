//! Determines which arcs of a network are directed by the data.
//!
//! Markov equivalent networks have the same likelihood. Under a score-equivalent score the data direct an arc if and only if all
//! networks of the class contain it in that direction. Other scores (kin, BHD) rank the members of a class, so the arc is directed
//! only if the best reversed network found scores clearly less.

use std::ops::ControlFlow;

use crate::counts::{Batch, Family};
use crate::data::VariableId;
use crate::graph::{Cpdag, Dag, Link, Move, consistent_extension};
use crate::score::{ScoreError, Scorer};

/// The loss of score, in nats, above which the reversed network is rejected: odds of about 20 to 1.
pub const DIRECTED_ABOVE: f64 = 3.0;

/// The direction of one arc.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ArcDirection {
    /// The change of score of the best network found that has the arc reversed; `None` if there is none without a cycle.
    pub(super) reversal: Option<f64>,
    /// Whether the data direct the arc.
    pub(super) directed: bool,
}

/// The directions of all arcs, in the order of [`Dag::arcs`].
///
/// Two reversed networks are scored for an arc: the one that differs in this arc alone and, if the arc is reversible within the
/// equivalence class, a member of the class that has it reversed.
pub(super) fn directions(scorer: &mut Scorer<'_>, dag: &Dag) -> Result<Vec<ArcDirection>, ScoreError> {
    let cpdag = Cpdag::of(dag);
    let equivalent = scorer.score().is_score_equivalent();
    let mut directions = Vec::new();
    for (from, to) in dag.arcs() {
        let reversible = cpdag.link(from, to) == Link::Undirected;
        let mut reversed: Vec<Dag> = Vec::new();
        let step = Move::reverse(from, to);
        if dag.can_apply(&step) {
            let mut alone = dag.clone();
            alone.apply(&step).expect("the move was checked");
            reversed.push(alone);
        }
        if reversible {
            reversed.extend(extension(&cpdag, to, from));
        }
        let mut reversal: Option<f64> = None;
        for other in &reversed {
            let change = change_of_score(scorer, dag, other)?;
            reversal = Some(reversal.map_or(change, |best| best.max(change)));
        }
        let rejected = reversal.is_none_or(|change| change < -DIRECTED_ABOVE);
        directions.push(ArcDirection { reversal, directed: if equivalent { !reversible } else { rejected } });
    }
    Ok(directions)
}

/// The score of one graph minus that of another, from the families in which they differ.
fn change_of_score(scorer: &mut Scorer<'_>, dag: &Dag, other: &Dag) -> Result<f64, ScoreError> {
    let changed: Vec<VariableId> =
        dag.nodes().filter(|&node| dag.parents(node) != other.parents(node)).collect();
    let before = changed.iter().map(|&node| Family::of(dag, node));
    let after = changed.iter().map(|&node| Family::of(other, node));
    let families: Vec<Family> = before.chain(after).collect();
    let scores = scorer.scores(&Batch::of(&families), &mut |_| ControlFlow::Continue(()))?;
    let (before, after) = scores.split_at(changed.len());
    Ok(after.iter().zip(before).map(|(after, before)| after.total - before.total).sum())
}

/// A member of the equivalence class with the arc `from → to`, which the CPDAG leaves undirected.
fn extension(cpdag: &Cpdag, from: VariableId, to: VariableId) -> Option<Dag> {
    let may_point = |a: usize, b: usize| {
        let (a, b) = (VariableId::new(a), VariableId::new(b));
        (a, b) != (to, from) && matches!(cpdag.link(a, b), Link::Forward | Link::Undirected)
    };
    consistent_extension(cpdag.len(), may_point, |_| true)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dag(n: usize, arcs: &[(usize, usize)]) -> Dag {
        let nodes: Vec<VariableId> = Dag::empty(n).nodes().collect();
        Dag::from_arcs(n, arcs.iter().map(|&(from, to)| (nodes[from], nodes[to]))).expect("acyclic")
    }

    #[test]
    fn every_reversible_arc_has_an_equivalent_network_with_it_reversed() {
        // A chain, a fork beside a collider, and a triangle with a tail.
        let graphs = [
            dag(4, &[(0, 1), (1, 2), (2, 3)]),
            dag(5, &[(0, 1), (0, 2), (3, 2), (2, 4)]),
            dag(5, &[(0, 1), (0, 2), (1, 2), (2, 3), (3, 4)]),
        ];
        let mut reversible = 0;
        for graph in graphs {
            let cpdag = Cpdag::of(&graph);
            for (from, to) in graph.arcs().filter(|&(from, to)| cpdag.link(from, to) == Link::Undirected) {
                let other = extension(&cpdag, to, from).expect("the class has one");
                assert!(other.has_arc(to, from));
                assert_eq!(Cpdag::of(&other), cpdag);
                reversible += 1;
            }
        }
        assert_eq!(reversible, 9);
    }
}
