//! What a user can do about an error or a remark, as data that each front end puts into its own words.
//!
//! An error's `Display` says what is wrong. Its ways out are [`Remedy`] values, because the same remedy is a flag on the command
//! line, a keyword in Python and a field of an options struct in Rust. [`Actionable::message`] joins both in the words of a
//! [`Wording`].

use std::fmt;

/// A setting that an error has to name because its value is at fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Setting {
    /// The column that splits the rows into data sets.
    Group,
    /// The column that says how many rows a row stands for.
    Weight,
    /// The columns to use.
    Columns,
    /// The columns to leave out.
    Ignore,
    /// Declared states of columns.
    Levels,
    /// Rules that put numbers into bins.
    Discretize,
    /// The character between cells.
    Delimiter,
    /// Texts that mean "missing".
    Na,
    /// Leaving incomplete rows out.
    DropRows,
    /// The most parents of a node.
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

/// One of the things kinfolk does, which errors name where they speak of its results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verb {
    /// Learning again from resampled data.
    Bootstrap,
    /// Explaining a network.
    Explain,
}

/// Something a user can do. `Display` words it without the names of any front end.
///
/// The enum is exhaustive on purpose: a front end that does not word a new remedy does not compile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Remedy {
    /// Something that changes no setting, in words that fit every front end.
    Advice(&'static str),
    /// Name the data.
    GiveData,
    /// Set the delimiter, if cells are split wrongly.
    SetDelimiter,
    /// Keep only the columns that all files have.
    KeepCommonColumns,
    /// Choose columns, or leave some out.
    ChooseColumns,
    /// Look at these settings again.
    Check(Vec<Setting>),
    /// Look again at which column a setting names.
    CheckColumn(Setting),
    /// Do without a setting.
    Unset(Setting),
    /// Take a column out of what a setting lists.
    TakeColumnOutOf(Setting),
    /// Decide how missing values are treated before learning.
    TreatMissingValues,
    /// Fill missing values in while learning.
    ImputeMissing,
    /// Fill in the columns that some data sets lack while learning.
    ImputeColumns,
    /// Leave incomplete rows out.
    DropIncompleteRows,
    /// Let missing be a state of its own.
    MissingAsState,
    /// Leave out columns, such as this one.
    IgnoreColumnsSuchAs(String),
    /// Leave out the columns that lack most values.
    IgnoreEmptiestColumns,
    /// Leave out this column.
    IgnoreColumn(String),
    /// Put the numbers of this column into bins.
    DiscretizeColumn(String),
    /// Count a text that is in the way as missing.
    CountAsMissing(String),
    /// Add a text that is a state now to those that mean "missing".
    AddMissingText(String),
    /// Count a text as missing in one column.
    MissingInColumn {
        /// The column.
        column: String,
        /// The text.
        text: String,
    },
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
    /// Take values that no state means for missing.
    UnseenAsMissing,
    /// Have the data described.
    Describe,
    /// Allow more memory.
    RaiseMemoryLimit,
    /// Allow fewer parents.
    LowerMaxParents,
    /// Allow more parents.
    RaiseMaxParents,
    /// Allow larger tables for an answer.
    RaiseMostCells,
    /// Give a network file, made by learning or fitting.
    MakeNetworkFile,
    /// Estimate tables for a structure.
    FitTables,
    /// Use a file where a structure is enough; it stands for this one.
    UseAsStructure(&'static str),
    /// Name the format of a file.
    NameFormat,
    /// Ask for another number of folds.
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
    /// Ask for this usual number of replicates.
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
            Self::ChooseColumns => "choose among them",
            Self::Check(settings) => return write!(f, "check {}", list_settings(settings, &Neutral)),
            Self::CheckColumn(setting) => {
                return write!(f, "check that {} names the right column", setting.name());
            }
            Self::Unset(setting) => return write!(f, "leave {} away", setting.name()),
            Self::TakeColumnOutOf(setting) => return write!(f, "leave the column out of {}", setting.name()),
            Self::TreatMissingValues => "learning needs a way to treat them, or those columns ignored",
            Self::ImputeMissing => "learn with missing values filled in",
            Self::ImputeColumns => "fill the others in while learning",
            Self::DropIncompleteRows => "keep the complete rows only",
            Self::MissingAsState => "make missing a state",
            Self::IgnoreColumnsSuchAs(column) => return write!(f, "ignore columns, such as `{column}`"),
            Self::IgnoreEmptiestColumns => "ignore the emptiest columns",
            Self::IgnoreColumn(column) => return write!(f, "ignore column `{column}`"),
            Self::DiscretizeColumn(column) => return write!(f, "discretise column `{column}`"),
            Self::CountAsMissing(_) | Self::AddMissingText(_) => "count it as missing if it means that",
            Self::MissingInColumn { column, text } => {
                return write!(f, "count `{text}` as missing in column `{column}`");
            }
            Self::UseAsWeights(column) => return write!(f, "use column `{column}` as row weights"),
            Self::ChangeMissingTexts => "change what counts as missing",
            Self::DeclareState { .. } => "declare it",
            Self::DeclareLevels(_) => "declare them",
            Self::DeclareAllLevels => "declare the states of every column",
            Self::RaiseMaxStates => "allow more states",
            Self::UnseenAsMissing => "take them for missing",
            Self::Describe => "a description of the data says how",
            Self::RaiseMemoryLimit => "raise the memory limit",
            Self::LowerMaxParents => "lower the limit on parents",
            Self::RaiseMaxParents => "raise the limit on parents",
            Self::RaiseMostCells => "raise the limit",
            Self::MakeNetworkFile => "learning and fitting write network files",
            Self::FitTables => "make them by fitting the structure",
            Self::UseAsStructure(which) => {
                return write!(f, "where a structure is enough, it stands for {which}");
            }
            Self::NameFormat => "if the file is of another format, name it",
            Self::ChooseFolds => "ask for a number of folds from 2 to the number of rows",
            Self::HoldOutRows => "use folds of rows",
            Self::HoldOutDataSets => "leave out whole data sets",
            Self::ResampleRows => "resample rows",
            Self::ResampleDataSets => "draw whole data sets",
            Self::KeepAllDataSets => "do not ask for it",
            Self::SetReplicates(number) => return write!(f, "{number} are usual"),
            Self::GiveBootstrapResult => "give a file that the bootstrap has written",
            Self::AllowMoreTime => "bootstrap again with more time",
            Self::ResumeBootstrap => "go on with those that are finished",
        };
        f.write_str(text)
    }
}

/// How a front end calls settings and words remedies.
pub trait Wording {
    /// The name of a setting.
    fn setting(&self, setting: Setting) -> &'static str;

    /// An option by its name, with a value unless that is empty.
    fn option(&self, name: &str, value: &str) -> String;

    /// What is run to do something.
    fn verb(&self, verb: Verb) -> &'static str;

    /// A remedy as a clause in the imperative, without a full stop.
    fn remedy(&self, remedy: &Remedy) -> String;
}

/// The library's own words: those of `Display`.
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

/// An error or a remark with its ways out.
pub trait Actionable: fmt::Display {
    /// What is wrong. Differs from `Display` only where a setting is named.
    fn problem(&self, _words: &dyn Wording) -> String {
        self.to_string()
    }

    /// What can be done about it, alternatives to each other.
    fn remedies(&self) -> Vec<Remedy> {
        Vec::new()
    }

    /// What is wrong and what can be done about it, in the words of a front end.
    fn message(&self, words: &dyn Wording) -> String {
        let problem = self.problem(words);
        let remedies = self.remedies();
        if remedies.is_empty() {
            return problem;
        }
        format!("{problem}; {}", alternatives(&remedies, words))
    }
}

/// Texts of a front end's own, and of a parser, have no remedies.
impl Actionable for str {}
impl Actionable for &str {}
impl Actionable for String {}
impl Actionable for serde_json::Error {}

/// `a`, `a or b`, `a, b, or c`.
pub fn alternatives(remedies: &[Remedy], words: &dyn Wording) -> String {
    /// Longer clauses are set apart by a comma.
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
    fn remedies_are_joined_as_a_sentence_would() {
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
