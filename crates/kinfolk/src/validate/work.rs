//! Processes one split: learns structures, estimates tables, and scores the held-out rows.

use std::ops::ControlFlow;

use serde_json::Map;

use super::alone::EachAlone;
use super::held_out::RowScorer;
use super::result::{FinishedSplit, Sums};
use super::split::Split;
use super::tune::{Weights, choose};
use super::{ComparedMethod, METHODS, Structures, Validate, ValidateError};
use crate::counts::{Counts, Family, MemoryTally, Tally};
use crate::data::{DataSetId, Missing, RelatedData, VariableId};
use crate::estimate::{Method, Network, Relative, estimate_alone, estimate_as_one, estimate_for_prediction};
use crate::graph::{Dag, modelstring};
use crate::missing::{FillIn, LearnIncomplete, MissingError, of_version};
use crate::score::{
    Bdeu, BdeuSeparate, Bhd, Evidences, Halt, ImaginarySampleSize, Kin, Score, ScoreError, Scorer,
};
use crate::search::{Search, Stop};
use crate::variational::Prior;

/// Returns `Break` to stop the work.
pub(super) type Ask<'a> = &'a (dyn Fn() -> ControlFlow<Halt> + Sync);

/// The result of one split.
pub(super) struct SplitResult {
    pub(super) held: FinishedSplit,
    /// One entry per data set.
    pub(super) sums: Vec<Sums>,
    /// The evidences of all rows with the hierarchical structure.
    pub(super) evidence: Evidences,
    pub(super) not_converged: usize,
}

/// Why a split did not finish.
pub(super) enum SplitFailure {
    Request(Halt),
    Error(ValidateError),
}

impl<E: Into<ValidateError>> From<E> for SplitFailure {
    fn from(error: E) -> Self {
        Self::Error(error.into())
    }
}

/// Returns an error if a stop is requested.
pub(super) fn go_on(ask: Ask<'_>) -> Result<(), SplitFailure> {
    match ask() {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(halt) => Err(SplitFailure::Request(halt)),
    }
}

/// Learns from the training rows of a split and scores its held-out rows.
pub(super) fn work(
    settings: &Validate<'_>,
    data: &RelatedData,
    number: usize,
    split: &Split,
    ask: Ask<'_>,
) -> Result<SplitResult, SplitFailure> {
    go_on(ask)?;
    let training = split.training(data);
    let mut not_converged = 0;
    let dags = dags(settings, &training, ask, &mut not_converged)?;
    let given = Weights::from_each(|method| match settings.iss {
        _ if !settings.compares(method) => None,
        Some(iss) if method.has_iss() => Some(iss.get()),
        _ => settings.kin.is_none().then(|| settings.prior.s()),
    });
    let weights = if settings.tune { choose(settings, &training, &dags, given, ask)? } else { given };
    let compared = ComparedMethod::ALL.map(|method| settings.compares(method));
    let networks = Networks::estimate(settings, &training, &dags, weights, compared)?;
    not_converged += networks.not_converged();
    let sums = networks.judge(data, split, settings.target)?;
    let evidence = evidence(settings, data, &dags[0])?;
    let names = data.schema().names();
    let [hierarchical, pooled, separate, pooled_iss, separate_iss] =
        dags.map(|dag| modelstring::format(&dag, &names));
    let held_out = split.data_set.map(|id| data.schema().data_sets()[id.index()].clone());
    let rows = split.rows();
    let held = FinishedSplit {
        fold: number + 1,
        held_out,
        rows,
        weights,
        hierarchical,
        pooled,
        separate,
        pooled_iss_structure: settings.iss.map(|_| pooled_iss),
        separate_iss_structure: settings.iss.map(|_| separate_iss),
    };
    Ok(SplitResult { held, sums, evidence, not_converged })
}

/// The evidences of all rows with one structure, as an explanation compares them.
fn evidence(settings: &Validate<'_>, data: &RelatedData, dag: &Dag) -> Result<Evidences, ValidateError> {
    let families: Vec<Family> = dag.nodes().map(|node| Family::of(dag, node)).collect();
    if !data.is_complete() {
        let completed = settings.fill_in(settings.related(), false).complete(data, dag)?;
        let counts =
            completed.tally(false, settings.memory).tally_many(&families).map_err(ScoreError::from)?;
        let (data_sets, kin) = (data.schema().data_sets().len(), settings.kin.cloned().unwrap_or_default());
        let of_version = |version: usize| {
            let own: Vec<Counts> =
                counts.iter().map(|counts| of_version(counts, version, data_sets)).collect();
            Evidences::of(&own.iter().collect::<Vec<&Counts>>(), &kin)
        };
        let all: Vec<Evidences> = (0..completed.versions()).map(of_version).collect();
        return Ok(Evidences::mean(&all).expect("there are versions"));
    }
    let counts = tally(settings, data, false).tally_many(&families).map_err(ScoreError::from)?;
    let kin = settings.kin.cloned().unwrap_or_default();
    Ok(Evidences::of(&counts.iter().collect::<Vec<&Counts>>(), &kin))
}

/// The structure of each method.
fn dags(
    settings: &Validate<'_>,
    training: &RelatedData,
    ask: Ask<'_>,
    not_converged: &mut usize,
) -> Result<[Dag; METHODS], SplitFailure> {
    let mut find = |search: &Search, score: &dyn Score, pooled: bool| {
        let mut climb = search.climb.for_many_searches();
        climb.constraints = climb.constraints.for_rows_of(training.schema());
        let (dag, stop) = if training.is_complete() {
            let tally = tally(settings, training, pooled || score.is_pooled());
            let mut scorer = Scorer::new(&tally, score);
            if let Some(most) = search.keep_scores {
                scorer = scorer.keep_at_most(most);
            }
            let climb = climb.run(&mut scorer, search.start.clone(), &mut |_| ask());
            let climb = climb.map_err(ValidateError::from)?;
            *not_converged += scorer.not_converged();
            (climb.dag, climb.stop)
        } else {
            let tables = match settings.iss {
                Some(iss) if score.is_pooled() => Method::Bayes(iss),
                _ => settings.related(),
            };
            let search = Search { climb, ..search.clone() };
            let (seed, memory, treatment) = (settings.seed, settings.memory, Missing::Impute);
            let learn = LearnIncomplete { score, tables, search: &search, treatment, seed, memory };
            let as_one = pooled.then(|| training.as_one());
            let learned = match learn.run(as_one.as_ref().unwrap_or(training), Map::new(), &mut |_| ask()) {
                Err(MissingError::Score(ScoreError::Halted(halt))) => {
                    return Err(SplitFailure::Request(halt));
                }
                found => found.map_err(ValidateError::from)?.learned,
            };
            *not_converged += learned.not_converged;
            (learned.dag, learned.stop)
        };
        // An interrupted search yields no valid structure for the method.
        match stop {
            Stop::Optimum | Stop::MaxSteps => Ok(dag),
            Stop::TimeLimit => Err(SplitFailure::Request(Halt::TimeLimit)),
            Stop::Interrupted => Err(SplitFailure::Request(Halt::Interrupted)),
        }
    };
    match settings.structures {
        Structures::Given(dag) => Ok(std::array::from_fn(|_| dag.clone())),
        Structures::Shared(score, search) => {
            let dag = find(search, score, false)?;
            Ok(std::array::from_fn(|_| dag.clone()))
        }
        Structures::Own(search) => {
            let bhd = Bhd { prior: settings.prior };
            let own: &dyn Score = settings.kin.map_or(&bhd, |kin| kin);
            let related = find(search, own, false)?;
            let pooled = find(search, own, true)?;
            let separate = find(search, &EachAlone(own), false)?;
            let [pooled_iss, separate_iss] = match settings.iss {
                None => [pooled.clone(), separate.clone()],
                Some(iss) => {
                    [find(search, &Bdeu { iss }, true)?, find(search, &BdeuSeparate { iss }, false)?]
                }
            };
            Ok([related, pooled, separate, pooled_iss, separate_iss])
        }
    }
}

impl Validate<'_> {
    /// The model of hierarchical tables with the given weight.
    fn related(&self) -> Method {
        match self.kin {
            Some(kin) => Method::Kin(kin.clone()),
            None => Method::Hierarchical(self.prior),
        }
    }

    /// How training rows are filled in by the tables of a model.
    fn fill_in(&self, tables: Method, pooled: bool) -> FillIn {
        FillIn { tables, pooled, seed: self.seed, memory: self.memory }
    }
}

fn tally<'a>(settings: &Validate<'_>, data: &'a RelatedData, pooled: bool) -> MemoryTally<'a> {
    let tally = if pooled { MemoryTally::pooled(data) } else { MemoryTally::new(data) };
    match settings.memory {
        Some(memory) => tally.with_memory(memory),
        None => tally,
    }
}

/// The network of each wanted method.
pub(super) struct Networks {
    /// In the order of [`ComparedMethod::ALL`].
    by_method: [Option<Network>; METHODS],
    /// For incomplete rows, the separate network of each data set; `None` for one that lacks a column.
    alone: Option<Vec<Option<Network>>>,
}

impl Networks {
    /// Estimates the tables of each wanted method for its structure.
    pub(super) fn estimate(
        settings: &Validate<'_>,
        training: &RelatedData,
        dags: &[Dag; METHODS],
        weights: Weights,
        wanted: [bool; METHODS],
    ) -> Result<Self, ValidateError> {
        if !training.is_complete() {
            return Self::estimate_incomplete(settings, training, dags, weights, wanted);
        }
        let mut networks: [Option<Network>; METHODS] = Default::default();
        let by_data_set = tally(settings, training, false);
        for method in ComparedMethod::ALL.into_iter().filter(|&method| wanted[method as usize]) {
            let model = model(settings, method, weights.of(method));
            let dag = &dags[method as usize];
            let network = match method {
                ComparedMethod::Hierarchical | ComparedMethod::PooledIss | ComparedMethod::SeparateIss => {
                    estimate_for_prediction(&by_data_set, dag, &model)?
                }
                ComparedMethod::Pooled => estimate_as_one(&tally(settings, training, true), dag, &model)?,
                ComparedMethod::Separate => estimate_alone(&by_data_set, dag, &model)?,
            };
            networks[method as usize] = Some(network);
        }
        Ok(Self { by_method: networks, alone: None })
    }

    /// As [`Networks::estimate`] for incomplete training rows: every method fills in by its own tables.
    fn estimate_incomplete(
        settings: &Validate<'_>,
        training: &RelatedData,
        dags: &[Dag; METHODS],
        weights: Weights,
        wanted: [bool; METHODS],
    ) -> Result<Self, ValidateError> {
        let mut networks: [Option<Network>; METHODS] = Default::default();
        let mut alone = Some(Vec::new());
        for method in ComparedMethod::ALL.into_iter().filter(|&method| wanted[method as usize]) {
            let model = model(settings, method, weights.of(method));
            let dag = &dags[method as usize];
            let pooled = method == ComparedMethod::PooledIss;
            let tables = |rows: &RelatedData| -> Result<Network, ValidateError> {
                let prepared = settings.fill_in(model.clone(), pooled).prepare(rows, dag)?;
                Ok(prepared.tables(dag, &model)?)
            };
            match method {
                ComparedMethod::Separate => {
                    let of_one = |data_set| match tables(&training.of_data_sets(&[data_set])) {
                        Err(ValidateError::Missing(MissingError::NothingObserved(_))) => Ok(None),
                        network => network.map(Some),
                    };
                    let all = 0..training.schema().data_sets().len();
                    alone = Some(all.map(of_one).collect::<Result<Vec<_>, _>>()?);
                }
                ComparedMethod::Pooled => networks[method as usize] = Some(tables(&training.as_one())?),
                _ => networks[method as usize] = Some(tables(training)?),
            }
        }
        Ok(Self { by_method: networks, alone })
    }

    /// The number of hierarchical fits that did not converge.
    fn not_converged(&self) -> usize {
        let network = self.by_method[ComparedMethod::Hierarchical as usize].as_ref();
        let poolings = network.into_iter().flat_map(|network| {
            network.schema().ids().filter_map(|node| network.tables(node).pooling.as_ref())
        });
        poolings.filter(|pooling| !pooling.converged).count()
    }

    /// Measures of the held-out rows under each method, by data set.
    pub(super) fn judge(
        &self,
        data: &RelatedData,
        split: &Split,
        target: Option<VariableId>,
    ) -> Result<Vec<Sums>, ValidateError> {
        let data_sets = (0..data.schema().data_sets().len()).map(DataSetId::new);
        let judged = data_sets.map(|data_set| {
            let mut sums = Sums::default();
            let rows = data.rows_of(data_set);
            let from = split.held_out.partition_point(|held_out| held_out.row < rows.start);
            let to = split.held_out.partition_point(|held_out| held_out.row < rows.end);
            if from < to {
                let judges = self.judges(data, split, data_set, target);
                for held_out in &split.held_out[from..to] {
                    let mut measures = [None; METHODS];
                    for (measures, judge) in measures.iter_mut().zip(&judges) {
                        *measures = judge.as_ref().map(|judge| judge.judge(held_out.row)).transpose()?;
                    }
                    sums.add(&measures, held_out.rows);
                }
            }
            Ok(sums)
        });
        judged.collect()
    }

    /// The scorers of one data set's rows, in the order of [`ComparedMethod::ALL`].
    fn judges<'a>(
        &'a self,
        data: &'a RelatedData,
        split: &Split,
        data_set: DataSetId,
        target: Option<VariableId>,
    ) -> [Option<RowScorer<'a>>; METHODS] {
        let seen = split.data_set.is_none();
        ComparedMethod::ALL.map(|method| {
            let relative = match method {
                ComparedMethod::Hierarchical if !seen => Relative::New,
                ComparedMethod::Separate | ComparedMethod::SeparateIss if !seen => return None,
                ComparedMethod::Hierarchical | ComparedMethod::Separate | ComparedMethod::SeparateIss => {
                    Relative::DataSet(data_set)
                }
                ComparedMethod::Pooled | ComparedMethod::PooledIss => Relative::Pooled,
            };
            let only = Relative::DataSet(DataSetId::new(0));
            let (network, relative) = match (&self.alone, method) {
                (Some(alone), ComparedMethod::Separate) => (alone[data_set.index()].as_ref()?, only),
                // Incomplete rows of all data sets were filled in as those of one.
                (Some(_), ComparedMethod::Pooled) => (self.by_method[method as usize].as_ref()?, only),
                _ => (self.by_method[method as usize].as_ref()?, relative),
            };
            Some(RowScorer::new(data, network, relative, target))
        })
    }
}

/// The model of a method's tables.
fn model(settings: &Validate<'_>, method: ComparedMethod, weight: Option<f64>) -> Method {
    const CHECKED: &str = "the weights are those given or of the grid";
    match (settings.kin, weight) {
        (_, Some(weight)) if method.has_iss() => {
            Method::Bayes(ImaginarySampleSize::new(weight).expect(CHECKED))
        }
        (None, Some(s)) => Method::Hierarchical(Prior::new(s, settings.prior.centre()).expect(CHECKED)),
        (kin, _) => Method::Kin(kin.cloned().unwrap_or_else(Kin::default)),
    }
}
