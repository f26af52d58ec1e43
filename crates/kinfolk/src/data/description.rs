//! Summary of the data as read: data sets, variables and notes, for display and JSON.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::discretize::Discretization;
use super::error::list_names;
use super::levels::DeclaredLevels;
use super::missing::MISSING_LABEL;
use crate::remedy::{Actionable, Remedy};

/// The data sets and variables as read, with notes for the user.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Description {
    /// The data sets, in order.
    pub data_sets: Vec<DataSetDescription>,
    /// The variables, in column order.
    pub variables: Vec<VariableDescription>,
    /// Changes made while reading, and properties that may surprise the user.
    pub notes: Vec<Note>,
}

impl Description {
    /// Removes the state of missing values, which was added only to count them.
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
#[non_exhaustive]
pub struct DataSetDescription {
    /// Its name.
    pub name: String,
    /// The files it was read from.
    pub sources: Vec<String>,
    /// Its number of rows, counted with multiplicity.
    pub rows: u64,
    /// Its number of stored rows: one per row of positive weight.
    pub stored_rows: usize,
    /// The number of rows dropped because of a missing value, counted with multiplicity.
    pub dropped_rows: u64,
    /// Whether it has no rows.
    pub empty: bool,
}

/// One variable.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct VariableDescription {
    /// Its name.
    pub name: String,
    /// Its states, in the order of their codes.
    pub states: Vec<String>,
    /// The source of its states.
    pub kind: VariableKind,
    /// Whether all counted rows of all data sets have the same state.
    pub constant: bool,
    /// The number of missing values by data set, counted with multiplicity, before rows are dropped.
    pub missing: Vec<u64>,
    /// The states that do not occur among the counted rows, by data set.
    pub absent: Vec<Vec<String>>,
}

/// The source of a variable's states.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum VariableKind {
    /// All values in the files.
    Categorical,
    /// The declared levels.
    Declared,
    /// Bins of a numeric column.
    Discretized {
        /// How the cut points were chosen.
        method: Discretization,
        /// The cut points, common to all data sets; bins are closed on the right.
        cuts: Vec<f64>,
    },
}

/// A change made while reading, or a property that may surprise the user. Its text is a sentence without a
/// full stop.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "note", rename_all = "kebab-case")]
pub enum Note {
    /// A column without a name in the header.
    UnnamedColumn {
        /// The file.
        file: String,
        /// The generated name.
        column: String,
    },
    /// Columns left out because some file lacks them.
    ColumnsLeftOut {
        /// The columns.
        columns: Vec<String>,
    },
    /// Columns in which equal numbers were spelt differently.
    NumbersRespelt {
        /// The columns.
        columns: Vec<String>,
        /// A spelling in the file.
        from: String,
        /// The state it was mapped to.
        to: String,
    },
    /// States that occurred only in dropped rows.
    StatesDropped {
        /// The column.
        column: String,
        /// The states.
        states: Vec<String>,
    },
    /// Numeric columns that the rule for all columns did not discretise.
    NotDiscretized {
        /// The columns.
        columns: Vec<String>,
        /// The requested number of bins.
        bins: usize,
    },
    /// Columns of numbers whose distinct values are states without order.
    NumbersAsStates {
        /// The columns.
        columns: Vec<String>,
        /// The number of distinct values of the first one.
        distinct: usize,
    },
    /// A column has fewer bins than requested.
    FewerBins {
        /// The column.
        column: String,
        /// The requested number of bins.
        asked: usize,
        /// The actual number of bins.
        bins: usize,
    },
    /// Rows dropped because the group column has no value in them.
    RowsWithoutGroup {
        /// The group column.
        column: String,
        /// The number of rows, counted with multiplicity.
        rows: u64,
    },
    /// One row of every subject was drawn.
    OneRowPerSubject {
        /// The column of the subjects.
        column: String,
        /// The number of rows drawn from.
        rows: u64,
        /// The number of subjects, which is that of the rows drawn; one of two data sets counts twice.
        subjects: u64,
        /// The number of subjects of more than one data set.
        in_several: u64,
    },
    /// Rows equal others of their data set even in the numbers behind the bins.
    Copies {
        /// The number of rows that equal an earlier one.
        rows: u64,
        /// The number of pairs of such rows.
        pairs: u64,
        /// The number of pairs to be expected by chance, with one decimal.
        expected: String,
    },
    /// Missing values, which only a description accepts.
    MissingValues,
    /// Columns without any value in one data set; they are filled in from the other data sets.
    ColumnsAbsent {
        /// The data set.
        data_set: String,
        /// The columns.
        columns: Vec<String>,
    },
    /// Rows without any value.
    NothingObserved {
        /// The data set.
        data_set: String,
        /// The number of such rows.
        rows: u64,
        /// Whether all rows of the data set are such.
        all: bool,
    },
    /// A common spelling of "missing" is a state here.
    MissingSpellingIsState {
        /// The column.
        column: String,
        /// The state.
        state: String,
    },
    /// Columns with the same state in all counted rows.
    Constant {
        /// The columns.
        columns: Vec<String>,
    },
}

impl Note {
    /// Whether results may be worse than they need be.
    pub fn is_warning(&self) -> bool {
        matches!(self, Self::NumbersAsStates { .. } | Self::Copies { .. })
    }
}

impl Actionable for Note {
    fn remedies(&self) -> Vec<Remedy> {
        match self {
            Self::MissingValues => vec![Remedy::TreatMissingValues],
            Self::Copies { .. } => vec![Remedy::NameSubjects, Remedy::Advice("remove copies of rows")],
            Self::NumbersAsStates { columns, .. } => {
                vec![Remedy::DiscretizeColumn(columns[0].clone()), Remedy::DeclareLevels(columns.clone())]
            }
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
            Self::NumbersAsStates { columns, distinct } => write!(
                f,
                "numbers are states without order: {distinct} distinct values of `{}`{}",
                columns[0],
                match columns.len() {
                    1 => String::new(),
                    _ => format!(", and those of {}", list_names(&columns[1..])),
                }
            ),
            Self::FewerBins { column, asked, bins } => {
                write!(f, "column `{column}` has {bins} bins instead of {asked}: its values repeat too often")
            }
            Self::RowsWithoutGroup { column, rows } => {
                let noun = if *rows == 1 { "row" } else { "rows" };
                write!(f, "{rows} {noun} without a value in the group column `{column}` left out")
            }
            Self::OneRowPerSubject { column, rows, subjects, in_several } => {
                write!(
                    f,
                    "{rows} rows of {subjects} subjects (column `{column}`): one row of each was drawn"
                )?;
                match in_several {
                    0 => Ok(()),
                    1 => write!(f, "; 1 subject is in several data sets and counts once in each"),
                    more => write!(f, "; {more} subjects are in several data sets and count once in each"),
                }
            }
            Self::Copies { rows, pairs, expected } => write!(
                f,
                "{rows} rows repeat another row of their data set, also in the numbers behind the bins: {pairs} pairs of such \
                 rows, of which chance explains {expected}; copies, and several rows of one subject, make every arc look more \
                 certain than it is"
            ),
            Self::MissingValues => {
                write!(f, "values are missing")
            }
            Self::ColumnsAbsent { data_set, columns } => write!(
                f,
                "{data_set} has no value of {}; their results there come from the other data sets",
                list_names(columns)
            ),
            Self::NothingObserved { data_set, all: true, .. } => {
                write!(f, "{data_set} has no value at all; its results come from the other data sets")
            }
            Self::NothingObserved { data_set, rows, .. } => write!(
                f,
                "{rows} {} of {data_set} without any value; nothing can be learned from them",
                if *rows == 1 { "row" } else { "rows" }
            ),
            Self::MissingSpellingIsState { column, state } => {
                write!(f, "`{state}` is an ordinary state of column `{column}`")
            }
            Self::Constant { columns } => {
                write!(f, "constant over all data sets together: {}", list_names(columns))
            }
        }
    }
}
