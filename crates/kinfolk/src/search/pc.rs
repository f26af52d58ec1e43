//! PC-stable: constraint-based search with conditional independence tests that compare the scores of families.
//!
//! Two variables X and Y are considered independent given Z if the family of X gains nothing from Y as a further parent
//! beside Z: the difference of two family scores is a log Bayes factor (with the structure prior, log posterior odds).
//! The test averages it over both directions. PC-stable removes every edge whose endpoints some test separates, given
//! neighbours of one endpoint and by increasing size of Z (Colombo and Maathuis 2014,
//! <https://www.jmlr.org/papers/v15/colombo14a.html>); `pc_orientation` orients the remaining edges.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use fixedbitset::FixedBitSet;

use super::hill_climb::SearchObserver;
use super::pc_orientation::{Pattern, network};
use super::{Climb, Constraints, Event, HillClimb, Stop};
use crate::counts::{Batch, Family};
use crate::data::VariableId;
use crate::graph::Dag;
use crate::score::{ScoreError, Scorer};

/// Tests in one batch: four families each, enough for every thread.
const TESTS_AT_ONCE: usize = 2048;

/// The edges that no test has separated, and the sets that separate the others.
pub(super) struct Skeleton {
    pub(super) neighbours: Vec<FixedBitSet>,
    /// For separated pairs, the smaller column first.
    pub(super) separators: BTreeMap<(VariableId, VariableId), Vec<VariableId>>,
}

/// Whether two variables are independent given others.
struct Test {
    pair: (VariableId, VariableId),
    given: Vec<VariableId>,
}

impl HillClimb {
    /// PC-stable. A requested stop skips the remaining tests and orients the edges left so far.
    ///
    /// Complexity: four families per test, at most one test per edge and subset of the neighbours of its endpoints.
    pub(super) fn pc(
        &self,
        scorer: &mut Scorer<'_>,
        observe: &mut SearchObserver<'_>,
    ) -> Result<Climb, ScoreError> {
        let variables = scorer.schema().variables().len();
        let mut skeleton = Skeleton::complete(variables, &self.constraints);
        let stop = match skeleton.separate(scorer, &self.constraints, observe) {
            Ok(()) => Stop::Optimum,
            Err(ScoreError::Halted(halt)) => halt.into(),
            Err(error) => return Err(error),
        };
        let dag = network(&Pattern::of(&skeleton, &self.constraints), &self.constraints);
        let families: Vec<Family> = dag.nodes().map(|node| Family::of(&dag, node)).collect();
        let scores = scorer.scores(&Batch::of(&families), &mut |_| ControlFlow::Continue(()))?;
        Ok(Climb {
            score: scores.iter().map(|score| score.total).sum(),
            start: Dag::empty(variables),
            dag,
            steps: Vec::new(),
            stop,
            restarts: Vec::new(),
            optimal: false,
        })
    }
}

impl Skeleton {
    /// All edges that the constraints allow in some direction.
    fn complete(variables: usize, constraints: &Constraints) -> Self {
        let id = VariableId::new;
        let linked = |a: usize, b: usize| {
            a != b && (constraints.allows(id(a), id(b)) || constraints.allows(id(b), id(a)))
        };
        let neighbours = (0..variables).map(|a| {
            let mut row = FixedBitSet::with_capacity(variables);
            row.extend((0..variables).filter(|&b| linked(a, b)));
            row
        });
        Self { neighbours: neighbours.collect(), separators: BTreeMap::new() }
    }

    pub(super) fn has_edge(&self, a: VariableId, b: VariableId) -> bool {
        self.neighbours[a.index()].contains(b.index())
    }

    /// Removes every edge that a test separates, given 0, 1, 2 … neighbours. A separating set needs no more variables than a node may
    /// have parents. Required edges are not tested.
    fn separate(
        &mut self,
        scorer: &mut Scorer<'_>,
        constraints: &Constraints,
        observe: &mut SearchObserver<'_>,
    ) -> Result<(), ScoreError> {
        let mut size = 0;
        while size <= constraints.max_parents() {
            // The neighbours at the start of a level, so that the result does not depend on the order of the tests.
            let frozen = self.neighbours.clone();
            let mut tests: Vec<Test> = Vec::new();
            let mut any = false;
            for pair in edges(&frozen) {
                if constraints.requires(pair.0, pair.1) || constraints.requires(pair.1, pair.0) {
                    continue;
                }
                for given in conditioning_sets(&frozen, pair, size) {
                    any = true;
                    tests.push(Test { pair, given });
                    if tests.len() == TESTS_AT_ONCE {
                        self.decide(scorer, &std::mem::take(&mut tests), observe)?;
                    }
                    if !self.has_edge(pair.0, pair.1) {
                        break;
                    }
                }
            }
            self.decide(scorer, &tests, observe)?;
            if !any {
                break;
            }
            size += 1;
        }
        Ok(())
    }

    /// Runs tests in one batch; if several separate a pair, the first counts.
    fn decide(
        &mut self,
        scorer: &mut Scorer<'_>,
        tests: &[Test],
        observe: &mut SearchObserver<'_>,
    ) -> Result<(), ScoreError> {
        let mut families = Vec::with_capacity(4 * tests.len());
        for Test { pair: (a, b), given } in tests {
            for (child, parent) in [(*a, *b), (*b, *a)] {
                let without = Family::new(child, given.iter().copied());
                let with = without.with(parent);
                families.extend([without, with]);
            }
        }
        let scores =
            scorer.scores(&Batch::of(&families), &mut |progress| observe(&Event::Scoring(progress)))?;
        for (test, scores) in tests.iter().zip(scores.chunks(4)) {
            let gain = scores[1].total - scores[0].total + scores[3].total - scores[2].total;
            let (a, b) = test.pair;
            if gain <= 0.0 && self.has_edge(a, b) {
                self.neighbours[a.index()].remove(b.index());
                self.neighbours[b.index()].remove(a.index());
                self.separators.insert(test.pair, test.given.clone());
            }
        }
        Ok(())
    }
}

/// The edges, each once with the smaller column first, in column order.
fn edges(neighbours: &[FixedBitSet]) -> Vec<(VariableId, VariableId)> {
    let of = |a: usize| neighbours[a].ones().filter(move |&b| a < b).map(move |b| (a, b));
    (0..neighbours.len()).flat_map(of).map(|(a, b)| (VariableId::new(a), VariableId::new(b))).collect()
}

/// The sets of this size among the neighbours of either endpoint, without duplicates.
fn conditioning_sets(
    neighbours: &[FixedBitSet],
    (a, b): (VariableId, VariableId),
    size: usize,
) -> impl Iterator<Item = Vec<VariableId>> {
    let around = |node: VariableId, other: VariableId| -> Vec<VariableId> {
        let near = neighbours[node.index()].ones().filter(|&near| near != other.index());
        near.map(VariableId::new).collect()
    };
    let (first, second) = (around(a, b), around(b, a));
    let known = first.clone();
    let new = move |set: &Vec<VariableId>| !set.iter().all(|node| known.binary_search(node).is_ok());
    Combinations::new(first, size).chain(Combinations::new(second, size).filter(new))
}

/// The subsets of one size of a list, in lexicographic order.
struct Combinations {
    of: Vec<VariableId>,
    /// The positions of the next subset; `None` at the end.
    next: Option<Vec<usize>>,
}

impl Combinations {
    fn new(of: Vec<VariableId>, size: usize) -> Self {
        let next = (size <= of.len()).then(|| (0..size).collect());
        Self { of, next }
    }
}

impl Iterator for Combinations {
    type Item = Vec<VariableId>;

    fn next(&mut self) -> Option<Self::Item> {
        let places = self.next.take()?;
        let size = places.len();
        let chosen = places.iter().map(|&place| self.of[place]).collect();
        let room = |place: usize| self.of.len() - size + place;
        if let Some(last) = (0..size).rev().find(|&place| places[place] < room(place)) {
            let mut following = places;
            following[last] += 1;
            for place in last + 1..size {
                following[place] = following[place - 1] + 1;
            }
            self.next = Some(following);
        }
        Some(chosen)
    }
}
