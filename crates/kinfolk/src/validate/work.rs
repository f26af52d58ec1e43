//! Processes one split: learns structures, estimates tables, and scores the held-out rows.

use std::ops::ControlFlow;

use super::held_out::RowScorer;
use super::result::{FinishedSplit, Sums};
use super::split::Split;
use super::tune::{Weights, choose};
use super::{Structures, Validate, ValidateError};
use crate::counts::MemoryTally;
use crate::data::{DataSetId, RelatedData, VariableId};
use crate::estimate::{Method, Network, Relative, estimate};
use crate::graph::{Dag, modelstring};
use crate::score::{Bdeu, BdeuSeparate, Bhd, Halt, Score, Scorer};
use crate::search::{Search, Stop};

/// Returns `Break` to stop the work.
pub(super) type Ask<'a> = &'a (dyn Fn() -> ControlFlow<Halt> + Sync);

/// The result of one split.
pub(super) struct SplitResult {
    pub(super) held: FinishedSplit,
    /// One entry per data set.
    pub(super) sums: Vec<Sums>,
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
    let given = Weights {
        s: settings.kin.is_none().then(|| settings.prior.s()),
        pooled_iss: settings.iss.get(),
        separate_iss: settings.iss.get(),
    };
    let weights = if settings.tune { choose(settings, &training, &dags, given, ask)? } else { given };
    let networks = Networks::estimate(settings, &training, &dags, weights)?;
    let fits = data.schema().ids().filter_map(|node| networks.hierarchical.tables(node).pooling.as_ref());
    not_converged += fits.filter(|pooling| !pooling.converged).count();
    let sums = networks.judge(data, split, settings.target);
    let names = data.schema().names();
    let [hierarchical, pooled, separate] = dags.map(|dag| modelstring::format(&dag, &names));
    let held_out = split.data_set.map(|id| data.schema().data_sets()[id.index()].clone());
    let rows = split.rows();
    let held = FinishedSplit { fold: number + 1, held_out, rows, weights, hierarchical, pooled, separate };
    Ok(SplitResult { held, sums, not_converged })
}

/// The structure of each method.
fn dags(
    settings: &Validate<'_>,
    training: &RelatedData,
    ask: Ask<'_>,
    not_converged: &mut usize,
) -> Result<[Dag; 3], SplitFailure> {
    let mut find = |search: &Search, score: &dyn Score| {
        let mut climb = search.climb.for_many_searches();
        climb.constraints = climb.constraints.for_rows_of(training.schema());
        let tally = tally(settings, training, score.is_pooled());
        let mut scorer = Scorer::new(&tally, score);
        if let Some(most) = search.keep_scores {
            scorer = scorer.keep_at_most(most);
        }
        let climb = climb.run(&mut scorer, search.start.clone(), &mut |_| ask());
        let climb = climb.map_err(ValidateError::from)?;
        *not_converged += scorer.not_converged();
        // An interrupted search yields no valid structure for the method.
        match climb.stop {
            Stop::Optimum | Stop::MaxSteps => Ok(climb.dag),
            Stop::TimeLimit => Err(SplitFailure::Request(Halt::TimeLimit)),
            Stop::Interrupted => Err(SplitFailure::Request(Halt::Interrupted)),
        }
    };
    match settings.structures {
        Structures::Given(dag) => Ok([dag.clone(), dag.clone(), dag.clone()]),
        Structures::Shared(score, search) => {
            let dag = find(search, score)?;
            Ok([dag.clone(), dag.clone(), dag])
        }
        Structures::Own(search) => Ok([
            match settings.kin {
                Some(kin) => find(search, kin)?,
                None => find(search, &Bhd { prior: settings.prior })?,
            },
            find(search, &Bdeu { iss: settings.iss })?,
            find(search, &BdeuSeparate { iss: settings.iss })?,
        ]),
    }
}

fn tally<'a>(settings: &Validate<'_>, data: &'a RelatedData, pooled: bool) -> MemoryTally<'a> {
    let tally = if pooled { MemoryTally::pooled(data) } else { MemoryTally::new(data) };
    match settings.memory {
        Some(memory) => tally.with_memory(memory),
        None => tally,
    }
}

/// The network of each method.
pub(super) struct Networks {
    hierarchical: Network,
    pooled: Network,
    /// `None` if its structure and sample size equal those of `pooled`, which then serves both.
    separate: Option<Network>,
}

impl Networks {
    /// Estimates the tables of each method for its structure.
    pub(super) fn estimate(
        settings: &Validate<'_>,
        training: &RelatedData,
        dags: &[Dag; 3],
        weights: Weights,
    ) -> Result<Self, ValidateError> {
        let tally = tally(settings, training, false);
        let related = match (settings.kin, weights.prior(settings.prior.centre())) {
            (None, Some(prior)) => Method::Hierarchical(prior),
            (kin, _) => Method::Kin(kin.cloned().unwrap_or_default()),
        };
        let hierarchical = estimate(&tally, &dags[0], related)?;
        let [pooled_iss, separate_iss] = weights.sample_sizes();
        let pooled = estimate(&tally, &dags[1], Method::Bayes(pooled_iss))?;
        let same = dags[2] == dags[1] && separate_iss == pooled_iss;
        let separate =
            if same { None } else { Some(estimate(&tally, &dags[2], Method::Bayes(separate_iss))?) };
        Ok(Self { hierarchical, pooled, separate })
    }

    /// Measures of the held-out rows under each method, by data set.
    pub(super) fn judge(&self, data: &RelatedData, split: &Split, target: Option<VariableId>) -> Vec<Sums> {
        let data_sets = (0..data.schema().data_sets().len()).map(DataSetId::new);
        let judged = data_sets.map(|data_set| {
            let mut sums = Sums::default();
            let rows = data.rows_of(data_set);
            let from = split.held_out.partition_point(|held_out| held_out.row < rows.start);
            let to = split.held_out.partition_point(|held_out| held_out.row < rows.end);
            if from < to {
                let judges = self.judges(data, split, data_set, target);
                for held_out in &split.held_out[from..to] {
                    let judged =
                        |judge: &Option<RowScorer<'_>>| judge.as_ref().map(|judge| judge.judge(held_out.row));
                    sums.add(&judges.each_ref().map(judged), held_out.rows);
                }
            }
            sums
        });
        judged.collect()
    }

    /// The scorers of one data set's rows, in the order of [`super::ComparedMethod::ALL`].
    fn judges<'a>(
        &'a self,
        data: &'a RelatedData,
        split: &Split,
        data_set: DataSetId,
        target: Option<VariableId>,
    ) -> [Option<RowScorer<'a>>; 3] {
        let seen = split.data_set.is_none();
        let own = Relative::DataSet(data_set);
        let judge = |network, relative| RowScorer::new(data, network, relative, target);
        [
            Some(judge(&self.hierarchical, if seen { own } else { Relative::New })),
            Some(judge(&self.pooled, Relative::Pooled)),
            seen.then(|| judge(self.separate.as_ref().unwrap_or(&self.pooled), own)),
        ]
    }
}
