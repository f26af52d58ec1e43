//! Candidate parent sets of every variable with their scores, best first: the input of exact search and posterior
//! probabilities.

use std::collections::HashMap;
use std::ops::ControlFlow;

use super::Constraints;
use crate::counts::{Batch, Family};
use crate::data::VariableId;
use crate::score::{Halt, Progress, ScoreError, Scorer};

/// The maximal number of variables: one bit each in a [`ParentSet`].
pub(crate) const PARENT_SET_BITS: usize = 128;

/// Families scored in one request: enough for all threads, few enough to fit into memory with their scores.
const CHUNK: usize = 1 << 15;

/// One candidate: a set of parents and the score of the family.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ParentSet {
    /// The parents: bit v is the variable in column v.
    pub parents: u128,
    /// The score of the child with these parents, the structure prior included.
    pub score: f64,
}

impl ParentSet {
    /// The parents, in column order.
    pub fn members(self) -> impl Iterator<Item = VariableId> {
        members(self.parents)
    }
}

/// The parent sets to score, and those of them to keep.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ParentSetFilter {
    /// A set is kept if its score is above that of its best proper subset minus this many nats. Zero keeps exactly the sets that an
    /// optimal network can contain; infinity keeps all.
    pub slack: f64,
    /// Every set of up to this many parents is scored. A larger one is scored only if some subset with one parent fewer is kept.
    pub exhaustive_up_to: usize,
}

impl ParentSetFilter {
    /// The sets that an optimal network can contain: those that score above each of their subsets.
    pub const OPTIMAL: Self = Self { slack: 0.0, exhaustive_up_to: usize::MAX };

    /// All sets that the constraints allow.
    pub const ALL: Self = Self { slack: f64::INFINITY, exhaustive_up_to: usize::MAX };
}

/// The kept parent sets of every variable.
#[derive(Debug, Clone, PartialEq)]
pub struct ParentSets {
    by_child: Vec<Vec<ParentSet>>,
    families_scored: usize,
}

impl ParentSets {
    /// Scores parent sets by increasing size and keeps those that pass `filter`. Every set contains the required
    /// parents and no forbidden ones.
    ///
    /// Complexity: one score per set; memory for the sets of one size and child at a time.
    ///
    /// # Panics
    /// If there are more than 128 variables.
    pub fn score(
        scorer: &mut Scorer<'_>,
        constraints: &Constraints,
        filter: ParentSetFilter,
        observe: &mut dyn FnMut(Progress) -> ControlFlow<Halt>,
    ) -> Result<Self, ScoreError> {
        let variables = scorer.schema().variables().len();
        assert!(variables <= PARENT_SET_BITS, "parent sets are bits of 128");
        let mut sets = Self { by_child: Vec::with_capacity(variables), families_scored: 0 };
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "positive; a float saturates"
        )]
        let of = Self::number_of_families(constraints, variables, filter.exhaustive_up_to) as usize;
        for child in (0..variables).map(VariableId::new) {
            let before = sets.families_scored;
            let mut scored = 0;
            let kept = score_child(scorer, constraints, filter, child, &mut scored, &mut |done| {
                let done = before + done;
                observe(Progress { done, of: of.max(done) })
            })?;
            sets.families_scored += scored;
            sets.by_child.push(kept);
        }
        Ok(sets)
    }

    /// Sets that were scored elsewhere, for every child in column order.
    ///
    /// # Panics
    /// If there are more than 128 variables.
    pub fn from_scored(mut by_child: Vec<Vec<ParentSet>>) -> Self {
        assert!(by_child.len() <= PARENT_SET_BITS, "parent sets are bits of 128");
        for sets in &mut by_child {
            sets.sort_by(|a, b| {
                let by_size = a.parents.count_ones().cmp(&b.parents.count_ones());
                b.score.total_cmp(&a.score).then(by_size).then(a.parents.cmp(&b.parents))
            });
        }
        let families_scored = by_child.iter().map(Vec::len).sum();
        Self { by_child, families_scored }
    }

    /// The sets of one child, best first; ties are ordered by the number of parents, then by their bits.
    pub fn of(&self, child: VariableId) -> &[ParentSet] {
        &self.by_child[child.index()]
    }

    /// The number of variables.
    pub fn variables(&self) -> usize {
        self.by_child.len()
    }

    /// The number of sets kept.
    pub fn len(&self) -> usize {
        self.by_child.iter().map(Vec::len).sum()
    }

    /// Whether there are none, that is, no variables.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of families that were scored to select them.
    pub fn families_scored(&self) -> usize {
        self.families_scored
    }

    /// The number of families with up to this many optional parents that the constraints allow; a float, since it may
    /// be huge.
    pub fn number_of_families(constraints: &Constraints, variables: usize, most_optional: usize) -> f64 {
        let of_child = |child| {
            let (_, optional, most) = parents_of(constraints, variables, child);
            (0..=most.min(most_optional)).map(|size| binomial(optional.len(), size)).sum::<f64>()
        };
        (0..variables).map(VariableId::new).map(of_child).sum()
    }
}

/// Scores and selects the parent sets of one child; `observe` gets the number of its families scored so far.
fn score_child(
    scorer: &mut Scorer<'_>,
    constraints: &Constraints,
    filter: ParentSetFilter,
    child: VariableId,
    scored: &mut usize,
    observe: &mut dyn FnMut(usize) -> ControlFlow<Halt>,
) -> Result<Vec<ParentSet>, ScoreError> {
    let (required, optional, most) = parents_of(constraints, scorer.schema().variables().len(), child);
    let mut kept: Vec<ParentSet> = Vec::new();
    // For the sets with one parent fewer: the best score among each and its subsets, and whether it is kept.
    let mut smaller: HashMap<u128, (f64, bool)> = HashMap::new();
    for size in 0..=most {
        let candidates = if size <= filter.exhaustive_up_to {
            subsets(&optional, size)
        } else {
            extensions(&smaller, &optional)
        };
        let mut level = HashMap::with_capacity(candidates.len());
        for chunk in candidates.chunks(CHUNK) {
            let families: Vec<Family> =
                chunk.iter().map(|&set| Family::new(child, members(set | required))).collect();
            let before = *scored;
            let best_subsets: Vec<f64> = chunk.iter().map(|&set| best_subset(set, &smaller)).collect();
            // A set that is not kept needs no score, only an upper bound below the threshold.
            let least: Vec<f64> = best_subsets.iter().map(|best| best - filter.slack).collect();
            let scores = scorer.scores_unless_below(&Batch::of(&families), &least, &mut |progress| {
                observe(before + progress.done)
            })?;
            *scored += families.len();
            for ((&set, score), best_subset) in chunk.iter().zip(scores).zip(best_subsets) {
                let is_kept = score.exact && (size == 0 || score.total > best_subset - filter.slack);
                if is_kept {
                    kept.push(ParentSet { parents: set | required, score: score.total });
                }
                let best = if is_kept { score.total.max(best_subset) } else { best_subset };
                level.insert(set, (best, is_kept));
            }
        }
        smaller = level;
    }
    // A stable sort: equal scores keep the order of their sizes.
    kept.sort_by(|a, b| b.score.total_cmp(&a.score));
    Ok(kept)
}

/// The required parents of a child as bits, its optional ones, and the maximal number of the latter.
fn parents_of(
    constraints: &Constraints,
    variables: usize,
    child: VariableId,
) -> (u128, Vec<VariableId>, usize) {
    let others = (0..variables).map(VariableId::new).filter(|&parent| parent != child);
    let (required, free): (Vec<_>, Vec<_>) = others.partition(|&parent| constraints.requires(parent, child));
    let optional: Vec<_> = free.into_iter().filter(|&parent| constraints.allows(parent, child)).collect();
    let most = constraints.max_parents().saturating_sub(required.len()).min(optional.len());
    (required.iter().fold(0, |bits, &parent| bits | bit(parent)), optional, most)
}

/// The best score among the subsets of a set with one parent fewer and all of their subsets; minus infinity if none was scored.
fn best_subset(set: u128, smaller: &HashMap<u128, (f64, bool)>) -> f64 {
    let subsets = members(set).map(|parent| set & !bit(parent));
    subsets.filter_map(|subset| smaller.get(&subset)).map(|&(best, _)| best).fold(f64::NEG_INFINITY, f64::max)
}

/// All subsets of this size, in lexicographic order, so that neighbours share all parents but the last.
fn subsets(of: &[VariableId], size: usize) -> Vec<u128> {
    fn extend(of: &[VariableId], size: usize, chosen: u128, all: &mut Vec<u128>) {
        if size == 0 {
            all.push(chosen);
            return;
        }
        for first in 0..=of.len() - size {
            extend(&of[first + 1..], size - 1, chosen | bit(of[first]), all);
        }
    }
    let mut all = Vec::new();
    if size <= of.len() {
        extend(of, size, 0, &mut all);
    }
    all
}

/// The kept sets extended by one parent each, without repetition, in the order of their bits.
fn extensions(smaller: &HashMap<u128, (f64, bool)>, optional: &[VariableId]) -> Vec<u128> {
    let mut all: Vec<u128> = smaller
        .iter()
        .filter(|(_, (_, is_kept))| *is_kept)
        .flat_map(|(&set, _)| {
            optional.iter().map(move |&parent| set | bit(parent)).filter(move |&larger| larger != set)
        })
        .collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// The bit of a variable.
pub(crate) fn bit(variable: VariableId) -> u128 {
    1 << variable.index()
}

/// The variables of a set, in column order.
pub(crate) fn members(mut set: u128) -> impl Iterator<Item = VariableId> {
    std::iter::from_fn(move || {
        (set != 0).then(|| {
            let next = set.trailing_zeros() as usize;
            set &= set - 1;
            VariableId::new(next)
        })
    })
}

/// The number of subsets of this size.
fn binomial(of: usize, size: usize) -> f64 {
    (0..size).map(|step| (of - step) as f64 / (step + 1) as f64).product()
}
