//! Errors in data files and reading options. `message` renders them.

use std::fmt::Write as _;
use std::io;

use super::missing::MissingTable;
use super::new_rows::UnseenValue;
use crate::remedy::{ReadLimit, Setting};

/// Why data cannot be read. Rows are numbered like lines in an editor: the header is row 1.
#[derive(Debug)]
pub enum DataError {
    /// No source was given.
    NoSource,
    /// The file does not exist or cannot be opened.
    Open {
        /// The file.
        file: String,
        /// The error of the operating system.
        reason: io::Error,
    },
    /// The path is a directory.
    Directory {
        /// The path.
        file: String,
    },
    /// The same file was given twice, which would count its rows twice.
    SameFile {
        /// The file.
        file: String,
    },
    /// Reading failed after the file was opened.
    Read {
        /// The file.
        file: String,
        /// The error of the operating system.
        reason: io::Error,
    },
    /// The gzip stream is truncated or corrupt.
    Damaged {
        /// The file.
        file: String,
        /// The error of the decoder.
        reason: io::Error,
    },
    /// The file has no header.
    Empty {
        /// The file.
        file: String,
    },
    /// The text is not UTF-8.
    NotUtf8 {
        /// The file.
        file: String,
        /// The row.
        row: u64,
        /// The column; `None` for the header.
        column: Option<String>,
    },
    /// Two columns of a file have the same name.
    DuplicateColumn {
        /// The file.
        file: String,
        /// The name.
        column: String,
    },
    /// A row has more or fewer cells than the header.
    Ragged {
        /// The file.
        file: String,
        /// The row.
        row: u64,
        /// The number of cells in the row.
        found: usize,
        /// The number of cells in the header.
        expected: usize,
    },
    /// A quoted cell is not closed.
    OpenQuote {
        /// The file.
        file: String,
        /// The row.
        row: u64,
    },
    /// A file exceeds one of [`ReadOptions::limits`](super::ReadOptions::limits).
    AboveLimit {
        /// The file.
        file: String,
        /// The row; the header is row 1.
        row: u64,
        /// The column, if one cell is too long.
        column: Option<String>,
        /// The limit.
        limit: ReadLimit,
        /// Its value.
        most: u64,
    },
    /// The delimiter is not allowed.
    Delimiter {
        /// The byte.
        delimiter: u8,
    },
    /// The files do not have the same columns.
    ColumnsDiffer {
        /// The first file, which is the reference.
        first: String,
        /// The files that differ from it.
        differences: Vec<ColumnDifference>,
    },
    /// No column is in every file.
    NoCommonColumn,
    /// An option names a column that no file has.
    UnknownColumn {
        /// The option.
        setting: Setting,
        /// The given name.
        column: String,
        /// The existing columns.
        columns: Vec<String>,
        /// The column with the most similar name.
        nearest: Option<String>,
    },
    /// A file lacks the group, weight or id column.
    RoleAbsent {
        /// The option that names the column.
        setting: Setting,
        /// The file without the column.
        file: String,
        /// The column.
        column: String,
    },
    /// All weights are zero.
    NoWeight {
        /// The weight column.
        column: String,
    },
    /// There are no rows, and therefore no groups.
    NoGroup {
        /// The group column.
        column: String,
    },
    /// A column is both selected and ignored.
    ChosenAndIgnored {
        /// The column.
        column: String,
    },
    /// One column has two roles: group, weight or subject.
    OneColumnTwoRoles {
        /// The column.
        column: String,
        /// The options that name it.
        settings: [Setting; 2],
    },
    /// Rows have weights, and subjects are named.
    WeightedSubjects,
    /// Every column is ignored or is the group, weight or id column.
    NoVariable,
    /// A cell of the group, weight or id column is missing.
    RoleMissing {
        /// The option that names the column.
        setting: Setting,
        /// The file.
        file: String,
        /// The row.
        row: u64,
        /// The column.
        column: String,
        /// The cell.
        value: String,
    },
    /// A weight is not a nonnegative integer.
    Weight {
        /// The file.
        file: String,
        /// The row.
        row: u64,
        /// The column.
        column: String,
        /// The cell.
        value: String,
    },
    /// The total weight is too large to count exactly.
    TotalWeight {
        /// The weight column.
        column: String,
    },
    /// Values are missing, and the options do not say how to treat them.
    Missing(MissingTable),
    /// Columns have no value in any counted row.
    NothingObserved {
        /// The columns, in their order.
        columns: Vec<String>,
    },
    /// Every row has a missing value.
    AllDropped {
        /// The number of dropped rows.
        dropped: u64,
    },
    /// A state is spelt like the label of missing values.
    MissingLabelTaken {
        /// The column.
        column: String,
        /// The label.
        label: &'static str,
    },
    /// The files have headers but no rows, so a column has no states. (With rows, a column without values is
    /// reported as missing.)
    NoState {
        /// The first column without declared states.
        column: String,
    },
    /// A value is not among the declared states.
    UnknownState {
        /// The file.
        file: String,
        /// The row.
        row: u64,
        /// The column.
        column: String,
        /// The value.
        state: String,
        /// The number of declared states.
        states: usize,
    },
    /// A file has none of the known columns.
    NoKnownColumn {
        /// The file.
        file: String,
        /// The known columns.
        columns: Vec<String>,
    },
    /// Values that match no state of their variable.
    Unseen {
        /// Each value with its first occurrence.
        values: Vec<UnseenValue>,
    },
    /// The file of levels cannot be parsed.
    LevelsFile {
        /// The file.
        file: String,
        /// The reason.
        reason: String,
    },
    /// A list of levels is empty, has duplicates, or does not fit the data.
    Levels {
        /// The column.
        column: String,
        /// The reason.
        reason: String,
    },
    /// A declared level is also a spelling of "missing".
    LevelMeansMissing {
        /// The column.
        column: String,
        /// The level.
        level: String,
    },
    /// Two categories of a column denote the same state.
    CategoryTwice {
        /// The column.
        column: String,
        /// The state.
        state: String,
    },
    /// A discretisation rule cannot be parsed or is invalid.
    Rule {
        /// The rule as given.
        rule: String,
        /// The reason.
        reason: String,
    },
    /// A discretisation rule applies to a column with declared states.
    RuleAndLevels {
        /// The rule as given.
        rule: String,
    },
    /// A column to discretise has a non-numeric value.
    NotNumeric {
        /// The file.
        file: String,
        /// The row.
        row: u64,
        /// The column.
        column: String,
        /// The value.
        value: String,
    },
    /// Columns with more distinct values than the limit for categorical variables.
    TooManyStates {
        /// The limit.
        max_states: usize,
        /// The columns above it.
        columns: Vec<ManyStates>,
    },
}

/// How the columns of a file differ from those of the first file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnDifference {
    /// The file.
    pub file: String,
    /// Columns of the first file that it lacks.
    pub missing: Vec<String>,
    /// Its columns that the first file lacks.
    pub extra: Vec<String>,
}

/// A column with too many distinct values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ManyStates {
    /// The column.
    pub column: String,
    /// The number of distinct values.
    pub values: usize,
    /// Whether all values are numbers.
    pub numeric: bool,
    /// The only non-numeric value, if it prevented the rule for all columns from applying.
    pub stray: Option<String>,
}

/// That columns have no value in any row.
pub(crate) fn nothing_observed(columns: &[String]) -> String {
    let (noun, verb, whom) =
        if columns.len() == 1 { ("column", "has", "it") } else { ("columns", "have", "them") };
    format!(
        "{noun} {} {verb} no value in any data set, so nothing can be learned about {whom}",
        list_names(columns)
    )
}

/// The first names of a list in backticks, and the number of the others.
pub(crate) fn list_names(names: &[String]) -> String {
    /// The limit on listed names, to fit a screen.
    const SHOWN: usize = 30;
    let mut text = names.iter().take(SHOWN).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    if names.len() > SHOWN {
        let _ = write!(text, " and {} more", names.len() - SHOWN);
    }
    text
}
