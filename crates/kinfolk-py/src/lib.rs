//! The Python module `kinfolk._kinfolk`: translates between Python's objects and the library, and computes nothing.

#![expect(
    clippy::needless_pass_by_value,
    reason = "what is made from a Python object is handed over, not lent"
)]

mod arrow;
mod bootstrap;
mod data;
mod error;
mod example;
mod explain;
mod given;
mod impute;
mod learn;
mod network;
mod posterior;
mod reading;
mod report;
mod settings;
mod simulate;
mod task;
mod validate;
mod values;
mod wording;
mod work;

use pyo3::prelude::*;

/// The compiled module of the package `kinfolk`, which re-exports its classes and functions.
#[pymodule]
mod _kinfolk {
    #[pymodule_export]
    use crate::arrow::{ArrowColumn, ArrowTable, take_arrow};
    #[pymodule_export]
    use crate::bootstrap::bootstrap;
    #[pymodule_export]
    use crate::data::{Data, describe, read, restore};
    #[pymodule_export]
    use crate::error::{DataError, KinfolkError, NetworkError, SettingsError, StructureError};
    #[pymodule_export]
    use crate::example::example;
    #[pymodule_export]
    use crate::explain::explain;
    #[pymodule_export]
    use crate::impute::impute;
    #[pymodule_export]
    use crate::learn::{compare, cpdag, fit, learn, score, table_method};
    #[pymodule_export]
    use crate::network::{Network, load, load_foreign};
    #[pymodule_export]
    use crate::posterior::posterior;
    #[pymodule_export]
    use crate::reading::recorded_reading;
    #[pymodule_export]
    use crate::report::{drawings, evidence_colours, report};
    #[pymodule_export]
    use crate::simulate::simulate;
    #[pymodule_export]
    use crate::validate::validate;
    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        module.add("ABSENT_ARCS", kinfolk::explain::ABSENT_ARCS)?;
        module.add("WEAK_BELOW", kinfolk::learned::WEAK_BELOW)
    }
}
