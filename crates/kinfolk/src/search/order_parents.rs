//! Selects the parents of a variable among those before it in an order, and caches the choices.
//!
//! Selection adds the parent that gains most until none gains, then drops parents while that gains. The first addition
//! may be a pair of parents, since some gain only together. For every set of parents that selection meets, all
//! additions that gain are scored once, in one batch, and stored in descending order: selection with other predecessors
//! is then a lookup.

use fixedbitset::FixedBitSet;
use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};

use super::gain_table::is_above;
use super::hill_climb::SearchObserver;
use super::{Constraints, Event};
use crate::counts::{Batch, Change, Family};
use crate::data::VariableId;
use crate::score::{ScoreError, Scorer};

/// A selected set of parents, as an index into the child's known sets, and the child's score with it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ParentChoice {
    set: usize,
    pub(super) score: f64,
}

impl ParentChoice {
    /// A placeholder.
    pub(super) const NONE: Self = Self { set: usize::MAX, score: f64::NAN };
}

/// The known sets of parents of every child.
pub(super) struct ParentChoices<'a> {
    constraints: &'a Constraints,
    /// Whether the first addition may be a pair.
    has_pairs: bool,
    by_child: Vec<KnownSets>,
}

/// One parent, or a pair, that is added to a set.
type Added = SmallVec<[VariableId; 2]>;

/// The known sets of parents of one child; the first has only the required parents.
#[derive(Default)]
struct KnownSets {
    sets: Vec<KnownSet>,
    places: FxHashMap<Family, usize>,
}

struct KnownSet {
    family: Family,
    score: f64,
    /// The additions that gain, best first, with the sets they lead to; computed on first use.
    additions: Option<Vec<(Added, usize)>>,
    /// The set that remains after dropping parents while that gains; computed on first use.
    reduced: Option<usize>,
}

impl KnownSets {
    /// The index of a set; a new set is added.
    fn place(&mut self, family: Family, score: f64) -> usize {
        let next = self.sets.len();
        let place = *self.places.entry(family.clone()).or_insert(next);
        if place == next {
            self.sets.push(KnownSet { family, score, additions: None, reduced: None });
        }
        place
    }
}

impl<'a> ParentChoices<'a> {
    /// Scores every variable with its required parents only. Pairs are tried if all variables together have at most
    /// `most_pairs`.
    pub(super) fn new(
        scorer: &mut Scorer<'_>,
        constraints: &'a Constraints,
        most_pairs: usize,
        observe: &mut SearchObserver<'_>,
    ) -> Result<Self, ScoreError> {
        let variables: Vec<VariableId> = scorer.schema().ids().collect();
        let required = |child: VariableId| {
            let parents = variables.iter().copied().filter(|&parent| constraints.requires(parent, child));
            Family::new(child, parents)
        };
        let families: Vec<Family> = variables.iter().map(|&child| required(child)).collect();
        let mut scoring = |progress| observe(&Event::Scoring(progress));
        let scores = scorer.scores(&Batch::of(&families), &mut scoring)?;
        let by_child = families.into_iter().zip(scores).map(|(family, score)| {
            let mut known = KnownSets::default();
            known.place(family, score.total);
            known
        });
        let pairs = |child: &VariableId| {
            let allowed = constraints.allowed_parents(*child).count_ones(..);
            allowed * allowed.saturating_sub(1) / 2
        };
        let has_pairs = variables.iter().map(pairs).sum::<usize>() <= most_pairs;
        Ok(Self { constraints, has_pairs, by_child: by_child.collect() })
    }

    /// The family of a choice.
    pub(super) fn family(&self, child: VariableId, choice: ParentChoice) -> &Family {
        &self.by_child[child.index()].sets[choice.set].family
    }

    /// The parents that a child selects among the variables before it, always including its required parents.
    pub(super) fn best(
        &mut self,
        scorer: &mut Scorer<'_>,
        child: VariableId,
        before: &FixedBitSet,
        observe: &mut SearchObserver<'_>,
    ) -> Result<ParentChoice, ScoreError> {
        let mut place = 0;
        loop {
            self.expand(scorer, child, place, observe)?;
            let additions = self.by_child[child.index()].sets[place].additions.iter().flatten();
            let is_before = |added: &Added| added.iter().all(|parent| before.contains(parent.index()));
            match additions.into_iter().find(|(added, _)| is_before(added)) {
                Some(&(_, larger)) => place = larger,
                None => break,
            }
        }
        let set = self.reduce(scorer, child, place, observe)?;
        Ok(ParentChoice { set, score: self.by_child[child.index()].sets[set].score })
    }

    /// Finds the additions to a set that gain; for the required parents alone also pairs that gain more than either
    /// parent.
    fn expand(
        &mut self,
        scorer: &mut Scorer<'_>,
        child: VariableId,
        place: usize,
        observe: &mut SearchObserver<'_>,
    ) -> Result<(), ScoreError> {
        let known = &mut self.by_child[child.index()];
        let KnownSet { family, score, additions, .. } = &known.sets[place];
        if additions.is_some() {
            return Ok(());
        }
        let (family, score) = (family.clone(), *score);
        let mut gaining: Vec<(Added, f64)> = Vec::new();
        if self.constraints.allows_more_parents_than(family.parents().len()) {
            let allowed = self.constraints.allowed_parents(child).ones().map(VariableId::new);
            let new: Vec<VariableId> =
                allowed.filter(|parent| family.parents().binary_search(parent).is_err()).collect();
            let mut batch = Batch::with_capacity(new.len());
            if !new.is_empty() {
                batch.around(&family, new.iter().map(|&parent| Change::With(parent)));
            }
            let least = vec![score; new.len()];
            let mut scoring = |progress| observe(&Event::Scoring(progress));
            let scores = scorer.scores_unless_below(&batch, &least, &mut scoring)?;
            let totals: Vec<f64> = scores
                .iter()
                .map(
                    |larger| if larger.exact && is_above(larger.total, score) { larger.total } else { score },
                )
                .collect();
            let singles = new.iter().zip(&totals).filter(|(_, total)| **total > score);
            gaining.extend(singles.map(|(&parent, &total)| (smallvec![parent], total)));
            if place == 0
                && self.has_pairs
                && self.constraints.allows_more_parents_than(family.parents().len() + 1)
            {
                gaining.extend(gaining_pairs(scorer, &family, &new, &totals, observe)?);
            }
            // A stable sort: ties stay in column order.
            gaining.sort_by(|(_, a), (_, b)| b.total_cmp(a));
        }
        let additions = gaining.into_iter().map(|(added, larger)| {
            let with_all = added.iter().fold(family.clone(), |family, &parent| family.with(parent));
            (added, known.place(with_all, larger))
        });
        let additions = additions.collect();
        known.sets[place].additions = Some(additions);
        Ok(())
    }

    /// Drops the parent whose removal gains most, until none gains.
    fn reduce(
        &mut self,
        scorer: &mut Scorer<'_>,
        child: VariableId,
        place: usize,
        observe: &mut SearchObserver<'_>,
    ) -> Result<usize, ScoreError> {
        let known = &mut self.by_child[child.index()];
        if let Some(reduced) = known.sets[place].reduced {
            return Ok(reduced);
        }
        let mut end = place;
        loop {
            let KnownSet { family, score, .. } = &known.sets[end];
            let (family, score) = (family.clone(), *score);
            let is_optional = |parent: &VariableId| !self.constraints.requires(*parent, child);
            let parents: Vec<VariableId> = family.parents().iter().copied().filter(is_optional).collect();
            if parents.is_empty() {
                break;
            }
            let mut batch = Batch::with_capacity(parents.len());
            batch.around(&family, parents.iter().map(|&parent| Change::Without(parent)));
            let mut scoring = |progress| observe(&Event::Scoring(progress));
            let scores = scorer.scores(&batch, &mut scoring)?;
            let mut best: Option<(VariableId, f64)> = None;
            for (parent, smaller) in parents.into_iter().zip(scores) {
                if is_above(smaller.total, best.map_or(score, |(_, most)| most)) {
                    best = Some((parent, smaller.total));
                }
            }
            let Some((parent, smaller)) = best else { break };
            end = known.place(family.without(parent), smaller);
        }
        known.sets[place].reduced = Some(end);
        Ok(end)
    }
}

/// The pairs of parents that score higher than the child with one or none of them; `totals` has the scores with one
/// parent, or without it if it gains nothing.
fn gaining_pairs(
    scorer: &mut Scorer<'_>,
    family: &Family,
    new: &[VariableId],
    totals: &[f64],
    observe: &mut SearchObserver<'_>,
) -> Result<Vec<(Added, f64)>, ScoreError> {
    let (mut batch, mut pairs, mut least) = (Batch::default(), Vec::new(), Vec::new());
    for (place, &first) in new.iter().enumerate() {
        let others = &new[place + 1..];
        if others.is_empty() {
            break;
        }
        batch.around(&family.with(first), others.iter().map(|&second| Change::With(second)));
        pairs.extend(others.iter().map(|&second| -> Added { smallvec![first, second] }));
        least.extend(totals[place + 1..].iter().map(|total| total.max(totals[place])));
    }
    let scores =
        scorer.scores_unless_below(&batch, &least, &mut |progress| observe(&Event::Scoring(progress)))?;
    let known = pairs.into_iter().zip(scores).zip(least);
    Ok(known
        .filter(|((_, pair), least)| pair.exact && is_above(pair.total, *least))
        .map(|((added, pair), _)| (added, pair.total))
        .collect())
}
