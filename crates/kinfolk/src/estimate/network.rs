//! A structure with its probability tables.

use serde::{Serialize, Serializer};
use thiserror::Error;

use super::NodeTables;
use crate::data::{DataSetId, Schema, VariableId};
use crate::graph::{Dag, modelstring};

/// Numbers over configurations of the parents and states of the child.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    states: usize,
    values: Vec<f64>,
}

impl Table {
    /// A table from its numbers, by configuration, then state.
    ///
    /// # Panics
    /// If the numbers do not fill whole rows: readers of files check this first and report it kindly.
    pub fn new(states: usize, values: Vec<f64>) -> Self {
        assert!(states > 0 && values.len().is_multiple_of(states), "a table is made of whole rows");
        Self { states, values }
    }

    pub(super) fn filled(configurations: usize, states: usize, value: f64) -> Self {
        Self { states, values: vec![value; configurations * states] }
    }

    /// All numbers, by configuration, then state; the first parent varies slowest.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    pub(super) fn values_mut(&mut self) -> &mut [f64] {
        &mut self.values
    }

    /// One row per configuration.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &[f64]> {
        self.values.chunks_exact(self.states)
    }

    pub(super) fn rows_mut(&mut self) -> impl Iterator<Item = &mut [f64]> {
        self.values.chunks_exact_mut(self.states)
    }
}

impl Serialize for Table {
    /// A list of rows.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.rows())
    }
}

/// Whose tables are meant: those of one data set, of all rows together, or of a data set never seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Relative {
    /// One of the data sets.
    DataSet(DataSetId),
    /// All rows together.
    Pooled,
    /// A data set never seen.
    New,
}

/// Why tables do not make a network.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum NetworkError {
    /// There is not one node per variable, or not one table per data set.
    #[error("{what}: {found} instead of {expected}")]
    Number {
        /// What was counted.
        what: String,
        /// How many there should be.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// A table's row is not a probability distribution.
    #[error(
        "the probabilities of `{node}` in row {row} of {table} are not a distribution: they sum to {sum}, and none may be negative"
    )]
    Distribution {
        /// The node.
        node: String,
        /// Which of its tables.
        table: String,
        /// The row, from 1: configurations of the parents, the first varying slowest.
        row: usize,
        /// What the row sums to.
        sum: f64,
    },
}

/// How far the sum of a distribution may be from 1: files of other programs often carry four to six decimals.
const SUM_TOLERANCE: f64 = 1e-3;

/// One network: a structure, and for every node its tables in every data set, pooled, and for a data set never seen.
#[derive(Debug, Clone, PartialEq)]
pub struct Network {
    schema: Schema,
    dag: Dag,
    nodes: Vec<NodeTables>,
}

impl Network {
    /// Puts a structure and tables together, checked.
    ///
    /// # Panics
    /// If the structure has not one node per variable.
    pub fn new(schema: Schema, dag: Dag, nodes: Vec<NodeTables>) -> Result<Self, NetworkError> {
        assert_eq!(dag.len(), schema.variables().len(), "one node per variable");
        expect_number("nodes with tables", dag.len(), nodes.len())?;
        let network = Self { schema, dag, nodes };
        for node in network.dag.nodes() {
            let tables = network.tables(node);
            let name = &network.schema.variable(node).name;
            let data_sets = network.schema.data_sets();
            expect_number(&format!("tables of `{name}`"), data_sets.len(), tables.by_data_set.len())?;
            for relative in network.relatives() {
                network.check_table(node, relative)?;
            }
            if let Some(pooling) = &tables.pooling {
                let cells = network.cells(node);
                expect_number(&format!("cells of kappa of `{name}`"), cells, pooling.kappa.values().len())?;
                let shares = pooling.shrinkage.as_ref().map_or(data_sets.len(), Vec::len);
                expect_number(&format!("shares of `{name}`"), data_sets.len(), shares)?;
            }
            let configurations = network.cells(node) / network.schema.states(node);
            let shares = tables.pooling.as_ref().and_then(|it| it.shrinkage_by_configuration.as_ref());
            let shares = shares.map(|shares| ("shares", shares.iter().map(Vec::len).collect()));
            let rows = tables.rows.as_ref().map(|rows| ("rows", rows.iter().map(Vec::len).collect()));
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

    /// A network with one table per node, as other programs have them: the schema's only data set owns them, and they stand for
    /// the pooled rows and for new data sets as well.
    ///
    /// # Panics
    /// If the schema has more than one data set, or the structure not one node per variable.
    pub fn single(schema: Schema, dag: Dag, tables: Vec<Table>) -> Result<Self, NetworkError> {
        assert_eq!(schema.data_sets().len(), 1, "one table per node belongs to one data set");
        let nodes = tables.into_iter().map(|table| NodeTables {
            by_data_set: vec![table.clone()],
            pooled: table.clone(),
            new: table,
            rows: None,
            pooling: None,
        });
        Self::new(schema, dag, nodes.collect())
    }

    fn check_table(&self, node: VariableId, relative: Relative) -> Result<(), NetworkError> {
        let table = self.table_of(node, relative);
        let name = &self.schema.variable(node).name;
        let whose = self.relative_name(relative);
        let states = self.schema.states(node);
        expect_number(&format!("states in the table of `{name}` in {whose}"), states, table.states)?;
        expect_number(
            &format!("probabilities of `{name}` in {whose}"),
            self.cells(node),
            table.values.len(),
        )?;
        for (row, values) in table.rows().enumerate() {
            let sum: f64 = values.iter().sum();
            let close = (sum - 1.0).abs() <= SUM_TOLERANCE;
            if !close || values.iter().any(|&value| value < 0.0) {
                return Err(NetworkError::Distribution {
                    node: name.clone(),
                    table: whose.to_owned(),
                    row: row + 1,
                    sum,
                });
            }
        }
        Ok(())
    }

    /// How many probabilities a table of the node has.
    fn cells(&self, node: VariableId) -> usize {
        let family = self.dag.parents(node).iter().chain([&node]);
        family.map(|&variable| self.schema.states(variable)).product()
    }

    /// Everyone who has tables: the data sets in order, the pooled rows, a data set never seen.
    pub fn relatives(&self) -> impl Iterator<Item = Relative> + use<> {
        let data_sets = (0..self.schema.data_sets().len()).map(DataSetId::new).map(Relative::DataSet);
        data_sets.chain([Relative::Pooled, Relative::New])
    }

    /// The name of a relative: that of the data set, `pooled` or `new`.
    pub fn relative_name(&self, relative: Relative) -> &str {
        match relative {
            Relative::DataSet(id) => &self.schema.data_sets()[id.index()],
            Relative::Pooled => "pooled",
            Relative::New => "new",
        }
    }

    /// The relative of that name; a data set called `pooled` or `new` hides what these words mean otherwise.
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
