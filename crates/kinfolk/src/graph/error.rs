//! Why a graph refuses an arc or a move.

use std::fmt;

use crate::data::VariableId;

/// Why a graph refuses an arc or a move; the graph is left as it was.
///
/// `Display` speaks of nodes by their position in the column order; [`GraphError::with_names`] speaks of
/// them by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GraphError {
    /// The node is not in the graph.
    UnknownNode {
        /// The node that was asked for.
        node: VariableId,
        /// The number of nodes that the graph has.
        nodes: usize,
    },
    /// An arc from a node to itself.
    SelfLoop {
        /// The node.
        node: VariableId,
    },
    /// The arc is there already.
    DuplicateArc {
        /// Where the arc starts.
        from: VariableId,
        /// Where the arc ends.
        to: VariableId,
    },
    /// The arc to drop or reverse is not there.
    AbsentArc {
        /// Where the arc would start.
        from: VariableId,
        /// Where the arc would end.
        to: VariableId,
    },
    /// The new arc would close a directed cycle.
    Cycle {
        /// The cycle: the new arc goes from the first to the second node, and the last leads back to the first.
        nodes: Vec<VariableId>,
    },
}

impl GraphError {
    /// The message, with the nodes called by their names, in column order.
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
                format!("the arc {} → {} is there already", name(*from), name(*to))
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
