//! The functions that most users of the library need: read files, learn, score, fit tables, explain, compute
//! posteriors.
//!
//! Each takes data and [`LearnOptions`] and combines the modules with their defaults. Callers that need progress, time
//! limits or another source of counts use the modules directly.

use std::ops::ControlFlow;
use std::path::PathBuf;

use thiserror::Error;

use crate::counts::MemoryTally;
use crate::data::{DataError, Missing, ReadOptions, Reading, RelatedData, Source};
use crate::estimate::{EstimateError, Method, Network, TableSpec};
use crate::explain::{ABSENT_ARCS, Explain, Explanation};
use crate::graph::Dag;
use crate::infer::{Answer, Given, InferError, Limits, Question, find_state, find_variable};
use crate::learned::{self, Judged, Learned};
use crate::missing::{FillIn, LearnIncomplete, MissingError};
use crate::posterior::{ArcPosterior, PosteriorError, PosteriorOptions};
use crate::remedy::{Actionable, Remedy, Wording};
use crate::score::{BuiltScore, Halt, OptionError, Score, ScoreError, ScoreSpec, Scorer};
use crate::search::{Event, Search, SearchSpec, SearchSpecError};

/// How to learn: the score, the search and the tables. Each has its own default.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct LearnOptions {
    /// The score; `kin` by default.
    pub score: ScoreSpec,
    /// The search, including required and forbidden arcs.
    pub search: SearchSpec,
    /// The tables; those of the score by default.
    pub tables: Option<TableSpec>,
    /// The memory limit of counting in bytes; the default of [`MemoryTally`] if not given.
    pub memory: Option<usize>,
    /// How [`learn`] treats missing values: by available-case scores with [`Missing::Available`], otherwise by filling them in. Everything else
    /// fills them in for the given structure.
    pub missing: Missing,
}

impl LearnOptions {
    /// The default options.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same with another score.
    #[must_use]
    pub fn with_score(self, score: ScoreSpec) -> Self {
        Self { score, ..self }
    }

    /// The same with another search.
    #[must_use]
    pub fn with_search(self, search: SearchSpec) -> Self {
        Self { search, ..self }
    }

    /// The same with other tables.
    #[must_use]
    pub fn with_tables(self, tables: TableSpec) -> Self {
        Self { tables: Some(tables), ..self }
    }

    /// The same with a limit on the bytes for counting.
    #[must_use]
    pub fn with_memory(self, bytes: usize) -> Self {
        Self { memory: Some(bytes), ..self }
    }

    /// The same with another treatment of missing values.
    #[must_use]
    pub fn with_missing(self, missing: Missing) -> Self {
        Self { missing, ..self }
    }

    /// Validates the score's options and builds it for these data.
    fn build_score(&self, data: &RelatedData) -> Result<BuiltScore, LearnError> {
        self.score.check()?;
        Ok(self.score.build(data.schema().data_sets().len())?)
    }

    /// Validates the search against the variables. A time limit needs an observer with a clock.
    fn prepare(&self, data: &RelatedData, has_clock: bool) -> Result<Search, LearnError> {
        if self.search.time_limit.is_some() && !has_clock {
            return Err(LearnError::NoClock);
        }
        Ok(self.search.prepare(data.schema())?)
    }

    /// The counts that a score needs: by data set, or pooled.
    fn tally<'a>(&self, data: &'a RelatedData, score: &dyn Score) -> MemoryTally<'a> {
        self.limited(MemoryTally::by_data_set_or_pooled(data, score.is_pooled()))
    }

    /// How missing values are filled in for a given structure.
    fn fill_in(&self, data: &RelatedData, score: &dyn Score) -> Result<FillIn, LearnError> {
        let data_sets = data.schema().data_sets().len();
        Ok(FillIn::for_score(&self.score, score, data_sets, self.search.seed, self.memory)?)
    }

    /// The tables that belong to the score.
    fn score_tables(&self, data: &RelatedData) -> Result<Method, LearnError> {
        Ok(TableSpec::after_search(&self.score, None).build(data.schema().data_sets().len())?.0)
    }

    fn limited<'a>(&self, tally: MemoryTally<'a>) -> MemoryTally<'a> {
        match self.memory {
            Some(bytes) => tally.with_memory(bytes),
            None => tally,
        }
    }
}

/// Why learning failed.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum LearnError {
    /// An option of a score or of tables is wrong.
    #[error(transparent)]
    Option(#[from] OptionError),
    /// The search is impossible.
    #[error(transparent)]
    Search(#[from] SearchSpecError),
    /// A time limit without an observer.
    #[error(
        "the library reads no clock, so learn takes no time limit; call learn_observed and stop the search there"
    )]
    NoClock,
    /// Families could not be scored, or the observer stopped the search before there was a result.
    #[error(transparent)]
    Score(#[from] ScoreError),
    /// Tables could not be estimated.
    #[error(transparent)]
    Estimate(#[from] EstimateError),
    /// Learning from incomplete data failed.
    #[error(transparent)]
    Missing(#[from] MissingError),
    /// Posterior probabilities could not be computed.
    #[error(transparent)]
    Posterior(#[from] PosteriorError),
}

impl LearnError {
    /// The underlying error, if it has remedies.
    fn cause(&self) -> Option<&dyn Actionable> {
        match self {
            Self::Option(error) => Some(error),
            Self::Search(error) => Some(error),
            Self::Score(error) | Self::Posterior(PosteriorError::Score(error)) => Some(error),
            Self::Estimate(error) => Some(error),
            Self::Missing(error) => Some(error),
            Self::NoClock | Self::Posterior(_) => None,
        }
    }
}

impl Actionable for LearnError {
    fn problem(&self, words: &dyn Wording) -> String {
        self.cause().map_or_else(|| self.to_string(), |cause| cause.problem(words))
    }

    fn remedies(&self) -> Vec<Remedy> {
        self.cause().map_or_else(Vec::new, Actionable::remedies)
    }
}

/// Reads files of delimited text, plain or gzipped: one data set per file, or per value of [`ReadOptions::group`].
pub fn read_csv<P: Into<PathBuf>>(
    files: impl IntoIterator<Item = P>,
    options: &ReadOptions,
) -> Result<Reading, DataError> {
    crate::data::read(files.into_iter().map(|file| Source::Path(file.into())).collect(), options)
}

/// Learns the structure that the data sets share.
///
/// A time limit is refused with [`LearnError::NoClock`]: [`learn_observed`] lets the caller stop the search.
pub fn learn(data: &RelatedData, options: &LearnOptions) -> Result<Learned, LearnError> {
    let search = options.prepare(data, false)?;
    run_search(data, options, &search, &mut |_| ControlFlow::Continue(()))
}

/// As [`learn`], and reports progress to an observer, which may stop the search; the best network so far is returned.
pub fn learn_observed(
    data: &RelatedData,
    options: &LearnOptions,
    observe: &mut dyn FnMut(&Event<'_>) -> ControlFlow<Halt>,
) -> Result<Learned, LearnError> {
    let search = options.prepare(data, true)?;
    run_search(data, options, &search, observe)
}

fn run_search(
    data: &RelatedData,
    options: &LearnOptions,
    search: &Search,
    observe: &mut dyn FnMut(&Event<'_>) -> ControlFlow<Halt>,
) -> Result<Learned, LearnError> {
    let built = options.build_score(data)?;
    let mut settings = built.record();
    settings.extend(options.search.settings(data.schema(), search));
    if !data.is_complete() {
        let learn = LearnIncomplete {
            score: built.score.as_ref(),
            tables: options.score_tables(data)?,
            search,
            treatment: if options.missing == Missing::Available {
                Missing::Available
            } else {
                Missing::Impute
            },
            seed: options.search.seed,
            memory: options.memory,
        };
        return Ok(learn.run(data, settings, observe)?.learned);
    }
    let tally = options.tally(data, built.score.as_ref());
    let mut scorer = Scorer::new(&tally, built.score.as_ref());
    if let Some(most) = search.keep_scores {
        scorer = scorer.keep_at_most(most);
    }
    Ok(learned::learn(&mut scorer, search, settings, observe)?)
}

/// Scores a given structure, node by node and arc by arc. Missing values are filled in for it first.
///
/// # Panics
/// If the number of nodes differs from the number of variables.
pub fn score_structure(data: &RelatedData, dag: &Dag, options: &LearnOptions) -> Result<Judged, LearnError> {
    check_size(data, dag);
    let built = options.build_score(data)?;
    let fill_in = options.fill_in(data, built.score.as_ref())?;
    Ok(fill_in.prepare(data, dag)?.judge(built.score.as_ref(), dag, built.record())?)
}

/// Estimates the probability tables of every data set. Missing values are filled in for the structure first.
///
/// # Panics
/// If the number of nodes differs from the number of variables.
pub fn fit_tables(data: &RelatedData, dag: &Dag, options: &LearnOptions) -> Result<Network, LearnError> {
    check_size(data, dag);
    let method = match &options.tables {
        Some(tables) => {
            tables.check()?;
            tables.build(data.schema().data_sets().len())?.0
        }
        None => options.score_tables(data)?,
    };
    let (seed, memory) = (options.search.seed, options.memory);
    let fill_in = FillIn { tables: method.clone(), pooled: false, seed, memory };
    Ok(fill_in.prepare(data, dag)?.tables(dag, &method)?)
}

/// Explains a structure: the evidence for every arc by data set, whether to pool, and which data sets differ. Missing values
/// are filled in for the structure first.
///
/// # Panics
/// If the number of nodes differs from the number of variables.
pub fn explain_structure(
    data: &RelatedData,
    dag: &Dag,
    options: &LearnOptions,
) -> Result<Explanation, LearnError> {
    check_size(data, dag);
    let built = options.build_score(data)?;
    let search = options.prepare(data, false)?;
    let explain = Explain {
        left_out: ABSENT_ARCS,
        posterior: true,
        prior: options.score.prior.build(data.schema().data_sets().len())?,
        kin: options.score.kin.build()?,
        search: search.climb,
        start: Some(search.start),
    };
    let prepared = options.fill_in(data, built.score.as_ref())?.prepare(data, dag)?;
    Ok(explain.run_prepared(&prepared, built.score.as_ref(), dag, &mut |_| ControlFlow::Continue(()))?)
}

/// The posterior probability of every arc and edge, under the constraints of the search.
pub fn arc_posterior(data: &RelatedData, options: &LearnOptions) -> Result<ArcPosterior, LearnError> {
    let built = options.build_score(data)?;
    let search = options.prepare(data, false)?;
    let mut posterior = PosteriorOptions::new(search.climb.constraints);
    posterior.seed = options.search.seed;
    let tally = options.tally(data, built.score.as_ref());
    let mut scorer = Scorer::new(&tally, built.score.as_ref());
    Ok(crate::posterior::arc_posterior(&mut scorer, &posterior, &mut |_| ControlFlow::Continue(()))?)
}

/// The probabilities of a variable's states given states of others, in every data set, pooled, and in a new data set.
pub fn query(network: &Network, target: &str, evidence: &[(&str, &str)]) -> Result<Answer, InferError> {
    let mut given = Given::nothing(network);
    for &(name, state) in evidence {
        let id = find_variable(network, name)?;
        given.observe(network, id, find_state(network, id, state)?)?;
    }
    let question = Question {
        targets: vec![find_variable(network, target)?],
        given,
        relatives: network.relatives().collect(),
        joint: false,
        explanation: false,
        limits: Limits::default(),
    };
    question.ask(network)
}

fn check_size(data: &RelatedData, dag: &Dag) {
    assert_eq!(dag.len(), data.schema().variables().len(), "a structure has one node per variable");
}
