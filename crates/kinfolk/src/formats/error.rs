//! Errors of the readers of network files: each names the line and the way out.

use thiserror::Error;

use crate::estimate::{NetworkError, NotADistribution, RowPlace};
use crate::graph::modelstring::ModelstringError;
use crate::remedy::{Actionable, Remedy};

/// What is wrong with a file that should hold a network. Lines count from 1.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum FormatError {
    /// The notation is broken.
    #[error("line {line}: expected {expected}, found {found}")]
    Syntax {
        /// Where.
        line: usize,
        /// What would have been right there.
        expected: String,
        /// What was there.
        found: String,
    },
    /// Not XML, or not well-formed.
    #[error("not well-formed XML: {reason}")]
    Xml {
        /// What the reader of XML says, with line and column.
        reason: String,
    },
    /// A name that must be unique is not.
    #[error("line {line}: {what} `{name}` is given twice; rename or remove one")]
    Duplicate {
        /// Where it is given again.
        line: usize,
        /// What is given twice.
        what: String,
        /// Its name.
        name: String,
    },
    /// A name that nothing declares.
    #[error("line {line}: there is no {what} `{name}`; there is {}", list(known))]
    Unknown {
        /// Where.
        line: usize,
        /// What was looked for.
        what: String,
        /// The name.
        name: String,
        /// The names there are.
        known: Vec<String>,
    },
    /// A number of things that differs from the number declared or implied.
    #[error("line {line}: {what}: {found} instead of {expected}")]
    Number {
        /// Where.
        line: usize,
        /// What was counted.
        what: String,
        /// How many there should be.
        expected: String,
        /// How many there are.
        found: usize,
    },
    /// A variable without probabilities.
    #[error(
        "line {line}: variable `{name}` has no probabilities; give it a table, or convert the structure alone"
    )]
    NoTable {
        /// Where the variable is declared.
        line: usize,
        /// Its name.
        name: String,
    },
    /// A row of a table is not a probability distribution.
    #[error("line {line}: the probabilities of `{node}` in {row} are not a distribution: they {wrong}")]
    Distribution {
        /// Where the table is.
        line: usize,
        /// The node.
        node: String,
        /// The row, with the parents in the order of the file.
        row: RowPlace,
        /// What is wrong with the row.
        wrong: NotADistribution,
    },
    /// No variable.
    #[error("the file declares no variable; a network has at least one")]
    Empty,
    /// An XML entity declaration: a few of them can expand to gigabytes.
    #[error(
        "line {line}: the XML declares an entity, which kinfolk does not expand; write its text where it is used"
    )]
    Entity {
        /// Where.
        line: usize,
    },
    /// Sizes that no table could have.
    #[error("line {line}: {what} would have more than {most} {of}; kinfolk reads no files of that size")]
    TooLarge {
        /// Where.
        line: usize,
        /// What is too large.
        what: String,
        /// The limit.
        most: usize,
        /// What the limit counts.
        of: &'static str,
    },
    /// Something that other programs know and kinfolk does not.
    #[error("line {line}: {what} cannot be read: kinfolk knows tables of discrete variables only; {instead}")]
    Unsupported {
        /// Where.
        line: usize,
        /// What it is.
        what: String,
        /// What to do instead.
        instead: &'static str,
    },
    /// Arcs that do not make an acyclic graph.
    #[error("the arcs do not make a network: {reason}")]
    Graph {
        /// What is wrong with them.
        reason: String,
    },
    /// Tables that do not make a network.
    #[error("{0}")]
    Network(#[from] NetworkError),
    /// A broken modelstring.
    #[error("{0}")]
    Modelstring(#[from] ModelstringError),
    /// A structure alone cannot be written in a format of tables.
    #[error(
        "a structure without probabilities cannot be written as {format}; write dot, graphml or modelstring"
    )]
    NeedsTables {
        /// The format's name.
        format: &'static str,
    },
}

impl Actionable for FormatError {
    fn remedies(&self) -> Vec<Remedy> {
        if let Self::Xml { .. } = self { vec![Remedy::NameFormat] } else { Vec::new() }
    }
}

/// The names in quotes; of a long list only the beginning.
fn list(names: &[String]) -> String {
    /// As many names as fit two lines of a terminal.
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
