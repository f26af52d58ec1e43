//! Reads paths and coded tables from Python into related data sets, and describes the result.

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;

use kinfolk::data::{
    CellMask, CodedColumn, CodedTable, Column, DataSetId, Description, Detail, DiscretizationRule, Missing,
    NewRows, NewRowsOptions, ReadOptions, Reading, RelatedData, Schema, Source, Unseen, Variable, VariableId,
    column_name, missing_texts,
};
use kinfolk::estimate::RESERVED_NAMES;
use kinfolk::remedy::Actionable;
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};
use rayon::prelude::*;
use serde_json::{Map, Value, json};

use crate::arrow::{ArrowColumn, Pieces};
use crate::settings::{recorded, unknown};
use crate::task::ComputeSettings;
use crate::wording::Keywords;
use crate::work::{WorkSettings, run};
use crate::{error, values};

/// A table of data from Python.
#[derive(FromPyObject)]
pub(crate) enum GivenTable<'py> {
    /// A file.
    Path(PathBuf),
    /// A name and a file.
    Named(String, PathBuf),
    /// A name and columns.
    Table(String, Vec<GivenColumn<'py>>),
}

/// A column from Python.
#[derive(FromPyObject)]
pub(crate) enum GivenColumn<'py> {
    /// Name, texts, codes, whether it is categorical.
    Coded(String, Vec<String>, Codes<'py>, bool),
    /// A name and Arrow data.
    Arrow(String, Bound<'py, ArrowColumn>),
}

/// Codes in Python's memory, in the narrowest type that holds them.
#[derive(FromPyObject)]
pub(crate) enum Codes<'py> {
    U8(PyReadonlyArray1<'py, u8>),
    U16(PyReadonlyArray1<'py, u16>),
    U32(PyReadonlyArray1<'py, u32>),
}

impl Codes<'_> {
    /// Copies the codes once.
    fn column(&self) -> Column {
        match self {
            Self::U8(codes) => Column::U8(codes.as_array().to_vec()),
            Self::U16(codes) => Column::U16(codes.as_array().to_vec()),
            Self::U32(codes) => Column::U32(codes.as_array().to_vec()),
        }
    }
}

/// A source that no longer depends on Python.
pub(crate) enum OwnedSource {
    /// A complete source.
    Source(Source),
    /// A table with columns still to be coded.
    Table(String, Vec<OwnedColumn>),
}

/// A column that no longer depends on Python.
pub(crate) enum OwnedColumn {
    Coded(CodedColumn),
    Arrow(String, Arc<Pieces>),
}

impl OwnedColumn {
    fn name(&self) -> &str {
        match self {
            Self::Coded(column) => &column.name,
            Self::Arrow(name, _) => name,
        }
    }

    fn rows(&self) -> usize {
        match self {
            Self::Coded(column) => column.codes.len(),
            Self::Arrow(_, pieces) => pieces.rows(),
        }
    }

    /// Codes the column under its final name; an unused column has no values, so that it may have any type.
    fn coded(self, name: &str, na: Option<&[String]>, is_wanted: bool) -> PyResult<CodedColumn> {
        match self {
            Self::Coded(column) => Ok(column),
            Self::Arrow(given, pieces) if is_wanted => {
                Ok(CodedColumn { name: given, ..pieces.code(name, na)? })
            }
            Self::Arrow(given, pieces) => {
                let codes = Column::U8(vec![0; pieces.rows()]);
                Ok(CodedColumn { name: given, texts: Vec::new(), codes, is_categorical: false })
            }
        }
    }
}

/// Takes ownership of the data.
pub(crate) fn take(given: Vec<GivenTable<'_>>) -> Vec<OwnedSource> {
    let column = |given: GivenColumn<'_>| match given {
        GivenColumn::Coded(name, texts, codes, is_categorical) => {
            OwnedColumn::Coded(CodedColumn { name, texts, codes: codes.column(), is_categorical })
        }
        GivenColumn::Arrow(name, column) => OwnedColumn::Arrow(name, Arc::clone(&column.get().pieces)),
    };
    let table = |given: GivenTable<'_>| match given {
        GivenTable::Path(path) => OwnedSource::Source(Source::Path(path)),
        GivenTable::Named(name, path) => OwnedSource::Source(Source::Named { name, path }),
        GivenTable::Table(name, columns) => {
            OwnedSource::Table(name, columns.into_iter().map(column).collect())
        }
    };
    given.into_iter().map(table).collect()
}

/// The library's sources; columns are coded in parallel. Whether a column is used depends on its final name.
pub(crate) fn sources(
    taken: Vec<OwnedSource>,
    na: Option<&[String]>,
    is_wanted: impl Fn(&str) -> bool + Sync,
) -> PyResult<Vec<Source>> {
    let source = |taken: OwnedSource| {
        let (name, columns) = match taken {
            OwnedSource::Source(source) => return Ok(source),
            OwnedSource::Table(name, columns) => (name, columns),
        };
        let of_other_length =
            |first: &OwnedColumn| columns.iter().find(|column| column.rows() != first.rows());
        if let Some((first, other)) = columns.first().and_then(|first| Some((first, of_other_length(first)?)))
        {
            let (column, found) = (other.name(), other.rows());
            let (first, expected) = (first.name(), first.rows());
            return Err(error::data(format!(
                "{name}: column `{column}` has {found} rows, but `{first}` has {expected}; all columns need one length"
            )));
        }
        let coded = columns.into_par_iter().enumerate().map(|(index, column)| {
            let named = column_name(column.name(), index);
            column.coded(&named, na, is_wanted(&named))
        });
        Ok(Source::Coded(CodedTable::new(name, coded.collect::<PyResult<_>>()?)))
    };
    taken.into_iter().map(source).collect()
}

fn column_of(bytes: &[u8], width: usize) -> Column {
    match width {
        1 => Column::U8(bytes.to_vec()),
        2 => Column::U16(bytes.as_chunks().0.iter().map(|&code| u16::from_le_bytes(code)).collect()),
        _ => Column::U32(bytes.as_chunks().0.iter().map(|&code| u32::from_le_bytes(code)).collect()),
    }
}

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
    na: Option<Vec<String>>,
    missing: String,
    max_states: usize,
    delimiter: Option<String>,
    /// The types of the tables' values, which only Python records, as JSON.
    tables: String,
}

impl ReadSettings {
    /// The options as recorded by the command line.
    fn record(sources: &[Source], options: &ReadOptions, tables: Map<String, Value>) -> Map<String, Value> {
        let files: Vec<String> = sources.iter().map(Source::display).collect();
        let mut record = Map::from_iter([("files".to_owned(), json!(files))]);
        record.extend(options.record());
        record.extend(tables);
        record
    }

    /// Whether a column is used.
    fn wants(options: &ReadOptions, column: &str) -> bool {
        let is_named = |role: &Option<String>| role.as_deref() == Some(column);
        let is_chosen =
            options.columns.as_ref().is_none_or(|chosen| chosen.iter().any(|name| name == column));
        let is_ignored = options.ignore.iter().any(|name| name == column);
        is_named(&options.group)
            || is_named(&options.weight)
            || is_named(&options.id)
            || (is_chosen && !is_ignored)
    }

    fn options(self) -> PyResult<ReadOptions> {
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
            missing: match self.missing.as_str() {
                "refuse" => Missing::Refuse,
                "drop-rows" => Missing::DropRows,
                "level" => Missing::Level,
                "impute" => Missing::Impute,
                "available" => Missing::Available,
                other => {
                    let known = ["refuse", "impute", "available", "drop-rows", "level"];
                    return Err(unknown("missing", other, &known));
                }
            },
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
    match text.as_bytes() {
        b"tab" | b"\\t" => Ok(b'\t'),
        [byte] => Ok(*byte),
        _ => Err(error::settings(format!("delimiter takes one character (or `tab`), not `{text}`"))),
    }
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
        let learned = || -> Option<Vec<String>> {
            Some(
                settings.get("na")?.as_array()?.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
            )
        };
        let defaults = NewRowsOptions::default();
        Ok(NewRowsOptions {
            group: self.group,
            weight: self.weight,
            na: self.na.map(missing_texts).or_else(learned).unwrap_or(defaults.na),
            unseen: match self.unseen.as_str() {
                "refuse" => Unseen::Refuse,
                "missing" => Unseen::Missing,
                other => return Err(unknown("unseen", other, &["refuse", "missing"])),
            },
            delimiter: None,
            limits: defaults.limits,
            keep_text: false,
        })
    }
}

/// Related data sets, read and coded once for any number of uses, made by ``kinfolk.read``.
///
/// Every function that takes data takes it. It can be pickled and copied.
///
/// Examples
/// --------
/// >>> import kinfolk
/// >>> data = kinfolk.read({"north": {"rain": ["yes", "no"]}, "south": {"rain": ["no", "no"]}})
/// >>> data
/// Data(2 data sets, 4 rows, 1 variables)
/// >>> data.variables
/// {'rain': ['no', 'yes']}
/// >>> data.data_sets
/// {'north': 2, 'south': 2}
/// >>> data.notes
/// ['the states of column `rain` differ: south has no yes']
/// >>> [variable["name"] for variable in data.description["variables"]]
/// ['rain']
/// >>> data.fingerprint[:7]
/// 'sha256:'
#[expect(clippy::doc_link_with_quotes, reason = "lists of texts in Python")]
#[pyclass(frozen, module = "kinfolk")]
pub(crate) struct Data {
    pub(crate) reading: Arc<Reading>,
    pub(crate) settings: Map<String, Value>,
}

impl Data {
    /// The treatment of missing values that were kept.
    pub(crate) fn treatment(&self) -> Missing {
        let is_available = self.settings.get("missing").and_then(Value::as_str) == Some("available");
        if is_available { Missing::Available } else { Missing::Impute }
    }

    /// The settings of reading and computing, as recorded in results.
    pub(crate) fn record(&self, machine: &ComputeSettings<'_>) -> Map<String, Value> {
        let mut record = self.settings.clone();
        record.insert("memory".to_owned(), json!(machine.memory));
        record
    }
}

#[pymethods]
impl Data {
    /// The variables, each with its states.
    #[getter]
    fn variables<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let all = PyDict::new(py);
        for variable in self.reading.data.schema().variables() {
            all.set_item(&variable.name, &variable.states)?;
        }
        Ok(all)
    }

    /// The data sets, each with its number of rows.
    #[getter]
    fn data_sets<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let all = PyDict::new(py);
        let data = &self.reading.data;
        for (index, name) in data.schema().data_sets().iter().enumerate() {
            all.set_item(name, data.rows(DataSetId::new(index)))?;
        }
        Ok(all)
    }

    /// Remarks on the data, one sentence each.
    #[getter]
    fn notes(&self) -> Vec<String> {
        let names = self.reading.data.schema().data_sets().iter();
        let reserved = names.filter(|name| RESERVED_NAMES.contains(&name.as_str())).map(|name| {
            format!(
                "a data set is called `{name}`: `data_set={name:?}` selects it, not the tables that the name otherwise stands for; \
                 rename it to keep both"
            )
        });
        let remarks = self.reading.description.remarks(Detail::Full);
        reserved.chain(remarks.iter().map(|remark| remark.message(&Keywords))).collect()
    }

    /// The description of the data, as dictionaries and lists.
    #[getter]
    fn description<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        values::object(py, &json!(self.reading.description))
    }

    /// A hash of the encoded data, which does not depend on their source.
    #[getter]
    fn fingerprint(&self) -> String {
        self.reading.data.fingerprint()
    }

    fn __repr__(&self) -> String {
        let data = &self.reading.data;
        let rows: u64 =
            (0..data.schema().data_sets().len()).map(|index| data.rows(DataSetId::new(index))).sum();
        let (variables, data_sets) = (data.schema().variables().len(), data.schema().data_sets().len());
        format!("Data({data_sets} data sets, {rows} rows, {variables} variables)")
    }

    fn _repr_html_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("kinfolk._render.html")?.call_method1("data", (slf,))
    }

    fn _columns<'py>(&self, py: Python<'py>) -> PyResult<Columns<'py>> {
        columns(py, &self.reading.data)
    }

    /// The multiplicity of each stored row, unless all are one.
    fn _weights(&self) -> Option<Vec<u64>> {
        self.reading.data.weights().map(<[u64]>::to_vec)
    }

    /// Everything but the rows, as JSON: the description, and the read settings.
    fn _record(&self) -> (String, String) {
        (json!(self.reading.description).to_string(), json!(self.settings).to_string())
    }
}

/// Restores data from `_columns`, `_weights` and `_record`.
#[pyfunction]
pub(crate) fn restore(
    coded: (Vec<KeptColumn<'_>>, Vec<String>, Vec<usize>),
    weights: Option<Vec<u64>>,
    record: (String, String),
) -> PyResult<Data> {
    let (columns, data_sets, starts) = coded;
    let description: Description = serde_json::from_str(&record.0).map_err(error::data)?;
    let settings = serde_json::from_str(&record.1).map_err(error::data)?;
    let (mut variables, mut codes, mut masks) = (Vec::new(), Vec::new(), Vec::new());
    for ((name, states, bytes, width), described) in columns.into_iter().zip(&description.variables) {
        let (column, mask) = without_missing(column_of(bytes.as_bytes(), width), states.len());
        variables.push(Variable { name, states, constant: described.constant });
        codes.push(column);
        masks.push(mask);
    }
    let data =
        RelatedData::new(Schema::new(variables, data_sets), codes, starts, weights).with_missing(masks);
    Ok(Data { reading: Arc::new(Reading { data, description }), settings })
}

/// A column for pickling: name, states, codes, bytes per code.
type KeptColumn<'py> = (String, Vec<String>, Bound<'py, PyBytes>, usize);

/// Reads related data sets.
#[pyfunction]
pub(crate) fn read(py: Python<'_>, given: Vec<GivenTable<'_>>, settings: ReadSettings) -> PyResult<Data> {
    let taken = take(given);
    let na = settings.na.clone();
    let tables = serde_json::from_str(&settings.tables).map_err(error::settings)?;
    let options = settings.options()?;
    let (reading, settings) = run(py, &WorkSettings::default(), move |_| {
        let sources = sources(taken, na.as_deref(), |column| ReadSettings::wants(&options, column))?;
        let settings = ReadSettings::record(&sources, &options, tables);
        Ok((kinfolk::data::read(sources, &options).map_err(error::data)?, settings))
    })?;
    Ok(Data { reading: Arc::new(reading), settings })
}

/// Describes the data despite errors.
#[pyfunction]
pub(crate) fn describe<'py>(
    py: Python<'py>,
    given: Vec<GivenTable<'py>>,
    settings: ReadSettings,
) -> PyResult<Bound<'py, PyAny>> {
    let taken = take(given);
    let na = settings.na.clone();
    let options = settings.options()?;
    let found = run(py, &WorkSettings::default(), move |_| {
        let sources = sources(taken, na.as_deref(), |column| ReadSettings::wants(&options, column))?;
        kinfolk::data::describe(sources, &options).map_err(error::data)
    })?;
    let problems: Vec<String> = found.problems.iter().map(|problem| problem.message(&Keywords)).collect();
    let mut all = json!(found.description);
    all["columns"] = json!(found.columns);
    all["problems"] = json!(problems);
    all["suspicions"] = json!(found.suspicions);
    all["needs_correction"] = json!(found.needs_correction());
    all["call"] = json!(call(&found.advised));
    values::object(py, &all)
}

/// The call that reads the data with these options.
fn call(options: &ReadOptions) -> String {
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

/// Columns for Python (name, states, codes, bytes per code), the names of the data sets, the start of each, and the
/// end.
pub(crate) type Columns<'py> = (Bound<'py, PyList>, Vec<String>, Vec<usize>);

/// The mask of a column's missing cells, whose code is the one after the last state, and the column with the code 0 there.
fn without_missing(column: Column, states: usize) -> (Column, Option<CellMask>) {
    let is_missing = |code: u32| code as usize >= states;
    let Some(mask) = CellMask::new(column.iter().map(is_missing)) else { return (column, None) };
    let mut cleared = Column::for_states(states, column.len());
    column.iter().for_each(|code| cleared.push(if is_missing(code) { 0 } else { code }));
    (cleared, Some(mask))
}

/// The column with the code after the last state in its missing cells.
fn with_missing(data: &RelatedData, id: VariableId) -> Cow<'_, Column> {
    let (column, states) = (data.column(id), data.schema().states(id));
    let Some(mask) = data.mask(id) else { return Cow::Borrowed(column) };
    let missing = u32::try_from(states).expect("states are coded in 32 bits");
    let mut marked = Column::for_states(states + 1, column.len());
    column.iter().enumerate().for_each(|(row, code)| marked.push(if mask.get(row) { missing } else { code }));
    Cow::Owned(marked)
}

/// Coded rows for Python; a missing cell has the code after the last state.
pub(crate) fn columns<'py>(py: Python<'py>, data: &RelatedData) -> PyResult<Columns<'py>> {
    let columns = PyList::empty(py);
    for (id, variable) in data.schema().ids().zip(data.schema().variables()) {
        let (bytes, width) = match &*with_missing(data, id) {
            Column::U8(codes) => (PyBytes::new(py, codes), 1),
            Column::U16(codes) => {
                (PyBytes::new(py, &codes.iter().flat_map(|code| code.to_le_bytes()).collect::<Vec<_>>()), 2)
            }
            Column::U32(codes) => {
                (PyBytes::new(py, &codes.iter().flat_map(|code| code.to_le_bytes()).collect::<Vec<_>>()), 4)
            }
        };
        columns.append((&variable.name, &variable.states, bytes, width))?;
    }
    let names = data.schema().data_sets().to_vec();
    let starts = (0..names.len()).map(|index| data.rows_of(DataSetId::new(index)).start);
    let starts = starts.chain([data.stored_rows()]).collect();
    Ok((columns, names, starts))
}
