//! Counting by histogram: a row's cell number is that of the shared columns and one code more.

use super::index::Index;
use crate::data::Column;

/// Tables of up to this many cells are counted into several copies at once; larger ones seldom meet the same cell twice in a row.
const SMALL: usize = 256;

/// The copies of tables up to this size are so small that beginning with them costs next to nothing.
const TINY: usize = 16;

/// The copies of tables up to this size cost a quarter of the largest ones'.
const MEDIUM: usize = 64;

/// Rows whose cells are worked out before they are counted.
const AHEAD: usize = 64;

/// Rows that are counted without a look at how many there are.
const AT_ONCE: usize = 8;

/// Larger tables than this, 128 KB, are counted into bytes, which stay in nearer caches: a row of 300 × 300 cells took 0.7 ns instead of 1.1.
const WIDE: usize = 1 << 15;

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

/// Up to this many cells per row it is worth the work of making numbers of bytes: with three a row of 300 × 300 cells took 0.88 ns instead of
/// 1.19, with three and a half one of 600 × 600 a little longer.
const BYTES_PER_ROW: usize = 3;

/// Copies of a small table: consecutive rows often fall into the same cell, and adding to it must not wait.
const COPIES: usize = 4;

/// A table's cells: narrow ones while every row counts once, so that twice as many fit into the caches.
pub(super) trait Cell: Copy + Default + Into<u64> {
    /// A count, which is known to fit.
    fn of(rows: u64) -> Self;

    /// Counts rows more.
    fn add(&mut self, rows: u64);

    /// Takes rows off that are among those counted.
    fn take(&mut self, rows: Self);
}

impl Cell for u32 {
    #[inline]
    #[expect(
        clippy::cast_possible_truncation,
        reason = "no more rows than 32 bits can number are counted so"
    )]
    fn of(rows: u64) -> Self {
        rows as Self
    }

    #[inline]
    fn add(&mut self, rows: u64) {
        *self += Self::of(rows);
    }

    #[inline]
    fn take(&mut self, rows: Self) {
        *self -= rows;
    }
}

impl Cell for u64 {
    #[inline]
    fn of(rows: u64) -> Self {
        rows
    }

    #[inline]
    fn add(&mut self, rows: u64) {
        *self += rows;
    }

    #[inline]
    fn take(&mut self, rows: Self) {
        *self -= rows;
    }
}

/// Bytes to count into before they become numbers, in memory that a thread uses again.
#[derive(Debug, Default)]
pub(super) struct Bytes {
    counts: Vec<u8>,
    /// Of two cells in each.
    halves: Vec<u8>,
    /// The cells that a byte or half of it was too small for, and what it could not tell.
    full: Vec<(u32, u16)>,
}

/// Fills a table, whatever was in it, with the numbers of rows: each is counted at its number plus the code of one column more, times a stride,
/// such as the number of cells of the shared columns: then what belongs to one of its states stays side by side.
pub(super) fn count<T: Cell>(
    table: &mut [T],
    index: &Index,
    more: Option<(&Column, usize)>,
    rows: std::ops::Range<usize>,
    weights: Option<&[u64]>,
    bytes: &mut Bytes,
) {
    let weights = weights.map(|weights| &weights[rows.clone()]);
    match index {
        Index::U16(number) => count_column(table, &number[rows.clone()], more, rows, weights, bytes),
        Index::U32(number) => count_column(table, &number[rows.clone()], more, rows, weights, bytes),
    }
}

fn count_column<T: Cell, I: Copy + Into<u32>>(
    table: &mut [T],
    number: &[I],
    more: Option<(&Column, usize)>,
    rows: std::ops::Range<usize>,
    weights: Option<&[u64]>,
    bytes: &mut Bytes,
) {
    match more {
        // No column more: one state with code 0.
        None => count_codes(table, number, &vec![0_u8; number.len()], 0, weights, bytes),
        Some((Column::U8(codes), shared)) => count_codes(table, number, &codes[rows], shared, weights, bytes),
        Some((Column::U16(codes), shared)) => {
            count_codes(table, number, &codes[rows], shared, weights, bytes);
        }
        Some((Column::U32(codes), shared)) => {
            count_codes(table, number, &codes[rows], shared, weights, bytes);
        }
    }
}

fn count_codes<T: Cell, I: Copy + Into<u32>, C: Copy + Into<u32>>(
    table: &mut [T],
    number: &[I],
    codes: &[C],
    shared: usize,
    weights: Option<&[u64]>,
    bytes: &mut Bytes,
) {
    let shared = u32::try_from(shared).expect("a dense table has fewer cells");
    let cell = |number: I, code: C| number.into() + code.into() * shared;
    if let Some(weights) = weights {
        table.fill(T::default());
        for ((&number, &code), &weight) in number.iter().zip(codes).zip(weights) {
            table[cell(number, code) as usize].add(weight);
        }
    } else if table.len() <= TINY {
        count_in_copies::<TINY, _, _, _>(table, number, codes, cell);
    } else if table.len() <= MEDIUM && number.len() >= table.len() {
        count_in_copies::<MEDIUM, _, _, _>(table, number, codes, cell);
    } else if table.len() <= SMALL && number.len() >= table.len() {
        count_in_copies::<SMALL, _, _, _>(table, number, codes, cell);
    } else if table.len() > WIDE && table.len() <= BYTES_PER_ROW * number.len() {
        count_in_bytes(table, number, codes, shared, bytes);
    } else {
        table.fill(T::default());
        count_ahead(&mut *table, number, codes, shared);
    }
}

/// Counts into bytes, or halves of them as long as these are large enough, and makes numbers of them.
fn count_in_bytes<T: Cell, I: Copy + Into<u32>, C: Copy + Into<u32>>(
    table: &mut [T],
    number: &[I],
    codes: &[C],
    shared: u32,
    Bytes { counts, halves, full }: &mut Bytes,
) {
    full.clear();
    let is_wider = (WIDER..=WIDEST).contains(&table.len()) && number.len() <= ROWS_PER_HALF * table.len();
    let begun = if is_wider {
        halves.clear();
        halves.resize(table.len().div_ceil(2), 0);
        count_in_halves((halves, full), number, codes, shared)
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

/// Cells to count rows in; they come by value, so that the compiler knows that counting changes nothing but them.
trait Cells {
    /// How many places there are.
    fn number(&self) -> usize;

    /// The place of a cell, and what a row adds there.
    fn place(cell: u32) -> (u32, u8) {
        (cell, 1)
    }

    /// Counts a row.
    ///
    /// # Safety
    /// There must be such a place.
    #[expect(
        unsafe_code,
        reason = "fewer instructions a row keep more rows under way: a tenth less time for large tables"
    )]
    unsafe fn count(&mut self, place: u32, row: u8);
}

impl<T: Cell> Cells for &mut [T] {
    fn number(&self) -> usize {
        self.len()
    }

    #[inline]
    #[expect(unsafe_code, reason = "its caller looks at many cells at once")]
    unsafe fn count(&mut self, place: u32, _: u8) {
        // SAFETY: the caller knows that there is such a place.
        unsafe { self.get_unchecked_mut(place as usize) }.add(1);
    }
}

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

/// Counts rows whose cells are worked out ahead, several in one instruction, so that counting waits for nothing but memory.
fn count_ahead<T: Cells, I: Copy + Into<u32>, C: Copy + Into<u32>>(
    cells: T,
    number: &[I],
    codes: &[C],
    shared: u32,
) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        #[expect(
            unsafe_code,
            reason = "this is the innermost loop of a search over variables of many states"
        )]
        // SAFETY: the processor was just found to have AVX2, and the function has no other demands.
        return unsafe { count_ahead_avx2(cells, number, codes, shared) };
    }
    count_ahead_body(cells, number, codes, shared);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn count_ahead_avx2<T: Cells, I: Copy + Into<u32>, C: Copy + Into<u32>>(
    cells: T,
    number: &[I],
    codes: &[C],
    shared: u32,
) {
    count_ahead_body(cells, number, codes, shared);
}

#[expect(
    clippy::inline_always,
    reason = "kernels must be compiled for the processor their caller is compiled for"
)]
#[inline(always)]
fn count_ahead_body<T: Cells, I: Copy + Into<u32>, C: Copy + Into<u32>>(
    mut cells: T,
    number: &[I],
    codes: &[C],
    shared: u32,
) {
    assert_eq!(number.len(), codes.len(), "every row has a code");
    let mut ahead = Ahead { places: [0; AHEAD], rows: [0; AHEAD] };
    let ((numbers, last), (all_codes, last_codes)) =
        (number.as_chunks::<AHEAD>(), codes.as_chunks::<AHEAD>());
    for (numbers, codes) in numbers.iter().zip(all_codes) {
        ahead.work_out(&cells, numbers, codes, shared);
        let rows = ahead.rows.as_chunks::<AT_ONCE>().0;
        for (places, rows) in ahead.places.as_chunks::<AT_ONCE>().0.iter().zip(rows) {
            for (&place, &row) in places.iter().zip(rows) {
                #[expect(unsafe_code, reason = "all of them were looked at together")]
                // SAFETY: all places worked out were just found to be there.
                unsafe {
                    cells.count(place, row);
                }
            }
        }
    }
    ahead.work_out(&cells, last, last_codes, shared);
    for (&place, &row) in ahead.places.iter().zip(&ahead.rows).take(last.len()) {
        #[expect(unsafe_code, reason = "all of them were looked at together")]
        // SAFETY: all places worked out were just found to be there, and so many were.
        unsafe {
            cells.count(place, row);
        }
    }
}

/// Where the next rows are counted, and what each adds there, in whole lines of the cache: a twentieth less time.
#[repr(align(64))]
struct Ahead {
    places: [u32; AHEAD],
    rows: [u8; AHEAD],
}

impl Ahead {
    /// Works out where some rows are counted, no more than there is room for.
    ///
    /// # Panics
    /// If a row has no place.
    #[expect(
        clippy::inline_always,
        reason = "kernels must be compiled for the processor their caller is compiled for"
    )]
    #[inline(always)]
    fn work_out<T: Cells, I: Copy + Into<u32>, C: Copy + Into<u32>>(
        &mut self,
        cells: &T,
        number: &[I],
        codes: &[C],
        shared: u32,
    ) {
        let mut largest = 0;
        let ahead = self.places.iter_mut().zip(&mut self.rows);
        for ((place, &number), &code) in ahead.zip(number).zip(codes) {
            let (of, row) = T::place(number.into() + code.into() * shared);
            (*place.0, *place.1) = (of, row);
            largest = largest.max(of);
        }
        assert!(
            number.is_empty() || (largest as usize) < cells.number(),
            "every row has its cell in the table"
        );
    }
}

/// Counts into several copies of a table of at most `SIZE` cells, a power of two.
fn count_in_copies<const SIZE: usize, T: Cell, I: Copy, C: Copy>(
    table: &mut [T],
    number: &[I],
    codes: &[C],
    cell: impl Fn(I, C) -> u32,
) {
    let mut copies = [[0_u32; SIZE]; COPIES];
    let (numbers, codes) = (number.chunks_exact(COPIES), codes.chunks_exact(COPIES));
    for (&number, &code) in numbers.remainder().iter().zip(codes.remainder()) {
        copies[0][cell(number, code) as usize & (SIZE - 1)] += 1;
    }
    for (numbers, codes) in numbers.zip(codes) {
        for copy in 0..COPIES {
            // Masking tells the compiler that the cell is within the table; it never changes it.
            copies[copy][cell(numbers[copy], codes[copy]) as usize & (SIZE - 1)] += 1;
        }
    }
    for (index, count) in table.iter_mut().enumerate() {
        *count = T::of(copies.iter().map(|copy| u64::from(copy[index])).sum::<u64>());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_worked_out_ahead_are_those_of_every_row() {
        let rows = 1000_u32;
        let number: Vec<u16> = (0..rows).map(|row| u16::try_from(row * row % 101).unwrap()).collect();
        let codes: Vec<u8> = (0..rows).map(|row| u8::try_from(row * 7 % 5).unwrap()).collect();
        let mut expected = vec![0_u32; 505];
        for (&number, &code) in number.iter().zip(&codes) {
            expected[usize::from(number) + usize::from(code) * 101] += 1;
        }
        // Lengths on both sides of whole blocks.
        for taken in [1000, 960, 63] {
            let (mut wide, mut plain) = (vec![0_u32; 505], vec![0_u64; 505]);
            count_ahead(&mut wide[..], &number[..taken], &codes[..taken], 101);
            count_ahead_body(&mut plain[..], &number[..taken], &codes[..taken], 101);
            assert!(wide.iter().zip(&plain).all(|(&wide, &plain)| u64::from(wide) == plain), "{taken} rows");
            assert_eq!(plain.iter().sum::<u64>(), taken as u64);
            assert!(taken < 1000 || wide == expected);
        }
    }

    #[test]
    #[should_panic(expected = "every row has its cell in the table")]
    fn a_row_without_a_cell_is_refused_before_it_is_counted() {
        count_ahead(&mut [0_u32; 505][..], &[101_u16; 64], &[4_u8; 64], 101);
    }

    #[test]
    #[should_panic(expected = "every row has its cell in the table")]
    fn so_is_one_of_the_last_rows() {
        count_ahead(&mut [0_u32; 505][..], &[101_u16; 65], &[3_u8, 4_u8].repeat(33)[1..], 101);
    }

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
        // The higher the power, the more rows fall into few cells: hardly a half is full; so many that bytes are taken after a while; soon.
        for (power, counted_in_halves) in [(1, rows..=rows), (2, SOME + 1..=rows - 1), (8, 1..=SOME)] {
            let number: Vec<u16> = (0..rows).map(|_| next(power)).collect();
            let codes: Vec<u16> = (0..rows).map(|_| next(power)).collect();
            let cells = (states * states) as usize;
            let (mut bytes, mut plain) = (vec![1_u32; cells], vec![0_u32; cells]);
            count_ahead_body(&mut plain[..], &number, &codes, states);
            count_in_bytes(&mut bytes, &number, &codes, states, &mut Bytes::default());
            assert!(bytes == plain, "{power}");
            let mut halves = vec![0; cells.div_ceil(2)];
            let counted = count_in_halves((&mut halves, &mut Vec::new()), &number, &codes, states);
            assert!(counted_in_halves.contains(&counted), "{power}: {counted}");
        }
    }

    #[test]
    fn whatever_was_in_a_table_is_gone() {
        let number: Vec<u16> = (0..50_000_u32).map(|row| u16::try_from(row % 5).unwrap()).collect();
        let weights = vec![1; number.len()];
        for (cells, weights) in
            [(5, None), (60, None), (200, None), (9000, None), (60_000, None), (5, Some(&weights))]
        {
            let mut table = vec![9_u32; cells];
            let weights = weights.map(Vec::as_slice);
            count_codes(&mut table, &number, &vec![0_u8; number.len()], 5, weights, &mut Bytes::default());
            assert!(table[..5] == [10_000; 5] && table[5..].iter().all(|&count| count == 0), "{cells} cells");
        }
    }
}
