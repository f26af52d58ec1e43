//! Errors of inference, and the limit on table sizes.

use serde::Serialize;
use thiserror::Error;

use crate::data::list_names;
use crate::remedy::{Actionable, Remedy};

/// The limit on the table sizes of one query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// Maximum number of cells, summed over all tables.
    pub most_cells: f64,
}

impl Limits {
    /// The default number of cells: 2^27, or 1 GiB.
    pub const MOST_CELLS: u64 = 1 << 27;
}

impl Default for Limits {
    fn default() -> Self {
        Self { most_cells: Self::MOST_CELLS as f64 }
    }
}

/// The table sizes of a query, computed before any allocation.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Size {
    /// The number of cells, summed over all tables.
    pub cells: f64,
    /// The number of cells of the largest table.
    pub largest: f64,
    /// The induced width of the elimination order: the size of the largest clique minus one.
    pub width: usize,
}

/// The bytes of one cell.
const CELL: f64 = 8.0;

impl Size {
    /// The bytes of all tables.
    pub fn bytes(&self) -> f64 {
        self.cells * CELL
    }
}

/// Why a query has no answer.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum InferError {
    /// The network has no such variable.
    #[error("the network has no variable `{name}`; its variables are {}", list_names(.variables))]
    UnknownVariable {
        /// The requested name.
        name: String,
        /// The variables of the network.
        variables: Vec<String>,
    },
    /// The variable has no such state.
    #[error("`{variable}` has no state `{state}`; its states are {}", list_names(.states))]
    UnknownState {
        /// The variable.
        variable: String,
        /// The requested state.
        state: String,
        /// The states of the variable.
        states: Vec<String>,
    },
    /// The network has no such data set.
    #[error("the network has no data set `{name}`; there are {}", list_names(.relatives))]
    UnknownRelative {
        /// The requested name.
        name: String,
        /// The available names.
        relatives: Vec<String>,
    },
    /// The tables would exceed the limit; none was allocated.
    #[error(
        "an exact answer needs tables of {cells:.3e} cells ({bytes:.3e} bytes), the largest of {largest:.3e} (induced width {width}), \
         and {most_cells:.3e} are allowed",
        cells = size.cells, bytes = size.bytes(), largest = size.largest, width = size.width
    )]
    TooLarge {
        /// The required size.
        size: Size,
        /// The limit.
        most_cells: f64,
    },
    /// The evidence has probability zero, so the posterior is undefined.
    #[error(
        "the evidence is impossible in `{relative}`: its tables give it probability 0, so nothing follows from it"
    )]
    Impossible {
        /// The relative whose tables were used.
        relative: String,
    },
    /// Intervals were requested, and no table has a concentration.
    #[error("intervals need tables that record how certain they are, and this network has none")]
    NoCertainty,
    /// A variable was observed or set more than once.
    #[error("`{variable}` is given twice; observe it or set it, once")]
    GivenTwice {
        /// The variable.
        variable: String,
    },
}

impl Actionable for InferError {
    fn remedies(&self) -> Vec<Remedy> {
        match self {
            Self::TooLarge { .. } => vec![
                Remedy::Advice("give more evidence"),
                Remedy::Advice("request fewer targets at once"),
                Remedy::RaiseMostCells,
            ],
            Self::NoCertainty => vec![Remedy::FitTables],
            _ => Vec::new(),
        }
    }
}
