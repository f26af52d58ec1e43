//! Hill-climbing over single arc moves, optionally with tabu search, escapes from local optima and random restarts or order search.

use std::ops::ControlFlow;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::Serialize;

use super::edge_reversal::ReversalSearch;
use super::exact::{MOST_FAMILIES, check_exact};
use super::gain_table::{GainTable, TOLERANCE, is_above};
use super::legal::legal_moves;
use super::tabu::TabuList;
use super::{Constraints, ExactError, ExactEvent, optimum};
use crate::graph::{Dag, Move};
use crate::score::{Halt, Progress, ScoreError, Scorer};

/// The first random stream of the escapes; restart `n` uses stream `n`, and order searches use their own streams.
const ESCAPE_STREAMS: u64 = 1 << 63;

/// Settings of a hill-climb.
#[derive(Debug, Clone)]
pub struct HillClimb {
    /// Required and forbidden arcs, tiers and the limit on parents.
    pub constraints: Constraints,
    /// The maximal number of moves, restarts included.
    pub max_steps: Option<usize>,
    /// Tabu search (Glover 1989, <https://doi.org/10.1287/ijoc.1.3.190>): the number of consecutive moves without an improvement, and the
    /// length of the list of networks that are not revisited. Zero stops at the first optimum.
    pub tabu: usize,
    /// The number of consecutive failed escapes after which the search ends. An escape walks to a Markov-equivalent
    /// network and reverses edges there, re-selecting the parents of both endpoints. Unless this is zero, such
    /// reversals also follow every move of the climb, which then takes a different path from a plain climb, usually to
    /// a higher score.
    pub escapes: usize,
    /// The largest number of pairs of parents that are scored at an optimum, to find parents that gain only together.
    /// With more pairs, or at zero, none are scored.
    pub most_pairs: usize,
    /// The number of restarts, each from the best network after random moves; in an order search, from its order after random insertions.
    pub restarts: usize,
    /// Random moves or insertions before each restart.
    pub perturb: usize,
    /// The search in addition to or instead of climbing.
    pub algorithm: Algorithm,
    /// Whether the exact optimum is computed after the climb.
    pub exact: ExactUse,
    /// The seed of escapes and restarts; each restart has its own random streams.
    pub seed: u64,
}

/// The search in addition to or instead of climbing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Algorithm {
    /// Climbing and restarts.
    #[default]
    Climb,
    /// An order search follows the climb and makes the restarts.
    Orders,
    /// PC-stable instead of climbing; uses only the constraints of the other settings.
    Pc,
}

/// Whether a search computes the exact optimum after its climb; see [`optimum`](super::optimum()).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ExactUse {
    /// Never.
    #[default]
    Never,
    /// If there are few families: at most those of eight variables without constraints.
    IfFew,
    /// Whenever it is possible.
    Always,
}

/// The largest number of families for which [`ExactUse::IfFew`] computes the exact optimum: 0.1 s by kin with 2,000
/// rows.
const FEW_FAMILIES: usize = 1024;

/// One move and its gain.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// The move.
    pub made: Move,
    /// The change of the score.
    pub gain: f64,
}

/// Why a search ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stop {
    /// No move improves the score.
    Optimum,
    /// The limit on moves was reached.
    MaxSteps,
    /// The time limit was reached; the best network so far is returned.
    TimeLimit,
    /// The observer requested a stop; the best network so far is returned.
    Interrupted,
}

impl From<Halt> for Stop {
    fn from(halt: Halt) -> Self {
        match halt {
            Halt::TimeLimit => Self::TimeLimit,
            Halt::Interrupted => Self::Interrupted,
        }
    }
}

/// The outcome of one restart.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Restart {
    /// The score that it reached.
    pub score: f64,
    /// The moves it took.
    pub steps: usize,
    /// Whether it improved on the best network.
    pub improved: bool,
}

/// An event that a search reports to its observer, which may request a stop.
#[derive(Debug, Clone, Copy)]
pub enum Event<'a> {
    /// A round of learning from incomplete data begins; a search follows.
    Round {
        /// Its number, from one.
        number: usize,
        /// The maximal number of rounds.
        most: usize,
    },
    /// Families are being scored or bounded.
    Scoring(Progress),
    /// The exact search scores parent sets or processes subsets of the variables.
    Exact(ExactEvent),
    /// The order search found a network that scores higher than all previous ones.
    Improved {
        /// Its score.
        score: f64,
    },
    /// A move was made.
    Stepped {
        /// The number of moves so far, including those of restarts and escapes.
        steps: usize,
        /// The move.
        step: Step,
        /// The score after it.
        score: f64,
        /// Whether it is the first part of a compound move, whose score the search may not keep.
        partial: bool,
    },
    /// A restart ended.
    Restarted {
        /// Its number, from one.
        number: usize,
        /// Its outcome.
        restart: &'a Restart,
    },
}

/// The result of a search.
#[derive(Debug, Clone, PartialEq)]
pub struct Climb {
    /// The best network.
    pub dag: Dag,
    /// Its score; NaN if the search was stopped before it was computed.
    pub score: f64,
    /// The start graph of the climb that found it; empty after PC.
    pub start: Dag,
    /// The moves of that climb, without those of failed escapes; empty if another search found the network.
    pub steps: Vec<Step>,
    /// Why the search ended.
    pub stop: Stop,
    /// The restarts, in order.
    pub restarts: Vec<Restart>,
    /// Whether an exact search has shown that no network scores higher.
    pub optimal: bool,
}

/// The result of one climb.
pub(super) struct Ascent {
    pub(super) dag: Dag,
    pub(super) score: f64,
    steps: Vec<Step>,
    pub(super) stop: Stop,
}

/// The state of a climb.
pub(super) struct ClimbState<'a> {
    pub(super) table: GainTable<'a>,
    pub(super) steps: Vec<Step>,
    /// While tabu search is below the best network: that network, its score and the number of moves up to it.
    peak: Option<(Dag, f64, usize)>,
    pub(super) reversals: ReversalSearch,
}

/// Receives the events of a search and may request a stop.
pub(super) type SearchObserver<'a> = dyn FnMut(&Event<'_>) -> ControlFlow<Halt> + 'a;

impl HillClimb {
    /// A plain hill-climb under these constraints.
    pub fn new(constraints: Constraints) -> Self {
        Self {
            constraints,
            max_steps: None,
            tabu: 0,
            escapes: 0,
            most_pairs: 0,
            restarts: 0,
            perturb: 1,
            algorithm: Algorithm::Climb,
            exact: ExactUse::Never,
            seed: 0,
        }
    }

    /// Climbs from `start`, which must satisfy the constraints (see [`Constraints::start`]).
    ///
    /// Every step compares all additions, drops and reversals and applies the best one if it gains. Families are scored
    /// in parallel; the result does not depend on the number of threads. Cost: O(N²) families in the first step and
    /// O(N) in every further one. Each is counted once; with upper bounds, those that may be the best are counted again
    /// for their scores.
    pub fn run(
        &self,
        scorer: &mut Scorer<'_>,
        start: Dag,
        observe: &mut dyn FnMut(&Event<'_>) -> ControlFlow<Halt>,
    ) -> Result<Climb, ScoreError> {
        if self.algorithm == Algorithm::Pc {
            return self.pc(scorer, observe);
        }
        let mut taken = 0;
        let ascent = self.ascend(scorer, start.clone(), 0, &mut taken, observe)?;
        let mut best = Climb {
            dag: ascent.dag,
            score: ascent.score,
            start,
            steps: ascent.steps,
            stop: ascent.stop,
            restarts: Vec::new(),
            optimal: false,
        };
        let orders = self.algorithm == Algorithm::Orders;
        if orders && best.stop == Stop::Optimum {
            self.search_orders(scorer, &mut best, &mut taken, observe)?;
        }
        let restarts = if orders { 0 } else { self.restarts };
        for number in 1..=restarts {
            if best.stop != Stop::Optimum {
                break;
            }
            let start = match self.perturbed(&best.dag, number, observe) {
                ControlFlow::Continue(start) => start,
                ControlFlow::Break(halt) => {
                    best.stop = halt.into();
                    break;
                }
            };
            let ascent = self.ascend(scorer, start.clone(), number, &mut taken, observe)?;
            let improved = ascent.score > best.score + TOLERANCE;
            let restart = Restart { score: ascent.score, steps: ascent.steps.len(), improved };
            best.restarts.push(restart);
            if improved {
                (best.dag, best.score, best.start, best.steps) =
                    (ascent.dag, ascent.score, start, ascent.steps);
            }
            best.stop = ascent.stop;
            if let ControlFlow::Break(halt) = observe(&Event::Restarted { number, restart: &restart }) {
                best.stop = halt.into();
            }
        }
        if best.stop == Stop::Optimum && self.is_exact(best.dag.len()) {
            self.prove(scorer, &mut best, observe)?;
        }
        Ok(best)
    }

    /// Whether the exact optimum is computed for this many variables.
    pub fn is_exact(&self, variables: usize) -> bool {
        let most = match self.exact {
            ExactUse::Never => return false,
            ExactUse::IfFew => FEW_FAMILIES,
            ExactUse::Always => MOST_FAMILIES,
        };
        check_exact(&self.constraints, variables, most).is_ok()
    }

    /// The settings for one of many searches of similar rows, as in a bootstrap: without the exact optimum of
    /// [`ExactUse::IfFew`], which usually confirms the network of the climb and takes most of the time.
    #[must_use]
    pub fn for_many_searches(&self) -> Self {
        let exact = if self.exact == ExactUse::IfFew { ExactUse::Never } else { self.exact };
        Self { exact, ..self.clone() }
    }

    /// Replaces the network by the exact optimum if that scores higher, or marks it as optimal. A requested stop leaves
    /// it unchanged.
    fn prove(
        &self,
        scorer: &mut Scorer<'_>,
        best: &mut Climb,
        observe: &mut SearchObserver<'_>,
    ) -> Result<(), ScoreError> {
        match optimum(scorer, &self.constraints, &mut |event| observe(&Event::Exact(event))) {
            Ok(exact) => {
                best.optimal = true;
                if is_above(exact.score, best.score) {
                    (best.dag, best.score) = (exact.dag, exact.score);
                    best.steps.clear();
                }
                Ok(())
            }
            Err(ExactError::Score(ScoreError::Halted(halt))) => {
                best.stop = halt.into();
                Ok(())
            }
            Err(ExactError::Score(error)) => Err(error),
            Err(ExactError::OutOfMemory { megabytes, .. }) => Err(ScoreError::OutOfMemory { megabytes }),
            Err(
                ExactError::TooManyVariables { .. }
                | ExactError::TooManyFamilies { .. }
                | ExactError::NoNetwork,
            ) => {
                unreachable!("sizes were checked before, and the empty network is a candidate")
            }
        }
    }

    pub(super) fn ascend(
        &self,
        scorer: &mut Scorer<'_>,
        start: Dag,
        restart: usize,
        taken: &mut usize,
        observe: &mut SearchObserver<'_>,
    ) -> Result<Ascent, ScoreError> {
        let mut state = ClimbState::new(GainTable::new(&self.constraints, start));
        let stop = match self.climb(scorer, &mut state, restart, taken, observe) {
            Ok(stop) => stop,
            Err(ScoreError::Halted(halt)) => halt.into(),
            Err(error) => return Err(error),
        };
        let ClimbState { table, mut steps, peak, .. } = state;
        let here = table.total();
        let (dag, score) = match peak {
            Some((dag, score, length)) => {
                steps.truncate(length);
                (dag, score)
            }
            None => (table.dag, here),
        };
        Ok(Ascent { dag, score, steps, stop })
    }

    /// Climbs and escapes from optima; a requested stop during scoring is an error.
    fn climb<'a>(
        &'a self,
        scorer: &mut Scorer<'_>,
        state: &mut ClimbState<'a>,
        restart: usize,
        taken: &mut usize,
        observe: &mut SearchObserver<'_>,
    ) -> Result<Stop, ScoreError> {
        state.table.begin(scorer, &mut |progress| observe(&Event::Scoring(progress)))?;
        if self.escapes == 0 {
            return self.take_steps(scorer, state, self.tabu, taken, observe);
        }
        let mut stop = self.climb_and_reverse(scorer, state, taken, observe)?;
        if stop == Stop::Optimum && restart == 0 {
            stop = self.add_pairs(scorer, state, taken, observe)?;
        }
        if stop != Stop::Optimum {
            return Ok(stop);
        }
        self.escape(scorer, state, &mut self.random(ESCAPE_STREAMS + restart as u64), taken, observe)
    }

    /// Applies the best move until no move gains or a limit is reached; a requested stop during scoring is an error.
    pub(super) fn take_steps(
        &self,
        scorer: &mut Scorer<'_>,
        state: &mut ClimbState<'_>,
        tabu_length: usize,
        taken: &mut usize,
        observe: &mut SearchObserver<'_>,
    ) -> Result<Stop, ScoreError> {
        let mut tabu = TabuList::new(tabu_length);
        // The number of moves since the best network.
        let mut since = 0;
        loop {
            if self.max_steps.is_some_and(|most| *taken >= most) {
                return Ok(Stop::MaxSteps);
            }
            // Tabu search also needs the moves that lose.
            let all = tabu_length > 0;
            state.table.evaluate(scorer, all, &mut |progress| observe(&Event::Scoring(progress)))?;
            let forbidden = tabu.forbidden(&state.table.dag);
            let mut scoring = |progress| observe(&Event::Scoring(progress));
            let mut next = state.table.best(scorer, 0.0, &forbidden, &mut scoring)?;
            if next.is_none() && since < tabu_length {
                next = state.table.best(scorer, f64::NEG_INFINITY, &forbidden, &mut scoring)?;
                since += 1;
                let here = state.table.total();
                state.peak.get_or_insert_with(|| (state.table.dag.clone(), here, state.steps.len()));
            }
            let Some((made, gain)) = next else { return Ok(Stop::Optimum) };
            state.table.apply(scorer, made)?;
            tabu.record(made);
            let step = Step { made, gain };
            state.steps.push(step);
            *taken += 1;
            let score = state.table.total();
            if state.peak.as_ref().is_none_or(|(_, best, _)| score > best + TOLERANCE) {
                (state.peak, since) = (None, 0);
            }
            if let ControlFlow::Break(halt) =
                observe(&Event::Stepped { steps: *taken, step, score, partial: false })
            {
                return Ok(halt.into());
            }
            // Only while climbing: below the peak, tabu search intentionally makes moves that lose.
            if self.escapes > 0 && state.peak.is_none() {
                let steps = state.steps.len();
                let stop = self.reverse_edges(scorer, state, made.changed(), taken, observe)?;
                state.steps[steps..].iter().for_each(|step| tabu.record(step.made));
                // The limit on moves may exclude a reversal but not a single move.
                if let Some(stop) = stop.filter(|stop| *stop != Stop::MaxSteps) {
                    return Ok(stop);
                }
            }
        }
    }

    /// The graph after random legal moves, a function of seed and restart, unless the observer requests a stop.
    fn perturbed(
        &self,
        dag: &Dag,
        restart: usize,
        observe: &mut SearchObserver<'_>,
    ) -> ControlFlow<Halt, Dag> {
        let mut random = self.random(restart as u64);
        let mut dag = dag.clone();
        for _ in 0..self.perturb {
            observe(&Event::Scoring(Progress { done: 0, of: 0 }))?;
            let moves = legal_moves(&dag, &self.constraints);
            if moves.is_empty() {
                break;
            }
            let chosen = moves[random.random_range(0..moves.len())];
            dag.apply(&chosen).expect("only legal moves are made");
        }
        ControlFlow::Continue(dag)
    }

    /// The generator of one stream.
    pub(super) fn random(&self, stream: u64) -> ChaCha8Rng {
        let mut random = ChaCha8Rng::seed_from_u64(self.seed);
        random.set_stream(stream);
        random
    }
}

impl<'a> ClimbState<'a> {
    /// The state before the first move.
    pub(super) fn new(table: GainTable<'a>) -> Self {
        Self { table, steps: Vec::new(), peak: None, reversals: ReversalSearch::default() }
    }

    /// Applies a move and returns its gain, which may be negative.
    pub(super) fn apply(&mut self, scorer: &mut Scorer<'_>, made: Move) -> Result<f64, ScoreError> {
        let gain = self.table.apply(scorer, made)?;
        self.steps.push(Step { made, gain });
        Ok(gain)
    }

    /// Applies some moves, the last of which has the number `taken`, and reports them afterwards: an observer cannot
    /// stop between them, because a part of them may lower the score.
    pub(super) fn apply_all(
        &mut self,
        scorer: &mut Scorer<'_>,
        moves: &[Move],
        taken: usize,
        observe: &mut SearchObserver<'_>,
    ) -> Result<Option<Stop>, ScoreError> {
        let mut applied = Vec::with_capacity(moves.len());
        for (steps, &step) in (taken + 1 - moves.len()..).zip(moves) {
            let gain = self.apply(scorer, step)?;
            applied.push((steps, Step { made: step, gain }, self.table.total()));
        }
        let answers = applied.into_iter().map(|(steps, step, score)| {
            observe(&Event::Stepped { steps, step, score, partial: steps < taken })
        });
        Ok(answers.filter_map(ControlFlow::break_value).last().map(Stop::from))
    }

    /// Returns to the best network, if tabu search left it.
    pub(super) fn return_to_best(&mut self, scorer: &mut Scorer<'_>) -> Result<(), ScoreError> {
        if let Some((dag, _, length)) = &self.peak {
            let mut table = self.table.restart_from(dag.clone());
            table.begin(scorer, &mut |_| ControlFlow::Continue(()))?;
            self.steps.truncate(*length);
            (self.table, self.peak) = (table, None);
        }
        Ok(())
    }
}
