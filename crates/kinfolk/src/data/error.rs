//! What can be wrong with files and settings, told with file, row, column, value and the way out.

use std::fmt::Write as _;
use std::io;

use super::missing::MissingTable;
use super::new_rows::UnseenValue;

/// Why data could not be read. Rows are numbered as an editor numbers lines: the header is row 1.
#[derive(Debug, thiserror::Error)]
pub enum DataError {
    /// No source was given.
    #[error("no data: give at least one file, or - for standard input")]
    NoSource,
    /// The file is missing or may not be read.
    #[error("{file}: cannot be opened: {reason}{}", if .reason.kind() == io::ErrorKind::NotFound { "; check its name and folder" } else { "" })]
    Open {
        /// The file.
        file: String,
        /// What the system says.
        reason: io::Error,
    },
    /// The path is a directory.
    #[error("{file} is a directory; name the files in it")]
    Directory {
        /// The path.
        file: String,
    },
    /// The same file was given twice, which would count its rows twice.
    #[error("{file} is given twice; its rows would count twice")]
    SameFile {
        /// The file.
        file: String,
    },
    /// Reading stopped half-way.
    #[error("{file}: reading failed: {reason}")]
    Read {
        /// The file.
        file: String,
        /// What the system says.
        reason: io::Error,
    },
    /// The gzip stream is cut off or damaged.
    #[error(
        "{file}: the compressed data end too early or are damaged ({reason}); fetch or compress the file again"
    )]
    Damaged {
        /// The file.
        file: String,
        /// What the decoder says.
        reason: io::Error,
    },
    /// There is not even a header.
    #[error("{file} is empty; its first row must name the columns")]
    Empty {
        /// The file.
        file: String,
    },
    /// Bytes that are not UTF-8.
    #[error("{file}, row {row}{}: the text is not UTF-8; convert the file, for example with iconv -t utf-8",
        .column.as_ref().map(|column| format!(", column `{column}`")).unwrap_or_default())]
    NotUtf8 {
        /// The file.
        file: String,
        /// The row.
        row: u64,
        /// The column, unless it is the header itself.
        column: Option<String>,
    },
    /// Two columns of a file have the same name.
    #[error("{file}, row 1: two columns are named `{column}`; rename one")]
    DuplicateColumn {
        /// The file.
        file: String,
        /// The name.
        column: String,
    },
    /// A row has more or fewer cells than the header.
    #[error(
        "{file}, row {row}: {found} {} where the header has {expected}; mend the row, or give --delimiter if cells are split wrongly",
        if *.found == 1 { "cell" } else { "cells" }
    )]
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
    #[error(
        "{file}, row {row}: its last cell opens with a quotation mark that is never closed, so that all rows after it are inside \
         the cell; close it, or double it if it is meant as a character"
    )]
    OpenQuote {
        /// The file.
        file: String,
        /// The row.
        row: u64,
    },
    /// A delimiter that cannot separate cells.
    #[error(
        "--delimiter must be one ASCII character other than a quote or a line end, not byte {delimiter:#04x}"
    )]
    Delimiter {
        /// The byte.
        delimiter: u8,
    },
    /// The files do not have the same columns.
    #[error("the files do not have the same columns; compared with {first}:{}\nkeep only the shared ones with --common-columns, or choose with --columns or --ignore",
        list_differences(.differences))]
    ColumnsDiffer {
        /// The first file, with which the others are compared.
        first: String,
        /// The files that differ from it.
        differences: Vec<ColumnDifference>,
    },
    /// No column is in every file.
    #[error("the files share no column; check that they belong together and that --delimiter is right")]
    NoCommonColumn,
    /// A setting names a column that no file has.
    #[error("{flag}: there is no column `{column}`{}; the columns are {}",
        .nearest.as_ref().map(|name| format!(" (did you mean `{name}`?)")).unwrap_or_default(), list_names(.columns))]
    UnknownColumn {
        /// The setting, as the command line spells it.
        flag: &'static str,
        /// The name given.
        column: String,
        /// The columns there are.
        columns: Vec<String>,
        /// A column with nearly that name.
        nearest: Option<String>,
    },
    /// The group or weight column is not in every file.
    #[error("{file} has no column `{column}`, which {flag} needs in every file")]
    RoleAbsent {
        /// `--group` or `--weight`.
        flag: &'static str,
        /// The file without it.
        file: String,
        /// The column.
        column: String,
    },
    /// All weights are zero.
    #[error(
        "--weight: column `{column}` is 0 in every row, so that there are no rows; give weights from 1 on, or leave --weight away"
    )]
    NoWeight {
        /// The weight column.
        column: String,
    },
    /// There is no row to take a group from.
    #[error("--group: column `{column}` has no value in any file, so there is no data set")]
    NoGroup {
        /// The group column.
        column: String,
    },
    /// A column is both chosen and ignored.
    #[error("column `{column}` is named by both --columns and --ignore; leave one out")]
    ChosenAndIgnored {
        /// The column.
        column: String,
    },
    /// One column cannot both split and weigh the rows.
    #[error("column `{column}` is given to both --group and --weight; they need two columns")]
    OneColumnTwoRoles {
        /// The column.
        column: String,
    },
    /// Every column is ignored or has another role.
    #[error("no column is left to be a variable; check --columns, --ignore, --group and --weight")]
    NoVariable,
    /// A cell of the group or weight column is missing.
    #[error(
        "{file}, row {row}, column `{column}`: the value is missing (`{value}`), but {flag} needs one in every row; fill it in, drop the row, or change --na"
    )]
    RoleMissing {
        /// `--group` or `--weight`.
        flag: &'static str,
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
    #[error(
        "{file}, row {row}, column `{column}`: the weight `{value}` is not a whole number from 0 to 2^53; --weight needs counts of rows"
    )]
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
    #[error(
        "the weights in column `{column}` add up to more than 2^53 rows; divide them, or check that --weight names the right column"
    )]
    TotalWeight {
        /// The weight column.
        column: String,
    },
    /// Values are missing and nothing was said about them.
    #[error("{0}")]
    Missing(MissingTable),
    /// Every row has a missing value.
    #[error(
        "every row ({dropped} in all) has a missing value, so --missing drop-rows leaves nothing; use --missing level, or --ignore the emptiest columns"
    )]
    AllDropped {
        /// How many rows were dropped.
        dropped: u64,
    },
    /// A state is spelt like the label of missing values.
    #[error(
        "column `{column}` has missing values and also a state `{label}`; rename the state or add it with --na"
    )]
    MissingLabelTaken {
        /// The column.
        column: String,
        /// The label.
        label: &'static str,
    },
    /// Headers and nothing else: with a row each column has a value, or lacks one, which is told before.
    #[error(
        "there are no rows: each file has a header and nothing below it, so that the states of column `{column}` are unknown; give a file with rows, or declare the states of every column with --levels"
    )]
    NoState {
        /// The first column whose states were not declared.
        column: String,
    },
    /// A value that is not among the declared states.
    #[error(
        "{file}, row {row}, column `{column}`: `{state}` is not one of its {states} {}; declare it with --levels or drop the row",
        if *.states == 1 { "state" } else { "states" }
    )]
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
    #[error("{file} has none of the network's columns; they are {}", list_names(.columns))]
    NoKnownColumn {
        /// The file.
        file: String,
        /// The columns that are known.
        columns: Vec<String>,
    },
    /// Values that no state of their variable means.
    #[error("the network knows no such states:{}\ncorrect them, or take them for missing with --unseen missing", list_unseen(.values))]
    Unseen {
        /// Each value, where it stands first.
        values: Vec<UnseenValue>,
    },
    /// The file of levels cannot be understood.
    #[error("{file}: {reason}; --levels needs JSON such as {{\"colour\": [\"red\", \"green\"]}}")]
    LevelsFile {
        /// The file.
        file: String,
        /// What is wrong.
        reason: String,
    },
    /// A list of levels that is empty, repeats itself, or cannot be met.
    #[error("--levels, column `{column}`: {reason}")]
    Levels {
        /// The column.
        column: String,
        /// What is wrong.
        reason: String,
    },
    /// Two categories of a column that are one state.
    #[error(
        "column `{column}`: two of its categories are the state `{state}`, as spaces around texts do not count; \
         rename one of them, or make them one"
    )]
    CategoryTwice {
        /// The column.
        column: String,
        /// The state.
        state: String,
    },
    /// A discretisation rule that cannot be understood.
    #[error("--discretize `{rule}`: {reason}")]
    Rule {
        /// The rule as given.
        rule: String,
        /// What is wrong.
        reason: String,
    },
    /// A column to be discretised has a value that is not a number.
    #[error(
        "{file}, row {row}, column `{column}`: `{value}` is not a number, so the column cannot be discretised; name it with --na if it means missing, or leave the column out of --discretize"
    )]
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
    #[error("more than {max_states} distinct values:{}\nor allow them with --max-states or declare them with --levels", list_many_states(.columns))]
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

/// A name as it must be typed in a shell.
pub(super) fn quote(name: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':' | '/' | ',' | '+');
    if !name.is_empty() && name.chars().all(plain) {
        name.to_owned()
    } else {
        format!("'{}'", name.replace('\'', r"'\''"))
    }
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

fn list_unseen(values: &[UnseenValue]) -> String {
    /// More lines than this fill a screen.
    const SHOWN: usize = 10;
    let mut text = String::new();
    for value in values.iter().take(SHOWN) {
        let _ = write!(text, "\n  {value}");
    }
    if values.len() > SHOWN {
        let _ = write!(text, "\n  and {} more", values.len() - SHOWN);
    }
    text
}

fn list_differences(differences: &[ColumnDifference]) -> String {
    let mut text = String::new();
    for ColumnDifference { file, missing, extra } in differences {
        let parts: Vec<String> = [("lacks", missing), ("has the extra", extra)]
            .iter()
            .filter(|(_, names)| !names.is_empty())
            .map(|(verb, names)| format!("{verb} {}", list_names(names)))
            .collect();
        let _ = write!(text, "\n  {file} {}", parts.join("; "));
    }
    text
}

fn list_many_states(columns: &[ManyStates]) -> String {
    let mut text = String::new();
    for ManyStates { column, values, numeric, stray } in columns {
        let _ = write!(text, "\n  column `{column}` has {values}: ");
        if let Some(stray) = stray {
            let _ = write!(
                text,
                "`{stray}` among them is not a number, so that what is said for all columns leaves it as it is; \
                 name it with --na if it means missing, or "
            );
        }
        if *numeric {
            let _ = write!(text, "--discretize {} or ", quote(&format!("{column}=quantile:4")));
        }
        let _ = write!(text, "--ignore {}", quote(column));
    }
    text
}
