//! Fills in the missing values of rows from a network, for Python.

use std::sync::Arc;

use kinfolk::data::{FileText, NewRows, NewRowsOptions};
use kinfolk::formats::NetworkFile;
use kinfolk::impute::{Fill, ImputeError, ImputeOptions, Imputed, impute as fill};
use kinfolk::infer::{Limits, find_relative};
use kinfolk::score::Halt;
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde_json::json;

use crate::given::{GivenTable, take};
use crate::network::Network;
use crate::reading::NewRowsSettings;
use crate::work::{WorkSettings, run};
use crate::{error, values};

/// How values are filled in, as given.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct ImputeSettings {
    versions: usize,
    most_probable: bool,
    seed: u64,
    /// The relative whose tables are used for all rows.
    data_set: Option<String>,
    most_cells: f64,
    /// Whether the states of all cells are wanted, not only those filled in.
    states: bool,
}

/// The values filled in, one entry for each.
#[derive(Default)]
struct Cells {
    /// The table, the row in it, and the variable: three numbers for each value.
    places: Vec<u32>,
    /// The states filled in, by version.
    states: Vec<u32>,
    /// The probabilities of these states.
    probabilities: Vec<f64>,
    /// The names of data set and tables.
    names: Vec<(String, String)>,
    /// The file and the number of the row in it.
    rows: Vec<(String, u64)>,
}

/// The columns of a table that was read from a file: their names, and the text of every cell.
type TextColumns = Option<Vec<(String, Vec<String>)>>;

/// What was filled in: places, states and probabilities as bytes; names; rows; texts of files; the rows of every table; the states of all
/// rows by variable, if requested; the summary.
type Filled<'py> = (
    Bound<'py, PyBytes>,
    Bound<'py, PyBytes>,
    Bound<'py, PyBytes>,
    Vec<(String, String)>,
    Vec<(String, u64)>,
    Vec<TextColumns>,
    Vec<usize>,
    Option<Vec<Bound<'py, PyBytes>>>,
    Bound<'py, PyAny>,
);

/// Fills in the missing values of all rows.
#[pyfunction]
pub(crate) fn impute<'py>(
    py: Python<'py>,
    network: &Network,
    given: Vec<GivenTable<'py>>,
    settings: NewRowsSettings,
    how: ImputeSettings,
) -> PyResult<Filled<'py>> {
    let is_file: Vec<bool> = given.iter().map(|table| !matches!(table, GivenTable::Table(..))).collect();
    let relative = how.data_set.as_ref().map(|name| find_relative(&network.file.network, name));
    let options = ImputeOptions {
        versions: how.versions,
        fill: if how.most_probable { Fill::MostProbable } else { Fill::Draw },
        seed: how.seed,
        relative: relative.transpose().map_err(error::network)?,
        limits: Limits { most_cells: how.most_cells },
    };
    let (taken, na) = (take(given), settings.na.clone());
    let read = settings.options(&network.file.settings)?;
    let read = NewRowsOptions { keep_text: is_file.contains(&true), ..read };
    let file = Arc::clone(&network.file);
    let (cells, texts, sizes, all, imputed) = run(py, &WorkSettings::default(), move |watch| {
        let rows = NewRowsSettings::read(taken, na.as_deref(), file.network.schema(), &read)?;
        let imputed = fill(&file.network, &rows, &options, &mut |done, of| {
            watch.note(|progress| (progress.done, progress.of) = (done, of))
        });
        let imputed = imputed.map_err(refused)?;
        let mut starts = vec![0_usize];
        rows.files().for_each(|table| starts.push(starts[starts.len() - 1] + table.rows()));
        let texts: Vec<TextColumns> =
            rows.files().zip(is_file).map(|(table, is_file)| is_file.then(|| text(table))).collect();
        let all = how.states.then(|| states(&rows, file.network.schema().variables().len()));
        let sizes = starts.windows(2).map(|pair| pair[1] - pair[0]).collect::<Vec<usize>>();
        Ok((cells(&file, &starts, &imputed), texts, sizes, all, imputed))
    })?;
    let numbers = |numbers: &[u32]| {
        PyBytes::new(py, &numbers.iter().flat_map(|number| number.to_ne_bytes()).collect::<Vec<_>>())
    };
    Ok((
        numbers(&cells.places),
        numbers(&cells.states),
        values::floats(py, &cells.probabilities),
        cells.names,
        cells.rows,
        texts,
        sizes,
        all.map(|all| all.iter().map(|variable| numbers(variable)).collect()),
        values::object(py, &json!(imputed))?,
    ))
}

/// An error of the library; a stop can only come from Ctrl-C, for there is no time limit.
fn refused(failed: ImputeError) -> PyErr {
    match failed {
        ImputeError::Infer(failed) => error::network(failed),
        ImputeError::Halted(Halt::Interrupted | Halt::TimeLimit) => PyKeyboardInterrupt::new_err(()),
    }
}

/// The values filled in, row by row; `starts` has the first row of every table.
fn cells(file: &NetworkFile, starts: &[usize], imputed: &Imputed) -> Cells {
    let network = &file.network;
    let number = |number: usize| u32::try_from(number).expect("rows are numbered in 32 bits");
    let mut cells = Cells::default();
    for (position, row) in imputed.rows.iter().enumerate() {
        if row.cells.is_empty() {
            continue;
        }
        let table = starts.partition_point(|&start| start <= position) - 1;
        for cell in &row.cells {
            cells.places.extend([
                number(table),
                number(position - starts[table]),
                number(cell.variable.index()),
            ]);
            cells.states.extend(&cell.values);
            cells.probabilities.extend((0..imputed.versions).map(|version| cell.probability(version)));
            cells.names.push((row.data_set.clone(), network.relative_name(row.tables).to_owned()));
            cells.rows.push((row.file.clone(), row.row));
        }
    }
    cells
}

/// The text of a file, column by column.
fn text(file: FileText<'_>) -> Vec<(String, Vec<String>)> {
    let mut columns: Vec<(String, Vec<String>)> =
        file.columns().map(|name| (name.to_owned(), Vec::with_capacity(file.rows()))).collect();
    for row in 0..file.rows() {
        columns.iter_mut().zip(file.cells(row)).for_each(|(column, cell)| column.1.push(cell.to_owned()));
    }
    columns
}

/// The state of every row by variable; the largest number where it is missing.
fn states(rows: &NewRows, variables: usize) -> Vec<Vec<u32>> {
    let mut all = vec![Vec::new(); variables];
    for row in rows.iter() {
        all.iter_mut().zip(row.values).for_each(|(all, state)| all.push(state.unwrap_or(u32::MAX)));
    }
    all
}
