//! What can be wrong with files and settings. The words are in `message`.

use std::fmt::Write as _;
use std::io;

use super::missing::MissingTable;
use super::new_rows::UnseenValue;
use crate::remedy::Setting;

/// Why data could not be read. Rows are numbered as an editor numbers lines: the header is row 1.
#[derive(Debug)]
pub enum DataError {
    /// No source was given.
    NoSource,
    /// The file is missing or may not be read.
    Open {
        /// The file.
        file: String,
        /// What the system says.
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
    /// Reading stopped half-way.
    Read {
        /// The file.
        file: String,
        /// What the system says.
        reason: io::Error,
    },
    /// The gzip stream is cut off or damaged.
    Damaged {
        /// The file.
        file: String,
        /// What the decoder says.
        reason: io::Error,
    },
    /// There is not even a header.
    Empty {
        /// The file.
        file: String,
    },
    /// Bytes that are not UTF-8.
    NotUtf8 {
        /// The file.
        file: String,
        /// The row.
        row: u64,
        /// The column, unless it is the header itself.
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
        /// Cells in the row.
        found: usize,
        /// Cells in the header.
        expected: usize,
    },
    /// A quotation mark that opens a cell and is never closed.
    OpenQuote {
        /// The file.
        file: String,
        /// The row.
        row: u64,
    },
    /// A delimiter that cannot separate cells.
    Delimiter {
        /// The byte.
        delimiter: u8,
    },
    /// The files do not have the same columns.
    ColumnsDiffer {
        /// The first file, with which the others are compared.
        first: String,
        /// The files that differ from it.
        differences: Vec<ColumnDifference>,
    },
    /// No column is in every file.
    NoCommonColumn,
    /// A setting names a column that no file has.
    UnknownColumn {
        /// The setting.
        setting: Setting,
        /// The name given.
        column: String,
        /// The columns there are.
        columns: Vec<String>,
        /// A column with nearly that name.
        nearest: Option<String>,
    },
    /// The group or weight column is not in every file.
    RoleAbsent {
        /// The group or the weight.
        setting: Setting,
        /// The file without it.
        file: String,
        /// The column.
        column: String,
    },
    /// All weights are zero.
    NoWeight {
        /// The weight column.
        column: String,
    },
    /// There is no row to take a group from.
    NoGroup {
        /// The group column.
        column: String,
    },
    /// A column is both chosen and ignored.
    ChosenAndIgnored {
        /// The column.
        column: String,
    },
    /// One column cannot both split and weigh the rows.
    OneColumnTwoRoles {
        /// The column.
        column: String,
    },
    /// Every column is ignored or has another role.
    NoVariable,
    /// A cell of the group or weight column is missing.
    RoleMissing {
        /// The group or the weight.
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
    /// A weight that is not a whole number of rows.
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
    /// The weights add up to more than can be counted exactly.
    TotalWeight {
        /// The weight column.
        column: String,
    },
    /// Values are missing and nothing was said about them.
    Missing(MissingTable),
    /// Every row has a missing value.
    AllDropped {
        /// How many rows were dropped.
        dropped: u64,
    },
    /// A state is spelt like the label of missing values.
    MissingLabelTaken {
        /// The column.
        column: String,
        /// The label.
        label: &'static str,
    },
    /// Headers and nothing else: with a row each column has a value, or lacks one, which is told before.
    NoState {
        /// The first column whose states were not declared.
        column: String,
    },
    /// A value that is not among the declared states.
    UnknownState {
        /// The file.
        file: String,
        /// The row.
        row: u64,
        /// The column.
        column: String,
        /// The value.
        state: String,
        /// How many states are declared.
        states: usize,
    },
    /// A file has no column that is known.
    NoKnownColumn {
        /// The file.
        file: String,
        /// The columns that are known.
        columns: Vec<String>,
    },
    /// Values that no state of their variable means.
    Unseen {
        /// Each value, where it stands first.
        values: Vec<UnseenValue>,
    },
    /// The file of levels cannot be understood.
    LevelsFile {
        /// The file.
        file: String,
        /// What is wrong.
        reason: String,
    },
    /// A list of levels that is empty, repeats itself, or cannot be met.
    Levels {
        /// The column.
        column: String,
        /// What is wrong.
        reason: String,
    },
    /// A declared level that is also a spelling of "missing".
    LevelMeansMissing {
        /// The column.
        column: String,
        /// The level.
        level: String,
    },
    /// Two categories of a column that are one state.
    CategoryTwice {
        /// The column.
        column: String,
        /// The state.
        state: String,
    },
    /// A discretisation rule that cannot be understood.
    Rule {
        /// The rule as given.
        rule: String,
        /// What is wrong.
        reason: String,
    },
    /// A discretisation rule for a column whose states are declared.
    RuleAndLevels {
        /// The rule as given.
        rule: String,
    },
    /// A column to be discretised has a value that is not a number.
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
    /// Columns with more distinct values than a categorical variable should have.
    TooManyStates {
        /// The limit.
        max_states: usize,
        /// The columns beyond it.
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
    /// How many distinct values it has.
    pub values: usize,
    /// Whether all of them are numbers.
    pub numeric: bool,
    /// The one that is not a number, where a rule for all columns would otherwise have made bins of it.
    pub stray: Option<String>,
}

/// The first names of a list in backticks, and how many more there are.
pub(crate) fn list_names(names: &[String]) -> String {
    /// More names than this fill a screen and help nobody.
    const SHOWN: usize = 30;
    let mut text = names.iter().take(SHOWN).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    if names.len() > SHOWN {
        let _ = write!(text, " and {} more", names.len() - SHOWN);
    }
    text
}
