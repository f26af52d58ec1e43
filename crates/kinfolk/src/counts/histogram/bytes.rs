//! Counting large tables into bytes, which stay in nearer caches than numbers.

use super::Cell;
use super::ahead::{Cells, count_ahead};

/// Bytes to count into before they become numbers, in memory that a thread uses again.
#[derive(Debug, Default)]
pub(in crate::counts) struct Bytes {
    counts: Vec<u8>,
    /// The cells that a byte was too small for, once for every time it was full.
    full: Vec<u32>,
}

/// Counts into bytes, and makes numbers of them.
pub(super) fn count_in_bytes<T: Cell, I: Copy + Into<u32>, C: Copy + Into<u32>>(
    table: &mut [T],
    number: &[I],
    codes: &[C],
    shared: u32,
    Bytes { counts, full }: &mut Bytes,
) {
    full.clear();
    counts.clear();
    counts.resize(table.len(), 0);
    count_ahead(Full { counts, full }, number, codes, shared);
    widen(table, counts);
    for &cell in &*full {
        table[cell as usize].add(1 << u8::BITS);
    }
}

/// Makes numbers of bytes.
fn widen<T: Cell>(table: &mut [T], counts: &[u8]) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        #[expect(
            unsafe_code,
            reason = "where cells are more than rows this takes as long as counting: a tenth less in all"
        )]
        // SAFETY: the processor was just found to have AVX2, and the function has no other demands.
        return unsafe { widen_avx2(table, counts) };
    }
    widen_body(table, counts);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn widen_avx2<T: Cell>(table: &mut [T], counts: &[u8]) {
    widen_body(table, counts);
}

#[expect(
    clippy::inline_always,
    reason = "kernels must be compiled for the processor their caller is compiled for"
)]
#[inline(always)]
fn widen_body<T: Cell>(table: &mut [T], counts: &[u8]) {
    for (place, &count) in table.iter_mut().zip(counts) {
        *place = T::of(u64::from(count));
    }
}

/// Bytes, and a note of those that were full.
struct Full<'a> {
    counts: &'a mut [u8],
    full: &'a mut Vec<u32>,
}

impl Cells for Full<'_> {
    fn number(&self) -> usize {
        self.counts.len()
    }

    #[inline]
    #[expect(unsafe_code, reason = "its caller looks at many cells at once")]
    unsafe fn count(&mut self, cell: u32) {
        // SAFETY: the caller knows that there is such a cell.
        let counts = unsafe { self.counts.get_unchecked_mut(cell as usize) };
        *counts = counts.wrapping_add(1);
        if *counts == 0 {
            note(self.full, cell);
        }
    }
}

/// Notes a cell that was full, apart from what is done for every row.
#[cold]
#[inline(never)]
fn note(full: &mut Vec<u32>, cell: u32) {
    full.push(cell);
}

#[cfg(test)]
mod tests {
    use super::super::ahead::count_ahead_body;
    use super::*;

    #[test]
    fn bytes_that_are_full_lose_no_row() {
        // Many rows in one cell, exactly as many as a byte can tell in another, one less and one more in others.
        let rows = [(7_u16, 1_000_000), (8, 256), (9, 255), (10, 257), (20_000, 3)];
        let number: Vec<u16> = rows.iter().flat_map(|&(cell, rows)| vec![cell; rows]).collect();
        let mut table = vec![7_u32; 40_000];
        count_in_bytes(&mut table, &number, &vec![1_u8; number.len()], 11, &mut Bytes::default());
        let mut expected = vec![0; 40_000];
        rows.iter().for_each(|&(cell, rows)| expected[usize::from(cell) + 11] = u32::try_from(rows).unwrap());
        assert_eq!(table, expected);
    }

    #[test]
    fn bytes_count_what_numbers_count() {
        let (states, rows) = (401_u32, 300_000);
        let mut number = 1_u32;
        let mut next = |power: i32| {
            number = number.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let part = f64::from(number >> 8) / f64::from(1 << 24);
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "below the states")]
            let state = (f64::from(states) * part.powi(power)) as u16;
            state
        };
        let mut memory = Bytes::default();
        // The higher the power, the more rows fall into few cells.
        for power in [1, 8, 2, 1] {
            let number: Vec<u16> = (0..rows).map(|_| next(power)).collect();
            let codes: Vec<u16> = (0..rows).map(|_| next(power)).collect();
            let cells = (states * states) as usize;
            let (mut bytes, mut plain) = (vec![1_u32; cells], vec![0_u32; cells]);
            count_ahead_body(&mut plain[..], &number, &codes, states);
            // In memory that was used before.
            count_in_bytes(&mut bytes, &number, &codes, states, &mut memory);
            assert!(bytes == plain, "{power}");
        }
    }
}
