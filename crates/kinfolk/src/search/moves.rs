//! The gain of every legal move, kept up to date from step to step.

use std::ops::ControlFlow;

use crate::counts::Family;
use crate::data::VariableId;
use crate::graph::{Dag, Kind, Move};
use crate::score::{Halt, Progress, ScoreError, Scorer};
use crate::search::Constraints;

/// A move must beat the best one before it by more than this: the square root of the machine's precision, which is also
/// bnlearn's. It keeps rounding from deciding between equal moves; the first in the order of scanning wins.
pub(super) const TOLERANCE: f64 = 1.490_116_119_384_765_6e-8;

/// The current graph with the score of each node and what toggling each arc would change.
pub(super) struct Moves<'a> {
    pub(super) dag: Dag,
    constraints: &'a Constraints,
    /// The score of each node with its present parents.
    scores: Vec<f64>,
    /// `toggle[to][from]`: what the score of `to` gains when `from` joins or leaves its parents; not a number until known.
    toggle: Vec<Vec<f64>>,
    /// For each child the largest gain of a legal addition, so that a step looks only at the rows that changed.
    best_addition: Vec<Best>,
    /// Families asked for in this step.
    unknown: Vec<(VariableId, VariableId)>,
}

/// The best legal addition to a child.
#[derive(Debug, Clone, Copy)]
enum Best {
    /// To be looked for: gains changed, or additions became legal again.
    Stale,
    /// None is legal.
    None,
    /// This parent, gaining this much.
    Parent(VariableId, f64),
}

impl<'a> Moves<'a> {
    /// The moves from a start graph, nothing scored yet.
    pub(super) fn new(constraints: &'a Constraints, dag: Dag) -> Self {
        let size = dag.len();
        Self {
            dag,
            constraints,
            scores: vec![f64::NAN; size],
            toggle: vec![vec![f64::NAN; size]; size],
            best_addition: vec![Best::Stale; size],
            unknown: Vec::new(),
        }
    }

    /// Scores the start graph.
    pub(super) fn begin(
        &mut self,
        scorer: &mut Scorer<'_>,
        observe: &mut dyn FnMut(Progress) -> ControlFlow<Halt>,
    ) -> Result<(), ScoreError> {
        let families: Vec<Family> = self.dag.nodes().map(|node| Family::of(&self.dag, node)).collect();
        let scores = scorer.scores(&families, observe)?;
        self.scores = scores.iter().map(|known| known.total).collect();
        Ok(())
    }

    /// The score of the current graph; not a number before [`Moves::begin`] is through.
    pub(super) fn total(&self) -> f64 {
        self.scores.iter().sum()
    }

    /// Scores whatever is needed to compare all legal moves.
    pub(super) fn evaluate(
        &mut self,
        scorer: &mut Scorer<'_>,
        observe: &mut dyn FnMut(Progress) -> ControlFlow<Halt>,
    ) -> Result<(), ScoreError> {
        self.unknown.clear();
        for to in self.dag.nodes().filter(|to| matches!(self.best_addition[to.index()], Best::Stale)) {
            let row = &self.toggle[to.index()];
            let additions = legal_additions(&self.dag, self.constraints, to);
            self.unknown.extend(additions.filter(|from| row[from.index()].is_nan()).map(|from| (from, to)));
        }
        for step in drops_and_reversals(&self.dag, self.constraints) {
            let Move { kind, from, to } = step;
            if self.toggle[to.index()][from.index()].is_nan() {
                self.unknown.push((from, to));
            }
            if kind == Kind::Reverse && self.toggle[from.index()][to.index()].is_nan() {
                self.unknown.push((to, from));
            }
        }
        let families: Vec<Family> =
            self.unknown.iter().map(|&(from, to)| self.toggled(scorer, from, to)).collect();
        let scores = scorer.scores(&families, observe)?;
        for ((&(from, to), family), known) in self.unknown.iter().zip(&families).zip(scores) {
            self.toggle[to.index()][from.index()] = known.total - self.scores[family.child().index()];
        }
        for to in self.dag.nodes() {
            if matches!(self.best_addition[to.index()], Best::Stale) {
                self.best_addition[to.index()] = self.look_for_best(to, &[]);
            }
        }
        Ok(())
    }

    fn look_for_best(&self, to: VariableId, forbidden: &[Move]) -> Best {
        let row = &self.toggle[to.index()];
        let mut best = Best::None;
        let mut most = f64::NEG_INFINITY;
        for from in legal_additions(&self.dag, self.constraints, to) {
            let gain = row[from.index()];
            if gain > most && !forbidden.contains(&Move::add(from, to)) {
                (best, most) = (Best::Parent(from, gain), gain);
            }
        }
        best
    }

    /// The family whose score, less that of its child at present, tells what toggling `from → to` gains.
    ///
    /// Under a score-equivalent score the first arc between two nodes without parents gains the same in either direction;
    /// taking it from the direction of the column order halves the work and keeps rounding from choosing one.
    fn toggled(&self, scorer: &Scorer<'_>, from: VariableId, to: VariableId) -> Family {
        let parents = self.dag.parents(to);
        if self.dag.has_arc(from, to) {
            return Family::of(&self.dag, to).without(from);
        }
        let alone = parents.is_empty() && self.dag.parents(from).is_empty();
        if scorer.score().is_score_equivalent() && alone && to < from {
            return Family::new(from, [to]);
        }
        Family::of(&self.dag, to).with(from)
    }

    /// The best legal move and its gain, if one gains more than `least`, apart from forbidden ones.
    ///
    /// The rule is that of scanning every move in order, where one takes the lead if it gains more than the leader by at least
    /// the tolerance. Only moves near the largest gain can matter to that: those from which no gap wider than the tolerance
    /// leads up to it. They are few, and are scanned in order.
    pub(super) fn best(&self, least: f64, forbidden: &[Move]) -> Option<(Move, f64)> {
        let allowed = |step: &Move| !forbidden.contains(step);
        let others: Vec<(Move, f64)> = drops_and_reversals(&self.dag, self.constraints)
            .filter(allowed)
            .map(|step| (step, self.gain(step)))
            .collect();
        let best_of_each: Vec<Best> = self.dag.nodes().map(|to| self.best_allowed(to, forbidden)).collect();
        let additions = best_of_each.iter().filter_map(|best| match best {
            Best::Parent(_, gain) => Some(*gain),
            Best::Stale | Best::None => None,
        });
        let most = additions.chain(others.iter().map(|(_, gain)| *gain)).fold(least, f64::max);
        let mut lowest = most;
        let mut near: Vec<(Move, f64)>;
        loop {
            let floor = lowest - TOLERANCE;
            near = others.iter().copied().filter(|(_, gain)| *gain >= floor).collect();
            for to in self.dag.nodes() {
                if matches!(best_of_each[to.index()], Best::Parent(_, gain) if gain >= floor) {
                    let row = &self.toggle[to.index()];
                    let additions = legal_additions(&self.dag, self.constraints, to);
                    near.extend(
                        additions
                            .map(|from| (Move::add(from, to), row[from.index()]))
                            .filter(|(step, gain)| *gain >= floor && allowed(step)),
                    );
                }
            }
            let found = near.iter().map(|(_, gain)| *gain).fold(lowest, f64::min);
            if found == lowest {
                break;
            }
            lowest = found;
        }
        near.sort_unstable_by_key(|(step, _)| *step);
        let mut best = None;
        let mut best_gain = least;
        for (step, gain) in near {
            if gain > best_gain + TOLERANCE {
                (best, best_gain) = (Some(step), gain);
            }
        }
        best.map(|step| (step, best_gain))
    }

    /// The best addition to a child that is not forbidden: mostly the one that is known.
    fn best_allowed(&self, to: VariableId, forbidden: &[Move]) -> Best {
        match self.best_addition[to.index()] {
            Best::Parent(from, _) if forbidden.contains(&Move::add(from, to)) => {
                self.look_for_best(to, forbidden)
            }
            best => best,
        }
    }

    fn gain(&self, step: Move) -> f64 {
        let Move { kind, from, to } = step;
        let toggled = self.toggle[to.index()][from.index()];
        match kind {
            Kind::Add | Kind::Drop => toggled,
            Kind::Reverse => toggled + self.toggle[from.index()][to.index()],
        }
    }

    /// Makes a legal move.
    pub(super) fn apply(&mut self, scorer: &mut Scorer<'_>, step: Move) -> Result<(), ScoreError> {
        self.dag.apply(&step).expect("only legal moves are made");
        let changed = if step.kind == Kind::Reverse { vec![step.to, step.from] } else { vec![step.to] };
        for node in changed {
            let family = Family::of(&self.dag, node);
            // Known already, unless the gain was taken from the other direction.
            let scores = scorer.scores(&[family], &mut |_| ControlFlow::Continue(()))?;
            self.scores[node.index()] = scores[0].total;
            self.toggle[node.index()].fill(f64::NAN);
            self.best_addition[node.index()] = Best::Stale;
        }
        // A new arc only takes additions away, so that a child's best stays the best unless it is taken; without an arc
        // any child may have additions back.
        for to in self.dag.nodes() {
            let best = &mut self.best_addition[to.index()];
            let keep = match *best {
                Best::Parent(from, _) => {
                    step.kind == Kind::Add && is_legal_addition(&self.dag, self.constraints, from, to)
                }
                Best::None => step.kind == Kind::Add,
                Best::Stale => false,
            };
            if !keep {
                *best = Best::Stale;
            }
        }
        Ok(())
    }
}

fn is_legal_addition(dag: &Dag, constraints: &Constraints, from: VariableId, to: VariableId) -> bool {
    constraints.allows(from, to) && constraints.has_room(dag, to) && dag.can_apply(&Move::add(from, to))
}

/// The legal additions to one child, in the column order of the new parent.
fn legal_additions<'a>(
    dag: &'a Dag,
    constraints: &'a Constraints,
    to: VariableId,
) -> impl Iterator<Item = VariableId> + 'a {
    let room = constraints.has_room(dag, to);
    let candidates = room.then(|| constraints.allowed_parents(to)).into_iter().flatten();
    candidates.filter(move |&from| dag.can_apply(&Move::add(from, to)))
}

/// The legal drops, then the legal reversals, each by the column order of `from`, then of `to`.
fn drops_and_reversals<'a>(dag: &'a Dag, constraints: &'a Constraints) -> impl Iterator<Item = Move> + 'a {
    let free = move || dag.arcs().filter(move |&(from, to)| !constraints.requires(from, to));
    let drops = free().map(|(from, to)| Move::drop(from, to));
    let reversals = free()
        .filter(move |&(from, to)| constraints.allows(to, from) && constraints.has_room(dag, from))
        .map(|(from, to)| Move::reverse(from, to))
        .filter(move |step| dag.can_apply(step));
    drops.chain(reversals)
}

/// Every legal move, in the order in which ties are broken: additions, then drops, then reversals; within each by the
/// column order of `from`, then of `to`. It is also the order of [`Move`].
pub(super) fn legal_moves(dag: &Dag, constraints: &Constraints) -> Vec<Move> {
    let additions =
        dag.nodes().flat_map(|to| legal_additions(dag, constraints, to).map(move |from| Move::add(from, to)));
    let mut moves: Vec<Move> = additions.chain(drops_and_reversals(dag, constraints)).collect();
    moves.sort_unstable();
    moves
}
