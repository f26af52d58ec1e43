//! The tables of a network with names instead of ids; every output format serialises this view.

use serde::{Serialize, Serializer};

use super::{CredibleMass, Network, Relative, Table};
use crate::data::{DataSetId, Schema, VariableId};
use crate::score::Kinship;

/// One value per data set, keyed by name, in the order of the data sets.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ByName<'a, T> {
    names: &'a [String],
    things: &'a [T],
}

impl<'a, T> ByName<'a, T> {
    /// Iterates over the data sets' names and values.
    pub fn entries(&self) -> impl Iterator<Item = (&'a str, &'a T)> {
        self.names.iter().map(String::as_str).zip(self.things)
    }
}

impl<T: Serialize> Serialize for ByName<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.entries())
    }
}

/// The parents' states in each of their configurations; the first parent varies slowest.
#[derive(Debug, Clone, PartialEq)]
pub struct Configurations<'a> {
    /// The states of each parent.
    parents: Vec<&'a [String]>,
}

impl<'a> Configurations<'a> {
    pub(crate) fn new(schema: &'a Schema, parents: &[VariableId]) -> Self {
        Self { parents: parents.iter().map(|&parent| &schema.variable(parent).states[..]).collect() }
    }

    /// Iterates over the configurations; each item has one state per parent.
    pub fn rows(&self) -> impl Iterator<Item = Vec<&'a str>> {
        let number: u64 = self.parents.iter().map(|states| states.len() as u64).product();
        (0..number).map(|row| self.row(row))
    }

    /// The configuration with this index.
    pub(crate) fn row(&self, mut number: u64) -> Vec<&'a str> {
        let state = |states: &&'a [String]| {
            let state = usize::try_from(number % states.len() as u64).expect("states are few");
            number /= states.len() as u64;
            states[state].as_str()
        };
        let mut row: Vec<&str> = self.parents.iter().rev().map(state).collect();
        row.reverse();
        row
    }
}

impl Serialize for Configurations<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.rows())
    }
}

/// The tables of one node with names.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NamedTables<'a> {
    /// The node.
    pub node: &'a str,
    /// Its parents, in column order.
    pub parents: Vec<&'a str>,
    /// Its states, in the order of the tables' columns.
    pub states: &'a [String],
    /// The parents' states in each row of the tables.
    pub configurations: Configurations<'a>,
    /// P(state | configuration) by data set.
    pub tables: ByName<'a, Table>,
    /// The table of the pooled rows.
    pub pooled: &'a Table,
    /// The table of a new data set.
    pub new: &'a Table,
    /// The fitted concentration of the centre; only for the hierarchical method.
    pub tau: Option<f64>,
    /// The centre κ over the joint cells, or for `kin` within every configuration; `None` for methods without a centre.
    pub kappa: Option<&'a Table>,
    /// The weight of the centre in each data set's joint table, s / (s + rows) for the hierarchical method; `None` for methods
    /// without a centre.
    pub shrinkage: Option<ByName<'a, f64>>,
    /// The weight of the centre in every row of each data set's table.
    pub shrinkage_by_configuration: Option<ByName<'a, Vec<f64>>>,
    /// The number of data rows per configuration in each data set; `None` if unknown.
    pub rows: Option<ByName<'a, Vec<u64>>>,
    /// How certain every row is; `None` if unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub concentration: Option<NamedConcentration<'a>>,
    /// The Newton steps of the fit.
    pub iterations: usize,
    /// Whether the fit converged.
    pub converged: bool,
    /// The relatedness of the data sets in this family; only for the method `kin`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kin: Option<&'a Kinship>,
}

/// The tables of one node, or their size if they are too large for a document in memory.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub(crate) enum TablesUpTo<'a> {
    Whole(Box<NamedTables<'a>>),
    Size {
        node: &'a str,
        parents: Vec<&'a str>,
        states: &'a [String],
        /// The number of probabilities over all relatives.
        probabilities: usize,
        #[serde(skip_serializing_if = "Option::is_none")]
        kin: Option<&'a Kinship>,
    },
}

impl<'a> NamedTables<'a> {
    /// The tables, or their size if they have more than `most` probabilities over all relatives.
    pub(crate) fn up_to(self, most: usize) -> TablesUpTo<'a> {
        let relatives = self.tables.things.len() + 2;
        let probabilities = self.pooled.rows().len() * self.states.len() * relatives;
        if probabilities <= most {
            return TablesUpTo::Whole(Box::new(self));
        }
        let NamedTables { node, parents, states, kin, .. } = self;
        TablesUpTo::Size { node, parents, states, probabilities, kin }
    }
}

/// The concentration of every row of a node's tables, by configuration ([`super::Concentration`]).
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NamedConcentration<'a> {
    /// By data set.
    pub tables: ByName<'a, Vec<f64>>,
    /// Of the pooled rows.
    pub pooled: &'a [f64],
    /// Of a new data set; `None` if the method does not say how data sets differ.
    pub new: Option<&'a [f64]>,
}

/// The credible interval of every probability of a node, by relative, configuration and state: the lower and the upper end.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NodeIntervals {
    /// The node.
    pub node: String,
    /// By data set.
    pub tables: IntervalsByName,
    /// Of the pooled rows.
    pub pooled: Vec<Vec<[f64; 2]>>,
    /// Of a new data set; `None` if the method does not say how data sets differ.
    pub new: Option<Vec<Vec<[f64; 2]>>>,
}

/// Intervals by data set, configuration and state; serialised as a JSON object.
#[derive(Debug, Clone, PartialEq)]
pub struct IntervalsByName(pub Vec<(String, Vec<Vec<[f64; 2]>>)>);

impl Serialize for IntervalsByName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, intervals)| (name, intervals)))
    }
}

impl Network {
    /// The credible intervals of a node's table of one relative, by configuration and state; `None` if the network does not record how
    /// certain it is.
    pub fn intervals_of(
        &self,
        node: VariableId,
        relative: Relative,
        mass: CredibleMass,
    ) -> Option<Vec<Vec<[f64; 2]>>> {
        let concentrations = self.tables(node).concentration.as_ref()?.of_relative(relative)?;
        let rows = self.table_of(node, relative).rows().zip(concentrations);
        let row = |(row, &concentration): (&[f64], &f64)| -> Vec<[f64; 2]> {
            row.iter().map(|&probability| mass.interval(probability, concentration)).collect()
        };
        Some(rows.map(row).collect())
    }

    /// The credible intervals of all nodes; `None` if the network does not record how certain it is.
    pub fn intervals(&self, mass: CredibleMass) -> Option<Vec<NodeIntervals>> {
        let of_node = |node: VariableId| -> Option<NodeIntervals> {
            let names = self.schema().data_sets().iter().enumerate();
            let data_set = |(at, name): (usize, &String)| {
                let relative = Relative::DataSet(DataSetId::new(at));
                Some((name.clone(), self.intervals_of(node, relative, mass)?))
            };
            Some(NodeIntervals {
                node: self.schema().variable(node).name.clone(),
                tables: IntervalsByName(names.map(data_set).collect::<Option<_>>()?),
                pooled: self.intervals_of(node, Relative::Pooled, mass)?,
                new: self.intervals_of(node, Relative::New, mass),
            })
        };
        self.schema().ids().map(of_node).collect()
    }

    /// Iterates over the tables of all nodes; each item is created on demand.
    pub fn named(&self) -> impl ExactSizeIterator<Item = NamedTables<'_>> {
        self.schema().ids().map(|node| self.named_tables(node))
    }

    fn named_tables(&self, node: VariableId) -> NamedTables<'_> {
        let tables = self.tables(node);
        let variable = |id: VariableId| self.schema().variable(id);
        let parents = self.dag().parents(node).iter().map(|&parent| variable(parent));
        let pooling = tables.pooling.as_ref();
        let shares = pooling.and_then(|pooling| pooling.shrinkage.as_deref());
        let shares_by_row = pooling.and_then(|pooling| pooling.shrinkage_by_configuration.as_deref());
        NamedTables {
            node: &variable(node).name,
            parents: parents.map(|parent| parent.name.as_str()).collect(),
            states: &variable(node).states,
            configurations: Configurations::new(self.schema(), self.dag().parents(node)),
            tables: self.by_name(&tables.by_data_set),
            pooled: &tables.pooled,
            new: &tables.new,
            tau: pooling.and_then(|pooling| pooling.tau),
            kappa: pooling.map(|pooling| &pooling.kappa),
            shrinkage: shares.map(|shares| self.by_name(shares)),
            shrinkage_by_configuration: shares_by_row.map(|shares| self.by_name(shares)),
            rows: tables.rows.as_deref().map(|rows| self.by_name(rows)),
            concentration: tables.concentration.as_ref().map(|of| NamedConcentration {
                tables: self.by_name(&of.by_data_set),
                pooled: &of.pooled,
                new: of.new.as_deref(),
            }),
            iterations: pooling.map_or(0, |pooling| pooling.iterations),
            converged: pooling.is_none_or(|pooling| pooling.converged),
            kin: pooling.and_then(|pooling| pooling.kin.as_ref()),
        }
    }

    fn by_name<'a, T>(&'a self, things: &'a [T]) -> ByName<'a, T> {
        ByName { names: self.schema().data_sets(), things }
    }
}
