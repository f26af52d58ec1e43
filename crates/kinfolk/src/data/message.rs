//! Messages of data errors: the problem with file, row, column and value, and the remedies.

use std::error::Error;
use std::fmt::{self, Write as _};
use std::io;

use super::error::{ColumnDifference, DataError, ManyStates, list_names, nothing_observed};
use super::new_rows::UnseenValue;
use crate::remedy::{Actionable, Neutral, ReadLimit, Remedy, Setting, Wording, alternatives, shorten_lines};

impl Error for DataError {}

impl fmt::Display for DataError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.problem(&Neutral))
    }
}

impl Actionable for DataError {
    #[expect(clippy::too_many_lines, reason = "one arm for each error")]
    fn problem(&self, words: &dyn Wording) -> String {
        let name = |setting: Setting| words.setting(setting);
        match self {
            Self::NoSource => "no data".to_owned(),
            Self::Open { file, reason } if reason.kind() == io::ErrorKind::NotFound => {
                format!("{file}: cannot be opened: {reason}; check its name and folder")
            }
            Self::Open { file, reason } => format!("{file}: cannot be opened: {reason}"),
            Self::Directory { file } => format!("{file} is a directory; name the files in it"),
            Self::SameFile { file } => format!("{file} is given twice; its rows would count twice"),
            Self::Read { file, reason } => format!("{file}: reading failed: {reason}"),
            Self::Damaged { file, reason } => format!(
                "{file}: the compressed data end too early or are damaged ({reason}); fetch or compress the file again"
            ),
            Self::Empty { file } => format!("{file} is empty; its first row must name the columns"),
            Self::NotUtf8 { file, row, column } => {
                let column = column.as_ref().map(|column| format!(", column `{column}`")).unwrap_or_default();
                format!(
                    "{file}, row {row}{column}: the text is not UTF-8; convert the file, for example with iconv -t utf-8"
                )
            }
            Self::DuplicateColumn { file, column } => {
                format!("{file}, row 1: two columns are named `{column}`; rename one")
            }
            Self::Ragged { file, row, found, expected } => {
                let cells = if *found == 1 { "cell" } else { "cells" };
                format!("{file}, row {row}: {found} {cells} where the header has {expected}")
            }
            Self::OpenQuote { file, row } => format!(
                "{file}, row {row}: its last cell opens with a quotation mark that is never closed, so that all rows after it \
                 are inside the cell; close it, or double it if it is meant as a character"
            ),
            Self::AboveLimit { file, row, column, limit, most } => match (limit, column) {
                (ReadLimit::Cell, Some(column)) => {
                    format!("{file}, row {row}, column `{column}`: the cell has more than {most} bytes")
                }
                (ReadLimit::Cell, None) => format!(
                    "{file}, row {row}: a cell or row is far longer than the limit of {most} bytes for a cell, perhaps because a \
                     quotation mark is not closed"
                ),
                (ReadLimit::Columns, _) => format!("{file} has more than {most} columns"),
                (ReadLimit::Expanded, _) => {
                    format!("{file}, row {row}: the compressed file expands to more than {most} bytes")
                }
            },
            Self::Delimiter { delimiter } => format!(
                "{} must be one ASCII character other than a quote or a line end, not byte {delimiter:#04x}",
                name(Setting::Delimiter)
            ),
            Self::ColumnsDiffer { first, differences } => format!(
                "the files do not have the same columns; compared with {first}:{}",
                list_differences(differences)
            ),
            Self::NoCommonColumn => "the files share no column".to_owned(),
            Self::UnknownColumn { setting, column, columns, nearest } => {
                let nearest = nearest.as_ref().map(|name| format!(" (did you mean `{name}`?)"));
                format!(
                    "{}: there is no column `{column}`{}; the columns are {}",
                    name(*setting),
                    nearest.unwrap_or_default(),
                    list_names(columns)
                )
            }
            Self::RoleAbsent { setting, file, column } => {
                format!("{file} has no column `{column}`, which {} needs in every file", name(*setting))
            }
            Self::NoWeight { column } => format!(
                "{}: column `{column}` is 0 in every row, so that there are no rows",
                name(Setting::Weight)
            ),
            Self::NoGroup { column } => format!(
                "{}: column `{column}` has no value in any file, so there is no data set",
                name(Setting::Group)
            ),
            Self::ChosenAndIgnored { column } => format!(
                "column `{column}` is named by both {} and {}; leave one out",
                name(Setting::Columns),
                name(Setting::Ignore)
            ),
            Self::OneColumnTwoRoles { column, settings: [first, second] } => format!(
                "column `{column}` is given to both {} and {}; they need two columns",
                name(*first),
                name(*second)
            ),
            Self::WeightedSubjects => format!(
                "{} and {} exclude each other: a weight counts a row several times, a subject counts once; leave one out",
                name(Setting::Id),
                name(Setting::Weight)
            ),
            Self::NoVariable => "no column is left to be a variable".to_owned(),
            Self::RoleMissing { setting, file, row, column, value } => format!(
                "{file}, row {row}, column `{column}`: the value is missing (`{value}`), but {} needs one in every row",
                name(*setting)
            ),
            Self::Weight { file, row, column, value } => format!(
                "{file}, row {row}, column `{column}`: the weight `{value}` is not a whole number from 0 to 2^53; \
                 {} needs row counts",
                name(Setting::Weight)
            ),
            Self::TotalWeight { column } => {
                format!("the weights in column `{column}` add up to more than 2^53 rows")
            }
            Self::Missing(table) => table.to_string(),
            Self::NothingObserved { columns } => nothing_observed(columns),
            Self::AllDropped { dropped } => format!(
                "every row ({dropped} in all) has a missing value, so {} leaves nothing",
                name(Setting::DropRows)
            ),
            Self::MissingLabelTaken { column, label } => {
                format!("column `{column}` has missing values and also a state `{label}`")
            }
            Self::NoState { column } => format!(
                "there are no rows: each file has a header and nothing below it, so that the states of column `{column}` are \
                 unknown"
            ),
            Self::UnknownState { file, row, column, state, states } => {
                let noun = if *states == 1 { "state" } else { "states" };
                format!("{file}, row {row}, column `{column}`: `{state}` is not one of its {states} {noun}")
            }
            Self::NoKnownColumn { file, columns } => {
                format!("{file} has none of the network's columns; they are {}", list_names(columns))
            }
            Self::Unseen { values } => {
                format!("these values are not states of the network:{}", list_unseen(values))
            }
            Self::LevelsFile { file, reason } => format!(
                "{file}: {reason}; {} needs JSON such as {{\"colour\": [\"red\", \"green\"]}}",
                name(Setting::Levels)
            ),
            Self::Levels { column, reason } => {
                format!("{}, column `{column}`: {reason}", name(Setting::Levels))
            }
            Self::LevelMeansMissing { column, level } => format!(
                "{}, column `{column}`: the state `{level}` also means missing",
                name(Setting::Levels)
            ),
            Self::CategoryTwice { column, state } => format!(
                "column `{column}`: two of its categories are the state `{state}`, as spaces around texts do not count; \
                 rename one of them, or make them one"
            ),
            Self::Rule { rule, reason } => format!("{} `{rule}`: {reason}", name(Setting::Discretize)),
            Self::RuleAndLevels { rule } => format!(
                "{} `{rule}`: its states are also declared with {}; leave one out",
                name(Setting::Discretize),
                name(Setting::Levels)
            ),
            Self::NotNumeric { file, row, column, value } => format!(
                "{file}, row {row}, column `{column}`: `{value}` is not a number, so the column cannot be discretised"
            ),
            Self::TooManyStates { max_states, columns } => {
                let lines = columns.iter().map(|column| format!("\n  {}", column.message(words)));
                format!("more than {max_states} distinct values:{}", lines.collect::<String>())
            }
        }
    }

    fn remedies(&self) -> Vec<Remedy> {
        match self {
            Self::NoSource => vec![Remedy::GiveData],
            Self::Ragged { .. } => vec![Remedy::Advice("correct the row"), Remedy::SetDelimiter],
            Self::AboveLimit { limit, .. } => {
                vec![
                    Remedy::Advice("check that the file is what it should be"),
                    Remedy::RaiseReadLimit(*limit),
                ]
            }
            Self::ColumnsDiffer { .. } => {
                vec![Remedy::KeepCommonColumns, Remedy::ChooseColumns, Remedy::ImputeColumns]
            }
            Self::NoCommonColumn => {
                vec![Remedy::Advice("check that they belong together"), Remedy::SetDelimiter]
            }
            Self::NoWeight { .. } => {
                vec![Remedy::Advice("give weights from 1 on"), Remedy::Unset(Setting::Weight)]
            }
            Self::NoVariable => {
                use Setting::{Columns, Group, Id, Ignore, Weight};
                vec![Remedy::Check(vec![Columns, Ignore, Group, Weight, Id])]
            }
            Self::RoleMissing { setting: Setting::Group | Setting::Id, .. } => {
                vec![Remedy::Advice("fill it in"), Remedy::DropIncompleteRows, Remedy::ChangeMissingTexts]
            }
            Self::RoleMissing { .. } => {
                vec![Remedy::Advice("fill it in"), Remedy::Advice("drop the row"), Remedy::ChangeMissingTexts]
            }
            Self::TotalWeight { .. } => {
                vec![Remedy::Advice("divide them"), Remedy::CheckColumn(Setting::Weight)]
            }
            Self::Missing(table) => table.remedies(),
            Self::NothingObserved { columns } => vec![Remedy::IgnoreColumns(columns.clone())],
            Self::AllDropped { .. } => {
                vec![Remedy::ImputeMissing, Remedy::MissingAsState, Remedy::IgnoreEmptiestColumns]
            }
            Self::MissingLabelTaken { label, .. } => {
                vec![Remedy::Advice("rename the state"), Remedy::CountAsMissing((*label).to_owned())]
            }
            Self::NoState { .. } => vec![Remedy::Advice("give a file with rows"), Remedy::DeclareAllLevels],
            Self::UnknownState { column, state, .. } => {
                let declare = Remedy::DeclareState { column: column.clone(), state: state.clone() };
                vec![declare, Remedy::Advice("drop the row")]
            }
            Self::Unseen { .. } => vec![Remedy::Advice("correct them"), Remedy::UnseenAsMissing],
            Self::LevelMeansMissing { .. } => {
                vec![Remedy::ChangeMissingTexts, Remedy::Advice("leave the state out")]
            }
            Self::NotNumeric { value, .. } => {
                vec![Remedy::CountAsMissing(value.clone()), Remedy::TakeColumnOutOf(Setting::Discretize)]
            }
            Self::TooManyStates { columns, .. } => {
                let columns = columns.iter().map(|many| many.column.clone()).collect();
                vec![Remedy::RaiseMaxStates, Remedy::DeclareLevels(columns)]
            }
            _ => Vec::new(),
        }
    }

    fn message(&self, words: &dyn Wording) -> String {
        let (problem, remedies) = (self.problem(words), alternatives(&self.remedies(), words));
        shorten_lines(&match self {
            _ if remedies.is_empty() => problem,
            Self::NoSource => format!("{problem}: {remedies}"),
            // Each column lists its own remedies before these.
            Self::TooManyStates { .. } => format!("{problem}\nor {remedies}"),
            Self::Missing(_) | Self::ColumnsDiffer { .. } | Self::Unseen { .. } => {
                format!("{problem}\n{remedies}")
            }
            _ => format!("{problem}; {remedies}"),
        })
    }
}

impl fmt::Display for ManyStates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { column, values, stray, .. } = self;
        write!(f, "column `{column}` has {values}")?;
        match stray {
            None => Ok(()),
            Some(stray) => {
                write!(
                    f,
                    ": `{stray}` among them is not a number, so that a rule for all columns leaves it as it is"
                )
            }
        }
    }
}

impl Actionable for ManyStates {
    fn remedies(&self) -> Vec<Remedy> {
        let missing = self.stray.clone().map(Remedy::CountAsMissing);
        let bins = self.numeric.then(|| Remedy::DiscretizeColumn(self.column.clone()));
        missing.into_iter().chain(bins).chain([Remedy::IgnoreColumn(self.column.clone())]).collect()
    }

    fn message(&self, words: &dyn Wording) -> String {
        let remedies: Vec<String> = self.remedies().iter().map(|remedy| words.remedy(remedy)).collect();
        match (&self.stray, remedies.split_first()) {
            (Some(_), Some((missing, others))) => format!("{self}; {missing}, or {}", others.join(" or ")),
            _ => format!("{self}: {}", remedies.join(" or ")),
        }
    }
}

fn list_unseen(values: &[UnseenValue]) -> String {
    /// The limit on listed lines, to fit a screen.
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
