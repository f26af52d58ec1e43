//! The paper's sensitivity analysis: other hyperparameters on the numerical example.

use std::ops::ControlFlow;

use kinfolk::counts::MemoryTally;
use kinfolk::example;
use kinfolk::graph::{Dag, compare, modelstring};
use kinfolk::score::{Bhd, Centre, Prior, Scorer};
use kinfolk::search::{Constraints, HillClimb};
use serde::{Deserialize, Serialize};

/// The values of s and s0 tried in the paper.
pub const VALUES: [f64; 5] = [0.1, 0.5, 1.0, 10.0, 100.0];

/// The network learned with one pair of hyperparameters.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct SensitivityRow {
    /// `split` if s is divided over the data sets, as in the paper, or `each` if it applies to every data set.
    pub reading: String,
    /// s.
    pub s: f64,
    /// `total` if s0 is divided over the cells of a family, or `cell` if it applies to every cell.
    pub spread: String,
    /// s0, or α0 of every cell.
    pub s0: f64,
    /// The number of arcs learned.
    pub arcs: usize,
    /// The SHD from the true network, between the CPDAGs.
    pub shd_cpdag: usize,
    /// The network.
    pub structure: String,
}

/// All rows, for both readings of both hyperparameters.
pub fn rows() -> Vec<SensitivityRow> {
    let data = example::data();
    let names = data.schema().names();
    let truth = modelstring::parse(example::NETWORK, &names).expect("the example's network is one");
    let tally = MemoryTally::new(&data);
    let mut rows = Vec::new();
    for (reading, share) in [("split", 0.5), ("each", 1.0)] {
        for s in VALUES {
            for spread in ["total", "cell"] {
                for s0 in VALUES {
                    let centre = if spread == "total" { Centre::Total(s0) } else { Centre::PerCell(s0) };
                    let prior = Prior::new(s * share, centre).expect("the paper's values are possible");
                    let score = Bhd { prior };
                    let mut scorer = Scorer::new(&tally, &score);
                    let search = HillClimb::new(Constraints::none(data.schema()));
                    let climb = search.run(&mut scorer, Dag::empty(5), &mut |_| ControlFlow::Continue(()));
                    let dag = climb.expect("five binary variables can be counted").dag;
                    rows.push(SensitivityRow {
                        reading: reading.to_owned(),
                        s,
                        spread: spread.to_owned(),
                        s0,
                        arcs: dag.arc_count(),
                        shd_cpdag: compare(&dag, &truth).shd.cpdag,
                        structure: modelstring::format(&dag, &names),
                    });
                }
            }
        }
    }
    rows
}
