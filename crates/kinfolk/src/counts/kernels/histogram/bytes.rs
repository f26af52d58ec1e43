//! Histograms of bytes, for tables that exceed the L1 and L2 caches.
//!
//! Rows are counted into one byte per cell. When a byte overflows to zero, its cell is noted in a list; the true count is the byte plus 256
//! for every note. Counting a row into 300 × 300 cells took 1.6 times as long without it, into 1000 × 1000 cells 3.4 times (1e6 rows,
//! `cargo xtask bench`, counting).

use super::blocked::for_each_cell;
use crate::counts::kernels::counter::Counter;

/// Memory that a thread reuses for every table.
#[derive(Debug, Default)]
pub(in crate::counts) struct Scratch {
    counts: Vec<u8>,
    /// The cells whose byte overflowed, once for every time.
    overflows: Vec<u32>,
}

/// Overwrites a table with the counts of some rows.
pub(super) fn count_in_bytes<T: Counter, I: Copy + Into<u32>, C: Copy + Into<u32>>(
    table: &mut [T],
    index: &[I],
    codes: &[C],
    stride: u32,
    Scratch { counts, overflows }: &mut Scratch,
) {
    overflows.clear();
    counts.clear();
    counts.resize(table.len(), 0);
    let (bytes, noted) = (&mut counts[..], &mut *overflows);
    for_each_cell(index, codes, stride, move |cell| {
        let byte = &mut bytes[cell];
        *byte = byte.wrapping_add(1);
        if *byte == 0 {
            note(noted, cell);
        }
    });
    for (count, &byte) in table.iter_mut().zip(&*counts) {
        *count = T::of(u64::from(byte));
    }
    for &cell in &*overflows {
        table[cell as usize].add(1 << u8::BITS);
    }
}

/// Notes an overflow, out of line to keep the loop small.
#[cold]
#[inline(never)]
fn note(overflows: &mut Vec<u32>, cell: usize) {
    overflows.push(u32::try_from(cell).expect("a dense table has fewer than 2^32 cells"));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_overflow_lose_no_row() {
        // Many rows in one cell; exactly as many as overflow a byte in another, one fewer and one more in others.
        let rows = [(7_u16, 1_000_000), (8, 256), (9, 255), (10, 257), (20_000, 3)];
        let index: Vec<u16> = rows.iter().flat_map(|&(cell, rows)| vec![cell; rows]).collect();
        let mut table = vec![7_u32; 40_000];
        count_in_bytes(&mut table, &index, &vec![1_u8; index.len()], 11, &mut Scratch::default());
        let mut expected = vec![0; 40_000];
        rows.iter().for_each(|&(cell, rows)| expected[usize::from(cell) + 11] = u32::try_from(rows).unwrap());
        assert_eq!(table, expected);
    }

    #[test]
    fn bytes_count_what_a_plain_loop_counts() {
        let (states, rows) = (401_u32, 300_000);
        let mut random = 1_u32;
        let mut next = |power: i32| {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let part = f64::from(random >> 8) / f64::from(1 << 24);
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "below the states")]
            let state = (f64::from(states) * part.powi(power)) as u16;
            state
        };
        let mut scratch = Scratch::default();
        // The higher the power, the more rows fall into few cells.
        for power in [1, 8, 2, 1] {
            let index: Vec<u16> = (0..rows).map(|_| next(power)).collect();
            let codes: Vec<u16> = (0..rows).map(|_| next(power)).collect();
            let mut expected = vec![0_u32; (states * states) as usize];
            for (&index, &code) in index.iter().zip(&codes) {
                expected[usize::from(index) + usize::from(code) * states as usize] += 1;
            }
            let mut table = vec![1_u32; expected.len()];
            // In the memory of the previous table.
            count_in_bytes(&mut table, &index, &codes, states, &mut scratch);
            assert!(table == expected, "{power}");
        }
    }
}
