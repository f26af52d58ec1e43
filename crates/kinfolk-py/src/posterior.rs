//! `kinfolk.posterior`: posterior probabilities of arcs, edges and other features.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

use kinfolk::posterior::{
    FeatureQuery, FinishedSweeps, NamedPosterior, NetworkPosterior, PosteriorError, PosteriorEvent,
    PosteriorMethod, PosteriorOptions, ResumeError, ResumeFile, resumed_posterior,
};
use kinfolk::score::{Halt, Scorer};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::json;

use crate::data::Data;
use crate::error;
use crate::settings::{ScoreSettings, SearchSettings, build_score, choice, structure};
use crate::task::{ComputeSettings, document, tally};
use crate::work::run;

/// The settings of a posterior, as given.
#[derive(Debug, FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct PosteriorSettings {
    method: String,
    chains: usize,
    threshold: f64,
    queries: Vec<String>,
    structure: Option<String>,
    left_out: usize,
    resume: Option<PathBuf>,
}

/// The posterior probability of every arc and edge.
#[pyfunction]
pub(crate) fn posterior<'py>(
    py: Python<'py>,
    data: &Bound<'py, Data>,
    settings: PosteriorSettings,
    score: ScoreSettings,
    search: SearchSettings,
    machine: ComputeSettings<'py>,
) -> PyResult<Bound<'py, PyDict>> {
    let schema = data.get().reading.data.schema();
    if !(0.0..=1.0).contains(&settings.threshold) {
        let wrong = format!("threshold takes a probability from 0 to 1, not {}", settings.threshold);
        return Err(error::settings(wrong));
    }
    let method: PosteriorMethod = choice("method", &settings.method)?;
    let given = settings.structure.as_ref().map(|text| structure(text, schema, "structure")).transpose()?;
    let parsed = settings.queries.iter().map(|query| FeatureQuery::parse(query, schema));
    let queries: Vec<FeatureQuery> =
        parsed.collect::<Result<Vec<_>, _>>().map_err(error::settings)?.into_iter().flatten().collect();
    let reading = Arc::clone(&data.get().reading);
    let spec = score.spec()?;
    spec.check().map_err(error::settings)?;
    let score = build_score(&spec, schema.data_sets().len())?;
    let (constraints, rules) = search.constraints(schema)?;
    let mut options = PosteriorOptions::new(constraints);
    (options.method, options.chains, options.seed) = (method, settings.chains, search.seed);
    options.features = queries.iter().map(|query| query.feature).collect();
    let mut recorded = score.record();
    recorded.extend(rules);
    recorded.insert("posterior_method".to_owned(), json!(options.method));
    recorded.insert("tolerance".to_owned(), json!(options.tolerance));
    recorded.insert("time_limit".to_owned(), json!(search.time_limit));
    recorded.insert("seed".to_owned(), json!(search.seed));
    recorded.extend(data.get().record(&machine));
    let score = score.score;
    let refused = |error: ResumeError| error::data(format!("resume: {error}"));
    let opened: Option<(ResumeFile<FinishedSweeps>, Vec<FinishedSweeps>)> = settings
        .resume
        .as_ref()
        .map(|path| ResumeFile::open(path, &recorded, &reading.data.fingerprint()).map_err(refused))
        .transpose()?;
    let bytes = machine.bytes();
    let found = run(py, &machine.terms_of(&search)?, move |watch| {
        let tally = tally(&reading.data, score.as_ref(), bytes);
        let mut scorer = Scorer::new(&tally, score.as_ref());
        let (mut file, done) = opened.unzip();
        let mut kept = Ok(());
        let posterior = resumed_posterior(&mut scorer, &options, done.as_deref(), &mut |event| {
            if let (PosteriorEvent::Sampling { finished, .. }, Some(file)) = (event, &mut file) {
                kept = finished.iter().try_for_each(|record| file.append(record));
            }
            // Stop if samples cannot be saved.
            if kept.is_err() {
                return ControlFlow::Break(Halt::Interrupted);
            }
            watch.note(|progress| match event {
                PosteriorEvent::Scoring(scoring) => (progress.done, progress.of) = (scoring.done, scoring.of),
                PosteriorEvent::Sampling { sweeps, most, .. } => {
                    (progress.done, progress.of) = (sweeps, most);
                }
                PosteriorEvent::Summing(_) => {}
            })
        });
        let posterior = posterior.map_err(|refused| match refused {
            PosteriorError::Record { .. } => error::data(refused),
            _ => error::settings(refused),
        })?;
        kept.map_err(refused)?;
        let schema = reading.data.schema();
        let mut named = NamedPosterior::new(
            &scorer,
            schema,
            &posterior,
            &options.constraints,
            settings.threshold,
            recorded,
        )
        .with_answers(&queries, &posterior);
        if let Some(dag) = given {
            let network = NetworkPosterior::new(&scorer, schema, &posterior, &dag, settings.left_out);
            named = named.with_network(network);
        }
        Ok(named)
    })?;
    document(py, &found, [])
}
