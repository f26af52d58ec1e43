//! Tables with a place for every cell: emptying them, summing over columns, and taking them over into counts.

use super::Builder;

/// Sums a table over one digit of its numbering, `fast` numbers for each of its values.
pub(super) fn sum_over_digit(table: &mut Vec<u64>, values: usize, fast: usize) {
    let slow = table.len() / (values * fast);
    for slow in 0..slow {
        let first = slow * values * fast;
        table.copy_within(first..first + fast, slow * fast);
        for place in fast..values * fast {
            table[slow * fast + place % fast] += table[first + place];
        }
    }
    table.truncate(slow * fast);
}

/// Takes over a table that is in the family's own order, all data sets of a cell side by side.
pub(super) fn push_all(mut builder: Builder<'_>, states: usize, table: &[u64]) {
    let data_sets = builder.data_sets();
    for (configuration, cells) in (0..).zip(table.chunks_exact(states * data_sets)) {
        builder.push_configuration(configuration, |state, data_set| cells[state * data_sets + data_set]);
    }
    builder.finish();
}

/// So many zeros.
pub(super) fn emptied<T: Default + Clone>(table: &mut Vec<T>, cells: usize) -> &mut [T] {
    table.clear();
    table.resize(cells, T::default());
    table
}

/// What is left of the rows of each data set when those of other cells, one after the other, are taken off.
pub(super) fn take_off(left: &mut [u64], rows: &[u64], others: &[u64]) {
    left.copy_from_slice(rows);
    for other in others.chunks_exact(left.len()) {
        for (left, count) in left.iter_mut().zip(other) {
            *left -= count;
        }
    }
}
