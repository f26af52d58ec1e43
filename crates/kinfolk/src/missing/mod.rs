//! Learning from incomplete data: structural EM in two phases, and available-case Bayes factors.
//!
//! - `restricted`: counts on observed rows, and the available-case score;
//! - `draw`: draws missing cells given the observed ones of their row;
//! - `prepared`: data completed for one structure, as all steps after learning use them;
//! - `versions`: several versions of the completed data, their mean score and their mean tables.
//!
//! Structural EM starts from the structure with the best available-case score. Phase 1 draws one version of the completed data in every
//! round and counts a family on the rows whose child was observed, so that no arc comes from the model's own draws. Phase 2 draws several
//! versions, counts all rows and averages the scores. Each phase ends after three rounds that did not change the equivalence class, or
//! after its maximum number of rounds. Every cell is drawn from a stream of random numbers of its own row: the result depends neither on the
//! order of rows or data sets nor on the number of threads.

mod draw;
mod prepared;
mod restricted;
mod versions;

use std::borrow::Cow;
use std::ops::ControlFlow;

use serde_json::{Map, Value};
use thiserror::Error;

pub use prepared::{FillIn, FoundStructure, Prepared};
pub(crate) use versions::of_version;
pub use versions::{Completed, MeanScore, VersionsTally};

use self::draw::IncompleteRows;
use self::restricted::{AvailableCase, Marked};
use crate::counts::Family;
use crate::data::{DataSetId, Missing, RelatedData, VariableId, nothing_observed};
use crate::estimate::{EstimateError, Method, Network, average, estimate};
use crate::graph::{Cpdag, Dag, modelstring};
use crate::learned::{self, FilledIn, Learned, Round};
use crate::remedy::{Actionable, Remedy, Wording};
use crate::score::{Halt, Score, ScoreError, Scorer, Work};
use crate::search::{Algorithm, Event, ExactUse, HillClimb, Search, Stop};

/// The maximum number of rounds of phase 1.
const ROUNDS_1: usize = 8;

/// The maximum number of rounds of phase 2.
const ROUNDS_2: usize = 8;

/// The rounds with several versions where the structure is given, so that only tables change.
const TABLE_ROUNDS: usize = 4;

/// A phase ends early after this many consecutive rounds that did not change the equivalence class. After fewer, the next draws
/// still change it often: ending after two costs about 0.4 SHD with 40 % of the cells missing, ending after one another 0.7.
const UNCHANGED: usize = 3;

/// The versions of the completed data in phase 2.
const VERSIONS: usize = 5;

/// A row of larger weight is filled in as this many rows that share its weight.
const MOST_COPIES: u64 = 32;

/// Why nothing was learned from incomplete data.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum MissingError {
    /// Variables have no value in any row.
    #[error("{}", nothing_observed(.0))]
    NothingObserved(Vec<String>),
    /// Families could not be scored, or the observer stopped the work before there was a result.
    #[error(transparent)]
    Score(#[from] ScoreError),
    /// Tables could not be estimated.
    #[error(transparent)]
    Estimate(#[from] EstimateError),
}

impl Actionable for MissingError {
    fn problem(&self, words: &dyn Wording) -> String {
        match self {
            Self::NothingObserved(_) => self.to_string(),
            Self::Score(error) => error.problem(words),
            Self::Estimate(error) => error.problem(words),
        }
    }

    fn remedies(&self) -> Vec<Remedy> {
        match self {
            Self::NothingObserved(columns) => vec![Remedy::IgnoreColumns(columns.clone())],
            Self::Score(error) => error.remedies(),
            Self::Estimate(error) => error.remedies(),
        }
    }
}

/// How to learn from incomplete data.
pub struct LearnIncomplete<'a> {
    /// The score of complete data.
    pub score: &'a dyn Score,
    /// The tables from which missing cells are drawn. Scores of pooled rows use the pooled table of this method, the others that of each
    /// data set.
    pub tables: Method,
    /// The search. Rounds climb from the structure of the round before, with its escapes alone; the last one searches in full.
    pub search: &'a Search,
    /// [`Missing::Impute`], or [`Missing::Available`] for one climb by available-case scores.
    pub treatment: Missing,
    /// The seed of the draws.
    pub seed: u64,
    /// The most bytes for counting one family.
    pub memory: Option<usize>,
}

/// What was learned from incomplete data.
#[derive(Debug, Clone)]
pub struct LearnedIncomplete {
    /// The structure with its scores, which are means over the versions, and the rounds in `filled_in`.
    pub learned: Learned,
    /// The completed data of the last round; `None` for [`Missing::Available`].
    pub completed: Option<Completed>,
    /// The work of all searches.
    pub work: Work,
}

/// A structure while the rounds go on.
struct Progressing {
    dag: Dag,
    tables: Network,
    rounds: Vec<Round>,
    stop: Stop,
    work: Work,
}

impl LearnIncomplete<'_> {
    /// Learns the structure that the data sets share. An observer that stops a round gets the structure so far.
    ///
    /// # Panics
    /// If the data are complete: then there is nothing to fill in.
    pub fn run(
        &self,
        data: &RelatedData,
        settings: Map<String, Value>,
        observe: &mut dyn FnMut(&Event<'_>) -> ControlFlow<Halt>,
    ) -> Result<LearnedIncomplete, MissingError> {
        let filled_in = FilledIn::new(data, self.treatment);
        let data = &*prepare(data)?;
        let available = Marked::families(data);
        let tally = available.tally(data.schema(), self.score.is_pooled(), self.memory);
        let rows = (0..data.schema().data_sets().len()).map(|f| data.rows(DataSetId::new(f))).sum();
        let score = AvailableCase { score: self.score, rows };
        let mut scorer = self.scorer(&tally, &score);
        if self.treatment == Missing::Available {
            let search = Search { climb: self.climb(), ..self.search.clone() };
            let mut learned = learned::learn(&mut scorer, &search, settings, observe)?;
            learned.filled_in = Some(filled_in);
            return Ok(LearnedIncomplete { learned, completed: None, work: scorer.work() });
        }
        let climbed = self.climb().run(&mut scorer, self.search.start.clone(), observe)?;
        let tables = self.fill_in().available_tables(data, &available, &climbed.dag)?;
        let work = scorer.work();
        let state = Progressing { dag: climbed.dag, tables, rounds: Vec::new(), stop: climbed.stop, work };
        drop(scorer);
        drop(tally);
        // The rounds do not need this copy of the data.
        drop(available);
        self.rounds(data, state, filled_in, settings, observe)
    }

    /// How missing cells are filled in between searches.
    fn fill_in(&self) -> FillIn {
        FillIn {
            tables: self.tables.clone(),
            pooled: self.score.is_pooled(),
            seed: self.seed,
            memory: self.memory,
        }
    }

    /// A climb without restarts, pairs of parents and exact search.
    fn climb(&self) -> HillClimb {
        // A round of order search would follow even without restarts.
        let algorithm = match self.search.climb.algorithm {
            Algorithm::Orders => Algorithm::Climb,
            other => other,
        };
        HillClimb {
            restarts: 0,
            most_pairs: 0,
            algorithm,
            exact: ExactUse::Never,
            ..self.search.climb.clone()
        }
    }

    fn scorer<'a>(&self, tally: &'a dyn crate::counts::Tally, score: &'a dyn Score) -> Scorer<'a> {
        let scorer = Scorer::new(tally, score);
        match self.search.keep_scores {
            Some(most) => scorer.keep_at_most(most),
            None => scorer,
        }
    }

    /// Both phases.
    fn rounds(
        &self,
        data: &RelatedData,
        mut state: Progressing,
        mut filled_in: FilledIn,
        settings: Map<String, Value>,
        observe: &mut dyn FnMut(&Event<'_>) -> ControlFlow<Halt>,
    ) -> Result<LearnedIncomplete, MissingError> {
        let incomplete = IncompleteRows::new(data);
        let pooled = self.score.is_pooled();
        let most = ROUNDS_1 + ROUNDS_2;
        let names = data.schema().names();
        let mut marked = Marked::children(data);
        let mut is_drawn = false;
        for round in 0..ROUNDS_1 {
            if is_halted(&mut state, observe(&Event::Round { number: round + 1, most })) {
                break;
            }
            marked.draw(data, &incomplete, (&state.tables, pooled), (self.seed, stream(round, 0)), is_drawn);
            is_drawn = true;
            let tally = marked.tally(data.schema(), pooled, self.memory);
            let mut scorer = self.scorer(&tally, self.score);
            let climbed = self.climb().run(&mut scorer, state.dag.clone(), observe)?;
            state.work += scorer.work();
            let apart = marked.tally(data.schema(), false, self.memory);
            state.tables = with_centre(data, estimate(&apart, &climbed.dag, self.tables.clone())?);
            if state.take(1, climbed.dag, climbed.score, climbed.stop, &names) {
                break;
            }
        }
        let mut completed = Completed::several(data, marked.into_completed(), VERSIONS, &filled_in);
        for round in ROUNDS_1..most {
            let halted = is_halted(&mut state, observe(&Event::Round { number: round + 1, most }));
            let streams = (self.seed, |version| stream(round, version));
            completed.draw(data, &incomplete, (&state.tables, pooled), streams, is_drawn);
            is_drawn = true;
            let score = MeanScore { score: self.score, versions: VERSIONS };
            let tally = completed.tally(self.score.is_pooled(), self.memory);
            let mut scorer = self.scorer(&tally, &score);
            let climbed = self.climb().run(&mut scorer, state.dag.clone(), observe)?;
            let settled = state.take(2, climbed.dag, climbed.score, climbed.stop, &names);
            let stopped = halted || state.is_stopped();
            if settled || stopped || round + 1 == most {
                let search = Search { start: state.dag.clone(), ..self.search.clone() };
                let mut learned = learned::learn(&mut scorer, &search, settings, observe)?;
                if stopped {
                    learned.stop = state.stop;
                }
                filled_in.versions = VERSIONS;
                filled_in.rounds = state.rounds;
                filled_in.settled = settled && !stopped;
                learned.filled_in = Some(filled_in);
                state.work += scorer.work();
                drop(scorer);
                drop(tally);
                return Ok(LearnedIncomplete { learned, completed: Some(completed), work: state.work });
            }
            state.work += scorer.work();
            state.tables = completed.tables(&state.dag, &self.tables, self.memory)?;
        }
        unreachable!("the last round returns")
    }
}

impl FillIn {
    /// Tables by the rows that are complete for each family; a data set without any has the table of a new one.
    fn available_tables(
        &self,
        data: &RelatedData,
        marked: &Marked,
        dag: &Dag,
    ) -> Result<Network, EstimateError> {
        let network = estimate(&marked.tally(data.schema(), false, self.memory), dag, self.tables.clone())?;
        Ok(with_centre(data, network))
    }
}

/// Fills in missing cells with the structure fixed: rounds of draws and tables alone.
fn draw_for(fill_in: &FillIn, data: &RelatedData, dag: &Dag) -> Result<Completed, MissingError> {
    let filled_in = FilledIn::new(data, Missing::Impute);
    let data = &*prepare(data)?;
    let incomplete = IncompleteRows::new(data);
    let mut tables = fill_in.available_tables(data, &Marked::families(data), dag)?;
    let mut one = Completed::undrawn(data, &filled_in);
    for round in 0..ROUNDS_1 {
        let streams = (fill_in.seed, |version| stream(round, version));
        one.draw(data, &incomplete, (&tables, fill_in.pooled), streams, round > 0);
        tables = one.tables(dag, &fill_in.tables, fill_in.memory)?;
    }
    let mut completed = Completed::several(data, one.into_columns(), VERSIONS, &filled_in);
    for round in 0..TABLE_ROUNDS {
        if round > 0 {
            tables = completed.tables(dag, &fill_in.tables, fill_in.memory)?;
        }
        let streams = (fill_in.seed, |version| stream(ROUNDS_1 + round, version));
        completed.draw(data, &incomplete, (&tables, fill_in.pooled), streams, true);
    }
    Ok(completed)
}

impl Progressing {
    /// Takes the structure of a round; returns whether the phase has settled or was stopped.
    fn take(&mut self, phase: u8, dag: Dag, score: f64, stop: Stop, names: &[String]) -> bool {
        let changed = Cpdag::of(&dag) != Cpdag::of(&self.dag);
        self.rounds.push(Round { phase, structure: modelstring::format(&dag, names), score, changed });
        (self.dag, self.stop) = (dag, stop);
        let mut last = self.rounds.iter().rev().take(UNCHANGED);
        let settled =
            self.rounds.len() >= UNCHANGED && last.all(|round| round.phase == phase && !round.changed);
        settled || self.is_stopped()
    }

    fn is_stopped(&self) -> bool {
        matches!(self.stop, Stop::TimeLimit | Stop::Interrupted)
    }
}

/// Whether the observer, or an earlier search, asked for a stop; the state remembers why.
fn is_halted(state: &mut Progressing, said: ControlFlow<Halt>) -> bool {
    if let ControlFlow::Break(halt) = said {
        state.stop = match halt {
            Halt::TimeLimit => Stop::TimeLimit,
            Halt::Interrupted => Stop::Interrupted,
        };
    }
    state.is_stopped()
}

/// The stream of random numbers of one version in one round.
fn stream(round: usize, version: usize) -> u64 {
    (round * VERSIONS + version) as u64
}

/// The network with the table of a new data set wherever a data set lacks a column of the family.
fn with_centre(data: &RelatedData, network: Network) -> Network {
    let dag = network.dag().clone();
    average(&[network], |node, data_set| {
        let family = Family::of(&dag, VariableId::new(node));
        let ids = family.parents().iter().chain([&family.child()]).copied().collect::<Vec<_>>();
        ids.into_iter().any(|id| data.lacks(id, DataSetId::new(data_set)))
    })
}

/// The rows to fill in: those with a value, and of heavy incomplete rows several copies.
fn prepare(data: &RelatedData) -> Result<Cow<'_, RelatedData>, MissingError> {
    assert!(!data.is_complete(), "there is nothing to fill in");
    let schema = data.schema();
    let rows = data.stored_rows();
    let is_unobserved =
        |&id: &VariableId| (0..rows).all(|row| data.is_missing(id, row) || data.weight(row) == 0);
    let unobserved: Vec<String> =
        schema.ids().filter(is_unobserved).map(|id| schema.variable(id).name.clone()).collect();
    if !unobserved.is_empty() {
        return Err(MissingError::NothingObserved(unobserved));
    }
    let is_empty = |row: usize| schema.ids().all(|id| data.is_missing(id, row));
    if data.weights().is_none() && !(0..rows).any(is_empty) {
        return Ok(Cow::Borrowed(data));
    }
    let copies = |row: usize| -> Vec<u64> {
        let weight = data.weight(row);
        match schema.ids().filter(|&id| data.is_missing(id, row)).count() {
            0 => vec![weight],
            _ if is_empty(row) => Vec::new(),
            _ => {
                let parts = weight.min(MOST_COPIES);
                (0..parts).map(|part| (weight + part) / parts).collect()
            }
        }
    };
    Ok(Cow::Owned(data.repeated(copies)))
}
