//! Takes paths and tables from Python: what is given, what no longer depends on Python, and the library's sources.

use std::path::PathBuf;
use std::sync::Arc;

use kinfolk::data::{CodedColumn, CodedTable, Column, Source, column_name};
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use rayon::prelude::*;

use crate::arrow::{ArrowColumn, Pieces};
use crate::error;

/// A table of data from Python.
#[derive(FromPyObject)]
pub(crate) enum GivenTable<'py> {
    /// A file.
    Path(PathBuf),
    /// A name and a file.
    Named(String, PathBuf),
    /// A name and columns.
    Table(String, Vec<GivenColumn<'py>>),
}

/// A column from Python.
#[derive(FromPyObject)]
pub(crate) enum GivenColumn<'py> {
    /// Name, texts, codes, whether it is categorical.
    Coded(String, Vec<String>, Codes<'py>, bool),
    /// A name and Arrow data.
    Arrow(String, Bound<'py, ArrowColumn>),
}

/// Codes in Python's memory, in the narrowest type that holds them.
#[derive(FromPyObject)]
pub(crate) enum Codes<'py> {
    U8(PyReadonlyArray1<'py, u8>),
    U16(PyReadonlyArray1<'py, u16>),
    U32(PyReadonlyArray1<'py, u32>),
}

impl Codes<'_> {
    /// Copies the codes once.
    fn column(&self) -> Column {
        match self {
            Self::U8(codes) => Column::U8(codes.as_array().to_vec()),
            Self::U16(codes) => Column::U16(codes.as_array().to_vec()),
            Self::U32(codes) => Column::U32(codes.as_array().to_vec()),
        }
    }
}

/// A source that no longer depends on Python.
pub(crate) enum OwnedSource {
    /// A complete source.
    Source(Source),
    /// A table with columns still to be coded.
    Table(String, Vec<OwnedColumn>),
}

/// A column that no longer depends on Python.
pub(crate) enum OwnedColumn {
    Coded(CodedColumn),
    Arrow(String, Arc<Pieces>),
}

impl OwnedColumn {
    fn name(&self) -> &str {
        match self {
            Self::Coded(column) => &column.name,
            Self::Arrow(name, _) => name,
        }
    }

    fn rows(&self) -> usize {
        match self {
            Self::Coded(column) => column.codes.len(),
            Self::Arrow(_, pieces) => pieces.rows(),
        }
    }

    /// Codes the column under its final name; an unused column has no values, so that it may have any type.
    fn coded(self, name: &str, na: Option<&[String]>, is_wanted: bool) -> PyResult<CodedColumn> {
        match self {
            Self::Coded(column) => Ok(column),
            Self::Arrow(given, pieces) if is_wanted => {
                Ok(CodedColumn { name: given, ..pieces.code(name, na)? })
            }
            Self::Arrow(given, pieces) => {
                let codes = Column::U8(vec![0; pieces.rows()]);
                Ok(CodedColumn { name: given, texts: Vec::new(), codes, is_categorical: false })
            }
        }
    }
}

/// Takes ownership of the data.
pub(crate) fn take(given: Vec<GivenTable<'_>>) -> Vec<OwnedSource> {
    let column = |given: GivenColumn<'_>| match given {
        GivenColumn::Coded(name, texts, codes, is_categorical) => {
            OwnedColumn::Coded(CodedColumn { name, texts, codes: codes.column(), is_categorical })
        }
        GivenColumn::Arrow(name, column) => OwnedColumn::Arrow(name, Arc::clone(&column.get().pieces)),
    };
    let table = |given: GivenTable<'_>| match given {
        GivenTable::Path(path) => OwnedSource::Source(Source::Path(path)),
        GivenTable::Named(name, path) => OwnedSource::Source(Source::Named { name, path }),
        GivenTable::Table(name, columns) => {
            OwnedSource::Table(name, columns.into_iter().map(column).collect())
        }
    };
    given.into_iter().map(table).collect()
}

/// The library's sources; columns are coded in parallel. Whether a column is used depends on its final name.
pub(crate) fn sources(
    taken: Vec<OwnedSource>,
    na: Option<&[String]>,
    is_wanted: impl Fn(&str) -> bool + Sync,
) -> PyResult<Vec<Source>> {
    let source = |taken: OwnedSource| {
        let (name, columns) = match taken {
            OwnedSource::Source(source) => return Ok(source),
            OwnedSource::Table(name, columns) => (name, columns),
        };
        let of_other_length =
            |first: &OwnedColumn| columns.iter().find(|column| column.rows() != first.rows());
        if let Some((first, other)) = columns.first().and_then(|first| Some((first, of_other_length(first)?)))
        {
            let (column, found) = (other.name(), other.rows());
            let (first, expected) = (first.name(), first.rows());
            return Err(error::data(format!(
                "{name}: column `{column}` has {found} rows, but `{first}` has {expected}; all columns need one length"
            )));
        }
        let coded = columns.into_par_iter().enumerate().map(|(index, column)| {
            let named = column_name(column.name(), index);
            column.coded(&named, na, is_wanted(&named))
        });
        Ok(Source::Coded(CodedTable::new(name, coded.collect::<PyResult<_>>()?)))
    };
    taken.into_iter().map(source).collect()
}
