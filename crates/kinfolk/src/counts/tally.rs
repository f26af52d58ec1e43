//! The seam between rows and scores: whoever can count families can be learned from.

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
        /// How many parents it has.
        parents: usize,
        /// How many rows there are.
        rows: usize,
        /// What it would take.
        needed: usize,
        /// What is allowed.
        limit: usize,
    },
    /// The engine behind the seam failed.
    #[error("the counting engine failed: {0}")]
    Engine(String),
}

impl Actionable for TallyError {
    fn remedies(&self) -> Vec<Remedy> {
        match self {
            Self::TooLarge { parents: 0 | 1, .. } => vec![Remedy::RaiseMemoryLimit],
            Self::TooLarge { .. } => vec![Remedy::RaiseMemoryLimit, Remedy::LowerMaxParents],
            Self::Engine(_) => Vec::new(),
        }
    }
}

/// What is done with each table of a batch: it is told the family's position. Tables may come in any order, from any thread.
pub type Visit<'a> = &'a (dyn Fn(usize, &Counts) + Sync);

/// Something that can count: rows in memory, a database, a cluster, or a test's fake.
pub trait Tally: Sync {
    /// The variables and data sets that can be counted.
    fn schema(&self) -> &Schema;

    /// About how many nanoseconds counting and scoring a family takes on one core: what a caller who wants to stop in time
    /// puts into one batch depends on it.
    fn cost(&self, family: &Family) -> f64;

    /// How many rows were looked at so far, each as often as it was, for the record; an engine that cannot tell says zero.
    fn rows_scanned(&self) -> u64 {
        0
    }

    /// Counts many families at once, so that an engine can answer in one scan, and shows every table to `visit`. A table is
    /// only lent, so that a tally may use its memory again for the next one.
    fn visit_many(&self, batch: &Batch, visit: Visit<'_>) -> Result<(), TallyError>;

    /// The tables of many families, in the order asked.
    fn tally_many(&self, families: &[Family]) -> Result<Vec<Counts>, TallyError> {
        of_each(self, families, Counts::clone)
    }

    /// The table of one family.
    fn tally(&self, family: &Family) -> Result<Counts, TallyError> {
        let mut counts = self.tally_many(std::slice::from_ref(family))?;
        Ok(counts.pop().expect("one family, one table"))
    }
}

/// What is made of the table of each of some families as it is counted, in the order asked: few tables are held at a time.
pub(crate) fn of_each<T: Send + Sync>(
    tally: &(impl Tally + ?Sized),
    families: &[Family],
    make: impl Fn(&Counts) -> T + Sync,
) -> Result<Vec<T>, TallyError> {
    let made: Vec<OnceLock<T>> = families.iter().map(|_| OnceLock::new()).collect();
    tally.visit_many(&Batch::of(families), &|index, counts| {
        let fresh = made[index].set(make(counts)).is_ok();
        assert!(fresh, "a tally shows every table once");
    })?;
    Ok(made.into_iter().map(|made| made.into_inner().expect("a tally shows every table")).collect())
}
