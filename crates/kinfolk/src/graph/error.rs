//! Errors of the graph: why an arc or a move is illegal.

use std::fmt;

use crate::data::VariableId;

/// Why an arc or a move is illegal; the graph stays unchanged.
///
/// `Display` identifies nodes by their column index; [`GraphError::with_names`] by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GraphError {
    /// The node is not in the graph.
    UnknownNode {
        /// The requested node.
        node: VariableId,
        /// The number of nodes of the graph.
        nodes: usize,
    },
    /// An arc from a node to itself.
    SelfLoop {
        /// The node.
        node: VariableId,
    },
    /// The arc already exists.
    DuplicateArc {
        /// The tail of the arc.
        from: VariableId,
        /// The head of the arc.
        to: VariableId,
    },
    /// The arc to delete or reverse does not exist.
    AbsentArc {
        /// The tail of the arc.
        from: VariableId,
        /// The head of the arc.
        to: VariableId,
    },
    /// The new arc would create a directed cycle.
    Cycle {
        /// The cycle: the new arc goes from the first to the second node, and the last node is a parent of the first.
        nodes: Vec<VariableId>,
    },
}

impl GraphError {
    /// The message with node names, given in column order.
    pub fn with_names<S: AsRef<str>>(&self, names: &[S]) -> String {
        self.describe(|node| match names.get(node.index()) {
            Some(name) => format!("`{}`", name.as_ref()),
            None => format!("node {}", node.0),
        })
    }

    fn describe(&self, name: impl Fn(VariableId) -> String) -> String {
        match self {
            Self::UnknownNode { node, nodes } => {
                format!("there is no node {}: the graph has {nodes} nodes, counted from 0", node.0)
            }
            Self::SelfLoop { node } => format!("{} cannot be its own parent", name(*node)),
            Self::DuplicateArc { from, to } => {
                format!("the arc {} → {} already exists", name(*from), name(*to))
            }
            Self::AbsentArc { from, to } => {
                format!("there is no arc {} → {} to drop or reverse", name(*from), name(*to))
            }
            Self::Cycle { nodes } => {
                let around: Vec<String> = nodes.iter().chain(nodes.first()).map(|&node| name(node)).collect();
                format!("the arcs {} would form a cycle", around.join(" → "))
            }
        }
    }
}

impl fmt::Display for GraphError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.describe(|node| format!("node {}", node.0)))
    }
}

impl std::error::Error for GraphError {}
