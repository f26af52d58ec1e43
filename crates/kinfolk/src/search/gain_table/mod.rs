//! Gain table: the score change of every legal move, updated after each step.
//!
//! `toggles` stores, for every ordered pair of nodes, the gain of adding or removing that arc; a reversal is the sum of two entries. A
//! move changes one or two families, so that only their rows become unknown. If the score has upper bounds, an entry may hold an upper
//! bound instead of the gain: an addition is scored only while its bound exceeds the best known gain, a drop or a reversal only if its
//! bound is positive. `additions` finds the entries to compute, `move_selection` selects the move.

mod additions;
mod move_selection;

use std::ops::ControlFlow;

use fixedbitset::FixedBitSet;

use self::additions::UnscoredAdditions;
use super::Constraints;
use super::legal::{can_reverse, is_legal_addition};
use crate::counts::{Batch, Change, Family};
use crate::data::VariableId;
use crate::graph::{Dag, Move, MoveKind};
use crate::score::{Halt, Progress, ScoreBound, ScoreError, Scorer};

/// A move replaces the best one so far only if its gain is larger by more than this: the square root of the machine epsilon, as in
/// bnlearn. Moves that differ by less count as equal, and the first in scanning order wins.
pub(super) const TOLERANCE: f64 = 1.490_116_119_384_765_6e-8;

/// Relative rounding error of a sum of scores.
const ROUNDING: f64 = 1e-12;

/// The current graph, the score of each node and the gain of toggling each arc.
pub(super) struct GainTable<'a> {
    pub(super) dag: Dag,
    constraints: &'a Constraints,
    /// The score of each node with its current parents.
    scores: Vec<f64>,
    /// The gain of toggling `from → to`, one row of all `from` for each `to`.
    toggles: Vec<Gain>,
    /// For each child the legal addition with the largest gain or bound, so that a step reads only the rows that changed.
    best_addition: Vec<BestAddition>,
    /// The arcs whose drop or reversal has a positive gain or bound; legality is not checked.
    gaining: Vec<Toggle>,
    /// The arcs whose drops and reversals must be evaluated again.
    outdated: OutdatedArcs,
}

/// The arcs whose drops and reversals must be evaluated again after a move.
enum OutdatedArcs {
    /// All arcs: reversals may have become legal.
    All,
    /// The arcs that begin or end at these nodes, whose gains changed.
    Of(FixedBitSet),
}

/// The gain of a move or an upper bound of it.
#[derive(Debug, Clone, Copy)]
struct Gain {
    /// The gain or its upper bound; NaN until one of them is computed.
    at_most: f64,
    /// Whether `at_most` is the gain itself.
    exact: bool,
}

impl Gain {
    const UNKNOWN: Self = Self { at_most: f64::NAN, exact: false };

    fn exact(gain: f64) -> Self {
        Self { at_most: gain, exact: true }
    }

    fn is_unknown(self) -> bool {
        self.at_most.is_nan()
    }
}

/// The legal addition to a child with the largest gain or bound.
#[derive(Debug, Clone, Copy)]
enum BestAddition {
    /// Must be determined again: gains changed, or additions became legal.
    Stale,
    /// No addition is legal.
    None,
    /// This parent with this gain.
    Parent(VariableId, Gain),
}

/// An arc to add if it is absent, to remove if it is present.
type Toggle = (VariableId, VariableId);

/// Receives the progress of a batch of families and may request a stop.
type ScoringObserver<'a> = dyn FnMut(Progress) -> ControlFlow<Halt> + 'a;

impl<'a> GainTable<'a> {
    /// The table of a start graph, before scoring.
    pub(super) fn new(constraints: &'a Constraints, dag: Dag) -> Self {
        let size = dag.len();
        Self {
            dag,
            constraints,
            scores: vec![f64::NAN; size],
            toggles: vec![Gain::UNKNOWN; size * size],
            best_addition: vec![BestAddition::Stale; size],
            gaining: Vec::new(),
            outdated: OutdatedArcs::All,
        }
    }

    /// The table of another graph under the same constraints, before scoring.
    pub(super) fn restart_from(&self, dag: Dag) -> Self {
        Self::new(self.constraints, dag)
    }

    /// Scores the start graph.
    pub(super) fn begin(
        &mut self,
        scorer: &mut Scorer<'_>,
        observe: &mut ScoringObserver<'_>,
    ) -> Result<(), ScoreError> {
        let families: Vec<Family> = self.dag.nodes().map(|node| Family::of(&self.dag, node)).collect();
        let scores = scorer.scores(&Batch::of(&families), observe)?;
        self.scores = scores.iter().map(|known| known.total).collect();
        Ok(())
    }

    /// The score of the current graph; NaN before [`GainTable::begin`] has returned.
    pub(super) fn total(&self) -> f64 {
        self.scores.iter().sum()
    }

    /// The score of each node.
    pub(super) fn scores(&self) -> &[f64] {
        &self.scores
    }

    /// Computes the gains needed to compare all legal moves. Additions are scored or bounded. Drops and reversals are
    /// all scored if `all` is set, otherwise only those whose bound is positive.
    pub(super) fn evaluate(
        &mut self,
        scorer: &mut Scorer<'_>,
        all: bool,
        observe: &mut ScoringObserver<'_>,
    ) -> Result<(), ScoreError> {
        let stale = self.stale();
        let UnscoredAdditions { mut additions, mirrored } = self.unscored_additions(scorer, &stale);
        // Without upper bounds all are scored in one batch, because their counts share work.
        let has_bounds = scorer.score().upper_bounds().is_some();
        let mut to_score = if has_bounds { Vec::new() } else { std::mem::take(&mut additions) };
        let arcs = self.outdated_arcs();
        if has_bounds && !all {
            additions.extend(self.missing_toggles(&arcs, Gain::is_unknown));
        } else {
            to_score.extend(self.missing_toggles(&arcs, |gain| !gain.exact));
        }
        // Families of one child are counted together.
        let child = |&(from, to): &Toggle| self.scored_child(scorer, from, to);
        if !to_score.is_sorted_by_key(child) {
            to_score.sort_by_key(child);
        }
        self.score(scorer, &to_score, observe)?;
        for (from, to) in mirrored {
            *self.toggle_mut(from, to) = self.toggle(to, from);
        }
        let batch = self.batch(scorer, &additions);
        let bounds = scorer.bounds(&batch, observe)?;
        self.store(&additions, &batch, bounds);
        if has_bounds && !all {
            self.score_promising_arcs(&arcs, scorer, observe)?;
        }
        self.update_gaining(&arcs);
        self.update_best_additions(&stale);
        Ok(())
    }

    /// The arcs whose drops and reversals must be evaluated, in order.
    fn outdated_arcs(&self) -> Vec<Toggle> {
        match &self.outdated {
            OutdatedArcs::All => self.dag.arcs().collect(),
            OutdatedArcs::Of(nodes) => arcs_of(&self.dag, nodes),
        }
    }

    /// Records which of these arcs have a drop or a reversal with a positive gain.
    fn update_gaining(&mut self, arcs: &[Toggle]) {
        match self.outdated {
            OutdatedArcs::All => self.gaining.clear(),
            OutdatedArcs::Of(_) => self.gaining.retain(|arc| arcs.binary_search(arc).is_err()),
        }
        let gains = |&&(from, to): &&Toggle| {
            [Move::drop(from, to), Move::reverse(from, to)].iter().any(|step| self.gain(*step).at_most > 0.0)
        };
        let gaining: Vec<Toggle> = arcs.iter().filter(gains).copied().collect();
        self.gaining.extend(gaining);
        self.outdated = OutdatedArcs::Of(FixedBitSet::new());
    }

    /// The toggles of the legal drops and reversals of these arcs whose gain is missing.
    fn missing_toggles(&self, arcs: &[Toggle], is_missing: impl Fn(Gain) -> bool) -> Vec<Toggle> {
        let mut missing = Vec::new();
        for &(from, to) in arcs {
            if is_missing(self.toggle(from, to)) && !self.constraints.requires(from, to) {
                missing.push((from, to));
            }
            if is_missing(self.toggle(to, from)) && can_reverse(&self.dag, self.constraints, from, to) {
                missing.push((to, from));
            }
        }
        missing
    }

    /// Scores those drops and reversals of these arcs whose bounds are positive. First each drop, unless neither it nor the reversal can
    /// gain; then each addition of the opposite arc, unless its bound is below the loss of the drop.
    fn score_promising_arcs(
        &mut self,
        arcs: &[Toggle],
        scorer: &mut Scorer<'_>,
        observe: &mut ScoringObserver<'_>,
    ) -> Result<(), ScoreError> {
        let (mut drops, mut least) = (Vec::new(), Vec::new());
        for &(from, to) in arcs {
            let (drop, back) = (self.toggle(from, to), self.toggle(to, from));
            // The smallest useful gain, alone or in a reversal; `back` is NaN, which `min` ignores, if the reversal is
            // illegal.
            let needed = 0.0_f64.min(-back.at_most);
            if !drop.exact && drop.at_most > needed && !self.constraints.requires(from, to) {
                drops.push((from, to));
                least.push(needed);
            }
        }
        self.score_unless_below(scorer, &drops, &least, observe)?;
        let (mut backs, mut least) = (Vec::new(), Vec::new());
        for &(from, to) in arcs {
            let (drop, back) = (self.toggle(from, to), self.toggle(to, from));
            if !back.exact
                && drop.at_most + back.at_most > 0.0
                && can_reverse(&self.dag, self.constraints, from, to)
            {
                backs.push((to, from));
                least.push(-drop.at_most);
            }
        }
        self.score_unless_below(scorer, &backs, &least, observe)
    }

    /// Computes the gains of some toggles.
    fn score(
        &mut self,
        scorer: &mut Scorer<'_>,
        toggles: &[Toggle],
        observe: &mut ScoringObserver<'_>,
    ) -> Result<(), ScoreError> {
        let batch = self.batch(scorer, toggles);
        let scores = scorer.scores(&batch, observe)?;
        for ((&(from, to), known), child) in toggles.iter().zip(scores).zip(batch.children()) {
            *self.toggle_mut(from, to) = Gain::exact(known.total - self.scores[child.index()]);
        }
        Ok(())
    }

    /// Computes the gains of some toggles, or only upper bounds for those below their `least` gain.
    fn score_unless_below(
        &mut self,
        scorer: &mut Scorer<'_>,
        toggles: &[Toggle],
        least: &[f64],
        observe: &mut ScoringObserver<'_>,
    ) -> Result<(), ScoreError> {
        let batch = self.batch(scorer, toggles);
        // Lowered by the rounding error, so that no gain above `least` is missed.
        let scores = batch.children().map(|child| self.scores[child.index()]);
        let least: Vec<f64> =
            scores.zip(least).map(|(score, least)| score + least - ROUNDING * (1.0 + score.abs())).collect();
        let bounds = scorer.scores_unless_below(&batch, &least, observe)?;
        self.store(toggles, &batch, bounds);
        Ok(())
    }

    /// Stores the gains or upper bounds of some toggles.
    fn store(&mut self, toggles: &[Toggle], batch: &Batch, bounds: Vec<ScoreBound>) {
        for ((&(from, to), bound), child) in toggles.iter().zip(bounds).zip(batch.children()) {
            let at_most = bound.total - self.scores[child.index()];
            *self.toggle_mut(from, to) = Gain { at_most, exact: bound.exact };
        }
    }

    /// The families that some toggles lead to: a gain is the score of such a family minus the child's current score.
    fn batch(&self, scorer: &Scorer<'_>, toggles: &[Toggle]) -> Batch {
        let mut batch = Batch::with_capacity(toggles.len());
        let mut left = toggles;
        while let Some(&(from, to)) = left.first() {
            let child = self.scored_child(scorer, from, to);
            let same =
                left.iter().take_while(|&&(from, to)| self.scored_child(scorer, from, to) == child).count();
            let (toggles, others) = left.split_at(same);
            left = others;
            let changes = toggles.iter().map(|&(from, to)| {
                let other = if child == to { from } else { to };
                if self.dag.has_arc(from, to) { Change::Without(other) } else { Change::With(other) }
            });
            batch.around(&Family::of(&self.dag, child), changes);
        }
        batch
    }

    /// The child of the family that is scored for the gain of toggling `from → to`.
    ///
    /// Under a score-equivalent score, an arc between two nodes without parents has the same gain in both directions. Scoring only the
    /// direction of the column order halves the work and keeps rounding from deciding between them.
    fn scored_child(&self, scorer: &Scorer<'_>, from: VariableId, to: VariableId) -> VariableId {
        let alone = || self.dag.parents(to).is_empty() && self.dag.parents(from).is_empty();
        if to < from && alone() && scorer.score().is_score_equivalent() { from } else { to }
    }

    /// Whether the gain of an addition equals that of the opposite arc, which is about to be scored as well.
    fn is_mirrored(&self, scorer: &Scorer<'_>, from: VariableId, to: VariableId) -> bool {
        self.scored_child(scorer, from, to) != to
            && matches!(self.best_addition[from.index()], BestAddition::Stale)
            && self.toggle(to, from).is_unknown()
            && is_legal_addition(&self.dag, self.constraints, to, from)
    }

    /// The gain of toggling `from → to`.
    fn toggle(&self, from: VariableId, to: VariableId) -> Gain {
        self.toggles[to.index() * self.dag.len() + from.index()]
    }

    fn toggle_mut(&mut self, from: VariableId, to: VariableId) -> &mut Gain {
        &mut self.toggles[to.index() * self.dag.len() + from.index()]
    }

    /// The gains of toggling every `from → to`.
    fn toggles_of(&self, to: VariableId) -> &[Gain] {
        &self.toggles[to.index() * self.dag.len()..][..self.dag.len()]
    }

    fn gain(&self, step: Move) -> Gain {
        let Move { kind, from, to } = step;
        let toggled = self.toggle(from, to);
        match kind {
            MoveKind::Add | MoveKind::Drop => toggled,
            MoveKind::Reverse => {
                let back = self.toggle(to, from);
                Gain { at_most: toggled.at_most + back.at_most, exact: toggled.exact && back.exact }
            }
        }
    }

    /// Applies a legal move and returns its gain.
    pub(super) fn apply(&mut self, scorer: &mut Scorer<'_>, step: Move) -> Result<f64, ScoreError> {
        self.dag.apply(&step).expect("only legal moves are made");
        let mut gain = 0.0;
        for node in step.changed() {
            let family = Family::of(&self.dag, node);
            // Cached, unless the gain was computed for the opposite direction.
            let scores = scorer.scores(&Batch::of(&[family]), &mut |_| ControlFlow::Continue(()))?;
            gain += scores[0].total - self.scores[node.index()];
            self.scores[node.index()] = scores[0].total;
            self.toggles[node.index() * self.dag.len()..][..self.dag.len()].fill(Gain::UNKNOWN);
            self.best_addition[node.index()] = BestAddition::Stale;
        }
        match &mut self.outdated {
            OutdatedArcs::Of(nodes) if step.kind == MoveKind::Add => {
                step.changed().for_each(|node| nodes.grow_and_insert(node.index()));
            }
            // Removing an arc can make other reversals legal.
            outdated => *outdated = OutdatedArcs::All,
        }
        self.expire_best_additions(step);
        Ok(gain)
    }

    /// Marks as stale the best additions that a move can have changed. A new arc makes additions illegal for nodes with a path through it;
    /// a removed arc can make additions legal for nodes that had a path through it.
    fn expire_best_additions(&mut self, step: Move) {
        let leads_to = |node: VariableId, other| node == other || self.dag.is_ancestor(node, other);
        for to in self.dag.nodes() {
            let best = &mut self.best_addition[to.index()];
            let may_gain_additions = step.kind != MoveKind::Add && leads_to(to, step.from);
            let may_lose_additions = match step.kind {
                MoveKind::Add => leads_to(to, step.from),
                MoveKind::Drop => false,
                MoveKind::Reverse => leads_to(to, step.to),
            };
            let is_illegal = match *best {
                BestAddition::Parent(from, _) => {
                    may_lose_additions && !is_legal_addition(&self.dag, self.constraints, from, to)
                }
                BestAddition::None | BestAddition::Stale => false,
            };
            if may_gain_additions || is_illegal {
                *best = BestAddition::Stale;
            }
        }
    }
}

/// The arcs that begin or end at some nodes, in order.
pub(super) fn arcs_of(dag: &Dag, nodes: &FixedBitSet) -> Vec<Toggle> {
    let mut arcs: Vec<Toggle> = Vec::new();
    for node in nodes.ones().map(VariableId::new) {
        arcs.extend(dag.parents(node).iter().map(|&parent| (parent, node)));
        let others = dag.children(node).iter().filter(|child| !nodes.contains(child.index()));
        arcs.extend(others.map(|&child| (node, child)));
    }
    arcs.sort_unstable();
    arcs
}

/// Whether a score exceeds another by more than the tolerance.
pub(super) fn is_above(score: f64, other: f64) -> bool {
    score > other + TOLERANCE + ROUNDING * other.abs()
}

impl BestAddition {
    /// Its gain or bound; negative infinity if there is none.
    fn at_most(&self) -> f64 {
        self.gain().map_or(f64::NEG_INFINITY, |gain| gain.at_most)
    }

    fn gain(&self) -> Option<Gain> {
        match self {
            Self::Parent(_, gain) => Some(*gain),
            Self::Stale | Self::None => None,
        }
    }
}
