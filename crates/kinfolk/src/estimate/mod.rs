//! Parameter estimation: computes the probability tables of every data set from a structure and counts.
//!
//! - `spec`: the choice of a method; this file: hierarchical and closed-form tables; `kin`: tables averaged over the posterior of s.
//! - `uncertainty`: the concentration of every row, and credible intervals.
//! - `network`: a structure with its tables; `average`: the mean of several networks; `named`: tables with names, for results.

mod average;
mod kin;
mod named;
mod network;
mod spec;
mod uncertainty;

use std::slice;

use serde::Serialize;
use thiserror::Error;

pub(crate) use average::average;
pub(crate) use named::TablesUpTo;
pub use named::{ByName, Configurations, IntervalsByName, NamedConcentration, NamedTables, NodeIntervals};
pub(crate) use network::check_distribution;
pub use network::{Network, NetworkError, NotADistribution, RESERVED_NAMES, Relative, RowPlace, Table};
pub use spec::{TableMethod, TableSpec};
pub use uncertainty::{Concentration, CredibleMass, NotAMass};
use uncertainty::{SecondMoment, related_row, squares};

use crate::counts::{Configuration, Counts, Family, Tally, TallyError, of_each};
use crate::graph::Dag;
use crate::remedy::{Actionable, Remedy};
use crate::score::{ImaginarySampleSize, Kin, Kinship};
use crate::variational::{Prior, fit};

/// Maximum number of probabilities of one node, summed over all data sets: 2^23. With the names of its configuration, a
/// probability takes about 50 bytes in a file and about 400 bytes while the file is read.
const MOST_PROBABILITIES: f64 = 8_388_608.0;

/// The estimation method.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// Shrinks each data set's table towards the common centre ([`crate::variational`]).
    Hierarchical(Prior),
    /// Shrinks each data set's table towards the common centre; the family's own data determine how strongly ([`Kin`]).
    Kin(Kin),
    /// Each data set separately, with an imaginary sample distributed uniformly over the cells.
    Bayes(ImaginarySampleSize),
    /// Each data set separately: relative frequencies. Configurations without rows have uniform probabilities.
    MaximumLikelihood,
}

/// Why a network could not be estimated.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum EstimateError {
    /// A family could not be counted.
    #[error(transparent)]
    Tally(#[from] TallyError),
    /// The tables of a node are too large for memory; nothing was allocated.
    #[error("the tables of `{node}` with {parents} parents would have {probabilities:e} probabilities")]
    TooLarge {
        /// The node.
        node: String,
        /// The number of its parents.
        parents: usize,
        /// The number of probabilities in its tables.
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

/// The parameters of a node's fit that describe pooling.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Pooling {
    /// The concentration of the centre's posterior; `None` for [`Method::Kin`].
    pub tau: Option<f64>,
    /// The centre κ over the joint cells, ordered by configuration, then state. For [`Method::Kin`] it is averaged over s, and
    /// every row is the distribution within one configuration.
    pub kappa: Table,
    /// The weight of the centre in each data set's joint table: `s / (s + N_f)`. For [`Method::Kin`] it is averaged over s and
    /// over identical data sets, where the weight is 1. `None` if a file does not store it.
    pub shrinkage: Option<Vec<f64>>,
    /// The weight of the centre in every row of each data set's table, one value per configuration; 1 if the data set has no
    /// row there.
    pub shrinkage_by_configuration: Option<Vec<Vec<f64>>>,
    /// The Newton steps of the fit.
    pub iterations: usize,
    /// Whether the fit converged.
    pub converged: bool,
    /// The relatedness of the data sets, for [`Method::Kin`].
    pub kin: Option<Kinship>,
}

/// The tables of one node.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NodeTables {
    /// P(state | configuration), one table per data set.
    pub by_data_set: Vec<Table>,
    /// The table of the pooled rows.
    pub pooled: Table,
    /// The table of a new data set.
    pub new: Table,
    /// The number of data rows per configuration in each data set; `None` if unknown.
    pub rows: Option<Vec<Vec<u64>>>,
    /// The fit of the centre, for methods that have one.
    pub pooling: Option<Pooling>,
    /// How certain every row is; `None` if unknown, or if the method has no posterior.
    pub concentration: Option<Concentration>,
}

/// Estimates the tables of every node of a structure.
///
/// Hierarchical: the posterior means of the joint cells, `(sκ + n_f) / (s + N_f)`, conditioned on the parents (\[ACS22\] Eq.
/// mean). An unobserved configuration of a data set has the centre's probabilities, and so has every row of a new data set.
/// Cost: one fit per node and the size of the tables.
///
/// Kin: the posterior means of the tables, averaged over s and over related or identical data sets. The pooled table is the one
/// of the identical model.
#[expect(clippy::needless_pass_by_value, reason = "callers write the method in place")]
pub fn estimate(tally: &dyn Tally, dag: &Dag, method: Method) -> Result<Network, EstimateError> {
    estimate_each(tally, dag, &|counts| node_tables(counts, &method, Purpose::Result))
}

/// The same tables, without the probabilities that the data sets are identical.
pub(crate) fn estimate_for_prediction(
    tally: &dyn Tally,
    dag: &Dag,
    method: &Method,
) -> Result<Network, EstimateError> {
    estimate_each(tally, dag, &|counts| node_tables(counts, method, Purpose::Prediction))
}

/// What tables are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Purpose {
    /// A result with all its details.
    Result,
    /// Predictions alone.
    Prediction,
}

/// Estimates the tables of every data set as if it were the only one: the method's prior without the other data sets. The tables
/// of pooled rows and of a new data set are those of [`Method::Bayes`] with one imaginary row.
pub(crate) fn estimate_alone(
    tally: &dyn Tally,
    dag: &Dag,
    method: &Method,
) -> Result<Network, EstimateError> {
    let of_one = |counts: &Counts, data_set: usize| {
        let counts = counts.of_data_sets(&[data_set]);
        node_tables(&counts, method, Purpose::Prediction).by_data_set.swap_remove(0)
    };
    estimate_each(tally, dag, &|counts| NodeTables {
        by_data_set: (0..counts.data_sets()).map(|data_set| of_one(counts, data_set)).collect(),
        concentration: None,
        ..node_tables(counts, &Method::Bayes(ImaginarySampleSize::default()), Purpose::Prediction)
    })
}

/// Estimates one table from all rows as if they were one data set, for every data set. The tally pools the rows.
pub(crate) fn estimate_as_one(
    tally: &dyn Tally,
    dag: &Dag,
    method: &Method,
) -> Result<Network, EstimateError> {
    let data_sets = tally.schema().data_sets().len();
    estimate_each(tally, dag, &|counts| {
        assert_eq!(counts.data_sets(), 1, "the tally pools the rows");
        let table = node_tables(counts, method, Purpose::Prediction).by_data_set.swap_remove(0);
        NodeTables {
            by_data_set: vec![table.clone(); data_sets],
            pooled: table.clone(),
            new: table,
            rows: None,
            pooling: None,
            concentration: None,
        }
    })
}

/// The network of each node's tables.
fn estimate_each(
    tally: &dyn Tally,
    dag: &Dag,
    node_tables: &(dyn Fn(&Counts) -> NodeTables + Sync),
) -> Result<Network, EstimateError> {
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
    let nodes = of_each(tally, &families, node_tables)?;
    Ok(Network::new(schema.clone(), dag.clone(), nodes).expect("estimates are distributions"))
}

/// The tables of one node from its counts.
fn node_tables(counts: &Counts, method: &Method, purpose: Purpose) -> NodeTables {
    let full = DenseCounts::of(counts);
    match method {
        Method::Kin(kin) => kin::node_tables(counts, &full, kin, purpose),
        &Method::Hierarchical(prior) => {
            let fitted = fit(counts, prior);
            let mut kappa = Table::filled(full.configurations, full.states, fitted.kappa_unseen);
            for (&cell, &value) in full.observed.iter().zip(&fitted.kappa) {
                kappa.values_mut()[cell] = value;
            }
            let s = prior.s();
            let prior_weight = |cell: usize| s * kappa.values()[cell];
            let by_data_set: Vec<Table> =
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
            let concentration = Some(full.around_centre(
                &pooling,
                &weights,
                [&by_data_set, slice::from_ref(&pooled), slice::from_ref(&new)],
            ));
            NodeTables { by_data_set, pooled, new, rows: Some(rows), pooling: Some(pooling), concentration }
        }
        &Method::Bayes(iss) => {
            let alpha = iss.get() / full.cells() as f64;
            let by_data_set =
                full.by_data_set.iter().map(|counts| full.conditional(counts, |_| alpha)).collect();
            let pooled = full.conditional(&full.pooled(), |_| alpha);
            let rows = full.rows();
            let prior = alpha * full.states as f64;
            let with_prior = |rows: &Vec<u64>| rows.iter().map(|&rows| rows as f64 + prior).collect();
            let concentration = Concentration {
                by_data_set: rows.iter().map(with_prior).collect(),
                pooled: with_prior(&full.pooled_rows()),
                new: None,
            };
            let (new, concentration) = (pooled.clone(), Some(concentration));
            NodeTables { by_data_set, pooled, new, rows: Some(rows), pooling: None, concentration }
        }
        Method::MaximumLikelihood => {
            let by_data_set =
                full.by_data_set.iter().map(|counts| full.conditional(counts, |_| 0.0)).collect();
            let pooled = full.conditional(&full.pooled(), |_| 0.0);
            let (new, rows) = (pooled.clone(), Some(full.rows()));
            NodeTables { by_data_set, pooled, new, rows, pooling: None, concentration: None }
        }
    }
}

/// The dense counts of a node: one entry for every possible cell.
struct DenseCounts {
    configurations: usize,
    states: usize,
    /// The dense index of each observed cell, in the order of [`Counts::cells`].
    observed: Vec<usize>,
    by_data_set: Vec<Vec<u64>>,
}

impl DenseCounts {
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
            let first = DenseCounts::row_of(&configuration) * states;
            for cell in configuration.cells() {
                full.observed.push(first + cell.state);
                for entry in cell.entries {
                    full.by_data_set[entry.data_set][first + cell.state] = entry.count;
                }
            }
        }
        full
    }

    /// The dense index of an observed configuration.
    fn row_of(configuration: &Configuration<'_>) -> usize {
        let number = configuration.number().expect("tables that fit in memory have numbered configurations");
        usize::try_from(number).expect("it is below the number of configurations")
    }

    fn cells(&self) -> usize {
        self.configurations * self.states
    }

    /// The number of rows of each data set in every configuration.
    fn rows(&self) -> Vec<Vec<u64>> {
        let sums = |counts: &Vec<u64>| counts.chunks_exact(self.states).map(|row| row.iter().sum()).collect();
        self.by_data_set.iter().map(sums).collect()
    }

    fn pooled(&self) -> Vec<u64> {
        (0..self.cells()).map(|cell| self.by_data_set.iter().map(|counts| counts[cell]).sum()).collect()
    }

    fn pooled_rows(&self) -> Vec<u64> {
        self.pooled().chunks_exact(self.states).map(|row| row.iter().sum()).collect()
    }

    /// The concentrations of hierarchical tables: of the data sets, pooled and new.
    fn around_centre(&self, pooling: &Pooling, weights: &[f64], tables: [&[Table]; 3]) -> Concentration {
        let tau = pooling.tau.expect("a hierarchical fit has it");
        let of = |table: &Table, rows: &[u64]| -> Vec<f64> {
            let row = |(place, (mean, &rows)): (usize, (&[f64], &u64))| {
                let cells = &pooling.kappa.values()[place * self.states..(place + 1) * self.states];
                let share: f64 = cells.iter().sum();
                let centre: Vec<f64> = cells.iter().map(|cell| cell / share).collect();
                related_row(weights[place], rows as f64, mean, &centre, tau * share).concentration(mean)
            };
            table.rows().zip(rows).enumerate().map(row).collect()
        };
        let [by_data_set, pooled, new] = tables;
        Concentration {
            by_data_set: by_data_set.iter().zip(&self.rows()).map(|(table, rows)| of(table, rows)).collect(),
            pooled: of(&pooled[0], &self.pooled_rows()),
            new: Some(of(&new[0], &vec![0; self.configurations])),
        }
    }

    /// (n + prior), normalised within each configuration; uniform where the sum is zero.
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
