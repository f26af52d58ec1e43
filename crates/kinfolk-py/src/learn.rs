//! Learns, scores and compares structures, and estimates their tables.

use std::sync::Arc;
use std::time::Instant;

use kinfolk::counts::MemoryTally;
use kinfolk::data::VariableId;
use kinfolk::estimate::{EstimateError, Network as Tables, TableSpec, estimate};
use kinfolk::formats::{NetworkFile, Provenance};
use kinfolk::graph::{Cpdag, modelstring};
use kinfolk::learned::{Learned, ScoreCurve};
use kinfolk::missing::{FillIn, LearnIncomplete, LearnedIncomplete, MissingError};
use kinfolk::review::{Review, described};
use kinfolk::score::{BuiltScore, NamedChoice, Scorer};
use kinfolk::search::{Event, SearchSpec};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::{Map, Value, json};

use crate::data::Data;
use crate::network::Network;
use crate::settings::{
    MethodSettings, ScoreSettings, SearchSettings, build_score, optional_choice, structure,
};
use crate::task::{ComputeSettings, Task, fill_in, note, tally, version};
use crate::work::run;
use crate::{error, values};

/// The method of tables for a score and options of the hierarchical prior.
#[pyfunction]
pub(crate) fn table_method(
    score: Option<&str>,
    s: Option<f64>,
    alpha0: Option<f64>,
) -> PyResult<&'static str> {
    let mut spec = TableSpec::default();
    spec.score = optional_choice("network_score", score)?.unwrap_or_default();
    (spec.prior.s, spec.prior.alpha0) = (s, alpha0);
    Ok(spec.chosen().name())
}

/// Searches for the structure that the data sets share.
#[pyfunction]
pub(crate) fn learn<'py>(
    py: Python<'py>,
    data: &Bound<'py, Data>,
    score: ScoreSettings,
    search: SearchSettings,
    machine: ComputeSettings<'py>,
) -> PyResult<Bound<'py, PyDict>> {
    let spec = score.spec()?;
    let task = Task::new(data.get(), &score, &search, &machine)?;
    let Task { reading, score, search: chosen, mut settings } = task;
    // As recorded by `--method none` of the command line: tables are a separate call here.
    settings.insert("tables".to_owned(), json!({ "method": "none" }));
    let bytes = machine.bytes();
    let treatment = data.get().treatment();
    let (tables, _) = TableSpec::after_search(&spec, None)
        .build(reading.data.schema().data_sets().len())
        .map_err(error::settings)?;
    let (learned, warnings) = run(py, &machine.terms_of(&search)?, move |watch| {
        let review = |learned: &Learned, network: Option<&Tables>| {
            let (data, dag, arcs) = (&reading.data, &learned.dag, &learned.arcs[..]);
            let review = Review { data, dag, arcs, score: score.as_ref(), network, memory: Some(bytes) };
            review.warnings().map_err(error::settings)
        };
        if !reading.data.is_complete() {
            let learn = LearnIncomplete {
                score: score.as_ref(),
                tables: tables.clone(),
                search: &chosen,
                treatment,
                seed: chosen.climb.seed,
                memory: Some(bytes),
            };
            let found = learn.run(&reading.data, settings, &mut |event| note(watch, event));
            let LearnedIncomplete { learned, completed, .. } = found.map_err(error::settings)?;
            let network = completed.map(|completed| completed.tables(&learned.dag, &tables, Some(bytes)));
            // Tables that are too large are refused when they are asked for.
            let warnings = review(&learned, network.and_then(Result::ok).as_ref())?;
            return Ok((learned, warnings));
        }
        let tally = tally(&reading.data, score.as_ref(), bytes);
        let mut scorer = Scorer::new(&tally, score.as_ref());
        if let Some(most) = chosen.keep_scores {
            scorer = scorer.keep_at_most(most);
        }
        let (started, mut curve) = (Instant::now(), ScoreCurve::default());
        let mut observe = |event: &Event<'_>| {
            curve.note(event, started.elapsed().as_secs_f64());
            note(watch, event)
        };
        let learned = kinfolk::learned::learn(&mut scorer, &chosen, settings, &mut observe);
        let mut learned = learned.map_err(error::settings)?;
        learned.search.curve = curve.points_of(chosen.method);
        drop(scorer);
        // The tables are by data set for every score.
        let by_data_set = MemoryTally::new(&reading.data).with_memory(bytes);
        // Tables that are too large are refused when they are asked for.
        let network = estimate(&by_data_set, &learned.dag, tables).ok();
        let warnings = review(&learned, network.as_ref())?;
        Ok((learned, warnings))
    })?;
    let mut document = learned.document();
    if !warnings.is_empty() {
        document.insert("warnings".to_owned(), json!(described(&warnings)));
    }
    values::dict(py, &document)
}

/// Scores a structure node by node.
#[pyfunction]
pub(crate) fn score<'py>(
    py: Python<'py>,
    data: &Bound<'py, Data>,
    modelstring: &str,
    score: ScoreSettings,
    machine: ComputeSettings<'py>,
) -> PyResult<Bound<'py, PyDict>> {
    let data = data.get();
    let reading = Arc::clone(&data.reading);
    let schema = reading.data.schema();
    let spec = score.spec()?;
    spec.check().map_err(error::settings)?;
    let BuiltScore { score, mut settings } = build_score(&spec, schema.data_sets().len())?;
    let dag = structure(modelstring, schema, "structure")?;
    settings.extend(version());
    settings.extend(data.record(&machine));
    let fill_in = fill_in(&spec, score.as_ref(), SearchSpec::default().seed, (schema, machine.bytes()))?;
    let scored = run(py, &machine.terms(), move |_| {
        let prepared = fill_in.prepare(&reading.data, &dag).map_err(error::settings)?;
        prepared.score(score.as_ref(), &dag, settings).map_err(error::settings)
    })?;
    values::dict(py, &scored.document())
}

/// Estimates the tables of a structure for every data set; the JSON of a search, if given, becomes part of the
/// network's file.
#[pyfunction]
pub(crate) fn fit(
    py: Python<'_>,
    data: &Bound<'_, Data>,
    modelstring: &str,
    method: MethodSettings,
    found: Option<&str>,
    machine: ComputeSettings<'_>,
) -> PyResult<Network> {
    let data = data.get();
    let reading = Arc::clone(&data.reading);
    let schema = reading.data.schema();
    let dag = structure(modelstring, schema, "structure")?;
    let found: Option<Map<String, Value>> =
        found.map(serde_json::from_str).transpose().map_err(error::network)?;
    let recorded = method.recorded()?;
    let (method, tables) = method.choose(schema.data_sets().len())?;
    let mut other = found.unwrap_or_default();
    let settings = if let Some(Value::Object(mut settings)) = other.shift_remove("settings") {
        settings.insert("tables".to_owned(), json!(tables));
        settings
    } else {
        let mut settings = tables;
        settings.extend(version());
        settings.extend(data.record(&machine));
        settings.extend(recorded.learned_with().map_err(error::settings)?);
        settings
    };
    let fill_in = FillIn::by(method.clone(), Some(machine.bytes()));
    let file = run(py, &machine.terms(), move |_| {
        let refused = |refused: EstimateError| match refused {
            EstimateError::Tally(_) => error::settings(refused),
            EstimateError::TooLarge { .. } => error::network(refused),
        };
        let prepared = fill_in.prepare(&reading.data, &dag).map_err(|missing| match missing {
            MissingError::Estimate(error) => refused(error),
            error => error::settings(error),
        })?;
        let network = prepared.tables(&dag, &method).map_err(refused)?;
        // What a search filled in stays the record of a network that was learned.
        if let Some(filled_in) = prepared.filled_in() {
            other.entry("missing").or_insert_with(|| json!(filled_in));
        }
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
    let truth = modelstring::parse_second(truth.trim(), &names).map_err(wrong("truth"))?;
    values::object(py, &json!(kinfolk::graph::compare(&learned, &truth)))
}

/// Arcs as pairs of names.
type Arcs = Vec<(String, String)>;

/// The CPDAG of a structure: its directed arcs and its undirected edges.
#[pyfunction]
pub(crate) fn cpdag(modelstring: &str) -> PyResult<(Arcs, Arcs)> {
    let wrong = |reason| error::structure(format!("structure: {reason}"));
    let (names, dag) = modelstring::parse_free(modelstring.trim()).map_err(wrong)?;
    let cpdag = Cpdag::of(&dag);
    let named = |arcs: &[(VariableId, VariableId)]| {
        arcs.iter().map(|(a, b)| (names[a.index()].clone(), names[b.index()].clone())).collect()
    };
    Ok((named(cpdag.directed()), named(cpdag.undirected())))
}
