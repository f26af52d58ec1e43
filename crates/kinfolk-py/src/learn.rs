//! Structures: learned, scored, compared, and given their tables.

use std::ops::ControlFlow;
use std::sync::Arc;

use kinfolk::counts::MemoryTally;
use kinfolk::data::RelatedData;
use kinfolk::estimate::estimate;
use kinfolk::formats::{NetworkFile, Provenance};
use kinfolk::graph::modelstring;
use kinfolk::learned::score_structure;
use kinfolk::score::{Halt, Score, Scorer};
use kinfolk::search::Event;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::{Map, Value, json};

use crate::data::Data;
use crate::network::Network;
use crate::settings::{ChosenSearch, MethodSettings, ScoreSettings, SearchSettings, structure};
use crate::work::{Terms, Watch, run};
use crate::{error, values};

/// Bytes in a megabyte, as memory limits are given.
pub(crate) const MEGABYTE: usize = 1_000_000;

/// The version and the score, for the record of a result.
pub(crate) fn record(score_name: &str) -> Map<String, Value> {
    Map::from_iter([
        ("version".to_owned(), json!(env!("CARGO_PKG_VERSION"))),
        ("score_name".to_owned(), json!(score_name)),
    ])
}

pub(crate) fn tally<'a>(data: &'a RelatedData, score: &dyn Score, memory: usize) -> MemoryTally<'a> {
    let tally = if score.is_pooled() { MemoryTally::pooled(data) } else { MemoryTally::new(data) };
    tally.with_memory(memory.saturating_mul(MEGABYTE))
}

pub(crate) fn note(watch: &Watch, event: &Event<'_>) -> ControlFlow<Halt> {
    watch.note(|progress| match event {
        Event::Scoring(scoring) => (progress.done, progress.of) = (scoring.done, scoring.of),
        Event::Stepped { steps, score, .. } => (progress.moves, progress.score) = (*steps, Some(*score)),
        Event::Restarted { .. } => {}
    })
}

/// Searches for the structure that the data sets share.
#[pyfunction]
pub(crate) fn learn<'py>(
    py: Python<'py>,
    data: &Bound<'py, Data>,
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
    let (score, score_record) = score.choose(schema.data_sets().len())?;
    let ChosenSearch { climb, start, settings: search_record } = search.choose(schema)?;
    let mut settings = record(score.name());
    settings.extend(score_record);
    settings.extend(search_record);
    settings.extend(data.settings.clone());
    settings.insert("memory".to_owned(), json!(memory));
    let terms = Terms { threads, time_limit: search.time_limit()?, progress };
    let learned = run(py, &terms, move |watch| {
        let tally = tally(&reading.data, score.as_ref(), memory);
        let mut scorer = Scorer::new(&tally, score.as_ref());
        if let Some(most) = search.keep_scores {
            scorer = scorer.keep_at_most(most);
        }
        kinfolk::learned::learn(&mut scorer, &climb, start, settings, &mut |event| note(watch, event))
            .map_err(error::network)
    })?;
    values::dict(py, &learned.document())
}

/// Scores a structure node by node.
#[pyfunction]
pub(crate) fn score<'py>(
    py: Python<'py>,
    data: &Bound<'py, Data>,
    modelstring: &str,
    score: ScoreSettings,
    memory: usize,
    threads: usize,
) -> PyResult<Bound<'py, PyDict>> {
    let data = data.get();
    let reading = Arc::clone(&data.reading);
    let schema = reading.data.schema();
    score.check()?;
    let (score, score_record) = score.choose(schema.data_sets().len())?;
    let dag = structure(modelstring, schema, "structure")?;
    let mut settings = score_record;
    settings.insert("version".to_owned(), json!(env!("CARGO_PKG_VERSION")));
    settings.extend(data.settings.clone());
    let scored = run(py, &Terms { threads, ..Terms::default() }, move |_| {
        let tally = tally(&reading.data, score.as_ref(), memory);
        let scorer = Scorer::new(&tally, score.as_ref());
        score_structure(&scorer, &dag, settings).map_err(error::network)
    })?;
    values::dict(py, &scored.document())
}

/// Estimates the tables of a structure for every data set; what a search found, as JSON, goes into the network's file.
#[pyfunction]
pub(crate) fn fit(
    py: Python<'_>,
    data: &Bound<'_, Data>,
    modelstring: &str,
    method: MethodSettings,
    found: Option<&str>,
    memory: usize,
    threads: usize,
) -> PyResult<Network> {
    let data = data.get();
    let reading = Arc::clone(&data.reading);
    let schema = reading.data.schema();
    let dag = structure(modelstring, schema, "structure")?;
    let (method, tables) = method.choose(schema.data_sets().len())?;
    let found: Option<Map<String, Value>> =
        found.map(serde_json::from_str).transpose().map_err(error::network)?;
    let mut other = found.unwrap_or_default();
    for key in ["structure", "data_sets", "variables", "nodes"] {
        other.shift_remove(key);
    }
    let settings = if let Some(Value::Object(mut settings)) = other.shift_remove("settings") {
        settings.insert("tables".to_owned(), json!(tables));
        settings
    } else {
        let mut settings = tables;
        settings.insert("version".to_owned(), json!(env!("CARGO_PKG_VERSION")));
        settings.extend(data.settings.clone());
        settings
    };
    let file = run(py, &Terms { threads, ..Terms::default() }, move |_| {
        let tally = MemoryTally::new(&reading.data).with_memory(memory.saturating_mul(MEGABYTE));
        let network = estimate(&tally, &dag, method).map_err(error::network)?;
        let provenance = Some(Provenance::of(&reading.data, vec!["kinfolk.fit".to_owned()]));
        Ok(NetworkFile { network, settings, provenance, other })
    })?;
    Ok(Network { file: Arc::new(file) })
}

/// Compares two structures.
#[pyfunction]
pub(crate) fn compare<'py>(py: Python<'py>, learned: &str, truth: &str) -> PyResult<Bound<'py, PyAny>> {
    let wrong = |what: &'static str| move |reason| error::structure(format!("{what}: {reason}"));
    let (names, learned) = modelstring::parse_free(learned.trim()).map_err(wrong("learned"))?;
    let truth = modelstring::parse_second(truth.trim(), &names).map_err(wrong("true"))?;
    values::object(py, &json!(kinfolk::graph::compare(&learned, &truth)))
}
