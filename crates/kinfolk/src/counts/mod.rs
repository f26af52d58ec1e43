//! Counting: families, their tables of counts, and the `Tally` trait behind which rows become counts.
//!
//! - `family`, `batch`: the families to count;
//! - `table`, `observed`: the counts of one family;
//! - `tally`: the trait; `memory`: its implementation over rows in memory; `selection`: another one over resampled data
//!   sets;
//! - `kernels`: the loops that count rows.
//!
//! The module has no thread-locals and no global tables: caches and scratch memory belong to a [`MemoryTally`]. Its only `unsafe` code
//! is the call of functions that are compiled for wide registers, after a check that the processor has them, in `kernels::bitmap::popcount`
//! and `kernels::histogram::blocked`.

mod batch;
mod family;
mod kernels;
mod memory;
mod observed;
mod selection;
mod table;
mod tally;

pub use batch::{Batch, Change};
pub use family::Family;
#[cfg(test)]
pub(crate) use kernels::instruction_sets::note_unless_avx2;
pub use memory::executor::thread_pool;
pub use memory::{DEFAULT_MEMORY_MB, MemoryTally};
pub(crate) use observed::Builder;
pub use selection::Selection;
pub use table::{Cell, Configuration, Counts, Entry};
pub(crate) use tally::of_each;
pub use tally::{Tally, TallyError, Visit};
