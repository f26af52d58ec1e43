//! Counting: a family, its table of counts, and the seam behind which rows become counts.

mod family;
mod memory;
mod table;
mod tally;

pub use family::Family;
pub use memory::MemoryTally;
pub(crate) use table::Builder;
pub use table::{Cell, Configuration, Counts, Entry};
pub use tally::{Tally, TallyError};
