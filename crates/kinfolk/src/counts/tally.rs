//! The seam between rows and scores: whoever can count families can be learned from.

use thiserror::Error;

use super::{Counts, Family};
use crate::data::Schema;

/// Why a family could not be counted.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum TallyError {
    /// Counting would take more memory than allowed; nothing was allocated.
    #[error(
        "counting `{child}` with {parents} parents over {rows} rows needs about {needed} MB, and the limit is {limit} MB; \
         raise --memory or lower --max-parents"
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

/// Something that can count: rows in memory, a database, a cluster, or a test's fake.
pub trait Tally: Sync {
    /// The variables and data sets that can be counted.
    fn schema(&self) -> &Schema;

    /// The tables of many families at once, in the order asked, so that an engine can answer in one scan.
    fn tally_many(&self, families: &[Family]) -> Result<Vec<Counts>, TallyError>;

    /// The table of one family.
    fn tally(&self, family: &Family) -> Result<Counts, TallyError> {
        let mut counts = self.tally_many(std::slice::from_ref(family))?;
        Ok(counts.pop().expect("a tally answers every family"))
    }
}
