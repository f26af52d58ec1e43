//! Properties of columns that often need an option: missing codes, identifiers, subjects, weights, functions of others.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::Serialize;

use super::error::list_names;
use super::levels::number;
use super::missing::MissingTest;
use super::profile::ColumnProfile;
use super::raw::RawColumn;
use super::rows::Rows;
use crate::remedy::{Actionable, Remedy};

/// A property of a column that the user may not intend. Its text is a sentence without a full stop.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "suspicion", rename_all = "kebab-case")]
pub enum Suspicion {
    /// A value that usually means "missing".
    MissingCode {
        /// The column.
        column: String,
        /// The value.
        value: String,
    },
    /// A numeric column whose every value would be a state.
    Quantity {
        /// The column.
        column: String,
        /// The number of distinct values.
        distinct: usize,
    },
    /// Almost every row has a distinct value.
    Identifier {
        /// The column.
        column: String,
    },
    /// Names the subject of each row, and some subjects have several rows.
    Subjects {
        /// The column.
        column: String,
        /// The number of subjects.
        subjects: usize,
    },
    /// Whole numbers, and without this column no row repeats.
    Weight {
        /// The column.
        column: String,
    },
    /// Values that differ only in case or spaces.
    Spellings {
        /// The column.
        column: String,
        /// The values.
        values: Vec<String>,
    },
    /// Constant within every data set, but not over all.
    ConstantWithin {
        /// The column.
        column: String,
    },
    /// Determined by another column.
    Function {
        /// The column.
        column: String,
        /// The column that determines it.
        of: String,
        /// Whether it determines that column, too.
        mutual: bool,
    },
}

impl Suspicion {
    /// The column concerned.
    pub fn column(&self) -> &str {
        match self {
            Self::MissingCode { column, .. }
            | Self::Quantity { column, .. }
            | Self::Identifier { column }
            | Self::Subjects { column, .. }
            | Self::Weight { column }
            | Self::Spellings { column, .. }
            | Self::ConstantWithin { column }
            | Self::Function { column, .. } => column,
        }
    }
}

impl fmt::Display for Suspicion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::MissingCode { column, value } => {
                write!(f, "`{value}` in column `{column}` may mean missing")
            }
            Self::Quantity { column, distinct } => write!(
                f,
                "column `{column}` has numbers, and each of its {distinct} distinct values would be a state without order"
            ),
            Self::Identifier { column } => write!(f, "column `{column}` looks like an identifier of rows"),
            Self::Subjects { column, subjects } => write!(
                f,
                "column `{column}` looks like the subject of each row: {subjects} subjects, of which some have several rows"
            ),
            Self::Weight { column } => {
                write!(f, "column `{column}` looks like row counts: without it no two rows are equal")
            }
            Self::Spellings { column, values } => {
                write!(f, "values of column `{column}` differ only in case or spaces: {}", list_names(values))
            }
            Self::ConstantWithin { column } => {
                write!(
                    f,
                    "column `{column}` is constant within every data set, so it only identifies the data set"
                )
            }
            Self::Function { column, of, mutual: true } => {
                write!(f, "columns `{column}` and `{of}` determine each other")
            }
            Self::Function { column, of, .. } => {
                write!(f, "column `{column}` is a function of column `{of}`")
            }
        }
    }
}

impl Actionable for Suspicion {
    fn remedies(&self) -> Vec<Remedy> {
        match self {
            Self::MissingCode { column, value } => {
                vec![Remedy::MissingInColumn { column: column.clone(), text: value.clone() }]
            }
            Self::Quantity { column, .. } => vec![Remedy::DiscretizeColumn(column.clone())],
            Self::Subjects { column, .. } => vec![Remedy::UseAsId(column.clone())],
            Self::Weight { column } => vec![Remedy::UseAsWeights(column.clone())],
            Self::Spellings { .. } => vec![Remedy::Advice("use one spelling in the files")],
            Self::Identifier { column } | Self::ConstantWithin { column } | Self::Function { column, .. } => {
                vec![Remedy::IgnoreColumn(column.clone())]
            }
        }
    }
}

/// Finds the suspicions about the columns of one reading.
pub(super) struct Suspects<'a> {
    pub(super) columns: &'a [RawColumn],
    pub(super) profiles: &'a [ColumnProfile],
    pub(super) rows: &'a Rows,
    pub(super) missing: &'a MissingTest<'a>,
    /// Columns whose states the user has determined, by levels or bins.
    pub(super) decided: &'a dyn Fn(&str) -> bool,
    pub(super) has_weights: bool,
    pub(super) has_id: bool,
}

/// Texts that usually mean "missing", in lower case.
const MISSING_TEXTS: [&str; 10] =
    ["n/a", "na", "nan", "null", "nil", "missing", "#n/a", "<na>", "not available", "."];

/// Numbers that usually mean "missing" if they lie outside the range of the others.
const MISSING_NUMBERS: [f64; 9] = [-9.0, -99.0, -999.0, -9999.0, -99999.0, 99.0, 999.0, 9999.0, 99999.0];

impl Suspects<'_> {
    /// All suspicions, by column.
    pub(super) fn find(&self) -> Vec<Suspicion> {
        let mut found = Vec::new();
        for (column, profile) in self.columns.iter().zip(self.profiles) {
            let name = || column.name.clone();
            found.extend(self.missing_codes(column));
            if Self::is_identifier(column, profile) {
                found.push(Suspicion::Identifier { column: name() });
                continue;
            }
            if !self.has_id && !(self.decided)(&column.name) && is_subject(column, profile) {
                found.push(Suspicion::Subjects { column: name(), subjects: profile.distinct });
                continue;
            }
            if !self.has_weights && self.is_weight(column, profile) {
                found.push(Suspicion::Weight { column: name() });
                continue;
            }
            if self.is_constant_within(column, profile) {
                found.push(Suspicion::ConstantWithin { column: name() });
                continue;
            }
            if profile.is_quantity() && !(self.decided)(&column.name) && column.categories.is_empty() {
                found.push(Suspicion::Quantity { column: name(), distinct: profile.distinct });
            }
            found.extend(Self::spellings(column, profile));
        }
        // Whatever is constant for a subject is a function of it.
        let subjects: Vec<String> = found
            .iter()
            .filter(|one| matches!(one, Suspicion::Subjects { .. }))
            .map(|one| one.column().to_owned())
            .collect();
        found.extend(self.functions(&subjects));
        found
    }

    fn missing_codes(&self, column: &RawColumn) -> Vec<Suspicion> {
        let is_missing = self.missing.codes(column);
        let known: Vec<&String> =
            column.dictionary.iter().zip(&is_missing).filter(|(_, is)| !**is).map(|(text, _)| text).collect();
        let suspect =
            |value: &String| Suspicion::MissingCode { column: column.name.clone(), value: value.clone() };
        if !column.categories.is_empty() {
            return Vec::new();
        }
        let mut found: Vec<Suspicion> = known
            .iter()
            .filter(|text| MISSING_TEXTS.contains(&text.to_lowercase().as_str()))
            .map(|text| suspect(text))
            .collect();
        let numbers: Vec<(f64, &String)> =
            known.iter().filter_map(|text| Some((number(text)?, *text))).collect();
        for (value, text) in numbers.iter().filter(|(value, _)| MISSING_NUMBERS.contains(value)) {
            let others =
                || numbers.iter().map(|(other, _)| *other).filter(|other| !MISSING_NUMBERS.contains(other));
            let (low, high) =
                (others().fold(f64::INFINITY, f64::min), others().fold(f64::NEG_INFINITY, f64::max));
            // 99 may be the code of a category, but only if other codes are near it.
            let outside = if *value < 0.0 { low >= 0.0 } else { *value > high + (high - low).max(1.0) / 2.0 };
            if numbers.len() > 2 && low < high && outside {
                found.push(suspect(text));
            }
        }
        found
    }

    /// Texts that are distinct in nearly every row, or whole numbers that increase from row to row.
    fn is_identifier(column: &RawColumn, profile: &ColumnProfile) -> bool {
        /// With fewer rows the test is uninformative.
        const FEWEST_ROWS: usize = 20;
        let rows = column.codes.len();
        if rows < FEWEST_ROWS || profile.distinct * 20 < rows * 19 {
            return false;
        }
        if !profile.numeric {
            return true;
        }
        let values: Vec<f64> =
            column.codes.iter().filter_map(|code| number(&column.dictionary[code as usize])).collect();
        let steps = values.windows(2).filter(|pair| pair[1] > pair[0]).count();
        // Concatenated files may each count from one.
        profile.integer && steps * 20 >= values.len().saturating_sub(1) * 19
    }

    fn is_weight(&self, column: &RawColumn, profile: &ColumnProfile) -> bool {
        /// Larger tables are not contingency tables.
        const MOST_ROWS: usize = 10_000;
        const NAMES: [&str; 9] =
            ["freq", "frequency", "count", "counts", "n", "weight", "weights", "wt", "cases"];
        let rows = column.codes.len();
        let is_count = profile.integer
            && profile.data_sets.iter().filter_map(|one| one.numbers).all(|numbers| numbers.min >= 0.0);
        if !is_count
            || !(4..=MOST_ROWS).contains(&rows)
            || !NAMES.contains(&column.name.to_lowercase().as_str())
        {
            return false;
        }
        let others: Vec<&RawColumn> = self.columns.iter().filter(|other| other.name != column.name).collect();
        let mut seen = BTreeSet::new();
        !others.is_empty()
            && (0..rows).all(|row| {
                let values: Vec<u32> = others.iter().map(|other| other.codes.get(row)).collect();
                seen.insert((self.rows.data_set(row), values))
            })
    }

    fn is_constant_within(&self, column: &RawColumn, profile: &ColumnProfile) -> bool {
        let is_missing = self.missing.codes(column);
        let mut first: Vec<Option<u32>> = vec![None; self.rows.data_sets.len()];
        if profile.distinct < 2 || first.len() < 2 {
            return false;
        }
        for (row, code) in column.codes.iter().enumerate() {
            if !is_missing[code as usize] && !self.rows.is_dropped(row) {
                let first = first[self.rows.data_set(row)].get_or_insert(code);
                if *first != code {
                    return false;
                }
            }
        }
        // With one row per data set, every column is constant within them.
        column.codes.len() >= 2 * self.rows.data_sets.len()
    }

    fn spellings(column: &RawColumn, profile: &ColumnProfile) -> Option<Suspicion> {
        let mut alike: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for value in profile.values.iter().flatten() {
            let plain = value.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
            alike.entry(plain).or_default().push(value.clone());
        }
        let values: Vec<String> = alike.into_values().filter(|values| values.len() > 1).flatten().collect();
        (!values.is_empty()).then(|| Suspicion::Spellings { column: column.name.clone(), values })
    }

    /// Columns with few values that are determined by another such column; each is reported once.
    fn functions(&self, without: &[String]) -> Vec<Suspicion> {
        /// With more columns, comparing all pairs would take too long.
        const MOST_COLUMNS: usize = 300;
        let rows = self.rows.len();
        // A column with almost as many values as rows determines others by chance.
        let few = |index: &usize| {
            let profile = &self.profiles[*index];
            (2..=rows / 10).contains(&profile.distinct) && !without.contains(&profile.name)
        };
        let columns: Vec<usize> = (0..self.columns.len()).filter(few).take(MOST_COLUMNS).collect();
        let mut found = Vec::new();
        let mut reported = BTreeSet::new();
        // Texts with too many values are left out, so they cannot stand for the columns that they determine.
        let is_kept = |of: usize| self.profiles[of].numeric || self.profiles[of].values.is_some();
        for &of in columns.iter().filter(|&&of| is_kept(of)) {
            for &column in columns.iter().filter(|&&column| column != of) {
                if reported.contains(&column) || reported.contains(&of) || !self.determines(of, column) {
                    continue;
                }
                reported.insert(column);
                let mutual = self.determines(column, of);
                let name = |index: usize| self.columns[index].name.clone();
                found.push(Suspicion::Function { column: name(column), of: name(of), mutual });
            }
        }
        found
    }

    fn determines(&self, of: usize, column: usize) -> bool {
        let (of, column) = (&self.columns[of], &self.columns[column]);
        let mut value_of: Vec<Option<u32>> = vec![None; of.dictionary.len()];
        of.codes
            .iter()
            .zip(column.codes.iter())
            .all(|(from, to)| *value_of[from as usize].get_or_insert(to) == to)
    }
}

/// Whether the name says that a column identifies subjects, and the subjects have several rows, but not so many that they
/// could be data sets.
fn is_subject(column: &RawColumn, profile: &ColumnProfile) -> bool {
    /// With fewer subjects there would be too few rows.
    const FEWEST: usize = 10;
    /// The largest mean number of rows of a subject.
    const MOST_ROWS_EACH: usize = 50;
    const SUBJECTS: [&str; 11] = [
        "subject",
        "subj",
        "patient",
        "pat",
        "person",
        "participant",
        "individual",
        "respondent",
        "pers",
        "proband",
        "p",
    ];
    const NUMBERS: [&str; 7] = ["id", "nr", "no", "num", "number", "code", "ident"];
    let name: String = column.name.to_lowercase().chars().filter(|letter| letter.is_alphabetic()).collect();
    let without_number = NUMBERS.iter().find_map(|number| name.strip_suffix(number));
    let without_number =
        without_number.or_else(|| NUMBERS.iter().find_map(|number| name.strip_prefix(number)));
    let is_named = match without_number {
        // "code" and "number" alone say nothing.
        Some("") => ["id", "nr", "ident"].contains(&name.as_str()),
        Some(stem) => SUBJECTS.contains(&stem),
        None => SUBJECTS[..8].contains(&name.as_str()),
    };
    let (subjects, rows) = (profile.distinct, column.codes.len());
    let whole = !profile.numeric || profile.integer;
    is_named && whole && subjects >= FEWEST && rows > subjects && rows <= subjects * MOST_ROWS_EACH
}
