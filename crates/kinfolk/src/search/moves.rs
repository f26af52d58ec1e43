//! The gain of every legal move, kept up to date from step to step. Where the score has a ceiling, an addition is scored only once what
//! it gains at most is more than what some move is known to gain, drops and reversals only if they may gain at all.

mod additions;
mod choice;

use std::ops::ControlFlow;

use fixedbitset::FixedBitSet;

use self::additions::Unknown;
use super::Constraints;
use super::legal::{can_reverse, is_legal_addition};
use crate::counts::{Batch, Change, Family};
use crate::data::VariableId;
use crate::graph::{Dag, Kind, Move};
use crate::score::{Bound, Halt, Progress, ScoreError, Scorer};

/// A move must beat the best one before it by more than this: the square root of the machine's precision, which is also
/// bnlearn's. It keeps rounding from deciding between equal moves; the first in the order of scanning wins.
pub(super) const TOLERANCE: f64 = 1.490_116_119_384_765_6e-8;

/// What sums of scores can be off, relative to their size.
const ROUNDING: f64 = 1e-12;

/// The current graph with the score of each node and what toggling each arc would change.
pub(super) struct Moves<'a> {
    pub(super) dag: Dag,
    constraints: &'a Constraints,
    /// The score of each node with its present parents.
    scores: Vec<f64>,
    /// What the score of `to` gains when `from` joins or leaves its parents, one row of all `from` for each `to`.
    toggles: Vec<Gain>,
    /// For each child the legal addition that may gain most, so that a step looks only at the rows that changed.
    best_addition: Vec<Best>,
    /// The arcs without which, or turned round, the score may gain, if that is legal.
    gaining: Vec<Toggle>,
    /// Which arcs are to be looked at again for that.
    to_weigh: ToWeigh,
}

/// The arcs of which too little may be known since a move.
enum ToWeigh {
    /// Any: moves may have become legal.
    All,
    /// Those of some nodes, whose gains changed.
    Of(FixedBitSet),
}

/// What is known of a gain.
#[derive(Debug, Clone, Copy)]
struct Gain {
    /// The gain, or what it is at most; not a number until something is known.
    most: f64,
    /// Whether it is the gain.
    exact: bool,
}

impl Gain {
    const UNKNOWN: Self = Self { most: f64::NAN, exact: false };

    fn known(gain: f64) -> Self {
        Self { most: gain, exact: true }
    }

    fn is_unknown(self) -> bool {
        self.most.is_nan()
    }
}

/// The legal addition to a child that may gain most.
#[derive(Debug, Clone, Copy)]
enum Best {
    /// To be looked for: gains changed, or additions became legal again.
    Stale,
    /// None is legal.
    None,
    /// This parent, gaining this much, or at most this much.
    Parent(VariableId, Gain),
}

/// An arc that joins or leaves the parents of its second node.
type Toggle = (VariableId, VariableId);

/// What is told how far a batch of families has come, and may ask to stop.
type Observer<'a> = dyn FnMut(Progress) -> ControlFlow<Halt> + 'a;

impl<'a> Moves<'a> {
    /// The moves from a start graph, nothing scored yet.
    pub(super) fn new(constraints: &'a Constraints, dag: Dag) -> Self {
        let size = dag.len();
        Self {
            dag,
            constraints,
            scores: vec![f64::NAN; size],
            toggles: vec![Gain::UNKNOWN; size * size],
            best_addition: vec![Best::Stale; size],
            gaining: Vec::new(),
            to_weigh: ToWeigh::All,
        }
    }

    /// The moves from another graph under the same constraints, nothing scored yet.
    pub(super) fn anew(&self, dag: Dag) -> Self {
        Self::new(self.constraints, dag)
    }

    /// Scores the start graph.
    pub(super) fn begin(
        &mut self,
        scorer: &mut Scorer<'_>,
        observe: &mut Observer<'_>,
    ) -> Result<(), ScoreError> {
        let families: Vec<Family> = self.dag.nodes().map(|node| Family::of(&self.dag, node)).collect();
        let scores = scorer.scores(&Batch::of(&families), observe)?;
        self.scores = scores.iter().map(|known| known.total).collect();
        Ok(())
    }

    /// The score of the current graph; not a number before [`Moves::begin`] is through.
    pub(super) fn total(&self) -> f64 {
        self.scores.iter().sum()
    }

    /// The score of each node.
    pub(super) fn scores(&self) -> &[f64] {
        &self.scores
    }

    /// Looks at whatever is needed to compare all legal moves: additions are at least bounded; drops and reversals are scored, if all of
    /// them are asked for, and otherwise at least those that may gain.
    pub(super) fn evaluate(
        &mut self,
        scorer: &mut Scorer<'_>,
        all: bool,
        observe: &mut Observer<'_>,
    ) -> Result<(), ScoreError> {
        let stale = self.stale();
        let Unknown { mut additions, turned } = self.unknown_additions(scorer, &stale);
        // Without a ceiling all are scored together, because their counts have much in common.
        let has_ceiling = scorer.score().has_ceiling();
        let mut unknown = if has_ceiling { Vec::new() } else { std::mem::take(&mut additions) };
        let arcs = self.arcs_to_weigh();
        if has_ceiling && !all {
            additions.extend(self.unweighed(&arcs, Gain::is_unknown));
        } else {
            unknown.extend(self.unweighed(&arcs, |gain| !gain.exact));
        }
        // Those with the same child are counted together.
        let child = |&(from, to): &Toggle| self.told_by(scorer, from, to);
        if !unknown.is_sorted_by_key(child) {
            unknown.sort_by_key(child);
        }
        self.score(scorer, &unknown, observe)?;
        for (from, to) in turned {
            *self.toggle_mut(from, to) = self.toggle(to, from);
        }
        let batch = self.batch(scorer, &additions);
        let bounds = scorer.bounds(&batch, observe)?;
        self.note(&additions, &batch, bounds);
        if has_ceiling && !all {
            self.weigh(&arcs, scorer, observe)?;
        }
        self.weighed(&arcs);
        self.look_for_best_of(&stale);
        Ok(())
    }

    /// The arcs whose drops and reversals are to be looked at, in order.
    fn arcs_to_weigh(&self) -> Vec<Toggle> {
        match &self.to_weigh {
            ToWeigh::All => self.dag.arcs().collect(),
            ToWeigh::Of(nodes) => arcs_of(&self.dag, nodes),
        }
    }

    /// Notes which of these arcs are worth more dropped or turned round.
    fn weighed(&mut self, arcs: &[Toggle]) {
        match self.to_weigh {
            ToWeigh::All => self.gaining.clear(),
            ToWeigh::Of(_) => self.gaining.retain(|arc| arcs.binary_search(arc).is_err()),
        }
        let gains = |&&(from, to): &&Toggle| {
            [Move::drop(from, to), Move::reverse(from, to)].iter().any(|step| self.gain(*step).most > 0.0)
        };
        let gaining: Vec<Toggle> = arcs.iter().filter(gains).copied().collect();
        self.gaining.extend(gaining);
        self.to_weigh = ToWeigh::Of(FixedBitSet::new());
    }

    /// What legal drops and reversals of these arcs toggle of which too little is known.
    fn unweighed(&self, arcs: &[Toggle], is_too_little: impl Fn(Gain) -> bool) -> Vec<Toggle> {
        let mut unknown = Vec::new();
        for &(from, to) in arcs {
            if is_too_little(self.toggle(from, to)) && !self.constraints.requires(from, to) {
                unknown.push((from, to));
            }
            if is_too_little(self.toggle(to, from)) && can_reverse(&self.dag, self.constraints, from, to) {
                unknown.push((to, from));
            }
        }
        unknown
    }

    /// Scores drops and reversals of these arcs that are bounded, as far as they may gain: first what is lost without an arc, unless its best use is
    /// certain to be worth less than nothing; then what the other direction gains, unless that is certain to be less than what was lost.
    fn weigh(
        &mut self,
        arcs: &[Toggle],
        scorer: &mut Scorer<'_>,
        observe: &mut Observer<'_>,
    ) -> Result<(), ScoreError> {
        let (mut drops, mut least) = (Vec::new(), Vec::new());
        for &(from, to) in arcs {
            let (drop, back) = (self.toggle(from, to), self.toggle(to, from));
            // What it must gain to be of use, alone or with the other direction, of which nothing is known if it is not legal.
            let needed = 0.0_f64.min(-back.most);
            if !drop.exact && drop.most > needed && !self.constraints.requires(from, to) {
                drops.push((from, to));
                least.push(needed);
            }
        }
        self.judge(scorer, &drops, &least, observe)?;
        let (mut backs, mut least) = (Vec::new(), Vec::new());
        for &(from, to) in arcs {
            let (drop, back) = (self.toggle(from, to), self.toggle(to, from));
            if !back.exact
                && drop.most + back.most > 0.0
                && can_reverse(&self.dag, self.constraints, from, to)
            {
                backs.push((to, from));
                least.push(-drop.most);
            }
        }
        self.judge(scorer, &backs, &least, observe)
    }

    /// Scores what some toggles lead to.
    fn score(
        &mut self,
        scorer: &mut Scorer<'_>,
        toggles: &[Toggle],
        observe: &mut Observer<'_>,
    ) -> Result<(), ScoreError> {
        let batch = self.batch(scorer, toggles);
        let scores = scorer.scores(&batch, observe)?;
        for ((&(from, to), known), child) in toggles.iter().zip(scores).zip(batch.children()) {
            *self.toggle_mut(from, to) = Gain::known(known.total - self.scores[child.index()]);
        }
        Ok(())
    }

    /// Scores what some toggles lead to, or finds out that they gain less than they must.
    fn judge(
        &mut self,
        scorer: &mut Scorer<'_>,
        toggles: &[Toggle],
        least: &[f64],
        observe: &mut Observer<'_>,
    ) -> Result<(), ScoreError> {
        let batch = self.batch(scorer, toggles);
        // A little less, so that rounding cannot turn what is too little into a gain.
        let scores = batch.children().map(|child| self.scores[child.index()]);
        let least: Vec<f64> =
            scores.zip(least).map(|(score, least)| score + least - ROUNDING * (1.0 + score.abs())).collect();
        let bounds = scorer.scores_unless_below(&batch, &least, observe)?;
        self.note(toggles, &batch, bounds);
        Ok(())
    }

    /// Notes what is now known of some toggles.
    fn note(&mut self, toggles: &[Toggle], batch: &Batch, bounds: Vec<Bound>) {
        for ((&(from, to), bound), child) in toggles.iter().zip(bounds).zip(batch.children()) {
            let most = bound.total - self.scores[child.index()];
            *self.toggle_mut(from, to) = Gain { most, exact: bound.exact };
        }
    }

    /// The families whose scores, less those of their children at present, tell what some toggles gain.
    fn batch(&self, scorer: &Scorer<'_>, toggles: &[Toggle]) -> Batch {
        let mut batch = Batch::with_capacity(toggles.len());
        let mut left = toggles;
        while let Some(&(from, to)) = left.first() {
            let child = self.told_by(scorer, from, to);
            let same = left.iter().take_while(|&&(from, to)| self.told_by(scorer, from, to) == child).count();
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

    /// The child of the family that tells what toggling `from → to` gains.
    ///
    /// Under a score-equivalent score the first arc between two nodes without parents gains the same in either direction;
    /// taking it from the direction of the column order halves the work and keeps rounding from choosing one.
    fn told_by(&self, scorer: &Scorer<'_>, from: VariableId, to: VariableId) -> VariableId {
        let alone = || self.dag.parents(to).is_empty() && self.dag.parents(from).is_empty();
        if to < from && alone() && scorer.score().is_score_equivalent() { from } else { to }
    }

    /// Whether an addition to be scored gains the same as the one in the other direction, which is to be scored as well.
    fn is_told_by_turned(&self, scorer: &Scorer<'_>, from: VariableId, to: VariableId) -> bool {
        self.told_by(scorer, from, to) != to
            && matches!(self.best_addition[from.index()], Best::Stale)
            && self.toggle(to, from).is_unknown()
            && is_legal_addition(&self.dag, self.constraints, to, from)
    }

    /// What the score of `to` gains when `from` joins or leaves its parents.
    fn toggle(&self, from: VariableId, to: VariableId) -> Gain {
        self.toggles[to.index() * self.dag.len() + from.index()]
    }

    fn toggle_mut(&mut self, from: VariableId, to: VariableId) -> &mut Gain {
        &mut self.toggles[to.index() * self.dag.len() + from.index()]
    }

    /// The same for all `from`.
    fn toggles_of(&self, to: VariableId) -> &[Gain] {
        &self.toggles[to.index() * self.dag.len()..][..self.dag.len()]
    }

    fn gain(&self, step: Move) -> Gain {
        let Move { kind, from, to } = step;
        let toggled = self.toggle(from, to);
        match kind {
            Kind::Add | Kind::Drop => toggled,
            Kind::Reverse => {
                let back = self.toggle(to, from);
                Gain { most: toggled.most + back.most, exact: toggled.exact && back.exact }
            }
        }
    }

    /// Makes a legal move and tells what it gained.
    pub(super) fn apply(&mut self, scorer: &mut Scorer<'_>, step: Move) -> Result<f64, ScoreError> {
        self.dag.apply(&step).expect("only legal moves are made");
        let mut gain = 0.0;
        for node in step.changed() {
            let family = Family::of(&self.dag, node);
            // Known already, unless the gain was taken from the other direction.
            let scores = scorer.scores(&Batch::of(&[family]), &mut |_| ControlFlow::Continue(()))?;
            gain += scores[0].total - self.scores[node.index()];
            self.scores[node.index()] = scores[0].total;
            self.toggles[node.index() * self.dag.len()..][..self.dag.len()].fill(Gain::UNKNOWN);
            self.best_addition[node.index()] = Best::Stale;
        }
        match &mut self.to_weigh {
            ToWeigh::Of(nodes) if step.kind == Kind::Add => {
                step.changed().for_each(|node| nodes.grow_and_insert(node.index()));
            }
            // Without an arc others may be turned round that could not be before.
            to_weigh => *to_weigh = ToWeigh::All,
        }
        self.age_best_additions(step);
        Ok(gain)
    }

    /// Forgets those best additions that may no longer be the best after a move: a new arc takes additions away from whom a path leads
    /// through it; without an arc those from which a path led through it may have additions back.
    fn age_best_additions(&mut self, step: Move) {
        let leads_to = |node: VariableId, other| node == other || self.dag.is_ancestor(node, other);
        for to in self.dag.nodes() {
            let best = &mut self.best_addition[to.index()];
            let may_have_more = step.kind != Kind::Add && leads_to(to, step.from);
            let may_have_fewer = match step.kind {
                Kind::Add => leads_to(to, step.from),
                Kind::Drop => false,
                Kind::Reverse => leads_to(to, step.to),
            };
            let is_taken = match *best {
                Best::Parent(from, _) => {
                    may_have_fewer && !is_legal_addition(&self.dag, self.constraints, from, to)
                }
                Best::None | Best::Stale => false,
            };
            if may_have_more || is_taken {
                *best = Best::Stale;
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

/// Whether a score is higher than another, by more than rounding makes of equal ones.
pub(super) fn is_above(score: f64, other: f64) -> bool {
    score > other + TOLERANCE + ROUNDING * other.abs()
}

impl Best {
    /// What it may gain; less than anything, if there is none.
    fn most(&self) -> f64 {
        self.gain().map_or(f64::NEG_INFINITY, |gain| gain.most)
    }

    fn gain(&self) -> Option<Gain> {
        match self {
            Self::Parent(_, gain) => Some(*gain),
            Self::Stale | Self::None => None,
        }
    }
}
