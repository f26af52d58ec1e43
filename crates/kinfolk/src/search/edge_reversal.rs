//! Edge reversal with re-selection of both endpoints' parents: one compound move of several arcs.
//!
//! A climb orients an arc before the neighbours of its endpoints are known; arcs added later compensate for a wrong orientation. Then
//! neither reversing the arc alone nor dropping one of the others gains. This move reverses the arc and lets both endpoints re-select
//! their parents greedily, among the parents that they had, without increasing the total number of parents. Grzegorczyk and Husmeier
//! 2008 (<https://doi.org/10.1007/s10994-008-5057-7>) sample networks with the same move, REV, and draw the parents at random.

use std::ops::{ControlFlow, Range};

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::gain_table::{TOLERANCE, is_above};
use super::{Arc, Constraints};
use crate::counts::{Batch, Change, Family};
use crate::data::VariableId;
use crate::graph::{Dag, Move};
use crate::score::{CachedScore, Halt, Progress, ScoreError, Scorer};

/// Single moves that together make one edge reversal.
#[derive(Debug)]
pub(super) struct Reversal {
    /// In an order in which each move is legal.
    pub(super) moves: Vec<Move>,
    /// The endpoints of the arc, whose families change, with their scores afterwards.
    pub(super) endpoints: [(VariableId, f64); 2],
}

/// The reversal of one arc, while its endpoints select their parents.
struct Candidate {
    /// The nodes that either endpoint may have as parents, besides the other endpoint.
    pool: SmallVec<[VariableId; 6]>,
    /// The head and the tail of the arc before the reversal: the new parent and the new child.
    endpoints: [Endpoint; 2],
    initial: InitialState,
    /// The sum of the current scores of both endpoints.
    before: f64,
}

/// The state after reversing the arc alone. It determines every later choice, so it is the key of the cache.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct InitialState {
    families: [Family; 2],
    /// The current number of parents of both endpoints together.
    parents: usize,
}

/// One endpoint of the arc.
struct Endpoint {
    /// The family with the parents selected so far.
    family: Family,
    /// Its score; NaN before the first round.
    score: f64,
}

/// Searches for the best edge reversal and caches results.
#[derive(Debug, Default)]
pub(super) struct ReversalSearch {
    /// The sum of the final scores of both endpoints.
    finished: FxHashMap<InitialState, f64>,
}

/// The number of cached results, a few megabytes; the cache is cleared when it is full.
const MOST_REMEMBERED: usize = 10_000;

impl ReversalSearch {
    /// The reversal of one of the given arcs with the largest positive gain, if any. Ties go to the one that needed
    /// fewer rounds, then to the
    /// first. `scores` are the current scores of all nodes.
    ///
    /// Each arc needs up to 2 q families in each of a few rounds, where q is the number of its endpoints' parents; most of them are
    /// cached. The families of all arcs are scored in one batch per round.
    pub(super) fn best(
        &mut self,
        scorer: &mut Scorer<'_>,
        constraints: &Constraints,
        dag: &Dag,
        scores: &[f64],
        arcs: &[Arc],
        observe: &mut dyn FnMut(Progress) -> ControlFlow<Halt>,
    ) -> Result<Option<Reversal>, ScoreError> {
        let candidates = arcs.iter().filter_map(|&arc| Candidate::new(constraints, dag, scores, arc));
        let may_gain = |candidate: &Candidate| {
            self.finished.get(&candidate.initial).is_none_or(|after| is_above(*after, candidate.before))
        };
        let mut undecided: Vec<Candidate> = candidates.filter(may_gain).collect();
        let mut best: Option<Candidate> = None;
        let (mut batch, mut requested) = (Batch::default(), Vec::new());
        while !undecided.is_empty() {
            batch.clear();
            requested.clear();
            requested.extend(undecided.iter().map(|candidate| candidate.request(constraints, &mut batch)));
            let known = scorer.scores(&batch, observe)?;
            let mut first = 0;
            for (mut candidate, &[split, end]) in std::mem::take(&mut undecided).into_iter().zip(&requested) {
                if candidate.improve(&batch, &known, [first..split, split..end]) {
                    undecided.push(candidate);
                } else {
                    self.remember(&candidate);
                    let leads = best.as_ref().is_none_or(|best| candidate.gain() > best.gain() + TOLERANCE);
                    if leads && is_above(candidate.after(), candidate.before) {
                        best = Some(candidate);
                    }
                }
                first = end;
            }
        }
        Ok(best.map(|candidate| candidate.into_reversal(dag)))
    }

    fn remember(&mut self, candidate: &Candidate) {
        if self.finished.len() == MOST_REMEMBERED {
            self.finished.clear();
        }
        self.finished.insert(candidate.initial.clone(), candidate.after());
    }
}

impl Candidate {
    /// Reverses an arc, if the constraints allow it and its endpoints have parents to select.
    ///
    /// No descendant of the tail may become a parent of the tail. With the arc reversed the head is an ancestor of the tail, so that no
    /// descendant of the tail may stay a parent of the head either. No other former parent of the two closes a cycle.
    fn new(constraints: &Constraints, dag: &Dag, scores: &[f64], (from, to): Arc) -> Option<Self> {
        let may_reverse = !constraints.requires(from, to)
            && constraints.allows(to, from)
            && constraints.allows_another_parent(dag, from);
        if !may_reverse || dag.parents(to).len() == 1 && dag.parents(from).is_empty() {
            return None;
        }
        let is_below_tail = |node: VariableId| dag.is_ancestor(from, node);
        let (mut pool, mut kept) = (SmallVec::from_slice(dag.parents(from)), SmallVec::<[_; 6]>::new());
        for &parent in dag.parents(to).iter().filter(|&&parent| parent != from) {
            if !is_below_tail(parent) {
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
            endpoints: families.clone().map(|family| Endpoint { family, score: f64::NAN }),
            initial: InitialState { families, parents },
            before: scores[to.index()] + scores[from.index()],
        })
    }

    /// Adds the current families of both endpoints and their possible next ones to a batch; returns the end of each
    /// endpoint's part. The total number of parents never exceeds that before the reversal: a correct orientation needs
    /// no additional arcs, and larger sets rarely justified their cost.
    fn request(&self, constraints: &Constraints, batch: &mut Batch) -> [usize; 2] {
        let has_fewer = self.endpoints.iter().map(|endpoint| endpoint.family.parents().len()).sum::<usize>()
            < self.initial.parents;
        self.endpoints.each_ref().map(|Endpoint { family, .. }| {
            let (child, parents) = (family.child(), family.parents());
            let has = |node: &VariableId| parents.binary_search(node).is_ok();
            let may_add = has_fewer && constraints.allows_more_parents_than(parents.len());
            let nodes = || self.pool.iter().copied();
            let added = nodes().filter(|node| may_add && !has(node) && constraints.allows(*node, child));
            let removed = nodes().filter(|node| has(node) && !constraints.requires(*node, child));
            let changes = added.map(Change::With).chain(removed.map(Change::Without));
            batch.around(family, std::iter::once(Change::Keep).chain(changes));
            batch.len()
        })
    }

    /// Applies the requested change with the largest gain; returns whether any change gains.
    fn improve(&mut self, batch: &Batch, known: &[CachedScore], sides: [Range<usize>; 2]) -> bool {
        let (mut best, mut most) = (None, TOLERANCE);
        for (position, side) in sides.into_iter().enumerate() {
            // The current family comes first.
            let present = known[side.start].total;
            self.endpoints[position].score = present;
            for index in side {
                let gain = known[index].total - present;
                if gain > most {
                    (best, most) = (Some((position, index)), gain + TOLERANCE);
                }
            }
        }
        let Some((position, index)) = best else { return false };
        self.endpoints[position] = Endpoint { family: batch.family(index), score: known[index].total };
        true
    }

    /// The sum of the endpoints' scores with the selected parents.
    fn after(&self) -> f64 {
        self.endpoints.iter().map(|endpoint| endpoint.score).sum()
    }

    fn gain(&self) -> f64 {
        self.after() - self.before
    }

    /// The single moves: drops come first and additions last, so that each move is legal.
    fn into_reversal(self, dag: &Dag) -> Reversal {
        let [to, from] = [0, 1].map(|position: usize| self.endpoints[position].family.child());
        let (mut moves, mut additions) = (Vec::new(), Vec::new());
        for Endpoint { family, .. } in &self.endpoints {
            let (child, parents) = (family.child(), family.parents());
            let is_dropped =
                |parent: &&VariableId| (**parent, child) != (from, to) && !parents.contains(parent);
            moves.extend(
                dag.parents(child).iter().filter(is_dropped).map(|&parent| Move::drop(parent, child)),
            );
            let is_added =
                |parent: &&VariableId| (child, **parent) != (from, to) && !dag.has_arc(**parent, child);
            additions.extend(parents.iter().filter(is_added).map(|&parent| Move::add(parent, child)));
        }
        moves.push(Move::reverse(from, to));
        moves.append(&mut additions);
        Reversal {
            moves,
            endpoints: self.endpoints.map(|endpoint| (endpoint.family.child(), endpoint.score)),
        }
    }
}
