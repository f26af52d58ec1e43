//! Networks for Python: parts, inference, and file formats.

use std::sync::Arc;

use kinfolk::data::VariableId;
use kinfolk::estimate::{CredibleMass, Relative};
use kinfolk::formats::{self, Content, Format, NetworkFile};
use kinfolk::infer::{
    Given, InferError, Inference, Limits, Question, find_relative, find_state, find_variable,
};
use kinfolk::simulate::{check_rows, sample};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use serde_json::{Map, json};

use crate::data::{Columns, columns};
use crate::given::{GivenTable, take};
use crate::reading::NewRowsSettings;
use crate::settings::choice;
use crate::work::{WorkSettings, run};
use crate::{error, values};

/// A structure with its tables: for every data set, pooled, and for a new data set.
#[pyclass(frozen, module = "kinfolk._kinfolk")]
pub(crate) struct Network {
    pub(crate) file: Arc<NetworkFile>,
}

/// A file's text, and the replaced names: kind, variable or name, and replacement.
type WrittenText<'py> = (String, Bound<'py, PyAny>);

/// Predictions: probabilities as bytes, NaN for rows without a prediction; the ends of their intervals, if requested; the data sets
/// whose tables were used; the rest by name.
type Predicted<'py> = (Bound<'py, PyBytes>, Bound<'py, PyBytes>, Vec<String>, Bound<'py, PyAny>);

impl Network {
    fn find(&self, node: &str) -> PyResult<VariableId> {
        find_variable(&self.file.network, node).map_err(error::network)
    }

    fn relative(&self, name: &str) -> PyResult<Relative> {
        find_relative(&self.file.network, name).map_err(error::network)
    }

    /// The tables used if no data set is named: the pooled ones, even if a data set has that name.
    fn relative_or_pooled(&self, name: Option<&str>) -> PyResult<Relative> {
        name.map_or(Ok(Relative::Pooled), |name| self.relative(name))
    }

    fn relatives(&self, names: Option<Vec<String>>) -> PyResult<Vec<Relative>> {
        match names {
            None => Ok(self.file.network.relatives().collect()),
            Some(names) => names.iter().map(|name| self.relative(name)).collect(),
        }
    }

    fn given(&self, evidence: &[(String, String)], set: &[(String, String)]) -> Result<Given, InferError> {
        let network = &self.file.network;
        let mut given = Given::nothing(network);
        for (variable, state) in evidence {
            let id = find_variable(network, variable)?;
            given.observe(network, id, find_state(network, id, state)?)?;
        }
        for (variable, state) in set {
            let id = find_variable(network, variable)?;
            given.set(network, id, find_state(network, id, state)?)?;
        }
        Ok(given)
    }
}

#[pymethods]
impl Network {
    #[getter]
    fn structure(&self) -> String {
        self.file.network.structure()
    }

    #[getter]
    fn variables<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let all = PyDict::new(py);
        for variable in self.file.network.schema().variables() {
            all.set_item(&variable.name, &variable.states)?;
        }
        Ok(all)
    }

    #[getter]
    fn data_sets(&self) -> Vec<String> {
        self.file.network.schema().data_sets().to_vec()
    }

    #[getter]
    fn settings<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        values::dict(py, &self.file.settings)
    }

    #[getter]
    fn provenance<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        values::object(py, &json!(self.file.provenance))
    }

    fn parents(&self, node: &str) -> PyResult<Vec<String>> {
        let network = &self.file.network;
        let parents = network.dag().parents(self.find(node)?).iter();
        Ok(parents.map(|&parent| network.schema().variable(parent).name.clone()).collect())
    }

    /// P(state | configuration) by configuration, then state; the first parent varies slowest.
    fn table<'py>(
        &self,
        py: Python<'py>,
        node: &str,
        relative: Option<&str>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let table = self.file.network.table_of(self.find(node)?, self.relative_or_pooled(relative)?);
        Ok(values::floats(py, table.values()))
    }

    /// The lower and the upper end of every probability's credible interval, in the order of `table`.
    fn intervals<'py>(
        &self,
        py: Python<'py>,
        node: &str,
        relative: Option<&str>,
        mass: f64,
    ) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let mass = CredibleMass::new(mass).map_err(error::settings)?;
        let relative = self.relative_or_pooled(relative)?;
        let network = &self.file.network;
        let node = self.find(node)?;
        if network.tables(node).concentration.is_none() {
            return Err(error::network(InferError::NoCertainty));
        }
        let intervals = network.intervals_of(node, relative, mass);
        Ok(intervals.map(|rows| values::floats(py, rows.concat().as_flattened())))
    }

    /// The pooling of a node's hierarchical fit: τ, κ, the weight of the centre by data set, convergence.
    fn pooling<'py>(&self, py: Python<'py>, node: &str) -> PyResult<Option<Bound<'py, PyDict>>> {
        let network = &self.file.network;
        let Some(pooling) = &network.tables(self.find(node)?).pooling else { return Ok(None) };
        let all = PyDict::new(py);
        all.set_item("tau", pooling.tau)?;
        all.set_item("kappa", values::floats(py, pooling.kappa.values()))?;
        let shares = pooling.shrinkage.as_ref().map(|shares| {
            let by_name = PyDict::new(py);
            let mut shares = network.schema().data_sets().iter().zip(shares);
            shares.try_for_each(|(name, share)| by_name.set_item(name, share)).map(|()| by_name)
        });
        all.set_item("shrinkage", shares.transpose()?)?;
        all.set_item("kin", values::object(py, &json!(pooling.kin))?)?;
        all.set_item("iterations", pooling.iterations)?;
        all.set_item("converged", pooling.converged)?;
        Ok(Some(all))
    }

    /// The network file.
    fn text(&self) -> PyResult<String> {
        let text = serde_json::to_string_pretty(&*self.file);
        text.map(|text| text + "\n").map_err(error::network)
    }

    /// One relative's tables in the format of other programs.
    fn write<'py>(
        &self,
        py: Python<'py>,
        format: &str,
        relative: Option<&str>,
    ) -> PyResult<WrittenText<'py>> {
        let relative = self.relative_or_pooled(relative)?;
        let written = formats::write(&self.file.network, relative, choice::<Format>("format", format)?);
        let renamed = values::object(py, &json!(written.renamed))?;
        Ok((written.text, renamed))
    }

    #[expect(clippy::too_many_arguments, reason = "Python passes them by name")]
    fn query<'py>(
        &self,
        py: Python<'py>,
        targets: Vec<String>,
        evidence: Vec<(String, String)>,
        set: Vec<(String, String)>,
        relatives: Option<Vec<String>>,
        joint: bool,
        explanation: bool,
        most_cells: f64,
        intervals: Option<f64>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let mass = intervals.map(CredibleMass::new).transpose().map_err(error::settings)?;
        let question = Question {
            targets: targets.iter().map(|name| self.find(name)).collect::<PyResult<_>>()?,
            given: self.given(&evidence, &set).map_err(error::network)?,
            relatives: self.relatives(relatives)?,
            joint,
            explanation,
            limits: Limits { most_cells },
        };
        let file = Arc::clone(&self.file);
        let answer = run(py, &WorkSettings::default(), move |_| {
            let answer = question.ask(&file.network);
            let answer = match mass {
                Some(mass) => answer.and_then(|answer| answer.with_intervals(&file.network, &question, mass)),
                None => answer,
            };
            answer.map_err(error::network)
        })?;
        values::object(py, &json!(answer))
    }

    #[expect(clippy::too_many_arguments, reason = "Python passes them by name")]
    fn predict<'py>(
        &self,
        py: Python<'py>,
        given: Vec<GivenTable<'py>>,
        settings: NewRowsSettings,
        target: &str,
        relative: Option<&str>,
        most_cells: f64,
        intervals: Option<f64>,
    ) -> PyResult<Predicted<'py>> {
        let mass = intervals.map(CredibleMass::new).transpose().map_err(error::settings)?;
        let limits = Limits { most_cells };
        let network = &self.file.network;
        let target = self.find(target)?;
        let forced = relative.map(|name| self.relative(name)).transpose()?;
        let (taken, na) = (take(given), settings.na.clone());
        let options = settings.options(&self.file.settings)?;
        let file = Arc::clone(&self.file);
        let predictions = run(py, &WorkSettings::default(), move |_| {
            let rows = NewRowsSettings::read(taken, na.as_deref(), file.network.schema(), &options)?;
            let network = &file.network;
            let found = kinfolk::infer::predict(network, target, &rows, forced, limits);
            let found = match mass {
                Some(mass) => {
                    found.and_then(|found| found.with_intervals(network, target, &rows, forced, limits, mass))
                }
                None => found,
            };
            found.map_err(error::network)
        })?;
        let states = network.schema().states(target);
        let mut probabilities = Vec::with_capacity(predictions.rows.len() * states);
        let mut ends = Vec::new();
        for row in &predictions.rows {
            if mass.is_some() {
                match &row.intervals {
                    Some(found) => ends.extend(found.0.iter().flat_map(|(_, ends)| *ends)),
                    None => ends.resize(ends.len() + 2 * states, f64::NAN),
                }
            }
            match &row.probabilities {
                Some(row) => probabilities.extend(row.0.iter().map(|(_, probability)| *probability)),
                None => probabilities.resize(probabilities.len() + states, f64::NAN),
            }
        }
        let rest = json!({
            "metrics": predictions.metrics,
            "baseline": predictions.baseline,
            "unknown_data_sets": predictions.unknown_data_sets,
            "unseen": predictions.unseen,
        });
        let tables = predictions.rows.into_iter().map(|row| row.tables).collect();
        let probabilities = values::floats(py, &probabilities);
        Ok((probabilities, values::floats(py, &ends), tables, values::object(py, &rest)?))
    }

    /// ln P(row) of every row as bytes, and the data sets that are not in the network.
    fn log_likelihood<'py>(
        &self,
        py: Python<'py>,
        given: Vec<GivenTable<'py>>,
        settings: NewRowsSettings,
        relative: Option<&str>,
    ) -> PyResult<(Bound<'py, PyBytes>, Vec<String>)> {
        let forced = relative.map(|name| self.relative(name)).transpose()?;
        let (taken, na) = (take(given), settings.na.clone());
        let options = settings.options(&self.file.settings)?;
        let file = Arc::clone(&self.file);
        let (logs, unknown) = run(py, &WorkSettings::default(), move |_| {
            let network = &file.network;
            let rows = NewRowsSettings::read(taken, na.as_deref(), network.schema(), &options)?;
            let mut unknown: Vec<String> = Vec::new();
            let log = |row: kinfolk::data::NewRow| {
                let own = Relative::of(row.known);
                let log = Inference::new(network, forced.unwrap_or(own)).log_likelihood(&row.values);
                if forced.is_none() && row.known.is_none() && !unknown.contains(&row.data_set) {
                    unknown.push(row.data_set);
                }
                log
            };
            let logs = rows.iter().map(log).collect::<Result<Vec<f64>, _>>().map_err(error::network)?;
            Ok((logs, unknown))
        })?;
        Ok((values::floats(py, &logs), unknown))
    }

    fn sample<'py>(
        &self,
        py: Python<'py>,
        draws: Vec<(String, usize)>,
        seed: u64,
        stream: u64,
    ) -> PyResult<Columns<'py>> {
        let network = &self.file.network;
        let mut chosen: Vec<(Relative, usize)> = Vec::new();
        for (name, rows) in draws {
            let relative = self.relative(&name)?;
            if chosen.iter().any(|(other, _)| *other == relative) {
                return Err(error::network(format!("`{name}` is given twice")));
            }
            chosen.push((relative, rows));
        }
        if chosen.is_empty() {
            return Err(error::network("no data set is named; name at least one"));
        }
        let rows: Vec<usize> = chosen.iter().map(|&(_, rows)| rows).collect();
        check_rows(&rows, network.schema().variables().len()).map_err(error::settings)?;
        let file = Arc::clone(&self.file);
        let drawn =
            run(py, &WorkSettings::default(), move |_| Ok(sample(&file.network, &chosen, seed, stream)))?;
        columns(py, &drawn)
    }
}

/// Reads a network file.
#[pyfunction]
pub(crate) fn load(text: &str) -> PyResult<Network> {
    let file = NetworkFile::read(text).map_err(error::network)?;
    Ok(Network { file: Arc::new(file) })
}

/// Reads the file of another program.
#[pyfunction]
pub(crate) fn load_foreign(text: &str, format: &str, data_set: &str) -> PyResult<Network> {
    match formats::read(text, choice::<Format>("format", format)?, data_set).map_err(error::network)? {
        Content::Network(network) => {
            let file = NetworkFile { network, settings: Map::new(), provenance: None, other: Map::new() };
            Ok(Network { file: Arc::new(file) })
        }
        Content::Structure(_) => Err(error::network(format!(
            "a file of format {format} may have a structure, but this one has no tables"
        ))),
    }
}
