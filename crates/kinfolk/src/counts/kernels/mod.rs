//! The kernels that count rows: bitmaps, histograms and sorting, and their common parts.
//!
//! | kernel | counts | used where |
//! |---|---|---|
//! | `bitmap` | 64 rows per word, for every pair of a configuration and a state | few configurations, columns of few states |
//! | `histogram` | row by row into a dense table | dense tables of any shape |
//! | `sort` | sorted row indices | tables much larger than the number of rows |
//!
//! `dense` has the operations on dense tables, `counter` their integer types. `memory::plan` chooses the kernel. A
//! kernel gets columns and cells and returns counts; it does not depend on families.

pub(super) mod bitmap;
pub(super) mod counter;
pub(super) mod dense;
pub(super) mod histogram;
#[cfg(test)]
pub(crate) mod instruction_sets;
pub(super) mod sort;
