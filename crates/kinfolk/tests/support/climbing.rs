//! Searches for tests.

use std::ops::ControlFlow;

use kinfolk::counts::MemoryTally;
use kinfolk::data::RelatedData;
use kinfolk::graph::Dag;
use kinfolk::score::{Score, Scorer};
use kinfolk::search::{Climb, Constraints, HillClimb};

/// Climbs from the graph of the required arcs.
pub(crate) fn run(data: &RelatedData, score: &dyn Score, search: &HillClimb) -> Climb {
    let tally = MemoryTally::new(data);
    let start = search.constraints.start(&Dag::empty(data.schema().variables().len())).unwrap();
    search.run(&mut Scorer::new(&tally, score), start, &mut |_| ControlFlow::Continue(())).unwrap()
}

/// A plain hill-climb without constraints.
pub(crate) fn plain(data: &RelatedData) -> HillClimb {
    HillClimb::new(Constraints::none(data.schema()))
}
