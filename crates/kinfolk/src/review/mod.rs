//! Warnings about a learned network: what in the data makes it less reliable than its score says.
//!
//! - `identical_rows`: far more identical rows than the network explains, as of copies or repeated measurements.
//! - `missing_state`: arcs whose gain comes mainly from the rows in which a value is missing.
//! - this file: tables with more cells than there are rows, and the wording.

mod identical_rows;
mod missing_state;

use std::fmt;

use serde::Serialize;
use serde_json::{Value, json};

pub use identical_rows::{IdenticalRows, identical_rows};

use crate::data::{DataSetId, RelatedData};
use crate::estimate::Network;
use crate::graph::Dag;
use crate::learned::ArcGain;
use crate::remedy::{Actionable, Remedy};
use crate::score::{Score, ScoreError};
use missing_state::missing_state_arcs;

/// A learned network and the data it was learned from.
pub struct Review<'a> {
    /// The rows that were learned from.
    pub data: &'a RelatedData,
    /// The structure.
    pub dag: &'a Dag,
    /// The contribution of each arc to the score.
    pub arcs: &'a [ArcGain],
    /// The score.
    pub score: &'a dyn Score,
    /// The tables; without them identical rows are not compared with what the network explains.
    pub network: Option<&'a Network>,
    /// The most bytes for counting one family.
    pub memory: Option<usize>,
}

/// A reason to distrust a part of a learned network. Its text is a sentence without a full stop.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "warning", rename_all = "kebab-case")]
pub enum Warning {
    /// The data have far more identical rows than the network explains.
    IdenticalRows(IdenticalRows),
    /// A table has more cells than there are rows.
    LargeTable {
        /// The child.
        node: String,
        /// Its parents.
        parents: Vec<String>,
        /// The number of cells of one table.
        cells: f64,
        /// The number of rows of all data sets.
        rows: u64,
    },
    /// The gain of an arc comes mainly from rows in which a value is missing.
    MissingState {
        /// The tail of the arc.
        from: String,
        /// The head of the arc.
        to: String,
        /// The gain of the arc.
        gain: f64,
        /// Its gain without the rows in which either of the two is missing.
        observed_gain: f64,
        /// The number of those rows.
        rows: u64,
        /// The number of all rows.
        of: u64,
    },
}

impl Review<'_> {
    /// All warnings.
    pub fn warnings(&self) -> Result<Vec<Warning>, ScoreError> {
        let mut warnings = Vec::new();
        if let Some(network) = self.network {
            let found = identical_rows(self.data, network).filter(IdenticalRows::is_suspicious);
            warnings.extend(found.map(Warning::IdenticalRows));
        }
        warnings.extend(self.large_tables());
        warnings.extend(missing_state_arcs(self)?);
        Ok(warnings)
    }

    /// Families whose table has more cells than there are rows.
    fn large_tables(&self) -> Vec<Warning> {
        let schema = self.data.schema();
        let rows = rows(self.data);
        let table = |node| {
            let parents = self.dag.parents(node);
            let family = parents.iter().chain([&node]);
            let cells: f64 = family.map(|&variable| schema.states(variable) as f64).product();
            (!parents.is_empty() && cells > rows as f64).then(|| Warning::LargeTable {
                node: schema.variable(node).name.clone(),
                parents: parents.iter().map(|&parent| schema.variable(parent).name.clone()).collect(),
                cells,
                rows,
            })
        };
        self.dag.nodes().filter_map(table).collect()
    }
}

/// Warnings as JSON, each with its text.
pub fn described(warnings: &[Warning]) -> Vec<Value> {
    let one = |warning: &Warning| {
        let mut value = json!(warning);
        value["text"] = json!(warning.to_string());
        value
    };
    warnings.iter().map(one).collect()
}

/// The number of rows of all data sets.
fn rows(data: &RelatedData) -> u64 {
    (0..data.schema().data_sets().len()).map(|index| data.rows(DataSetId::new(index))).sum()
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::IdenticalRows(found) => found.fmt(f),
            Self::LargeTable { node, parents, cells, rows } => write!(
                f,
                "the table of `{node}` given {} has {cells} cells, more than the {rows} rows: most of its probabilities are those \
                 of the prior",
                parents.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
            ),
            Self::MissingState { from, to, gain, observed_gain, rows, of } => write!(
                f,
                "the gain of the arc from `{from}` to `{to}` comes mainly from missing values: it is {gain:.1}, but \
                 {observed_gain:.1} without the {rows} of {of} rows in which one of the two is missing"
            ),
        }
    }
}

impl Actionable for Warning {
    fn remedies(&self) -> Vec<Remedy> {
        match self {
            Self::IdenticalRows(_) => vec![Remedy::NameSubjects, Remedy::Advice("remove copies of rows")],
            Self::LargeTable { .. } => vec![
                Remedy::Advice("use fewer states or bins"),
                Remedy::LowerMaxParents,
                Remedy::Advice("look for copies of rows"),
            ],
            Self::MissingState { .. } => vec![Remedy::ImputeMissing, Remedy::DropIncompleteRows],
        }
    }
}
