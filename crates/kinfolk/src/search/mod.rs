//! Searches for the best structure under constraints. They see scores, never counts.

mod constraints;
mod escape;
mod exact;
mod hill_climb;
mod legal;
mod moves;
mod spec;
pub(crate) mod parent_sets;
mod tabu;
mod turn;

pub use constraints::{Arc, ConstraintError, Constraints, Rules};
pub use exact::{ExactError, ExactEvent, Optimum, optimum};
pub use hill_climb::{Climb, Event, HillClimb, Restart, Step, Stop};
pub use spec::{Search, SearchMethod, SearchSpec, SearchSpecError, Spelling};
pub use parent_sets::{ParentSet, ParentSetFilter, ParentSets};
