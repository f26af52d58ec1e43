//! A tally, a score and a memory of what they said: what searches ask.

use std::borrow::Cow;
use std::ops::ControlFlow;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use serde::Serialize;
use thiserror::Error;

use super::places::Places;
use super::{FamilyScore, Judged, Score, StructurePrior};
use crate::counts::{Counts, Family, Tally, TallyError};
use crate::data::Schema;

/// The most families counted and scored between two calls of an observer.
const LARGEST_BATCH: usize = 4096;

/// What they may cost each thread, in nanoseconds: a tenth of a second.
const BATCH_COST: f64 = 1e8;

/// Scores remembered unless told otherwise; each takes about 60 bytes.
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

/// What is kept of a family.
#[derive(Debug, Clone, Copy)]
enum Slot {
    /// Nothing.
    Empty,
    /// Nothing yet: it is being worked out.
    Asked,
    /// What its score is at most.
    AtMost(f64),
    /// Its score.
    Scored(Known),
}

/// Families of which too little is known.
#[derive(Debug)]
struct Unknown<'a> {
    /// Where what will be known of them is to be kept.
    places: Vec<usize>,
    families: Cow<'a, [Family]>,
    /// Their positions among those asked for.
    asked: Vec<usize>,
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
    /// Rows that the tally looked at, once for every family and every index that families share.
    pub rows_scanned: u64,
}

/// Scores families, each only once, and bounds them.
pub struct Scorer<'a> {
    tally: &'a dyn Tally,
    score: &'a dyn Score,
    places: Places,
    /// What is known of families, by their places.
    known: Vec<Slot>,
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
            places: Places::new(tally.schema().variables().len()),
            known: Vec::new(),
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
        Self { most_kept: families, ..self }
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
        families: &[Family],
        observe: &mut dyn FnMut(Progress) -> ControlFlow<Halt>,
    ) -> Result<Vec<Known>, ScoreError> {
        let places = self.places(families);
        let unknown = self.unknown(families, &places, |_, slot| matches!(slot, Slot::Scored(_)));
        self.in_batches(&unknown, observe, |scorer, batch, _| {
            let slots = scorer.visit(batch, |index, counts| {
                Slot::Scored(scorer.noted(&batch[index], scorer.score.family_score(counts)).known())
            })?;
            scorer.count(&slots);
            Ok(slots)
        })?;
        let known = places.into_iter().map(|place| match self.known[place] {
            Slot::Scored(known) => known,
            _ => unreachable!("all of them were just scored"),
        });
        Ok(known.collect())
    }

    /// The scores of some families where they are known already, otherwise what they are at most, if the score has a ceiling.
    pub fn bounds(
        &mut self,
        families: &[Family],
        observe: &mut dyn FnMut(Progress) -> ControlFlow<Halt>,
    ) -> Result<Vec<Bound>, ScoreError> {
        if !self.score.has_ceiling() {
            let scores = self.scores(families, observe)?;
            return Ok(scores.into_iter().map(|known| Bound { total: known.total, exact: true }).collect());
        }
        let places = self.places(families);
        let unknown = self.unknown(families, &places, |_, slot| !matches!(slot, Slot::Empty));
        self.in_batches(&unknown, observe, |scorer, batch, _| {
            let slots = scorer.visit(batch, |index, counts| {
                Self::at_most(scorer.score.ceiling(counts) + scorer.prior(&batch[index]))
            })?;
            scorer.count(&slots);
            Ok(slots)
        })?;
        Ok(self.bounds_at(places))
    }

    /// The scores of some families, but of those that are below what they must reach only what they are at most, if that takes less work. Each
    /// family is to be asked for once, since one that comes again has the first one's answer.
    pub fn scores_unless_below(
        &mut self,
        families: &[Family],
        least: &[f64],
        observe: &mut dyn FnMut(Progress) -> ControlFlow<Halt>,
    ) -> Result<Vec<Bound>, ScoreError> {
        let places = self.places(families);
        let unknown = self.unknown(families, &places, |asked, slot| match slot {
            Slot::Scored(_) => true,
            Slot::AtMost(most) => *most < least[asked],
            Slot::Empty | Slot::Asked => false,
        });
        self.in_batches(&unknown, observe, |scorer, batch, asked| {
            let slots = scorer.visit(batch, |index, counts| {
                let family = &batch[index];
                let prior = scorer.prior(family);
                match scorer.score.score_unless_below(counts, least[asked[index]] - prior) {
                    Judged::Scored(score) => Slot::Scored(scorer.noted(family, score).known()),
                    Judged::AtMost(most) => Self::at_most(most + prior),
                }
            })?;
            scorer.count(&slots);
            Ok(slots)
        })?;
        Ok(self.bounds_at(places))
    }

    /// What is known at some places, at least how high the scores are at most.
    fn bounds_at(&self, places: Vec<usize>) -> Vec<Bound> {
        let bounds = places.into_iter().map(|place| match self.known[place] {
            Slot::Scored(known) => Bound { total: known.total, exact: true },
            Slot::AtMost(total) => Bound { total, exact: false },
            Slot::Empty | Slot::Asked => unreachable!("all of them were just bounded"),
        });
        bounds.collect()
    }

    /// Counts what was just done.
    fn count(&mut self, slots: &[Slot]) {
        for slot in slots {
            match slot {
                Slot::Scored(known) => {
                    self.scored += 1;
                    *self.computed.get_mut() += 1;
                    self.not_converged += usize::from(!known.converged);
                }
                _ => self.bounded += 1,
            }
        }
    }

    /// Where some families are kept, with an empty place for those that are new.
    fn places(&mut self, families: &[Family]) -> Vec<usize> {
        if self.known.len() + families.len() > self.most_kept {
            self.places.clear();
            self.known.clear();
        }
        let places = self.places.of_all(families);
        self.looked_at += self.places.len() - self.known.len();
        self.known.resize(self.places.len(), Slot::Empty);
        places
    }

    /// The families of which too little is known, each once, with their places, which are marked.
    fn unknown<'b>(
        &mut self,
        families: &'b [Family],
        places: &[usize],
        is_enough: impl Fn(usize, &Slot) -> bool,
    ) -> Unknown<'b> {
        let mut is_unknown = |asked: usize| {
            let slot = &mut self.known[places[asked]];
            let is_unknown = !is_enough(asked, slot) && !matches!(slot, Slot::Asked);
            if is_unknown {
                *slot = Slot::Asked;
            }
            is_unknown
        };
        let mut asked: Vec<usize> = Vec::with_capacity(families.len());
        asked.extend((0..families.len()).filter(|&asked| is_unknown(asked)));
        self.cache_hits += (families.len() - asked.len()) as u64;
        // Mostly all of them are unknown, and need not be copied.
        let all = asked.len() == families.len();
        Unknown {
            places: asked.iter().map(|&asked| places[asked]).collect(),
            families: if all {
                Cow::Borrowed(families)
            } else {
                asked.iter().map(|&asked| families[asked].clone()).collect()
            },
            asked,
        }
    }

    /// Has some work done on families in batches and keeps what comes out. What is not reached is forgotten, to be asked for again.
    fn in_batches(
        &mut self,
        Unknown { places, families, asked }: &Unknown<'_>,
        observe: &mut dyn FnMut(Progress) -> ControlFlow<Halt>,
        work: impl Fn(&mut Self, &[Family], &[usize]) -> Result<Vec<Slot>, TallyError>,
    ) -> Result<(), ScoreError> {
        let mut done = 0;
        while done < families.len() {
            let slots = match observe(Progress { done, of: families.len() }) {
                ControlFlow::Break(halt) => Err(ScoreError::Halted(halt)),
                ControlFlow::Continue(()) => {
                    let batch = done..done + self.batch_size(&families[done..]);
                    work(self, &families[batch.clone()], &asked[batch]).map_err(ScoreError::from)
                }
            };
            match slots {
                Ok(slots) => {
                    let first = done;
                    done += slots.len();
                    places[first..done].iter().zip(slots).for_each(|(&place, slot)| self.known[place] = slot);
                }
                Err(error) => {
                    places[done..].iter().for_each(|&place| self.known[place] = Slot::Empty);
                    return Err(error);
                }
            }
        }
        Ok(())
    }

    /// How many of some families to score before asking again whether to stop: few enough not to take long, but enough for
    /// every thread to have one.
    fn batch_size(&self, families: &[Family]) -> usize {
        let threads = rayon::current_num_threads();
        let mut cost = 0.0;
        let within = families.iter().take(LARGEST_BATCH).enumerate().take_while(|(index, family)| {
            let room = *index < threads || cost < BATCH_COST * threads as f64;
            cost += self.tally.cost(family);
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
        let explain =
            |index: usize, counts: &Counts| self.noted(&families[index], self.score.explain(counts));
        let scores = self.visit(families, explain)?;
        self.computed.fetch_add(families.len() as u64, Ordering::Relaxed);
        Ok(scores)
    }

    /// Counts some families and does some work on each; what comes out is in the order asked.
    fn visit<T: Send + Sync>(
        &self,
        families: &[Family],
        work: impl Fn(usize, &Counts) -> T + Sync,
    ) -> Result<Vec<T>, TallyError> {
        let slots: Vec<OnceLock<T>> = families.iter().map(|_| OnceLock::new()).collect();
        self.tally.visit_many(families, &|index, counts| {
            let fresh = slots[index].set(work(index, counts)).is_ok();
            assert!(fresh, "a tally shows every table once");
        })?;
        Ok(slots.into_iter().map(|slot| slot.into_inner().expect("a tally shows every table")).collect())
    }

    /// A family's score with its share of the prior on structures; the fit behind it is counted.
    fn noted(&self, family: &Family, mut score: FamilyScore) -> FamilyScore {
        if self.score.structure_prior() != StructurePrior::Uniform {
            let prior = self.prior(family);
            score.total += prior;
            score.structure_prior = Some(prior);
        }
        if let Some(fit) = &score.fit {
            self.fits.fetch_add(1, Ordering::Relaxed);
            self.newton_steps.fetch_add(fit.iterations as u64, Ordering::Relaxed);
        }
        score
    }

    /// A family's share of the prior on structures.
    fn prior(&self, family: &Family) -> f64 {
        self.score.structure_prior().ln(self.schema().variables().len(), family.parents().len())
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
