//! Searches for the best structure under constraints. They see scores, never counts.

mod constraints;
mod escape;
mod exact;
mod hill_climb;
mod legal;
mod moves;
pub(crate) mod parent_sets;
mod spec;
mod tabu;
mod turn;

pub use constraints::{Arc, ConstraintError, Constraints, Rules};
pub use exact::{ExactError, ExactEvent, Optimum, optimum};
pub use hill_climb::{Climb, Event, HillClimb, Restart, Step, Stop};
pub use parent_sets::{ParentSet, ParentSetFilter, ParentSets};
pub use spec::{Search, SearchMethod, SearchSpec, SearchSpecError, Spelling};
