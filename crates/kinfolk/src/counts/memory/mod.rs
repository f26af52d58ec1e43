//! The tally over rows in memory.
//!
//! - `plan`: chooses a kernel for every family of a batch, by a cost model;
//! - `shared`: computes once what the families of a group have in common: masks, binary counts, a row index;
//! - `count_family`: counts one family by the chosen kernel;
//! - `executor`: runs a planned batch on one thread or on all of them;
//! - `scratch`: memory that is reused from batch to batch.
//!
//! Every family is counted on its own from the shared part, so the tables do not depend on the number of threads.

mod count_family;
pub(crate) mod executor;
mod plan;
mod scratch;
mod shared;

use std::mem;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use self::plan::ColumnShape;
use self::scratch::{Scratch, ScratchPool};
use super::kernels::bitmap::{BinaryCache, Bitmaps};
use super::{Batch, Family, Tally, TallyError, Visit};
use crate::data::{DataSetId, RelatedData, Schema, VariableId};

/// The default limit, in MB, of what counting one family may allocate.
pub const DEFAULT_MEMORY_MB: usize = 4096;

/// The same in bytes.
const DEFAULT_MEMORY: usize = DEFAULT_MEMORY_MB * 1_000_000;

/// The spare memory as a part of the encoded rows: small enough that the data dominate, large enough for many groups.
const SPARE_PART: usize = 20;

/// The least spare memory, however few the rows: 1 MB.
const LEAST_SPARE: usize = 1 << 20;

/// Counts families of encoded rows in memory.
///
/// A cost model chooses between three kernels: bitmaps, where the configurations of the shared columns times the states of the added column
/// are few; a histogram over a row index, about half a nanosecond per row for any number of parents; and sorting, where a dense table would
/// be larger than a small multiple of the rows. Memory is bounded by the rows.
#[derive(Debug)]
pub struct MemoryTally<'a> {
    data: &'a RelatedData,
    /// The row ranges of the data sets.
    data_sets: Vec<Range<usize>>,
    /// `None` if rows have weights, which bitmaps cannot represent.
    bitmaps: Option<Bitmaps>,
    /// By variable.
    columns: Vec<ColumnShape>,
    /// `None` unless there is a single data set.
    binary_cache: Option<BinaryCache>,
    memory: usize,
    /// The rows of each data set, counted with their weights.
    rows: Vec<u64>,
    /// Scans of all rows so far, for reports only.
    scans: AtomicU64,
    scratch: ScratchPool,
}

impl<'a> MemoryTally<'a> {
    /// A tally that counts every data set separately.
    pub fn new(data: &'a RelatedData) -> Self {
        let data_sets = (0..data.schema().data_sets().len()).map(|f| data.rows_of(DataSetId::new(f)));
        Self::over(data, data_sets.collect())
    }

    /// A tally that counts all rows as one data set, which is all that pooled scores need.
    pub fn pooled(data: &'a RelatedData) -> Self {
        Self::over(data, std::iter::once(0..data.stored_rows()).collect())
    }

    /// The tally that a score needs: a pooled one, or one by data set.
    pub fn by_data_set_or_pooled(data: &'a RelatedData, is_pooled: bool) -> Self {
        if is_pooled { Self::pooled(data) } else { Self::new(data) }
    }

    /// A tally of these ranges of rows, each counted as one data set; the schema is that of the data.
    pub(crate) fn over(data: &'a RelatedData, data_sets: Vec<Range<usize>>) -> Self {
        let bitmaps = data.weights().is_none().then(|| Bitmaps::new(data, &data_sets));
        let rows_in = |rows: &Range<usize>| match data.weights() {
            Some(weights) => weights[rows.clone()].iter().sum(),
            None => rows.len() as u64,
        };
        let rows = data_sets.iter().map(rows_in).collect();
        let shape = |variable: VariableId| ColumnShape {
            states: data.schema().states(variable),
            has_bitmaps: bitmaps.as_ref().is_some_and(|bitmaps| bitmaps.has(variable)),
        };
        let columns: Vec<ColumnShape> = data.schema().ids().map(shape).collect();
        let binary_cache = if counts_fit_32_bits(data) && data_sets.len() == 1 {
            BinaryCache::new(columns.len(), spare_bytes(data))
        } else {
            None
        };
        Self {
            data,
            data_sets,
            bitmaps,
            columns,
            binary_cache,
            memory: DEFAULT_MEMORY,
            rows,
            scans: AtomicU64::new(0),
            scratch: ScratchPool::default(),
        }
    }

    /// Limits what counting one family may allocate, in bytes.
    #[must_use]
    pub fn with_memory(self, memory: usize) -> Self {
        Self { memory, ..self }
    }

    /// The number of states of a variable.
    fn states(&self, variable: VariableId) -> usize {
        self.columns[variable.index()].states
    }

    /// The number of cells of some columns together, saturating.
    fn cells(&self, variables: &[VariableId]) -> usize {
        variables.iter().map(|&variable| self.states(variable)).fold(1, usize::saturating_mul)
    }

    /// The number of possible configurations of some parents.
    fn configurations(&self, parents: &[VariableId]) -> f64 {
        parents.iter().map(|&parent| self.states(parent) as f64).product()
    }

    /// Returns scratch memory to the pool and records the scans.
    fn give_back(&self, mut scratch: Scratch) {
        self.scans.fetch_add(mem::take(&mut scratch.family.scans), Ordering::Relaxed);
        self.scratch.give_back(scratch);
    }
}

/// Limit of the memory used beside the rows, in bytes, for each of two purposes: what groups of families share, and
/// counts of smaller families.
fn spare_bytes(data: &RelatedData) -> usize {
    LEAST_SPARE.max(data.stored_rows() * data.schema().variables().len() / SPARE_PART)
}

/// Whether every row counts once and there are fewer than 2^32 rows.
fn counts_fit_32_bits(data: &RelatedData) -> bool {
    data.weights().is_none() && u32::try_from(data.stored_rows()).is_ok()
}

impl Tally for MemoryTally<'_> {
    fn schema(&self) -> &Schema {
        self.data.schema()
    }

    fn cost(&self, family: &Family) -> f64 {
        let possible = self.configurations(family.parents());
        let cells = possible * (self.states(family.child()) * self.data_sets.len()) as f64;
        let rows = self.data.stored_rows() as f64;
        // Dense tables are fast to count; sparse ones are sorted, and a score may have to fit as many cells as there are rows.
        if cells < rows { rows + 100.0 * cells } else { 100.0 * cells.min(10.0 * rows) }
    }

    fn rows_scanned(&self) -> u64 {
        self.scans.load(Ordering::Relaxed) * self.data.stored_rows() as u64
    }

    fn visit_many(&self, batch: &Batch, visit: Visit<'_>) -> Result<(), TallyError> {
        if !self.data.is_complete() {
            return Err(TallyError::Incomplete);
        }
        let batch = &*batch.regrouped();
        let mut scratch = self.scratch.take();
        let cost = self.plan_all(batch, &mut scratch.plans)?;
        self.execute(batch, cost, &mut scratch, visit);
        self.give_back(scratch);
        Ok(())
    }
}
