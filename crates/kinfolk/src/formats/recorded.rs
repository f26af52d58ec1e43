//! The settings that a network file records, as defaults for later commands on that network.

use serde_json::{Map, Value, json};
use thiserror::Error;

use crate::data::ReadOptions;
use crate::estimate::{TableMethod, TableSpec};
use crate::laplace::Cells;
use crate::remedy::Actionable;
use crate::score::{KinSpec, NamedChoice, PriorSpec, ScoreName, ScoreSpec, StructurePrior};

/// The key under which a network file keeps the settings of the score that its structure was learned with, if its other settings are
/// those of the tables.
const LEARNED_WITH: &str = "learned_with";

/// The settings recorded in a network file or in another result with a structure. The default records nothing.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Recorded(Map<String, Value>);

/// A setting that was taken from a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Taken {
    /// The name of the option in this library.
    pub option: &'static str,
    /// Its value.
    pub value: String,
}

/// A recorded setting that cannot be used.
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
    /// The record of these settings.
    pub fn new(settings: Map<String, Value>) -> Self {
        Self(settings)
    }

    /// The settings of a result as JSON; of a document without a structure or without settings, nothing.
    pub fn of_document(document: &Value) -> Self {
        let has_structure = ["structure", "averaged"].iter().any(|key| document[*key].is_string());
        match &document["settings"] {
            Value::Object(settings) if has_structure => Self(settings.clone()),
            _ => Self::default(),
        }
    }

    /// Whether it records nothing.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The score that the structure was learned with, or the score of the model of the tables; `None` if neither is recorded.
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

    /// The score of the record for the settings of a file whose other settings are those of its tables.
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

    /// The tables: the method and its options. `None` if there are none.
    pub fn tables(&self) -> Result<Option<TableSpec>, RecordedError> {
        let Some(method) = self.method()? else { return Ok(None) };
        let score = self.score()?.map_or_else(ScoreName::default, |score| score.score());
        let (prior, kin, iss) = options(self.table_settings())?;
        Ok(Some(TableSpec { method: Some(method), score, prior, kin, iss }))
    }

    fn table_settings(&self) -> &Map<String, Value> {
        // Results of a search record the tables under their own key, those of an estimation at the top.
        self.0.get("tables").and_then(Value::as_object).unwrap_or(&self.0)
    }

    fn method(&self) -> Result<Option<TableMethod>, RecordedError> {
        let settings = self.table_settings();
        if settings.get("method").is_some_and(|method| method == "none") {
            return Ok(None);
        }
        named::<TableMethod>(settings, "method")
    }

    /// The score that was asked for, completed by the recorded one, and what was taken: the score's name, and options that differ from
    /// their defaults.
    pub fn complete_score(&self, asked: ScoreSpec) -> Result<(ScoreSpec, Vec<Taken>), RecordedError> {
        let Some(recorded) = self.score()? else { return Ok((asked, Vec::new())) };
        let complete = asked.clone().or_recorded(&recorded);
        let mut taken = Vec::new();
        if complete.name.is_some() && asked.name.is_none() && complete != asked {
            taken.push(Taken { option: "score", value: complete.score().to_string() });
        }
        taken.extend(taken_options(&asked.prior, &complete.prior, &asked.kin, &complete.kin));
        taken.extend(taken_option("iss", asked.iss, complete.iss, 1.0));
        if let Some(prior) = complete.structure_prior.filter(|_| asked.structure_prior.is_none()) {
            let own = ScoreSpec::named(complete.score()).build(1).ok();
            if own.is_some_and(|own| own.settings["structure_prior"] != json!(prior)) {
                taken.push(Taken { option: "structure_prior", value: prior.name().to_owned() });
            }
        }
        Ok((complete, taken))
    }

    /// The tables that were asked for, completed by the recorded ones, and what was taken.
    pub fn complete_tables(&self, asked: TableSpec) -> Result<(TableSpec, Vec<Taken>), RecordedError> {
        let recorded = match self.tables()? {
            Some(tables) => tables,
            // A structure without tables: those of its score.
            None => match self.score()? {
                Some(score) => TableSpec::after_search(&score, None),
                None => return Ok((asked, Vec::new())),
            },
        };
        let complete = asked.clone().or_recorded(&recorded);
        let mut taken = Vec::new();
        if asked.method.is_none() && complete.method.is_some() {
            taken.push(Taken { option: "method", value: complete.chosen().to_string() });
        }
        taken.extend(taken_options(&asked.prior, &complete.prior, &asked.kin, &complete.kin));
        taken.extend(taken_option("iss", asked.iss, complete.iss, 1.0));
        Ok((complete, taken))
    }

    /// The tables after the structure is scored anew: those that are asked for by method or score, otherwise the recorded ones, otherwise
    /// those of the score.
    pub fn tables_beside(
        &self,
        asked: &ScoreSpec,
        method: Option<TableMethod>,
    ) -> Result<TableSpec, RecordedError> {
        match self.tables()? {
            Some(tables) if method.is_none() && *asked == ScoreSpec::default() => Ok(tables),
            _ => Ok(TableSpec::after_search(&self.complete_score(asked.clone())?.0, method)),
        }
    }

    /// The options for reading that were asked for, completed by the recorded ones; `is_given` says which of them were asked for. What
    /// was taken are the options that differ from their defaults.
    pub fn complete_reading(
        &self,
        mut asked: ReadOptions,
        is_given: &dyn Fn(&str) -> bool,
    ) -> Result<(ReadOptions, Vec<Taken>), RecordedError> {
        let recorded = ReadOptions::from_record(&self.0).map_err(|key| RecordedError {
            value: json!(self.0.get(key)).to_string(),
            key: key.to_owned(),
        })?;
        let names = asked.complete(&recorded, is_given);
        let record = asked.record();
        let value = |option: &'static str| Taken { option, value: plain(&record[option]) };
        Ok((asked, names.into_iter().map(value).collect()))
    }
}

/// A value without the punctuation of JSON.
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

/// The recorded priors: of the hierarchical model, of kin, and the imaginary sample size.
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

fn taken_option(option: &'static str, asked: Option<f64>, now: Option<f64>, usual: f64) -> Option<Taken> {
    let value = now.filter(|&value| asked.is_none() && value != usual)?;
    Some(Taken { option, value: value.to_string() })
}

/// The options of two models that were taken and differ from their defaults.
fn taken_options(asked: &PriorSpec, now: &PriorSpec, asked_kin: &KinSpec, kin: &KinSpec) -> Vec<Taken> {
    let mut taken = Vec::new();
    taken.extend(taken_option("s", asked.s.or(asked.s_total), now.s, 1.0));
    taken.extend(taken_option("alpha0", asked.alpha0.or(asked.s0), now.alpha0, 1.0));
    taken.extend(taken_option("s0", asked.alpha0.or(asked.s0), now.s0, f64::NAN));
    let (usual, built) = (KinSpec::default().build(), kin.build());
    if let (Ok(usual), Ok(built)) = (usual, built) {
        let (usual, built) = (KinSpec::settings(&usual), KinSpec::settings(&built));
        for (option, given) in [
            ("kin_grid", asked_kin.grid.is_some()),
            ("pooled_half", asked_kin.pooled_half.is_some()),
            ("kin_cells", asked_kin.cells.is_some()),
        ] {
            if !given && usual[option] != built[option] {
                taken.push(Taken { option, value: plain(&built[option]) });
            }
        }
    }
    taken
}
