//! A tally, a score and a memory of what they said: what searches ask.

use std::borrow::Cow;
use std::ops::ControlFlow;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use serde::Serialize;
use thiserror::Error;

use super::places::Places;
use super::slots::{Slot, Slots};
use super::{FamilyScore, Judged, Score, StructurePrior};
use crate::counts::{Batch, Counts, Family, Tally, TallyError};
use crate::data::Schema;
use crate::remedy::{Actionable, Remedy};

/// The most families counted and scored between two calls of an observer.
const LARGEST_BATCH: usize = 4096;

/// What they may cost each thread, in nanoseconds: a tenth of a second.
const BATCH_COST: f64 = 1e8;

/// Scores remembered unless told otherwise; each takes 20 to 60 bytes, depending on what it was asked for with.
const DEFAULT_MOST_KEPT: usize = 2_000_000;

/// Why families could not be scored.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum ScoreError {
    /// They could not be counted.
    #[error(transparent)]
    Tally(#[from] TallyError),
    /// The observer asked to stop.
    #[error("stopped on request")]
    Halted(Halt),
}

impl Actionable for ScoreError {
    fn remedies(&self) -> Vec<Remedy> {
        match self {
            Self::Tally(error) => error.remedies(),
            Self::Halted(_) => Vec::new(),
        }
    }
}

/// Why an observer asks to stop. The library has no clock and no keyboard; its callers have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Halt {
    /// The time is up.
    TimeLimit,
    /// Somebody asked for it.
    Interrupted,
}

/// What the scorer remembers of a family.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Known {
    /// The score.
    pub total: f64,
    /// Whether the fit behind it reached its maximum.
    pub converged: bool,
}

/// What a score is at most.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bound {
    /// The score, or its ceiling.
    pub total: f64,
    /// Whether it is the score.
    pub exact: bool,
}

/// Families of which too little is known.
#[derive(Debug)]
struct Unknown<'a> {
    /// Where what will be known of them is to be kept.
    places: Cow<'a, [usize]>,
    batch: Cow<'a, Batch>,
    /// Their positions among those asked for, unless all of these are unknown.
    asked: Option<Vec<usize>>,
}

/// How far a batch of families has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Families scored or bounded so far in this batch.
    pub done: usize,
    /// Families in this batch.
    pub of: usize,
}

/// What was done so far, in numbers that do not depend on the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Work {
    /// Families counted and scored, for the search and for what is told about its result.
    pub families_scored: u64,
    /// Families counted for what their scores are at most; one that was left half way, because it is of no use, counts again.
    pub families_bounded: u64,
    /// Families asked for that were remembered.
    pub cache_hits: u64,
    /// Fits of a common centre.
    pub fits: u64,
    /// Newton steps of all fits.
    pub newton_steps: u64,
    /// Rows that the tally looked at, each as often as it was: once for a histogram, once for every pair of bitmaps, and to make what
    /// families share, which depends a little on the number of threads.
    pub rows_scanned: u64,
}

/// Scores families, each only once, and bounds them.
pub struct Scorer<'a> {
    tally: &'a dyn Tally,
    score: &'a dyn Score,
    /// The states of every variable, side by side, since every family asks for some.
    states: Vec<usize>,
    places: Places,
    /// What is known of families, by their places.
    known: Slots,
    /// How many may be kept.
    most_kept: usize,
    scored: usize,
    bounded: u64,
    looked_at: usize,
    not_converged: usize,
    cache_hits: u64,
    computed: AtomicU64,
    fits: AtomicU64,
    newton_steps: AtomicU64,
}

impl<'a> Scorer<'a> {
    /// A scorer that knows nothing yet.
    pub fn new(tally: &'a dyn Tally, score: &'a dyn Score) -> Self {
        Self {
            tally,
            score,
            states: tally.schema().ids().map(|variable| tally.schema().states(variable)).collect(),
            places: Places::new(tally.schema().variables().len()),
            known: Slots::default(),
            most_kept: DEFAULT_MOST_KEPT,
            scored: 0,
            bounded: 0,
            looked_at: 0,
            not_converged: 0,
            cache_hits: 0,
            computed: AtomicU64::new(0),
            fits: AtomicU64::new(0),
            newton_steps: AtomicU64::new(0),
        }
    }

    /// Limits how many scores are remembered. When there would be more, all are forgotten and those still needed are
    /// computed again: less memory for more time, and the same answer.
    #[must_use]
    pub fn keep_at_most(self, families: usize) -> Self {
        Self { most_kept: families.min(Places::MOST), ..self }
    }

    /// The variables and data sets behind it.
    pub fn schema(&self) -> &'a Schema {
        self.tally.schema()
    }

    /// The score it computes.
    pub fn score(&self) -> &'a dyn Score {
        self.score
    }

    /// The number of families scored so far; one that was forgotten and scored again counts twice.
    pub fn scored(&self) -> usize {
        self.scored
    }

    /// The number of families asked for so far, whether scored or only bounded; one that was forgotten counts twice.
    pub fn looked_at(&self) -> usize {
        self.looked_at
    }

    /// What was done so far.
    pub fn work(&self) -> Work {
        Work {
            families_scored: self.computed.load(Ordering::Relaxed),
            families_bounded: self.bounded,
            cache_hits: self.cache_hits,
            fits: self.fits.load(Ordering::Relaxed),
            newton_steps: self.newton_steps.load(Ordering::Relaxed),
            rows_scanned: self.tally.rows_scanned(),
        }
    }

    /// How many of them had a fit that did not reach its maximum.
    pub fn not_converged(&self) -> usize {
        self.not_converged
    }

    /// The scores of some families, in the order asked. Those not known yet are counted and scored in parallel; the result does
    /// not depend on the number of threads, because each family is computed by itself.
    pub fn scores(
        &mut self,
        batch: &Batch,
        observe: &mut dyn FnMut(Progress) -> ControlFlow<Halt>,
    ) -> Result<Vec<Known>, ScoreError> {
        let places = self.places(batch);
        let unknown = self.unknown(batch, &places, |_, slot| matches!(slot, Slot::Scored(_)));
        self.in_batches(&unknown, observe, |scorer, parents, _, counts| {
            Slot::Scored(scorer.noted(parents, scorer.score.family_score(counts)).known())
        })?;
        let known = places.into_iter().map(|place| match self.known.get(place) {
            Slot::Scored(known) => known,
            _ => unreachable!("all of them were just scored"),
        });
        Ok(known.collect())
    }

    /// The scores of some families where they are known already, otherwise what they are at most, if the score has a ceiling.
    pub fn bounds(
        &mut self,
        batch: &Batch,
        observe: &mut dyn FnMut(Progress) -> ControlFlow<Halt>,
    ) -> Result<Vec<Bound>, ScoreError> {
        if !self.score.has_ceiling() {
            let scores = self.scores(batch, observe)?;
            return Ok(scores.into_iter().map(|known| Bound { total: known.total, exact: true }).collect());
        }
        let places = self.places(batch);
        let unknown = self.unknown(batch, &places, |_, slot| !matches!(slot, Slot::Empty));
        self.in_batches(&unknown, observe, |scorer, parents, _, counts| {
            Self::at_most(scorer.score.ceiling(counts) + scorer.prior(parents))
        })?;
        Ok(self.bounds_at(places))
    }

    /// The scores of some families, but of those that are below what they must reach only what they are at most, if that takes less work. Each
    /// family is to be asked for once, since one that comes again has the first one's answer.
    pub fn scores_unless_below(
        &mut self,
        batch: &Batch,
        least: &[f64],
        observe: &mut dyn FnMut(Progress) -> ControlFlow<Halt>,
    ) -> Result<Vec<Bound>, ScoreError> {
        let places = self.places(batch);
        let unknown = self.unknown(batch, &places, |asked, slot| match slot {
            Slot::Scored(_) => true,
            Slot::AtMost(most) => most < least[asked],
            Slot::Empty | Slot::Asked => false,
        });
        self.in_batches(&unknown, observe, |scorer, parents, asked, counts| {
            let prior = scorer.prior(parents);
            match scorer.score.score_unless_below(counts, least[asked] - prior) {
                Judged::Scored(score) => Slot::Scored(scorer.noted(parents, score).known()),
                Judged::AtMost(most) => Self::at_most(most + prior),
            }
        })?;
        Ok(self.bounds_at(places))
    }

    /// What is known at some places, at least how high the scores are at most.
    fn bounds_at(&self, places: Vec<usize>) -> Vec<Bound> {
        let bounds = places.into_iter().map(|place| match self.known.get(place) {
            Slot::Scored(known) => Bound { total: known.total, exact: true },
            Slot::AtMost(total) => Bound { total, exact: false },
            Slot::Empty | Slot::Asked => unreachable!("all of them were just bounded"),
        });
        bounds.collect()
    }

    /// Counts what was just done.
    fn count(&mut self, places: &[usize]) {
        for &place in places {
            match self.known.get(place) {
                Slot::Scored(known) => {
                    self.scored += 1;
                    *self.computed.get_mut() += 1;
                    self.not_converged += usize::from(!known.converged);
                }
                Slot::AtMost(_) => self.bounded += 1,
                Slot::Empty | Slot::Asked => unreachable!("a tally shows every table"),
            }
        }
    }

    /// Where some families are kept, with an empty place for those that are new.
    fn places(&mut self, batch: &Batch) -> Vec<usize> {
        if self.known.len() + batch.len() > self.most_kept {
            self.places.clear();
            self.known.clear();
        }
        let places = self.places.of_all(batch);
        self.looked_at += self.places.len() - self.known.len();
        self.known.grow(self.places.len());
        places
    }

    /// The families of which too little is known, each once, with their places, which are marked.
    fn unknown<'b>(
        &mut self,
        batch: &'b Batch,
        places: &'b [usize],
        is_enough: impl Fn(usize, Slot) -> bool,
    ) -> Unknown<'b> {
        let is_unknown = |&asked: &usize| {
            let slot = self.known.get(places[asked]);
            let is_unknown = !is_enough(asked, slot) && slot != Slot::Asked;
            if is_unknown {
                self.known.set(places[asked], Slot::Asked);
            }
            is_unknown
        };
        // Mostly all of them are unknown, and need not be copied.
        let first = (0..batch.len()).take_while(is_unknown).count();
        if first == batch.len() {
            return Unknown { places: Cow::Borrowed(places), batch: Cow::Borrowed(batch), asked: None };
        }
        let asked: Vec<usize> = (0..first).chain((first + 1..batch.len()).filter(is_unknown)).collect();
        self.cache_hits += (batch.len() - asked.len()) as u64;
        Unknown {
            places: asked.iter().map(|&asked| places[asked]).collect(),
            batch: Cow::Owned(batch.some(asked.iter().copied())),
            asked: Some(asked),
        }
    }

    /// Counts families in batches and keeps what some work on each says, which is told the number of its parents and its position among those
    /// asked for. What is not reached is forgotten, to be asked for again.
    fn in_batches(
        &mut self,
        Unknown { places, batch, asked }: &Unknown<'_>,
        observe: &mut dyn FnMut(Progress) -> ControlFlow<Halt>,
        work: impl Fn(&Self, usize, usize, &Counts) -> Slot + Sync,
    ) -> Result<(), ScoreError> {
        let mut done = 0;
        while done < batch.len() {
            let outcome = match observe(Progress { done, of: batch.len() }) {
                ControlFlow::Break(halt) => Err(ScoreError::Halted(halt)),
                ControlFlow::Continue(()) => {
                    let (scorer, first) = (&*self, done);
                    let end = first + scorer.batch_size(batch, first);
                    let next = if end - first == batch.len() {
                        Cow::Borrowed(&**batch)
                    } else {
                        Cow::Owned(batch.some(first..end))
                    };
                    let outcome = scorer.tally.visit_many(&next, &|index, counts| {
                        let (index, place) = (first + index, places[first + index]);
                        assert!(scorer.known.get(place) == Slot::Asked, "a tally shows every table once");
                        let asked = asked.as_ref().map_or(index, |asked| asked[index]);
                        scorer.known.set(place, work(scorer, batch.parent_count(index), asked, counts));
                    });
                    outcome.map(|()| end).map_err(ScoreError::from)
                }
            };
            match outcome {
                Ok(end) => {
                    self.count(&places[done..end]);
                    done = end;
                }
                Err(error) => {
                    places[done..].iter().for_each(|&place| self.known.set(place, Slot::Empty));
                    return Err(error);
                }
            }
        }
        Ok(())
    }

    /// How many of some families, from one on, to score before asking again whether to stop: few enough not to take long, but enough for
    /// every thread to have one.
    fn batch_size(&self, batch: &Batch, first: usize) -> usize {
        let threads = rayon::current_num_threads();
        let left = batch.len() - first;
        if left <= threads {
            return left;
        }
        let mut cost = 0.0;
        // What is of one kind costs the same.
        let mut last = (None, 0.0);
        let within = (first..batch.len()).take(LARGEST_BATCH).take_while(|&index| {
            let room = index - first < threads || cost < BATCH_COST * threads as f64;
            let kind = batch.kind(index, |variable| self.states[variable.index()]);
            if kind.is_none() || kind != last.0 {
                last = (kind, self.tally.cost(&batch.family(index)));
            }
            cost += last.1;
            room
        });
        within.count()
    }

    /// About how many nanoseconds of one core the scores of some families would take.
    pub fn cost(&self, families: &[Family]) -> f64 {
        families.iter().map(|family| self.tally.cost(family)).sum()
    }

    /// The full scores of some families, with their terms by data set.
    pub fn explain(&self, families: &[Family]) -> Result<Vec<FamilyScore>, ScoreError> {
        let scores: Vec<OnceLock<FamilyScore>> = families.iter().map(|_| OnceLock::new()).collect();
        self.tally.visit_many(&Batch::of(families), &|index, counts| {
            let score = self.noted(families[index].parents().len(), self.score.explain(counts));
            assert!(scores[index].set(score).is_ok(), "a tally shows every table once");
        })?;
        self.computed.fetch_add(families.len() as u64, Ordering::Relaxed);
        Ok(scores.into_iter().map(|score| score.into_inner().expect("a tally shows every table")).collect())
    }

    /// The score of a family with so many parents and its share of the prior on structures; the fit behind it is counted.
    fn noted(&self, parents: usize, mut score: FamilyScore) -> FamilyScore {
        if self.score.structure_prior() != StructurePrior::Uniform {
            let prior = self.prior(parents);
            score.total += prior;
            score.structure_prior = Some(prior);
        }
        if let Some(fit) = &score.fit {
            self.fits.fetch_add(1, Ordering::Relaxed);
            self.newton_steps.fetch_add(fit.iterations as u64, Ordering::Relaxed);
        }
        score
    }

    /// The share in the prior on structures of a family with so many parents.
    fn prior(&self, parents: usize) -> f64 {
        self.score.structure_prior().ln(self.schema().variables().len(), parents)
    }

    /// A bound; what is no number says nothing.
    fn at_most(most: f64) -> Slot {
        Slot::AtMost(if most.is_nan() { f64::INFINITY } else { most })
    }
}

impl FamilyScore {
    /// What a scorer remembers of it.
    fn known(&self) -> Known {
        Known { total: self.total, converged: self.converged() }
    }
}
