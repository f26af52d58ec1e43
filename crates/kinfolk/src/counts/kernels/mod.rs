//! The kernels that count rows: bitmaps, histograms and sorting, and what they have in common.
//!
//! | kernel | counts | used where |
//! |---|---|---|
//! | `bitmap` | 64 rows per word, for every pair of a configuration and a state | few configurations, columns of few states |
//! | `histogram` | row by row into a dense table | dense tables of any shape |
//! | `sort` | sorted row indices | tables much larger than the number of rows |
//!
//! `dense` has the operations on dense tables, `counter` the integer types that they consist of. `memory::plan` chooses the kernel. None of
//! them knows what a family is for: they get columns and cells and return counts.

pub(super) mod bitmap;
pub(super) mod counter;
pub(super) mod dense;
pub(super) mod histogram;
#[cfg(test)]
pub(crate) mod instruction_sets;
pub(super) mod sort;
