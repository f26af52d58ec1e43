//! Counting tables with more possible cells than rows: the rows are sorted by cell and data set, and runs are counted.

use std::ops::Range;

use super::index::{Digit, append};
use super::{Builder, Family};
use crate::data::{RelatedData, VariableId};

/// Bytes a row takes at most while a sparse table is made: its number, and that once more with its weight.
pub(super) const BYTES_PER_ROW: usize = size_of::<u64>() + size_of::<(u64, u64)>();

/// Fills the table of one family; `data_sets` are their rows, which follow each other. Memory is bounded by the rows.
pub(super) fn count(
    data: &RelatedData,
    data_sets: &[Range<usize>],
    family: &Family,
    mut builder: Builder<'_>,
) {
    let states = data.schema().states(family.child()) as u64;
    let of_cell = data_sets.len().max(1) as u64;
    let (mut number, numbered) = configuration_of_rows(data, family.parents(), u64::MAX / (states * of_cell));
    append(&mut number, digit(data, family.child()));
    append(&mut number, Digit::DataSet(data_sets));
    let mut push = |number: u64, count: u64| {
        let (cell, data_set) = (number / of_cell, number % of_cell);
        #[expect(
            clippy::cast_possible_truncation,
            reason = "they are below the numbers of states and data sets"
        )]
        let (state, data_set) = ((cell % states) as usize, data_set as usize);
        builder.push(cell / states, state, data_set, count);
    };
    match data.weights() {
        None => {
            number.sort_unstable();
            number.chunk_by(|a, b| a == b).for_each(|run| push(run[0], run.len() as u64));
        }
        Some(weights) => {
            let mut weighted: Vec<(u64, u64)> = number.into_iter().zip(weights.iter().copied()).collect();
            weighted.sort_unstable();
            for run in weighted.chunk_by(|a, b| a.0 == b.0) {
                push(run[0].0, run.iter().map(|row| row.1).sum());
            }
        }
    }
    if numbered { builder.finish() } else { builder.finish_without_numbers() }
}

/// The number of each row's configuration, below `limit`, and whether these are true numbers or only ranks: where the
/// numbers would not fit, what has been numbered so far is replaced by its rank among the rows.
fn configuration_of_rows(data: &RelatedData, parents: &[VariableId], limit: u64) -> (Vec<u64>, bool) {
    let mut number = vec![0_u64; data.stored_rows()];
    let (mut size, mut numbered) = (1_u64, true);
    for &parent in parents {
        let states = data.schema().states(parent) as u64;
        if size > limit / states {
            let mut seen = number.clone();
            seen.sort_unstable();
            seen.dedup();
            for number in &mut number {
                *number = seen.partition_point(|other| other < number) as u64;
            }
            (size, numbered) = (seen.len() as u64, false);
            // That takes millions of rows, and about as many states in each of several columns.
            assert!(size <= limit / states, "rows of so many states can be numbered in 64 bits");
        }
        append(&mut number, digit(data, parent));
        size *= states;
    }
    (number, numbered)
}

/// A column as a digit of rows' numbers.
fn digit(data: &RelatedData, variable: VariableId) -> Digit<'_> {
    Digit::Column(data.column(variable), data.schema().states(variable))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Column, Schema, Variable};

    /// Four rows of two columns of three states, of which three and two are there.
    fn data() -> RelatedData {
        let states = || ["a", "b", "c"].map(str::to_owned).to_vec();
        let variable = |name: &str| Variable { name: name.to_owned(), states: states(), constant: false };
        let schema = Schema::new(vec![variable("V1"), variable("V2")], vec!["one".to_owned()]);
        let columns = vec![Column::U8(vec![2, 0, 2, 1]), Column::U8(vec![0, 2, 0, 2])];
        RelatedData::new(schema, columns, vec![0, 4], None)
    }

    #[test]
    fn rows_whose_numbers_would_not_fit_have_ranks_in_their_order() {
        let parents = [0, 1].map(VariableId::new);
        assert_eq!(configuration_of_rows(&data(), &parents, 9), (vec![6, 2, 6, 5], true));
        // A third column does not fit beside nine numbers, but beside three ranks.
        let (ranks, numbered) = configuration_of_rows(&data(), &[0, 1, 0].map(VariableId::new), 9);
        assert_eq!((ranks, numbered), (vec![8, 0, 8, 4], false));
    }

    #[test]
    #[should_panic(expected = "rows of so many states can be numbered")]
    fn rows_whose_ranks_would_not_fit_are_refused() {
        configuration_of_rows(&data(), &[0, 1].map(VariableId::new), 8);
    }
}
