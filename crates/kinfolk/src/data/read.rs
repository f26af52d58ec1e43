//! Reads related data sets: from sources to encoded rows.

use super::RelatedData;
use super::description::Description;
use super::encode::Encoder;
use super::error::DataError;
use super::layout::lay_out;
use super::missing::MissingTest;
use super::options::{Missing, ReadOptions};
use super::raw::Stack;
use super::rows::Rows;
use super::source::{Source, name_data_sets};
use super::table::Waiting;

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
    options.check()?;
    if sources.is_empty() {
        return Err(DataError::NoSource);
    }
    let names = name_data_sets(&sources)?;
    let tables: Vec<Waiting> = sources
        .into_iter()
        .map(|source| Waiting::new(source, options.delimiter))
        .collect::<Result<_, _>>()?;
    let headers: Vec<_> = tables.iter().map(Waiting::header).collect();
    let layout = lay_out(&headers, options)?;
    let file_names: Vec<String> = headers.iter().map(|header| header.file.clone()).collect();

    let mut stack = Stack::new(layout.names);
    for (table, positions) in tables.into_iter().zip(&layout.positions) {
        stack.append(table.resume(options.delimiter)?, positions)?;
    }
    let (mut columns, files) = stack.finish();
    observe(Phase::Read);
    let mut roles = columns.split_off(layout.variables).into_iter();

    let missing = MissingTest::new(&options.na);
    let mut rows = match options.group.as_ref().and_then(|_| roles.next()) {
        Some(group) => Rows::by_group(&group, &files, &missing)?,
        None => Rows::by_file(names, &files),
    };
    if let Some(weight) = roles.next() {
        rows.weigh(&weight, &files, &missing)?;
    }
    let mut reading = Encoder::new(options, files, layout.notes).encode(columns, rows)?;
    for (index, data_set) in reading.description.data_sets.iter_mut().enumerate() {
        let one = options.group.is_none();
        data_set.sources = if one { vec![file_names[index].clone()] } else { file_names.clone() };
    }
    observe(Phase::Encoded);
    Ok(reading)
}

/// Describes related data sets as [`read`] would read them, but counts missing values instead of refusing
/// them.
pub fn describe(sources: Vec<Source>, options: &ReadOptions) -> Result<Description, DataError> {
    if options.missing != Missing::Refuse {
        return Ok(read(sources, options)?.description);
    }
    let lenient = ReadOptions { missing: Missing::Level, ..options.clone() };
    let mut description = read(sources, &lenient)?.description;
    description.forget_missing_state(&options.levels);
    Ok(description)
}
