//! The additions that are to be scored and the best one to each child, for many children by all threads.

use rayon::prelude::*;

use super::{Best, Moves, Toggle};
use crate::data::VariableId;
use crate::graph::Move;
use crate::score::Scorer;
use crate::search::legal::{is_legal_addition, legal_additions};

/// Fewer additions than this are not worth waking another thread for: at some tens of nanoseconds each they take about as long as waking it.
const FEWEST: usize = 4096;

/// Additions of which nothing is known.
#[derive(Default)]
pub(super) struct Unknown {
    /// To be scored or bounded.
    pub(super) additions: Vec<Toggle>,
    /// Those that gain the same as another of them in the other direction.
    pub(super) turned: Vec<Toggle>,
}

impl Moves<'_> {
    /// The children whose best additions are to be looked for.
    pub(super) fn stale(&self) -> Vec<VariableId> {
        let is_stale = |to: &VariableId| matches!(self.best_addition[to.index()], Best::Stale);
        self.dag.nodes().filter(is_stale).collect()
    }

    /// The legal additions to some children of which nothing is known, by child; where the score has a ceiling, each is bounded by itself.
    pub(super) fn unknown_additions(&self, scorer: &Scorer<'_>, children: &[VariableId]) -> Unknown {
        let has_ceiling = scorer.score().has_ceiling();
        let of_some = |children: &[VariableId]| {
            let mut unknown = Unknown::default();
            for &to in children {
                unknown.additions.reserve(self.dag.len());
                let row = self.toggles_of(to);
                let may_turn = !has_ceiling && self.dag.parents(to).is_empty();
                let legal = legal_additions(&self.dag, self.constraints, to);
                for from in legal.ones().filter(|&from| row[from].is_unknown()).map(VariableId::new) {
                    let is_turned = may_turn && self.is_told_by_turned(scorer, from, to);
                    if is_turned { &mut unknown.turned } else { &mut unknown.additions }.push((from, to));
                }
            }
            unknown
        };
        let mut parts = self.in_parts(children, of_some).into_iter();
        let mut all = parts.next().unwrap_or_default();
        for part in parts {
            all.additions.extend(part.additions);
            all.turned.extend(part.turned);
        }
        all
    }

    /// Looks for the best additions to some children.
    pub(super) fn look_for_best_of(&mut self, children: &[VariableId]) {
        let of_some = |children: &[VariableId]| {
            let best = children.iter().map(|&to| self.look_for_best(to, &[]));
            best.collect::<Vec<Best>>()
        };
        let best = self.in_parts(children, of_some);
        for (to, best) in children.iter().zip(best.into_iter().flatten()) {
            self.best_addition[to.index()] = best;
        }
    }

    /// What comes out for some children at a time, in their order.
    fn in_parts<T: Send>(
        &self,
        children: &[VariableId],
        of_some: impl Fn(&[VariableId]) -> T + Sync + Send,
    ) -> Vec<T> {
        if !is_worth_sharing(children.len() * self.dag.len()) {
            return vec![of_some(children)];
        }
        let some = (FEWEST / 2).div_ceil(self.dag.len());
        children.par_chunks(some).map(of_some).collect()
    }

    /// The best addition to a child apart from forbidden ones.
    pub(super) fn look_for_best(&self, to: VariableId, forbidden: &[Move]) -> Best {
        let mut best = Best::None;
        let mut most = f64::NEG_INFINITY;
        for (from, &gain) in self.dag.nodes().zip(self.toggles_of(to)) {
            // Few gains are the most so far, which is found out sooner than whether an addition is legal.
            if gain.most > most
                && is_legal_addition(&self.dag, self.constraints, from, to)
                && !forbidden.contains(&Move::add(from, to))
            {
                (best, most) = (Best::Parent(from, gain), gain.most);
            }
        }
        best
    }
}

/// Whether other threads are to take a part of so much.
fn is_worth_sharing(additions: usize) -> bool {
    additions >= FEWEST && rayon::current_num_threads() > 1
}
