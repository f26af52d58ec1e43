//! Missing values: detection, counts by column and data set, and incomplete rows.

use std::fmt;

use super::levels::{normal_form, number};
use super::options::DEFAULT_NA;
use super::raw::RawColumn;
use super::rows::Rows;
use crate::remedy::{Actionable, Remedy};

/// The label of missing values where they are a state.
pub const MISSING_LABEL: &str = "(missing)";

/// The column and the text of an entry of [`super::ReadOptions::na`]: `COLUMN=TEXT` holds for one column, any
/// other text for all.
pub fn split_missing_text(entry: &str) -> (Option<&str>, &str) {
    match entry.rsplit_once('=') {
        Some((column, text)) if !column.trim().is_empty() => (Some(column.trim()), text.trim_ascii()),
        _ => (None, entry.trim_ascii()),
    }
}

/// The texts that mean "missing", given those a user named: texts of single columns are added to the defaults,
/// texts of all columns replace them.
pub fn missing_texts(given: Vec<String>) -> Vec<String> {
    let only_columns = !given.is_empty() && given.iter().all(|entry| split_missing_text(entry).0.is_some());
    let defaults = DEFAULT_NA.iter().filter(|_| only_columns).map(|&text| text.to_owned());
    defaults.chain(given).collect()
}

/// Recognises cells that mean "missing": in all columns, or in one.
pub(super) struct MissingTest<'a> {
    everywhere: MissingTexts<'a>,
    in_column: Vec<(&'a str, MissingTexts<'a>)>,
}

#[derive(Default)]
struct MissingTexts<'a> {
    texts: Vec<&'a str>,
    /// The numeric spellings: value and normal form.
    numbers: Vec<(f64, String)>,
}

impl<'a> MissingTest<'a> {
    /// Texts match by spelling and, if they are numbers, by value.
    pub(super) fn new(na: &'a [String]) -> Self {
        let (mut everywhere, mut in_column) =
            (MissingTexts::default(), Vec::<(&str, MissingTexts<'a>)>::new());
        for entry in na {
            match split_missing_text(entry) {
                (None, text) => everywhere.push(text),
                (Some(column), text) => {
                    let known = in_column.iter().position(|(name, _)| *name == column);
                    let at = known.unwrap_or_else(|| {
                        in_column.push((column, MissingTexts::default()));
                        in_column.len() - 1
                    });
                    in_column[at].1.push(text);
                }
            }
        }
        Self { everywhere, in_column }
    }

    /// Whether a cell of a column is missing; an empty cell always is.
    pub(super) fn is_missing(&self, column: &str, cell: &str) -> bool {
        let own = self.in_column.iter().find(|(name, _)| *name == column);
        cell.is_empty() || self.everywhere.has(cell) || own.is_some_and(|(_, texts)| texts.has(cell))
    }

    /// Whether each code of a column is missing. A declared category is a state regardless of its spelling,
    /// unless it is named for this column.
    pub(super) fn codes(&self, column: &RawColumn) -> Vec<bool> {
        let own = self.in_column.iter().find(|(name, _)| *name == column.name);
        let is_category = |cell: &String| !cell.is_empty() && column.categories.contains(cell);
        let is_missing = |cell: &String| {
            own.is_some_and(|(_, texts)| texts.has(cell))
                || (cell.is_empty() || self.everywhere.has(cell)) && !is_category(cell)
        };
        column.dictionary.iter().map(is_missing).collect()
    }
}

impl<'a> MissingTexts<'a> {
    fn push(&mut self, text: &'a str) {
        self.texts.push(text);
        self.numbers.extend(number(text).zip(normal_form(text)));
    }

    fn has(&self, cell: &str) -> bool {
        self.texts.contains(&cell) || self.is_missing_number(cell)
    }

    fn is_missing_number(&self, cell: &str) -> bool {
        if self.numbers.is_empty() {
            return false;
        }
        number(cell).is_some_and(|value| {
            let same = |(na, form): &(f64, String)| *na == value && normal_form(cell).as_ref() == Some(form);
            self.numbers.iter().any(same)
        })
    }
}

/// Missing values by column and data set, and the incomplete rows.
#[derive(Default)]
pub(super) struct MissingCells {
    /// By column, then by data set; counted with multiplicity.
    pub(super) counts: Vec<Vec<u64>>,
    /// Whether each counted row lacks a value; empty if none does.
    pub(super) incomplete: Vec<bool>,
}

impl MissingCells {
    /// Counts the missing values of all counted rows; columns without missing codes are skipped.
    pub(super) fn count(columns: &[RawColumn], codes: &[Vec<bool>], rows: &Rows) -> Self {
        let mut incomplete = Vec::new();
        let mut counts = vec![vec![0; rows.data_sets.len()]; columns.len()];
        for ((column, codes), counts) in columns.iter().zip(codes).zip(&mut counts) {
            if !codes.contains(&true) {
                continue;
            }
            incomplete.resize(rows.len(), false);
            for (row, code) in column.codes.iter().enumerate() {
                if codes[code as usize] && rows.weight(row) > 0 && !rows.is_dropped(row) {
                    counts[rows.data_set(row)] += rows.weight(row);
                    incomplete[row] = true;
                }
            }
        }
        if !incomplete.contains(&true) {
            incomplete.clear();
        }
        Self { counts, incomplete }
    }

    /// The table for the error message.
    pub(super) fn table(self, columns: &[RawColumn], rows: &Rows) -> MissingTable {
        let mut left = vec![0; rows.data_sets.len()];
        for row in (0..rows.len()).filter(|&row| !self.incomplete[row]) {
            left[rows.data_set(row)] += rows.weight(row);
        }
        let named =
            columns.iter().zip(self.counts).filter(|(_, counts)| counts.iter().any(|&count| count > 0));
        MissingTable {
            data_sets: rows.data_sets.clone(),
            columns: named.map(|(column, counts)| (column.name.clone(), counts)).collect(),
            left,
        }
    }
}

/// The number of missing values by column and data set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingTable {
    /// The data sets.
    pub data_sets: Vec<String>,
    /// The columns with missing values, each with its counts by data set.
    pub columns: Vec<(String, Vec<u64>)>,
    /// The number of complete rows by data set.
    pub left: Vec<u64>,
}

/// The limits on listed columns and data sets, to fit a screen.
const COLUMNS_SHOWN: usize = 15;
const DATA_SETS_SHOWN: usize = 8;

impl fmt::Display for MissingTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let wide = self.data_sets.len() <= DATA_SETS_SHOWN;
        let line = |name: &str, counts: &[u64]| {
            let mut cells = vec![name.to_owned()];
            if wide {
                cells.extend(counts.iter().map(u64::to_string));
            }
            if !wide || counts.len() > 1 {
                cells.push(counts.iter().sum::<u64>().to_string());
            }
            cells
        };
        let mut head = vec!["column".to_owned()];
        if wide {
            head.extend(self.data_sets.iter().cloned());
        }
        if !wide || self.data_sets.len() > 1 {
            head.push("together".to_owned());
        }
        let mut lines = vec![head];
        lines.extend(self.columns.iter().take(COLUMNS_SHOWN).map(|(name, counts)| line(name, counts)));
        lines.push(line("complete rows", &self.left));
        let width = |cell: usize| lines.iter().map(|line| line[cell].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..lines[0].len()).map(width).collect();

        write!(f, "values are missing:")?;
        for (index, line) in lines.iter().enumerate() {
            if index + 1 == lines.len() && self.columns.len() > COLUMNS_SHOWN {
                write!(f, "\n  … and {} more columns", self.columns.len() - COLUMNS_SHOWN)?;
            }
            write!(f, "\n  {:<1$}", line[0], widths[0])?;
            for (cell, width) in line.iter().zip(&widths).skip(1) {
                write!(f, "  {cell:>width$}")?;
            }
        }
        Ok(())
    }
}

impl Actionable for MissingTable {
    fn remedies(&self) -> Vec<Remedy> {
        let emptiest = self.columns.iter().max_by_key(|(_, counts)| counts.iter().sum::<u64>());
        let ignore = emptiest.map(|(name, _)| Remedy::IgnoreColumnsSuchAs(name.clone()));
        [Remedy::ImputeMissing, Remedy::DropIncompleteRows, Remedy::MissingAsState]
            .into_iter()
            .chain(ignore)
            .collect()
    }
}
