//! The study of missing values: cells of simulated data are removed, and every treatment learns from what is left.
//!
//! - `mechanism`: which cells are removed;
//! - `treatment`: how a structure is learned from what is left, and how well the removed values are filled in;
//! - `grid`: the cells of the study as plain data;
//! - `table`: paired differences from complete data, and what the study must show.

mod grid;
mod mechanism;
mod table;
mod treatment;

use serde::{Deserialize, Serialize};

pub use grid::replicates;
pub use mechanism::Mechanism;
pub use table::{MissingCell, MissingTable};
pub use treatment::Treatment;

use kinfolk::graph::compare;
use kinfolk::simulate::{Design, Streams, simulate};

use crate::replicate::{ReplicateError, parameters_name};
use crate::run::Problem;
use crate::store::Record;

/// A simulated problem with removed cells, learned by every treatment.
#[derive(Debug, Clone, PartialEq)]
pub struct MissingReplicate {
    /// Its number in the study.
    pub number: u64,
    /// What is simulated.
    pub design: Design,
    /// Which cells are removed.
    pub mechanism: Mechanism,
    /// Which of the replicates with these settings.
    pub parameter_set: u64,
}

/// One replicate learned by one treatment.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct MissingRow {
    /// The study.
    pub study: String,
    /// The number of the replicate in the study, from 0.
    pub replicate: u64,
    /// How the tables of the data sets are related: `hier`, `iid`, `id`.
    pub parameters: String,
    /// Which cells were removed.
    pub mechanism: String,
    /// Variables.
    pub nodes: usize,
    /// Arcs of the true structure.
    pub arcs: usize,
    /// Data sets.
    pub data_sets: usize,
    /// Rows of each.
    pub rows: usize,
    /// Which of the replicates with these settings.
    pub parameter_set: u64,
    /// The share of cells that were removed.
    pub share: f64,
    /// The treatment.
    pub treatment: String,
    /// Structural Hamming distance between the CPDAGs.
    pub shd_cpdag: usize,
    /// The same between the skeletons.
    pub shd_skeleton: usize,
    /// Arcs of the learned structure.
    pub learned_arcs: usize,
    /// The rounds of structural EM.
    pub rounds: usize,
    /// Families scored in all searches.
    pub families: u64,
    /// The share of removed values whose most probable state is the true one, for treatments that fill in.
    pub accuracy: Option<f64>,
    /// The mean of −ln P(true value) over the removed values.
    pub log_loss: Option<f64>,
    /// Seconds of learning on one core, tables included where there are any.
    pub seconds: f64,
    /// The seed of the study.
    pub seed: u64,
    /// The version of kinfolk.
    pub version: String,
}

impl Record for MissingRow {
    fn study(&self) -> &str {
        &self.study
    }

    fn seed(&self) -> u64 {
        self.seed
    }

    fn replicate(&self) -> u64 {
        self.replicate
    }
}

impl Problem for MissingReplicate {
    type Row = MissingRow;

    fn number(&self) -> u64 {
        self.number
    }

    fn parameter_set(&self) -> u64 {
        self.parameter_set
    }

    fn work(&self) -> f64 {
        self.design.rows.iter().sum::<usize>() as f64 + 1_000.0
    }

    fn solve(&self, seed: u64) -> Result<Vec<MissingRow>, ReplicateError> {
        let simulated = simulate(&self.design, seed, Streams::from(self.number))?;
        let (truth, data) = (&simulated.truth, &simulated.data);
        let removed = self.mechanism.remove(data, seed, self.number);
        Treatment::ALL
            .iter()
            .map(|&treatment| {
                let outcome = treatment.learn(truth, data, &removed)?;
                let distance = compare(&outcome.dag, truth.dag());
                Ok(MissingRow {
                    study: "missing".to_owned(),
                    replicate: self.number,
                    parameters: parameters_name(self.design.parameters).to_owned(),
                    mechanism: self.mechanism.name(),
                    nodes: self.design.nodes,
                    arcs: truth.dag().arc_count(),
                    data_sets: self.design.data_sets(),
                    rows: self.design.rows[0],
                    parameter_set: self.parameter_set,
                    share: mechanism::share(&removed),
                    treatment: treatment.name().to_owned(),
                    shd_cpdag: distance.shd.cpdag,
                    shd_skeleton: distance.shd.skeleton,
                    learned_arcs: outcome.dag.arc_count(),
                    rounds: outcome.rounds,
                    families: outcome.families,
                    accuracy: outcome.filled_in.map(|quality| quality.accuracy),
                    log_loss: outcome.filled_in.map(|quality| quality.log_loss),
                    seconds: outcome.seconds,
                    seed,
                    version: env!("CARGO_PKG_VERSION").to_owned(),
                })
            })
            .collect()
    }
}
