//! The intermediate model that every reader fills, and its validation into a network.

use rustc_hash::{FxHashMap, FxHashSet};

use super::FormatError;
use super::names::{NAME_FIELD, STATES_FIELD, decode};
use crate::data::{Schema, Variable, VariableId};
use crate::estimate::{Network, RowPlace, Table, check_distribution};
use crate::graph::{Dag, GraphError};

/// Maximum number of variables. It is far above any network with tables; the graph still fits into a small machine's memory.
pub(super) const MOST_VARIABLES: usize = 20_000;

/// Maximum number of probabilities in a file: 256 MiB, whatever sizes the file declares.
const MOST_PROBABILITIES: usize = 1 << 25;

/// A variable as declared in the file.
pub(super) struct DraftVariable {
    /// The line of the declaration.
    pub(super) line: usize,
    /// The name in the file.
    pub(super) id: String,
    pub(super) states: Vec<String>,
    /// The original name, if the file stores one.
    name: Option<String>,
    /// The original names of the states, if the file stores them.
    original_states: Option<Vec<String>>,
    /// The column index, if the file stores one that differs from the order of declaration.
    pub(super) column: Option<usize>,
    table: Option<DraftTable>,
}

/// A table with the parents in the order of the file. The first parent varies slowest, the child fastest.
struct DraftTable {
    line: usize,
    parents: Vec<usize>,
    values: Vec<f64>,
}

/// The variables and tables read so far.
#[derive(Default)]
pub(super) struct Draft {
    pub(super) variables: Vec<DraftVariable>,
    places: FxHashMap<String, usize>,
    probabilities: usize,
}

impl Draft {
    /// Declares a variable.
    pub(super) fn declare(
        &mut self,
        line: usize,
        id: String,
        states: Vec<String>,
    ) -> Result<usize, FormatError> {
        let place = self.variables.len();
        if place == MOST_VARIABLES {
            let what = "the network".to_owned();
            return Err(FormatError::TooLarge { line, what, most: MOST_VARIABLES, of: "variables" });
        }
        if self.places.insert(id.clone(), place).is_some() {
            return Err(FormatError::Duplicate { line, what: "variable".to_owned(), name: id });
        }
        if states.is_empty() {
            let what = format!("states of variable `{id}`");
            return Err(FormatError::Number { line, what, expected: "at least 1".to_owned(), found: 0 });
        }
        check_distinct(line, &format!("state of variable `{id}`"), &states)?;
        let (name, original_states, column, table) = (None, None, None, None);
        self.variables.push(DraftVariable { line, id, states, name, original_states, column, table });
        Ok(place)
    }

    /// Reads a field with original names written by kinfolk. Other fields are ignored.
    pub(super) fn restore(
        &mut self,
        place: usize,
        line: usize,
        field: &str,
        value: &str,
    ) -> Result<(), FormatError> {
        let damaged = || FormatError::Syntax {
            line,
            expected: format!("names written by kinfolk in the field {field}"),
            found: format!("`{value}`; remove the field"),
        };
        let variable = &mut self.variables[place];
        match field {
            NAME_FIELD => variable.name = Some(decode(value).ok_or_else(damaged)?),
            STATES_FIELD => {
                let states: Option<Vec<String>> = value.split_whitespace().map(decode).collect();
                let states = states.ok_or_else(damaged)?;
                if states.len() != variable.states.len() {
                    return Err(damaged());
                }
                variable.original_states = Some(states);
            }
            _ => {}
        }
        Ok(())
    }

    /// The index of a declared variable.
    pub(super) fn find(&self, line: usize, id: &str) -> Result<usize, FormatError> {
        self.places.get(id).copied().ok_or_else(|| FormatError::Unknown {
            line,
            what: "variable".to_owned(),
            name: id.to_owned(),
            known: self.variables.iter().map(|variable| variable.id.clone()).collect(),
        })
    }

    /// Whether a variable with this name is declared.
    pub(super) fn knows(&self, id: &str) -> bool {
        self.places.contains_key(id)
    }

    /// The number of probabilities of a table, or `None` on overflow.
    fn cells(&self, child: usize, parents: &[usize]) -> Option<usize> {
        let mut family = parents.iter().chain([&child]);
        family.try_fold(1_usize, |cells, &place| cells.checked_mul(self.variables[place].states.len()))
    }

    /// Checks the size of a table against the limit and reserves it. The limit applies to the sum over all tables, so that many
    /// short declarations cannot exceed it either.
    pub(super) fn reserve(
        &mut self,
        line: usize,
        child: usize,
        parents: &[usize],
    ) -> Result<usize, FormatError> {
        let cells = self.cells(child, parents).unwrap_or(usize::MAX);
        self.probabilities = self.probabilities.saturating_add(cells);
        if self.probabilities <= MOST_PROBABILITIES {
            return Ok(cells);
        }
        let what = format!("the network with the table of `{}`", self.variables[child].id);
        Err(FormatError::TooLarge { line, what, most: MOST_PROBABILITIES, of: "probabilities" })
    }

    /// Sets the table of a variable. Parents are in the order of the file: the first varies slowest, the child fastest.
    pub(super) fn set_table(
        &mut self,
        line: usize,
        child: usize,
        parents: Vec<usize>,
        values: Vec<f64>,
    ) -> Result<(), FormatError> {
        let expected = self.cells(child, &parents);
        let variable = &self.variables[child];
        if expected != Some(values.len()) {
            let what = format!("probabilities of `{}`", variable.id);
            let expected =
                expected.map_or_else(|| "more than can be counted".to_owned(), |cells| cells.to_string());
            return Err(FormatError::Number { line, what, expected, found: values.len() });
        }
        if variable.table.is_some() {
            let what = "the table of".to_owned();
            return Err(FormatError::Duplicate { line, what, name: variable.id.clone() });
        }
        for (row, probabilities) in values.chunks_exact(variable.states.len()).enumerate() {
            if let Err(wrong) = check_distribution(probabilities) {
                let node = variable.id.clone();
                let parents = parents.iter().map(|&parent| &self.variables[parent]);
                let row = RowPlace::new(row, parents.map(|parent| (parent.id.as_str(), &parent.states[..])));
                return Err(FormatError::Distribution { line, node, row, wrong });
            }
        }
        let variable = &mut self.variables[child];
        variable.table = Some(DraftTable { line, parents, values });
        Ok(())
    }

    /// Validates the draft and builds the network. A single data set with the given name owns the tables.
    pub(super) fn finish(mut self, data_set: &str) -> Result<Network, FormatError> {
        if self.variables.is_empty() {
            return Err(FormatError::Empty);
        }
        let order = self.column_order();
        let mut column = vec![0; order.len()];
        for (index, &place) in order.iter().enumerate() {
            column[place] = index;
        }
        let mut variables = Vec::new();
        let mut arcs = Vec::new();
        let mut tables = Vec::new();
        let sizes: Vec<usize> = self.variables.iter().map(|variable| variable.states.len()).collect();
        for &place in &order {
            let draft = &mut self.variables[place];
            let Some(table) = draft.table.take() else {
                return Err(FormatError::NoTable { line: draft.line, name: draft.id.clone() });
            };
            check_distinct(table.line, &format!("parent of `{}`", draft.id), &table.parents)?;
            let parents: Vec<usize> = table.parents.iter().map(|&parent| column[parent]).collect();
            arcs.extend(parents.iter().map(|&from| (VariableId::new(from), VariableId::new(column[place]))));
            let parent_sizes: Vec<usize> = table.parents.iter().map(|&parent| sizes[parent]).collect();
            let values = in_column_order(&parents, &parent_sizes, sizes[place], table.values);
            tables.push(Table::new(sizes[place], values));
            let states = draft.original_states.take().unwrap_or_else(|| draft.states.clone());
            check_distinct(draft.line, &format!("state of variable `{}`", draft.id), &states)?;
            let name = draft.name.take().unwrap_or_else(|| draft.id.clone());
            let constant = states.len() == 1;
            variables.push(Variable { name, states, constant });
        }
        let names: Vec<String> = variables.iter().map(|variable| variable.name.clone()).collect();
        check_distinct(self.variables.first().map_or(1, |first| first.line), "variable", &names)?;
        let dag = graph(&names, arcs)?;
        Ok(Network::single(Schema::new(variables, vec![data_set.to_owned()]), dag, tables)?)
    }

    /// The variables in column order. This is the order of the file unless every variable stores its column.
    fn column_order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.variables.len()).collect();
        let mut columns: Vec<Option<usize>> = self.variables.iter().map(|variable| variable.column).collect();
        columns.sort_unstable();
        if columns.iter().enumerate().all(|(index, &column)| column == Some(index)) {
            order.sort_by_key(|&place| self.variables[place].column);
        }
        order
    }
}

/// Builds a graph over named nodes and reports errors with these names.
pub(super) fn graph(names: &[String], arcs: Vec<(VariableId, VariableId)>) -> Result<Dag, FormatError> {
    let refused = |error: GraphError| FormatError::Graph { reason: error.with_names(names) };
    Dag::from_arcs(names.len(), arcs).map_err(refused)
}

fn check_distinct<T: Eq + std::hash::Hash + std::fmt::Display>(
    line: usize,
    what: &str,
    all: &[T],
) -> Result<(), FormatError> {
    let mut seen = FxHashSet::default();
    match all.iter().find(|&one| !seen.insert(one)) {
        Some(twice) => Err(FormatError::Duplicate { line, what: what.to_owned(), name: twice.to_string() }),
        None => Ok(()),
    }
}

/// Permutes a table from any order of the parents to column order.
fn in_column_order(parents: &[usize], sizes: &[usize], states: usize, values: Vec<f64>) -> Vec<f64> {
    if parents.is_sorted() {
        return values;
    }
    let mut sorted: Vec<usize> = (0..parents.len()).collect();
    sorted.sort_by_key(|&index| parents[index]);
    // The stride of each parent in the source table, in rows.
    let mut strides = vec![1; parents.len()];
    for index in (1..parents.len()).rev() {
        strides[index - 1] = strides[index] * sizes[index];
    }
    let rows = values.len() / states;
    let mut arranged = Vec::with_capacity(values.len());
    for row in 0..rows {
        let mut rest = row;
        let mut source = 0;
        for &index in sorted.iter().rev() {
            source += rest % sizes[index] * strides[index];
            rest /= sizes[index];
        }
        arranged.extend_from_slice(&values[source * states..(source + 1) * states]);
    }
    arranged
}
