//! Tables with a place for every cell: summing them over columns, and putting them in order.

use super::histogram::Cell;

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

/// So many places, whatever is in them.
pub(super) fn room_for<T: Cell>(table: &mut Vec<T>, cells: usize) -> &mut [T] {
    table.resize(cells, T::default());
    table
}

/// What is left of the rows of each data set when those of other cells, one after the other, are taken off.
pub(super) fn take_off<T: Cell>(left: &mut [T], rows: &[u64], others: &[T]) {
    left.iter_mut().zip(rows).for_each(|(left, &rows)| *left = T::of(rows));
    for other in others.chunks_exact(left.len()) {
        left.iter_mut().zip(other).for_each(|(left, &count)| left.take(count));
    }
}

/// How a family's table is made of that of the shared columns and a column more.
#[derive(Clone, Copy)]
pub(super) struct Shape {
    /// Cells of the shared columns that stay side by side for every state of the added one.
    pub(super) run: usize,
    /// The states of the added column.
    pub(super) states: usize,
    pub(super) data_sets: usize,
}

impl Shape {
    /// Where the counts of a cell of the shared columns and a state of the added one begin in the family's own order.
    #[inline]
    pub(super) fn place(self, cell: usize, added: usize) -> usize {
        ((cell / self.run * self.states + added) * self.run + cell % self.run) * self.data_sets
    }
}

/// Fills a table in the family's own order, all data sets of a cell side by side; `fill` writes what is in a cell of the shared columns
/// for a state of the added one, by data set.
pub(super) fn arrange<T>(ordered: &mut [T], shape: Shape, fill: impl Fn(usize, usize, &mut [T])) {
    let Shape { run, states, data_sets } = shape;
    for (index, places) in ordered.chunks_exact_mut(run * data_sets).enumerate() {
        let (slow, added) = (index / states, index % states);
        let cells = slow * run..(slow + 1) * run;
        if data_sets == 1 {
            cells.zip(places).for_each(|(cell, place)| fill(cell, added, std::slice::from_mut(place)));
        } else {
            cells
                .zip(places.chunks_exact_mut(data_sets))
                .for_each(|(cell, places)| fill(cell, added, places));
        }
    }
}

/// Writes what is in one cell of the data sets' tables, which lie one after the other and have so many cells each.
#[inline]
pub(super) fn gather<T: Cell>(places: &mut [T], tables: &[impl Cell], cell: usize, cells: usize) {
    let counts = tables[cell..].iter().step_by(cells);
    places.iter_mut().zip(counts).for_each(|(place, &count)| *place = T::of(count.into()));
}

/// Puts two tables together: so many cells of one, as many of the other, and so on.
pub(super) fn alternate(all: &mut [u32], run: usize, one: &[u32], other: &[u32]) {
    fn in_runs<const RUN: usize>(all: &mut [u32], one: &[u32], other: &[u32]) {
        let both = one.as_chunks::<RUN>().0.iter().zip(other.as_chunks::<RUN>().0);
        let (places, _) = all.as_chunks_mut::<RUN>();
        places.chunks_exact_mut(2).zip(both).for_each(|(places, (one, other))| {
            (places[0], places[1]) = (*one, *other);
        });
    }
    // Copying a few cells takes less than asking for it.
    match run {
        1 => in_runs::<1>(all, one, other),
        2 => in_runs::<2>(all, one, other),
        4 => in_runs::<4>(all, one, other),
        _ => {
            let both = one.chunks_exact(run).zip(other.chunks_exact(run));
            for (places, (one, other)) in all.chunks_exact_mut(2 * run).zip(both) {
                let (first, second) = places.split_at_mut(run);
                first.copy_from_slice(one);
                second.copy_from_slice(other);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_tables_are_put_together_in_runs() {
        let one: Vec<u32> = (0..16).collect();
        let other: Vec<u32> = (100..116).collect();
        for run in [1, 2, 4, 8, 16] {
            let mut all = vec![7; 32];
            alternate(&mut all, run, &one, &other);
            let expected: Vec<u32> =
                one.chunks(run).zip(other.chunks(run)).flat_map(|(a, b)| [a, b].concat()).collect();
            assert_eq!(all, expected, "{run}");
        }
    }
}
