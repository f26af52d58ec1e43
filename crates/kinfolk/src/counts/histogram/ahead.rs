//! Rows whose cells are worked out ahead, several in one instruction, so that counting waits for nothing but memory.

use super::Cell;

/// Rows whose cells are worked out before they are counted.
const AHEAD: usize = 64;

/// Rows that are counted without a look at how many there are.
const AT_ONCE: usize = 8;

/// Cells to count rows in; they come by value, so that the compiler knows that counting changes nothing but them.
pub(super) trait Cells {
    /// How many there are.
    fn number(&self) -> usize;

    /// Counts a row.
    ///
    /// # Safety
    /// There must be such a cell.
    #[expect(
        unsafe_code,
        reason = "fewer instructions a row keep more rows under way: a tenth less time for large tables"
    )]
    unsafe fn count(&mut self, cell: u32);
}

impl<T: Cell> Cells for &mut [T] {
    fn number(&self) -> usize {
        self.len()
    }

    #[inline]
    #[expect(unsafe_code, reason = "its caller looks at many cells at once")]
    unsafe fn count(&mut self, cell: u32) {
        // SAFETY: the caller knows that there is such a cell.
        unsafe { self.get_unchecked_mut(cell as usize) }.add(1);
    }
}

/// Counts rows whose cells are worked out ahead, several in one instruction, so that counting waits for nothing but memory.
pub(super) fn count_ahead<T: Cells, I: Copy + Into<u32>, C: Copy + Into<u32>>(
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
pub(super) fn count_ahead_body<T: Cells, I: Copy + Into<u32>, C: Copy + Into<u32>>(
    mut cells: T,
    number: &[I],
    codes: &[C],
    shared: u32,
) {
    assert_eq!(number.len(), codes.len(), "every row has a code");
    let mut ahead = Ahead { cells: [0; AHEAD] };
    let ((numbers, last), (all_codes, last_codes)) =
        (number.as_chunks::<AHEAD>(), codes.as_chunks::<AHEAD>());
    for (numbers, codes) in numbers.iter().zip(all_codes) {
        ahead.work_out(&cells, numbers, codes, shared);
        for ahead in ahead.cells.as_chunks::<AT_ONCE>().0 {
            for &cell in ahead {
                #[expect(unsafe_code, reason = "all of them were looked at together")]
                // SAFETY: all cells worked out were just found to be there.
                unsafe {
                    cells.count(cell);
                }
            }
        }
    }
    ahead.work_out(&cells, last, last_codes, shared);
    for &cell in &ahead.cells[..last.len()] {
        #[expect(unsafe_code, reason = "all of them were looked at together")]
        // SAFETY: all cells worked out were just found to be there, and so many were.
        unsafe {
            cells.count(cell);
        }
    }
}

/// Where the next rows are counted, in whole lines of the cache: a twentieth less time.
#[repr(align(64))]
struct Ahead {
    cells: [u32; AHEAD],
}

impl Ahead {
    /// Works out where some rows are counted, no more than there is room for.
    ///
    /// # Panics
    /// If a row has no cell.
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
        for ((cell, &number), &code) in self.cells.iter_mut().zip(number).zip(codes) {
            *cell = number.into() + code.into() * shared;
            largest = largest.max(*cell);
        }
        assert!(
            number.is_empty() || (largest as usize) < cells.number(),
            "every row has its cell in the table"
        );
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
}
