//! Counting tables with more possible cells than rows: the rows are sorted by cell and runs are counted.

use super::{Builder, Family};
use crate::data::{RelatedData, VariableId};

/// Bytes a row takes while a sparse table is made: itself, its configuration, and a copy of that to rank by.
pub(super) const BYTES_PER_ROW: usize = size_of::<Row>() + 2 * size_of::<u64>();

/// One row of a sparse table in the making.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Row {
    cell: u64,
    data_set: u32,
    weight: u64,
}

/// Fills the table of one family; `data_sets` are their rows. Memory is bounded by the rows.
pub(super) fn count(
    data: &RelatedData,
    data_sets: &[std::ops::Range<usize>],
    family: &Family,
    mut builder: Builder<'_>,
) {
    let states = data.schema().states(family.child()) as u64;
    let (configurations, numbered) = configuration_of_rows(data, family.parents(), u64::MAX / states);
    let child = data.column(family.child());
    let mut rows = Vec::with_capacity(configurations.len());
    for (data_set, range) in (0_u32..).zip(data_sets) {
        for row in range.clone().filter(|&row| data.weight(row) > 0) {
            let cell = configurations[row] * states + u64::from(child.get(row));
            rows.push(Row { cell, data_set, weight: data.weight(row) });
        }
    }
    drop(configurations);
    rows.sort_unstable();
    for run in rows.chunk_by(|a, b| (a.cell, a.data_set) == (b.cell, b.data_set)) {
        let count = run.iter().map(|row| row.weight).sum();
        #[expect(clippy::cast_possible_truncation, reason = "a state is below the number of states")]
        let state = (run[0].cell % states) as usize;
        builder.push(run[0].cell / states, state, run[0].data_set as usize, count);
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
        }
        for (number, code) in number.iter_mut().zip(data.column(parent).iter()) {
            *number = *number * states + u64::from(code);
        }
        size *= states;
    }
    (number, numbered)
}
