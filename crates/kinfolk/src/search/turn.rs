//! Turning an arc round together with what its ends then need: one move of several arcs.
//!
//! A climb points an arc before it knows the neighbours of its ends, and arcs that it adds later make up for a wrong direction; then neither
//! turning the arc round alone gains, nor dropping one of the others. So both ends choose anew: with the arc turned round they leave and
//! take whatever gains most, among the parents that they had, but never have more of them together. (Grzegorczyk and Husmeier 2008, <https://doi.org/10.1007/s10994-008-5057-7>,
//! draw the parents of both ends anew with the arc turned, to sample networks.)

use std::ops::{ControlFlow, Range};

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::moves::{TOLERANCE, is_above};
use super::{Arc, Constraints};
use crate::counts::{Batch, Change, Family};
use crate::data::VariableId;
use crate::graph::{Dag, Move};
use crate::score::{Halt, Known, Progress, ScoreError, Scorer};

/// Moves that together turn an arc round.
#[derive(Debug)]
pub(super) struct Turn {
    /// In an order in which each is legal.
    pub(super) moves: Vec<Move>,
    /// The ends of the arc, whose families change, with their scores afterwards.
    pub(super) ends: [(VariableId, f64); 2],
}

/// An arc that is being turned round.
struct Trial {
    /// What either end may have for parents beside the other.
    pool: SmallVec<[VariableId; 6]>,
    /// Where the arc ends and where it begins, as it is: the new parent and the new child.
    ends: [End; 2],
    begun: Begun,
    /// What the scores of both ends are together at present.
    before: f64,
}

/// What follows for an arc and its ends when it is turned round, on which all that both choose depends.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Begun {
    families: [Family; 2],
    /// How many parents both have together at present.
    parents: usize,
}

/// One end of an arc that is being turned round.
struct End {
    /// With the parents that it has chosen so far.
    family: Family,
    /// Nothing yet, until it was asked for.
    score: f64,
}

/// What is known of turns.
#[derive(Debug, Default)]
pub(super) struct Turns {
    /// What the scores of both ends came to.
    ended: FxHashMap<Begun, f64>,
}

/// So many are remembered at the most, in a few megabytes.
const MOST_REMEMBERED: usize = 10_000;

impl Turns {
    /// The turn that gains most among those of some arcs, if one gains; of those that gain the same, the one that is settled in fewer
    /// rounds, then the first. `scores` are those of the nodes.
    ///
    /// An arc takes up to 2 q families in each of a few rounds, where q is the number of its ends' parents; most of them are known from
    /// elsewhere in a climb. What all arcs ask for in a round is scored together.
    pub(super) fn best(
        &mut self,
        scorer: &mut Scorer<'_>,
        constraints: &Constraints,
        dag: &Dag,
        scores: &[f64],
        arcs: &[Arc],
        observe: &mut dyn FnMut(Progress) -> ControlFlow<Halt>,
    ) -> Result<Option<Turn>, ScoreError> {
        let trials = arcs.iter().filter_map(|&arc| Trial::new(constraints, dag, scores, arc));
        let may_gain =
            |trial: &Trial| self.ended.get(&trial.begun).is_none_or(|after| is_above(*after, trial.before));
        let mut undecided: Vec<Trial> = trials.filter(may_gain).collect();
        let mut best: Option<Trial> = None;
        let (mut batch, mut asked) = (Batch::default(), Vec::new());
        while !undecided.is_empty() {
            batch.clear();
            asked.clear();
            asked.extend(undecided.iter().map(|trial| trial.ask(constraints, &mut batch)));
            let known = scorer.scores(&batch, observe)?;
            let mut first = 0;
            for (mut trial, &[split, end]) in std::mem::take(&mut undecided).into_iter().zip(&asked) {
                if trial.chooses(&batch, &known, [first..split, split..end]) {
                    undecided.push(trial);
                } else {
                    self.remember(&trial);
                    let leads = best.as_ref().is_none_or(|best| trial.gain() > best.gain() + TOLERANCE);
                    if leads && is_above(trial.after(), trial.before) {
                        best = Some(trial);
                    }
                }
                first = end;
            }
        }
        Ok(best.map(|trial| trial.turn(dag)))
    }

    fn remember(&mut self, trial: &Trial) {
        if self.ended.len() == MOST_REMEMBERED {
            self.ended.clear();
        }
        self.ended.insert(trial.begun.clone(), trial.after());
    }
}

impl Trial {
    /// Turns an arc round, if that may be done and leaves its ends a choice.
    ///
    /// Where the arc begins, nothing may become a parent that it leads to. With the arc turned round, neither may anything that it leads to
    /// become a parent of the other end, which now leads to it; and nothing else that was a parent of either closes a cycle.
    fn new(constraints: &Constraints, dag: &Dag, scores: &[f64], (from, to): Arc) -> Option<Self> {
        let may_turn = !constraints.requires(from, to)
            && constraints.allows(to, from)
            && constraints.has_room(dag, from);
        if !may_turn || dag.parents(to).len() == 1 && dag.parents(from).is_empty() {
            return None;
        }
        let leads_to = |node: VariableId| dag.is_ancestor(from, node);
        let (mut pool, mut kept) = (SmallVec::from_slice(dag.parents(from)), SmallVec::<[_; 6]>::new());
        for &parent in dag.parents(to).iter().filter(|&&parent| parent != from) {
            if !leads_to(parent) {
                kept.push(parent);
                if let Err(place) = pool.binary_search(&parent) {
                    pool.insert(place, parent);
                }
            } else if constraints.requires(parent, to) {
                return None;
            }
        }
        let families = [Family::new(to, kept), Family::of_with(dag, from, to)];
        let parents = dag.parents(to).len() + dag.parents(from).len();
        Some(Self {
            pool,
            ends: families.clone().map(|family| End { family, score: f64::NAN }),
            begun: Begun { families, parents },
            before: scores[to.index()] + scores[from.index()],
        })
    }

    /// Asks for the families that both ends have and for those that they could have next, and tells where those of each end. What makes up
    /// for a wrong direction are arcs, so that the right one needs no more of them: more were hardly ever worth the time to try them.
    fn ask(&self, constraints: &Constraints, batch: &mut Batch) -> [usize; 2] {
        let has_fewer =
            self.ends.iter().map(|end| end.family.parents().len()).sum::<usize>() < self.begun.parents;
        self.ends.each_ref().map(|End { family, .. }| {
            let (child, parents) = (family.child(), family.parents());
            let has = |node: &VariableId| parents.binary_search(node).is_ok();
            let takes_more = has_fewer && constraints.has_room_beside(parents.len());
            let nodes = || self.pool.iter().copied();
            let more = nodes().filter(|node| takes_more && !has(node) && constraints.allows(*node, child));
            let fewer = nodes().filter(|node| has(node) && !constraints.requires(*node, child));
            let changes = more.map(Change::With).chain(fewer.map(Change::Without));
            batch.around(family, std::iter::once(Change::Keep).chain(changes));
            batch.len()
        })
    }

    /// Takes what gains most of what was asked for, if anything does.
    fn chooses(&mut self, batch: &Batch, known: &[Known], sides: [Range<usize>; 2]) -> bool {
        let (mut best, mut most) = (None, TOLERANCE);
        for (end, side) in sides.into_iter().enumerate() {
            // What it has comes first.
            let present = known[side.start].total;
            self.ends[end].score = present;
            for asked in side {
                let gain = known[asked].total - present;
                if gain > most {
                    (best, most) = (Some((end, asked)), gain + TOLERANCE);
                }
            }
        }
        let Some((end, asked)) = best else { return false };
        self.ends[end] = End { family: batch.family(asked), score: known[asked].total };
        true
    }

    /// What the scores of both ends are together with what they chose.
    fn after(&self) -> f64 {
        self.ends.iter().map(|end| end.score).sum()
    }

    fn gain(&self) -> f64 {
        self.after() - self.before
    }

    /// The moves that lead there: what is in the way goes first, so that each is legal.
    fn turn(self, dag: &Dag) -> Turn {
        let [to, from] = [0, 1].map(|end: usize| self.ends[end].family.child());
        let (mut moves, mut additions) = (Vec::new(), Vec::new());
        for End { family, .. } in &self.ends {
            let (child, parents) = (family.child(), family.parents());
            let goes = |parent: &&VariableId| (**parent, child) != (from, to) && !parents.contains(parent);
            moves.extend(dag.parents(child).iter().filter(goes).map(|&parent| Move::drop(parent, child)));
            let comes =
                |parent: &&VariableId| (child, **parent) != (from, to) && !dag.has_arc(**parent, child);
            additions.extend(parents.iter().filter(comes).map(|&parent| Move::add(parent, child)));
        }
        moves.push(Move::reverse(from, to));
        moves.append(&mut additions);
        Turn { moves, ends: self.ends.map(|end| (end.family.child(), end.score)) }
    }
}
