//! `kinfolk.explain`: explains a network.

use kinfolk::explain::Explain;
use kinfolk::search::{Event, Search};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::{Value, json};

use crate::data::Data;
use crate::error;
use crate::settings::{ScoreSettings, SearchSettings, structure};
use crate::task::{ComputeSettings, Task, document, fill_in, note};
use crate::work::run;

/// The settings of an explanation, as given.
#[derive(Debug, FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct ExplainSettings {
    structure: Option<String>,
    left_out: usize,
    rivals: bool,
    posterior: bool,
}

/// Computes the evidence for every arc by data set, the verdict on pooling, and the deviating data sets.
#[pyfunction]
pub(crate) fn explain<'py>(
    py: Python<'py>,
    data: &Bound<'py, Data>,
    settings: ExplainSettings,
    score: ScoreSettings,
    search: SearchSettings,
    machine: ComputeSettings<'py>,
) -> PyResult<Bound<'py, PyDict>> {
    let schema = data.get().reading.data.schema();
    let spec = score.spec()?;
    let prior = spec.prior.build(schema.data_sets().len()).map_err(error::settings)?;
    let kin = spec.kin.build().map_err(error::settings)?;
    let given = settings.structure.as_ref().map(|text| structure(text, schema, "structure")).transpose()?;
    let task = Task::new(data.get(), &score, &search, &machine)?;
    let Task { reading, score, search: chosen, settings: mut recorded } = task;
    let Search { climb, start, keep_scores, .. } = chosen.clone();
    recorded.insert("left_out".to_owned(), json!(settings.left_out));
    let rivals = settings.rivals.then(|| start.clone());
    let schema = reading.data.schema();
    let fill_in = fill_in(&spec, score.as_ref(), climb.seed, (schema, machine.bytes()))?;
    let (explanation, stop) = run(py, &machine.terms_of(&search)?, move |watch| {
        let mut observe = |event: &Event<'_>| note(watch, event);
        let (dag, stop) = if let Some(dag) = given {
            (dag, None)
        } else {
            let search = Search { climb: climb.clone(), start, keep_scores, ..chosen };
            let found = fill_in.learn(&reading.data, score.as_ref(), &search, &mut observe);
            let found = found.map_err(error::settings)?;
            (found.dag, Some(found.stop))
        };
        let explain = Explain {
            left_out: settings.left_out,
            posterior: settings.posterior,
            prior,
            kin,
            search: climb,
            start: rivals,
        };
        let prepared = fill_in.prepare(&reading.data, &dag).map_err(error::settings)?;
        let found =
            explain.run_prepared(&prepared, score.as_ref(), &dag, &mut observe).map_err(error::settings)?;
        Ok((found, stop))
    })?;
    document(py, &explanation, [("stop", json!(stop)), ("settings", Value::Object(recorded))])
}
