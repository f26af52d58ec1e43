//! The grid of the kin study: varies the relation between the data sets and their sizes, which the scores do not know.

use kinfolk::search::SearchMethod;
use kinfolk::simulate::{Design, Level, Parameters, Removed, Scenario, Streams};

use crate::fault::Fault;
use crate::grids::{COMPOSITE, CONCENTRATION, Scale};
use crate::methods::KIN;
use crate::replicate::{Replicate, removed};

/// The number of replicates of each cell, each with its own structure and parameters.
const REPLICATES: u64 = 100;
/// The same at quick scale.
const QUICK_REPLICATES: u64 = 4;
/// The maximal number of variables at quick scale.
const QUICK_NODES: usize = 20;
/// Arcs per variable.
const SPARSITY: f64 = 1.2;

/// The plain regime: data sets, states, rows per data set, with ten variables.
const DATA_SETS: [usize; 4] = [2, 5, 10, 25];
const STATES: [usize; 3] = [2, 3, 5];
const ROWS: [usize; 4] = [20, 100, 500, 2000];

/// Rows per data set in the other regimes, which by default have ten data sets of three states.
const FEW_ROWS: [usize; 2] = [100, 500];
/// Numbers of variables above ten.
const MANY_NODES: [usize; 2] = [20, 50];
/// Numbers of data sets above twenty-five, with twenty and a hundred rows each.
const MANY_DATA_SETS: [usize; 2] = [50, 100];
/// True concentrations other than ten.
const CONCENTRATIONS: [f64; 4] = [1.0, 2.0, 50.0, 100.0];
/// One large data set among small ones: shares of the rows.
const ONE_LARGE: [f64; 10] = [10.0, 0.5, 0.5, 0.5, 0.2, 0.2, 0.2, 0.2, 0.2, 0.2];

/// The regimes of problems on which kin is known to fail.
pub(crate) const FAILING: [&str; 4] =
    ["every row twice", "selection by data set", "rare events", "400 data sets of two rows"];

/// The relations between the data sets' tables.
const ALL: [Parameters; 3] = [Parameters::Hier, Parameters::Iid, Parameters::Id];

/// One cell of the grid.
struct GridCell {
    regime: &'static str,
    design: Design,
    rows: usize,
    altered: usize,
    by: f64,
    fault: Option<Fault>,
}

impl GridCell {
    fn new(
        regime: &'static str,
        parameters: Parameters,
        (nodes, data_sets, states, rows): (usize, usize, usize, usize),
    ) -> Self {
        let design = Design {
            nodes,
            arcs: nodes * 6 / 5,
            max_parents: None,
            states: vec![states],
            rows: vec![rows; data_sets],
            parameters,
            level: Level::Joint,
            s: CONCENTRATION,
            alpha0: 1.0,
            scenario: Scenario::A,
        };
        Self { regime, design, rows, altered: 0, by: 0.0, fault: None }
    }

    fn with_shares(mut self, shares: &[f64], by: f64) -> Self {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of few rows")]
        let rows = |share: &f64| (share * self.rows as f64).round() as usize;
        self.design.rows = shares.iter().map(rows).collect();
        (self.altered, self.by) = (shares.len(), by);
        self
    }

    fn with_structures(mut self, altered: usize, arcs: Removed) -> Self {
        self.design.scenario = Scenario::B { altered, removed: arcs };
        (self.altered, self.by) = (altered, removed(arcs));
        self
    }
}

fn cells() -> Vec<GridCell> {
    let mut cells = Vec::new();
    for data_sets in DATA_SETS {
        for states in STATES {
            for rows in ROWS {
                let of = |parameters| GridCell::new("plain", parameters, (10, data_sets, states, rows));
                cells.extend(ALL.map(of));
            }
        }
    }
    for rows in FEW_ROWS {
        for parameters in ALL {
            let usual = |regime| GridCell::new(regime, parameters, (10, 10, 3, rows));
            cells.push(usual("unequal sizes").with_shares(&COMPOSITE, 1.0));
            cells.push(usual("unequal sizes").with_shares(&ONE_LARGE, 10.0));
            let mut mixed = usual("mixed states");
            mixed.design.states = vec![2, 3, 4, 5];
            cells.push(mixed);
            cells.push(usual("some structures differ").with_structures(2, Removed::Arcs(2)));
            cells.push(usual("some structures differ").with_structures(10, Removed::Probability(0.1)));
            let mut configuration = usual("parameters per configuration");
            configuration.design.level = Level::Configuration;
            cells.push(configuration);
        }
    }
    for nodes in MANY_NODES {
        for rows in FEW_ROWS {
            cells.extend(
                ALL.map(|parameters| GridCell::new("many variables", parameters, (nodes, 10, 3, rows))),
            );
        }
    }
    for data_sets in MANY_DATA_SETS {
        for rows in [20, 100] {
            let of = |parameters| GridCell::new("many data sets", parameters, (10, data_sets, 3, rows));
            cells.extend(ALL.map(of));
        }
    }
    for s in CONCENTRATIONS {
        for rows in FEW_ROWS {
            for parameters in [Parameters::Hier, Parameters::Iid] {
                let mut cell = GridCell::new("other concentrations", parameters, (10, 10, 3, rows));
                cell.design.s = s;
                cells.push(cell);
            }
        }
    }
    cells.extend(failing());
    cells
}

/// Problems on which kin is known to fail.
fn failing() -> Vec<GridCell> {
    let mut cells = Vec::new();
    let [copied, selected, rare, tiny] = FAILING;
    for parameters in ALL {
        for rows in FEW_ROWS {
            for (regime, fault) in [(copied, Fault::Copies(2)), (selected, Fault::Selection)] {
                let mut cell = GridCell::new(regime, parameters, (10, 10, 3, rows));
                cell.fault = Some(fault);
                cells.push(cell);
            }
        }
        cells.push(GridCell::new(tiny, parameters, (10, 400, 2, 2)));
    }
    for rows in FEW_ROWS {
        // The events have the same probabilities in all data sets.
        let mut cell = GridCell::new(rare, Parameters::Id, (10, 10, 2, rows));
        cell.fault = Some(Fault::RareEvents);
        cells.push(cell);
    }
    cells
}

/// All replicates; the numbering is the same at every scale.
pub(crate) fn replicates(scale: Scale) -> Vec<Replicate> {
    let mut replicates = Vec::new();
    for (index, cell) in (0_u64..).zip(cells()) {
        for replicate in 0..REPLICATES {
            let number = index * REPLICATES + replicate;
            replicates.push(Replicate {
                study: "kin",
                number,
                design: cell.design.clone(),
                streams: Streams::from(number),
                methods: KIN.to_vec(),
                sparsity: SPARSITY,
                rows: cell.rows,
                altered: cell.altered,
                by: cell.by,
                structure: number,
                parameter_set: replicate,
                regime: cell.regime,
                search: SearchMethod::Auto,
                fault: cell.fault,
            });
        }
    }
    if scale == Scale::Quick {
        replicates.retain(|replicate| {
            replicate.parameter_set < QUICK_REPLICATES && replicate.design.nodes <= QUICK_NODES
        });
    }
    replicates
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_regime_has_its_cells_with_a_hundred_replicates_each() {
        let cells = cells();
        assert_eq!(cells.len(), 144 + 36 + 12 + 12 + 16 + 17);
        let regimes: BTreeSet<&str> = cells.iter().map(|cell| cell.regime).collect();
        assert_eq!(regimes.len(), 8 + FAILING.len());
        assert!(cells.iter().all(|cell| cell.design.check().is_ok()));
        assert_eq!(replicates(Scale::Paper).len(), cells.len() * 100);
    }
}
