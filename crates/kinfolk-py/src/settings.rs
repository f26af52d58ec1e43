//! Settings that Python gives by name, checked and turned into the library's.

use std::time::Duration;

use kinfolk::data::{Schema, VariableId};
use kinfolk::estimate::Method;
use kinfolk::graph::{Dag, modelstring};
use kinfolk::laplace::Cells;
use kinfolk::score::{
    Aic, Bdeu, BdeuSeparate, Bdj, Bds, Bhd, Bic, Grid, ImaginarySampleSize, K2, Kin, LogLikelihood, Score,
    StructurePrior, WithStructurePrior,
};
use kinfolk::search::{Arc, Rules, Search, SearchMethod, SearchSpec, SearchSpecError};
use kinfolk::variational::{Centre, Prior};
use pyo3::prelude::*;
use serde_json::{Map, Value, json};

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
    /// The prior for this many data sets.
    pub(crate) fn choose(&self, data_sets: usize) -> PyResult<Prior> {
        let pairs = [
            (("s", self.s.is_some()), ("s_total", self.s_total.is_some())),
            (("alpha0", self.alpha0.is_some()), ("s0", self.s0.is_some())),
        ];
        for ((one, is_one), (other, is_other)) in pairs {
            if is_one && is_other {
                return Err(error::settings(format!(
                    "{one} and {other} say the same thing twice; leave one out"
                )));
            }
            if let Some((name, _)) = [(one, is_one), (other, is_other)].iter().find(|(_, given)| *given)
                && self.prior.is_some()
            {
                return Err(error::settings(format!(
                    "prior names a whole prior, so {name} has no place; leave one out"
                )));
            }
        }
        let split = |total: f64| total / data_sets as f64;
        let s = match (self.prior.as_deref(), self.s, self.s_total) {
            (Some("paper"), _, _) => split(1.0),
            (Some("default") | None, Some(s), _) => s,
            (Some("default") | None, None, Some(total)) => split(total),
            (Some("default") | None, None, None) => 1.0,
            (Some(other), _, _) => return Err(unknown("prior", other, &["default", "paper"])),
        };
        let centre = match (self.alpha0, self.s0) {
            (None, Some(total)) => Centre::Total(total),
            (alpha0, _) => Centre::PerCell(alpha0.unwrap_or(1.0)),
        };
        Prior::new(s, centre).map_err(error::settings)
    }

    /// The first of its settings that was given, if any.
    pub(crate) fn given(&self) -> Option<&'static str> {
        let settings = [
            ("s", self.s.is_some()),
            ("s_total", self.s_total.is_some()),
            ("alpha0", self.alpha0.is_some()),
            ("s0", self.s0.is_some()),
            ("prior", self.prior.is_some()),
        ];
        settings.iter().find(|(_, given)| *given).map(|(name, _)| *name)
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
    /// The settings, checked.
    pub(crate) fn choose(&self) -> PyResult<Kin> {
        let grid = self.kin_grid.clone().map_or_else(|| Ok(Grid::default()), Grid::new);
        let cells = match self.kin_cells.as_deref() {
            None | Some("row") => Cells::Row,
            Some("joint") => Cells::Joint,
            Some(other) => return Err(unknown("kin_cells", other, &["row", "joint"])),
        };
        Ok(Kin { grid: grid.map_err(error::settings)?, pooled_half: self.pooled_half.unwrap_or(true), cells })
    }

    fn given(&self) -> Option<&'static str> {
        let settings = [
            ("kin_grid", self.kin_grid.is_some()),
            ("pooled_half", self.pooled_half.is_some()),
            ("kin_cells", self.kin_cells.is_some()),
        ];
        settings.iter().find(|(_, given)| *given).map(|(name, _)| *name)
    }
}

/// A score with its prior, as given.
#[derive(Debug, FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct ScoreSettings {
    pub(crate) score: Option<String>,
    pub(crate) prior: PriorSettings,
    pub(crate) kin: KinSettings,
    pub(crate) iss: Option<f64>,
    structure_prior: Option<String>,
}

/// A score, and what is to be recorded of it.
pub(crate) type ChosenScore = (Box<dyn Score>, Map<String, Value>);

fn takes_sample_size(name: &str) -> bool {
    matches!(name, "bdeu" | "bds" | "bdeu-separate")
}

/// The names of the scores.
const SCORES: [&str; 10] =
    ["bhd", "kin", "bdeu", "bdeu-separate", "bic", "aic", "loglik", "k2", "bds", "bdj"];

impl ScoreSettings {
    /// The score asked for; a prior of BHD alone asks for BHD.
    fn which(&self) -> &str {
        self.score.as_deref().unwrap_or(if self.prior.given().is_some() { "bhd" } else { "kin" })
    }

    /// The score for this many data sets, with what is to be recorded of it.
    pub(crate) fn choose(&self, data_sets: usize) -> PyResult<ChosenScore> {
        self.make(self.which(), data_sets)
    }

    /// The score asked for, and otherwise BHD: where a sum over the data sets is wanted, or rows are repeated.
    pub(crate) fn choose_or_bhd(&self, data_sets: usize) -> PyResult<ChosenScore> {
        let asked = self.score.is_some() || self.kin.given().is_some();
        self.make(if asked { self.which() } else { "bhd" }, data_sets)
    }

    fn make(&self, name: &str, data_sets: usize) -> PyResult<ChosenScore> {
        let iss = self.iss()?;
        let mut settings = Map::new();
        let score: Box<dyn Score> = match name {
            "bhd" => {
                let prior = self.prior.choose(data_sets)?;
                settings.extend(prior_record(prior));
                Box::new(Bhd { prior })
            }
            "kin" => {
                let kin = self.kin.choose()?;
                settings.extend(kin_record(&kin));
                Box::new(kin)
            }
            "bdeu" => Box::new(Bdeu { iss }),
            "bdeu-separate" => Box::new(BdeuSeparate { iss }),
            "bds" => Box::new(Bds { iss }),
            "bic" => Box::new(Bic),
            "aic" => Box::new(Aic),
            "loglik" => Box::new(LogLikelihood),
            "k2" => Box::new(K2),
            "bdj" => Box::new(Bdj),
            other => return Err(unknown("score", other, &SCORES)),
        };
        if takes_sample_size(name) {
            settings.insert("iss".to_owned(), json!(iss.get()));
        }
        let structure_prior = match self.structure_prior.as_deref() {
            None => score.structure_prior(),
            Some("uniform") => StructurePrior::Uniform,
            Some("size") => StructurePrior::Size,
            Some(other) => return Err(unknown("structure_prior", other, &["uniform", "size"])),
        };
        settings.insert("structure_prior".to_owned(), json!(structure_prior));
        Ok((Box::new(WithStructurePrior { score, structure_prior }), settings))
    }

    /// The imaginary sample size.
    pub(crate) fn iss(&self) -> PyResult<ImaginarySampleSize> {
        ImaginarySampleSize::new(self.iss.unwrap_or(1.0)).map_err(error::settings)
    }

    /// Refuses settings of kin with another score.
    pub(crate) fn check_kin(&self) -> PyResult<()> {
        match self.kin.given().filter(|_| self.which() != "kin") {
            None => Ok(()),
            Some(setting) => Err(error::settings(format!(
                "{setting} belongs to score kin and means nothing to {}; leave it out",
                self.which()
            ))),
        }
    }

    /// Refuses settings that belong to another score.
    pub(crate) fn check(&self) -> PyResult<()> {
        let name = self.which();
        if let Some(setting) = self.prior.given().filter(|_| name != "bhd") {
            return Err(error::settings(format!(
                "{setting} belongs to score bhd and means nothing to {name}; leave it out"
            )));
        }
        self.check_kin()?;
        if self.iss.is_some() && !takes_sample_size(name) {
            return Err(error::settings(format!(
                "iss belongs to score bdeu, bds and bdeu-separate and means nothing to {name}; leave it out"
            )));
        }
        Ok(())
    }
}

/// A way to estimate tables, as given.
#[derive(Debug, FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct MethodSettings {
    method: Option<String>,
    prior: PriorSettings,
    kin: KinSettings,
    iss: Option<f64>,
}

impl MethodSettings {
    /// The method for this many data sets, with what is to be recorded of it.
    pub(crate) fn choose(&self, data_sets: usize) -> PyResult<(Method, Map<String, Value>)> {
        // The tables that belong to the default score; BHD's prior asks for BHD's tables.
        let own = if self.prior.given().is_some() { "hierarchical" } else { "kin" };
        let name = self.method.as_deref().unwrap_or(own);
        let given = [
            (self.prior.given(), "hierarchical"),
            (self.kin.given(), "kin"),
            (self.iss.map(|_| "iss"), "bayes"),
        ];
        let mut foreign = given.iter().filter(|(_, owner)| *owner != name);
        if let Some((setting, owner)) = foreign.find_map(|(setting, owner)| Some((setting.as_ref()?, owner)))
        {
            return Err(error::settings(format!(
                "{setting} belongs to method {owner} and means nothing to {name}; leave it out"
            )));
        }
        let mut settings = Map::from_iter([("method".to_owned(), json!(name))]);
        let method = match name {
            "hierarchical" => {
                let prior = self.prior.choose(data_sets)?;
                settings.extend(prior_record(prior));
                Method::Hierarchical(prior)
            }
            "kin" => {
                let kin = self.kin.choose()?;
                settings.extend(kin_record(&kin));
                Method::Kin(kin)
            }
            "bayes" => {
                let iss = ImaginarySampleSize::new(self.iss.unwrap_or(1.0)).map_err(error::settings)?;
                settings.insert("iss".to_owned(), json!(iss.get()));
                Method::Bayes(iss)
            }
            "mle" => Method::MaximumLikelihood,
            other => return Err(unknown("method", other, &["hierarchical", "kin", "bayes", "mle"])),
        };
        Ok((method, settings))
    }
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
    time_limit: Option<f64>,
    tabu: Option<usize>,
    escapes: Option<usize>,
    restarts: usize,
    perturb: usize,
    pub(crate) keep_scores: Option<usize>,
    pub(crate) seed: u64,
}

/// A search ready to run, and what is to be recorded of it.
pub(crate) struct ChosenSearch {
    pub(crate) search: Search,
    pub(crate) settings: Map<String, Value>,
}

impl SearchSettings {
    /// What was asked for, without constraints and start.
    fn spec(&self) -> PyResult<SearchSpec> {
        let mut spec = SearchSpec::default();
        spec.method = SearchMethod::from_name(&self.search)
            .ok_or_else(|| unknown("search", &self.search, &SearchMethod::ALL.map(SearchMethod::name)))?;
        spec.max_steps = self.max_steps;
        spec.time_limit = self.time_limit;
        spec.tabu = self.tabu;
        spec.escapes = self.escapes;
        spec.restarts = Some(self.restarts);
        spec.perturb = Some(self.perturb);
        spec.keep_scores = self.keep_scores;
        spec.seed = self.seed;
        Ok(spec)
    }

    /// Checks everything against the variables.
    pub(crate) fn choose(&self, schema: &Schema) -> PyResult<ChosenSearch> {
        let arcs = |arcs: &[(String, String)], setting: &str| -> PyResult<Vec<Arc>> {
            let find = |name: &str| find_variable(schema, name, setting);
            arcs.iter().map(|(from, to)| Ok((find(from)?, find(to)?))).collect()
        };
        let tier =
            |names: &Vec<String>| names.iter().map(|name| find_variable(schema, name, "tiers")).collect();
        let mut spec = self.spec()?;
        spec.rules = Rules {
            max_parents: self.max_parents,
            required: arcs(&self.whitelist, "whitelist")?,
            forbidden: arcs(&self.blacklist, "blacklist")?,
            tiers: self.tiers.iter().map(tier).collect::<PyResult<_>>()?,
        };
        spec.start = self.start.as_ref().map(|text| structure(text, schema, "start")).transpose()?;
        let search = spec.prepare(schema).map_err(wrong_search)?;
        Ok(ChosenSearch { settings: spec.settings(schema, &search), search })
    }

    /// The time limit; more seconds than a clock can count are none.
    pub(crate) fn time_limit(&self) -> PyResult<Option<Duration>> {
        self.spec()?.time_limit().map_err(wrong_search)
    }
}

fn wrong_search(error: SearchSpecError) -> PyErr {
    match error {
        SearchSpecError::Constraint(error) => error::structure(error),
        error => error::settings(error.worded(&as_keyword)),
    }
}

/// A setting with its value, as Python has them.
fn as_keyword(setting: &str, value: &str) -> String {
    match value {
        "" => setting.to_owned(),
        number if number.parse::<f64>().is_ok() => format!("{setting}={number}"),
        word => format!("{setting}=\"{word}\""),
    }
}

/// A structure over known variables.
pub(crate) fn structure(text: &str, schema: &Schema, setting: &str) -> PyResult<Dag> {
    let parsed = modelstring::parse(text.trim(), &schema.names());
    parsed.map_err(|error| error::structure(format!("{setting}: {error}")))
}

/// The variable of a name.
pub(crate) fn find_variable(schema: &Schema, name: &str, setting: &str) -> PyResult<VariableId> {
    schema.find(name).ok_or_else(|| {
        let names = schema.names().join(", ");
        error::structure(format!("{setting}: there is no column `{name}`; the columns are {names}"))
    })
}

/// The complaint about a name that is not among those known.
pub(crate) fn unknown(setting: &str, name: &str, known: &[&str]) -> PyErr {
    error::settings(format!("{setting} cannot be `{name}`; it is one of {}", known.join(", ")))
}

/// A prior for the record of a result.
pub(crate) fn prior_record(prior: Prior) -> Map<String, Value> {
    let (key, weight) = match prior.centre() {
        Centre::PerCell(alpha0) => ("alpha0", alpha0),
        Centre::Total(total) => ("s0", total),
    };
    Map::from_iter([("s".to_owned(), json!(prior.s())), (key.to_owned(), json!(weight))])
}

/// The settings of kin for the record of a result.
fn kin_record(kin: &Kin) -> Map<String, Value> {
    Map::from_iter([
        ("kin_grid".to_owned(), json!(kin.grid)),
        ("pooled_half".to_owned(), json!(kin.pooled_half)),
        ("kin_cells".to_owned(), json!(kin.cells)),
    ])
}
