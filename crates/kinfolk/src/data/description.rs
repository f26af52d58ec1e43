//! What was understood of the files, as plain structs for every view to be written from.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::discretize::Discretization;
use super::error::list_names;
use super::levels::DeclaredLevels;
use super::missing::MISSING_LABEL;
use crate::remedy::{Actionable, Remedy};

/// The data sets and variables that were read, and what a reader should know about them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Description {
    /// The data sets, in their order.
    pub data_sets: Vec<DataSetDescription>,
    /// The variables, in column order.
    pub variables: Vec<VariableDescription>,
    /// What was changed or may surprise.
    pub notes: Vec<Note>,
}

impl Description {
    /// Takes missing values for what they are after they were read as a state.
    pub(super) fn forget_missing_state(&mut self, declared: &DeclaredLevels) {
        for variable in &mut self.variables {
            let kept = |states: &[String]| states.iter().any(|state| state == MISSING_LABEL);
            if declared.iter().any(|(column, states)| *column == variable.name && kept(states)) {
                continue;
            }
            let missing = variable.missing.iter().any(|&count| count > 0);
            let lists = variable.absent.iter_mut().chain([&mut variable.states]).filter(|_| missing);
            lists.for_each(|states| states.retain(|state| state != MISSING_LABEL));
        }
        if self.variables.iter().any(|variable| variable.missing.iter().any(|&count| count > 0)) {
            self.notes.push(Note::MissingValues);
        }
    }
}

/// One data set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DataSetDescription {
    /// Its name.
    pub name: String,
    /// The files it was read from.
    pub sources: Vec<String>,
    /// Its rows, multiplicities counted.
    pub rows: u64,
    /// The rows stored for it: one for a row of any weight above zero.
    pub stored_rows: usize,
    /// Rows left out for a missing value, multiplicities counted.
    pub dropped_rows: u64,
    /// Whether it has no row.
    pub empty: bool,
}

/// One variable.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct VariableDescription {
    /// Its name.
    pub name: String,
    /// Its states, in the order of their codes.
    pub states: Vec<String>,
    /// Where its states come from.
    pub kind: Kind,
    /// Whether all counted rows of all data sets have the same state.
    pub constant: bool,
    /// Missing values by data set, multiplicities counted, before any row was dropped.
    pub missing: Vec<u64>,
    /// By data set, the states that no counted row has there.
    pub absent: Vec<Vec<String>>,
}

/// Where the states of a variable come from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Kind {
    /// All the values that the files hold.
    Categorical,
    /// The levels that were declared.
    Declared,
    /// Bins of a numeric column.
    Discretized {
        /// How the cut points were chosen.
        method: Discretization,
        /// The cut points, the same for all data sets; bins are closed on the right.
        cuts: Vec<f64>,
    },
}

/// Something about the data that was changed in reading or may surprise; its text is a sentence without a full stop.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "note", rename_all = "kebab-case")]
pub enum Note {
    /// A column without a name in the header.
    UnnamedColumn {
        /// The file.
        file: String,
        /// The name it was given.
        column: String,
    },
    /// Columns that not every file has.
    ColumnsLeftOut {
        /// The columns.
        columns: Vec<String>,
    },
    /// Columns in which numbers of equal value were spelt differently.
    NumbersRespelt {
        /// The columns.
        columns: Vec<String>,
        /// A spelling as found.
        from: String,
        /// The state it became.
        to: String,
    },
    /// States that only dropped rows had.
    StatesDropped {
        /// The column.
        column: String,
        /// The states.
        states: Vec<String>,
    },
    /// Numeric columns that the rule for all columns left alone.
    NotDiscretized {
        /// The columns.
        columns: Vec<String>,
        /// How many bins were asked for.
        bins: usize,
    },
    /// Fewer bins came out than were asked for.
    FewerBins {
        /// The column.
        column: String,
        /// How many were asked for.
        asked: usize,
        /// How many there are.
        bins: usize,
    },
    /// Missing values that only a description lets pass.
    MissingValues,
    /// A usual spelling of "missing" that is a state here.
    MissingSpellingIsState {
        /// The column.
        column: String,
        /// The state.
        state: String,
    },
    /// Columns that have the same state in all counted rows.
    Constant {
        /// The columns.
        columns: Vec<String>,
    },
}

impl Actionable for Note {
    fn remedies(&self) -> Vec<Remedy> {
        match self {
            Self::MissingValues => vec![Remedy::TreatMissingValues],
            Self::MissingSpellingIsState { state, .. } => vec![Remedy::AddMissingText(state.clone())],
            _ => Vec::new(),
        }
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnnamedColumn { file, column } => {
                write!(f, "{file} has a column without a name; it is called `{column}`")
            }
            Self::ColumnsLeftOut { columns } => {
                write!(f, "left out because not every file has them: {}", list_names(columns))
            }
            Self::NumbersRespelt { columns, from, to } => {
                write!(
                    f,
                    "numbers of equal value are one state (`{from}` is `{to}`) in {}",
                    list_names(columns)
                )
            }
            Self::StatesDropped { column, states } => {
                write!(f, "column `{column}` lost states that only dropped rows had: {}", list_names(states))
            }
            Self::NotDiscretized { columns, bins } => {
                write!(f, "not discretised, having at most {bins} distinct values: {}", list_names(columns))
            }
            Self::FewerBins { column, asked, bins } => {
                write!(f, "column `{column}` has {bins} bins instead of {asked}: its values repeat too often")
            }
            Self::MissingValues => {
                write!(f, "values are missing")
            }
            Self::MissingSpellingIsState { column, state } => {
                write!(f, "`{state}` is an ordinary state of column `{column}`")
            }
            Self::Constant { columns } => {
                write!(f, "constant over all data sets together: {}", list_names(columns))
            }
        }
    }
}
