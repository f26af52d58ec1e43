//! Reads further files and encodes their rows with the states of known variables.

use std::fmt;

use serde::Serialize;
use serde_json::{Map, Value};

use super::error::DataError;
use super::levels::normal_form;
use super::limits::ReadLimits;
use super::missing::MissingTest;
use super::options::{DEFAULT_NA, Missing, ReadOptions};
use super::raw::{Files, RawColumn, Stack};
use super::rows::Rows;
use super::source::{Source, name_data_sets};
use super::table::Waiting;
use super::{CellMask, Coding, Column, DataSetId, RelatedData, Schema};
use crate::choice::named_choice;
use crate::remedy::Setting;

/// The treatment of values that match no state of their variable.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Unseen {
    /// Refuse them with their positions.
    #[default]
    Refuse,
    /// Treat them as missing.
    Missing,
}

named_choice!(Unseen {
    Refuse: "refuse", "Report where they are and stop";
    Missing: "missing", "Treat them as missing";
});

/// Options for reading further files.
#[derive(Debug, Clone, PartialEq)]
pub struct NewRowsOptions {
    /// The column that names each row's data set; without it every file is one data set.
    pub group: Option<String>,
    /// The column of row multiplicities.
    pub weight: Option<String>,
    /// Spellings of "missing", in addition to the empty cell.
    pub na: Vec<String>,
    /// The treatment of values that match no state of their variable.
    pub unseen: Unseen,
    /// The delimiter; `None` detects it from the file.
    pub delimiter: Option<u8>,
    /// Limits on each file.
    pub limits: ReadLimits,
    /// Whether to keep the text of every cell, including columns that are not variables, so that files can be written
    /// again.
    pub keep_text: bool,
}

impl NewRowsOptions {
    /// The options with the missing values that a network's settings record.
    pub fn recorded(settings: &Map<String, Value>) -> Self {
        let texts = settings.get("na").and_then(Value::as_array);
        let texts = texts.map(|texts| texts.iter().filter_map(Value::as_str).map(str::to_owned).collect());
        let defaults = Self::default();
        Self { na: texts.unwrap_or(defaults.na), ..defaults }
    }
}

impl Default for NewRowsOptions {
    fn default() -> Self {
        let na = DEFAULT_NA.map(str::to_owned).to_vec();
        Self {
            group: None,
            weight: None,
            na,
            unseen: Unseen::default(),
            delimiter: None,
            limits: ReadLimits::default(),
            keep_text: false,
        }
    }
}

/// A value that matches no state of its variable, with its first occurrence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UnseenValue {
    /// The file.
    pub file: String,
    /// The first row with this value.
    pub row: u64,
    /// The column.
    pub column: String,
    /// The value.
    pub value: String,
}

impl fmt::Display for UnseenValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, row {}, column `{}`: `{}`", self.file, self.row, self.column, self.value)
    }
}

/// Rows of further files; missing values have no code.
#[derive(Debug)]
pub struct NewRows {
    sheets: Vec<Sheet>,
    /// The known variables without a column, by file.
    pub absent: Vec<(String, Vec<String>)>,
    /// Values treated as missing because they match no state.
    pub unseen: Vec<UnseenValue>,
}

/// One row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewRow {
    /// The file.
    pub file: String,
    /// The row's number in the file; the header is row 1.
    pub row: u64,
    /// The name of its data set.
    pub data_set: String,
    /// The known data set of that name, if any.
    pub known: Option<DataSetId>,
    /// Its multiplicity.
    pub weight: u64,
    /// The code of every variable, in column order.
    pub values: Vec<Option<u32>>,
}

/// The rows of one file.
#[derive(Debug)]
struct Sheet {
    files: Files,
    rows: Rows,
    known: Vec<Option<DataSetId>>,
    /// For every variable, the raw codes and the state of each, if the file has the column.
    columns: Vec<Option<(Column, Vec<Option<u32>>)>>,
    /// All columns of the file as text, if requested.
    text: Vec<RawColumn>,
}

/// One file as it was read, with the text of every cell.
#[derive(Debug, Clone, Copy)]
pub struct FileText<'a>(&'a Sheet);

impl<'a> FileText<'a> {
    /// The names of the columns, in the file's order.
    pub fn columns(self) -> impl Iterator<Item = &'a str> {
        self.0.text.iter().map(|column| column.name.as_str())
    }

    /// The number of rows.
    pub fn rows(self) -> usize {
        self.0.rows.len()
    }

    /// The cells of a row, counted from 0, in the order of the columns, trimmed.
    pub fn cells(self, row: usize) -> impl Iterator<Item = &'a str> {
        self.0.text.iter().map(move |column| column.dictionary[column.codes.get(row) as usize].as_str())
    }
}

impl NewRows {
    /// Reads files with the variables and states of a schema. Columns are matched by name. Unknown columns
    /// are ignored; a variable without a column is missing in every row.
    pub fn read(sources: Vec<Source>, schema: &Schema, options: &NewRowsOptions) -> Result<Self, DataError> {
        let roles = ReadOptions {
            group: options.group.clone(),
            weight: options.weight.clone(),
            delimiter: options.delimiter,
            ..ReadOptions::default()
        };
        roles.check()?;
        if sources.is_empty() {
            return Err(DataError::NoSource);
        }
        let names = name_data_sets(&sources)?;
        let codings: Vec<Coding> =
            schema.variables().iter().map(|variable| Coding::new(&variable.states)).collect();
        let mut all = Self { sheets: Vec::new(), absent: Vec::new(), unseen: Vec::new() };
        for (source, name) in sources.into_iter().zip(names) {
            let sheet = RowReader { schema, codings: &codings, options }.read(source, name, &mut all)?;
            all.sheets.push(sheet);
        }
        if options.unseen == Unseen::Refuse && !all.unseen.is_empty() {
            return Err(DataError::Unseen { values: all.unseen });
        }
        Ok(all)
    }

    /// The files as text, in the order of [`NewRows::iter`]; without columns unless [`NewRowsOptions::keep_text`] was set.
    pub fn files(&self) -> impl Iterator<Item = FileText<'_>> {
        self.sheets.iter().map(FileText)
    }

    /// The rows of known data sets as data of their variables, with or without incomplete rows.
    pub fn known_rows(&self, schema: &Schema, with_incomplete: bool) -> RelatedData {
        let mut rows: Vec<NewRow> = self
            .iter()
            .filter(|row| row.known.is_some() && row.weight > 0)
            .filter(|row| with_incomplete || row.values.iter().all(Option::is_some))
            .collect();
        // The sort is stable: the rows of a data set keep their order.
        rows.sort_by_key(|row| row.known);
        let data_sets = 0..=schema.data_sets().len();
        let starts = data_sets
            .map(|index| rows.partition_point(|row| row.known.is_some_and(|known| known.index() < index)));
        let starts = starts.collect();
        let (mut columns, mut masks) = (Vec::new(), Vec::new());
        for id in schema.ids() {
            let mut column = Column::for_states(schema.states(id), rows.len());
            rows.iter().for_each(|row| column.push(row.values[id.index()].unwrap_or(0)));
            columns.push(column);
            masks.push(CellMask::new(rows.iter().map(|row| row.values[id.index()].is_none())));
        }
        let weights: Vec<u64> = rows.iter().map(|row| row.weight).collect();
        let weights = weights.iter().any(|&weight| weight != 1).then_some(weights);
        RelatedData::new(schema.clone(), columns, starts, weights).with_missing(masks)
    }

    /// The rows, file by file.
    pub fn iter(&self) -> impl Iterator<Item = NewRow> + '_ {
        self.sheets.iter().flat_map(|sheet| (0..sheet.rows.len()).map(|row| sheet.row(row)))
    }
}

impl Sheet {
    fn row(&self, at: usize) -> NewRow {
        let (file, row) = self.files.locate(at);
        let data_set = self.rows.data_set(at);
        let value = |column: &Option<(Column, Vec<Option<u32>>)>| {
            column.as_ref().and_then(|(codes, meaning)| meaning[codes.get(at) as usize])
        };
        NewRow {
            file,
            row,
            data_set: self.rows.data_sets[data_set].clone(),
            known: self.known[data_set],
            weight: self.rows.weight(at),
            values: self.columns.iter().map(value).collect(),
        }
    }
}

/// The settings shared by all files.
struct RowReader<'a> {
    schema: &'a Schema,
    codings: &'a [Coding],
    options: &'a NewRowsOptions,
}

impl RowReader<'_> {
    fn read(&self, source: Source, name: String, all: &mut NewRows) -> Result<Sheet, DataError> {
        let options = self.options;
        let table = Waiting::new(source, options.delimiter, options.limits)?;
        let header = table.header().clone();
        let place = |name: &str| header.names.iter().position(|column| column == name);
        let known: Vec<bool> =
            self.schema.variables().iter().map(|variable| place(&variable.name).is_some()).collect();
        let names_of = |present: bool| -> Vec<String> {
            let variables = self.schema.variables().iter().zip(&known);
            variables
                .filter(|(_, known)| **known == present)
                .map(|(variable, _)| variable.name.clone())
                .collect()
        };
        let mut names = names_of(true);
        if names.is_empty() {
            return Err(DataError::NoKnownColumn { file: header.file, columns: names_of(false) });
        }
        if names.len() < known.len() {
            all.absent.push((header.file.clone(), names_of(false)));
        }
        for (setting, role) in [(Setting::Group, &options.group), (Setting::Weight, &options.weight)] {
            if let Some(column) = role {
                if place(column).is_none() {
                    return Err(DataError::RoleAbsent { setting, file: header.file, column: column.clone() });
                }
                names.push(column.clone());
            }
        }
        let coded = names.len();
        if options.keep_text {
            names.extend(header.names.iter().cloned());
        }
        let positions: Vec<Option<usize>> = names.iter().map(|name| place(name)).collect();
        let mut stack = Stack::new(names);
        stack.append(table.resume(options.delimiter, options.limits)?, &positions, &mut Err)?;
        let (mut columns, files) = stack.finish();
        let text = columns.split_off(coded);
        let mut roles = columns.split_off(known.iter().filter(|known| **known).count()).into_iter();
        let missing = MissingTest::new(&options.na);
        let mut rows = match options.group.as_ref().and_then(|_| roles.next()) {
            // A file without rows has no groups, which is not an error.
            Some(group) if !group.codes.is_empty() => {
                Rows::by_group(&group, &files, &missing, Missing::Refuse)?
            }
            _ => Rows::by_file(vec![name], &files),
        };
        if let Some(weight) = roles.next() {
            rows.weigh(&weight, &files, &missing)?;
        }
        let mut columns = columns.into_iter();
        let mut coded = Vec::with_capacity(known.len());
        for (coding, known) in self.codings.iter().zip(known) {
            let column = if known { columns.next() } else { None };
            coded.push(column.map(|column| encode(column, coding, &missing, &files, &mut all.unseen)));
        }
        let known = rows.data_sets.iter().map(|name| self.find_data_set(name)).collect();
        Ok(Sheet { files, rows, known, columns: coded, text })
    }

    /// The known data set of this name: by spelling, or by numeric value.
    fn find_data_set(&self, name: &str) -> Option<DataSetId> {
        let names = self.schema.data_sets();
        let same_number = |other: &String| {
            let form = normal_form(name);
            form.is_some() && normal_form(other) == form
        };
        let exact = names.iter().position(|other| other == name);
        exact.or_else(|| names.iter().position(same_number)).map(DataSetId::new)
    }
}

/// The state of each text of a column. A state's own spelling takes precedence over spellings of "missing",
/// except for the empty cell.
fn encode(
    column: RawColumn,
    coding: &Coding,
    missing: &MissingTest<'_>,
    files: &Files,
    unseen: &mut Vec<UnseenValue>,
) -> (Column, Vec<Option<u32>>) {
    let mut strange = vec![false; column.dictionary.len()];
    let meaning: Vec<Option<u32>> = column
        .dictionary
        .iter()
        .zip(&mut strange)
        .map(|(text, strange)| {
            let state = if text.is_empty() { None } else { coding.find_exactly(text) };
            if state.is_some() {
                return state;
            }
            if missing.is_missing(&column.name, text) {
                return coding.missing();
            }
            let state = coding.find(text);
            *strange = state.is_none();
            state
        })
        .collect();
    if strange.contains(&true) {
        for (at, code) in column.codes.iter().enumerate() {
            // Each value is reported once, at its first occurrence.
            if std::mem::replace(&mut strange[code as usize], false) {
                let (file, row) = files.locate(at);
                let value = column.dictionary[code as usize].clone();
                unseen.push(UnseenValue { file, row, column: column.name.clone(), value });
            }
        }
    }
    (column.codes, meaning)
}
