//! Masks of missing cells in a column: one bit per row.

/// One bit per row; a set bit is a missing cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CellMask {
    words: Vec<u64>,
    rows: usize,
}

impl CellMask {
    /// The mask of a column from one flag per row; `None` if no cell is missing.
    pub fn new(missing: impl IntoIterator<Item = bool>) -> Option<Self> {
        let mut mask = Self { words: Vec::new(), rows: 0 };
        for missing in missing {
            if mask.rows.is_multiple_of(64) {
                mask.words.push(0);
            }
            let last = mask.words.len() - 1;
            mask.words[last] |= u64::from(missing) << (mask.rows % 64);
            mask.rows += 1;
        }
        mask.words.iter().any(|&word| word != 0).then_some(mask)
    }

    /// Whether the cell of a row is missing.
    #[inline]
    pub fn get(&self, row: usize) -> bool {
        self.words[row / 64] >> (row % 64) & 1 == 1
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The words of 64 rows each, the first row in the lowest bit; unused bits are zero.
    pub(super) fn words(&self) -> &[u64] {
        &self.words
    }

    /// The mask of the given rows, in the given order; `None` if none of them is missing.
    pub(super) fn of_rows(&self, rows: &[usize]) -> Option<Self> {
        Self::new(rows.iter().map(|&row| self.get(row)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_keeps_its_own_bit() {
        for rows in [1_usize, 63, 64, 65, 200] {
            let is_missing = |row: usize| row.is_multiple_of(3) || row == 63;
            let mask = CellMask::new((0..rows).map(is_missing)).expect("the first row is missing");
            assert_eq!(mask.rows(), rows);
            assert!((0..rows).all(|row| mask.get(row) == is_missing(row)));
            assert!(mask.of_rows(&[1]).is_none(), "row 1 is observed");
        }
        assert_eq!(CellMask::new([false; 70]), None);
    }
}
