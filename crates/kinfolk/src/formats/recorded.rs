//! The settings recorded in a network file, used as defaults by later commands on that network.

use serde_json::{Map, Value, json};
use thiserror::Error;

use crate::data::ReadOptions;
use crate::estimate::{TableMethod, TableSpec};
use crate::laplace::Cells;
use crate::remedy::Actionable;
use crate::score::{KinSpec, NamedChoice, PriorSpec, ScoreName, ScoreSpec, StructurePrior};

/// The key for the settings of the score that the structure was learned with, used if the file's other settings are
/// those of its tables.
const LEARNED_WITH: &str = "learned_with";

/// The settings recorded in a network file or in another result with a structure. The default is empty.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Recorded(Map<String, Value>);

/// A setting that was taken from a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Taken {
    /// The name of the option in this library.
    pub option: &'static str,
    /// Its value.
    pub value: String,
}

/// A recorded setting that this version cannot use.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("its recorded setting `{key}` is {value}, which this version cannot use")]
pub struct RecordedError {
    /// The key in `settings`.
    pub key: String,
    /// The value as JSON.
    pub value: String,
}

impl Actionable for RecordedError {}

impl Recorded {
    /// Wraps these settings.
    pub fn new(settings: Map<String, Value>) -> Self {
        Self(settings)
    }

    /// The settings of a result as JSON; empty if the document has no structure or no settings.
    pub fn of_document(document: &Value) -> Self {
        let has_structure = ["structure", "averaged"].iter().any(|key| document[*key].is_string());
        match &document["settings"] {
            Value::Object(settings) if has_structure => Self(settings.clone()),
            _ => Self::default(),
        }
    }

    /// Whether no settings are recorded.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The score that the structure was learned with, or the score that the tables' model belongs to; `None` if neither
    /// is recorded.
    pub fn score(&self) -> Result<Option<ScoreSpec>, RecordedError> {
        let settings = match self.0.get(LEARNED_WITH) {
            Some(Value::Object(learned_with)) => learned_with,
            _ => &self.0,
        };
        let name = match named::<ScoreName>(settings, "score_name")? {
            Some(name) => name,
            None => match self.method()? {
                Some(TableMethod::Kin) => ScoreName::kin(),
                Some(TableMethod::Hierarchical) => ScoreName::bhd(),
                Some(TableMethod::Bayes | TableMethod::Mle) | None => return Ok(None),
            },
        };
        let mut spec = ScoreSpec::named(name);
        (spec.prior, spec.kin, spec.iss) = options(settings)?;
        spec.structure_prior = named::<StructurePrior>(settings, "structure_prior")?;
        Ok(Some(spec))
    }

    /// The entry that records the score in a file whose other settings are those of its tables.
    pub fn learned_with(&self) -> Result<Option<(String, Value)>, RecordedError> {
        const KEYS: [&str; 9] = [
            "score_name",
            "s",
            "alpha0",
            "s0",
            "kin_grid",
            "pooled_half",
            "kin_cells",
            "iss",
            "structure_prior",
        ];
        if self.score()?.is_none() {
            return Ok(None);
        }
        let settings = match self.0.get(LEARNED_WITH) {
            Some(learned_with) => learned_with.clone(),
            None if self.0.contains_key("score_name") => {
                let own = self.0.iter().filter(|(key, _)| KEYS.contains(&key.as_str()));
                Value::Object(own.map(|(key, value)| (key.clone(), value.clone())).collect())
            }
            None => return Ok(None),
        };
        Ok(Some((LEARNED_WITH.to_owned(), settings)))
    }

    /// The method of the tables and its options; `None` if there are no tables.
    pub fn tables(&self) -> Result<Option<TableSpec>, RecordedError> {
        let Some(method) = self.method()? else { return Ok(None) };
        let score = self.score()?.map_or_else(ScoreName::default, |score| score.score());
        let (prior, kin, iss) = options(self.table_settings())?;
        Ok(Some(TableSpec { method: Some(method), score, prior, kin, iss }))
    }

    fn table_settings(&self) -> &Map<String, Value> {
        // A search records the settings of the tables under their own key, an estimation at the top level.
        self.0.get("tables").and_then(Value::as_object).unwrap_or(&self.0)
    }

    fn method(&self) -> Result<Option<TableMethod>, RecordedError> {
        let settings = self.table_settings();
        if settings.get("method").is_some_and(|method| method == "none") {
            return Ok(None);
        }
        named::<TableMethod>(settings, "method")
    }

    /// Completes the requested score from the recorded one. Also returns the settings taken: the score's name, and
    /// options that differ from their defaults.
    pub fn complete_score(&self, requested: ScoreSpec) -> Result<(ScoreSpec, Vec<Taken>), RecordedError> {
        let Some(recorded) = self.score()? else { return Ok((requested, Vec::new())) };
        let complete = requested.clone().or_recorded(&recorded);
        let mut taken = Vec::new();
        if complete.name.is_some() && requested.name.is_none() && complete != requested {
            taken.push(Taken { option: "score", value: complete.score().to_string() });
        }
        taken.extend(taken_options(&requested.prior, &complete.prior, &requested.kin, &complete.kin));
        taken.extend(taken_option("iss", requested.iss, complete.iss, 1.0));
        if let Some(prior) = complete.structure_prior.filter(|_| requested.structure_prior.is_none()) {
            let own = ScoreSpec::named(complete.score()).build(1).ok();
            if own.is_some_and(|own| own.settings["structure_prior"] != json!(prior)) {
                taken.push(Taken { option: "structure_prior", value: prior.name().to_owned() });
            }
        }
        Ok((complete, taken))
    }

    /// Completes the requested tables from the recorded ones. Also returns the settings taken.
    pub fn complete_tables(&self, requested: TableSpec) -> Result<(TableSpec, Vec<Taken>), RecordedError> {
        let recorded = match self.tables()? {
            Some(tables) => tables,
            // A structure without tables: use the method and the options of its score.
            None => match self.score()? {
                Some(score) => TableSpec::after_search(&score, requested.method),
                None => return Ok((requested, Vec::new())),
            },
        };
        let complete = requested.clone().or_recorded(&recorded);
        let mut taken = Vec::new();
        if requested.method.is_none() && complete.method.is_some() {
            taken.push(Taken { option: "method", value: complete.chosen().to_string() });
        }
        taken.extend(taken_options(&requested.prior, &complete.prior, &requested.kin, &complete.kin));
        taken.extend(taken_option("iss", requested.iss, complete.iss, 1.0));
        Ok((complete, taken))
    }

    /// The tables after a structure is scored again: those requested by method or score, otherwise the recorded ones,
    /// otherwise those of the score.
    pub fn tables_beside(
        &self,
        requested: &ScoreSpec,
        method: Option<TableMethod>,
    ) -> Result<TableSpec, RecordedError> {
        match self.tables()? {
            Some(tables) if method.is_none() && *requested == ScoreSpec::default() => Ok(tables),
            _ => Ok(TableSpec::after_search(&self.complete_score(requested.clone())?.0, method)),
        }
    }

    /// Completes the requested reading options from the recorded ones; `is_given` tests whether an option was
    /// requested. Also returns the options taken that differ from their defaults.
    pub fn complete_reading(
        &self,
        mut requested: ReadOptions,
        is_given: &dyn Fn(&str) -> bool,
    ) -> Result<(ReadOptions, Vec<Taken>), RecordedError> {
        let recorded = ReadOptions::from_record(&self.0).map_err(|key| RecordedError {
            value: json!(self.0.get(key)).to_string(),
            key: key.to_owned(),
        })?;
        let names = requested.complete(&recorded, is_given);
        let record = requested.record();
        let value = |option: &'static str| Taken { option, value: plain(&record[option]) };
        Ok((requested, names.into_iter().map(value).collect()))
    }
}

/// A value without JSON punctuation.
fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(values) => values.iter().map(plain).collect::<Vec<_>>().join(","),
        Value::Object(map) => map.keys().cloned().collect::<Vec<_>>().join(","),
        other => other.to_string(),
    }
}

fn wrong(settings: &Map<String, Value>, key: &str) -> RecordedError {
    RecordedError { key: key.to_owned(), value: json!(settings.get(key)).to_string() }
}

fn named<T: NamedChoice>(settings: &Map<String, Value>, key: &str) -> Result<Option<T>, RecordedError> {
    match settings.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => value.as_str().and_then(T::from_name).map(Some).ok_or_else(|| wrong(settings, key)),
    }
}

fn number(settings: &Map<String, Value>, key: &str) -> Result<Option<f64>, RecordedError> {
    match settings.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => value.as_f64().map(Some).ok_or_else(|| wrong(settings, key)),
    }
}

/// The recorded hierarchical prior, the model of kin, and the imaginary sample size.
fn options(settings: &Map<String, Value>) -> Result<(PriorSpec, KinSpec, Option<f64>), RecordedError> {
    let prior = PriorSpec {
        s: number(settings, "s")?,
        s_total: None,
        alpha0: number(settings, "alpha0")?,
        s0: number(settings, "s0")?,
        prior: None,
    };
    let grid = match settings.get("kin_grid") {
        None | Some(Value::Null) => None,
        Some(Value::Array(values)) => Some(
            values
                .iter()
                .map(Value::as_f64)
                .collect::<Option<_>>()
                .ok_or_else(|| wrong(settings, "kin_grid"))?,
        ),
        Some(_) => return Err(wrong(settings, "kin_grid")),
    };
    let pooled_half = match settings.get("pooled_half") {
        None | Some(Value::Null) => None,
        Some(Value::Bool(half)) => Some(*half),
        Some(_) => return Err(wrong(settings, "pooled_half")),
    };
    let kin = KinSpec { grid, pooled_half, cells: named::<Cells>(settings, "kin_cells")? };
    Ok((prior, kin, number(settings, "iss")?))
}

fn taken_option(option: &'static str, requested: Option<f64>, now: Option<f64>, usual: f64) -> Option<Taken> {
    let value = now.filter(|&value| requested.is_none() && value != usual)?;
    Some(Taken { option, value: value.to_string() })
}

/// The options of both models that were taken and differ from their defaults.
fn taken_options(
    requested: &PriorSpec,
    now: &PriorSpec,
    requested_kin: &KinSpec,
    kin: &KinSpec,
) -> Vec<Taken> {
    let mut taken = Vec::new();
    taken.extend(taken_option("s", requested.s.or(requested.s_total), now.s, 1.0));
    taken.extend(taken_option("alpha0", requested.alpha0.or(requested.s0), now.alpha0, 1.0));
    taken.extend(taken_option("s0", requested.alpha0.or(requested.s0), now.s0, f64::NAN));
    let (usual, built) = (KinSpec::default().build(), kin.build());
    if let (Ok(usual), Ok(built)) = (usual, built) {
        let (usual, built) = (KinSpec::settings(&usual), KinSpec::settings(&built));
        for (option, given) in [
            ("kin_grid", requested_kin.grid.is_some()),
            ("pooled_half", requested_kin.pooled_half.is_some()),
            ("kin_cells", requested_kin.cells.is_some()),
        ] {
            if !given && usual[option] != built[option] {
                taken.push(Taken { option, value: plain(&built[option]) });
            }
        }
    }
    taken
}
