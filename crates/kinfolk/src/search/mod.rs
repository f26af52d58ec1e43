//! Structure search under constraints. Searches use scores, never counts.
//!
//! - `constraints`: required and forbidden arcs, tiers, limit on parents; `legal`: the moves that they allow.
//! - `hill_climb`: the search loop, with `tabu` lists and random restarts.
//! - `gain_table`: the gain of every move and the selection of the best one.
//! - `pair_additions`: additions of two parents that gain only together.
//! - `edge_reversal`: edge reversal with parent re-selection; `equivalence_walk`: escapes from local optima.
//! - `averaged`: one network of the most frequent or probable edges.
//! - `order`: search among orders of the variables; `order_parents`: the parents that they select.
//! - `pc`: constraint-based search with independence tests based on scores; `pc_orientation`: orients its edges.
//! - `exact`: the optimum over all structures; `parent_sets`: the scored parent sets of every node.

mod averaged;
mod constraints;
mod edge_reversal;
mod equivalence_walk;
mod exact;
mod gain_table;
mod hill_climb;
mod legal;
mod order;
mod order_parents;
mod pair_additions;
pub(crate) mod parent_sets;
mod pc;
mod pc_orientation;
mod spec;
mod tabu;

pub use averaged::averaged_network;
pub use constraints::{Arc, ConstraintError, Constraints, Rules};
pub use exact::{ExactError, ExactEvent, Optimum, optimum, optimum_of};
pub use hill_climb::{Algorithm, Climb, Event, ExactUse, HillClimb, Restart, Step, Stop};
pub use parent_sets::{ParentSet, ParentSetFilter, ParentSets};
pub use spec::{Search, SearchMethod, SearchSpec, SearchSpecError};
