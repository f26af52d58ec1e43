//! The two integer types that tables are counted in.

/// An unsigned integer that counts rows: `u32` where every row counts once, so that twice as many counts fit into the caches, `u64` where
/// rows have weights.
pub(in crate::counts) trait Counter: Copy + Default + Into<u64> {
    /// Converts a count that is known to fit.
    fn of(rows: u64) -> Self;

    /// Adds rows.
    fn add(&mut self, rows: u64);

    /// Subtracts rows, of which there must be enough.
    fn subtract(&mut self, rows: Self);
}

impl Counter for u32 {
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "u32 is used only if there are fewer than 2^32 rows")]
    fn of(rows: u64) -> Self {
        rows as Self
    }

    #[inline]
    fn add(&mut self, rows: u64) {
        *self += Self::of(rows);
    }

    #[inline]
    fn subtract(&mut self, rows: Self) {
        *self -= rows;
    }
}

impl Counter for u64 {
    #[inline]
    fn of(rows: u64) -> Self {
        rows
    }

    #[inline]
    fn add(&mut self, rows: u64) {
        *self += rows;
    }

    #[inline]
    fn subtract(&mut self, rows: Self) {
        *self -= rows;
    }
}
