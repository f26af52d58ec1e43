//! Counting the extensions of a binary family of which nothing is known: by how many rows have the second states of every subset of its
//! columns.
//!
//! How many rows have the second state of one column, or of two, is mostly known; those of more are counted. What is in each cell
//! follows by taking off, column by column, the rows that have its second state from those that may have either.

use super::batch::Columns;
use super::bitmaps::Bitmaps;
use super::histogram::Cell;
use super::masks::Masks;
use crate::data::VariableId;

/// The rows that have the second states of several columns, for every subset of a family's columns.
///
/// A subset is a number with a bit for each column, that of the last one lowest, so that it is also the number of the cell where these
/// columns and no others have their second states.
#[derive(Debug)]
pub(super) struct Subsets {
    /// The columns, from the last to the first.
    columns: Columns,
    /// Those of the subsets of at least two columns, ascending.
    pub(super) masks: Masks,
}

impl Subsets {
    /// Those of a family, the child's column last, in used memory.
    pub(super) fn new(used: Masks, bitmaps: &Bitmaps, family: &[VariableId]) -> Self {
        let columns: Columns = family.iter().rev().copied().collect();
        let words = bitmaps.len();
        let mut masks = used.emptied(several(columns.len()).count(), words);
        let of = |column: u32| &*bitmaps.of(columns[column as usize])[0];
        for (place, subset) in several(columns.len()).enumerate() {
            let (before, mask) = masks.words.split_at_mut(place * words);
            // All but the lowest: there are several such columns, whose mask was made before, or a single one.
            let others = subset & (subset - 1);
            let highest = others.ilog2();
            let others = match others.count_ones() {
                1 => of(highest),
                // Before it are as many masks as there are smaller subsets, but for the empty one and those of one column.
                _ => &before[(others - 2 - highest as usize) * words..][..words],
            };
            let both = others.iter().zip(of(subset.trailing_zeros())).map(|(a, b)| a & b);
            mask.iter_mut().zip(both).for_each(|(word, both)| *word = both);
        }
        Self { columns, masks }
    }

    /// How often all rows were looked at to make and count them.
    pub(super) fn passes(&self) -> u64 {
        2 * several(self.columns.len()).count() as u64
    }

    /// Counts those of some rows that are in each cell: of which there are so many in all, and so many with the second state of each column.
    /// Says how often all rows were looked at.
    pub(super) fn count_with(
        &self,
        cells: &mut [u32],
        counted: &mut Vec<u32>,
        rows: &[u64],
        all: u32,
        mut one: impl FnMut(VariableId) -> u32,
    ) -> u64 {
        cells[0] = all;
        for (bit, &column) in self.columns.iter().enumerate() {
            cells[1 << bit] = one(column);
        }
        let several = several(self.columns.len());
        let passes = self.masks.count_each_with(counted, rows);
        several.zip(counted).for_each(|(subset, counted)| cells[subset] = *counted);
        for bit in 0..self.columns.len() {
            for cells in cells.chunks_exact_mut(2 << bit) {
                let (without, with) = cells.split_at_mut(1 << bit);
                without.iter_mut().zip(with).for_each(|(without, with)| *without -= *with);
            }
        }
        passes
    }

    /// How many rows of all are in each cell.
    pub(super) fn count_all(&self, cells: &mut [u32], bitmaps: &Bitmaps) {
        let one = |column| u32::of(bitmaps.rows_in_states(column)[0]);
        self.count_with(cells, &mut Vec::new(), bitmaps.rows(), u32::of(bitmaps.all_rows()), one);
    }
}

/// The subsets of at least two of so many columns, ascending.
fn several(columns: usize) -> impl Iterator<Item = usize> {
    (3..1_usize << columns).filter(|subset| !subset.is_power_of_two())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counts::bitmaps::count_both;
    use crate::example;

    #[test]
    fn cells_follow_from_the_subsets_of_their_columns() {
        let data = example::data();
        let bitmaps = Bitmaps::new(&data, std::slice::from_ref(&(0..data.stored_rows())));
        let binary: Vec<VariableId> =
            data.schema().ids().filter(|&id| data.schema().states(id) == 2).collect();
        assert!(binary.len() > 3, "enough for masks that are made of others");
        let (&added, family) = binary.split_last().unwrap();
        for family in (1..=family.len()).map(|columns| &family[..columns]) {
            let subsets = Subsets::new(Masks::default(), &bitmaps, family);
            let mut expected = vec![[0; 2]; 1 << family.len()];
            for row in 0..data.stored_rows() {
                let state = |&id: &VariableId| data.column(id).get(row) as usize;
                expected[family.iter().fold(0, |cell, id| 2 * cell + state(id))][state(&added)] += 1;
            }
            let (mut rows, mut ones) = (vec![7; expected.len()], vec![7; expected.len()]);
            subsets.count_all(&mut rows, &bitmaps);
            let (bitmap, all) = (&bitmaps.of(added)[0], u32::of(bitmaps.rows_in_states(added)[0]));
            let pair = |column| u32::of(count_both(&bitmaps.of(column)[0], bitmap));
            subsets.count_with(&mut ones, &mut vec![7; 3], bitmap, all, pair);
            assert_eq!(rows, expected.iter().map(|cell| cell[0] + cell[1]).collect::<Vec<u32>>());
            assert_eq!(ones, expected.iter().map(|cell| cell[1]).collect::<Vec<u32>>());
        }
    }
}
