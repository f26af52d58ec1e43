//! Simulation: random structures and parameters, scenarios, and sampling.
//!
//! ```
//! use kinfolk::simulate::{Design, Level, Parameters, Scenario, simulate};
//!
//! let design = Design {
//!     nodes: 5,
//!     arcs: 6,
//!     max_parents: None,
//!     states: vec![2],
//!     rows: vec![100; 3],
//!     parameters: Parameters::Hier,
//!     level: Level::Joint,
//!     s: 10.0,
//!     alpha0: 1.0,
//!     scenario: Scenario::A,
//! };
//! let simulated = simulate(&design, 1, 0)?;
//! assert_eq!(simulated.truth.dag().arc_count(), 6);
//! assert_eq!(simulated.data.stored_rows(), 300);
//! # Ok::<(), kinfolk::simulate::DesignError>(())
//! ```

mod design;
mod parameters;
pub(crate) mod random;
mod sample;
mod structure;

pub use design::{Design, DesignError, Level, Parameters, Removed, Scenario, check_rows};
pub use sample::sample;

use crate::data::{DataSetId, RelatedData, Schema, Variable, VariableId};
use crate::estimate::{Network, Relative, Table};
use crate::graph::Dag;
use random::{Purpose, RandomNumbers};

/// The name of the random number generator, recorded in results.
pub const GENERATOR: &str = "ChaCha8";

/// A simulated network and rows sampled from it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Simulated {
    /// The common structure with every data set's tables; those of an altered data set do not depend on its removed parents.
    pub truth: Network,
    /// The structure of each data set.
    pub structures: Vec<Dag>,
    /// The rows.
    pub data: RelatedData,
}

impl Simulated {
    /// P(state | configuration) of a node in one data set, over its parents in that data set's own structure.
    pub fn own_table(&self, node: VariableId, data_set: DataSetId) -> Table {
        let schema = self.truth.schema();
        let structure = &self.structures[data_set.index()];
        let parents: Vec<(bool, usize)> = self
            .truth
            .dag()
            .parents(node)
            .iter()
            .map(|&parent| (structure.has_arc(parent, node), schema.states(parent)))
            .collect();
        // Of the rows that are equal because a parent was removed, keep the one with that parent's first state.
        let is_own = |configuration: usize| {
            let mut rest = configuration;
            parents.iter().rev().all(|&(kept, states)| {
                let state = rest % states;
                rest /= states;
                kept || state == 0
            })
        };
        let rows = self.truth.table(node, data_set).rows().enumerate();
        let values = rows.filter(|(row, _)| is_own(*row)).flat_map(|(_, row)| row.to_vec()).collect();
        Table::new(schema.states(node), values)
    }
}

/// The replicate number of each part of a simulation. Studies reuse a structure with many parameter sets, and these with many
/// row counts: parts with equal numbers (and equal seed and design) are equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Streams {
    /// Numbers of states and the common structure.
    pub structure: u64,
    /// The altered data sets and their removed arcs.
    pub alteration: u64,
    /// The tables.
    pub parameters: u64,
    /// The rows.
    pub rows: u64,
}

impl From<u64> for Streams {
    /// The same replicate for all parts.
    fn from(stream: u64) -> Self {
        Self { structure: stream, alteration: stream, parameters: stream, rows: stream }
    }
}

/// Simulates a structure, tables and rows. The same design, seed and stream give the same bits on every machine.
///
/// Complexity: linear in the cells of the tables of all data sets and in the values of all rows.
pub fn simulate(design: &Design, seed: u64, streams: impl Into<Streams>) -> Result<Simulated, DesignError> {
    design.check()?;
    let streams: Streams = streams.into();
    let schema = random_schema(design, &mut RandomNumbers::new(seed, streams.structure, Purpose::States));
    let mut numbers = RandomNumbers::new(seed, streams.structure, Purpose::Structure);
    let dag = structure::random_dag(design.nodes, design.arcs, design.max_parents, &mut numbers);
    let mut numbers = RandomNumbers::new(seed, streams.alteration, Purpose::Alteration);
    let structures = structure::altered_structures(&dag, design.data_sets(), design.scenario, &mut numbers);
    let truth = parameters::random_network(design, schema, dag, &structures, seed, streams.parameters)?;
    let draws: Vec<(Relative, usize)> = design
        .rows
        .iter()
        .enumerate()
        .map(|(data_set, &rows)| (Relative::DataSet(DataSetId::new(data_set)), rows))
        .collect();
    let data = sample::draw_rows(&truth, &draws, Purpose::Rows, seed, streams.rows);
    Ok(Simulated { truth, structures, data })
}

/// Variables `V1`, `V2`, … with states `1`, `2`, …, and data sets `data_001`, `data_002`, …. Numbers are zero-padded, so that the
/// alphabetical order is the numerical one.
fn random_schema(design: &Design, numbers: &mut RandomNumbers) -> Schema {
    let width = design.nodes.to_string().len();
    let variables = (1..=design.nodes).map(|number| {
        let states = design.states[numbers.index(design.states.len())];
        let states = (1..=states).map(|state| state.to_string()).collect();
        Variable { name: format!("V{number:0width$}"), states, constant: false }
    });
    let width = design.data_sets().to_string().len().max(3);
    let data_sets = (1..=design.data_sets()).map(|number| format!("data_{number:0width$}"));
    Schema::new(variables.collect(), data_sets.collect())
}
