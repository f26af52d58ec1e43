//! Errors of the readers of network files. Each names the line and the remedy.

use thiserror::Error;

use crate::estimate::{NetworkError, NotADistribution, RowPlace};
use crate::graph::modelstring::ModelstringError;
use crate::remedy::{Actionable, Remedy};

/// Why a network file is invalid. Lines count from 1.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum FormatError {
    /// A syntax error.
    #[error("line {line}: expected {expected}, found {found}")]
    Syntax {
        /// The line.
        line: usize,
        /// The expected token.
        expected: String,
        /// The token found.
        found: String,
    },
    /// The file is not well-formed XML.
    #[error("not well-formed XML: {reason}")]
    Xml {
        /// The message of the XML parser, with line and column.
        reason: String,
    },
    /// A duplicate name.
    #[error("line {line}: {what} `{name}` is given twice; rename or remove one")]
    Duplicate {
        /// The line of the second occurrence.
        line: usize,
        /// The kind of the object.
        what: String,
        /// The name.
        name: String,
    },
    /// An undeclared name.
    #[error("line {line}: there is no {what} `{name}`; there is {}", list(known))]
    Unknown {
        /// The line.
        line: usize,
        /// The kind of the object.
        what: String,
        /// The name.
        name: String,
        /// The declared names.
        known: Vec<String>,
    },
    /// A count that differs from the declared or implied number.
    #[error("line {line}: {what}: {found} instead of {expected}")]
    Number {
        /// The line.
        line: usize,
        /// The counted objects.
        what: String,
        /// The expected number.
        expected: String,
        /// The number found.
        found: usize,
    },
    /// A variable without probabilities.
    #[error(
        "line {line}: variable `{name}` has no probabilities; give it a table, or convert the structure alone"
    )]
    NoTable {
        /// The line of the declaration.
        line: usize,
        /// The name of the variable.
        name: String,
    },
    /// A row of a table is not a probability distribution.
    #[error("line {line}: the probabilities of `{node}` in {row} are not a distribution: they {wrong}")]
    Distribution {
        /// The line of the table.
        line: usize,
        /// The node.
        node: String,
        /// The row, with the parents in the order of the file.
        row: RowPlace,
        /// Why the row is invalid.
        wrong: NotADistribution,
    },
    /// The file declares no variable.
    #[error("the file declares no variable; a network has at least one")]
    Empty,
    /// An XML entity declaration: a few of them can expand to gigabytes.
    #[error(
        "line {line}: the XML declares an entity, which kinfolk does not expand; write its text where it is used"
    )]
    Entity {
        /// The line.
        line: usize,
    },
    /// A size that exceeds a limit.
    #[error("line {line}: {what} would have more than {most} {of}; kinfolk reads no files of that size")]
    TooLarge {
        /// The line.
        line: usize,
        /// The object that is too large.
        what: String,
        /// The limit.
        most: usize,
        /// The unit of the limit.
        of: &'static str,
    },
    /// A feature that kinfolk does not support.
    #[error(
        "line {line}: {what} cannot be read: kinfolk supports only tables of discrete variables; {instead}"
    )]
    Unsupported {
        /// The line.
        line: usize,
        /// The feature.
        what: String,
        /// The remedy.
        instead: &'static str,
    },
    /// The arcs do not form an acyclic graph.
    #[error("the arcs do not make a network: {reason}")]
    Graph {
        /// The error of the graph.
        reason: String,
    },
    /// The tables do not form a network.
    #[error("{0}")]
    Network(#[from] NetworkError),
    /// An invalid modelstring.
    #[error("{0}")]
    Modelstring(#[from] ModelstringError),
    /// The format requires tables, but only a structure was given.
    #[error(
        "a structure without probabilities cannot be written as {format}; write dot, graphml or modelstring"
    )]
    NeedsTables {
        /// The name of the format.
        format: &'static str,
    },
}

impl Actionable for FormatError {
    fn remedies(&self) -> Vec<Remedy> {
        if let Self::Xml { .. } = self { vec![Remedy::NameFormat] } else { Vec::new() }
    }
}

/// The names in quotes, truncated if the list is long.
fn list(names: &[String]) -> String {
    /// This many names fit on two lines of a terminal.
    const SHOWN: usize = 12;
    if names.is_empty() {
        return "none".to_owned();
    }
    let mut text: Vec<String> = names.iter().take(SHOWN).map(|name| format!("`{name}`")).collect();
    if names.len() > SHOWN {
        text.push(format!("and {} more", names.len() - SHOWN));
    }
    text.join(", ")
}
