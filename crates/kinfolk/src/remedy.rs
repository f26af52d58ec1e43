//! Remedies for errors and remarks, as data that each front end words in its own terms.
//!
//! An error's `Display` states the problem. Its remedies are [`Remedy`] values, because the same remedy is a flag on
//! the command line, a keyword in Python and a field of an options struct in Rust. [`Actionable::message`] joins both
//! with the terms of a [`Wording`].

use std::fmt;

/// A setting that an error names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Setting {
    /// The column that splits the rows into data sets.
    Group,
    /// The column of row multiplicities.
    Weight,
    /// The column that names the subject of each row.
    Id,
    /// The columns to use.
    Columns,
    /// The columns to leave out.
    Ignore,
    /// Declared states of columns.
    Levels,
    /// Rules for discretisation.
    Discretize,
    /// The character between cells.
    Delimiter,
    /// Texts that mean "missing".
    Na,
    /// Dropping incomplete rows.
    DropRows,
    /// The maximal number of parents of a node.
    MaxParents,
    /// The values of s that the kin score integrates over.
    KinGrid,
    /// The imaginary sample size.
    ImaginarySampleSize,
}

impl Setting {
    /// The name of its field in the options structs of this library.
    pub fn name(self) -> &'static str {
        match self {
            Self::Group => "group",
            Self::Weight => "weight",
            Self::Id => "id",
            Self::Columns => "columns",
            Self::Ignore => "ignore",
            Self::Levels => "levels",
            Self::Discretize => "discretize",
            Self::Delimiter => "delimiter",
            Self::Na => "na",
            Self::DropRows => "dropping incomplete rows",
            Self::MaxParents => "max_parents",
            Self::KinGrid => "grid",
            Self::ImaginarySampleSize => "iss",
        }
    }
}

/// A limit on files, of [`ReadLimits`](crate::data::ReadLimits).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadLimit {
    /// The bytes of a cell.
    Cell,
    /// The number of columns.
    Columns,
    /// The bytes that a compressed file expands to.
    Expanded,
}

impl ReadLimit {
    /// Its name in the text form of the limits.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cell => "cell",
            Self::Columns => "columns",
            Self::Expanded => "expanded",
        }
    }
}

/// An operation of kinfolk that errors refer to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verb {
    /// Learning from resampled data.
    Bootstrap,
    /// Explaining a network.
    Explain,
}

/// An action that the user can take. `Display` words it without the names of any front end.
///
/// The enum is exhaustive on purpose: a front end that does not word a new remedy does not compile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Remedy {
    /// Advice that involves no setting, worded for every front end.
    Advice(&'static str),
    /// Give the data.
    GiveData,
    /// Set the delimiter, if cells are split wrongly.
    SetDelimiter,
    /// Keep only the columns that all files have.
    KeepCommonColumns,
    /// Choose columns, or leave some out.
    ChooseColumns,
    /// Check these settings.
    Check(Vec<Setting>),
    /// Check which column a setting names.
    CheckColumn(Setting),
    /// Omit a setting.
    Unset(Setting),
    /// Remove a column from the list of a setting.
    TakeColumnOutOf(Setting),
    /// Decide how missing values are treated before learning.
    TreatMissingValues,
    /// Fill in missing values while learning.
    ImputeMissing,
    /// Fill in the columns that some data sets lack while learning.
    ImputeColumns,
    /// Fill in the files first, from a network.
    ImputeFiles,
    /// Drop incomplete rows.
    DropIncompleteRows,
    /// Treat missing as a state.
    MissingAsState,
    /// Ignore columns, such as this one.
    IgnoreColumnsSuchAs(String),
    /// Ignore the columns with the most missing values.
    IgnoreEmptiestColumns,
    /// Ignore this column.
    IgnoreColumn(String),
    /// Ignore these columns.
    IgnoreColumns(Vec<String>),
    /// Discretise this column.
    DiscretizeColumn(String),
    /// Treat a conflicting text as missing.
    CountAsMissing(String),
    /// Add a text that is now a state to those that mean "missing".
    AddMissingText(String),
    /// Treat a text as missing in one column.
    MissingInColumn {
        /// The column.
        column: String,
        /// The text.
        text: String,
    },
    /// Name the column of the subjects, if rows repeat a subject.
    NameSubjects,
    /// Use a column to name the subject of each row.
    UseAsId(String),
    /// Use a column as row weights.
    UseAsWeights(String),
    /// Change the texts that mean "missing".
    ChangeMissingTexts,
    /// Declare a state of a column.
    DeclareState {
        /// The column.
        column: String,
        /// The state.
        state: String,
    },
    /// Declare the states of these columns.
    DeclareLevels(Vec<String>),
    /// Declare the states of every column.
    DeclareAllLevels,
    /// Allow more states for a column that declares none.
    RaiseMaxStates,
    /// Treat values that match no state as missing.
    UnseenAsMissing,
    /// Run a description of the data.
    Describe,
    /// Allow more memory.
    RaiseMemoryLimit,
    /// Allow more in this respect when reading files.
    RaiseReadLimit(ReadLimit),
    /// Allow fewer parents.
    LowerMaxParents,
    /// Allow more parents.
    RaiseMaxParents,
    /// Allow larger tables for a query.
    RaiseMostCells,
    /// Give a network file, made by learning or fitting.
    MakeNetworkFile,
    /// Estimate tables for a structure.
    FitTables,
    /// Use the file where a structure suffices; it provides the named one.
    UseAsStructure(&'static str),
    /// State the format of a file.
    NameFormat,
    /// Choose another number of folds.
    ChooseFolds,
    /// Validate by folds of rows.
    HoldOutRows,
    /// Validate by leaving out whole data sets.
    HoldOutDataSets,
    /// Resample rows.
    ResampleRows,
    /// Resample whole data sets.
    ResampleDataSets,
    /// Do not leave data sets out one at a time.
    KeepAllDataSets,
    /// Use this common number of replicates.
    SetReplicates(u64),
    /// Give a result of the bootstrap.
    GiveBootstrapResult,
    /// Bootstrap again with more time.
    AllowMoreTime,
    /// Continue an interrupted bootstrap.
    ResumeBootstrap,
}

impl fmt::Display for Remedy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            Self::Advice(text) => text,
            Self::GiveData => "give at least one source",
            Self::SetDelimiter => "set the delimiter if cells are split wrongly",
            Self::KeepCommonColumns => "keep only the shared ones",
            Self::ChooseColumns => "choose columns",
            Self::Check(settings) => return write!(f, "check {}", list_settings(settings, &Neutral)),
            Self::CheckColumn(setting) => {
                return write!(f, "check that {} names the right column", setting.name());
            }
            Self::Unset(setting) => return write!(f, "leave out {}", setting.name()),
            Self::TakeColumnOutOf(setting) => return write!(f, "leave the column out of {}", setting.name()),
            Self::TreatMissingValues => "learning needs a way to treat them, or those columns ignored",
            Self::ImputeMissing => "learn with missing values filled in",
            Self::ImputeColumns => "fill the others in while learning",
            Self::ImputeFiles => "fill the values in first",
            Self::DropIncompleteRows => "keep the complete rows only",
            Self::MissingAsState => "make missing a state",
            Self::IgnoreColumnsSuchAs(column) => return write!(f, "ignore columns, such as `{column}`"),
            Self::IgnoreEmptiestColumns => "ignore the emptiest columns",
            Self::IgnoreColumn(column) => return write!(f, "ignore column `{column}`"),
            Self::IgnoreColumns(columns) => match columns.as_slice() {
                [column] => return write!(f, "ignore column `{column}`"),
                _ => "ignore these columns",
            },
            Self::DiscretizeColumn(column) => return write!(f, "discretise column `{column}`"),
            Self::CountAsMissing(_) | Self::AddMissingText(_) => "count it as missing if it means that",
            Self::MissingInColumn { column, text } => {
                return write!(f, "count `{text}` as missing in column `{column}`");
            }
            Self::NameSubjects => "name the column of the subjects, of which one row each is then drawn",
            Self::UseAsId(column) => return write!(f, "draw one row per value of column `{column}`"),
            Self::UseAsWeights(column) => return write!(f, "use column `{column}` as row weights"),
            Self::ChangeMissingTexts => "change what counts as missing",
            Self::DeclareState { .. } => "declare it",
            Self::DeclareLevels(_) => "declare them",
            Self::DeclareAllLevels => "declare the states of every column",
            Self::RaiseMaxStates => "allow more states",
            Self::UnseenAsMissing => "treat them as missing",
            Self::Describe => "a description of the data lists them",
            Self::RaiseMemoryLimit => "raise the memory limit",
            Self::RaiseReadLimit(limit) => return write!(f, "raise the limit `{}`", limit.name()),
            Self::LowerMaxParents => "lower the limit on parents",
            Self::RaiseMaxParents => "raise the limit on parents",
            Self::RaiseMostCells => "raise the limit",
            Self::MakeNetworkFile => "learning and fitting write network files",
            Self::FitTables => "make them by fitting the structure",
            Self::UseAsStructure(which) => {
                return write!(f, "where a structure is enough, it stands for {which}");
            }
            Self::NameFormat => "if the file is of another format, name it",
            Self::ChooseFolds => "use from 2 folds up to the number of rows",
            Self::HoldOutRows => "use folds of rows",
            Self::HoldOutDataSets => "leave out whole data sets",
            Self::ResampleRows => "resample rows",
            Self::ResampleDataSets => "draw whole data sets",
            Self::KeepAllDataSets => "keep all data sets",
            Self::SetReplicates(number) => return write!(f, "{number} is a common choice"),
            Self::GiveBootstrapResult => "give a file that the bootstrap has written",
            Self::AllowMoreTime => "bootstrap again with more time",
            Self::ResumeBootstrap => "resume with the finished ones",
        };
        f.write_str(text)
    }
}

/// The terms of a front end for settings and remedies.
pub trait Wording {
    /// The name of a setting.
    fn setting(&self, setting: Setting) -> &'static str;

    /// An option by name, with its value unless that is empty.
    fn option(&self, name: &str, value: &str) -> String;

    /// The name of an operation.
    fn verb(&self, verb: Verb) -> &'static str;

    /// A remedy as a clause in the imperative, without a full stop.
    fn remedy(&self, remedy: &Remedy) -> String;
}

/// The library's own terms, as in `Display`.
#[derive(Debug, Clone, Copy)]
pub struct Neutral;

impl Wording for Neutral {
    fn setting(&self, setting: Setting) -> &'static str {
        setting.name()
    }

    fn option(&self, name: &str, value: &str) -> String {
        format!("{name} {value}").trim_end().to_owned()
    }

    fn verb(&self, verb: Verb) -> &'static str {
        match verb {
            Verb::Bootstrap => "a bootstrap",
            Verb::Explain => "an explanation",
        }
    }

    fn remedy(&self, remedy: &Remedy) -> String {
        remedy.to_string()
    }
}

/// An error or a remark with its remedies.
pub trait Actionable: fmt::Display {
    /// The problem. Differs from `Display` only where a setting is named.
    fn problem(&self, _words: &dyn Wording) -> String {
        self.to_string()
    }

    /// The alternative remedies.
    fn remedies(&self) -> Vec<Remedy> {
        Vec::new()
    }

    /// The problem and its remedies in the terms of a front end.
    fn message(&self, words: &dyn Wording) -> String {
        let problem = self.problem(words);
        let remedies = self.remedies();
        if remedies.is_empty() {
            return shorten_lines(&problem);
        }
        shorten_lines(&format!("{problem}; {}", alternatives(&remedies, words)))
    }
}

/// Cuts the middle out of lines above 2,000 characters, so that a message with a very long name stays readable.
pub fn shorten_lines(text: &str) -> String {
    const LONGEST: usize = 2000;
    const HEAD: usize = 1200;
    const TAIL: usize = 600;
    let shorten = |line: &str| {
        let length = line.chars().count();
        if length <= LONGEST {
            return line.to_owned();
        }
        let head: String = line.chars().take(HEAD).collect();
        let tail: String = line.chars().skip(length - TAIL).collect();
        format!("{head} [… {} characters …] {tail}", length - HEAD - TAIL)
    };
    text.split('\n').map(shorten).collect::<Vec<_>>().join("\n")
}

/// Texts of front ends and parsers have no remedies.
impl Actionable for str {}
impl Actionable for &str {}
impl Actionable for String {}
impl Actionable for serde_json::Error {}

/// `a`, `a or b`, `a, b, or c`.
pub fn alternatives(remedies: &[Remedy], words: &dyn Wording) -> String {
    /// Longer clauses are separated by a comma.
    const SHORT: usize = 30;
    let mut clauses: Vec<String> = remedies.iter().map(|remedy| words.remedy(remedy)).collect();
    let short = clauses.iter().all(|clause| clause.chars().count() <= SHORT);
    let Some(last) = clauses.pop() else { return String::new() };
    match clauses.len() {
        0 => last,
        1 if short => format!("{} or {last}", clauses[0]),
        _ => format!("{}, or {last}", clauses.join(", ")),
    }
}

/// `a`, `a and b`, `a, b and c`.
pub fn list_settings(settings: &[Setting], words: &dyn Wording) -> String {
    let names: Vec<&str> = settings.iter().map(|&setting| words.setting(setting)).collect();
    match names.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => names.concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remedies_are_joined_into_a_sentence() {
        let (short, long) = (Remedy::Advice("correct the row"), Remedy::SetDelimiter);
        let joined = |remedies: &[Remedy]| alternatives(remedies, &Neutral);
        assert_eq!(joined(&[]), "");
        assert_eq!(joined(std::slice::from_ref(&short)), "correct the row");
        assert_eq!(joined(&[short.clone(), Remedy::RaiseMaxStates]), "correct the row or allow more states");
        let two = "correct the row, or set the delimiter if cells are split wrongly";
        assert_eq!(joined(&[short.clone(), long]), two);
        let three = joined(&[short, Remedy::RaiseMaxStates, Remedy::RaiseMemoryLimit]);
        assert_eq!(three, "correct the row, allow more states, or raise the memory limit");
    }

    #[test]
    fn settings_are_listed_and_texts_have_no_remedies() {
        let settings = [Setting::Columns, Setting::Ignore, Setting::Group];
        assert_eq!(list_settings(&settings, &Neutral), "columns, ignore and group");
        assert_eq!(list_settings(&settings[..1], &Neutral), "columns");
        assert_eq!("as it is".message(&Neutral), "as it is");
    }
}
