//! Why a question has no answer, and how large an answer's tables may become.

use serde::Serialize;
use thiserror::Error;

use crate::data::list_names;
use crate::remedy::{Actionable, Remedy};

/// How large the tables of one question may become.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// The most cells, all tables together.
    pub most_cells: f64,
}

impl Default for Limits {
    /// 2^27 cells: a gigabyte.
    fn default() -> Self {
        Self { most_cells: 134_217_728.0 }
    }
}

/// How large the tables of a question are, known before any is made.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Size {
    /// Cells of all tables together.
    pub cells: f64,
    /// Cells of the largest one.
    pub largest: f64,
    /// Variables of the largest clique, less one: the width that the order of elimination induces.
    pub width: usize,
}

/// The bytes of one cell.
const CELL: f64 = 8.0;

impl Size {
    /// Bytes of all tables together.
    pub fn bytes(&self) -> f64 {
        self.cells * CELL
    }
}

/// Why a question to a network has no answer.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum InferError {
    /// The network has no such variable.
    #[error("the network has no variable `{name}`; its variables are {}", list_names(.variables))]
    UnknownVariable {
        /// The name given.
        name: String,
        /// The variables there are.
        variables: Vec<String>,
    },
    /// A variable has no such state.
    #[error("`{variable}` has no state `{state}`; its states are {}", list_names(.states))]
    UnknownState {
        /// The variable.
        variable: String,
        /// The state given.
        state: String,
        /// The states there are.
        states: Vec<String>,
    },
    /// The network has no such data set.
    #[error("the network has no data set `{name}`; there are {}", list_names(.relatives))]
    UnknownRelative {
        /// The name given.
        name: String,
        /// What there is.
        relatives: Vec<String>,
    },
    /// The tables would be too large; none was made.
    #[error(
        "an exact answer needs tables of {cells:.3e} cells ({bytes:.3e} bytes), the largest of {largest:.3e} (induced width {width}), \
         and {most_cells:.3e} are allowed",
        cells = size.cells, bytes = size.bytes(), largest = size.largest, width = size.width
    )]
    TooLarge {
        /// How large they would be.
        size: Size,
        /// How large they may be.
        most_cells: f64,
    },
    /// The evidence has probability zero, so nothing follows from it.
    #[error(
        "the evidence is impossible in `{relative}`: its tables give it probability 0, so nothing follows from it"
    )]
    Impossible {
        /// Whose tables.
        relative: String,
    },
    /// A variable was observed or set more than once.
    #[error("`{variable}` is given twice; observe it or set it, once")]
    GivenTwice {
        /// The variable.
        variable: String,
    },
}

impl Actionable for InferError {
    fn remedies(&self) -> Vec<Remedy> {
        let Self::TooLarge { .. } = self else { return Vec::new() };
        vec![
            Remedy::Advice("give more evidence"),
            Remedy::Advice("ask for fewer targets at once"),
            Remedy::RaiseMostCells,
        ]
    }
}
