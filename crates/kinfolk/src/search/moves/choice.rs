//! Which move is the best: the first in the order of scanning among those that gain most, scoring no more than that takes.

use std::borrow::Cow;

use super::{Best, Gain, Moves, Observer, TOLERANCE, Toggle};
use crate::data::VariableId;
use crate::graph::{Kind, Move};
use crate::score::{ScoreError, Scorer};
use crate::search::legal::{can_reverse, is_legal_addition};

impl Moves<'_> {
    /// The best legal move and its gain, if one gains more than `least`, apart from forbidden ones. Additions that may gain more than
    /// what is known of others are scored first, more and more of them at a time.
    pub(in crate::search) fn best(
        &mut self,
        scorer: &mut Scorer<'_>,
        least: f64,
        forbidden: &[Move],
        observe: &mut Observer<'_>,
    ) -> Result<Option<(Move, f64)>, ScoreError> {
        let others = self.drops_and_reversals_above(least, forbidden);
        let mut at_once = 1;
        loop {
            let additions = self.best_of_each(forbidden);
            let mut near = self.near(least, forbidden, &others, &additions);
            if near.iter().all(|(_, gain)| gain.exact) {
                near.sort_unstable_by_key(|(step, _)| *step);
                return Ok(first_of(&near, least));
            }
            let known = others.iter().map(|(_, gain)| *gain).fold(least, f64::max);
            let mut promising = self.promising(known, forbidden, &additions, at_once);
            // Hidden behind moves that gain the same but for rounding.
            let hidden = promising.is_empty();
            if hidden {
                let unscored = near.iter().filter(|(_, gain)| !gain.exact);
                promising = unscored.map(|(step, _)| (step.from, step.to)).collect();
            }
            if least >= 0.0 && !hidden {
                self.judge(scorer, &promising, &vec![0.0; promising.len()], observe)?;
            } else {
                self.score(scorer, &promising, observe)?;
            }
            for &(_, to) in &promising {
                self.best_addition[to.index()] = self.look_for_best(to, &[]);
            }
            at_once = at_once.saturating_mul(2);
        }
    }

    /// The moves that can matter to the rule of scanning every one in order, where one takes the lead if it gains more than the leader
    /// by at least the tolerance: those near the largest gain, from which no gap wider than the tolerance leads up to it. They are few, and
    /// none if none can lead.
    fn near(
        &self,
        least: f64,
        forbidden: &[Move],
        others: &[(Move, f64)],
        best_of_each: &[Best],
    ) -> Vec<(Move, Gain)> {
        let known = others.iter().map(|(_, gain)| *gain).fold(least, f64::max);
        let most = best_of_each
            .iter()
            .map(Best::most)
            .fold(known, |most, gain| if gain > most { gain } else { most });
        if most <= least + TOLERANCE {
            return Vec::new();
        }
        let mut lowest = most;
        loop {
            let floor = lowest - TOLERANCE;
            let high = others.iter().filter(|(_, gain)| *gain >= floor);
            let mut near: Vec<(Move, Gain)> = high.map(|&(step, gain)| (step, Gain::known(gain))).collect();
            for (to, _) in self.dag.nodes().zip(best_of_each).filter(|(_, best)| best.most() >= floor) {
                near.extend(self.additions_from(to, floor, forbidden));
            }
            let found = near.iter().map(|(_, gain)| gain.most).fold(lowest, f64::min);
            if found == lowest {
                return near;
            }
            lowest = found;
        }
    }

    /// The additions that may gain most among those that are not scored yet and may gain more than what some move is known to gain.
    fn promising(
        &self,
        mut known: f64,
        forbidden: &[Move],
        best_of_each: &[Best],
        at_most: usize,
    ) -> Vec<Toggle> {
        for gain in best_of_each.iter().filter_map(Best::gain).filter(|gain| gain.exact) {
            known = known.max(gain.most);
        }
        // Where enough children have one such addition, none is chosen that may gain less than the best of each of these.
        let unscored = best_of_each.iter().filter_map(Best::gain).filter(|gain| !gain.exact);
        let mut highest: Vec<f64> =
            unscored.map(|gain| gain.most).filter(|most| *most > known - TOLERANCE).collect();
        let mut floor = known - TOLERANCE;
        if highest.len() > at_most {
            floor = *highest.select_nth_unstable_by(at_most - 1, |a, b| b.total_cmp(a)).1;
        }
        let mut promising: Vec<(Move, Gain)> = Vec::new();
        for to in self.dag.nodes() {
            let best = best_of_each[to.index()].gain();
            if best.is_some_and(|best| !best.exact && best.most >= floor) {
                for (step, gain) in self.additions_from(to, floor, forbidden) {
                    if gain.exact {
                        known = known.max(gain.most);
                    } else {
                        promising.push((step, gain));
                    }
                }
            }
        }
        promising.retain(|(_, gain)| gain.most > known - TOLERANCE);
        let most_first = |(a, gain_a): &(Move, Gain), (b, gain_b): &(Move, Gain)| {
            gain_b.most.total_cmp(&gain_a.most).then_with(|| a.cmp(b))
        };
        if promising.len() > at_most {
            promising.select_nth_unstable_by(at_most, most_first);
            promising.truncate(at_most);
        }
        promising.sort_unstable_by(most_first);
        promising.iter().map(|(step, _)| (step.from, step.to)).collect()
    }

    /// The legal additions to a child that may gain `floor` or more and are not forbidden, with what is known of their gains. Few gains are
    /// that high, which is found out sooner than whether an addition is legal.
    fn additions_from<'b>(
        &'b self,
        to: VariableId,
        floor: f64,
        forbidden: &'b [Move],
    ) -> impl Iterator<Item = (Move, Gain)> + 'b {
        let high = self.dag.nodes().zip(self.toggles_of(to)).filter(move |(_, gain)| gain.most >= floor);
        high.filter(move |&(from, _)| is_legal_addition(&self.dag, self.constraints, from, to))
            .map(move |(from, &gain)| (Move::add(from, to), gain))
            .filter(|(step, _)| !forbidden.contains(step))
    }

    /// The legal drops and reversals that gain enough to lead and are not forbidden, with their gains.
    fn drops_and_reversals_above(&self, least: f64, forbidden: &[Move]) -> Vec<(Move, f64)> {
        let mut above = Vec::new();
        let arcs = if least < 0.0 { &self.dag.arcs().collect() } else { &self.gaining };
        for &(from, to) in arcs {
            for step in [Move::drop(from, to), Move::reverse(from, to)] {
                let gain = self.gain(step);
                // Few gain, which is found out sooner than whether they are legal.
                let is_legal = || match step.kind {
                    Kind::Reverse => can_reverse(&self.dag, self.constraints, from, to),
                    _ => !self.constraints.requires(from, to),
                };
                if gain.most > least + TOLERANCE && is_legal() && !forbidden.contains(&step) {
                    assert!(gain.exact, "what may gain was scored");
                    above.push((step, gain.most));
                }
            }
        }
        above
    }

    /// The best addition to each child that is not forbidden.
    fn best_of_each(&self, forbidden: &[Move]) -> Cow<'_, [Best]> {
        if forbidden.is_empty() {
            return Cow::Borrowed(&self.best_addition);
        }
        self.dag.nodes().map(|to| self.best_allowed(to, forbidden)).collect()
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
}

/// The move that leads after all were scanned in order, with its gain.
fn first_of(in_order: &[(Move, Gain)], least: f64) -> Option<(Move, f64)> {
    let mut best = None;
    let mut best_gain = least;
    for &(step, gain) in in_order {
        if gain.most > best_gain + TOLERANCE {
            (best, best_gain) = (Some(step), gain.most);
        }
    }
    best.map(|step| (step, best_gain))
}
