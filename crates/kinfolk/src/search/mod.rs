//! Searches for the best structure under constraints. They see scores, never counts.

mod constraints;
mod escape;
mod hill_climb;
mod legal;
mod moves;
mod spec;
mod tabu;
mod turn;

pub use constraints::{Arc, ConstraintError, Constraints, Rules};
pub use hill_climb::{Climb, Event, HillClimb, Restart, Step, Stop};
pub use spec::{Search, SearchMethod, SearchSpec, SearchSpecError, Spelling};
