//! Builder for tables that a file gives row by row, with an optional default row.

use super::FormatError;
use super::draft::Draft;

/// A table under construction.
pub(super) struct TableBuilder {
    child: usize,
    parents: Vec<usize>,
    /// One row per configuration, the first parent varying slowest; NaN where no row is given yet.
    values: Vec<f64>,
    default: Option<Vec<f64>>,
}

impl TableBuilder {
    /// An empty table for a child and its parents.
    pub(super) fn new(
        draft: &mut Draft,
        line: usize,
        child: usize,
        parents: Vec<usize>,
    ) -> Result<Self, FormatError> {
        let cells = draft.reserve(line, child, &parents)?;
        Ok(Self { child, parents, values: vec![f64::NAN; cells], default: None })
    }

    /// The parents, in the order of the file.
    pub(super) fn parents(&self) -> &[usize] {
        &self.parents
    }

    /// Sets the row of one configuration, given by the parents' state indices.
    pub(super) fn fill(
        &mut self,
        draft: &Draft,
        line: usize,
        configuration: &[usize],
        values: &[f64],
    ) -> Result<(), FormatError> {
        let name = &draft.variables[self.child].id;
        if configuration.len() != self.parents.len() {
            let what = format!("states of the parents of `{name}`");
            let expected = self.parents.len().to_string();
            return Err(FormatError::Number { line, what, expected, found: configuration.len() });
        }
        self.check(draft, line, values)?;
        let mut row = 0;
        for (&parent, &state) in self.parents.iter().zip(configuration) {
            let parent = &draft.variables[parent];
            if state >= parent.states.len() {
                let what = format!("state of `{}`, counted from 0,", parent.id);
                return Err(FormatError::Unknown { line, what, name: state.to_string(), known: Vec::new() });
            }
            row = row * parent.states.len() + state;
        }
        let cells = &mut self.values[row * values.len()..(row + 1) * values.len()];
        if cells.iter().any(|cell| !cell.is_nan()) {
            let what = format!("row {} of the table of", row + 1);
            return Err(FormatError::Duplicate { line, what, name: name.clone() });
        }
        cells.copy_from_slice(values);
        Ok(())
    }

    /// Sets the default row for all configurations without a row of their own.
    pub(super) fn fill_others(
        &mut self,
        draft: &Draft,
        line: usize,
        values: Vec<f64>,
    ) -> Result<(), FormatError> {
        self.check(draft, line, &values)?;
        if self.default.replace(values).is_some() {
            let what = "the default row of the table of".to_owned();
            return Err(FormatError::Duplicate { line, what, name: draft.variables[self.child].id.clone() });
        }
        Ok(())
    }

    /// Rejects rows that precede a full table.
    pub(super) fn expect_empty(&self, draft: &Draft, line: usize) -> Result<(), FormatError> {
        if self.default.is_none() && self.values.iter().all(|value| value.is_nan()) {
            return Ok(());
        }
        let what = "the table of".to_owned();
        Err(FormatError::Duplicate { line, what, name: draft.variables[self.child].id.clone() })
    }

    fn check(&self, draft: &Draft, line: usize, values: &[f64]) -> Result<(), FormatError> {
        let child = &draft.variables[self.child];
        if values.len() == child.states.len() {
            return Ok(());
        }
        let what = format!("probabilities in a row of `{}`", child.id);
        let expected = child.states.len().to_string();
        Err(FormatError::Number { line, what, expected, found: values.len() })
    }

    /// Finishes the table and adds it to the draft.
    pub(super) fn finish(self, draft: &mut Draft, line: usize) -> Result<(), FormatError> {
        let Self { child, parents, mut values, default } = self;
        let states = draft.variables[child].states.len();
        let all = values.len() / states;
        let mut empty = 0;
        for row in values.chunks_exact_mut(states).filter(|row| row.iter().any(|value| value.is_nan())) {
            match &default {
                Some(default) => row.copy_from_slice(default),
                None => empty += 1,
            }
        }
        if empty > 0 {
            let what = format!("rows in the table of `{}`", draft.variables[child].id);
            return Err(FormatError::Number { line, what, expected: all.to_string(), found: all - empty });
        }
        draft.set_table(line, child, parents, values)
    }
}
