//! The study of searches: simulated problems on which every search maximises kin, BHD and BDeu.
//!
//! - `way`: the searches that are compared;
//! - `grid`: the problems as plain data;
//! - `table`: how often each search finds the best network, and how far from it the others end.

mod grid;
mod table;
mod way;

use std::ops::ControlFlow;

use kinfolk::counts::{Batch, Family, MemoryTally};
use kinfolk::graph::{Dag, compare};
use kinfolk::score::{NamedChoice, ScoreError, ScoreName, ScoreSpec, Scorer};
use kinfolk::simulate::{Design, Streams, simulate};
use serde::{Deserialize, Serialize};

pub use grid::replicates;
pub use table::{SearchLine, SearchingTable};
pub use way::Way;

use crate::cpu_time::CpuTime;
use crate::replicate::{ReplicateError, parameters_name};
use crate::run::Problem;
use crate::store::Record;

/// The scores that are maximised, by their names on the command line.
pub const SCORES: [&str; 3] = ["kin", "bhd", "bdeu"];

/// A simulated problem on which every search maximises every score.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchingReplicate {
    /// Its number in the study.
    pub number: u64,
    /// What is simulated.
    pub design: Design,
    /// Which of the replicates with these settings.
    pub parameter_set: u64,
}

/// The network that one search finds for one score.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct SearchingRow {
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
    /// The search.
    pub search: String,
    /// The score of the network that it found.
    pub value: f64,
    /// Whether that is proved to be the highest.
    pub optimal: bool,
    /// The score of the true network.
    pub truth: f64,
    /// Structural Hamming distance to the true network, between CPDAGs.
    pub shd_cpdag: usize,
    /// Arcs of the network that it found.
    pub learned_arcs: usize,
    /// Families scored.
    pub families: u64,
    /// Seconds of the search on one thread.
    pub seconds: f64,
    /// The seed of the study.
    pub seed: u64,
    /// The version of kinfolk.
    pub version: String,
}

impl Record for SearchingRow {
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

impl SearchingReplicate {
    /// The number of rows that it is solved to.
    pub fn results(&self) -> usize {
        SCORES.len() * Way::of(self.design.nodes).count()
    }
}

impl Problem for SearchingReplicate {
    type Row = SearchingRow;

    fn number(&self) -> u64 {
        self.number
    }

    fn parameter_set(&self) -> u64 {
        self.parameter_set
    }

    fn work(&self) -> f64 {
        (self.design.nodes * self.design.nodes) as f64
            * (self.design.rows.iter().sum::<usize>() as f64 + 1_000.0)
    }

    fn solve(&self, seed: u64) -> Result<Vec<SearchingRow>, ReplicateError> {
        let simulated = simulate(&self.design, seed, Streams::from(self.number))?;
        let (truth, data) = (simulated.truth.dag(), &simulated.data);
        let mut rows = Vec::new();
        for name in SCORES {
            let spec = ScoreSpec::named(ScoreName::from_name(name).expect("the score exists"));
            let score =
                spec.build(data.schema().data_sets().len()).expect("default options are possible").score;
            let tally = MemoryTally::by_data_set_or_pooled(data, score.is_pooled());
            let true_score = score_of(&mut Scorer::new(&tally, score.as_ref()), truth)?;
            for way in Way::of(self.design.nodes) {
                let search = way.prepare(data.schema());
                let mut scorer = Scorer::new(&tally, score.as_ref());
                let time = CpuTime::start();
                let found = search
                    .climb
                    .run(&mut scorer, search.start.clone(), &mut |_| ControlFlow::Continue(()))?;
                rows.push(SearchingRow {
                    study: "searching".to_owned(),
                    replicate: self.number,
                    parameters: parameters_name(self.design.parameters).to_owned(),
                    nodes: self.design.nodes,
                    arcs: truth.arc_count(),
                    data_sets: self.design.data_sets(),
                    rows: self.design.rows[0],
                    parameter_set: self.parameter_set,
                    score: name.to_owned(),
                    search: way.name().to_owned(),
                    value: found.score,
                    optimal: found.optimal,
                    truth: true_score,
                    shd_cpdag: compare(&found.dag, truth).shd.cpdag,
                    learned_arcs: found.dag.arc_count(),
                    families: scorer.work().families_scored,
                    seconds: time.seconds(),
                    seed,
                    version: env!("CARGO_PKG_VERSION").to_owned(),
                });
            }
        }
        Ok(rows)
    }
}

/// The score of a network.
fn score_of(scorer: &mut Scorer<'_>, dag: &Dag) -> Result<f64, ScoreError> {
    let families: Vec<Family> = dag.nodes().map(|node| Family::of(dag, node)).collect();
    let scores = scorer.scores(&Batch::of(&families), &mut |_| ControlFlow::Continue(()))?;
    Ok(scores.iter().map(|score| score.total).sum())
}
