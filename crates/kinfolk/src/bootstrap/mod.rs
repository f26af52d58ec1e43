//! Bootstrap strengths of a network's arcs, and their sensitivity to leaving out each data set.
//!
//! A replicate resamples the data and learns a structure. [`By::Rows`] draws the rows of every data set with
//! replacement, [`By::HalfRows`] half of them without: would more rows of these data sets give the same arcs? Scores
//! with per-family priors count repeated rows as evidence, so half-samples are better calibrated for `kin`.
//! [`By::DataSets`] draws whole data sets with replacement: would other data sets give the same arcs? The *strength* of
//! an edge is the share of replicates that contain it, in either direction. Its *direction* is the share of those that
//! orient it this way (Friedman, Goldszmidt, Wyner 1999, <https://arxiv.org/abs/1301.6695>). A score-equivalent score
//! orients reversible edges by column order, so an edge that is undirected in the equivalence class counts one half for
//! each direction.
//!
//! The *averaged* network contains the edges above a threshold estimated from the strengths ([`threshold`]).
//! [`crate::search::averaged_network`] chooses their directions.
//!
//! Random numbers depend only on the seed and the replicate's number. Adding replicates or changing the
//! number of threads leaves existing replicates unchanged. One thread handles each replicate. Resampling data
//! sets reuses the counts of each data set; resampling rows sets row weights, in time proportional to the
//! stored rows. No data are read, encoded or copied again.
//!
//! Values may be missing: then every sample is filled in anew while its structure is learned ([`crate::missing`]), which costs about ten
//! searches.
//!
//! Cost: one search per replicate, one on all rows, and one per data set left out.

mod resample;
mod result;
mod strengths;
mod work;

use std::ops::ControlFlow;
use std::path::Path;

use serde::Serialize;
use serde_json::{Map, Value, json};
use thiserror::Error;

pub use crate::files::{ResumeError, ResumeFile};
pub use result::{ArcStrength, BootstrapStop, Bootstrapped, Directions, LeftOut, NamedArc};
pub use strengths::threshold;
pub use work::{BootstrapSample, FinishedSearch};

use crate::choice::named_choice;
use crate::data::{DataSetId, RelatedData};
use crate::estimate::Method;
use crate::graph::Dag;
use crate::missing::MissingError;
use crate::remedy::{Actionable, Remedy};
use crate::score::{Halt, Score, ScoreError, ScoreName};
use crate::search::HillClimb;

/// The largest number of rows: up to 2^53, every integer has an exact floating-point value, which the
/// binomial draws need.
const MOST_ROWS: u64 = 1 << f64::MANTISSA_DIGITS;

/// The largest number of replicates. More add no usable precision, and every structure is kept in memory.
const MOST_REPLICATES: u64 = 1_000_000;

/// The unit of resampling.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum By {
    /// Draw the rows of every data set with replacement.
    Rows,
    /// Draw half of the rows of every data set, rounded up, without replacement.
    #[default]
    HalfRows,
    /// Resample whole data sets.
    DataSets,
}

named_choice!(By {
    Rows: "rows", "Rows within each data set, with replacement: would new rows from these data sets give the same arcs?";
    HalfRows: "half-rows", "Half of the rows of each data set, without replacement: no row is repeated";
    DataSets: "data-sets", "Whole data sets: would new data sets give the same arcs?";
});

impl By {
    /// Whether strengths by a score are far too high because the resamples repeat rows.
    pub fn overstates(self, score: ScoreName) -> bool {
        self == Self::Rows && score == ScoreName::kin()
    }

    /// Opens the resume file of a bootstrap with these settings of score, search and data, and reads its finished searches.
    pub fn resume(
        self,
        path: &Path,
        settings: &Map<String, Value>,
        data: &RelatedData,
    ) -> Result<(ResumeFile<FinishedSearch>, Vec<FinishedSearch>), ResumeError> {
        let mut settings = settings.clone();
        settings.insert("by".to_owned(), json!(self));
        ResumeFile::open(path, &settings, &data.fingerprint())
    }
}

/// Settings of a bootstrap.
#[derive(Clone)]
pub struct Bootstrap<'a> {
    /// The score to maximise.
    pub score: &'a dyn Score,
    /// The search algorithm.
    pub climb: HillClimb,
    /// The initial graph of every search.
    pub start: Dag,
    /// The maximum number of cached scores per search; `None` uses the scorer's default.
    pub keep_scores: Option<usize>,
    /// The unit of resampling.
    pub by: By,
    /// The number of replicates.
    pub replicates: u64,
    /// Whether to learn a structure without each data set in turn; by default if there are several.
    pub leave_one_out: Option<bool>,
    /// The seed of the random numbers.
    pub seed: u64,
    /// The memory limit for counting one family, in bytes; `None` uses the tally's default.
    pub memory: Option<usize>,
    /// The tables from which missing cells are drawn.
    pub tables: Method,
}

/// Progress of a bootstrap.
#[derive(Debug, Clone, Copy)]
pub struct BootstrapProgress<'a> {
    /// Finished searches, including those of earlier runs.
    pub done: usize,
    /// The total number of searches.
    pub of: usize,
    /// The search that has just finished, for the caller to store.
    pub finished: Option<&'a FinishedSearch>,
}

/// Receives progress from any thread; returns `Break` to stop the bootstrap.
pub type BootstrapObserver<'a> = &'a (dyn Fn(BootstrapProgress<'_>) -> ControlFlow<Halt> + Sync);

/// Why a bootstrap cannot run.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum BootstrapError {
    /// Counting or scoring failed.
    #[error(transparent)]
    Score(#[from] ScoreError),
    /// A sample could not be filled in.
    #[error("a sample cannot be learned from: {0}")]
    Missing(#[from] MissingError),
    /// No thread can be started.
    #[error("cannot start a thread: {0}")]
    Threads(String),
    /// There is only one data set.
    #[error("there is only one data set, and {what} needs several")]
    OneDataSet {
        /// The requested operation that needs several data sets.
        what: &'static str,
        /// An alternative for a single data set.
        instead: Remedy,
    },
    /// The number of replicates is zero.
    #[error("at least one replicate is needed")]
    NoReplicate,
    /// The number of replicates exceeds the limit.
    #[error("{replicates} replicates are too many: the maximum is {MOST_REPLICATES}")]
    TooManyReplicates {
        /// The requested number.
        replicates: u64,
    },
    /// The number of rows exceeds 2^53.
    #[error("{rows} rows are too many to resample")]
    TooManyRows {
        /// The number of rows.
        rows: u64,
    },
    /// A finished search of an earlier run does not fit these data.
    #[error("a finished search does not match these data: {0}; start a new file")]
    Record(String),
}

impl Actionable for BootstrapError {
    fn remedies(&self) -> Vec<Remedy> {
        match self {
            Self::Score(error) => error.remedies(),
            Self::Missing(error) => error.remedies(),
            Self::OneDataSet { instead, .. } => {
                vec![instead.clone(), Remedy::Advice("give more data sets")]
            }
            Self::NoReplicate => vec![Remedy::SetReplicates(200)],
            Self::TooManyReplicates { .. } => vec![Remedy::SetReplicates(1000)],
            Self::TooManyRows { .. } => {
                vec![Remedy::Advice("divide the weights"), Remedy::ResampleDataSets]
            }
            Self::Threads(_) => vec![Remedy::Advice("use fewer threads")],
            Self::Record(_) => Vec::new(),
        }
    }
}

impl Bootstrap<'_> {
    /// Resamples and learns. `done` lists searches finished in earlier runs, which are not repeated. After a
    /// request to stop, the result contains the finished searches, and [`Bootstrapped::stop`] gives the
    /// reason.
    pub fn run(
        &self,
        data: &RelatedData,
        done: &[FinishedSearch],
        observe: BootstrapObserver<'_>,
    ) -> Result<Bootstrapped, BootstrapError> {
        self.check(data)?;
        let (records, stop) = work::work(self, data, done, observe)?;
        Ok(result::assemble(self, data, &records, stop))
    }

    fn leaves_one_out(&self, data: &RelatedData) -> bool {
        self.leave_one_out.unwrap_or(data.schema().data_sets().len() > 1)
    }

    fn check(&self, data: &RelatedData) -> Result<(), BootstrapError> {
        let data_sets = data.schema().data_sets().len();
        if self.replicates == 0 {
            return Err(BootstrapError::NoReplicate);
        }
        if self.replicates > MOST_REPLICATES {
            return Err(BootstrapError::TooManyReplicates { replicates: self.replicates });
        }
        if data_sets < 2 && self.by == By::DataSets {
            return Err(BootstrapError::OneDataSet {
                what: "drawing data sets",
                instead: Remedy::ResampleRows,
            });
        }
        if data_sets < 2 && self.leaves_one_out(data) {
            return Err(BootstrapError::OneDataSet {
                what: "leaving one out",
                instead: Remedy::KeepAllDataSets,
            });
        }
        let rows = (0..data_sets).map(|index| data.rows(DataSetId::new(index))).sum();
        if self.by != By::DataSets && rows > MOST_ROWS {
            return Err(BootstrapError::TooManyRows { rows });
        }
        Ok(())
    }
}
