//! Python exceptions, one class per kind of library error.

use kinfolk::remedy::Actionable;
use pyo3::exceptions::PyValueError;
use pyo3::{PyErr, create_exception};

use crate::wording::Keywords;

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

pub(crate) fn data(error: impl Actionable) -> PyErr {
    DataError::new_err(error.message(&Keywords))
}

pub(crate) fn structure(error: impl Actionable) -> PyErr {
    StructureError::new_err(error.message(&Keywords))
}

pub(crate) fn settings(error: impl Actionable) -> PyErr {
    SettingsError::new_err(error.message(&Keywords))
}

pub(crate) fn network(error: impl Actionable) -> PyErr {
    NetworkError::new_err(error.message(&Keywords))
}
