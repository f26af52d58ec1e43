//! Counting: a family, its table of counts, and the seam behind which rows become counts.

mod batch;
mod binary;
mod bitmaps;
mod dense;
mod family;
mod histogram;
mod index;
mod masks;
mod memory;
mod observed;
mod pairs;
mod selection;
mod sparse;
mod subsets;
mod table;
mod tally;
mod ways;
mod words;

pub use batch::{Batch, Change};
pub use family::Family;
pub use memory::MemoryTally;
pub(crate) use observed::Builder;
pub use selection::Selection;
pub use table::{Cell, Configuration, Counts, Entry};
pub(crate) use tally::of_each;
pub use tally::{Tally, TallyError, Visit};
