//! Arrow data from Python: tables and columns of any library that has the Arrow C interface, read in place.

mod capsule;
mod coding;
mod spelling;

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, NullArray};
use arrow_buffer::NullBuffer;
use arrow_schema::{DataType, Field};
use kinfolk::data::{CodedColumn, Column};
use numpy::PyArray1;
use pyo3::prelude::*;

use crate::error;

/// A column as a list of chunks.
#[derive(Debug)]
pub(crate) struct Pieces {
    field: Field,
    chunks: Vec<Chunk>,
    /// Why its values cannot be read; then its chunks hold none.
    unreadable: Option<String>,
}

/// A chunk of a column, and which of its rows have a value: the dictionary index of the others is not defined.
#[derive(Debug)]
struct Chunk {
    array: ArrayRef,
    valid: Option<NullBuffer>,
}

impl Pieces {
    fn new(field: Field, unreadable: Option<String>) -> Self {
        Self { field, chunks: Vec::new(), unreadable }
    }

    /// Adds a chunk, with the validity of the struct rows that contain it. A chunk that cannot be read makes the column unreadable.
    fn push(&mut self, array: Result<ArrayRef, String>, rows: usize, present: Option<&NullBuffer>) {
        let array = array.unwrap_or_else(|reason| {
            self.unreadable.get_or_insert(reason);
            Arc::new(NullArray::new(rows))
        });
        let valid = NullBuffer::union(present, array.nulls());
        self.chunks.push(Chunk { array, valid });
    }

    /// The number of rows.
    pub(crate) fn rows(&self) -> usize {
        self.chunks.iter().map(|chunk| chunk.array.len()).sum()
    }

    /// The column as codes. A text listed in `na` is missing, even if it is a declared state.
    pub(crate) fn code(&self, name: &str, na: Option<&[String]>) -> PyResult<CodedColumn> {
        let coded = match &self.unreadable {
            None => coding::code(self, name, na),
            Some(reason) => Err(reason.clone()),
        };
        coded.map_err(|reason| {
            error::data(format!(
                "column `{name}`: its values cannot be read as states ({reason}); cast it to texts or numbers, or leave it out \
                 with ignore"
            ))
        })
    }
}

/// A column of Arrow data.
#[pyclass(frozen, module = "kinfolk._kinfolk")]
pub(crate) struct ArrowColumn {
    pub(crate) pieces: Arc<Pieces>,
}

#[pymethods]
impl ArrowColumn {
    fn __len__(&self) -> usize {
        self.pieces.rows()
    }

    /// The type of its values: `boolean`, `integer` or `float`; none for other types.
    #[getter]
    fn kind(&self) -> Option<&'static str> {
        let kind = match self.pieces.field.data_type() {
            DataType::Dictionary(_, values) => values.as_ref(),
            other => other,
        };
        match kind {
            DataType::Boolean => Some("boolean"),
            kind if kind.is_integer() => Some("integer"),
            kind if kind.is_floating() => Some("float"),
            _ => None,
        }
    }

    /// Texts, codes, and whether the texts are the declared states.
    fn code<'py>(&self, py: Python<'py>) -> PyResult<(Vec<String>, Bound<'py, PyAny>, bool)> {
        let coded = py.detach(|| self.pieces.code(self.pieces.field.name(), None))?;
        let codes = match coded.codes {
            Column::U8(codes) => PyArray1::from_vec(py, codes).into_any(),
            Column::U16(codes) => PyArray1::from_vec(py, codes).into_any(),
            Column::U32(codes) => PyArray1::from_vec(py, codes).into_any(),
        };
        Ok((coded.texts, codes, coded.is_categorical))
    }
}

/// A table of Arrow data.
#[pyclass(frozen, module = "kinfolk._kinfolk")]
pub(crate) struct ArrowTable {
    columns: Vec<Arc<Pieces>>,
}

#[pymethods]
impl ArrowTable {
    /// Names and columns.
    fn columns(&self) -> Vec<(String, ArrowColumn)> {
        let columns = self.columns.iter();
        columns
            .map(|pieces| (pieces.field.name().clone(), ArrowColumn { pieces: Arc::clone(pieces) }))
            .collect()
    }
}

/// Imports Arrow data: a table if they are structs, which have named fields, and a column otherwise. The columns named in `objects` hold
/// pointers to Python objects, whatever type they declare.
#[pyfunction]
#[pyo3(signature = (given, objects = Vec::new()))]
pub(crate) fn take_arrow<'py>(
    py: Python<'py>,
    given: &Bound<'py, PyAny>,
    objects: Vec<String>,
) -> PyResult<Bound<'py, PyAny>> {
    let finish = |mut pieces: Pieces| {
        if objects.contains(pieces.field.name()) {
            pieces.unreadable = Some("objects of Python".to_owned());
        }
        Arc::new(pieces)
    };
    match capsule::import(given)? {
        capsule::Imported::Table(columns) => {
            let columns = columns.into_iter().map(finish).collect();
            Ok(Bound::new(py, ArrowTable { columns })?.into_any())
        }
        capsule::Imported::Column(pieces) => {
            Ok(Bound::new(py, ArrowColumn { pieces: finish(pieces) })?.into_any())
        }
    }
}
