//! Counts of the intersections of masks with the bitmaps of an added column, by data set, in the family's own cell order.

#![expect(
    clippy::inline_always,
    reason = "a kernel body must be inlined to be compiled for its caller's instruction set"
)]

use std::ops::Range;

use super::popcount::{self, BLOCK, count_both_body, nth, popcount_kernel};
use super::words::Words;
use crate::counts::kernels::counter::Counter;
use crate::counts::kernels::dense::DenseLayout;

popcount_kernel! {
    /// Counts the rows that each mask, from number `from` on, has in common with the bitmaps of an added column's states from the second on.
    /// The masks are stored one after the other. Counts of the first state and of earlier masks are left unchanged.
    count_pairs, count_pairs_body, count_pairs_avx2, count_pairs_avx512, <T>,
    (table: &mut [T], layout: DenseLayout, masks: &[u64], from: usize, states: &[Words], data_sets: &[Range<usize>])
}

#[inline(always)]
fn count_pairs_body<const WIDE_POPCNT: bool, T: Counter>(
    table: &mut [T],
    layout: DenseLayout,
    masks: &[u64],
    from: usize,
    states: &[Words],
    data_sets: &[Range<usize>],
) {
    let words = data_sets.first().map_or(0, ExactSizeIterator::len);
    let alike = data_sets.iter().all(|data_set| data_set.len() == words);
    for cell in from..table.len() / (layout.states * layout.data_sets) {
        for (state, bitmap) in (1..).zip(states) {
            let mask = nth(masks, cell, bitmap.len());
            let first = layout.position(cell, state);
            let places = &mut table[first..first + layout.data_sets];
            match words {
                1 if alike => count_words::<1, _>(places, mask, bitmap),
                2 if alike => count_words::<2, _>(places, mask, bitmap),
                3 if alike => count_words::<3, _>(places, mask, bitmap),
                4 if alike => count_words::<4, _>(places, mask, bitmap),
                _ => count_ranges::<WIDE_POPCNT, _>(places, mask, bitmap, data_sets),
            }
        }
    }
}

/// All data sets have `WORDS` words each: BHD searches of 100 variables in 10 data sets of 100 rows took 1.13 times as long without this.
#[inline(always)]
fn count_words<const WORDS: usize, T: Counter>(places: &mut [T], mask: &[u64], bitmap: &[u64]) {
    let both = mask.as_chunks::<WORDS>().0.iter().zip(bitmap.as_chunks::<WORDS>().0);
    for (place, (a, b)) in places.iter_mut().zip(both) {
        *place = T::of(popcount::count_words(a, b));
    }
}

/// Data sets have any lengths.
#[inline(always)]
fn count_ranges<const WIDE_POPCNT: bool, T: Counter>(
    places: &mut [T],
    mask: &[u64],
    bitmap: &[u64],
    data_sets: &[Range<usize>],
) {
    for (place, words) in places.iter_mut().zip(data_sets) {
        let (a, b) = (&mask[words.clone()], &bitmap[words.clone()]);
        *place = T::of(if a.len() < BLOCK {
            // Too few words for the carry-save adders.
            popcount::count_words(a, b)
        } else {
            count_both_body::<WIDE_POPCNT>(a, b)
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_counted_by_data_set_in_the_familys_own_order_for_any_lengths() {
        let mut word = 0x9e37_79b9_7f4a_7c15_u64;
        let mut next = || {
            word = word.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            word ^ word >> 29
        };
        let alike = [0, 1, 2, 3, 4, 5, 31, 32, 33].map(|words| [words; 3]);
        for lengths in alike.into_iter().chain([[0, 1, 2], [2, 2, 3], [40, 1, 32]]) {
            let starts = lengths.iter().scan(0, |end, length| {
                *end += length;
                Some(*end - length..*end)
            });
            let data_sets: Vec<Range<usize>> = starts.collect();
            let words = lengths.iter().sum::<usize>();
            let mut bitmaps = |count: usize| -> Vec<Vec<u64>> {
                (0..count).map(|_| (0..words).map(|_| next()).collect()).collect()
            };
            let masks = bitmaps(6);
            let others: Vec<Words> =
                bitmaps(2).into_iter().map(|words| words.into_iter().collect()).collect();
            let layout = DenseLayout { run: 2, states: 3, data_sets: 3 };
            let mut expected = vec![u64::MAX; 6 * 3 * 3];
            for (cell, mask) in masks.iter().enumerate().skip(1) {
                for (state, other) in (1..).zip(&others) {
                    for (data_set, words) in data_sets.iter().enumerate() {
                        let both = words.clone().map(|word| mask[word] & other[word]);
                        let place = ((cell / 2 * 3 + state) * 2 + cell % 2) * 3 + data_set;
                        expected[place] = both.map(|both| u64::from(both.count_ones())).sum();
                    }
                }
            }
            let (mut wide, mut plain) = (vec![u64::MAX; expected.len()], vec![u32::MAX; expected.len()]);
            count_pairs(&mut wide, layout, &masks.concat(), 1, &others, &data_sets);
            let mut at_once = vec![u64::MAX; expected.len()];
            count_pairs_body::<true, _>(&mut at_once, layout, &masks.concat(), 1, &others, &data_sets);
            assert_eq!(at_once, expected, "{lengths:?}");
            count_pairs_body::<false, _>(&mut plain, layout, &masks.concat(), 1, &others, &data_sets);
            assert_eq!(wide, expected, "{lengths:?}");
            let plain = plain.iter().map(|&count| if count == u32::MAX { u64::MAX } else { count.into() });
            assert!(plain.eq(expected), "{lengths:?}");
        }
    }
}
