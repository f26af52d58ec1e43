//! What can be wrong with a modelstring, said with the node and the place.

use thiserror::Error;

use crate::remedy::Actionable;

/// What is wrong with a modelstring. Positions count characters from 1.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ModelstringError {
    /// The notation is broken: a bracket, a separator or a name is missing, or a backslash is astray.
    #[error("modelstring, character {position}: expected {expected}, found {}", show(*found))]
    Syntax {
        /// The position of what was found.
        position: usize,
        /// What would have been right there.
        expected: String,
        /// What was there; nothing at the end of the text.
        found: Option<char>,
    },
    /// A node that is not among the names.
    #[error("modelstring, character {position}: node `{node}` is not one of the variables ({})", list(known))]
    UnknownNode {
        /// The node.
        node: String,
        /// Where its name starts.
        position: usize,
        /// The names there are.
        known: Vec<String>,
    },
    /// A parent that is not among the nodes.
    #[error(
        "modelstring, character {position}: parent `{parent}` of node `{node}` is not one of the nodes ({})",
        list(known)
    )]
    UnknownParent {
        /// The child.
        node: String,
        /// The parent.
        parent: String,
        /// Where the parent's name starts.
        position: usize,
        /// The names there are.
        known: Vec<String>,
    },
    /// A node with two brackets.
    #[error(
        "modelstring, character {position}: node `{node}` was already given at character {first}; \
         give all its parents in one bracket"
    )]
    DuplicateNode {
        /// The node.
        node: String,
        /// Where its name starts the second time.
        position: usize,
        /// Where its name starts the first time.
        first: usize,
    },
    /// A node among its own parents.
    #[error("modelstring, character {position}: node `{node}` cannot be its own parent")]
    SelfParent {
        /// The node.
        node: String,
        /// Where its name starts among the parents.
        position: usize,
    },
    /// A parent given twice.
    #[error("modelstring, character {position}: parent `{parent}` of node `{node}` is given twice")]
    DuplicateParent {
        /// The child.
        node: String,
        /// The parent.
        parent: String,
        /// Where the parent's name starts the second time.
        position: usize,
    },
    /// Names without a bracket.
    #[error("modelstring: no bracket for {}; every node needs one, also without parents", list(nodes))]
    MissingNodes {
        /// The nodes.
        nodes: Vec<String>,
    },
    /// The arcs go round in a circle.
    #[error("modelstring: the arcs {} form a cycle", around(nodes))]
    Cycle {
        /// The nodes on the cycle, each a parent of the next and the last a parent of the first.
        nodes: Vec<String>,
    },
    /// Two modelstrings to compare are over different nodes.
    #[error("the two modelstrings have different nodes; {}", differences(only_first, only_second))]
    DifferentNodes {
        /// The nodes of the first only.
        only_first: Vec<String>,
        /// The nodes of the second only.
        only_second: Vec<String>,
    },
}

impl Actionable for ModelstringError {}

fn show(found: Option<char>) -> String {
    found.map_or_else(|| "the end".to_string(), |character| format!("`{character}`"))
}

/// The names in quotes; of a long list only the beginning.
fn list(names: &[String]) -> String {
    /// As many names as fit two lines of a terminal.
    const SHOWN: usize = 12;
    let mut text: Vec<String> = names.iter().take(SHOWN).map(|name| format!("`{name}`")).collect();
    if names.len() > SHOWN {
        text.push(format!("and {} more", names.len() - SHOWN));
    }
    text.join(", ")
}

fn around(nodes: &[String]) -> String {
    let steps: Vec<String> = nodes.iter().chain(nodes.first()).map(|name| format!("`{name}`")).collect();
    steps.join(" → ")
}

fn differences(only_first: &[String], only_second: &[String]) -> String {
    let sides = [("first", only_first), ("second", only_second)];
    let parts: Vec<String> = sides
        .iter()
        .filter(|(_, nodes)| !nodes.is_empty())
        .map(|(side, nodes)| format!("only in the {side}: {}", list(nodes)))
        .collect();
    parts.join("; ")
}
