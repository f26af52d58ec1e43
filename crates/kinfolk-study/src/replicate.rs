//! One replicate: a simulated problem, learned by every method.

use std::ops::ControlFlow;

use kinfolk::bootstrap::BootstrapError;
use kinfolk::counts::{Family, MemoryTally};
use kinfolk::estimate::EstimateError;
use kinfolk::graph::{Dag, compare};
use kinfolk::infer::InferError;
use kinfolk::missing::MissingError;
use kinfolk::posterior::PosteriorError;
use kinfolk::remedy::{Actionable, Remedy};
use kinfolk::score::{ScoreError, Scorer};
use kinfolk::search::{SearchMethod, SearchSpec};
use kinfolk::simulate::{
    Design, DesignError, Level, Parameters, Removed, Scenario, Simulated, Streams, simulate,
};
use thiserror::Error;

use crate::cpu_time::CpuTime;
use crate::fault::Fault;
use crate::methods::LearningMethod;
use crate::rows::ReplicateRow;

/// A replicate: a simulation design, its random streams, and the methods to learn it with.
#[derive(Debug, Clone, PartialEq)]
pub struct Replicate {
    /// The study it belongs to.
    pub study: &'static str,
    /// Its number in the study.
    pub number: u64,
    /// The simulation design.
    pub design: Design,
    /// The random streams.
    pub streams: Streams,
    /// The learning methods.
    pub methods: Vec<LearningMethod>,
    /// The requested number of arcs per node.
    pub sparsity: f64,
    /// Rows of a full data set.
    pub rows: usize,
    /// The number of altered data sets.
    pub altered: usize,
    /// The size of the alteration.
    pub by: f64,
    /// The index among the structures with these settings.
    pub structure: u64,
    /// The index of its parameter set.
    pub parameter_set: u64,
    /// The regime of the kin study that it belongs to.
    pub regime: &'static str,
    /// The search: plain hill-climbing in the studies of the paper, the default one in the others.
    pub search: SearchMethod,
    /// What is wrong with the rows.
    pub fault: Option<Fault>,
}

/// Why a replicate could not be made or learned.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum ReplicateError {
    /// The design is impossible.
    #[error(transparent)]
    Design(#[from] DesignError),
    /// The search failed.
    #[error(transparent)]
    Score(#[from] ScoreError),
    /// Nothing was learned from incomplete data.
    #[error(transparent)]
    Missing(#[from] MissingError),
    /// Tables could not be estimated.
    #[error(transparent)]
    Estimate(#[from] EstimateError),
    /// Values could not be filled in.
    #[error(transparent)]
    Infer(#[from] InferError),
    /// Posterior probabilities could not be computed.
    #[error(transparent)]
    Posterior(#[from] PosteriorError),
    /// Resampling failed.
    #[error(transparent)]
    Bootstrap(#[from] BootstrapError),
}

impl Actionable for ReplicateError {
    fn remedies(&self) -> Vec<Remedy> {
        match self {
            Self::Design(error) => error.remedies(),
            Self::Score(error) => error.remedies(),
            Self::Missing(error) => error.remedies(),
            Self::Estimate(error) => error.remedies(),
            Self::Infer(error) => error.remedies(),
            Self::Posterior(error) => error.remedies(),
            Self::Bootstrap(error) => error.remedies(),
        }
    }
}

impl Replicate {
    /// Simulates the problem and learns it with every method, one after the other on the calling thread.
    pub fn solve(&self, seed: u64) -> Result<Vec<ReplicateRow>, ReplicateError> {
        let mut simulated = simulate(&self.design, seed, self.streams)?;
        if let Some(fault) = self.fault {
            simulated.data = fault.apply(&simulated, seed, self.number);
        }
        self.methods.iter().map(|&method| self.learn(&simulated, method, seed)).collect()
    }

    fn learn(
        &self,
        simulated: &Simulated,
        method: LearningMethod,
        seed: u64,
    ) -> Result<ReplicateRow, ReplicateError> {
        let score = method.score(self.design.data_sets());
        let time = CpuTime::start();
        let data = &simulated.data;
        let mut spec = SearchSpec::default();
        spec.method = self.search;
        let search = spec.prepare(data.schema()).expect("default options are possible");
        let tally = MemoryTally::by_data_set_or_pooled(data, score.is_pooled());
        let mut scorer = Scorer::new(&tally, score.as_ref());
        let climb = search.climb.run(&mut scorer, search.start, &mut |_| ControlFlow::Continue(()))?;
        let seconds = time.seconds();
        let truth = simulated.truth.dag();
        let kinship =
            if method == LearningMethod::Kin { Some(KinOfTruth::of(&scorer, truth)?) } else { None };
        let distance = compare(&climb.dag, truth);
        let states: Vec<String> = self.design.states.iter().map(usize::to_string).collect();
        Ok(ReplicateRow {
            study: self.study.to_owned(),
            replicate: self.number,
            scenario: scenario_name(self.design.scenario).to_owned(),
            parameters: parameters_name(self.design.parameters).to_owned(),
            level: level_name(self.design.level).to_owned(),
            concentration: self.design.s,
            nodes: self.design.nodes,
            arcs: truth.arc_count(),
            sparsity: self.sparsity,
            states: states.join("+"),
            data_sets: self.design.data_sets(),
            rows: self.rows,
            rows_in_all: self.design.rows.iter().sum(),
            altered: self.altered,
            by: self.by,
            structure: self.structure,
            parameter_set: self.parameter_set,
            method: method.name(),
            shd_cpdag: distance.shd.cpdag,
            shd_dag: distance.shd.dag,
            shd_skeleton: distance.shd.skeleton,
            tp_dag: distance.dag.tp,
            fp_dag: distance.dag.fp,
            fn_dag: distance.dag.fn_,
            tp_cpdag: distance.cpdag.tp,
            fp_cpdag: distance.cpdag.fp,
            fn_cpdag: distance.cpdag.fn_,
            learned_arcs: climb.dag.arc_count(),
            score: climb.score,
            families: scorer.families_requested(),
            not_converged: scorer.not_converged(),
            seconds,
            seed,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            regime: self.regime.to_owned(),
            kin_s: kinship.as_ref().map(|kinship| kinship.s),
            kin_identical: kinship.as_ref().map(|kinship| kinship.identical),
            kin_identical_by_family: kinship.map_or(String::new(), |kinship| kinship.by_family),
        })
    }
}

/// kin's estimates for the true families.
struct KinOfTruth {
    /// The geometric mean of s.
    s: f64,
    /// The mean probability that the data sets are identical.
    identical: f64,
    /// That probability for each family, separated by semicolons.
    by_family: String,
}

impl KinOfTruth {
    fn of(scorer: &Scorer<'_>, truth: &Dag) -> Result<Self, ScoreError> {
        let families: Vec<Family> = truth.nodes().map(|node| Family::of(truth, node)).collect();
        let scores = scorer.explain(&families)?;
        let (mut ln_s, mut identical) = (0.0, Vec::new());
        for kin in scores.iter().filter_map(|score| score.kin.as_ref()) {
            ln_s += kin.kinship.s_mean.ln();
            identical.push(kin.kinship.pooled_share.unwrap_or(0.0));
        }
        let of = families.len() as f64;
        let written: Vec<String> = identical.iter().map(|share| format!("{share:.4}")).collect();
        Ok(Self {
            s: (ln_s / of).exp(),
            identical: identical.iter().sum::<f64>() / of,
            by_family: written.join(";"),
        })
    }
}

fn scenario_name(scenario: Scenario) -> &'static str {
    match scenario {
        Scenario::A => "a",
        Scenario::B { .. } => "b",
    }
}

pub(crate) fn parameters_name(parameters: Parameters) -> &'static str {
    match parameters {
        Parameters::Hier => "hier",
        Parameters::Iid => "iid",
        Parameters::Id => "id",
    }
}

fn level_name(level: Level) -> &'static str {
    match level {
        Level::Joint => "joint",
        Level::Configuration => "configuration",
    }
}

/// How many arcs an altered data set loses, as a number for the record.
pub(crate) fn removed(removed: Removed) -> f64 {
    match removed {
        Removed::Arcs(arcs) => arcs as f64,
        Removed::Probability(probability) => probability,
    }
}
