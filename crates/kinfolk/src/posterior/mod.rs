//! Posterior probabilities of arcs, edges and other features: exact for few variables, by Markov chains over orders for more.
//!
//! - `exact`: sums over all networks by dynamic programming; `exact_features`: paths and Markov blankets by the same sums.
//! - `order_mcmc`: chains over orders of the variables; `agreement`: split R-hat and effective sample size.
//! - `features`: what a query asks for; `scaled`: sums of very small numbers; `result`: the results with names.

mod agreement;
mod exact;
mod exact_features;
mod features;
mod order_mcmc;
mod result;
mod scaled;

use std::ops::ControlFlow;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use thiserror::Error;

pub use features::{Feature, FeatureQuery, QueryError};
pub use result::{
    ArcProbability, EdgeProbability, NamedPosterior, NetworkArc, NetworkPosterior, PosteriorSummary,
    QueryAnswer,
};

pub use crate::files::{ResumeError, ResumeFile};
use order_mcmc::Chain;

use crate::choice::named_choice;
use crate::data::VariableId;
use crate::files::ResumeRecord;
use crate::graph::Dag;
use crate::remedy::{Actionable, Remedy, Wording};
use crate::score::{Halt, Progress, ScoreError, Scorer};
use crate::search::{Constraints, ParentSetFilter, ParentSets, averaged_network};

/// Up to this many variables the exact posterior is the default: it takes less than a second for most scores.
pub const EXACT_UP_TO: usize = 12;

/// The maximal number of families that are scored before probabilities are computed.
const MOST_FAMILIES: f64 = 2e7;

/// The filter of the chains' parent sets. A set 10 nats below one of its subsets has 5e-5 of that subset's weight in
/// every order that allows it. All pairs are scored, so that parents that act only together are found.
const CHAIN_SETS: ParentSetFilter = ParentSetFilter { slack: 10.0, exhaustive_up_to: 2 };

/// Sweeps between two calls of the observer.
const SWEEPS_BETWEEN_CALLS: usize = 8;

/// The minimal number of sweeps of a chain.
const LEAST_SWEEPS: usize = 256;

/// The method of computing probabilities.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum PosteriorMethod {
    /// Exact for up to 12 variables, by Markov chains for more.
    #[default]
    Auto,
    /// Sums over all acyclic graphs; the prior is uniform over graphs, times the structure prior of the score.
    Exact,
    /// Markov chains over orders; the prior is uniform over orders, times the structure prior of the score.
    Mcmc,
}

named_choice!(PosteriorMethod {
    Auto: "auto", "Exact for up to 12 variables, mcmc for more";
    Exact: "exact", "Exact sums over all networks, for up to 16 variables";
    Mcmc: "mcmc", "Markov chains over variable orders, for up to 128 variables";
});

/// Settings of a posterior.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct PosteriorOptions {
    /// The constraints on networks; probabilities are conditional on them.
    pub constraints: Constraints,
    /// The method.
    pub method: PosteriorMethod,
    /// The number of Markov chains, at least two.
    pub chains: usize,
    /// Chains end when no arc's probability differs between two of them by more than this and R-hat is at most 1.05.
    pub tolerance: f64,
    /// The maximal number of sweeps of each chain.
    pub most_sweeps: usize,
    /// The seed of the chains; each has its own stream.
    pub seed: u64,
    /// Other features whose probabilities are computed.
    pub features: Vec<Feature>,
}

impl PosteriorOptions {
    /// The default settings under these constraints: four chains that agree within 0.02.
    pub fn new(constraints: Constraints) -> Self {
        Self {
            constraints,
            method: PosteriorMethod::Auto,
            chains: 4,
            tolerance: 0.02,
            most_sweeps: 1 << 16,
            seed: 0,
            features: Vec::new(),
        }
    }
}

/// Why probabilities cannot be computed.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum PosteriorError {
    /// Too many variables for the exact method.
    #[error(
        "exact probabilities are possible for up to {most} variables, not {variables}; Markov chains work for more"
    )]
    TooManyForExact {
        /// The number of variables.
        variables: usize,
        /// The maximal number.
        most: usize,
    },
    /// Too many variables for every method.
    #[error(
        "posterior probabilities are possible for up to {most} variables, not {variables}; leave some out"
    )]
    TooManyVariables {
        /// The number of variables.
        variables: usize,
        /// The maximal number.
        most: usize,
    },
    /// Too many families would have to be scored.
    #[error(
        "{families:.1e} families would have to be scored, but the limit is {most:.0e}; allow fewer parents or variables"
    )]
    TooManyFamilies {
        /// The number of families.
        families: f64,
        /// The maximal number.
        most: f64,
    },
    /// Fewer than two chains cannot be compared.
    #[error("at least two chains are needed to measure their agreement, not {0}")]
    TooFewChains(usize),
    /// The exact method has nothing to resume.
    #[error("exact probabilities have no samples to resume; choose Markov chains, or do not resume")]
    NothingToResume,
    /// Samples of an earlier run that do not match these data.
    #[error("the samples of chain {chain} after sweep {sweeps} do not match these data; start a new file")]
    Record {
        /// The chain.
        chain: usize,
        /// The sweeps before the record.
        sweeps: usize,
    },
    /// The score is not a log probability of the data.
    #[error(
        "{0} does not approximate a log marginal likelihood, so it has no posterior; choose kin, bhd, bdeu or bic"
    )]
    NoEvidence(&'static str),
    /// Families could not be scored, or the observer requested a stop before there was a result.
    #[error(transparent)]
    Score(#[from] ScoreError),
}

impl Actionable for PosteriorError {
    fn problem(&self, words: &dyn Wording) -> String {
        match self {
            Self::Score(error) => error.problem(words),
            other => other.to_string(),
        }
    }

    fn remedies(&self) -> Vec<Remedy> {
        match self {
            Self::Score(error) => error.remedies(),
            _ => Vec::new(),
        }
    }
}

/// The progress that is reported to the observer, which may request a stop.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum PosteriorEvent<'a> {
    /// Parent sets are being scored.
    Scoring(Progress),
    /// The exact sums are being computed, with the finished share.
    Summing(f64),
    /// Chains are running.
    Sampling {
        /// Sweeps of each chain so far.
        sweeps: usize,
        /// The maximal number of sweeps.
        most: usize,
        /// The largest difference between their arc probabilities at the last comparison.
        difference: Option<f64>,
        /// The sweeps just finished, for the caller to store; those of earlier runs are not repeated here.
        finished: &'a [FinishedSweeps],
    },
}

/// Consecutive sweeps of one chain, sufficient to continue it as if it had not stopped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FinishedSweeps {
    /// The chain's number, from 0.
    pub chain: usize,
    /// The number of sweeps before these.
    pub before: usize,
    /// The order after each sweep: the numbers of the variables, from 0, separated by spaces.
    pub orders: Vec<String>,
    /// The position of the chain's random stream, as a decimal number.
    pub random_position: String,
}

/// The outcome of the Markov chains.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ChainSummary {
    /// The number of chains.
    pub chains: usize,
    /// Sweeps of each chain; the first half is discarded.
    pub sweeps: usize,
    /// The largest split R-hat of an arc with a probability from 0.01 to 0.99.
    pub rhat: f64,
    /// The smallest effective sample size of such an arc, over all chains; `None` if there is no such arc.
    pub ess: Option<f64>,
    /// The largest difference between two chains' probabilities of an arc.
    pub difference: f64,
    /// Whether the chains agree within the tolerance.
    pub converged: bool,
    /// Why the observer stopped them before that, if it did.
    pub halted: Option<Halt>,
}

impl ResumeRecord for FinishedSweeps {
    const KIND: &'static str = "kinfolk_posterior";
    const WORK: &'static str = "posterior";
    const PIECE: &'static str = "record of sweeps";
    const PIECES: &'static str = "the sweeps";
    const WITHOUT_EFFECT: &'static [&'static str] = &["tolerance", "posterior_method"];
}

/// The probability of a feature.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FeatureProbability {
    /// The posterior probability.
    pub probability: f64,
    /// Its Monte Carlo standard error; `None` if it is exact.
    pub standard_error: Option<f64>,
}

/// Posterior probabilities of all arcs.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ArcPosterior {
    variables: usize,
    /// By `from`, then `to`.
    arcs: Vec<f64>,
    /// The requested features, in their order.
    pub features: Vec<FeatureProbability>,
    /// The outcome of the chains; `None` if the probabilities are exact.
    pub chains: Option<ChainSummary>,
    /// The number of families scored.
    pub families_scored: usize,
    /// The number of parent sets in the sums.
    pub parent_sets: usize,
}

impl ArcPosterior {
    /// The probability of the arc `from → to`.
    pub fn arc(&self, from: VariableId, to: VariableId) -> f64 {
        self.arcs[from.index() * self.variables + to.index()]
    }

    /// The probability of an arc between the two variables, in either direction.
    pub fn edge(&self, a: VariableId, b: VariableId) -> f64 {
        (self.arc(a, b) + self.arc(b, a)).min(1.0)
    }

    /// The averaged network of all edges with at least this probability, and the edges that fit in neither direction
    /// ([`averaged_network`]).
    pub fn averaged(
        &self,
        threshold: f64,
        constraints: &Constraints,
    ) -> (Dag, Vec<(VariableId, VariableId)>) {
        let nodes = || (0..self.variables).map(VariableId::new);
        let pairs = nodes().flat_map(|a| nodes().skip(a.index() + 1).map(move |b| (a, b)));
        let probable = pairs.filter(|&(a, b)| self.edge(a, b) >= threshold);
        averaged_network(probable, |from, to| self.arc(from, to), constraints)
    }

    /// The number of variables.
    pub fn variables(&self) -> usize {
        self.variables
    }
}

/// Computes the posterior probability of every arc, given the data, the score and the constraints.
///
/// Complexity: the exact method scores all allowed parent sets and takes O(N·3^N) steps; a sweep of a chain takes O(N²)
/// sums over lists of parent sets. The result does not depend on the number of threads.
pub fn arc_posterior(
    scorer: &mut Scorer<'_>,
    options: &PosteriorOptions,
    observe: &mut dyn FnMut(PosteriorEvent<'_>) -> ControlFlow<Halt>,
) -> Result<ArcPosterior, PosteriorError> {
    resumed_posterior(scorer, options, None, observe)
}

/// As [`arc_posterior`], but continues from the sweeps of earlier runs with the same data, score, constraints and seed.
/// The result is that of one uninterrupted run.
pub fn resumed_posterior(
    scorer: &mut Scorer<'_>,
    options: &PosteriorOptions,
    done: Option<&[FinishedSweeps]>,
    observe: &mut dyn FnMut(PosteriorEvent<'_>) -> ControlFlow<Halt>,
) -> Result<ArcPosterior, PosteriorError> {
    let variables = scorer.schema().variables().len();
    let is_exact = check(scorer, options, variables)?;
    if is_exact && done.is_some() {
        return Err(PosteriorError::NothingToResume);
    }
    let filter = if is_exact { ParentSetFilter::ALL } else { CHAIN_SETS };
    let mut scoring = |progress| observe(PosteriorEvent::Scoring(progress));
    let sets = ParentSets::score(scorer, &options.constraints, filter, &mut scoring)?;
    let (families_scored, parent_sets) = (sets.families_scored(), sets.len());
    if !is_exact {
        let sampled = run_chains(&sets, options, done.unwrap_or_default(), observe)?;
        return Ok(ArcPosterior { families_scored, parent_sets, ..sampled });
    }
    let mut summing = |share| observe(PosteriorEvent::Summing(share));
    let exact = exact_posterior(&sets, &options.features, &mut summing);
    match exact {
        ControlFlow::Continue(exact) => Ok(ArcPosterior { families_scored, parent_sets, ..exact }),
        ControlFlow::Break(halt) => Err(ScoreError::Halted(halt).into()),
    }
}

/// The exact probabilities of all arcs and of the features.
fn exact_posterior(
    sets: &ParentSets,
    features: &[Feature],
    observe: &mut dyn FnMut(f64) -> ControlFlow<Halt>,
) -> ControlFlow<Halt, ArcPosterior> {
    let sums = exact::GraphSums::of(sets, &mut |share| observe(0.4 * share))?;
    let arcs = exact::arc_probabilities(&sums, &mut |share| observe(0.4 + 0.6 * share))?;
    let found = exact_features::feature_probabilities(&sums, &arcs, features, observe)?;
    let features =
        found.into_iter().map(|probability| FeatureProbability { probability, standard_error: None });
    ControlFlow::Continue(ArcPosterior {
        variables: sets.variables(),
        arcs,
        features: features.collect(),
        chains: None,
        families_scored: 0,
        parent_sets: 0,
    })
}

/// Returns an error if the posterior cannot be computed; otherwise whether the exact method is used.
fn check(scorer: &Scorer<'_>, options: &PosteriorOptions, variables: usize) -> Result<bool, PosteriorError> {
    let most = crate::search::parent_sets::PARENT_SET_BITS;
    if !scorer.score().is_log_evidence() {
        return Err(PosteriorError::NoEvidence(scorer.score().name()));
    }
    if variables > most {
        return Err(PosteriorError::TooManyVariables { variables, most });
    }
    let is_exact = match options.method {
        PosteriorMethod::Auto => variables <= EXACT_UP_TO,
        PosteriorMethod::Exact if variables > exact::MOST_VARIABLES => {
            return Err(PosteriorError::TooManyForExact { variables, most: exact::MOST_VARIABLES });
        }
        PosteriorMethod::Exact => true,
        PosteriorMethod::Mcmc => false,
    };
    if !is_exact && options.chains < 2 {
        return Err(PosteriorError::TooFewChains(options.chains));
    }
    let exhaustive = if is_exact { usize::MAX } else { CHAIN_SETS.exhaustive_up_to };
    let families = ParentSets::number_of_families(&options.constraints, variables, exhaustive);
    if families > MOST_FAMILIES {
        return Err(PosteriorError::TooManyFamilies { families, most: MOST_FAMILIES });
    }
    Ok(is_exact)
}

/// Runs chains until they agree, reach their limit or are stopped. They are compared whenever their length has doubled.
/// Sweeps of earlier runs are replayed in place, so that every decision is the same.
fn run_chains(
    sets: &ParentSets,
    options: &PosteriorOptions,
    done: &[FinishedSweeps],
    observe: &mut dyn FnMut(PosteriorEvent<'_>) -> ControlFlow<Halt>,
) -> Result<ArcPosterior, PosteriorError> {
    /// The largest R-hat of chains that agree.
    const LARGEST_RHAT: f64 = 1.05;
    let variables = sets.variables();
    let mut chains: Vec<Chain<'_>> = (0..options.chains)
        .map(|number| Chain::new(sets, &options.constraints, &options.features, options.seed, number as u64))
        .collect();
    let (mut sweeps, mut compare_at) = (0, LEAST_SWEEPS.min(options.most_sweeps.max(2)));
    let (mut difference, mut halted) = (None, None);
    loop {
        let next = SWEEPS_BETWEEN_CALLS.min(compare_at - sweeps);
        let finished: Vec<Option<FinishedSweeps>> = chains
            .par_iter_mut()
            .enumerate()
            .map(|(number, chain)| continue_chain(chain, number, sweeps, next, done))
            .collect::<Result<_, _>>()?;
        let finished: Vec<FinishedSweeps> = finished.into_iter().flatten().collect();
        sweeps += next;
        let event =
            PosteriorEvent::Sampling { sweeps, most: options.most_sweeps, difference, finished: &finished };
        if let ControlFlow::Break(halt) = observe(event) {
            halted = Some(halt);
        }
        if sweeps < compare_at && halted.is_none() {
            continue;
        }
        let kept: Vec<&[order_mcmc::Block]> = chains.iter().map(Chain::kept).collect();
        let found = agreement::agreement(&kept, variables);
        let converged = found.difference <= options.tolerance && found.rhat <= LARGEST_RHAT;
        if converged || halted.is_some() || sweeps >= options.most_sweeps {
            let summary = ChainSummary {
                chains: options.chains,
                sweeps,
                rhat: found.rhat,
                ess: found.ess.is_finite().then_some(found.ess),
                difference: found.difference,
                converged,
                halted: halted.filter(|_| !converged),
            };
            let mut arcs = agreement::means(&kept);
            let asked = arcs.split_off(variables * variables);
            let features = asked.into_iter().enumerate().map(|(index, probability)| FeatureProbability {
                probability,
                standard_error: Some(agreement::standard_error(&kept, variables * variables + index)),
            });
            let features = features.collect();
            let chains = Some(summary);
            return Ok(ArcPosterior {
                variables,
                arcs,
                features,
                chains,
                families_scored: 0,
                parent_sets: 0,
            });
        }
        difference = Some(found.difference);
        compare_at = (2 * sweeps).min(options.most_sweeps);
    }
}

/// Makes the next sweeps of a chain, or replays them from an earlier run; returns the new ones.
fn continue_chain(
    chain: &mut Chain<'_>,
    number: usize,
    before: usize,
    sweeps: usize,
    done: &[FinishedSweeps],
) -> Result<Option<FinishedSweeps>, PosteriorError> {
    let Some(record) = done.iter().find(|record| (record.chain, record.before) == (number, before)) else {
        let orders = chain.run(sweeps);
        let random_position = chain.position().to_string();
        return Ok(Some(FinishedSweeps { chain: number, before, orders, random_position }));
    };
    let position = record.random_position.parse().ok().filter(|_| record.orders.len() == sweeps);
    match position {
        Some(position) if chain.replay(&record.orders, position) => Ok(None),
        _ => Err(PosteriorError::Record { chain: number, sweeps: before }),
    }
}
