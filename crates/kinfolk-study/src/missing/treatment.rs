//! The treatments of missing values that are compared, and how well they fill in.

use std::ops::ControlFlow;
use std::time::Instant;

use kinfolk::data::{Column, DataSetId, Missing, RelatedData, Schema, VariableId};
use kinfolk::estimate::{Method, Network, Relative};
use kinfolk::graph::Dag;
use kinfolk::infer::Completer;
use kinfolk::missing::LearnIncomplete;
use kinfolk::score::{Bdeu, ImaginarySampleSize, Kin, Score, Scorer};
use kinfolk::search::SearchSpec;
use kinfolk::{counts::MemoryTally, learned};
use serde_json::Map;

use crate::replicate::ReplicateError;

/// How a structure is learned from incomplete data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Treatment {
    /// Not at all: the data before cells were removed, by kin.
    Complete,
    /// Kin on the complete rows.
    DropRows,
    /// Kin with an additional state for missing cells.
    Level,
    /// Kin by available-case Bayes factors.
    Available,
    /// Kin with structural EM.
    Impute,
    /// Structural EM by BDeu on the pooled rows.
    PooledEm,
    /// Nothing is learned: values are filled in from the true network.
    TrueModel,
}

/// What a treatment made of a problem.
pub(super) struct Outcome {
    pub(super) dag: Dag,
    pub(super) rounds: usize,
    pub(super) families: u64,
    pub(super) filled_in: Option<Quality>,
    pub(super) seconds: f64,
}

/// How well removed values are predicted from what is left of their rows.
#[derive(Debug, Clone, Copy)]
pub(super) struct Quality {
    pub(super) accuracy: f64,
    pub(super) log_loss: f64,
}

impl Treatment {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Complete,
        Self::DropRows,
        Self::Level,
        Self::Available,
        Self::Impute,
        Self::PooledEm,
        Self::TrueModel,
    ];

    /// Those that learn a structure from incomplete data.
    pub const LEARNING: [Self; 5] =
        [Self::DropRows, Self::Level, Self::Available, Self::Impute, Self::PooledEm];

    /// Its name in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Complete => "complete",
            Self::DropRows => "drop-rows",
            Self::Level => "level",
            Self::Available => "available",
            Self::Impute => "impute",
            Self::PooledEm => "pooled-em",
            Self::TrueModel => "true-model",
        }
    }

    /// Learns a structure from incomplete data; `whole` are the data before cells were removed, drawn from the true network.
    pub(super) fn learn(
        self,
        truth: &Network,
        whole: &RelatedData,
        removed: &RelatedData,
    ) -> Result<Outcome, ReplicateError> {
        let started = Instant::now();
        let outcome = match self {
            Self::Complete => plain(whole),
            Self::DropRows => plain(&complete_rows(removed)),
            Self::Level => plain(&with_states(removed)),
            Self::Available => fill_in(whole, removed, &Kin::default(), None, started),
            Self::Impute => {
                let kin = Kin::default();
                fill_in(whole, removed, &kin, Some(Method::Kin(kin.clone())), started)
            }
            Self::PooledEm => {
                let iss = ImaginarySampleSize::default();
                fill_in(whole, removed, &Bdeu { iss }, Some(Method::Bayes(iss)), started)
            }
            Self::TrueModel => {
                let known = quality(whole, removed, &best_known(truth, removed), false)?;
                let dag = truth.dag().clone();
                Ok(Outcome { dag, rounds: 0, families: 0, filled_in: Some(known), seconds: 0.0 })
            }
        };
        outcome.map(|outcome| Outcome {
            seconds: if outcome.seconds > 0.0 { outcome.seconds } else { started.elapsed().as_secs_f64() },
            ..outcome
        })
    }
}

/// The most that can be known of the tables without the removed values: the true table of every family that a data set observes, and for
/// a family with a column that the data set lacks the true centre, around which its own table varies.
fn best_known(truth: &Network, removed: &RelatedData) -> Network {
    let (schema, dag) = (truth.schema(), truth.dag());
    let nodes = schema.ids().map(|id| {
        let mut tables = truth.tables(id).clone();
        for (index, table) in tables.by_data_set.iter_mut().enumerate() {
            let lacks = |one: VariableId| removed.lacks(one, DataSetId::new(index));
            if lacks(id) || dag.parents(id).iter().any(|&parent| lacks(parent)) {
                *table = tables.new.clone();
            }
        }
        tables
    });
    let nodes = nodes.collect();
    Network::new(schema.clone(), dag.clone(), nodes).expect("tables of the same shapes")
}

/// Learns from complete data by kin, with the default search.
fn plain(data: &RelatedData) -> Result<Outcome, ReplicateError> {
    let search = SearchSpec::default().prepare(data.schema()).expect("the default search is possible");
    let (score, tally) = (Kin::default(), MemoryTally::new(data));
    let mut scorer = Scorer::new(&tally, &score);
    let found = learned::learn(&mut scorer, &search, Map::new(), &mut |_| ControlFlow::Continue(()))?;
    let families = scorer.work().families_scored;
    Ok(Outcome { dag: found.dag, rounds: 0, families, filled_in: None, seconds: 0.0 })
}

/// Learns from incomplete data; by available-case scores if there is no method for tables.
fn fill_in(
    whole: &RelatedData,
    removed: &RelatedData,
    score: &dyn Score,
    tables: Option<Method>,
    started: Instant,
) -> Result<Outcome, ReplicateError> {
    let search = SearchSpec::default().prepare(removed.schema()).expect("the default search is possible");
    let learn = LearnIncomplete {
        score,
        tables: tables.clone().unwrap_or(Method::Kin(Kin::default())),
        search: &search,
        treatment: if tables.is_some() { Missing::Impute } else { Missing::Available },
        seed: 1,
        memory: None,
    };
    let found = learn.run(removed, Map::new(), &mut |_| ControlFlow::Continue(()))?;
    let dag = found.learned.dag;
    let network = match (found.completed, tables) {
        (Some(completed), Some(method)) => Some(completed.tables(&dag, &method, None)?),
        _ => None,
    };
    let seconds = started.elapsed().as_secs_f64();
    let filled_in =
        network.map(|network| quality(whole, removed, &network, score.is_pooled())).transpose()?;
    let rounds = found.learned.filled_in.map_or(0, |filled_in| filled_in.rounds.len());
    Ok(Outcome { dag, rounds, families: found.work.families_scored, filled_in, seconds })
}

/// The accuracy and log-loss of removed values given what is left of their rows.
fn quality(
    whole: &RelatedData,
    removed: &RelatedData,
    network: &Network,
    pooled: bool,
) -> Result<Quality, ReplicateError> {
    let (mut cells, mut right, mut loss) = (0.0, 0.0, 0.0);
    let schema = removed.schema();
    for data_set in (0..schema.data_sets().len()).map(DataSetId::new) {
        let relative = if pooled { Relative::Pooled } else { Relative::DataSet(data_set) };
        let mut completer = Completer::new(network, relative);
        for row in removed.rows_of(data_set) {
            let cell = |id: VariableId| (!removed.is_missing(id, row)).then(|| removed.column(id).get(row));
            let observed: Vec<Option<u32>> = schema.ids().map(cell).collect();
            if observed.iter().all(Option::is_some) {
                continue;
            }
            completer.prepare(&observed)?;
            let completion = completer.completion(&observed)?;
            let missing = completion.missing().to_vec();
            for (id, probabilities) in missing.into_iter().zip(completion.posteriors()) {
                let truth = whole.column(id).get(row) as usize;
                let most = probabilities.iter().copied().fold(0.0, f64::max);
                let first = probabilities.iter().position(|&probability| probability == most);
                cells += 1.0;
                right += if first == Some(truth) { 1.0 } else { 0.0 };
                loss -= probabilities[truth].ln();
            }
        }
    }
    Ok(Quality { accuracy: right / cells, log_loss: loss / cells })
}

/// The complete rows alone.
fn complete_rows(data: &RelatedData) -> RelatedData {
    let is_complete = |row: usize| data.schema().ids().all(|id| !data.is_missing(id, row));
    let kept: Vec<u64> = (0..data.stored_rows()).map(|row| u64::from(is_complete(row))).collect();
    // Neither values nor masks of the other rows are left.
    data.reweighted(&kept)
}

/// The data with an additional state in every column that has missing cells.
fn with_states(data: &RelatedData) -> RelatedData {
    let schema = data.schema();
    let mut variables = schema.variables().to_vec();
    let columns = schema.ids().map(|id| {
        let states = schema.states(id);
        let marked = u32::try_from(states).expect("few states");
        if data.mask(id).is_some() {
            variables[id.index()].states.push("missing".to_owned());
        }
        let mut column = Column::for_states(states + 1, data.stored_rows());
        (0..data.stored_rows()).for_each(|row| {
            column.push(if data.is_missing(id, row) { marked } else { data.column(id).get(row) });
        });
        column
    });
    let columns = columns.collect();
    let data_sets = (0..schema.data_sets().len()).map(DataSetId::new);
    let starts = data_sets.map(|id| data.rows_of(id).start).chain([data.stored_rows()]).collect();
    RelatedData::new(Schema::new(variables, schema.data_sets().to_vec()), columns, starts, None)
}
