//! Ways out of an optimum: arcs are turned round with what their ends then need, also in networks that are equivalent to it.

use std::ops::ControlFlow;

use fixedbitset::FixedBitSet;
use rand::{Rng, RngExt};

use super::hill_climb::{Observer, Way};
use super::legal::can_reverse;
use super::moves::{arcs_of, is_above};
use super::turn::Turns;
use super::{Arc, Constraints, Event, HillClimb, Step, Stop};
use crate::counts::{Batch, Family};
use crate::data::VariableId;
use crate::graph::{Dag, Move};
use crate::score::{Progress, ScoreError, Scorer};

/// Arcs drawn on the walk to an equivalent network; about a third of them can be turned.
const DRAWS: usize = 30;

/// A network near the best one, and the moves that led there from it.
struct Trial {
    dag: Dag,
    /// The score of each node.
    scores: Vec<f64>,
    moves: Vec<Move>,
}

impl HillClimb {
    /// Turns arcs of nodes that changed, and of those that change thereby, as long as one gains.
    pub(super) fn turn_arcs(
        &self,
        scorer: &mut Scorer<'_>,
        way: &mut Way<'_>,
        changed: impl Iterator<Item = VariableId>,
        taken: &mut usize,
        observe: &mut Observer<'_>,
    ) -> Result<Option<Stop>, ScoreError> {
        let mut near = nodes(way.moves.dag.len(), changed);
        loop {
            let Way { moves, turns, .. } = way;
            let arcs = arcs_of(&moves.dag, &near);
            let mut scoring = |progress| observe(&Event::Scoring(progress));
            let best =
                turns.best(scorer, &self.constraints, &moves.dag, moves.scores(), &arcs, &mut scoring)?;
            let Some(turn) = best else { return Ok(None) };
            if self.max_steps.is_some_and(|most| *taken + turn.moves.len() > most) {
                return Ok(Some(Stop::MaxSteps));
            }
            near.extend(turn.ends.iter().map(|(node, _)| node.index()));
            *taken += turn.moves.len();
            if let Some(stop) = make_all(scorer, way, &turn.moves, *taken, observe)? {
                return Ok(Some(stop));
            }
        }
    }

    /// Climbs until no move gains and no arc can be turned for a gain.
    pub(super) fn climb_and_turn(
        &self,
        scorer: &mut Scorer<'_>,
        way: &mut Way<'_>,
        taken: &mut usize,
        observe: &mut Observer<'_>,
    ) -> Result<Stop, ScoreError> {
        loop {
            let stop = self.take_steps(scorer, way, self.tabu, taken, observe)?;
            if stop != Stop::Optimum {
                return Ok(stop);
            }
            way.settle(scorer)?;
            // Whether an arc can be turned also depends on paths elsewhere.
            let (steps, all) = (way.steps.len(), way.moves.dag.nodes());
            if let Some(stop) = self.turn_arcs(scorer, way, all, taken, observe)? {
                return Ok(stop);
            }
            if way.steps.len() == steps {
                return Ok(Stop::Optimum);
            }
        }
    }

    /// Tries to leave the optimum that a climb reached, and all that come after it, until so many attempts in a row ended no higher: each
    /// walks to an equivalent network (Castelo and Kočka 2003, <https://www.jmlr.org/papers/v4/castelo03a.html>) and turns arcs there.
    pub(super) fn escape<'a>(
        &'a self,
        scorer: &mut Scorer<'_>,
        way: &mut Way<'a>,
        random: &mut impl Rng,
        taken: &mut usize,
        observe: &mut Observer<'_>,
    ) -> Result<Stop, ScoreError> {
        let mut trial = Trial { dag: way.moves.dag.clone(), scores: Vec::new(), moves: Vec::new() };
        let mut failed = 0;
        while failed < self.escapes && self.can_walk(&way.moves.dag) {
            // An attempt may need no score that is not remembered, and ask nobody.
            if let ControlFlow::Break(halt) = observe(&Event::Scoring(Progress { done: 0, of: 0 })) {
                return Ok(halt.into());
            }
            trial.begin(&way.moves.dag, way.moves.scores());
            self.wander(scorer, &mut trial, &mut way.turns, random, observe)?;
            *taken += trial.moves.len();
            if self.max_steps.is_some_and(|most| *taken > most) {
                return Ok(Stop::MaxSteps);
            }
            failed += 1;
            if is_above(trial.scores.iter().sum(), way.moves.total()) {
                failed = 0;
                if let Some(stop) = make_all(scorer, way, &trial.moves, *taken, observe)? {
                    return Ok(stop);
                }
                let stop = self.climb_and_turn(scorer, way, taken, observe)?;
                if stop != Stop::Optimum {
                    return Ok(stop);
                }
            }
        }
        Ok(Stop::Optimum)
    }

    /// Whether a walk can begin: to some networks none is equivalent, or constraints forbid it.
    fn can_walk(&self, dag: &Dag) -> bool {
        dag.arcs().any(|(from, to)| can_turn_within_class(dag, &self.constraints, from, to))
    }

    /// Walks to an equivalent network and turns arcs of the nodes that changed.
    fn wander(
        &self,
        scorer: &mut Scorer<'_>,
        trial: &mut Trial,
        turns: &mut Turns,
        random: &mut impl Rng,
        observe: &mut Observer<'_>,
    ) -> Result<(), ScoreError> {
        let mut scoring = |progress| observe(&Event::Scoring(progress));
        let mut arcs: Vec<Arc> = trial.dag.arcs().collect();
        for _ in 0..DRAWS {
            let drawn = random.random_range(0..arcs.len());
            let (from, to) = &mut arcs[drawn];
            if can_turn_within_class(&trial.dag, &self.constraints, *from, *to) {
                trial.make(Move::reverse(*from, *to));
                std::mem::swap(from, to);
            }
        }
        let mut near = nodes(trial.dag.len(), trial.moves.iter().flat_map(|step| step.changed()));
        let families: Vec<Family> =
            near.ones().map(|node| Family::of(&trial.dag, VariableId::new(node))).collect();
        let known = scorer.scores(&Batch::of(&families), &mut scoring)?;
        near.ones().zip(known).for_each(|(node, known)| trial.scores[node] = known.total);
        loop {
            let arcs = arcs_of(&trial.dag, &near);
            let Trial { dag, scores, .. } = &*trial;
            let best = turns.best(scorer, &self.constraints, dag, scores, &arcs, &mut scoring)?;
            let Some(turn) = best else { return Ok(()) };
            turn.moves.into_iter().for_each(|step| trial.make(step));
            for (node, score) in turn.ends {
                trial.scores[node.index()] = score;
                near.insert(node.index());
            }
        }
    }
}

impl Trial {
    /// Begins at the best network, in memory that is used again.
    fn begin(&mut self, dag: &Dag, scores: &[f64]) {
        self.dag.clone_from(dag);
        self.scores.clear();
        self.scores.extend_from_slice(scores);
        self.moves.clear();
    }

    fn make(&mut self, step: Move) {
        self.dag.apply(&step).expect("only legal moves are made");
        self.moves.push(step);
    }
}

/// Makes some moves, the last of which is the one of this number, and tells of them afterwards: half of them may be worse than none, so
/// that nobody can stop in the middle.
fn make_all(
    scorer: &mut Scorer<'_>,
    way: &mut Way<'_>,
    moves: &[Move],
    taken: usize,
    observe: &mut Observer<'_>,
) -> Result<Option<Stop>, ScoreError> {
    let mut made = Vec::with_capacity(moves.len());
    for (steps, &step) in (taken + 1 - moves.len()..).zip(moves) {
        let gain = way.make(scorer, step)?;
        made.push((steps, Step { made: step, gain }, way.moves.total()));
    }
    let told = made.into_iter().map(|(steps, step, score)| observe(&Event::Stepped { steps, step, score }));
    Ok(told.filter_map(ControlFlow::break_value).last().map(Stop::from))
}

/// Some nodes of so many.
fn nodes(all: usize, some: impl Iterator<Item = VariableId>) -> FixedBitSet {
    let mut nodes = FixedBitSet::with_capacity(all);
    nodes.extend(some.map(VariableId::index));
    nodes
}

/// Whether an arc may be turned round, and the network with it turned is Markov-equivalent: both its ends have the same other parents
/// (Chickering 1995, <https://arxiv.org/abs/1302.4938>).
fn can_turn_within_class(dag: &Dag, constraints: &Constraints, from: VariableId, to: VariableId) -> bool {
    let (above, below) = (dag.parents(from), dag.parents(to));
    below.len() == above.len() + 1
        && below.iter().filter(|&&parent| parent != from).eq(above)
        && can_reverse(dag, constraints, from, to)
}
