//! Arrow data from Python: tables and columns of any library that has the Arrow C interface, read in place.

mod capsule;
mod coding;
mod spelling;

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef};
use arrow_buffer::NullBuffer;
use arrow_schema::{DataType, FieldRef};
use kinfolk::data::{CodedColumn, Column};
use numpy::PyArray1;
use pyo3::prelude::*;

use crate::error;

/// A column, in the pieces that it came in.
#[derive(Debug)]
pub(crate) struct Pieces {
    field: FieldRef,
    chunks: Vec<Chunk>,
}

/// A piece of a column, and which of its rows have a value: not even the others' place in a dictionary can be relied on.
#[derive(Debug)]
struct Chunk {
    array: ArrayRef,
    valid: Option<NullBuffer>,
}

impl Pieces {
    fn new(field: FieldRef) -> Self {
        Self { field, chunks: Vec::new() }
    }

    /// Adds a piece, of whose rows some may be missing altogether.
    fn push(&mut self, array: &ArrayRef, rows: Option<&NullBuffer>) {
        let valid = NullBuffer::union(rows, array.nulls());
        self.chunks.push(Chunk { array: Arc::clone(array), valid });
    }

    /// How many rows there are.
    pub(crate) fn rows(&self) -> usize {
        self.chunks.iter().map(|chunk| chunk.array.len()).sum()
    }

    /// The column as codes. A text that `na` has is missing, also if it is a level.
    pub(crate) fn code(&self, name: &str, na: Option<&[String]>) -> PyResult<CodedColumn> {
        coding::code(self, name, na).map_err(|reason| {
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

    /// Texts, codes, and whether the texts are all that the column can have.
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

/// Takes Arrow data: a table if they are structs, which have named fields, and a column otherwise.
#[pyfunction]
pub(crate) fn take_arrow<'py>(py: Python<'py>, given: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let capsule::Imported { field, chunks } = capsule::import(given)?;
    if let DataType::Struct(fields) = field.data_type() {
        let mut columns: Vec<Pieces> = fields.iter().cloned().map(Pieces::new).collect();
        for chunk in &chunks {
            let rows = chunk.as_struct();
            for (pieces, array) in columns.iter_mut().zip(rows.columns()) {
                pieces.push(array, rows.nulls());
            }
        }
        let columns = columns.into_iter().map(Arc::new).collect();
        return Ok(Bound::new(py, ArrowTable { columns })?.into_any());
    }
    let mut pieces = Pieces::new(Arc::new(field));
    chunks.iter().for_each(|chunk| pieces.push(chunk, None));
    Ok(Bound::new(py, ArrowColumn { pieces: Arc::new(pieces) })?.into_any())
}
