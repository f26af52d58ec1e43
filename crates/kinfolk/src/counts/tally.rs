//! The `Tally` trait: counts families. Scores and searches access data only through it.

use std::sync::OnceLock;

use thiserror::Error;

use super::{Batch, Counts, Family};
use crate::data::Schema;
use crate::remedy::{Actionable, Remedy};

/// Why a family could not be counted.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum TallyError {
    /// Counting would take more memory than allowed; nothing was allocated.
    #[error(
        "counting `{child}` with {parents} {} over {rows} rows needs about {needed} MB, and the limit is {limit} MB",
        if *parents == 1 { "parent" } else { "parents" }
    )]
    TooLarge {
        /// The child's name.
        child: String,
        /// The number of parents.
        parents: usize,
        /// The number of rows.
        rows: usize,
        /// The memory needed, in MB.
        needed: usize,
        /// The limit, in MB.
        limit: usize,
    },
    /// The data have missing cells, and the caller counts only complete rows.
    #[error("values are missing, and this needs complete data")]
    Incomplete,
    /// The counting engine failed.
    #[error("the counting engine failed: {0}")]
    Engine(String),
}

impl Actionable for TallyError {
    fn remedies(&self) -> Vec<Remedy> {
        match self {
            Self::TooLarge { parents: 0 | 1, .. } => vec![Remedy::RaiseMemoryLimit],
            Self::TooLarge { .. } => vec![Remedy::RaiseMemoryLimit, Remedy::LowerMaxParents],
            Self::Incomplete => {
                vec![Remedy::ImputeFiles, Remedy::DropIncompleteRows, Remedy::MissingAsState]
            }
            Self::Engine(_) => Vec::new(),
        }
    }
}

/// Called with the position of a family and its table. Tables may come in any order and from any thread.
pub type Visit<'a> = &'a (dyn Fn(usize, &Counts) + Sync);

/// A source of counts: rows in memory, a database, a cluster, or a fake in a test.
pub trait Tally: Sync {
    /// The variables and data sets that can be counted.
    fn schema(&self) -> &Schema;

    /// The approximate time of counting and scoring a family on one core, in nanoseconds. Callers with a time limit use it to limit the
    /// size of a batch.
    fn cost(&self, family: &Family) -> f64;

    /// The number of row visits so far, for reports only; zero if the source does not count them.
    fn rows_scanned(&self) -> u64 {
        0
    }

    /// Counts a batch of families, if possible in one scan, and calls `visit` once with every table. Tables are passed
    /// by reference, so that the tally can reuse their memory.
    fn visit_many(&self, batch: &Batch, visit: Visit<'_>) -> Result<(), TallyError>;

    /// The tables of some families, in their order.
    fn tally_many(&self, families: &[Family]) -> Result<Vec<Counts>, TallyError> {
        of_each(self, families, Counts::clone)
    }

    /// The table of one family.
    fn tally(&self, family: &Family) -> Result<Counts, TallyError> {
        let mut counts = self.tally_many(std::slice::from_ref(family))?;
        Ok(counts.pop().expect("one family, one table"))
    }
}

/// Maps the table of each family as soon as it is counted, so that few tables are in memory at a time; results are in the order of the
/// families.
pub(crate) fn of_each<T: Send + Sync>(
    tally: &(impl Tally + ?Sized),
    families: &[Family],
    make: impl Fn(&Counts) -> T + Sync,
) -> Result<Vec<T>, TallyError> {
    let made: Vec<OnceLock<T>> = families.iter().map(|_| OnceLock::new()).collect();
    tally.visit_many(&Batch::of(families), &|index, counts| {
        let fresh = made[index].set(make(counts)).is_ok();
        assert!(fresh, "a tally visits every table once");
    })?;
    Ok(made.into_iter().map(|made| made.into_inner().expect("a tally visits every table")).collect())
}
