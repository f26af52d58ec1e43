//! Validation: how well held-out rows are predicted, and whether treating the data sets as relatives pays.

use std::sync::Arc;

use kinfolk::validate::{Scheme, Structures, Validate};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::{Value, json};

use crate::data::Data;
use crate::error;
use crate::settings::{
    ChosenSearch, ScoreSettings, SearchSettings, find_variable, prior_record, structure, unknown,
};
use crate::task::{Machine, document, version};
use crate::work::run;

/// What is validated, as given.
#[derive(Debug, FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct ValidateSettings {
    scheme: String,
    folds: usize,
    tune: bool,
    target: Option<String>,
    structure: Option<String>,
    structures: String,
    method: Option<String>,
}

/// Holds rows out, learns from the others, and judges the held-out rows.
#[pyfunction]
pub(crate) fn validate<'py>(
    py: Python<'py>,
    data: &Bound<'py, Data>,
    settings: ValidateSettings,
    score: ScoreSettings,
    search: SearchSettings,
    machine: Machine<'py>,
) -> PyResult<Bound<'py, PyDict>> {
    let data = data.get();
    let reading = Arc::clone(&data.reading);
    let schema = reading.data.schema();
    let scheme = match settings.scheme.as_str() {
        "folds" => Scheme::Folds(settings.folds),
        "data-sets" => Scheme::DataSets,
        other => return Err(unknown("scheme", other, &["folds", "data-sets"])),
    };
    let prior = score.prior.choose(schema.data_sets().len())?;
    let iss = score.iss()?;
    let (chosen, score_record) = score.choose(schema.data_sets().len())?;
    let given = settings.structure.as_ref().map(|text| structure(text, schema, "structure")).transpose()?;
    let target = settings.target.as_ref().map(|name| find_variable(schema, name, "target")).transpose()?;
    let ChosenSearch { search: again, settings: search_record } = search.choose(schema)?;
    if !["own", "shared"].contains(&settings.structures.as_str()) {
        return Err(unknown("structures", &settings.structures, &["shared", "own"]));
    }
    score.check_kin()?;
    let own = if score.prior.given().is_some() { "hierarchical" } else { "kin" };
    let kin = match settings.method.as_deref().unwrap_or(own) {
        "kin" => Some(score.kin.choose()?),
        "hierarchical" => None,
        other => return Err(unknown("method", other, &["kin", "hierarchical"])),
    };
    let mut recorded = version();
    if given.is_none() && settings.structures == "shared" {
        recorded.insert("score_name".to_owned(), json!(chosen.name()));
        recorded.extend(score_record);
    }
    recorded.insert("method".to_owned(), json!(if kin.is_some() { "kin" } else { "hierarchical" }));
    if kin.is_none() {
        recorded.extend(prior_record(prior));
    }
    recorded.insert("iss".to_owned(), json!(iss.get()));
    recorded.extend(search_record);
    recorded.extend(data.record(&machine));
    let bytes = machine.bytes();
    let validation = run(py, &machine.terms_of(&search)?, move |watch| {
        let structures = match &given {
            Some(dag) => Structures::Given(dag),
            None if settings.structures == "own" => Structures::Own(&again),
            None => Structures::Shared(chosen.as_ref(), &again),
        };
        let validate = Validate {
            scheme,
            structures,
            prior,
            kin: kin.as_ref(),
            iss,
            tune: settings.tune,
            target,
            seed: search.seed,
            memory: Some(bytes),
        };
        let observe = |folds: kinfolk::validate::Progress| {
            watch.note(|progress| (progress.done, progress.of) = (folds.done, folds.of))
        };
        validate.run(&reading.data, &observe).map_err(error::settings)
    })?;
    document(py, &validation, [("settings", Value::Object(recorded))])
}
