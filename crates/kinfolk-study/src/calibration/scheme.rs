//! The ways to state the probability of an edge.

use std::ops::ControlFlow;

use kinfolk::bootstrap::{Bootstrap, By};
use kinfolk::counts::MemoryTally;
use kinfolk::data::{RelatedData, VariableId};
use kinfolk::estimate::Method;
use kinfolk::posterior::{PosteriorMethod, PosteriorOptions, arc_posterior};
use kinfolk::score::{Kin, Score, Scorer};
use kinfolk::search::Search;

use crate::replicate::ReplicateError;

/// Resamples of each scheme that resamples.
const RESAMPLES: u64 = 30;
/// The exact posterior is computed for up to this many variables.
pub(super) const EXACT_UP_TO: usize = 8;

/// A way to state the probability of an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scheme {
    /// The network that the default search finds: 1 for its edges, 0 for all others.
    Network,
    /// Exact posterior probabilities.
    Exact,
    /// Posterior probabilities by Markov chains over orders.
    Mcmc,
    /// Resampling of half of the rows, without replacement.
    HalfRows,
    /// Resampling of rows with replacement.
    Rows,
    /// Resampling of data sets with replacement.
    DataSets,
}

/// What a scheme states about a problem.
pub(super) struct Stated {
    /// The probability of every edge, by pairs of variables.
    pub(super) edges: Vec<f64>,
    /// The probability of every arc, by pairs from and to; empty for schemes without directions.
    pub(super) arcs: Vec<f64>,
    pub(super) converged: bool,
}

impl Scheme {
    /// The schemes for this many variables.
    pub fn of(variables: usize) -> impl Iterator<Item = Self> {
        let few = [Self::Network, Self::Exact, Self::Mcmc, Self::HalfRows, Self::Rows, Self::DataSets];
        let is_possible =
            move |scheme: &Self| variables <= EXACT_UP_TO || matches!(scheme, Self::Network | Self::Mcmc);
        few.into_iter().filter(is_possible)
    }

    /// Whether it takes seconds rather than milliseconds with eight variables.
    pub(super) fn is_costly(self) -> bool {
        !matches!(self, Self::Network | Self::Exact)
    }

    /// Its name in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Network => "network",
            Self::Exact => "exact",
            Self::Mcmc => "mcmc",
            Self::HalfRows => "half-rows",
            Self::Rows => "rows",
            Self::DataSets => "data-sets",
        }
    }

    /// Its name in documents.
    pub fn words(self) -> &'static str {
        match self {
            Self::Network => "the network found, as 0 and 1",
            Self::Exact => "exact posterior",
            Self::Mcmc => "posterior by Markov chains",
            Self::HalfRows => "`half-rows`: half of the rows, without replacement",
            Self::Rows => "`rows`: with replacement",
            Self::DataSets => "`data-sets`: whole data sets, with replacement",
        }
    }

    /// The probability of every edge.
    pub(super) fn state(
        self,
        data: &RelatedData,
        tally: &MemoryTally<'_>,
        score: &dyn Score,
        search: &Search,
        seed: u64,
    ) -> Result<Stated, ReplicateError> {
        let ids = || data.schema().ids();
        let pairs = || ids().flat_map(|a| ids().skip(a.index() + 1).map(move |b| (a, b)));
        let (method, by) = match self {
            Self::Network => {
                let mut scorer = Scorer::new(tally, score);
                let start = search.start.clone();
                let found = search.climb.run(&mut scorer, start, &mut |_| ControlFlow::Continue(()))?;
                let has = |(a, b)| f64::from(u8::from(found.dag.adjacent(a, b)));
                return Ok(Stated { edges: pairs().map(has).collect(), arcs: Vec::new(), converged: true });
            }
            Self::Exact => (PosteriorMethod::Exact, None),
            Self::Mcmc => (PosteriorMethod::Mcmc, None),
            Self::HalfRows => (PosteriorMethod::Auto, Some(By::HalfRows)),
            Self::Rows => (PosteriorMethod::Auto, Some(By::Rows)),
            Self::DataSets => (PosteriorMethod::Auto, Some(By::DataSets)),
        };
        let Some(by) = by else {
            let mut options = PosteriorOptions::new(search.climb.constraints.clone());
            options.method = method;
            let mut scorer = Scorer::new(tally, score);
            let posterior = arc_posterior(&mut scorer, &options, &mut |_| ControlFlow::Continue(()))?;
            let ordered = ids().flat_map(|a| ids().filter(move |&b| a != b).map(move |b| (a, b)));
            return Ok(Stated {
                edges: pairs().map(|(a, b)| posterior.edge(a, b)).collect(),
                arcs: ordered.map(|(a, b)| posterior.arc(a, b)).collect(),
                converged: posterior.chains.is_none_or(|chains| chains.converged),
            });
        };
        let bootstrap = Bootstrap {
            score,
            climb: search.climb.clone(),
            start: search.start.clone(),
            keep_scores: None,
            by,
            replicates: RESAMPLES,
            leave_one_out: Some(false),
            seed,
            memory: None,
            tables: Method::Kin(Kin::default()),
        };
        let found = bootstrap.run(data, &[], &|_| ControlFlow::Continue(()))?;
        let names = data.schema().names();
        let strength = |(a, b): (VariableId, VariableId)| {
            let ends = [&names[a.index()], &names[b.index()]];
            let arc = found.arcs.iter().find(|arc| ends.contains(&&arc.from) && ends.contains(&&arc.to));
            arc.map_or(0.0, |arc| arc.strength)
        };
        Ok(Stated { edges: pairs().map(strength).collect(), arcs: Vec::new(), converged: true })
    }
}
