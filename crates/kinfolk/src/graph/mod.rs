//! Graphs: directed acyclic graphs, their equivalence classes, comparison, and modelstrings.

mod compare;
mod cpdag;
mod dag;
mod error;
pub mod modelstring;
mod moves;

pub use compare::{Comparison, Hits, Shd, compare};
pub use cpdag::{Cpdag, Link};
pub use dag::Dag;
pub use error::GraphError;
pub use moves::{Move, MoveKind};
