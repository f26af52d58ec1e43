//! The study of calibration: how often edges with a stated probability are in the true network, for posterior probabilities and resampling.
//!
//! - `scheme`: the ways to state a probability;
//! - `grid`: the problems as plain data;
//! - `table`: Brier scores, calibration errors, and the difference of chains from exact sums.

mod grid;
mod scheme;
mod table;

use std::time::Instant;

use kinfolk::counts::MemoryTally;
use kinfolk::data::VariableId;
use kinfolk::score::{NamedChoice, ScoreName, ScoreSpec};
use kinfolk::search::SearchSpec;
use kinfolk::simulate::{Design, Streams, simulate};
use serde::{Deserialize, Serialize};

pub use grid::replicates;
pub use scheme::Scheme;
pub use table::{BINS, CalibrationLine, CalibrationTable, StatedBin};

use crate::replicate::{ReplicateError, parameters_name};
use crate::run::Problem;
use crate::store::Record;

/// The scores, by their names on the command line.
pub const SCORES: [&str; 3] = ["kin", "bhd", "bdeu"];

/// A simulated problem, the edges of which every scheme gives a probability.
#[derive(Debug, Clone, PartialEq)]
pub struct CalibrationReplicate {
    /// Its number in the study.
    pub number: u64,
    /// What is simulated.
    pub design: Design,
    /// Which of the replicates with these settings.
    pub parameter_set: u64,
}

/// The probabilities that one scheme states for the edges of one problem.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct CalibrationRow {
    /// The study.
    pub study: String,
    /// The number of the replicate in the study, from 0.
    pub replicate: u64,
    /// How the tables of the data sets are related: `hier`, `iid`, `id`.
    pub parameters: String,
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
    /// The score.
    pub score: String,
    /// The scheme.
    pub scheme: String,
    /// The stated probability of every edge, by pairs of variables in column order, separated by semicolons.
    pub edges: String,
    /// The same of every arc, by pairs from and to, for posterior probabilities.
    pub directions: String,
    /// For every edge 1 if the true network has it, otherwise 0.
    pub present: String,
    /// Whether the chains agreed within their tolerance; true for everything else.
    pub converged: bool,
    /// Seconds that it took.
    pub seconds: f64,
    /// The seed of the study.
    pub seed: u64,
    /// The version of kinfolk.
    pub version: String,
}

impl CalibrationRow {
    /// Every edge with its stated probability, and whether the true network has it.
    pub fn cases(&self) -> impl Iterator<Item = (f64, bool)> {
        let present = self.present.chars().map(|mark| mark == '1');
        numbers(&self.edges).zip(present)
    }
}

/// Numbers that are separated by semicolons.
fn numbers(text: &str) -> impl Iterator<Item = f64> {
    text.split(';').filter_map(|number| number.parse().ok())
}

/// Probabilities as text. Six digits are far below every difference that counts.
fn written(probabilities: &[f64]) -> String {
    let texts: Vec<String> = probabilities.iter().map(|probability| format!("{probability:.6}")).collect();
    texts.join(";")
}

impl Record for CalibrationRow {
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

impl CalibrationReplicate {
    /// The schemes that it is solved by: the costly ones only for the last problems of each setting.
    fn schemes(&self) -> impl Iterator<Item = Scheme> + use<> {
        let is_last = self.parameter_set >= grid::WITH_ALL;
        Scheme::of(self.design.nodes).filter(move |scheme| is_last || !scheme.is_costly())
    }

    /// The number of rows that it is solved to.
    pub fn results(&self) -> usize {
        SCORES.len() * self.schemes().count()
    }
}

impl Problem for CalibrationReplicate {
    type Row = CalibrationRow;

    fn number(&self) -> u64 {
        self.number
    }

    fn parameter_set(&self) -> u64 {
        self.parameter_set
    }

    fn work(&self) -> f64 {
        (self.design.nodes.pow(3)) as f64 * (self.design.rows.iter().sum::<usize>() as f64 + 1_000.0)
    }

    fn solve(&self, seed: u64) -> Result<Vec<CalibrationRow>, ReplicateError> {
        let simulated = simulate(&self.design, seed, Streams::from(self.number))?;
        let (truth, data) = (simulated.truth.dag(), &simulated.data);
        let search = SearchSpec::default().prepare(data.schema()).expect("the default search is possible");
        let ids = || (0..self.design.nodes).map(VariableId::new);
        let pairs = ids().flat_map(|a| ids().skip(a.index() + 1).map(move |b| (a, b)));
        let present: String = pairs.map(|(a, b)| if truth.adjacent(a, b) { '1' } else { '0' }).collect();
        let mut rows = Vec::new();
        for name in SCORES {
            let spec = ScoreSpec::named(ScoreName::from_name(name).expect("the score exists"));
            let score =
                spec.build(data.schema().data_sets().len()).expect("default options are possible").score;
            let tally = MemoryTally::by_data_set_or_pooled(data, score.is_pooled());
            for scheme in self.schemes() {
                let started = Instant::now();
                let stated = scheme.state(data, &tally, score.as_ref(), &search, seed)?;
                rows.push(CalibrationRow {
                    study: "calibration".to_owned(),
                    replicate: self.number,
                    parameters: parameters_name(self.design.parameters).to_owned(),
                    nodes: self.design.nodes,
                    arcs: truth.arc_count(),
                    data_sets: self.design.data_sets(),
                    rows: self.design.rows[0],
                    parameter_set: self.parameter_set,
                    score: name.to_owned(),
                    scheme: scheme.name().to_owned(),
                    edges: written(&stated.edges),
                    directions: written(&stated.arcs),
                    present: present.clone(),
                    converged: stated.converged,
                    seconds: started.elapsed().as_secs_f64(),
                    seed,
                    version: env!("CARGO_PKG_VERSION").to_owned(),
                });
            }
        }
        Ok(rows)
    }
}
