//! Related data sets for Python: reads, describes, keeps and restores them.

use std::borrow::Cow;
use std::sync::Arc;

use kinfolk::data::{
    CellMask, Column, DataSetId, Description, Detail, Missing, Reading, RelatedData, Schema, Variable,
    VariableId,
};
use kinfolk::estimate::RESERVED_NAMES;
use kinfolk::remedy::Actionable;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};
use serde_json::{Map, Value, json};

use crate::given::{GivenTable, sources, take};
use crate::reading::{ReadSettings, call};
use crate::task::ComputeSettings;
use crate::wording::Keywords;
use crate::work::{WorkSettings, run};
use crate::{error, values};

fn column_of(bytes: &[u8], width: usize) -> Column {
    match width {
        1 => Column::U8(bytes.to_vec()),
        2 => Column::U16(bytes.as_chunks().0.iter().map(|&code| u16::from_le_bytes(code)).collect()),
        _ => Column::U32(bytes.as_chunks().0.iter().map(|&code| u32::from_le_bytes(code)).collect()),
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
