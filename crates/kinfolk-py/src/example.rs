//! The numerical example of the paper, for Python.

use kinfolk::example::{NETWORK, PRINTED_SCORES, STEPS, data};
use pyo3::prelude::*;

use crate::data::{Columns, columns};

/// The true structure, the arcs in the order of the search, the printed scores, the multiplicity of each row, and the
/// rows.
type Example<'py> = (&'static str, [(&'static str, &'static str); 5], [[f64; 5]; 6], Vec<u64>, Columns<'py>);

/// The printed results of the paper, and its data.
#[pyfunction]
pub(crate) fn example(py: Python<'_>) -> PyResult<Example<'_>> {
    let data = data();
    let weights = (0..data.stored_rows()).map(|row| data.weight(row)).collect();
    Ok((NETWORK, STEPS, PRINTED_SCORES, weights, columns(py, &data)?))
}
