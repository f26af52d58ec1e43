//! Exact search: the optimal network under a score, by dynamic programming over subsets of the variables.

use std::ops::ControlFlow;

use thiserror::Error;

use super::Constraints;
use super::parent_sets::{ParentSetFilter, ParentSets, bit, members};
use crate::data::VariableId;
use crate::graph::Dag;
use crate::score::{Halt, Progress, ScoreError, Scorer};

/// The maximal number of variables: a table of 2^30 subsets at 9 bytes each takes 9.7 GB, and every further variable
/// doubles it.
const MOST_VARIABLES: usize = 30;

/// The maximal number of families that an exact search scores: minutes to an hour at ten to a hundred microseconds
/// each.
pub(super) const MOST_FAMILIES: usize = 40_000_000;

/// Subsets between two calls of the observer: a few milliseconds.
const SUBSETS_BETWEEN_CALLS: usize = 1 << 16;

/// Why an exact search is impossible.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum ExactError {
    /// The table of subsets would be too large.
    #[error(
        "an exact search among {variables} variables needs a table of 2^{variables} subsets; the maximum is {most} variables"
    )]
    TooManyVariables {
        /// The number of variables.
        variables: usize,
        /// The maximal number.
        most: usize,
    },
    /// The table of subsets does not fit into memory.
    #[error(
        "an exact search among {variables} variables needs {megabytes} MB of memory, which cannot be allocated"
    )]
    OutOfMemory {
        /// The number of variables.
        variables: usize,
        /// The size of the table.
        megabytes: u64,
    },
    /// Too many families would have to be scored.
    #[error(
        "an exact search would have to score {families:.1e} families, and the maximum is {most:.0e}; allow fewer parents or variables"
    )]
    TooManyFamilies {
        /// The number of families.
        families: f64,
        /// The maximal number.
        most: f64,
    },
    /// Every choice of candidates has a cycle, or a variable has no candidate; possible only if the candidates were
    /// scored elsewhere.
    #[error(
        "no acyclic network consists of these parent sets, or a variable has none; add the empty set for every variable"
    )]
    NoNetwork,
    /// Families could not be scored, or the observer requested a stop. There is no partial result.
    #[error(transparent)]
    Score(#[from] ScoreError),
}

/// The progress that an exact search reports to its observer, which may request a stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExactEvent {
    /// Families are being scored.
    Scoring(Progress),
    /// Subsets of the variables are being processed.
    Subsets(Progress),
}

/// The optimal network.
#[derive(Debug, Clone, PartialEq)]
pub struct Optimum {
    /// The network; ties are resolved deterministically.
    pub dag: Dag,
    /// Its score.
    pub score: f64,
    /// The number of parent sets that an optimal network can contain.
    pub candidates: usize,
    /// The number of families scored to find them.
    pub families_scored: usize,
}

/// Finds the network with the highest score that satisfies the constraints.
///
/// A parent set that scores no higher than one of its subsets cannot improve a network and is dropped. The best network
/// on a set S of variables consists of the best network on S without its best sink, and the sink with its best parents
/// in S (Silander and Myllymäki 2006, A simple approach for finding the globally optimal Bayesian network structure,
/// UAI 22, 445–452).
///
/// Complexity: one score per allowed parent set, then O(N·2^N) lookups in lists sorted by score, and 9 bytes per
/// subset.
pub fn optimum(
    scorer: &mut Scorer<'_>,
    constraints: &Constraints,
    observe: &mut dyn FnMut(ExactEvent) -> ControlFlow<Halt>,
) -> Result<Optimum, ExactError> {
    let variables = scorer.schema().variables().len();
    check_exact(constraints, variables, MOST_FAMILIES)?;
    // Allocated before any family is scored, so that a failure is reported at once.
    let mut table = SubsetOptima::new(variables)?;
    let mut scoring = |progress| observe(ExactEvent::Scoring(progress));
    let sets = ParentSets::score(scorer, constraints, ParentSetFilter::OPTIMAL, &mut scoring)?;
    table.optimum(&sets, observe)
}

/// Finds the network with the highest score whose families are all candidates, which may have been scored elsewhere.
///
/// Complexity: that of [`optimum`] without scoring.
pub fn optimum_of(
    sets: &ParentSets,
    observe: &mut dyn FnMut(ExactEvent) -> ControlFlow<Halt>,
) -> Result<Optimum, ExactError> {
    let variables = sets.variables();
    if variables > MOST_VARIABLES {
        return Err(ExactError::TooManyVariables { variables, most: MOST_VARIABLES });
    }
    SubsetOptima::new(variables)?.optimum(sets, observe)
}

/// Returns an error if there are too many variables or more families than `most`.
pub(super) fn check_exact(
    constraints: &Constraints,
    variables: usize,
    most: usize,
) -> Result<(), ExactError> {
    if variables > MOST_VARIABLES {
        return Err(ExactError::TooManyVariables { variables, most: MOST_VARIABLES });
    }
    let (families, most) = (ParentSets::number_of_families(constraints, variables, usize::MAX), most as f64);
    if families > most { Err(ExactError::TooManyFamilies { families, most }) } else { Ok(()) }
}

/// The candidate parent sets of every variable as 32-bit sets with their scores, best first.
struct Candidates(Vec<Vec<(u32, f64)>>);

impl Candidates {
    fn of(sets: &ParentSets) -> Self {
        let narrow = |set: u128| u32::try_from(set).expect("there are at most 30 variables");
        let children = (0..sets.variables()).map(VariableId::new);
        Self(
            children
                .map(|child| sets.of(child).iter().map(|set| (narrow(set.parents), set.score)).collect())
                .collect(),
        )
    }
}

/// The best network on every subset of the variables: its score, and the last variable of its order.
struct SubsetOptima {
    variables: usize,
    scores: Vec<f64>,
    sinks: Vec<u8>,
}

impl SubsetOptima {
    fn new(variables: usize) -> Result<Self, ExactError> {
        let size = 1_usize << variables;
        let (mut scores, mut sinks) = (Vec::new(), Vec::new());
        let allocated = scores.try_reserve_exact(size).and_then(|()| sinks.try_reserve_exact(size));
        allocated.map_err(|_| ExactError::OutOfMemory {
            variables,
            megabytes: (size as u64 * 9).div_ceil(1_000_000),
        })?;
        Ok(Self { variables, scores, sinks })
    }

    /// Fills the table and traces the optimum back.
    fn optimum(
        &mut self,
        sets: &ParentSets,
        observe: &mut dyn FnMut(ExactEvent) -> ControlFlow<Halt>,
    ) -> Result<Optimum, ExactError> {
        self.fill(&Candidates::of(sets), observe)?;
        if self.scores.last() == Some(&f64::NEG_INFINITY) {
            return Err(ExactError::NoNetwork);
        }
        let (dag, score) = self.trace_back(sets);
        Ok(Optimum { dag, score, candidates: sets.len(), families_scored: sets.families_scored() })
    }

    /// Processes the subsets in an order in which every set comes after its subsets.
    fn fill(
        &mut self,
        candidates: &Candidates,
        observe: &mut dyn FnMut(ExactEvent) -> ControlFlow<Halt>,
    ) -> Result<(), ScoreError> {
        let size = 1_usize << self.variables;
        self.scores.push(0.0);
        self.sinks.push(u8::MAX);
        for subset in 1..size {
            if subset % SUBSETS_BETWEEN_CALLS == 0
                && let ControlFlow::Break(halt) =
                    observe(ExactEvent::Subsets(Progress { done: subset, of: size }))
            {
                return Err(ScoreError::Halted(halt));
            }
            let (mut best, mut sink) = (f64::NEG_INFINITY, u8::MAX);
            let mut left = subset;
            while left != 0 {
                let child = left.trailing_zeros();
                left &= left - 1;
                let others = subset & !(1 << child);
                let base = self.scores[others];
                #[expect(clippy::cast_possible_truncation, reason = "there are at most 30 variables")]
                let forbidden = !(others as u32);
                for &(parents, score) in &candidates.0[child as usize] {
                    // The list is descending, so no later entry is better.
                    if base + score <= best {
                        break;
                    }
                    if parents & forbidden == 0 {
                        (best, sink) = (base + score, u8::try_from(child).expect("at most 30 variables"));
                        break;
                    }
                }
            }
            self.scores.push(best);
            self.sinks.push(sink);
        }
        Ok(())
    }

    /// The best network on all variables.
    fn trace_back(&self, sets: &ParentSets) -> (Dag, f64) {
        let mut left = (1_usize << self.variables) - 1;
        let score = self.scores[left];
        let mut arcs = Vec::new();
        while left != 0 {
            let child = VariableId::new(usize::from(self.sinks[left]));
            left &= !(1 << child.index());
            let inside = |parents: u128| parents & !(left as u128) == 0;
            let chosen =
                sets.of(child).iter().find(|set| inside(set.parents)).expect("the sink was chosen so");
            debug_assert!(chosen.parents & bit(child) == 0);
            arcs.extend(members(chosen.parents).map(|parent| (parent, child)));
        }
        (Dag::from_arcs(self.variables, arcs).expect("parents come before children"), score)
    }
}
