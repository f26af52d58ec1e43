//! Reads related data sets: from sources to encoded rows.

use super::RelatedData;
use super::description::{Description, Note};
use super::encode::Encoder;
use super::error::DataError;
use super::layout::lay_out;
use super::missing::MissingTest;
use super::options::{Missing, ReadOptions};
use super::raw::{Files, RawColumn, Stack};
use super::rows::{Rows, refuse_missing};
use super::source::{Source, name_data_sets};
use super::table::Waiting;
use crate::remedy::Setting;

/// Related data sets and their description.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// The encoded rows.
    pub data: RelatedData,
    /// The description of the data as read.
    pub description: Description,
}

/// A completed phase of reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// All cells are read, and each column's distinct texts are known.
    Read,
    /// The rows are encoded as states.
    Encoded,
}

/// Reads related data sets from tables of delimited text.
///
/// Without [`ReadOptions::group`] every source is one data set. With it, the rows of all sources are
/// concatenated and split by that column. Columns are matched by name. Time is proportional to the number of
/// cells; memory holds one small code per cell and the distinct texts of each column.
pub fn read(sources: Vec<Source>, options: &ReadOptions) -> Result<Reading, DataError> {
    read_observed(sources, options, &mut |_| ())
}

/// As [`read`], and reports the end of each phase, for callers that measure time.
pub fn read_observed(
    sources: Vec<Source>,
    options: &ReadOptions,
    observe: &mut dyn FnMut(Phase),
) -> Result<Reading, DataError> {
    let raw = read_raw(sources, options, None)?;
    observe(Phase::Read);
    let reading = raw.encode(options)?;
    observe(Phase::Encoded);
    Ok(reading)
}

/// All cells as codes of texts, before the states of the columns are determined.
#[derive(Debug, Clone)]
pub(super) struct RawData {
    pub(super) columns: Vec<RawColumn>,
    pub(super) rows: Rows,
    /// The column of the subjects, if it was named.
    id: Option<RawColumn>,
    files: Files,
    notes: Vec<Note>,
    file_names: Vec<String>,
}

/// Reads all cells. With `problems`, errors in the files are recorded there and the rest is read: other files, other
/// rows, shared columns, rows with a data set, rows without their weights.
pub(super) fn read_raw(
    sources: Vec<Source>,
    options: &ReadOptions,
    mut problems: Option<&mut Vec<DataError>>,
) -> Result<RawData, DataError> {
    options.check()?;
    if sources.is_empty() {
        return Err(DataError::NoSource);
    }
    let mut tolerate = |error: DataError| match &mut problems {
        None => Err(error),
        Some(problems) => {
            problems.push(error);
            Ok(())
        }
    };
    let (mut names, mut tables) = (Vec::new(), Vec::new());
    for (name, source) in name_data_sets(&sources)?.into_iter().zip(sources) {
        match Waiting::new(source, options.delimiter, options.limits) {
            Ok(table) => {
                names.push(name);
                tables.push(table);
            }
            Err(error) => tolerate(error)?,
        }
    }
    let mut layout_options = options.clone();
    let layout = loop {
        let headers: Vec<_> = tables.iter().map(Waiting::header).collect();
        if headers.is_empty() {
            return Err(DataError::NoSource);
        }
        match lay_out(&headers, &layout_options) {
            Err(error @ DataError::ColumnsDiffer { .. }) => {
                tolerate(error)?;
                layout_options.common_columns = true;
            }
            Err(DataError::RoleAbsent { setting, file, column }) => {
                let without = tables.iter().position(|table| table.header().file == file);
                tolerate(DataError::RoleAbsent { setting, file, column })?;
                let without = without.expect("the error names one of the files");
                tables.remove(without);
                names.remove(without);
            }
            layout => break layout?,
        }
    };
    let file_names: Vec<String> = tables.iter().map(|table| table.header().file.clone()).collect();

    let mut stack = Stack::new(layout.names);
    for (table, positions) in tables.into_iter().zip(&layout.positions) {
        stack.append(table.resume(options.delimiter, options.limits)?, positions, &mut tolerate)?;
    }
    let (mut columns, files) = stack.finish();
    let mut roles = columns.split_off(layout.variables).into_iter();

    let missing = MissingTest::new(&options.na);
    let mut rows = match options.group.as_ref().and_then(|_| roles.next()) {
        Some(group) => match Rows::by_group(&group, &files, &missing, options.missing) {
            Err(error @ DataError::RoleMissing { .. }) => {
                tolerate(error)?;
                Rows::by_group(&group, &files, &missing, Missing::DropRows)?
            }
            rows => rows?,
        },
        None => Rows::by_file(names, &files),
    };
    if let Some(weight) = options.weight.as_ref().and_then(|_| roles.next())
        && let Err(error) = rows.weigh(&weight, &files, &missing)
    {
        tolerate(error)?;
    }
    let id = roles.next();
    if let Some(id) = &id
        && options.missing != Missing::DropRows
        && let Err(error) = refuse_missing(Setting::Id, id, &files, &missing)
    {
        tolerate(error)?;
    }
    Ok(RawData { columns, rows, id, files, notes: layout.notes, file_names })
}

impl RawData {
    /// Determines the states of the columns that the options leave, and encodes the rows.
    pub(super) fn encode(mut self, options: &ReadOptions) -> Result<Reading, DataError> {
        self.columns.retain(|column| !options.ignore.contains(&column.name));
        if let Some(weight) = &options.weight
            && let Some(index) = self.columns.iter().position(|column| column.name == *weight)
        {
            let weight = self.columns.remove(index);
            self.rows.weigh(&weight, &self.files, &MissingTest::new(&options.na))?;
        }
        // The options may have been changed since the cells were read.
        let id = match (&options.id, self.id) {
            (None, _) => None,
            (Some(_), Some(id)) => Some(id),
            (Some(name), None) => {
                let at = self.columns.iter().position(|column| column.name == *name);
                at.map(|at| self.columns.remove(at))
            }
        };
        let mut reading =
            Encoder::new(options, self.files, self.notes).encode(self.columns, self.rows, id.as_ref())?;
        for (index, data_set) in reading.description.data_sets.iter_mut().enumerate() {
            let one = options.group.is_none();
            data_set.sources =
                if one { vec![self.file_names[index].clone()] } else { self.file_names.clone() };
        }
        Ok(reading)
    }
}
