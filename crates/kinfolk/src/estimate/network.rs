//! A structure with its probability tables.

use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};

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

/// One network: a structure, and for every node its tables in every data set, pooled, and for a data set never seen.
#[derive(Debug, Clone, PartialEq)]
pub struct Network {
    schema: Schema,
    dag: Dag,
    nodes: Vec<NodeTables>,
}

/// The tables of one node with names, from which every view is written.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NamedTables {
    /// The node.
    pub node: String,
    /// Its parents, in column order.
    pub parents: Vec<String>,
    /// The parents' states in each row of the tables.
    pub configurations: Vec<Vec<String>>,
    /// P(state | configuration) by data set.
    pub tables: Map<String, Value>,
    /// The same from all rows together.
    pub pooled: Table,
    /// The same for a data set never seen.
    pub new: Table,
    /// The fitted concentration of the centre; nothing for methods without a centre.
    pub tau: Option<f64>,
    /// κ over the joint cells; nothing for methods without a centre.
    pub kappa: Option<Table>,
    /// The share of the centre in each data set's joint table, s / (s + rows); nothing for methods without a centre.
    pub shrinkage: Option<Map<String, Value>>,
    /// Newton steps of the fit.
    pub iterations: usize,
    /// Whether the fit reached its maximum.
    pub converged: bool,
}

impl Network {
    pub(super) fn new(schema: Schema, dag: Dag, nodes: Vec<NodeTables>) -> Self {
        Self { schema, dag, nodes }
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

    /// The tables of every node with names.
    pub fn named(&self) -> Vec<NamedTables> {
        self.schema.ids().map(|node| self.named_tables(node)).collect()
    }

    fn named_tables(&self, node: VariableId) -> NamedTables {
        let tables = self.tables(node);
        let parents = self.dag.parents(node);
        let data_sets = self.schema.data_sets();
        let pooling = tables.pooling.as_ref();
        let by_name = |values: Vec<Value>| data_sets.iter().cloned().zip(values).collect::<Map<_, _>>();
        NamedTables {
            node: self.schema.variable(node).name.clone(),
            parents: parents.iter().map(|&parent| self.schema.variable(parent).name.clone()).collect(),
            configurations: self.configurations(parents),
            tables: by_name(tables.by_data_set.iter().map(|table| json!(table)).collect()),
            pooled: tables.pooled.clone(),
            new: tables.new.clone(),
            tau: pooling.map(|pooling| pooling.tau),
            kappa: pooling.map(|pooling| pooling.kappa.clone()),
            shrinkage: pooling
                .map(|pooling| by_name(pooling.shrinkage.iter().map(|&share| json!(share)).collect())),
            iterations: pooling.map_or(0, |pooling| pooling.iterations),
            converged: pooling.is_none_or(|pooling| pooling.converged),
        }
    }

    /// The states of some parents in each of their configurations, the first varying slowest.
    fn configurations(&self, parents: &[VariableId]) -> Vec<Vec<String>> {
        let mut rows = vec![Vec::new()];
        for &parent in parents {
            let states = &self.schema.variable(parent).states;
            rows = rows
                .into_iter()
                .flat_map(|row: Vec<String>| {
                    states.iter().map(move |state| row.iter().cloned().chain([state.clone()]).collect())
                })
                .collect();
        }
        rows
    }
}
