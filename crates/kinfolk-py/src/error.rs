//! The exceptions that the library's errors become, in the library's words.

use std::fmt::Display;

use pyo3::exceptions::PyValueError;
use pyo3::{PyErr, create_exception};

create_exception!(kinfolk, KinfolkError, PyValueError, "Something that kinfolk was given is wrong.");
create_exception!(kinfolk, DataError, KinfolkError, "Data cannot be read as asked.");
create_exception!(kinfolk, StructureError, KinfolkError, "A structure or a constraint on it is wrong.");
create_exception!(
    kinfolk,
    SettingsError,
    KinfolkError,
    "A setting is impossible, or belongs to another choice."
);
create_exception!(kinfolk, NetworkError, KinfolkError, "A network cannot be made, read or asked as wished.");

pub(crate) fn data(error: impl Display) -> PyErr {
    DataError::new_err(error.to_string())
}

pub(crate) fn structure(error: impl Display) -> PyErr {
    StructureError::new_err(error.to_string())
}

pub(crate) fn settings(error: impl Display) -> PyErr {
    SettingsError::new_err(error.to_string())
}

pub(crate) fn network(error: impl Display) -> PyErr {
    NetworkError::new_err(error.to_string())
}
