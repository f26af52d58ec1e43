//! Parameters: a structure and counts in, a network with probability tables for every data set out.

mod kin;
mod named;
mod network;
mod spec;

use serde::Serialize;
use thiserror::Error;

pub use named::{ByName, Configurations, NamedTables};
pub(crate) use network::check_distribution;
pub use network::{Network, NetworkError, NotADistribution, Relative, RowPlace, Table};
pub use spec::{TableMethod, TableSpec};

use crate::counts::{Configuration, Counts, Family, Tally, TallyError, of_each};
use crate::graph::Dag;
use crate::remedy::{Actionable, Remedy};
use crate::score::{ImaginarySampleSize, Kin, Kinship};
use crate::variational::{Prior, fit};

/// The most probabilities that the tables of one node may have, all data sets together: 2^23. With the names of their
/// configurations they take some fifty bytes each in a file, and some four hundred while it is read.
const MOST_PROBABILITIES: f64 = 8_388_608.0;

/// How probabilities are estimated.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// Each data set's table is drawn towards the common centre ([`crate::dirichlet`]).
    Hierarchical(Prior),
    /// Each data set's table is drawn towards the common centre as closely as the family's own data say ([`Kin`]).
    Kin(Kin),
    /// Each data set alone, with an imaginary sample spread evenly over the cells.
    Bayes(ImaginarySampleSize),
    /// Each data set alone, observed shares; configurations without rows get even shares.
    MaximumLikelihood,
}

/// Why a network could not be estimated.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum EstimateError {
    /// A family could not be counted.
    #[error(transparent)]
    Tally(#[from] TallyError),
    /// The tables of a node would be too large to be held; nothing was allocated.
    #[error("the tables of `{node}` with {parents} parents would have {probabilities:e} probabilities")]
    TooLarge {
        /// The node.
        node: String,
        /// How many parents it has.
        parents: usize,
        /// How many probabilities its tables would have.
        probabilities: f64,
    },
}

impl Actionable for EstimateError {
    fn remedies(&self) -> Vec<Remedy> {
        match self {
            Self::Tally(error) => error.remedies(),
            Self::TooLarge { .. } => {
                vec![Remedy::Advice("give it fewer parents"), Remedy::LowerMaxParents]
            }
        }
    }
}

/// What the fit of a node says about pooling.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Pooling {
    /// The concentration of the centre's posterior; nothing for [`Method::Kin`].
    pub tau: Option<f64>,
    /// κ, the centre, over the joint cells: configurations, then states. For [`Method::Kin`] averaged over s, every row being
    /// the distribution within one configuration.
    pub kappa: Table,
    /// The share of what all have in common in each data set's joint table: `s / (s + N_f)`, for [`Method::Kin`] averaged over s and
    /// over the data sets being identical, which leaves nothing of their own. Nothing if a file does not say.
    pub shrinkage: Option<Vec<f64>>,
    /// The same share in every row of each data set's table, one number per configuration: 1 where the data set has no row.
    pub shrinkage_by_configuration: Option<Vec<Vec<f64>>>,
    /// Newton steps of the fit.
    pub iterations: usize,
    /// Whether the fit reached its maximum.
    pub converged: bool,
    /// How related the data sets are, for [`Method::Kin`].
    pub kin: Option<Kinship>,
}

/// The tables of one node.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NodeTables {
    /// P(state | configuration), one table per data set.
    pub by_data_set: Vec<Table>,
    /// The same from all rows together.
    pub pooled: Table,
    /// The same for a data set never seen.
    pub new: Table,
    /// The rows behind each data set's table, one number per configuration; nothing if they are not known.
    pub rows: Option<Vec<Vec<u64>>>,
    /// The fit behind them, for the methods with a centre.
    pub pooling: Option<Pooling>,
}

/// Estimates the tables of every node of a structure.
///
/// Hierarchical: the posterior means of the joint cells, `(sκ + n_f) / (s + N_f)`, conditioned on the parents (\[ACS22\] Eq. mean),
/// so that a configuration never seen in a data set has the centre's probabilities, and a new data set all of them. Cost: one
/// fit per node and the size of the tables.
///
/// Kin: the posterior means of the tables, averaged over s and over the data sets being related or identical; the pooled table is
/// what they would be if identical.
#[expect(clippy::needless_pass_by_value, reason = "callers write the method in place")]
pub fn estimate(tally: &dyn Tally, dag: &Dag, method: Method) -> Result<Network, EstimateError> {
    let schema = tally.schema();
    let families: Vec<Family> = dag.nodes().map(|node| Family::of(dag, node)).collect();
    for family in &families {
        let cells: f64 = family
            .parents()
            .iter()
            .chain([&family.child()])
            .map(|&variable| schema.states(variable) as f64)
            .product();
        let probabilities = cells * (schema.data_sets().len() + 3) as f64;
        if probabilities > MOST_PROBABILITIES {
            return Err(EstimateError::TooLarge {
                node: schema.variable(family.child()).name.clone(),
                parents: family.parents().len(),
                probabilities,
            });
        }
    }
    let nodes = of_each(tally, &families, |counts| node_tables(counts, &method))?;
    Ok(Network::new(schema.clone(), dag.clone(), nodes).expect("estimates are distributions"))
}

/// The tables of one node from its counts.
fn node_tables(counts: &Counts, method: &Method) -> NodeTables {
    let full = Full::of(counts);
    match method {
        Method::Kin(kin) => kin::node_tables(counts, &full, kin),
        &Method::Hierarchical(prior) => {
            let fitted = fit(counts, prior);
            let mut kappa = Table::filled(full.configurations, full.states, fitted.kappa_unseen);
            for (&cell, &value) in full.observed.iter().zip(&fitted.kappa) {
                kappa.values_mut()[cell] = value;
            }
            let s = prior.s();
            let prior_weight = |cell: usize| s * kappa.values()[cell];
            let by_data_set =
                full.by_data_set.iter().map(|counts| full.conditional(counts, prior_weight)).collect();
            let pooled = full.conditional(&full.pooled(), prior_weight);
            let new = full.conditional(&vec![0; full.cells()], |cell| kappa.values()[cell]);
            let shrinkage = counts.rows().iter().map(|&rows| s / (s + rows as f64)).collect();
            let rows = full.rows();
            let weights: Vec<f64> = kappa.rows().map(|row| s * row.iter().sum::<f64>()).collect();
            let shares = |rows: &Vec<u64>| {
                rows.iter().zip(&weights).map(|(&rows, weight)| weight / (weight + rows as f64)).collect()
            };
            let pooling = Pooling {
                tau: Some(fitted.tau),
                shrinkage: Some(shrinkage),
                shrinkage_by_configuration: Some(rows.iter().map(shares).collect()),
                iterations: fitted.iterations,
                converged: fitted.converged(),
                kappa,
                kin: None,
            };
            NodeTables { by_data_set, pooled, new, rows: Some(rows), pooling: Some(pooling) }
        }
        &Method::Bayes(iss) => {
            let alpha = iss.get() / full.cells() as f64;
            let by_data_set =
                full.by_data_set.iter().map(|counts| full.conditional(counts, |_| alpha)).collect();
            let pooled = full.conditional(&full.pooled(), |_| alpha);
            NodeTables { by_data_set, new: pooled.clone(), pooled, rows: Some(full.rows()), pooling: None }
        }
        Method::MaximumLikelihood => {
            let by_data_set =
                full.by_data_set.iter().map(|counts| full.conditional(counts, |_| 0.0)).collect();
            let pooled = full.conditional(&full.pooled(), |_| 0.0);
            NodeTables { by_data_set, new: pooled.clone(), pooled, rows: Some(full.rows()), pooling: None }
        }
    }
}

/// A node's counts with every possible cell in its place.
struct Full {
    configurations: usize,
    states: usize,
    /// Where each observed cell lies, in the order of [`Counts::cells`].
    observed: Vec<usize>,
    by_data_set: Vec<Vec<u64>>,
}

impl Full {
    fn of(counts: &Counts) -> Self {
        let states = counts.states();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "the size was checked before counting"
        )]
        let configurations = counts.possible_configurations() as usize;
        let mut full = Self {
            configurations,
            states,
            observed: Vec::with_capacity(counts.observed_cells()),
            by_data_set: vec![vec![0; configurations * states]; counts.data_sets()],
        };
        for configuration in counts.configurations() {
            let first = Full::row_of(&configuration) * states;
            for cell in configuration.cells() {
                full.observed.push(first + cell.state);
                for entry in cell.entries {
                    full.by_data_set[entry.data_set][first + cell.state] = entry.count;
                }
            }
        }
        full
    }

    /// Where an observed configuration lies.
    fn row_of(configuration: &Configuration<'_>) -> usize {
        let number = configuration.number().expect("tables that fit in memory have numbered configurations");
        usize::try_from(number).expect("it is below the number of configurations")
    }

    fn cells(&self) -> usize {
        self.configurations * self.states
    }

    /// The rows of each data set in every configuration.
    fn rows(&self) -> Vec<Vec<u64>> {
        let sums = |counts: &Vec<u64>| counts.chunks_exact(self.states).map(|row| row.iter().sum()).collect();
        self.by_data_set.iter().map(sums).collect()
    }

    fn pooled(&self) -> Vec<u64> {
        (0..self.cells()).map(|cell| self.by_data_set.iter().map(|counts| counts[cell]).sum()).collect()
    }

    /// (n + prior) over its sum within each configuration; even shares where that is zero.
    fn conditional(&self, counts: &[u64], prior: impl Fn(usize) -> f64) -> Table {
        let mut table = Table::filled(self.configurations, self.states, 0.0);
        for (configuration, row) in table.rows_mut().enumerate() {
            let first = configuration * self.states;
            for (state, value) in row.iter_mut().enumerate() {
                *value = counts[first + state] as f64 + prior(first + state);
            }
            let total: f64 = row.iter().sum();
            for value in row.iter_mut() {
                *value = if total > 0.0 { *value / total } else { 1.0 / self.states as f64 };
            }
        }
        table
    }
}
