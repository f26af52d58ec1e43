//! A Bayesian network: a structure with its probability tables.

use std::fmt;

use serde::{Serialize, Serializer};
use thiserror::Error;

use super::NodeTables;
use crate::data::{DataSetId, Schema, VariableId};
use crate::graph::{Dag, modelstring};

/// The name of the tables of the pooled rows.
const POOLED: &str = "pooled";

/// The name of the tables for a new data set.
const NEW: &str = "new";

/// Names of relatives that a data set may also have; the data set then takes precedence.
pub const RESERVED_NAMES: [&str; 2] = [NEW, POOLED];

/// Values indexed by parent configuration and child state.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    pub(super) states: usize,
    values: Vec<f64>,
}

impl Table {
    /// Builds a table from its values, ordered by configuration, then state.
    ///
    /// # Panics
    /// If the values do not fill whole rows; readers of files check this first and return an error.
    pub fn new(states: usize, values: Vec<f64>) -> Self {
        assert!(states > 0 && values.len().is_multiple_of(states), "a table is made of whole rows");
        Self { states, values }
    }

    pub(super) fn filled(configurations: usize, states: usize, value: f64) -> Self {
        Self { states, values: vec![value; configurations * states] }
    }

    /// All values, ordered by configuration, then state; the first parent varies slowest.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    pub(super) fn values_mut(&mut self) -> &mut [f64] {
        &mut self.values
    }

    /// The rows, one per configuration.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &[f64]> {
        self.values.chunks_exact(self.states)
    }

    pub(super) fn rows_mut(&mut self) -> impl Iterator<Item = &mut [f64]> {
        self.values.chunks_exact_mut(self.states)
    }
}

impl Serialize for Table {
    /// The table as a list of rows.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.rows())
    }
}

/// Selects tables: those of one data set, of the pooled rows, or of a new data set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Relative {
    /// One of the data sets.
    DataSet(DataSetId),
    /// All rows pooled.
    Pooled,
    /// A new data set.
    New,
}

impl Relative {
    /// The tables for a row: those of its data set if it is known, otherwise those for a new one.
    pub fn of(known: Option<DataSetId>) -> Self {
        known.map_or(Self::New, Self::DataSet)
    }
}

/// Why tables do not form a network.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum NetworkError {
    /// The number of nodes or of tables is wrong.
    #[error("{what}: {found} instead of {expected}")]
    Number {
        /// The counted objects.
        what: String,
        /// The expected number.
        expected: usize,
        /// The number found.
        found: usize,
    },
    /// The schema has no variables.
    #[error("the network has no variable; give it at least one")]
    Empty,
    /// The number of cells of a table overflows.
    #[error(
        "the table of `{node}` would have more probabilities than can be counted, because it has {parents} parents; remove some"
    )]
    TooLarge {
        /// The node.
        node: String,
        /// The number of its parents.
        parents: usize,
    },
    /// A row of a table is not a probability distribution.
    #[error("the probabilities of `{node}` in {table}, {row} are not a distribution: they {wrong}")]
    Distribution {
        /// The node.
        node: String,
        /// The relative that owns the table.
        table: String,
        /// The row.
        row: RowPlace,
        /// Why the row is invalid.
        wrong: NotADistribution,
    },
}

/// A row of a table for messages: its number from 1 and the parents' states.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowPlace {
    /// The index of the row from 0; the first parent varies slowest.
    pub row: usize,
    /// Each parent with its state.
    pub configuration: Vec<(String, String)>,
}

impl RowPlace {
    /// The row with this index. The parents have the order of the table; the first varies slowest.
    pub(crate) fn new<'a>(
        row: usize,
        parents: impl DoubleEndedIterator<Item = (&'a str, &'a [String])>,
    ) -> Self {
        let mut rest = row;
        let mut configuration: Vec<(String, String)> = parents
            .rev()
            .map(|(name, states)| {
                let state = states[rest % states.len()].clone();
                rest /= states.len();
                (name.to_owned(), state)
            })
            .collect();
        configuration.reverse();
        Self { row, configuration }
    }
}

impl fmt::Display for RowPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        /// More parents than this do not fit on a line.
        const SHOWN: usize = 8;
        write!(f, "row {}", self.row + 1)?;
        if self.configuration.is_empty() {
            return Ok(());
        }
        let shown = self.configuration.iter().take(SHOWN);
        let shown: Vec<String> = shown.map(|(parent, state)| format!("{parent} = {state}")).collect();
        let more = if self.configuration.len() > SHOWN { ", …" } else { "" };
        write!(f, " ({}{more})", shown.join(", "))
    }
}

/// Why values are not a probability distribution.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
pub enum NotADistribution {
    /// A negative value or NaN.
    #[error("include {0}, and probabilities lie between 0 and 1")]
    Value(f64),
    /// The sum is not 1.
    #[error("sum to {0}; correct them, or divide them by their sum")]
    Sum(f64),
}

/// The tolerance for the sum of a distribution. Files with six decimals are valid: rounding r probabilities to six decimals
/// changes their sum by at most r/2 times this value, which applies if it is larger.
const SUM_TOLERANCE: f64 = 1e-6;

/// Checks that values form a probability distribution.
pub(crate) fn check_distribution(values: &[f64]) -> Result<(), NotADistribution> {
    if let Some(&value) = values.iter().find(|value| !(0.0..=1.0 + SUM_TOLERANCE).contains(*value)) {
        return Err(NotADistribution::Value(value));
    }
    let sum: f64 = values.iter().sum();
    // The last factor allows for the rounding of decimals to binary floating point.
    let tolerance = SUM_TOLERANCE * (values.len() as f64 / 2.0).max(1.0) * (1.0 + 1e-6);
    if (sum - 1.0).abs() <= tolerance { Ok(()) } else { Err(NotADistribution::Sum(sum)) }
}

/// A structure, and for every node one table per data set, one for the pooled rows and one for a new data set.
#[derive(Debug, Clone, PartialEq)]
pub struct Network {
    schema: Schema,
    dag: Dag,
    nodes: Vec<NodeTables>,
}

impl Network {
    /// Validates and combines a structure and its tables.
    ///
    /// # Panics
    /// If the structure does not have one node per variable.
    pub fn new(schema: Schema, dag: Dag, nodes: Vec<NodeTables>) -> Result<Self, NetworkError> {
        assert_eq!(dag.len(), schema.variables().len(), "one node per variable");
        if dag.is_empty() {
            return Err(NetworkError::Empty);
        }
        expect_number("nodes with tables", dag.len(), nodes.len())?;
        let network = Self { schema, dag, nodes };
        for node in network.dag.nodes() {
            let tables = network.tables(node);
            let name = &network.schema.variable(node).name;
            let data_sets = network.schema.data_sets();
            expect_number(&format!("tables of `{name}`"), data_sets.len(), tables.by_data_set.len())?;
            let parents = network.dag.parents(node).len();
            let too_large = || NetworkError::TooLarge { node: name.clone(), parents };
            let cells = network.cells(node).ok_or_else(too_large)?;
            for relative in network.relatives() {
                network.check_table(node, relative, cells)?;
            }
            if let Some(pooling) = &tables.pooling {
                expect_number(&format!("cells of kappa of `{name}`"), cells, pooling.kappa.values().len())?;
                let shares = pooling.shrinkage.as_ref().map_or(data_sets.len(), Vec::len);
                expect_number(&format!("shares of `{name}`"), data_sets.len(), shares)?;
            }
            let configurations = cells / network.schema.states(node);
            let shares = tables.pooling.as_ref().and_then(|it| it.shrinkage_by_configuration.as_ref());
            let shares = shares.map(|shares| ("shares", shares.iter().map(Vec::len).collect()));
            let rows = tables.rows.as_ref().map(|rows| ("rows", rows.iter().map(Vec::len).collect()));
            let certain = tables.concentration.as_ref();
            for relative in network.relatives() {
                if let Some(list) = certain.and_then(|of| of.of_relative(relative)) {
                    expect_number(&format!("concentrations of `{name}`"), configurations, list.len())?;
                }
            }
            for (what, lengths) in [shares, rows].into_iter().flatten() {
                let lengths: Vec<usize> = lengths;
                expect_number(&format!("lists of {what} of `{name}`"), data_sets.len(), lengths.len())?;
                for length in lengths {
                    expect_number(&format!("{what} by configuration of `{name}`"), configurations, length)?;
                }
            }
        }
        Ok(network)
    }

    /// A network with one table per node, as in other programs. The schema's only data set owns the tables; they also serve as
    /// the pooled tables and those of a new data set.
    ///
    /// # Panics
    /// If the schema has more than one data set, or the structure does not have one node per variable.
    pub fn single(schema: Schema, dag: Dag, tables: Vec<Table>) -> Result<Self, NetworkError> {
        assert_eq!(schema.data_sets().len(), 1, "one table per node belongs to one data set");
        let nodes = tables.into_iter().map(|table| NodeTables {
            by_data_set: vec![table.clone()],
            pooled: table.clone(),
            new: table,
            rows: None,
            pooling: None,
            concentration: None,
        });
        Self::new(schema, dag, nodes.collect())
    }

    fn check_table(&self, node: VariableId, relative: Relative, cells: usize) -> Result<(), NetworkError> {
        let table = self.table_of(node, relative);
        let name = &self.schema.variable(node).name;
        let whose = self.relative_name(relative);
        let states = self.schema.states(node);
        expect_number(&format!("states in the table of `{name}` in {whose}"), states, table.states)?;
        expect_number(&format!("probabilities of `{name}` in {whose}"), cells, table.values.len())?;
        for (row, values) in table.rows().enumerate() {
            check_distribution(values).map_err(|wrong| NetworkError::Distribution {
                node: name.clone(),
                table: whose.to_owned(),
                row: self.row_place(node, row),
                wrong,
            })?;
        }
        Ok(())
    }

    /// A row of a node's tables, for messages.
    fn row_place(&self, node: VariableId, row: usize) -> RowPlace {
        let parents = self.dag.parents(node).iter().map(|&parent| self.schema.variable(parent));
        RowPlace::new(row, parents.map(|parent| (parent.name.as_str(), parent.states.as_slice())))
    }

    /// The number of probabilities in a table of the node; `None` on overflow.
    fn cells(&self, node: VariableId) -> Option<usize> {
        let mut family = self.dag.parents(node).iter().chain([&node]);
        family.try_fold(1_usize, |cells, &variable| cells.checked_mul(self.schema.states(variable)))
    }

    /// All relatives: the data sets in order, the pooled rows, and a new data set.
    pub fn relatives(&self) -> impl Iterator<Item = Relative> + use<> {
        let data_sets = (0..self.schema.data_sets().len()).map(DataSetId::new).map(Relative::DataSet);
        data_sets.chain([Relative::Pooled, Relative::New])
    }

    /// The name of a relative: that of the data set, `pooled` or `new`.
    pub fn relative_name(&self, relative: Relative) -> &str {
        match relative {
            Relative::DataSet(id) => &self.schema.data_sets()[id.index()],
            Relative::Pooled => POOLED,
            Relative::New => NEW,
        }
    }

    /// The relative with this name. A data set named `pooled` or `new` takes precedence over the reserved word.
    pub fn find_relative(&self, name: &str) -> Option<Relative> {
        self.relatives().find(|&relative| self.relative_name(relative) == name)
    }

    /// P(state | configuration) of a node for one relative.
    pub fn table_of(&self, node: VariableId, relative: Relative) -> &Table {
        let tables = &self.nodes[node.index()];
        match relative {
            Relative::DataSet(id) => &tables.by_data_set[id.index()],
            Relative::Pooled => &tables.pooled,
            Relative::New => &tables.new,
        }
    }

    /// The variables and data sets.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// The structure.
    pub fn dag(&self) -> &Dag {
        &self.dag
    }

    /// The structure as a modelstring.
    pub fn structure(&self) -> String {
        modelstring::format(&self.dag, &self.schema.names())
    }

    /// The tables of a node.
    pub fn tables(&self, node: VariableId) -> &NodeTables {
        &self.nodes[node.index()]
    }

    /// P(state | configuration) of a node in one data set.
    pub fn table(&self, node: VariableId, data_set: DataSetId) -> &Table {
        &self.nodes[node.index()].by_data_set[data_set.index()]
    }
}

fn expect_number(what: &str, expected: usize, found: usize) -> Result<(), NetworkError> {
    if found == expected {
        Ok(())
    } else {
        Err(NetworkError::Number { what: what.to_owned(), expected, found })
    }
}
