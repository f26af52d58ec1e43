//! Finds the additions to score and the best addition to each child; large tables are scanned in parallel.

use rayon::prelude::*;

use super::{BestAddition, GainTable, Toggle};
use crate::data::VariableId;
use crate::graph::Move;
use crate::score::Scorer;
use crate::search::legal::{is_legal_addition, legal_additions};

/// Fewer additions are scanned by one thread: at tens of nanoseconds each they take about as long as waking another
/// thread.
const FEWEST_PARALLEL: usize = 4096;

/// Additions without a gain or a bound.
#[derive(Default)]
pub(super) struct UnscoredAdditions {
    /// To be scored or bounded.
    pub(super) additions: Vec<Toggle>,
    /// Additions whose gain equals that of the opposite arc, which is in `additions`.
    pub(super) mirrored: Vec<Toggle>,
}

impl GainTable<'_> {
    /// The children whose best addition must be determined.
    pub(super) fn stale(&self) -> Vec<VariableId> {
        let is_stale = |to: &VariableId| matches!(self.best_addition[to.index()], BestAddition::Stale);
        self.dag.nodes().filter(is_stale).collect()
    }

    /// The legal additions to some children without a gain, by child. With upper bounds each direction is bounded by itself.
    pub(super) fn unscored_additions(
        &self,
        scorer: &Scorer<'_>,
        children: &[VariableId],
    ) -> UnscoredAdditions {
        let has_bounds = scorer.score().upper_bounds().is_some();
        let of_some = |children: &[VariableId]| {
            let mut unscored = UnscoredAdditions::default();
            for &to in children {
                unscored.additions.reserve(self.dag.len());
                let row = self.toggles_of(to);
                let may_mirror = !has_bounds && self.dag.parents(to).is_empty();
                let legal = legal_additions(&self.dag, self.constraints, to);
                for from in legal.ones().filter(|&from| row[from].is_unknown()).map(VariableId::new) {
                    let is_mirrored = may_mirror && self.is_mirrored(scorer, from, to);
                    if is_mirrored { &mut unscored.mirrored } else { &mut unscored.additions }
                        .push((from, to));
                }
            }
            unscored
        };
        let mut parts = self.in_chunks(children, of_some).into_iter();
        let mut all = parts.next().unwrap_or_default();
        for part in parts {
            all.additions.extend(part.additions);
            all.mirrored.extend(part.mirrored);
        }
        all
    }

    /// Determines the best additions to some children.
    pub(super) fn update_best_additions(&mut self, children: &[VariableId]) {
        let of_some = |children: &[VariableId]| {
            let best = children.iter().map(|&to| self.find_best_addition(to, &[]));
            best.collect::<Vec<BestAddition>>()
        };
        let best = self.in_chunks(children, of_some);
        for (to, best) in children.iter().zip(best.into_iter().flatten()) {
            self.best_addition[to.index()] = best;
        }
    }

    /// The results of `of_some` on chunks of the children, in their order.
    fn in_chunks<T: Send>(
        &self,
        children: &[VariableId],
        of_some: impl Fn(&[VariableId]) -> T + Sync + Send,
    ) -> Vec<T> {
        if !is_worth_sharing(children.len() * self.dag.len()) {
            return vec![of_some(children)];
        }
        let size = (FEWEST_PARALLEL / 2).div_ceil(self.dag.len());
        children.par_chunks(size).map(of_some).collect()
    }

    /// The best addition to a child that is not forbidden.
    pub(super) fn find_best_addition(&self, to: VariableId, forbidden: &[Move]) -> BestAddition {
        let mut best = BestAddition::None;
        let mut most = f64::NEG_INFINITY;
        for (from, &gain) in self.dag.nodes().zip(self.toggles_of(to)) {
            // Few gains exceed the largest so far, and a comparison is cheaper than a legality test.
            if gain.at_most > most
                && is_legal_addition(&self.dag, self.constraints, from, to)
                && !forbidden.contains(&Move::add(from, to))
            {
                (best, most) = (BestAddition::Parent(from, gain), gain.at_most);
            }
        }
        best
    }
}

/// Whether this many additions are scanned in parallel.
fn is_worth_sharing(additions: usize) -> bool {
    additions >= FEWEST_PARALLEL && rayon::current_num_threads() > 1
}
