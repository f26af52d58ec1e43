//! Python exceptions, one class per kind of library error.

use kinfolk::remedy::Actionable;
use pyo3::exceptions::PyValueError;
use pyo3::{PyErr, create_exception};

use crate::wording::Keywords;

create_exception!(kinfolk, KinfolkError, PyValueError, "The base class of kinfolk's errors: invalid input.");
create_exception!(kinfolk, DataError, KinfolkError, "The data cannot be read.");
create_exception!(kinfolk, StructureError, KinfolkError, "A structure or a constraint is invalid.");
create_exception!(kinfolk, SettingsError, KinfolkError, "A setting is invalid, or does not apply.");
create_exception!(kinfolk, NetworkError, KinfolkError, "A network cannot be created, read or queried.");

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
