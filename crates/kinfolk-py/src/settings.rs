//! Converts Python keyword arguments to the library's specifications.

use std::time::Duration;

use kinfolk::data::{Schema, VariableId};
use kinfolk::estimate::{Method, TableMethod, TableSpec};
use kinfolk::formats::Recorded;
use kinfolk::graph::{Dag, modelstring};
use kinfolk::score::{BuiltScore, KinSpec, NamedChoice, PriorSpec, ScoreSpec};
use kinfolk::search::{Arc, Constraints, Rules, Search, SearchMethod, SearchSpec, SearchSpecError};
use pyo3::prelude::*;
use serde_json::{Map, Value};

use crate::error;

/// The prior of the hierarchical model, as given.
#[derive(Debug, FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct PriorSettings {
    s: Option<f64>,
    s_total: Option<f64>,
    alpha0: Option<f64>,
    s0: Option<f64>,
    prior: Option<String>,
}

impl PriorSettings {
    fn spec(&self) -> PyResult<PriorSpec> {
        let prior = optional_choice("prior", self.prior.as_deref())?;
        Ok(PriorSpec { s: self.s, s_total: self.s_total, alpha0: self.alpha0, s0: self.s0, prior })
    }
}

/// The settings of kin, as given.
#[derive(Debug, FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct KinSettings {
    kin_grid: Option<Vec<f64>>,
    pooled_half: Option<bool>,
    kin_cells: Option<String>,
}

impl KinSettings {
    fn spec(&self) -> PyResult<KinSpec> {
        let cells = optional_choice("kin_cells", self.kin_cells.as_deref())?;
        Ok(KinSpec { grid: self.kin_grid.clone(), pooled_half: self.pooled_half, cells })
    }
}

/// A score with its prior, as given.
#[derive(Debug, FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct ScoreSettings {
    score: Option<String>,
    prior: PriorSettings,
    kin: KinSettings,
    iss: Option<f64>,
    structure_prior: Option<String>,
    /// The settings of the network whose structure is given, as JSON.
    recorded: Option<String>,
}

impl ScoreSettings {
    /// The requested score.
    pub(crate) fn spec(&self) -> PyResult<ScoreSpec> {
        let mut spec = ScoreSpec::default();
        spec.name = optional_choice("score", self.score.as_deref())?;
        spec.prior = self.prior.spec()?;
        spec.kin = self.kin.spec()?;
        spec.iss = self.iss;
        spec.structure_prior = optional_choice("structure_prior", self.structure_prior.as_deref())?;
        let recorded = recorded(self.recorded.as_deref())?;
        Ok(recorded.complete_score(spec).map_err(error::settings)?.0)
    }
}

/// Builds a score for this many data sets.
pub(crate) fn build_score(spec: &ScoreSpec, data_sets: usize) -> PyResult<BuiltScore> {
    spec.build(data_sets).map_err(error::settings)
}

/// The settings of tables, as given.
#[derive(Debug, FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct MethodSettings {
    method: Option<String>,
    prior: PriorSettings,
    kin: KinSettings,
    iss: Option<f64>,
    /// The settings of the network whose structure is given, as JSON.
    recorded: Option<String>,
}

impl MethodSettings {
    /// The settings of the network whose structure is given.
    pub(crate) fn recorded(&self) -> PyResult<Recorded> {
        recorded(self.recorded.as_deref())
    }

    /// The method for this many data sets, with the settings to record.
    pub(crate) fn choose(&self, data_sets: usize) -> PyResult<(Method, Map<String, Value>)> {
        let mut spec = TableSpec::default();
        spec.method = optional_choice::<TableMethod>("method", self.method.as_deref())?;
        spec.prior = self.prior.spec()?;
        spec.kin = self.kin.spec()?;
        spec.iss = self.iss;
        let (spec, _) = self.recorded()?.complete_tables(spec).map_err(error::settings)?;
        spec.check().map_err(error::settings)?;
        spec.build(data_sets).map_err(error::settings)
    }
}

/// The settings recorded in a network.
pub(crate) fn recorded(json: Option<&str>) -> PyResult<Recorded> {
    let settings = json.map(serde_json::from_str).transpose().map_err(error::settings)?;
    Ok(settings.map_or_else(Recorded::default, Recorded::new))
}

/// Parses a named choice of the library.
pub(crate) fn choice<T: NamedChoice>(setting: &str, name: &str) -> PyResult<T> {
    T::from_name(name).ok_or_else(|| {
        let known: Vec<&str> = T::all().map(T::name).collect();
        unknown(setting, name, &known)
    })
}

/// Parses a named choice of the library, if one is given.
pub(crate) fn optional_choice<T: NamedChoice>(setting: &str, name: Option<&str>) -> PyResult<Option<T>> {
    name.map(|name| choice(setting, name)).transpose()
}

/// A search, as given.
#[derive(Debug, FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct SearchSettings {
    search: String,
    max_parents: Option<usize>,
    whitelist: Vec<(String, String)>,
    blacklist: Vec<(String, String)>,
    tiers: Vec<Vec<String>>,
    start: Option<String>,
    max_steps: Option<usize>,
    pub(crate) time_limit: Option<f64>,
    tabu: Option<usize>,
    escapes: Option<usize>,
    restarts: Option<usize>,
    perturb: Option<usize>,
    pub(crate) keep_scores: Option<usize>,
    pub(crate) seed: u64,
}

/// A search that is ready to run, with the settings to record.
pub(crate) struct ChosenSearch {
    pub(crate) search: Search,
    pub(crate) settings: Map<String, Value>,
}

impl SearchSettings {
    /// The requested search, without constraints and start.
    fn spec(&self) -> PyResult<SearchSpec> {
        let mut spec = SearchSpec::default();
        spec.method = choice::<SearchMethod>("search", &self.search)?;
        spec.max_steps = self.max_steps;
        spec.time_limit = self.time_limit;
        spec.tabu = self.tabu;
        spec.escapes = self.escapes;
        spec.restarts = self.restarts;
        spec.perturb = self.perturb;
        spec.keep_scores = self.keep_scores;
        spec.seed = self.seed;
        Ok(spec)
    }

    /// Which arcs are allowed and required.
    fn rules(&self, schema: &Schema) -> PyResult<Rules> {
        let arcs = |arcs: &[(String, String)], setting: &str| -> PyResult<Vec<Arc>> {
            let find = |name: &str| find_variable(schema, name, setting);
            arcs.iter().map(|(from, to)| Ok((find(from)?, find(to)?))).collect()
        };
        let tier =
            |names: &Vec<String>| names.iter().map(|name| find_variable(schema, name, "tiers")).collect();
        Ok(Rules {
            max_parents: self.max_parents,
            required: arcs(&self.whitelist, "whitelist")?,
            forbidden: arcs(&self.blacklist, "blacklist")?,
            tiers: self.tiers.iter().map(tier).collect::<PyResult<_>>()?,
        })
    }

    /// Validates everything against the variables.
    pub(crate) fn choose(&self, schema: &Schema) -> PyResult<ChosenSearch> {
        let mut spec = self.spec()?;
        spec.rules = self.rules(schema)?;
        spec.start = self.start.as_ref().map(|text| structure(text, schema, "start")).transpose()?;
        let search = spec.prepare(schema).map_err(wrong_search)?;
        Ok(ChosenSearch { settings: spec.settings(schema, &search), search })
    }

    /// The constraints, checked against the variables, and the settings to record.
    pub(crate) fn constraints(&self, schema: &Schema) -> PyResult<(Constraints, Map<String, Value>)> {
        let rules = self.rules(schema)?;
        let settings = rules.settings(schema);
        Ok((Constraints::new(schema, &rules).map_err(error::structure)?, settings))
    }

    /// The time limit; `None` if it exceeds the range of a clock.
    pub(crate) fn time_limit(&self) -> PyResult<Option<Duration>> {
        self.spec()?.time_limit().map_err(wrong_search)
    }
}

fn wrong_search(error: SearchSpecError) -> PyErr {
    match error {
        SearchSpecError::Constraint(error) => error::structure(error),
        error => error::settings(error),
    }
}

/// A structure over known variables.
pub(crate) fn structure(text: &str, schema: &Schema, setting: &str) -> PyResult<Dag> {
    let parsed = modelstring::parse(text.trim(), &schema.names());
    parsed.map_err(|error| error::structure(format!("{setting}: {error}")))
}

/// The variable with this name.
pub(crate) fn find_variable(schema: &Schema, name: &str, setting: &str) -> PyResult<VariableId> {
    schema.find(name).ok_or_else(|| {
        let names = schema.names().join(", ");
        error::structure(format!("{setting}: there is no column `{name}`; the columns are {names}"))
    })
}

/// The error for an unknown name.
pub(crate) fn unknown(setting: &str, name: &str, known: &[&str]) -> PyErr {
    error::settings(format!("{setting} cannot be `{name}`; it is one of {}", known.join(", ")))
}
