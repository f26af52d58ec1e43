//! Describes data despite errors: lists all problems and suspicions, and options with which the data can be read.

use super::description::{Description, Note};
use super::discretize::{Discretization, DiscretizationRule, DiscretizationTarget};
use super::error::DataError;
use super::missing::MissingTest;
use super::options::{Missing, ReadOptions};
use super::profile::ColumnProfile;
use super::read::{RawData, Reading, read_raw};
use super::source::Source;
use super::suspicion::{Suspects, Suspicion};
use crate::remedy::Setting;

/// The number of bins of a numeric column that has no rule.
const BINS: usize = 4;

/// The properties of data before anything is learned from them.
#[derive(Debug)]
pub struct Inspection {
    /// The data as they are read with the given options, changed only where reading would fail.
    pub description: Description,
    /// Every column as stored in the files.
    pub columns: Vec<ColumnProfile>,
    /// Why reading with the given options fails.
    pub problems: Vec<DataError>,
    /// The likely meaning of columns.
    pub suspicions: Vec<Suspicion>,
    /// Options with which the data can be read, and which remove most suspicions.
    pub advised: ReadOptions,
}

impl Inspection {
    /// Whether files must be corrected before the advised options work, because no option helps.
    pub fn needs_correction(&self) -> bool {
        use DataError::{AllDropped, ColumnsDiffer, NotNumeric, RoleMissing, TooManyStates, Weight};
        let is_option = |problem: &DataError| {
            matches!(
                problem,
                ColumnsDiffer { .. }
                    | RoleMissing { .. }
                    | TooManyStates { .. }
                    | NotNumeric { .. }
                    | Weight { .. }
                    | AllDropped { .. }
            )
        };
        !self.problems.iter().all(is_option)
    }
}

/// Describes related data sets as [`super::read`] reads them, but does not refuse data: an error becomes a problem, and
/// the rest is described. Options that are invalid for any data are refused.
pub fn describe(sources: Vec<Source>, options: &ReadOptions) -> Result<Inspection, DataError> {
    let mut problems = Vec::new();
    let raw = match read_raw(sources, options, Some(&mut problems)) {
        // Nothing was read: report the first reason.
        Err(DataError::NoSource) if !problems.is_empty() => return Err(problems.remove(0)),
        raw => raw?,
    };
    let mut needed = options.clone();
    for problem in &problems {
        match problem {
            DataError::ColumnsDiffer { .. } => needed.common_columns = true,
            DataError::RoleMissing { setting, column, .. } => {
                if matches!(setting, Setting::Group | Setting::Id) {
                    needed.missing = Missing::DropRows;
                } else {
                    needed.weight = None;
                    needed.ignore.push(column.clone());
                }
            }
            DataError::Weight { column, .. } | DataError::TotalWeight { column } => {
                needed.weight = None;
                needed.ignore.push(column.clone());
            }
            _ => {}
        }
    }
    let missing = MissingTest::new(&options.na);
    let columns: Vec<ColumnProfile> = raw
        .columns
        .iter()
        .map(|column| ColumnProfile::new(column, &missing, &raw.rows, options.max_states))
        .collect();
    let decided = |column: &str| {
        options.levels.iter().any(|(name, _)| name == column)
            || options.discretize.iter().any(|rule| rule.target.column().is_none_or(|name| name == column))
    };
    let suspicions = Suspects {
        columns: &raw.columns,
        profiles: &columns,
        rows: &raw.rows,
        missing: &missing,
        decided: &decided,
        has_weights: options.weight.is_some(),
        has_id: options.id.is_some(),
    }
    .find();

    let mut described = needed.clone();
    let counts_missing = described.missing == Missing::Refuse;
    if counts_missing {
        described.missing = Missing::Level;
    }
    let mut description = match read_despite_errors(&raw, &mut described, &columns, &mut problems) {
        // No row could be read: report the first reason.
        Err(DataError::NoState { .. }) if !problems.is_empty() => return Err(problems.remove(0)),
        reading => reading?.description,
    };
    // The suspicions say so.
    description.notes.retain(|note| !matches!(note, Note::NumbersAsStates { .. }));
    if counts_missing {
        description.forget_missing_state(&options.levels);
    }
    let mut advised = ReadOptions { missing: needed.missing, ..described };
    apply_remedies(&suspicions, &mut advised);
    treat_missing(&raw, &mut advised, &columns)?;
    Ok(Inspection { description, columns, problems, suspicions, advised })
}

/// Reads the raw cells; on errors, records the problem and changes the options until reading succeeds.
fn read_despite_errors(
    raw: &RawData,
    options: &mut ReadOptions,
    columns: &[ColumnProfile],
    problems: &mut Vec<DataError>,
) -> Result<Reading, DataError> {
    loop {
        let error = match raw.clone().encode(options) {
            Ok(reading) => return Ok(reading),
            Err(error) => error,
        };
        match &error {
            DataError::TooManyStates { columns: many, .. } => {
                for many in many {
                    let profile = columns.iter().find(|profile| profile.name == many.column);
                    if profile.is_some_and(|profile| profile.numeric) {
                        options.discretize.push(quantiles(&many.column));
                    } else {
                        options.ignore.push(many.column.clone());
                    }
                }
            }
            DataError::NotNumeric { column, .. } => {
                options.discretize.retain(|rule| rule.target.column() != Some(column));
            }
            DataError::UnknownState { column, .. } | DataError::LevelMeansMissing { column, .. } => {
                options.levels.retain(|(name, _)| name != column);
            }
            DataError::MissingLabelTaken { column, label } => options.na.push(format!("{column}={label}")),
            DataError::AllDropped { .. } if options.missing == Missing::DropRows => {
                options.missing = Missing::Level;
            }
            _ => return Err(error),
        }
        problems.push(error);
    }
}

fn quantiles(column: &str) -> DiscretizationRule {
    let target = DiscretizationTarget::Column(column.to_owned());
    DiscretizationRule { target, method: Discretization::Quantile(BINS) }
}

/// Applies the remedies of suspicions to the options. Spellings have no option and are left to the user.
fn apply_remedies(suspicions: &[Suspicion], options: &mut ReadOptions) {
    for suspicion in suspicions {
        let column = suspicion.column().to_owned();
        if options.ignore.contains(&column) {
            continue;
        }
        match suspicion {
            Suspicion::MissingCode { value, .. } => options.na.push(format!("{column}={value}")),
            Suspicion::Quantity { .. } => {
                if !options.discretize.iter().any(|rule| rule.target.column() == Some(&column)) {
                    options.discretize.push(quantiles(&column));
                }
            }
            Suspicion::Weight { .. } if options.weight.is_none() => options.weight = Some(column),
            Suspicion::Subjects { .. } if options.id.is_none() && options.weight.is_none() => {
                options.discretize.retain(|rule| rule.target.column() != Some(&column));
                options.levels.retain(|(name, _)| *name != column);
                options.id = Some(column);
            }
            Suspicion::Identifier { .. }
            | Suspicion::Subjects { .. }
            | Suspicion::ConstantWithin { .. }
            | Suspicion::Function { .. } => {
                options.discretize.retain(|rule| rule.target.column() != Some(&column));
                options.levels.retain(|(name, _)| *name != column);
                options.ignore.push(column);
            }
            Suspicion::Weight { .. } | Suspicion::Spellings { .. } => {}
        }
    }
}

/// Chooses a treatment of missing values, if there are any: drops incomplete rows if that leaves at least half of the
/// rows of every data set, otherwise fills in missing values, or makes missing a state where that is impossible. The
/// resulting options read without error.
fn treat_missing(
    raw: &RawData,
    options: &mut ReadOptions,
    columns: &[ColumnProfile],
) -> Result<(), DataError> {
    if let Err(DataError::Missing(table)) = raw.clone().encode(options) {
        let mut rows = table.left.iter().zip(raw.rows.rows_by_data_set());
        let keeps_half = rows.all(|(left, rows)| 2 * left >= rows);
        options.missing = if keeps_half { Missing::DropRows } else { Missing::Impute };
        // A column without any value cannot be filled in.
        if options.missing == Missing::Impute && raw.clone().encode(options).is_err() {
            options.missing = Missing::Level;
        }
    }
    read_despite_errors(raw, options, columns, &mut Vec::new())?;
    Ok(())
}
