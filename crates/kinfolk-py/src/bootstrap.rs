//! Bootstraps: how sure the arcs of a network are.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use kinfolk::bootstrap::{Bootstrap, BootstrapError, By, Record};
use kinfolk::score::Halt;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::{Value, json};

use crate::data::Data;
use crate::error;
use crate::settings::{ScoreSettings, SearchSettings, unknown};
use crate::task::{Default, Machine, Task, document};
use crate::work::run;

/// What is drawn again, as given.
#[derive(Debug, FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct BootstrapSettings {
    replicates: u64,
    by: String,
    leave_one_out: Option<bool>,
    /// Searches that earlier runs have finished, a line of JSON each.
    done: Vec<String>,
    /// Where finished searches are kept.
    keep: Option<PathBuf>,
}

/// A file that finished searches are added to, and what went wrong with it.
struct Kept {
    file: Option<File>,
    failure: Option<io::Error>,
}

impl Kept {
    /// Adds a finished search, in one piece; says whether it went well so far.
    fn add(&mut self, record: Option<&Record>) -> bool {
        if let (Some(file), Some(record), None) = (&mut self.file, record, &self.failure) {
            self.failure = file.write_all((json!(record).to_string() + "\n").as_bytes()).err();
        }
        self.failure.is_none()
    }
}

/// Learns again from resampled data, and says how sure every arc is.
#[pyfunction]
pub(crate) fn bootstrap<'py>(
    py: Python<'py>,
    data: &Bound<'py, Data>,
    settings: BootstrapSettings,
    score: ScoreSettings,
    search: SearchSettings,
    machine: Machine<'py>,
) -> PyResult<Bound<'py, PyDict>> {
    let task = Task::new(data.get(), &score, &search, Default::Bhd, &machine)?;
    let Task { reading, score, search: chosen, settings: recorded } = task;
    let by = match settings.by.as_str() {
        "rows" => By::Rows,
        "data-sets" => By::DataSets,
        other => return Err(unknown("by", other, &["rows", "data-sets"])),
    };
    let done: Vec<Record> = settings
        .done
        .iter()
        .map(|line| serde_json::from_str(line))
        .collect::<Result<_, _>>()
        .map_err(|reason| error::data(format!("resume: a line is no finished search ({reason})")))?;
    let open = |path: &PathBuf| {
        let file = OpenOptions::new().append(true).open(path);
        file.map_err(|reason| error::data(format!("resume: {}: {reason}", path.display())))
    };
    let kept = Mutex::new(Kept { file: settings.keep.as_ref().map(open).transpose()?, failure: None });
    let bytes = machine.bytes();
    let several = reading.data.schema().data_sets().len() > 1;
    let found = run(py, &machine.terms_of(&search)?, move |watch| {
        let bootstrap = Bootstrap {
            score: score.as_ref(),
            climb: chosen.climb,
            start: chosen.start,
            keep_scores: chosen.keep_scores,
            by,
            replicates: settings.replicates,
            leave_one_out: settings.leave_one_out.unwrap_or(several),
            seed: search.seed,
            memory: Some(bytes),
        };
        let observe = |searches: kinfolk::bootstrap::Progress<'_>| {
            // What cannot be kept need not be worked on.
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
            Some(reason) => Err(error::data(format!("resume: the file cannot be written: {reason}"))),
        }
    })?;
    document(py, &found, [("settings", Value::Object(recorded))])
}
