//! Errors of modelstrings, with the node and the position.

use thiserror::Error;

use crate::remedy::Actionable;

/// Why a modelstring is invalid. Positions count characters from 1.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ModelstringError {
    /// A syntax error: a missing bracket, separator or name, or a misplaced backslash.
    #[error("modelstring, character {position}: expected {expected}, found {}", show(*found))]
    Syntax {
        /// The position of the unexpected character.
        position: usize,
        /// The expected character.
        expected: String,
        /// The character found; `None` at the end of the text.
        found: Option<char>,
    },
    /// A node that is not among the names.
    #[error("modelstring, character {position}: node `{node}` is not one of the variables ({})", list(known))]
    UnknownNode {
        /// The node.
        node: String,
        /// The start position of its name.
        position: usize,
        /// The valid names.
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
        /// The start position of the parent's name.
        position: usize,
        /// The valid names.
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
        /// The start position of its second occurrence.
        position: usize,
        /// The start position of its first occurrence.
        first: usize,
    },
    /// A node among its own parents.
    #[error("modelstring, character {position}: node `{node}` cannot be its own parent")]
    SelfParent {
        /// The node.
        node: String,
        /// The position of its name among the parents.
        position: usize,
    },
    /// A duplicate parent.
    #[error("modelstring, character {position}: parent `{parent}` of node `{node}` is given twice")]
    DuplicateParent {
        /// The child.
        node: String,
        /// The parent.
        parent: String,
        /// The start position of its second occurrence.
        position: usize,
    },
    /// Names without a bracket.
    #[error("modelstring: no bracket for {}; every node needs one, also without parents", list(nodes))]
    MissingNodes {
        /// The nodes.
        nodes: Vec<String>,
    },
    /// The arcs contain a directed cycle.
    #[error("modelstring: the arcs {} form a cycle", around(nodes))]
    Cycle {
        /// The nodes of the cycle, each a parent of the next and the last a parent of the first.
        nodes: Vec<String>,
    },
    /// Two compared modelstrings have different nodes.
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

/// The names in quotes, truncated if the list is long.
fn list(names: &[String]) -> String {
    /// This many names fit on two lines of a terminal.
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
