//! Files with missing values filled in; all other cells keep their text.

use super::Imputed;
use crate::data::{NewRows, VariableId};
use crate::estimate::Network;

/// One completed file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompletedFile<'a> {
    /// The columns: those of the file, then the variables of the network that it lacks.
    pub columns: Vec<&'a str>,
    /// The rows, one text per column.
    pub rows: Vec<Vec<&'a str>>,
}

/// The files of one version. With `states`, every cell of a variable is spelt as its state in the network, so that a
/// discretised column has intervals throughout; otherwise only filled-in cells are.
///
/// # Panics
/// If the rows were read without their text, or are not the imputed ones.
pub fn completed<'a>(
    network: &'a Network,
    rows: &'a NewRows,
    imputed: &Imputed,
    version: usize,
    states: bool,
) -> Vec<CompletedFile<'a>> {
    let schema = network.schema();
    let text_of =
        |variable: VariableId, state: u32| schema.variable(variable).states[state as usize].as_str();
    let mut coded = rows.iter();
    let mut filled = imputed.rows.iter();
    let one_file = |file: crate::data::FileText<'a>| {
        let mut columns: Vec<&str> = file.columns().collect();
        assert!(!columns.is_empty(), "the rows were read with their text");
        let own = columns.len();
        let places: Vec<usize> = schema
            .variables()
            .iter()
            .map(|variable| {
                columns.iter().position(|name| *name == variable.name).unwrap_or_else(|| {
                    columns.push(&variable.name);
                    columns.len() - 1
                })
            })
            .collect();
        let one_row = |row: usize| {
            let mut cells: Vec<&str> = file.cells(row).collect();
            cells.resize(columns.len().max(own), "");
            let (values, found) = (coded.next(), filled.next());
            let (values, found) =
                (values.expect("a row per line"), found.expect("the rows that were imputed"));
            if states {
                for (id, state) in schema.ids().zip(values.values) {
                    if let Some(state) = state {
                        cells[places[id.index()]] = text_of(id, state);
                    }
                }
            }
            for cell in &found.cells {
                cells[places[cell.variable.index()]] = text_of(cell.variable, cell.values[version]);
            }
            cells
        };
        let rows = (0..file.rows()).map(one_row).collect();
        CompletedFile { columns, rows }
    };
    rows.files().map(one_file).collect()
}
