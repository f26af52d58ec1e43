//! The numerical example of the paper, for Python.

use kinfolk::example::{NETWORK, PRINTED_SCORES, STEPS, data};
use pyo3::prelude::*;

use crate::data::{Columns, columns};

/// The true structure, the arcs in the order they are added, the printed scores, how often each row is there, and the rows.
type Example<'py> = (&'static str, [(&'static str, &'static str); 5], [[f64; 5]; 6], Vec<u64>, Columns<'py>);

/// What the paper prints, and its data.
#[pyfunction]
pub(crate) fn example(py: Python<'_>) -> PyResult<Example<'_>> {
    let data = data();
    let weights = (0..data.stored_rows()).map(|row| data.weight(row)).collect();
    Ok((NETWORK, STEPS, PRINTED_SCORES, weights, columns(py, &data)?))
}
