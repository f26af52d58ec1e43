//! Hill-climbing: the best single move again and again, past optima if asked to, with escapes from them and restarts from perturbed ones.

use std::ops::ControlFlow;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::Serialize;

use super::Constraints;
use super::legal::legal_moves;
use super::moves::{Moves, TOLERANCE};
use super::tabu::Tabu;
use super::turn::Turns;
use crate::graph::{Dag, Move};
use crate::score::{Halt, Progress, ScoreError, Scorer};

/// The first stream of random numbers for escapes: more than there are restarts.
const ESCAPES: u64 = 1 << 63;

/// Settings of a hill-climb.
#[derive(Debug, Clone)]
pub struct HillClimb {
    /// What the structure may and must contain.
    pub constraints: Constraints,
    /// The most moves in all.
    pub max_steps: Option<usize>,
    /// How many moves that gain nothing to make before a better network is found, never back to one of as many networks before
    /// (tabu search: Glover 1989, <https://doi.org/10.1287/ijoc.1.3.190>); zero stops at the first optimum.
    pub tabu: usize,
    /// How many attempts in a row to leave an optimum may fail, each of which turns arcs of an equivalent network round, together with what
    /// their ends then need. Unless it is zero, arcs are turned so after every move on the way up, too: such a climb takes another way than a plain one,
    /// mostly to a higher score.
    pub escapes: usize,
    /// How often to perturb the best network and climb again.
    pub restarts: usize,
    /// Random moves in each perturbation.
    pub perturb: usize,
    /// The seed of the escapes and perturbations; each restart has its own streams.
    pub seed: u64,
}

/// One move made, and what it gained.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// The move.
    pub made: Move,
    /// The gain in score.
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
    /// The time was up; what was found so far is returned.
    TimeLimit,
    /// Somebody asked to stop; what was found so far is returned.
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

/// One restart and what came of it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Restart {
    /// The score at its end.
    pub score: f64,
    /// The moves it took.
    pub steps: usize,
    /// Whether it became the best network.
    pub improved: bool,
}

/// What a search tells its observer, who may answer with a request to stop.
#[derive(Debug, Clone, Copy)]
pub enum Event<'a> {
    /// Families are being scored or bounded for the next move.
    Scoring(Progress),
    /// A move was made; the graph and its score after it.
    Stepped {
        /// Moves made so far, those of restarts and of attempts to escape included.
        steps: usize,
        /// The move.
        step: Step,
        /// The score after it.
        score: f64,
    },
    /// A restart ended.
    Restarted {
        /// Which one, from one.
        number: usize,
        /// What came of it.
        restart: &'a Restart,
    },
}

/// What a search found.
#[derive(Debug, Clone, PartialEq)]
pub struct Climb {
    /// The best network.
    pub dag: Dag,
    /// Its score; not a number if the search was stopped before it could be computed.
    pub score: f64,
    /// Where the climb that found it started.
    pub start: Dag,
    /// The moves of that climb, without those of escapes that failed.
    pub steps: Vec<Step>,
    /// Why the search ended.
    pub stop: Stop,
    /// The restarts, in order.
    pub restarts: Vec<Restart>,
}

/// Where one climb ended.
struct Ascent {
    dag: Dag,
    score: f64,
    steps: Vec<Step>,
    stop: Stop,
}

/// A climb under way.
pub(super) struct Way<'a> {
    pub(super) moves: Moves<'a>,
    pub(super) steps: Vec<Step>,
    /// The best network, once it was left for worse ones, with its score and the moves up to it.
    peak: Option<(Dag, f64, usize)>,
    pub(super) turns: Turns,
}

/// Who is told how a search goes on, and may ask to stop.
pub(super) type Observer<'a> = dyn FnMut(&Event<'_>) -> ControlFlow<Halt> + 'a;

impl HillClimb {
    /// A plain hill-climb under these constraints.
    pub fn new(constraints: Constraints) -> Self {
        Self { constraints, max_steps: None, tabu: 0, escapes: 0, restarts: 0, perturb: 1, seed: 0 }
    }

    /// Climbs from `start`, which must keep the constraints (see [`Constraints::start`]).
    ///
    /// In every step all additions, drops and reversals are compared; the best is made if it gains. Families are scored in
    /// parallel, and the answer does not depend on the number of threads. Cost: O(N²) families for the first step and O(N)
    /// for every further one, each counted once; if the score has a ceiling, those that may be the best once more, to be scored.
    pub fn run(
        &self,
        scorer: &mut Scorer<'_>,
        start: Dag,
        observe: &mut dyn FnMut(&Event<'_>) -> ControlFlow<Halt>,
    ) -> Result<Climb, ScoreError> {
        let mut taken = 0;
        let ascent = self.ascend(scorer, start.clone(), 0, &mut taken, observe)?;
        let mut best = Climb {
            dag: ascent.dag,
            score: ascent.score,
            start,
            steps: ascent.steps,
            stop: ascent.stop,
            restarts: Vec::new(),
        };
        for number in 1..=self.restarts {
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
        Ok(best)
    }

    fn ascend(
        &self,
        scorer: &mut Scorer<'_>,
        start: Dag,
        restart: usize,
        taken: &mut usize,
        observe: &mut Observer<'_>,
    ) -> Result<Ascent, ScoreError> {
        let mut way = Way::new(Moves::new(&self.constraints, start));
        let stop = match self.go(scorer, &mut way, restart, taken, observe) {
            Ok(stop) => stop,
            Err(ScoreError::Halted(halt)) => halt.into(),
            Err(error) => return Err(error),
        };
        let Way { moves, mut steps, peak, .. } = way;
        let here = moves.total();
        let (dag, score) = match peak {
            Some((dag, score, length)) => {
                steps.truncate(length);
                (dag, score)
            }
            None => (moves.dag, here),
        };
        Ok(Ascent { dag, score, steps, stop })
    }

    /// Climbs, and leaves optima if asked to; a request to stop comes out as an error.
    fn go<'a>(
        &'a self,
        scorer: &mut Scorer<'_>,
        way: &mut Way<'a>,
        restart: usize,
        taken: &mut usize,
        observe: &mut Observer<'_>,
    ) -> Result<Stop, ScoreError> {
        way.moves.begin(scorer, &mut |progress| observe(&Event::Scoring(progress)))?;
        if self.escapes == 0 {
            return self.take_steps(scorer, way, self.tabu, taken, observe);
        }
        let stop = self.climb_and_turn(scorer, way, taken, observe)?;
        if stop != Stop::Optimum {
            return Ok(stop);
        }
        self.escape(scorer, way, &mut self.random(ESCAPES + restart as u64), taken, observe)
    }

    /// Makes the best move again and again until there is a reason not to; a request to stop may come out as an error.
    pub(super) fn take_steps(
        &self,
        scorer: &mut Scorer<'_>,
        way: &mut Way<'_>,
        most_tabu: usize,
        taken: &mut usize,
        observe: &mut Observer<'_>,
    ) -> Result<Stop, ScoreError> {
        let mut tabu = Tabu::new(most_tabu);
        // Moves that gained nothing since the best network so far.
        let mut since = 0;
        loop {
            if self.max_steps.is_some_and(|most| *taken >= most) {
                return Ok(Stop::MaxSteps);
            }
            // A search past optima asks for moves that gain nothing, too.
            let all = most_tabu > 0;
            way.moves.evaluate(scorer, all, &mut |progress| observe(&Event::Scoring(progress)))?;
            let forbidden = tabu.forbidden(&way.moves.dag);
            let mut scoring = |progress| observe(&Event::Scoring(progress));
            let mut next = way.moves.best(scorer, 0.0, &forbidden, &mut scoring)?;
            if next.is_none() && since < most_tabu {
                next = way.moves.best(scorer, f64::NEG_INFINITY, &forbidden, &mut scoring)?;
                since += 1;
                let here = way.moves.total();
                way.peak.get_or_insert_with(|| (way.moves.dag.clone(), here, way.steps.len()));
            }
            let Some((made, gain)) = next else { return Ok(Stop::Optimum) };
            way.moves.apply(scorer, made)?;
            tabu.moved(made);
            let step = Step { made, gain };
            way.steps.push(step);
            *taken += 1;
            let score = way.moves.total();
            if way.peak.as_ref().is_none_or(|(_, best, _)| score > best + TOLERANCE) {
                (way.peak, since) = (None, 0);
            }
            if let ControlFlow::Break(halt) = observe(&Event::Stepped { steps: *taken, step, score }) {
                return Ok(halt.into());
            }
            // On the way up only: past an optimum, moves that lose are made on purpose.
            if self.escapes > 0 && way.peak.is_none() {
                let steps = way.steps.len();
                let stop = self.turn_arcs(scorer, way, made.changed(), taken, observe)?;
                way.steps[steps..].iter().for_each(|step| tabu.moved(step.made));
                // Where there is no room for a turn there may be for single moves.
                if let Some(stop) = stop.filter(|stop| *stop != Stop::MaxSteps) {
                    return Ok(stop);
                }
            }
        }
    }

    /// The graph after some random legal moves, the same for the same seed and restart, unless the observer asks to stop.
    fn perturbed(&self, dag: &Dag, restart: usize, observe: &mut Observer<'_>) -> ControlFlow<Halt, Dag> {
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

    /// Random numbers of their own for each stream.
    fn random(&self, stream: u64) -> ChaCha8Rng {
        let mut random = ChaCha8Rng::seed_from_u64(self.seed);
        random.set_stream(stream);
        random
    }
}

impl<'a> Way<'a> {
    /// A climb that starts here.
    pub(super) fn new(moves: Moves<'a>) -> Self {
        Self { moves, steps: Vec::new(), peak: None, turns: Turns::default() }
    }

    /// Makes a move, whatever it gains, and tells what that is.
    pub(super) fn make(&mut self, scorer: &mut Scorer<'_>, made: Move) -> Result<f64, ScoreError> {
        let gain = self.moves.apply(scorer, made)?;
        self.steps.push(Step { made, gain });
        Ok(gain)
    }

    /// Goes back to the best network, if it was left.
    pub(super) fn settle(&mut self, scorer: &mut Scorer<'_>) -> Result<(), ScoreError> {
        if let Some((dag, _, length)) = &self.peak {
            let mut moves = self.moves.anew(dag.clone());
            moves.begin(scorer, &mut |_| ControlFlow::Continue(()))?;
            self.steps.truncate(*length);
            (self.moves, self.peak) = (moves, None);
        }
        Ok(())
    }
}
