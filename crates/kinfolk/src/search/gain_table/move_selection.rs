//! Move selection: finds the first of the best moves in scanning order and scores as few families as possible.

use std::borrow::Cow;

use super::{BestAddition, Gain, GainTable, ScoringObserver, TOLERANCE, Toggle};
use crate::data::VariableId;
use crate::graph::{Move, MoveKind};
use crate::score::{ScoreError, Scorer};
use crate::search::legal::{can_reverse, is_legal_addition};

impl GainTable<'_> {
    /// The best legal move that is not forbidden, if its gain exceeds `least`. Scores additions whose bounds exceed the
    /// best known gain, in batches of doubling size, until none is left.
    pub(in crate::search) fn best(
        &mut self,
        scorer: &mut Scorer<'_>,
        least: f64,
        forbidden: &[Move],
        observe: &mut ScoringObserver<'_>,
    ) -> Result<Option<(Move, f64)>, ScoreError> {
        let others = self.drops_and_reversals_above(least, forbidden);
        let mut at_once = 1;
        loop {
            let additions = self.best_additions_except(forbidden);
            let mut near = self.near(least, forbidden, &others, &additions);
            if near.iter().all(|(_, gain)| gain.exact) {
                near.sort_unstable_by_key(|(step, _)| *step);
                return Ok(first_of(&near, least));
            }
            let known = others.iter().map(|(_, gain)| *gain).fold(least, f64::max);
            let mut promising = self.promising(known, forbidden, &additions, at_once);
            // Bounds within the tolerance of the best known gain.
            let hidden = promising.is_empty();
            if hidden {
                let unscored = near.iter().filter(|(_, gain)| !gain.exact);
                promising = unscored.map(|(step, _)| (step.from, step.to)).collect();
            }
            if least >= 0.0 && !hidden {
                self.score_unless_below(scorer, &promising, &vec![0.0; promising.len()], observe)?;
            } else {
                self.score(scorer, &promising, observe)?;
            }
            for &(_, to) in &promising {
                self.best_addition[to.index()] = self.find_best_addition(to, &[]);
            }
            at_once = at_once.saturating_mul(2);
        }
    }

    /// The moves that determine the result of scanning all moves in order, where a move becomes the leader if its gain
    /// exceeds the leader's by the tolerance: those connected to the largest gain by gaps of at most the tolerance.
    /// They are few; there are none if no move exceeds `least`.
    fn near(
        &self,
        least: f64,
        forbidden: &[Move],
        others: &[(Move, f64)],
        best_additions: &[BestAddition],
    ) -> Vec<(Move, Gain)> {
        let known = others.iter().map(|(_, gain)| *gain).fold(least, f64::max);
        let most = best_additions
            .iter()
            .map(BestAddition::at_most)
            .fold(known, |most, gain| if gain > most { gain } else { most });
        if most <= least + TOLERANCE {
            return Vec::new();
        }
        let mut lowest = most;
        loop {
            let floor = lowest - TOLERANCE;
            let high = others.iter().filter(|(_, gain)| *gain >= floor);
            let mut near: Vec<(Move, Gain)> = high.map(|&(step, gain)| (step, Gain::exact(gain))).collect();
            for (to, _) in self.dag.nodes().zip(best_additions).filter(|(_, best)| best.at_most() >= floor) {
                near.extend(self.additions_from(to, floor, forbidden));
            }
            let found = near.iter().map(|(_, gain)| gain.at_most).fold(lowest, f64::min);
            if found == lowest {
                return near;
            }
            lowest = found;
        }
    }

    /// The unscored additions with the largest bounds among those whose bounds exceed the best known gain, at most `at_most` of them.
    fn promising(
        &self,
        mut known: f64,
        forbidden: &[Move],
        best_additions: &[BestAddition],
        at_most: usize,
    ) -> Vec<Toggle> {
        for gain in best_additions.iter().filter_map(BestAddition::gain).filter(|gain| gain.exact) {
            known = known.max(gain.at_most);
        }
        // If at least `at_most` children have one, no addition below the `at_most`-th largest of their best is
        // selected.
        let unscored = best_additions.iter().filter_map(BestAddition::gain).filter(|gain| !gain.exact);
        let mut highest: Vec<f64> =
            unscored.map(|gain| gain.at_most).filter(|gain| *gain > known - TOLERANCE).collect();
        let mut floor = known - TOLERANCE;
        if highest.len() > at_most {
            floor = *highest.select_nth_unstable_by(at_most - 1, |a, b| b.total_cmp(a)).1;
        }
        let mut promising: Vec<(Move, Gain)> = Vec::new();
        for to in self.dag.nodes() {
            let best = best_additions[to.index()].gain();
            if best.is_some_and(|best| !best.exact && best.at_most >= floor) {
                for (step, gain) in self.additions_from(to, floor, forbidden) {
                    if gain.exact {
                        known = known.max(gain.at_most);
                    } else {
                        promising.push((step, gain));
                    }
                }
            }
        }
        promising.retain(|(_, gain)| gain.at_most > known - TOLERANCE);
        let most_first = |(a, gain_a): &(Move, Gain), (b, gain_b): &(Move, Gain)| {
            gain_b.at_most.total_cmp(&gain_a.at_most).then_with(|| a.cmp(b))
        };
        if promising.len() > at_most {
            promising.select_nth_unstable_by(at_most, most_first);
            promising.truncate(at_most);
        }
        promising.sort_unstable_by(most_first);
        promising.iter().map(|(step, _)| (step.from, step.to)).collect()
    }

    /// The legal additions to a child that are not forbidden and whose gain or bound is at least `floor`. The
    /// comparison comes first because it is cheaper than the legality test.
    fn additions_from<'b>(
        &'b self,
        to: VariableId,
        floor: f64,
        forbidden: &'b [Move],
    ) -> impl Iterator<Item = (Move, Gain)> + 'b {
        let high = self.dag.nodes().zip(self.toggles_of(to)).filter(move |(_, gain)| gain.at_most >= floor);
        high.filter(move |&(from, _)| is_legal_addition(&self.dag, self.constraints, from, to))
            .map(move |(from, &gain)| (Move::add(from, to), gain))
            .filter(|(step, _)| !forbidden.contains(step))
    }

    /// The legal drops and reversals that are not forbidden and gain more than `least`.
    fn drops_and_reversals_above(&self, least: f64, forbidden: &[Move]) -> Vec<(Move, f64)> {
        let mut above = Vec::new();
        let arcs = if least < 0.0 { &self.dag.arcs().collect() } else { &self.gaining };
        for &(from, to) in arcs {
            for step in [Move::drop(from, to), Move::reverse(from, to)] {
                let gain = self.gain(step);
                // Few moves gain, and a comparison is cheaper than a legality test.
                let is_legal = || match step.kind {
                    MoveKind::Reverse => can_reverse(&self.dag, self.constraints, from, to),
                    _ => !self.constraints.requires(from, to),
                };
                if gain.at_most > least + TOLERANCE && is_legal() && !forbidden.contains(&step) {
                    assert!(gain.exact, "drops and reversals with positive bounds are scored");
                    above.push((step, gain.at_most));
                }
            }
        }
        above
    }

    /// The best addition to each child that is not forbidden.
    fn best_additions_except(&self, forbidden: &[Move]) -> Cow<'_, [BestAddition]> {
        if forbidden.is_empty() {
            return Cow::Borrowed(&self.best_addition);
        }
        self.dag.nodes().map(|to| self.best_allowed(to, forbidden)).collect()
    }

    /// The best addition to a child that is not forbidden; usually the stored one.
    fn best_allowed(&self, to: VariableId, forbidden: &[Move]) -> BestAddition {
        match self.best_addition[to.index()] {
            BestAddition::Parent(from, _) if forbidden.contains(&Move::add(from, to)) => {
                self.find_best_addition(to, forbidden)
            }
            best => best,
        }
    }
}

/// The leader after scanning all moves in order, with its gain.
fn first_of(in_order: &[(Move, Gain)], least: f64) -> Option<(Move, f64)> {
    let mut best = None;
    let mut best_gain = least;
    for &(step, gain) in in_order {
        if gain.at_most > best_gain + TOLERANCE {
            (best, best_gain) = (Some(step), gain.at_most);
        }
    }
    best.map(|step| (step, best_gain))
}
