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
}

impl<'a> Moves<'a> {
    /// Scores the start graph. This is not interrupted, so that there is always a score to report.
    pub(super) fn new(
        scorer: &mut Scorer<'_>,
        constraints: &'a Constraints,
        dag: Dag,
    ) -> Result<Self, ScoreError> {
        let size = dag.len();
        let families: Vec<Family> = dag.nodes().map(|node| Family::of(&dag, node)).collect();
        scorer.prepare(families.iter().cloned(), &mut |_| ControlFlow::Continue(()))?;
        let scores = families.iter().map(|family| scorer.known(family).total).collect();
        Ok(Self { dag, constraints, scores, toggle: vec![vec![f64::NAN; size]; size] })
    }

    /// The score of the current graph.
    pub(super) fn total(&self) -> f64 {
        self.scores.iter().sum()
    }

    /// Scores whatever is needed to compare all legal moves.
    pub(super) fn evaluate(
        &mut self,
        scorer: &mut Scorer<'_>,
        observe: &mut dyn FnMut(Progress) -> ControlFlow<Halt>,
    ) -> Result<(), ScoreError> {
        let mut unknown = Vec::new();
        for step in legal_moves(&self.dag, self.constraints) {
            let Move { kind, from, to } = step;
            if kind == Kind::Reverse && self.toggle[from.index()][to.index()].is_nan() {
                unknown.push((to, from));
            }
            if self.toggle[to.index()][from.index()].is_nan() {
                unknown.push((from, to));
            }
        }
        let families: Vec<(Family, Family)> =
            unknown.iter().map(|&(from, to)| self.before_and_after(scorer, from, to)).collect();
        let asked = families.iter().flat_map(|(before, after)| [before.clone(), after.clone()]);
        scorer.prepare(asked, observe)?;
        for (&(from, to), (before, after)) in unknown.iter().zip(&families) {
            self.toggle[to.index()][from.index()] = scorer.known(after).total - scorer.known(before).total;
        }
        Ok(())
    }

    /// The families whose scores tell what toggling `from → to` gains.
    ///
    /// Under a score-equivalent score the first arc between two nodes without parents gains the same in either direction;
    /// taking it from the direction of the column order halves the work and keeps rounding from choosing one.
    fn before_and_after(&self, scorer: &Scorer<'_>, from: VariableId, to: VariableId) -> (Family, Family) {
        let before = Family::of(&self.dag, to);
        if self.dag.has_arc(from, to) {
            let after = before.without(from);
            return (before, after);
        }
        let alone = before.parents().is_empty() && self.dag.parents(from).is_empty();
        if scorer.score().is_score_equivalent() && alone && to < from {
            let before = Family::of(&self.dag, from);
            let after = before.with(to);
            return (before, after);
        }
        let after = before.with(from);
        (before, after)
    }

    /// The best legal move and its gain, if one beats doing nothing.
    pub(super) fn best(&self) -> Option<(Move, f64)> {
        let mut best = None;
        let mut best_gain = 0.0;
        for step in legal_moves(&self.dag, self.constraints) {
            let gain = self.gain(step);
            if gain > best_gain + TOLERANCE {
                (best, best_gain) = (Some(step), gain);
            }
        }
        best.map(|step| (step, best_gain))
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
            scorer.prepare([family.clone()], &mut |_| ControlFlow::Continue(()))?;
            self.scores[node.index()] = scorer.known(&family).total;
            self.toggle[node.index()].fill(f64::NAN);
        }
        Ok(())
    }
}

/// Every legal move, in the order in which ties are broken: additions, then drops, then reversals; within each by the
/// column order of `from`, then of `to`.
pub(super) fn legal_moves<'a>(dag: &'a Dag, constraints: &'a Constraints) -> impl Iterator<Item = Move> + 'a {
    let additions = dag.nodes().flat_map(move |from| {
        dag.nodes()
            .filter(move |&to| constraints.allows(from, to) && constraints.has_room(dag, to))
            .map(move |to| Move::add(from, to))
    });
    let free = move || dag.arcs().filter(move |&(from, to)| !constraints.requires(from, to));
    let drops = free().map(|(from, to)| Move::drop(from, to));
    let reversals = free()
        .filter(move |&(from, to)| constraints.allows(to, from) && constraints.has_room(dag, from))
        .map(|(from, to)| Move::reverse(from, to));
    additions.chain(drops).chain(reversals).filter(move |step| dag.can_apply(step))
}
