//! `kinfolk.bootstrap`: the stability of arcs under resampling.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use kinfolk::bootstrap::{Bootstrap, BootstrapError, By, FinishedSearch, ResumeError, ResumeFile};
use kinfolk::estimate::TableSpec;
use kinfolk::score::Halt;
use pyo3::exceptions::PyUserWarning;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::Value;

use crate::data::Data;
use crate::error;
use crate::settings::{ScoreSettings, SearchSettings, choice};
use crate::task::{ComputeSettings, Task, document};
use crate::work::run;

/// The settings of a bootstrap, as given.
#[derive(Debug, FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct BootstrapSettings {
    replicates: u64,
    by: String,
    leave_one_out: Option<bool>,
    resume: Option<PathBuf>,
}

/// A file that finished searches are appended to, and why an append failed.
struct ResumeLog {
    file: Option<ResumeFile<FinishedSearch>>,
    failure: Option<ResumeError>,
}

impl ResumeLog {
    /// Appends a finished search. Returns whether all appends have succeeded so far.
    fn add(&mut self, record: Option<&FinishedSearch>) -> bool {
        if let (Some(file), Some(record), None) = (&mut self.file, record, &self.failure) {
            self.failure = file.append(record).err();
        }
        self.failure.is_none()
    }
}

/// An error of the resume file.
fn refused(error: &ResumeError) -> PyErr {
    error::data(format!("resume: {error}"))
}

/// Learns from resampled data and reports the strength of every arc.
#[pyfunction]
pub(crate) fn bootstrap<'py>(
    py: Python<'py>,
    data: &Bound<'py, Data>,
    settings: BootstrapSettings,
    score: ScoreSettings,
    search: SearchSettings,
    machine: ComputeSettings<'py>,
) -> PyResult<Bound<'py, PyDict>> {
    let spec = score.spec()?;
    let (tables, _) = TableSpec::after_search(&spec, None)
        .build(data.get().reading.data.schema().data_sets().len())
        .map_err(error::settings)?;
    let task = Task::new(data.get(), &score, &search, &machine)?;
    let Task { reading, score, search: chosen, settings: recorded } = task;
    let by: By = choice("by", &settings.by)?;
    let (file, done) = match &settings.resume {
        None => (None, Vec::new()),
        Some(path) => {
            let opened = by.resume(path, &recorded, &reading.data);
            let (file, done) = opened.map_err(|error| refused(&error))?;
            (Some(file), done)
        }
    };
    if by.overstates(spec.score()) {
        let text = c"kin overstates the evidence of repeated rows, which resamples contain: strengths may be far too high; by='half-rows' repeats none";
        PyErr::warn(py, &py.get_type::<PyUserWarning>(), text, 1)?;
    }
    let kept = Mutex::new(ResumeLog { file, failure: None });
    let bytes = machine.bytes();
    let found = run(py, &machine.terms_of(&search)?, move |watch| {
        let bootstrap = Bootstrap {
            score: score.as_ref(),
            climb: chosen.climb,
            start: chosen.start,
            keep_scores: chosen.keep_scores,
            by,
            replicates: settings.replicates,
            leave_one_out: settings.leave_one_out,
            seed: search.seed,
            memory: Some(bytes),
            tables,
        };
        let observe = |searches: kinfolk::bootstrap::BootstrapProgress<'_>| {
            // Stop if finished searches cannot be saved.
            if !kept.lock().unwrap_or_else(PoisonError::into_inner).add(searches.finished) {
                return ControlFlow::Break(Halt::Interrupted);
            }
            watch.note(|progress| (progress.done, progress.of) = (searches.done, searches.of))
        };
        let found = bootstrap.run(&reading.data, &done, &observe).map_err(|refused| match refused {
            BootstrapError::Record(_) => error::data(refused),
            _ => error::settings(refused),
        })?;
        match kept.into_inner().unwrap_or_else(PoisonError::into_inner).failure {
            None => Ok(found),
            Some(failure) => Err(refused(&failure)),
        }
    })?;
    document(py, &found, [("settings", Value::Object(recorded))])
}
