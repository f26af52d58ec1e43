//! Ways out of an optimum: the parents of one node are taken away, one of them becomes its child, and the nodes near it are climbed anew.
//!
//! A climb goes wrong where arcs that could point either way were pointed before their neighbours were known; what it adds later makes up
//! for that, and no single move leads back. Such a place has nodes with many parents. What is near it is quickly learned again,
//! because other families keep their scores; the walk to an equivalent network before it is that of Castelo and Kočka (2003),
//! <https://www.jmlr.org/papers/v4/castelo03a.html>.

use std::ops::ControlFlow;

use fixedbitset::FixedBitSet;
use rand::{Rng, RngExt};

use super::hill_climb::{Observer, Way};
use super::legal::can_reverse;
use super::{Constraints, Event, HillClimb, Stop};
use crate::data::VariableId;
use crate::graph::{Dag, Move};
use crate::score::{Progress, ScoreError, Scorer};

/// Arcs drawn on the walk to an equivalent network; about a third of them can be turned.
const DRAWS: usize = 30;

/// How many arcs away from a node something is near it.
const NEAR: usize = 2;

impl HillClimb {
    /// Tries to leave the optimum that a climb reached, and all that come after it, until so many attempts in a row ended no higher.
    pub(super) fn escape<'a>(
        &'a self,
        scorer: &mut Scorer<'_>,
        way: &mut Way<'a>,
        random: &mut impl Rng,
        taken: &mut usize,
        observe: &mut Observer<'_>,
    ) -> Result<Stop, ScoreError> {
        way.settle(scorer)?;
        let mut nearby = self.constraints.clone();
        let mut nodes = Vec::new();
        let mut failed = 0;
        while failed < self.escapes {
            let Some(node) = next_of(&mut nodes, &way.moves.dag, &self.constraints) else { break };
            // An attempt may need no score that is not remembered, and ask nobody.
            if let ControlFlow::Break(halt) = observe(&Event::Scoring(Progress { done: 0, of: 0 })) {
                return Ok(halt.into());
            }
            nearby.narrow(&self.constraints, &near(&way.moves.dag, node));
            let mut trial = Way::new(way.moves.under(&nearby));
            self.disturb(scorer, &mut trial, node, random)?;
            *taken += trial.steps.len();
            let stop = self.take_steps(scorer, &mut trial, 0, taken, observe);
            failed += 1;
            // Who asks to stop has what was found so far.
            if self.max_steps.is_none_or(|most| *taken <= most) && trial.moves.is_above(&way.moves) {
                way.moves = trial.moves.under(&self.constraints);
                way.steps.append(&mut trial.steps);
                failed = 0;
            }
            let mut stop = stop?;
            if failed == 0 && stop == Stop::Optimum {
                stop = self.take_steps(scorer, way, self.tabu, taken, observe)?;
                way.settle(scorer)?;
            }
            if stop != Stop::Optimum {
                return Ok(stop);
            }
        }
        Ok(Stop::Optimum)
    }

    /// Walks to an equivalent network and takes the parents of a node away there.
    fn disturb(
        &self,
        scorer: &mut Scorer<'_>,
        way: &mut Way<'_>,
        node: VariableId,
        random: &mut impl Rng,
    ) -> Result<(), ScoreError> {
        let mut arcs: Vec<(VariableId, VariableId)> = way.moves.dag.arcs().collect();
        for _ in 0..DRAWS {
            let drawn = random.random_range(0..arcs.len());
            let (from, to) = &mut arcs[drawn];
            if can_turn_within_class(&way.moves.dag, &self.constraints, *from, *to) {
                way.make(scorer, Move::reverse(*from, *to))?;
                std::mem::swap(from, to);
            }
        }
        let may_go = |parent: &VariableId| !self.constraints.requires(*parent, node);
        let mut parents: Vec<VariableId> =
            way.moves.dag.parents(node).iter().copied().filter(may_go).collect();
        if parents.is_empty() {
            return Ok(());
        }
        let turned = parents.swap_remove(random.random_range(0..parents.len()));
        for parent in parents {
            way.make(scorer, Move::drop(parent, node))?;
        }
        let can_turn = can_reverse(&way.moves.dag, &self.constraints, turned, node);
        way.make(scorer, if can_turn { Move::reverse(turned, node) } else { Move::drop(turned, node) })
    }
}

/// The node to be tried next: of those with several parents, not all of them required, one after the other, with most of them first.
fn next_of(nodes: &mut Vec<VariableId>, dag: &Dag, constraints: &Constraints) -> Option<VariableId> {
    let has_several = |&node: &VariableId| {
        let parents = dag.parents(node);
        parents.len() > 1 && !parents.iter().all(|&parent| constraints.requires(parent, node))
    };
    while let Some(node) = nodes.pop() {
        if has_several(&node) {
            return Some(node);
        }
    }
    nodes.extend(dag.nodes().filter(has_several));
    nodes.sort_by_key(|&node| dag.parents(node).len());
    nodes.pop()
}

/// The nodes that few arcs join to a node.
fn near(dag: &Dag, node: VariableId) -> FixedBitSet {
    let mut near = FixedBitSet::with_capacity(dag.len());
    near.insert(node.index());
    for _ in 0..NEAR {
        let reached: Vec<VariableId> = near.ones().map(VariableId::new).collect();
        let neighbours = reached.iter().flat_map(|&node| dag.parents(node).iter().chain(dag.children(node)));
        neighbours.for_each(|neighbour| near.insert(neighbour.index()));
    }
    near
}

/// Whether an arc may be turned round, and the network with it turned is Markov-equivalent: both its ends have the same other parents
/// (Chickering 1995, <https://arxiv.org/abs/1302.4938>).
fn can_turn_within_class(dag: &Dag, constraints: &Constraints, from: VariableId, to: VariableId) -> bool {
    let (above, below) = (dag.parents(from), dag.parents(to));
    below.len() == above.len() + 1
        && below.iter().filter(|&&parent| parent != from).eq(above)
        && can_reverse(dag, constraints, from, to)
}
