//! Counting large tables into bytes or halves of them, which stay in nearer caches than numbers.

use super::Cell;
use super::ahead::{AHEAD, Cells, count_ahead};

/// Larger tables than this are counted into half bytes, if few rows fall into each cell: a row of 600 × 600 cells took 0.91 ns
/// instead of 1.09, one of 300 × 300 longer. Where many rows fall into few cells, bytes take over after a while: a twentieth longer than without.
const WIDER: usize = 1 << 17;

/// In still larger tables little is gained, and more is lost where bytes have to take over.
const WIDEST: usize = 1 << 19;

/// Up to this many rows per cell half bytes, which can tell 15, are seldom full.
const ROWS_PER_HALF: usize = 7;

/// Rows after which is looked whether halves are full too often.
const SOME: usize = 1 << 15;

/// If more than one in so many rows finds its half full, bytes are better: to note that takes as long as to count some tens of rows.
const ROWS_PER_FULL: usize = 256;

/// Bytes to count into before they become numbers, in memory that a thread uses again.
#[derive(Debug, Default)]
pub(in crate::counts) struct Bytes {
    counts: Vec<u8>,
    /// Of two cells in each.
    halves: Vec<u8>,
    /// The cells that a byte or half of it was too small for, and what it could not tell.
    full: Vec<(u32, u16)>,
}

/// Counts into bytes, or halves of them as long as these are large enough, and makes numbers of them.
pub(super) fn count_in_bytes<T: Cell, I: Copy + Into<u32>, C: Copy + Into<u32>>(
    table: &mut [T],
    number: &[I],
    codes: &[C],
    shared: u32,
    Bytes { counts, halves, full }: &mut Bytes,
) {
    full.clear();
    let is_wider = table.len() > WIDER && table.len() <= WIDEST;
    let is_worth_it = is_wider && number.len() <= ROWS_PER_HALF * table.len();
    let begun = if is_worth_it {
        halves.clear();
        halves.resize(table.len().div_ceil(2), 0);
        let counted = count_in_halves((halves, full), number, codes, shared);
        let beyond = if table.len().is_multiple_of(2) { 0 } else { halves[table.len() / 2] / HIGH };
        assert_eq!(beyond, 0, "every row has its cell in the table");
        counted
    } else {
        0
    };
    if begun > 0 && begun == number.len() {
        take_apart(table, halves, |count| T::of(u64::from(count)));
    } else {
        counts.clear();
        counts.resize(table.len(), 0);
        if begun > 0 {
            take_apart(counts, halves, |count| count);
        }
        count_ahead(Full { counts, full }, &number[begun..], &codes[begun..], shared);
        for (place, &count) in table.iter_mut().zip(&*counts) {
            *place = T::of(u64::from(count));
        }
    }
    for &(cell, more) in &*full {
        table[cell as usize].add(u64::from(more));
    }
}

/// Counts into halves of bytes, two neighbours into one byte, until so many of them were full that bytes would have been better; says how many
/// rows were counted.
fn count_in_halves<I: Copy + Into<u32>, C: Copy + Into<u32>>(
    (counts, full): (&mut [u8], &mut Vec<(u32, u16)>),
    number: &[I],
    codes: &[C],
    shared: u32,
) -> usize {
    let mut counted = 0;
    for (number, codes) in number.chunks(SOME).zip(codes.chunks(SOME)) {
        let before = full.len();
        count_ahead(Halves { counts, full }, number, codes, shared);
        counted += number.len();
        if (full.len() - before) * ROWS_PER_FULL > number.len() {
            break;
        }
    }
    counted
}

/// Makes counts of halves of bytes.
fn take_apart<T>(places: &mut [T], halves: &[u8], count: impl Fn(u8) -> T) {
    for (places, halves) in places.chunks_mut(2 * AHEAD).zip(halves.chunks(AHEAD)) {
        // First bytes and then counts, many of which are made in one instruction.
        let mut apart = [0; 2 * AHEAD];
        for (pair, &both) in apart.as_chunks_mut::<2>().0.iter_mut().zip(halves) {
            *pair = [both % HIGH, both / HIGH];
        }
        places.iter_mut().zip(apart).for_each(|(place, half)| *place = count(half));
    }
}

/// One in the upper half of a byte.
const HIGH: u8 = 1 << 4;

/// Bytes, and a note of those that were full.
struct Full<'a> {
    counts: &'a mut [u8],
    full: &'a mut Vec<(u32, u16)>,
}

impl Cells for Full<'_> {
    fn number(&self) -> usize {
        self.counts.len()
    }

    #[inline]
    #[expect(unsafe_code, reason = "its caller looks at many cells at once")]
    unsafe fn count(&mut self, place: u32, _: u8) {
        // SAFETY: the caller knows that there is such a place.
        let counts = unsafe { self.counts.get_unchecked_mut(place as usize) };
        *counts = counts.wrapping_add(1);
        if *counts == 0 {
            note(self.full, place, 1 << u8::BITS);
        }
    }
}

/// Halves of bytes, and a note of those that were full.
struct Halves<'a> {
    counts: &'a mut [u8],
    full: &'a mut Vec<(u32, u16)>,
}

impl Cells for Halves<'_> {
    fn number(&self) -> usize {
        self.counts.len()
    }

    #[inline]
    fn place(cell: u32) -> (u32, u8) {
        (cell / 2, if cell.is_multiple_of(2) { 1 } else { HIGH })
    }

    #[inline]
    #[expect(unsafe_code, reason = "its caller looks at many cells at once")]
    unsafe fn count(&mut self, place: u32, row: u8) {
        // SAFETY: the caller knows that there is such a place.
        let counts = unsafe { self.counts.get_unchecked_mut(place as usize) };
        *counts = counts.wrapping_add(row);
        if *counts & row.wrapping_mul(HIGH - 1) == 0 {
            // Of the lower half one was carried into the upper.
            *counts = counts.wrapping_sub(if row == HIGH { 0 } else { HIGH });
            note(self.full, 2 * place + u32::from(row == HIGH), u16::from(HIGH));
        }
    }
}

/// Notes a cell that was full, apart from what is done for every row.
#[cold]
#[inline(never)]
fn note(full: &mut Vec<(u32, u16)>, cell: u32, more: u16) {
    full.push((cell, more));
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
    fn halves_that_are_full_lose_no_row_and_give_none_to_their_neighbours() {
        // Neighbours of which both are full, the lower or the upper, in any order of rows; and the last of an odd number of cells.
        let rows = [(6_u16, 1000), (7, 16), (8, 15), (9, 17), (10, 33), (11, 0), (19_988, 18), (19_989, 3)];
        let number: Vec<u16> = rows.iter().flat_map(|&(cell, rows)| vec![cell; rows]).collect();
        let mut turned = number.clone();
        turned.reverse();
        let alternating: Vec<u16> = number.iter().zip(&turned).flat_map(|(&a, &b)| [a, b]).collect();
        for (number, times) in [(number, 1), (turned, 1), (alternating, 2)] {
            let (mut halves, mut full) = (vec![0; 10_001], Vec::new());
            let codes = vec![1_u8; number.len()];
            assert_eq!(count_in_halves((&mut halves, &mut full), &number, &codes, 11), number.len());
            let mut table = vec![7_u32; 20_001];
            take_apart(&mut table, &halves, u32::from);
            full.iter().for_each(|&(cell, more)| table[cell as usize] += u32::from(more));
            let mut expected = vec![0; 20_001];
            for &(cell, rows) in &rows {
                expected[usize::from(cell) + 11] = times * u32::try_from(rows).unwrap();
            }
            assert!(table == expected, "{times}");
        }
    }

    #[test]
    fn bytes_and_halves_count_what_numbers_count() {
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
        // The higher the power, the more rows fall into few cells: hardly a half is full; so many that bytes are taken after a while; soon.
        for (power, counted_in_halves) in [
            (1, rows..=rows),
            (2, SOME + 1..=rows - 1),
            (8, 1..=SOME),
            (2, SOME + 1..=rows - 1),
            (1, rows..=rows),
        ] {
            let number: Vec<u16> = (0..rows).map(|_| next(power)).collect();
            let codes: Vec<u16> = (0..rows).map(|_| next(power)).collect();
            let cells = (states * states) as usize;
            let (mut bytes, mut plain) = (vec![1_u32; cells], vec![0_u32; cells]);
            count_ahead_body(&mut plain[..], &number, &codes, states);
            // In memory that was used before.
            count_in_bytes(&mut bytes, &number, &codes, states, &mut memory);
            assert!(bytes == plain, "{power}");
            let mut halves = vec![0; cells.div_ceil(2)];
            let counted = count_in_halves((&mut halves, &mut Vec::new()), &number, &codes, states);
            assert!(counted_in_halves.contains(&counted), "{power}: {counted}");
        }
    }
}
