//! Resamples of data sets: a tally that selects and repeats data sets of another tally without reading their rows again.

use super::{Batch, Counts, Family, Tally, TallyError, Visit};
use crate::data::{Schema, Variable, VariableId};

impl Counts {
    /// The counts of selected data sets: the i-th is a copy of the `chosen[i]`-th, and a data set may be chosen several times.
    ///
    /// Complexity: linear in the entries, including those left out and repetitions.
    ///
    /// # Panics
    /// If the positions are not ascending or out of range.
    #[must_use]
    pub fn of_data_sets(&self, chosen: &[usize]) -> Self {
        assert!(chosen.is_sorted(), "data sets keep their order");
        // First and last position (exclusive) of the copies of each data set.
        let copies: Vec<(usize, usize)> = (0..self.data_sets())
            .map(|old| {
                let start = chosen.partition_point(|&other| other < old);
                (start, chosen.partition_point(|&other| other <= old))
            })
            .collect();
        let mut selected = Self::default();
        let mut builder = selected.rebuild(self.states(), self.possible_configurations(), chosen.len());
        let mut numbered = true;
        for (index, configuration) in self.configurations().enumerate() {
            numbered &= configuration.number().is_some();
            let number = configuration.number().unwrap_or(index as u64);
            for cell in configuration.cells() {
                for entry in cell.entries {
                    let (start, end) = copies[entry.data_set];
                    (start..end).for_each(|copy| builder.push(number, cell.state, copy, entry.count));
                }
            }
        }
        if numbered {
            builder.finish();
        } else {
            builder.finish_without_numbers();
        }
        selected
    }
}

impl Counts {
    /// The counts of some cells, with other states and configurations: `keep` maps a configuration's number, a state
    /// and a data set to the new configuration and state, or to `None`. It must preserve their order.
    ///
    /// # Panics
    /// If there are more than 2^64 configurations.
    #[must_use]
    pub(crate) fn kept(
        &self,
        states: usize,
        possible: f64,
        keep: impl Fn(u64, usize, usize) -> Option<(u64, usize)>,
    ) -> Self {
        let mut kept = Self::default();
        let mut builder = kept.rebuild(states, possible, self.data_sets());
        for configuration in self.configurations() {
            let number = configuration.number().expect("there are fewer than 2^64 configurations");
            for cell in configuration.cells() {
                for entry in cell.entries {
                    if let Some((number, state)) = keep(number, cell.state, entry.data_set) {
                        builder.push(number, state, entry.data_set, entry.count);
                    }
                }
            }
        }
        builder.finish();
        kept
    }
}

/// A tally of selected data sets of another tally, each possibly repeated.
pub struct Selection<'a> {
    tally: &'a dyn Tally,
    chosen: Vec<usize>,
    schema: Schema,
}

impl<'a> Selection<'a> {
    /// Selects the data sets at these positions, in ascending order. Further copies of a data set get a number appended to their name.
    /// Whether a variable is constant is determined for the selection.
    pub fn new(tally: &'a dyn Tally, mut chosen: Vec<usize>) -> Result<Self, TallyError> {
        chosen.sort_unstable();
        let known = tally.schema();
        let mut names: Vec<String> = Vec::with_capacity(chosen.len());
        let mut copy = 0;
        for (position, &data_set) in chosen.iter().enumerate() {
            copy = if position > 0 && chosen[position - 1] == data_set { copy + 1 } else { 1 };
            let name = &known.data_sets()[data_set];
            let mut name = if copy == 1 { name.clone() } else { format!("{name} ({copy})") };
            while names.contains(&name) {
                name.push('\'');
            }
            names.push(name);
        }
        let alone: Vec<Family> = known.ids().map(|id| Family::new(id, [])).collect();
        let counts = tally.tally_many(&alone)?;
        let variable = |(id, counts): (VariableId, &Counts)| Variable {
            constant: counts.of_data_sets(&chosen).observed_cells() <= 1,
            ..known.variable(id).clone()
        };
        let variables = known.ids().zip(&counts).map(variable).collect();
        let schema = Schema::new(variables, names);
        Ok(Self { tally, chosen, schema })
    }
}

impl Tally for Selection<'_> {
    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn cost(&self, family: &Family) -> f64 {
        self.tally.cost(family)
    }

    fn rows_scanned(&self) -> u64 {
        self.tally.rows_scanned()
    }

    fn visit_many(&self, batch: &Batch, visit: Visit<'_>) -> Result<(), TallyError> {
        self.tally.visit_many(batch, &|index, counts| visit(index, &counts.of_data_sets(&self.chosen)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_sets_are_left_out_and_repeated() {
        let tables =
            [vec![vec![3, 0], vec![0, 2]], vec![vec![0, 5], vec![0, 0]], vec![vec![1, 1], vec![4, 4]]];
        let counts = Counts::from_table(&tables);
        for chosen in [vec![0, 2], vec![1], vec![0, 0, 1, 2, 2, 2], vec![]] {
            let expected: Vec<_> = chosen.iter().map(|&index: &usize| tables[index].clone()).collect();
            let selected = counts.of_data_sets(&chosen);
            if expected.is_empty() {
                assert_eq!(selected.observed_cells(), 0);
            } else {
                assert_eq!(selected, Counts::from_table(&expected), "{chosen:?}");
            }
        }
    }
}
