//! Escapes from local optima: random walks within the Markov equivalence class, each followed by edge reversals.

use std::ops::ControlFlow;

use fixedbitset::FixedBitSet;
use rand::{Rng, RngExt};

use super::edge_reversal::ReversalSearch;
use super::gain_table::{arcs_of, is_above};
use super::hill_climb::{ClimbState, SearchObserver};
use super::legal::can_reverse;
use super::{Arc, Constraints, Event, HillClimb, Stop};
use crate::counts::{Batch, Family};
use crate::data::VariableId;
use crate::graph::{Dag, Move};
use crate::score::{Progress, ScoreError, Scorer};

/// The number of arcs drawn on a walk through the equivalence class; about a third of them can be reversed.
const DRAWS: usize = 30;

/// The network reached by a walk and the moves that lead to it from the optimum.
struct Walk {
    dag: Dag,
    /// The score of each node.
    scores: Vec<f64>,
    moves: Vec<Move>,
}

impl HillClimb {
    /// Applies the best edge reversal at the changed nodes, and at the nodes that it changes, until none gains.
    pub(super) fn reverse_edges(
        &self,
        scorer: &mut Scorer<'_>,
        state: &mut ClimbState<'_>,
        changed: impl Iterator<Item = VariableId>,
        taken: &mut usize,
        observe: &mut SearchObserver<'_>,
    ) -> Result<Option<Stop>, ScoreError> {
        let mut near = nodes(state.table.dag.len(), changed);
        loop {
            let ClimbState { table, reversals, .. } = state;
            let arcs = arcs_of(&table.dag, &near);
            let mut scoring = |progress| observe(&Event::Scoring(progress));
            let best =
                reversals.best(scorer, &self.constraints, &table.dag, table.scores(), &arcs, &mut scoring)?;
            let Some(reversal) = best else { return Ok(None) };
            if self.max_steps.is_some_and(|most| *taken + reversal.moves.len() > most) {
                return Ok(Some(Stop::MaxSteps));
            }
            near.extend(reversal.endpoints.iter().map(|(node, _)| node.index()));
            *taken += reversal.moves.len();
            if let Some(stop) = state.apply_all(scorer, &reversal.moves, *taken, observe)? {
                return Ok(Some(stop));
            }
        }
    }

    /// Climbs until neither a single move nor an edge reversal gains.
    pub(super) fn climb_and_reverse(
        &self,
        scorer: &mut Scorer<'_>,
        state: &mut ClimbState<'_>,
        taken: &mut usize,
        observe: &mut SearchObserver<'_>,
    ) -> Result<Stop, ScoreError> {
        loop {
            let stop = self.take_steps(scorer, state, self.tabu, taken, observe)?;
            if stop != Stop::Optimum {
                return Ok(stop);
            }
            state.return_to_best(scorer)?;
            // Whether an arc can be reversed also depends on paths through other nodes, so all nodes are tried.
            let (steps, all) = (state.steps.len(), state.table.dag.nodes());
            if let Some(stop) = self.reverse_edges(scorer, state, all, taken, observe)? {
                return Ok(stop);
            }
            if state.steps.len() == steps {
                return Ok(Stop::Optimum);
            }
        }
    }

    /// Tries to leave the optimum that a climb reached and every later one, until `escapes` attempts in a row have failed. An attempt walks
    /// to a Markov-equivalent network (Castelo and Kočka 2003, <https://www.jmlr.org/papers/v4/castelo03a.html>) and reverses edges there.
    pub(super) fn escape<'a>(
        &'a self,
        scorer: &mut Scorer<'_>,
        state: &mut ClimbState<'a>,
        random: &mut impl Rng,
        taken: &mut usize,
        observe: &mut SearchObserver<'_>,
    ) -> Result<Stop, ScoreError> {
        let mut walk = Walk { dag: state.table.dag.clone(), scores: Vec::new(), moves: Vec::new() };
        let mut failed = 0;
        while failed < self.escapes && self.can_walk(&state.table.dag) {
            // The scorer does not call the observer if all scores are cached.
            if let ControlFlow::Break(halt) = observe(&Event::Scoring(Progress { done: 0, of: 0 })) {
                return Ok(halt.into());
            }
            walk.begin(&state.table.dag, state.table.scores());
            self.walk_and_reverse(scorer, &mut walk, &mut state.reversals, random, observe)?;
            *taken += walk.moves.len();
            if self.max_steps.is_some_and(|most| *taken > most) {
                return Ok(Stop::MaxSteps);
            }
            failed += 1;
            if is_above(walk.scores.iter().sum(), state.table.total()) {
                failed = 0;
                if let Some(stop) = state.apply_all(scorer, &walk.moves, *taken, observe)? {
                    return Ok(stop);
                }
                let stop = self.climb_and_reverse(scorer, state, taken, observe)?;
                if stop != Stop::Optimum {
                    return Ok(stop);
                }
            }
        }
        Ok(Stop::Optimum)
    }

    /// Whether a walk can leave this network: the class may have one member, or the constraints forbid every reversal.
    fn can_walk(&self, dag: &Dag) -> bool {
        dag.arcs().any(|(from, to)| is_reversible_within_class(dag, &self.constraints, from, to))
    }

    /// Walks to an equivalent network and applies edge reversals at the nodes that changed.
    fn walk_and_reverse(
        &self,
        scorer: &mut Scorer<'_>,
        walk: &mut Walk,
        reversals: &mut ReversalSearch,
        random: &mut impl Rng,
        observe: &mut SearchObserver<'_>,
    ) -> Result<(), ScoreError> {
        let mut scoring = |progress| observe(&Event::Scoring(progress));
        let mut arcs: Vec<Arc> = walk.dag.arcs().collect();
        for _ in 0..DRAWS {
            let drawn = random.random_range(0..arcs.len());
            let (from, to) = &mut arcs[drawn];
            if is_reversible_within_class(&walk.dag, &self.constraints, *from, *to) {
                walk.apply(Move::reverse(*from, *to));
                std::mem::swap(from, to);
            }
        }
        let mut near = nodes(walk.dag.len(), walk.moves.iter().flat_map(|step| step.changed()));
        let families: Vec<Family> =
            near.ones().map(|node| Family::of(&walk.dag, VariableId::new(node))).collect();
        let known = scorer.scores(&Batch::of(&families), &mut scoring)?;
        near.ones().zip(known).for_each(|(node, known)| walk.scores[node] = known.total);
        loop {
            let arcs = arcs_of(&walk.dag, &near);
            let Walk { dag, scores, .. } = &*walk;
            let best = reversals.best(scorer, &self.constraints, dag, scores, &arcs, &mut scoring)?;
            let Some(reversal) = best else { return Ok(()) };
            reversal.moves.into_iter().for_each(|step| walk.apply(step));
            for (node, score) in reversal.endpoints {
                walk.scores[node.index()] = score;
                near.insert(node.index());
            }
        }
    }
}

impl Walk {
    /// Starts at the optimum and reuses the memory.
    fn begin(&mut self, dag: &Dag, scores: &[f64]) {
        self.dag.clone_from(dag);
        self.scores.clear();
        self.scores.extend_from_slice(scores);
        self.moves.clear();
    }

    fn apply(&mut self, step: Move) {
        self.dag.apply(&step).expect("only legal moves are made");
        self.moves.push(step);
    }
}

/// A set of nodes.
fn nodes(all: usize, some: impl Iterator<Item = VariableId>) -> FixedBitSet {
    let mut nodes = FixedBitSet::with_capacity(all);
    nodes.extend(some.map(VariableId::index));
    nodes
}

/// Whether an arc may be reversed and is covered, that is, both endpoints have the same other parents: then the reversal stays within the
/// Markov equivalence class (Chickering 1995, <https://arxiv.org/abs/1302.4938>).
fn is_reversible_within_class(
    dag: &Dag,
    constraints: &Constraints,
    from: VariableId,
    to: VariableId,
) -> bool {
    let (above, below) = (dag.parents(from), dag.parents(to));
    below.len() == above.len() + 1
        && below.iter().filter(|&&parent| parent != from).eq(above)
        && can_reverse(dag, constraints, from, to)
}
