//! Explanations and bootstraps: why a network is what it is, and how sure it is.

use std::sync::Arc;

use kinfolk::bootstrap::{Bootstrap, By};
use kinfolk::counts::MemoryTally;
use kinfolk::explain::Explain;
use kinfolk::score::Scorer;
use kinfolk::search::Event;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde::Serialize;
use serde_json::{Value, json};

use crate::data::Data;
use crate::learn::{MEGABYTE, note, record, tally};
use crate::settings::{ChosenSearch, ScoreSettings, SearchSettings, structure, unknown};
use crate::work::{Terms, run};
use crate::{error, values};

/// What is explained, as given.
#[derive(Debug, FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct ExplainSettings {
    structure: Option<String>,
    left_out: usize,
    rivals: bool,
}

/// Says what every arc is worth in every data set, whether to pool, and which data sets are odd.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "Python passes them by name")]
pub(crate) fn explain<'py>(
    py: Python<'py>,
    data: &Bound<'py, Data>,
    settings: ExplainSettings,
    score: ScoreSettings,
    search: SearchSettings,
    memory: usize,
    threads: usize,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let data = data.get();
    let reading = Arc::clone(&data.reading);
    let schema = reading.data.schema();
    score.check()?;
    let (prior, kin) = (score.prior.choose(schema.data_sets().len())?, score.kin.choose()?);
    let given = settings.structure.as_ref().map(|text| structure(text, schema, "structure")).transpose()?;
    // A network of the user's is judged by a sum over the data sets, one that is learned now by what it is learned with.
    let (score, score_record) = match given {
        Some(_) => score.choose_or_bhd(schema.data_sets().len())?,
        None => score.choose(schema.data_sets().len())?,
    };
    let ChosenSearch { climb, start, settings: search_record } = search.choose(schema)?;
    let mut recorded = record(score.name());
    recorded.extend(score_record);
    recorded.extend(search_record);
    recorded.insert("left_out".to_owned(), json!(settings.left_out));
    recorded.extend(data.settings.clone());
    recorded.insert("memory".to_owned(), json!(memory));
    let rivals = settings.rivals.then(|| start.clone());
    let terms = Terms { threads, time_limit: search.time_limit()?, progress };
    let (explanation, stop) = run(py, &terms, move |watch| {
        let mut observe = |event: &Event<'_>| note(watch, event);
        let (dag, stop) = if let Some(dag) = given {
            (dag, None)
        } else {
            let tally = tally(&reading.data, score.as_ref(), memory);
            let mut scorer = Scorer::new(&tally, score.as_ref());
            if let Some(most) = search.keep_scores {
                scorer = scorer.keep_at_most(most);
            }
            let climb = climb.run(&mut scorer, start, &mut observe).map_err(error::network)?;
            (climb.dag, Some(climb.stop))
        };
        let explain = Explain { left_out: settings.left_out, prior, kin, search: climb, start: rivals };
        let tally = MemoryTally::new(&reading.data).with_memory(memory.saturating_mul(MEGABYTE));
        let found = explain.run(&tally, score.as_ref(), &dag, &mut observe).map_err(error::network)?;
        Ok((found, stop))
    })?;
    document(py, &explanation, [("stop", json!(stop)), ("settings", Value::Object(recorded))])
}

/// What is drawn again, as given.
#[derive(Debug, FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct BootstrapSettings {
    replicates: u64,
    by: String,
    leave_one_out: bool,
}

/// Learns again from resampled data, and says how sure every arc is.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "Python passes them by name")]
pub(crate) fn bootstrap<'py>(
    py: Python<'py>,
    data: &Bound<'py, Data>,
    settings: BootstrapSettings,
    score: ScoreSettings,
    search: SearchSettings,
    memory: usize,
    threads: usize,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let data = data.get();
    let reading = Arc::clone(&data.reading);
    let schema = reading.data.schema();
    score.check()?;
    let (score, score_record) = score.choose_or_bhd(schema.data_sets().len())?;
    let ChosenSearch { climb, start, settings: search_record } = search.choose(schema)?;
    let mut recorded = record(score.name());
    recorded.extend(score_record);
    recorded.extend(search_record);
    recorded.extend(data.settings.clone());
    recorded.insert("memory".to_owned(), json!(memory));
    let by = match settings.by.as_str() {
        "rows" => By::Rows,
        "data-sets" => By::DataSets,
        other => return Err(unknown("by", other, &["rows", "data-sets"])),
    };
    let terms = Terms { threads, time_limit: search.time_limit()?, progress };
    let found = run(py, &terms, move |watch| {
        let bootstrap = Bootstrap {
            score: score.as_ref(),
            climb,
            start,
            keep_scores: search.keep_scores,
            by,
            replicates: settings.replicates,
            leave_one_out: settings.leave_one_out,
            seed: search.seed,
            memory: Some(memory.saturating_mul(MEGABYTE)),
        };
        let observe = |searches: kinfolk::bootstrap::Progress<'_>| {
            watch.note(|progress| (progress.done, progress.of) = (searches.done, searches.of))
        };
        bootstrap.run(&reading.data, &[], &observe).map_err(error::data)
    })?;
    document(py, &found, [("settings", Value::Object(recorded))])
}

/// A result with what led to it, as the command line's JSON has them.
fn document<'py, const MORE: usize>(
    py: Python<'py>,
    result: &impl Serialize,
    more: [(&str, Value); MORE],
) -> PyResult<Bound<'py, PyDict>> {
    let Value::Object(mut document) = json!(result) else { unreachable!("a result is an object") };
    document.extend(more.into_iter().map(|(key, value)| (key.to_owned(), value)));
    values::dict(py, &document)
}
