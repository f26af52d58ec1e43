//! The options for reading: from Python's keywords, from a network's record, and as a call in Python.

use kinfolk::data::{
    DiscretizationRule, Missing, NewRows, NewRowsOptions, ReadOptions, Schema, Source, missing_texts,
    named_delimiter,
};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::{Map, Value, json};

use crate::given::{OwnedSource, sources};
use crate::settings::{choice, recorded};
use crate::{error, values};

/// The read settings, as given.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct ReadSettings {
    group: Option<String>,
    weight: Option<String>,
    id: Option<String>,
    id_seed: u64,
    columns: Option<Vec<String>>,
    ignore: Vec<String>,
    common_columns: bool,
    levels: Vec<(String, Vec<String>)>,
    discretize: Vec<String>,
    pub(crate) na: Option<Vec<String>>,
    missing: String,
    max_states: usize,
    delimiter: Option<String>,
    /// The types of the tables' values, which only Python records, as JSON.
    pub(crate) tables: String,
}

impl ReadSettings {
    /// The options as recorded by the command line.
    pub(crate) fn record(
        sources: &[Source],
        options: &ReadOptions,
        tables: Map<String, Value>,
    ) -> Map<String, Value> {
        let files: Vec<String> = sources.iter().map(Source::display).collect();
        let mut record = Map::from_iter([("files".to_owned(), json!(files))]);
        record.extend(options.record());
        record.extend(tables);
        record
    }

    /// Whether a column is used.
    pub(crate) fn wants(options: &ReadOptions, column: &str) -> bool {
        let is_named = |role: &Option<String>| role.as_deref() == Some(column);
        let is_chosen =
            options.columns.as_ref().is_none_or(|chosen| chosen.iter().any(|name| name == column));
        let is_ignored = options.ignore.iter().any(|name| name == column);
        is_named(&options.group)
            || is_named(&options.weight)
            || is_named(&options.id)
            || (is_chosen && !is_ignored)
    }

    pub(crate) fn options(self) -> PyResult<ReadOptions> {
        let defaults = ReadOptions::default();
        let rules =
            self.discretize.iter().map(|rule| rule.parse::<DiscretizationRule>().map_err(error::data));
        Ok(ReadOptions {
            group: self.group,
            weight: self.weight,
            id: self.id,
            id_seed: self.id_seed,
            columns: self.columns,
            ignore: self.ignore,
            common_columns: self.common_columns,
            levels: self.levels,
            discretize: rules.collect::<PyResult<_>>()?,
            na: self.na.map_or(defaults.na, missing_texts),
            missing: choice("missing", &self.missing)?,
            max_states: self.max_states,
            delimiter: self.delimiter.as_deref().map(delimiter).transpose()?,
            limits: defaults.limits,
        })
    }
}

/// The options for reading that a network's settings record, of those that are not given and differ from their defaults.
#[pyfunction]
pub(crate) fn recorded_reading<'py>(
    py: Python<'py>,
    settings: &str,
    given: Vec<String>,
) -> PyResult<Bound<'py, PyDict>> {
    let is_given = |option: &str| given.iter().any(|name| name == option);
    let recorded = recorded(Some(settings))?;
    let (options, taken) =
        recorded.complete_reading(ReadOptions::default(), &is_given).map_err(error::settings)?;
    let mut record = options.record();
    record.retain(|key, _| taken.iter().any(|taken| taken.option == key));
    values::dict(py, &record)
}

fn delimiter(text: &str) -> PyResult<u8> {
    named_delimiter(text)
        .ok_or_else(|| error::settings(format!("delimiter takes one character (or `tab`), not `{text}`")))
}

/// The settings for reading further rows, as given.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct NewRowsSettings {
    group: Option<String>,
    weight: Option<String>,
    pub(crate) na: Option<Vec<String>>,
    unseen: String,
}

impl NewRowsSettings {
    /// Reads rows with the states of a network's variables; call it without the interpreter lock.
    pub(crate) fn read(
        taken: Vec<OwnedSource>,
        na: Option<&[String]>,
        schema: &Schema,
        options: &NewRowsOptions,
    ) -> PyResult<NewRows> {
        let is_named = |role: &Option<String>, column: &str| role.as_deref() == Some(column);
        let sources = sources(taken, na, |column| {
            let is_variable = schema.variables().iter().any(|variable| variable.name == column);
            is_variable || is_named(&options.group, column) || is_named(&options.weight, column)
        })?;
        NewRows::read(sources, schema, options).map_err(error::data)
    }

    /// Options that are not given are taken from the settings of the network.
    pub(crate) fn options(self, settings: &Map<String, Value>) -> PyResult<NewRowsOptions> {
        let recorded = NewRowsOptions::recorded(settings);
        Ok(NewRowsOptions {
            group: self.group,
            weight: self.weight,
            na: self.na.map(missing_texts).unwrap_or(recorded.na),
            unseen: choice("unseen", &self.unseen)?,
            delimiter: None,
            limits: recorded.limits,
            keep_text: false,
        })
    }
}

/// The call that reads the data with these options.
pub(crate) fn call(options: &ReadOptions) -> String {
    let list = |names: &[String]| {
        format!("[{}]", names.iter().map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", "))
    };
    let mut arguments = vec!["data".to_owned()];
    if let Some(group) = &options.group {
        arguments.push(format!("groups={group:?}"));
    }
    if let Some(weight) = &options.weight {
        arguments.push(format!("weights={weight:?}"));
    }
    if let Some(id) = &options.id {
        arguments.push(format!("id={id:?}"));
        if options.id_seed != ReadOptions::default().id_seed {
            arguments.push(format!("id_seed={}", options.id_seed));
        }
    }
    if let Some(columns) = &options.columns {
        arguments.push(format!("columns={}", list(columns)));
    }
    if !options.ignore.is_empty() {
        arguments.push(format!("ignore={}", list(&options.ignore)));
    }
    if options.common_columns {
        arguments.push("common_columns=True".to_owned());
    }
    if !options.levels.is_empty() {
        arguments.push("levels=levels".to_owned());
    }
    let rules: Vec<String> = options.discretize.iter().map(ToString::to_string).collect();
    if !rules.is_empty() {
        arguments.push(format!("discretize={}", list(&rules)));
    }
    if options.na != ReadOptions::default().na {
        let texts: Vec<String> = options.na.iter().filter(|text| !text.is_empty()).cloned().collect();
        arguments.push(format!("na={}", list(&texts)));
    }
    if options.missing != Missing::default() {
        arguments.push(format!("missing={}", json!(options.missing)));
    }
    if options.max_states != ReadOptions::default().max_states {
        arguments.push(format!("max_states={}", options.max_states));
    }
    format!("kinfolk.learn({})", arguments.join(", "))
}
