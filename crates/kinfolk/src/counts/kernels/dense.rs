//! Operations on dense tables: marginalisation, differences, and reordering into a family's own cell order.

use super::counter::Counter;

/// Sums a table over one column with `values` states, of which neighbouring states are `fast` counts apart.
pub(in crate::counts) fn marginalize(table: &mut Vec<u64>, values: usize, fast: usize) {
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

/// Resizes a table that the caller overwrites; it holds old values.
pub(in crate::counts) fn resized<T: Counter>(table: &mut Vec<T>, cells: usize) -> &mut [T] {
    table.resize(cells, T::default());
    table
}

/// Fills `left` with `rows` minus the counts in `others`, which holds one or more blocks as long as `left`.
pub(in crate::counts) fn remainder<T: Counter>(left: &mut [T], rows: &[u64], others: &[T]) {
    left.iter_mut().zip(rows).for_each(|(left, &rows)| *left = T::of(rows));
    for other in others.chunks_exact(left.len()) {
        left.iter_mut().zip(other).for_each(|(left, &count)| left.subtract(count));
    }
}

/// The layout of a family's table in terms of the shared columns and one added column.
///
/// Cells are numbered with the parents in column order, the child last, and the data sets of a cell side by side. The added column has its
/// position among the parents, so that the cells of the shared columns come in runs, one run for every state of the added column.
#[derive(Clone, Copy)]
pub(in crate::counts) struct DenseLayout {
    /// Consecutive cells of the shared columns that stay together for every state of the added column.
    pub(in crate::counts) run: usize,
    /// The states of the added column.
    pub(in crate::counts) states: usize,
    pub(in crate::counts) data_sets: usize,
}

impl DenseLayout {
    /// The position of the first data set's count for a cell of the shared columns and a state of the added column.
    #[inline]
    pub(in crate::counts) fn position(self, cell: usize, added: usize) -> usize {
        ((cell / self.run * self.states + added) * self.run + cell % self.run) * self.data_sets
    }
}

/// Fills a table in the family's own order; `fill` writes the counts by data set of a cell of the shared columns and a state of the added
/// column.
pub(in crate::counts) fn arrange<T>(
    ordered: &mut [T],
    layout: DenseLayout,
    fill: impl Fn(usize, usize, &mut [T]),
) {
    let DenseLayout { run, states, data_sets } = layout;
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

/// Copies the counts of one cell from the tables of the data sets, which are stored one after the other with `cells` counts each.
#[inline]
pub(in crate::counts) fn gather<T: Counter>(
    places: &mut [T],
    tables: &[impl Counter],
    cell: usize,
    cells: usize,
) {
    let counts = tables[cell..].iter().step_by(cells);
    places.iter_mut().zip(counts).for_each(|(place, &count)| *place = T::of(count.into()));
}

/// Interleaves two tables in runs of `run` cells: a run of one, a run of the other, and so on.
pub(in crate::counts) fn interleave(all: &mut [u32], run: usize, one: &[u32], other: &[u32]) {
    fn in_runs<const RUN: usize>(all: &mut [u32], one: &[u32], other: &[u32]) {
        let both = one.as_chunks::<RUN>().0.iter().zip(other.as_chunks::<RUN>().0);
        let (places, _) = all.as_chunks_mut::<RUN>();
        places.chunks_exact_mut(2).zip(both).for_each(|(places, (one, other))| {
            (places[0], places[1]) = (*one, *other);
        });
    }
    // Runs of fixed length compile to single moves instead of calls of `memcpy`.
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
    fn two_tables_are_interleaved_in_runs() {
        let one: Vec<u32> = (0..16).collect();
        let other: Vec<u32> = (100..116).collect();
        for run in [1, 2, 4, 8, 16] {
            let mut all = vec![7; 32];
            interleave(&mut all, run, &one, &other);
            let expected: Vec<u32> =
                one.chunks(run).zip(other.chunks(run)).flat_map(|(a, b)| [a, b].concat()).collect();
            assert_eq!(all, expected, "{run}");
        }
    }
}
