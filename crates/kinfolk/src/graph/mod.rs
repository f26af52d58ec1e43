//! Graphs: directed acyclic graphs, their equivalence classes, comparison, and modelstrings.
//!
//! - `dag`: directed acyclic graphs; `moves`: additions, removals and reversals of arcs, and which keep the graph acyclic.
//! - `cpdag`: the equivalence class of a graph; `extension`: a member of it; `compare`: structural Hamming distance and hits between two graphs.
//! - `modelstring`: graphs as one line of text; `error`: why arcs do not form a graph.

mod compare;
mod cpdag;
mod dag;
mod error;
mod extension;
pub mod modelstring;
mod moves;

pub use compare::{Comparison, Hits, Shd, compare};
pub use cpdag::{Cpdag, Link};
pub use dag::Dag;
pub use error::GraphError;
pub(crate) use extension::consistent_extension;
pub use moves::{Move, MoveKind};
