//! Simulated networks and data, for Python.

use std::sync::Arc;

use kinfolk::formats::NetworkFile;
use kinfolk::graph::modelstring;
use kinfolk::simulate::{Design, Removed, Scenario};
use pyo3::prelude::*;
use serde_json::Map;

use crate::data::{Columns, columns};
use crate::error;
use crate::network::Network;
use crate::settings::choice;
use crate::work::{WorkSettings, run};

/// The number of arcs that an altered data set loses, or the probability of losing each.
#[derive(Debug, Clone, Copy, FromPyObject)]
enum GivenRemoved {
    Arcs(usize),
    Probability(f64),
}

/// The design of a simulation, as given.
#[derive(Debug, FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct SimulateSettings {
    nodes: usize,
    arcs: usize,
    max_parents: Option<usize>,
    states: Vec<usize>,
    rows: Vec<usize>,
    parameters: String,
    level: String,
    s: f64,
    alpha0: f64,
    altered: usize,
    removed: GivenRemoved,
    seed: u64,
    replicate: u64,
}

impl SimulateSettings {
    fn design(&self) -> PyResult<Design> {
        Ok(Design {
            nodes: self.nodes,
            arcs: self.arcs,
            max_parents: self.max_parents,
            states: self.states.clone(),
            rows: self.rows.clone(),
            parameters: choice("parameters", &self.parameters)?,
            level: choice("level", &self.level)?,
            s: self.s,
            alpha0: self.alpha0,
            scenario: if self.altered == 0 {
                Scenario::A
            } else {
                let removed = match self.removed {
                    GivenRemoved::Arcs(arcs) => Removed::Arcs(arcs),
                    GivenRemoved::Probability(probability) => Removed::Probability(probability),
                };
                Scenario::B { altered: self.altered, removed }
            },
        })
    }
}

/// The true network, the structure of every data set, and the rows.
type Made<'py> = (Network, Vec<String>, Columns<'py>);

/// Simulates a network and rows drawn from it.
#[pyfunction]
pub(crate) fn simulate(py: Python<'_>, settings: SimulateSettings) -> PyResult<Made<'_>> {
    let design = settings.design()?;
    let made = run(py, &WorkSettings::default(), move |_| {
        kinfolk::simulate::simulate(&design, settings.seed, settings.replicate).map_err(error::settings)
    })?;
    let names = made.truth.schema().names();
    let structures = made.structures.iter().map(|dag| modelstring::format(dag, &names)).collect();
    let rows = columns(py, &made.data)?;
    let file = NetworkFile { network: made.truth, settings: Map::new(), provenance: None, other: Map::new() };
    Ok((Network { file: Arc::new(file) }, structures, rows))
}
