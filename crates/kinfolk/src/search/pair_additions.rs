//! Additions of two parents at once: finds parents that gain together where neither gains alone.
//!
//! A climb that adds one arc at a time misses interactions without main effects: the child looks independent of each
//! parent alone and stays without parents. At an optimum, this step scores every node without parents with every pair
//! of parents and adds the pair that gains most. Pairs for all other nodes as well took six times as long and gained
//! nothing (50 variables, 18 problems).

use super::gain_table::is_above;
use super::hill_climb::{ClimbState, SearchObserver};
use super::legal::legal_additions;
use super::{Event, HillClimb, Stop};
use crate::counts::{Batch, Change, Family};
use crate::data::VariableId;
use crate::graph::Move;
use crate::score::{ScoreError, Scorer};

/// Two arcs to the same child and the child's score with them.
#[derive(Debug, Clone, Copy)]
struct ParentPair {
    parents: [VariableId; 2],
    child: VariableId,
    /// The score of the child with both parents minus its current score.
    gain: f64,
}

impl HillClimb {
    /// Adds the pair of parents with the largest gain and continues to climb, until no pair gains.
    pub(super) fn add_pairs(
        &self,
        scorer: &mut Scorer<'_>,
        state: &mut ClimbState<'_>,
        taken: &mut usize,
        observe: &mut SearchObserver<'_>,
    ) -> Result<Stop, ScoreError> {
        while let Some(pair) = self.best_pair(scorer, state, observe)? {
            if self.max_steps.is_some_and(|most| *taken + 2 > most) {
                return Ok(Stop::MaxSteps);
            }
            *taken += 2;
            let moves = pair.parents.map(|parent| Move::add(parent, pair.child));
            if let Some(stop) = state.apply_all(scorer, &moves, *taken, observe)? {
                return Ok(stop);
            }
            let stop = self.climb_and_reverse(scorer, state, taken, observe)?;
            if stop != Stop::Optimum {
                return Ok(stop);
            }
        }
        Ok(Stop::Optimum)
    }

    /// The pair of parents with the largest positive gain for a node without parents, if any; ties go to the first in
    /// column order. None if there are more pairs than `most_pairs`. If neither parent alone closes a cycle, both
    /// together close none.
    fn best_pair(
        &self,
        scorer: &mut Scorer<'_>,
        state: &ClimbState<'_>,
        observe: &mut SearchObserver<'_>,
    ) -> Result<Option<ParentPair>, ScoreError> {
        let (dag, scores) = (&state.table.dag, state.table.scores());
        if self.constraints.max_parents() < 2 {
            return Ok(None);
        }
        let additions: Vec<(VariableId, Vec<VariableId>)> = dag
            .nodes()
            .filter(|child| dag.parents(*child).is_empty())
            .map(|child| {
                let parents = legal_additions(dag, &self.constraints, child);
                (child, parents.into_ones().map(VariableId::new).collect())
            })
            .collect();
        let pairs = |parents: &[VariableId]| parents.len() * parents.len().saturating_sub(1) / 2;
        if additions.iter().map(|(_, parents)| pairs(parents)).sum::<usize>() > self.most_pairs {
            return Ok(None);
        }
        let mut best: Option<ParentPair> = None;
        for (child, parents) in additions {
            let mut batch = Batch::with_capacity(pairs(&parents));
            let family = Family::of(dag, child);
            let mut candidates = Vec::with_capacity(pairs(&parents));
            for (index, &first) in parents.iter().enumerate() {
                let others = &parents[index + 1..];
                if !others.is_empty() {
                    batch.around(&family.with(first), others.iter().map(|&second| Change::With(second)));
                    candidates.extend(others.iter().map(|&second| [first, second]));
                }
            }
            let current = scores[child.index()];
            let least = vec![current + best.map_or(0.0, |best| best.gain); batch.len()];
            let known = scorer
                .scores_unless_below(&batch, &least, &mut |progress| observe(&Event::Scoring(progress)))?;
            for (parents, known) in candidates.into_iter().zip(known).filter(|(_, known)| known.exact) {
                let gain = known.total - current;
                if is_above(known.total, current) && best.is_none_or(|best| gain > best.gain) {
                    best = Some(ParentPair { parents, child, gain });
                }
            }
        }
        Ok(best)
    }
}
