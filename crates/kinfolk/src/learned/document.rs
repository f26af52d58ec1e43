//! Streaming JSON of a result, written node by node: as a single value, a large network takes many times the memory of
//! its tables.

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

use super::{ByDataSet, NamedKinship, NodeScore, object};
use crate::estimate::{NamedTables, Network, TablesUpTo};
use crate::formats::{LazyList, head};

/// The key that is written node by node.
const NODES: &str = "nodes";

/// A result with the tables of its network, if any. The order of its keys is fixed.
#[derive(Debug, Clone, PartialEq)]
pub struct Document {
    /// All keys except the nodes, whose key is a placeholder.
    rest: Map<String, Value>,
    scores: Vec<NodeScore>,
    network: Option<Network>,
}

impl Document {
    /// A result without its nodes.
    pub(super) fn new(
        mut rest: Map<String, Value>,
        scores: Vec<NodeScore>,
        network: Option<Network>,
    ) -> Self {
        rest.extend(network.iter().flat_map(head).map(|(key, value)| (key.to_owned(), value)));
        Self { rest, scores, network }
    }

    /// Inserts a key at the end, or replaces its value.
    ///
    /// # Panics
    /// If the key is that of the nodes.
    pub fn insert(&mut self, key: &str, value: Value) {
        assert_ne!(key, NODES, "the nodes are those of the result");
        self.rest.insert(key.to_owned(), value);
    }

    /// Removes a key.
    ///
    /// # Panics
    /// If the key is that of the nodes.
    pub fn remove(&mut self, key: &str) {
        assert_ne!(key, NODES, "the nodes are those of the result");
        self.rest.shift_remove(key);
    }

    /// The whole result as one JSON object.
    pub fn object(&self) -> Map<String, Value> {
        object(self)
    }

    /// The result as one JSON object; a node with more than `most` probabilities has their number as `probabilities` instead of
    /// tables.
    pub fn object_up_to(&self, most: usize) -> Map<String, Value> {
        object(&UpTo { document: self, most })
    }
}

impl Serialize for Document {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        UpTo { document: self, most: usize::MAX }.serialize(serializer)
    }
}

/// A result without the tables of nodes with more probabilities than this.
struct UpTo<'a> {
    document: &'a Document,
    most: usize,
}

impl Serialize for UpTo<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Document { rest, scores, network } = self.document;
        let mut map = serializer.serialize_map(Some(rest.len()))?;
        for (key, value) in rest {
            match network {
                _ if key != NODES => map.serialize_entry(key, value)?,
                None => map.serialize_entry(key, scores)?,
                Some(network) => {
                    let nodes = || {
                        let named = network.named().zip(scores);
                        named.map(|(tables, score)| ResultNode::new(tables, score, self.most))
                    };
                    map.serialize_entry(key, &LazyList(nodes))?;
                }
            }
        }
        map.end()
    }
}

/// A node's tables, and the additional fields of its score.
#[derive(Serialize)]
struct ResultNode<'a> {
    #[serde(flatten)]
    tables: TablesUpTo<'a>,
    total: f64,
    by_data_set: Option<&'a ByDataSet>,
    #[serde(skip_serializing_if = "Option::is_none")]
    given_others: Option<&'a ByDataSet>,
    #[serde(skip_serializing_if = "Option::is_none")]
    kin: Option<&'a NamedKinship>,
    #[serde(skip_serializing_if = "Option::is_none")]
    structure_prior: Option<f64>,
}

impl<'a> ResultNode<'a> {
    fn new(tables: NamedTables<'a>, score: &'a NodeScore, most: usize) -> Self {
        // Shared fields have the same value in both, or the tables' value applies: node, parents, and the fit if the
        // score has one.
        let NodeScore {
            node: _,
            parents: _,
            tau: _,
            iterations: _,
            converged: _,
            total,
            by_data_set,
            given_others,
            kin,
            structure_prior,
        } = score;
        Self {
            total: *total,
            by_data_set: by_data_set.as_ref(),
            given_others: given_others.as_ref(),
            kin: kin.as_ref().filter(|_| tables.kin.is_none()),
            structure_prior: *structure_prior,
            tables: tables.up_to(most),
        }
    }
}
