//! `kinfolk.validate`: the held-out log-likelihood of hierarchical, pooled and separate tables.

use std::sync::Arc;

use kinfolk::score::BuiltScore;
use kinfolk::validate::{Estimators, RelatedMethod, Scheme, Structures, Validate};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::{Value, json};

use crate::data::Data;
use crate::error;
use crate::settings::{
    ChosenSearch, ScoreSettings, SearchSettings, build_score, find_variable, optional_choice, structure,
    unknown,
};
use crate::task::{ComputeSettings, document, version};
use crate::work::run;

/// The settings of a validation, as given.
#[derive(Debug, FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct ValidateSettings {
    scheme: String,
    folds: usize,
    tune: bool,
    iss_rivals: bool,
    target: Option<String>,
    structure: Option<String>,
    structures: String,
    method: Option<String>,
}

/// Holds rows out, learns from the others, and evaluates the held-out rows.
#[pyfunction]
pub(crate) fn validate<'py>(
    py: Python<'py>,
    data: &Bound<'py, Data>,
    settings: ValidateSettings,
    score: ScoreSettings,
    search: SearchSettings,
    machine: ComputeSettings<'py>,
) -> PyResult<Bound<'py, PyDict>> {
    let data = data.get();
    let reading = Arc::clone(&data.reading);
    let schema = reading.data.schema();
    let scheme = match settings.scheme.as_str() {
        "folds" => Scheme::Folds(settings.folds),
        "data-sets" => Scheme::DataSets,
        other => return Err(unknown("scheme", other, &["folds", "data-sets"])),
    };
    let spec = score.spec()?;
    let BuiltScore { score: chosen, settings: score_record } = build_score(&spec, schema.data_sets().len())?;
    let given = settings.structure.as_ref().map(|text| structure(text, schema, "structure")).transpose()?;
    let target = settings.target.as_ref().map(|name| find_variable(schema, name, "target")).transpose()?;
    let ChosenSearch { search: again, settings: search_record } = search.choose(schema)?;
    if !["own", "shared"].contains(&settings.structures.as_str()) {
        return Err(unknown("structures", &settings.structures, &["shared", "own"]));
    }
    let method = optional_choice::<RelatedMethod>("method", settings.method.as_deref())?;
    let asked = (settings.iss_rivals, settings.tune);
    let estimators =
        Estimators::choose(&spec, schema.data_sets().len(), method, asked).map_err(error::settings)?;
    let mut recorded = version();
    if given.is_none() && settings.structures == "shared" {
        recorded.insert("score_name".to_owned(), json!(chosen.name()));
        recorded.extend(score_record);
    }
    recorded.extend(estimators.settings());
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
            prior: estimators.prior,
            kin: estimators.kin.as_ref(),
            iss: estimators.iss,
            tune: settings.tune,
            target,
            seed: search.seed,
            memory: Some(bytes),
        };
        let observe = |folds: kinfolk::validate::ValidationProgress| {
            watch.note(|progress| (progress.done, progress.of) = (folds.done, folds.of))
        };
        validate.run(&reading.data, &observe).map_err(error::settings)
    })?;
    document(py, &validation, [("settings", Value::Object(recorded))])
}
