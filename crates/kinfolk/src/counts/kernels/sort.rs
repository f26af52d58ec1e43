//! Counting by sorting, for tables with many more possible cells than rows: rows are sorted by cell and data set, and runs are counted.

use std::ops::Range;

use super::histogram::{Digit, append};
use crate::counts::{Builder, Family};
use crate::data::{RelatedData, VariableId};

/// Bytes per row while a table is counted, at most: its cell index, and once more with its weight.
pub(in crate::counts) const BYTES_PER_ROW: usize = size_of::<u64>() + size_of::<(u64, u64)>();

/// Counts one family; `data_sets` are the consecutive row ranges of the data sets. Memory is bounded by the rows.
pub(in crate::counts) fn count(
    data: &RelatedData,
    data_sets: &[Range<usize>],
    family: &Family,
    mut builder: Builder<'_>,
) {
    let states = data.schema().states(family.child()) as u64;
    let of_cell = data_sets.len().max(1) as u64;
    let (mut index, numbered) = configuration_of_rows(data, family.parents(), u64::MAX / (states * of_cell));
    append(&mut index, digit(data, family.child()));
    append(&mut index, Digit::DataSet(data_sets));
    let mut push = |index: u64, count: u64| {
        let (cell, data_set) = (index / of_cell, index % of_cell);
        #[expect(clippy::cast_possible_truncation, reason = "a state and a data set index fit")]
        let (state, data_set) = ((cell % states) as usize, data_set as usize);
        builder.push(cell / states, state, data_set, count);
    };
    match data.weights() {
        None => {
            index.sort_unstable();
            index.chunk_by(|a, b| a == b).for_each(|run| push(run[0], run.len() as u64));
        }
        Some(weights) => {
            let mut weighted: Vec<(u64, u64)> = index.into_iter().zip(weights.iter().copied()).collect();
            weighted.sort_unstable();
            for run in weighted.chunk_by(|a, b| a.0 == b.0) {
                push(run[0].0, run.iter().map(|row| row.1).sum());
            }
        }
    }
    if numbered { builder.finish() } else { builder.finish_without_numbers() }
}

/// The index of each row's configuration, below `limit`, and whether these are the true indices. Where those would exceed the limit,
/// the indices so far are replaced by their ranks among the rows, which keep the order.
fn configuration_of_rows(data: &RelatedData, parents: &[VariableId], limit: u64) -> (Vec<u64>, bool) {
    let mut index = vec![0_u64; data.stored_rows()];
    let (mut size, mut numbered) = (1_u64, true);
    for &parent in parents {
        let states = data.schema().states(parent) as u64;
        if size > limit / states {
            let mut seen = index.clone();
            seen.sort_unstable();
            seen.dedup();
            for index in &mut index {
                *index = seen.partition_point(|other| other < index) as u64;
            }
            (size, numbered) = (seen.len() as u64, false);
            // Only millions of rows with about as many states in each of several columns could exceed this.
            assert!(size <= limit / states, "the ranks of the rows and the states fit into 64 bits");
        }
        append(&mut index, digit(data, parent));
        size *= states;
    }
    (index, numbered)
}

/// A column as a digit of the row index.
fn digit(data: &RelatedData, variable: VariableId) -> Digit<'_> {
    Digit::Column(data.column(variable), data.schema().states(variable))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Column, Schema, Variable};

    /// Four rows of two columns with three states, of which three and two occur.
    fn data() -> RelatedData {
        let states = || ["a", "b", "c"].map(str::to_owned).to_vec();
        let variable = |name: &str| Variable { name: name.to_owned(), states: states(), constant: false };
        let schema = Schema::new(vec![variable("V1"), variable("V2")], vec!["one".to_owned()]);
        let columns = vec![Column::U8(vec![2, 0, 2, 1]), Column::U8(vec![0, 2, 0, 2])];
        RelatedData::new(schema, columns, vec![0, 4], None)
    }

    #[test]
    fn indices_that_would_not_fit_are_replaced_by_ranks_in_the_same_order() {
        let parents = [0, 1].map(VariableId::new);
        assert_eq!(configuration_of_rows(&data(), &parents, 9), (vec![6, 2, 6, 5], true));
        // A third column does not fit with nine indices, but with three ranks.
        let (ranks, numbered) = configuration_of_rows(&data(), &[0, 1, 0].map(VariableId::new), 9);
        assert_eq!((ranks, numbered), (vec![8, 0, 8, 4], false));
    }

    #[test]
    #[should_panic(expected = "the ranks of the rows and the states fit")]
    fn ranks_that_would_not_fit_are_refused() {
        configuration_of_rows(&data(), &[0, 1].map(VariableId::new), 8);
    }
}
