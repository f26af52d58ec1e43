//! Columns of few states as bitmaps, so that rows are counted sixty-four at a time.

#![expect(
    clippy::inline_always,
    reason = "kernels must be compiled for the processor their caller is compiled for"
)]

use std::ops::Range;

use rayon::prelude::*;

use super::histogram::Cell;
use super::words::Words;
use crate::data::{Column, RelatedData, VariableId};

/// Fewer codes than this are not worth waking another thread for.
const FEWEST_CODES: usize = 1 << 18;

/// A column of up to this many states has bitmaps, which together take less room than its codes.
const MOST_STATES: usize = 8;

/// The words of a wide register.
const WIDE: usize = 4;

/// Words whose bits are counted together.
pub(super) const BLOCK: usize = 8 * WIDE;

/// One bitmap per variable and state but the first; each data set begins at a word of its own.
#[derive(Debug)]
pub(super) struct Bitmaps {
    /// Where the words of each data set lie, within every bitmap.
    words: Vec<Range<usize>>,
    /// How many of the words are outside of whole blocks of a data set.
    single: usize,
    /// Ones where there is a row, zeros in the padding.
    rows: Vec<u64>,
    /// How many rows there are.
    all: u64,
    /// `states[variable][state - 1]`; nothing for variables of too many states.
    states: Vec<Vec<Words>>,
    /// `counts[variable][(state - 1) × data sets + data set]`: the rows in each bitmap.
    counts: Vec<Vec<u64>>,
}

impl Bitmaps {
    /// Bitmaps of all columns with few states; `data_sets` are their rows.
    pub(super) fn new(data: &RelatedData, data_sets: &[Range<usize>]) -> Self {
        let mut words = Vec::with_capacity(data_sets.len());
        let mut next = 0;
        for rows in data_sets {
            let mut end = next + rows.len().div_ceil(64);
            if data_sets.len() == 1 {
                // Whole blocks of words are counted sooner than some words of one, and a few more take no room worth speaking of.
                end = end.next_multiple_of(BLOCK);
            }
            words.push(next..end);
            next = end;
        }
        let mut rows = vec![0; next];
        for (words, data_set) in words.iter().zip(data_sets) {
            for (index, word) in rows[words.clone()].iter_mut().enumerate() {
                let filled = data_set.len().saturating_sub(64 * index).min(64);
                *word = if filled == 0 { 0 } else { u64::MAX >> (64 - filled) };
            }
        }
        // All memory is asked for by this thread, which has some to use again after reading; other threads only fill it.
        let empty = |variable: VariableId| {
            let states = data.schema().states(variable);
            let has_bitmaps = matches!(data.column(variable), Column::U8(_)) && states <= MOST_STATES;
            let bitmaps = if has_bitmaps { states.saturating_sub(1) } else { 0 };
            (0..bitmaps).map(|_| Words::zeros(next)).collect()
        };
        let variables: Vec<VariableId> = data.schema().ids().collect();
        let mut states: Vec<Vec<Words>> = variables.iter().map(|&variable| empty(variable)).collect();
        let fewest = FEWEST_CODES.div_ceil(data.stored_rows().max(1));
        states.par_iter_mut().zip(&variables).with_min_len(fewest).for_each(|(bitmaps, &variable)| {
            let Column::U8(codes) = data.column(variable) else { return };
            for (state, bitmap) in (1..).zip(bitmaps) {
                for (words, data_set) in words.iter().zip(data_sets) {
                    pack(&codes[data_set.clone()], state, &mut bitmap[words.clone()]);
                }
            }
        });
        let count = |bitmap: &Words| count_each(bitmap, &words).collect::<Vec<_>>();
        let counts = states.iter().map(|bitmaps| bitmaps.iter().flat_map(count).collect()).collect();
        let all = data_sets.iter().map(|rows| rows.len() as u64).sum();
        let single = words.iter().map(|words| words.len() % BLOCK).sum();
        Self { words, single, rows, all, states, counts }
    }

    /// Whether a variable has bitmaps.
    pub(super) fn has(&self, variable: VariableId) -> bool {
        !self.states[variable.index()].is_empty()
    }

    /// The words of one bitmap.
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// How many of them are outside of whole blocks of a data set.
    pub(super) fn single_words(&self) -> usize {
        self.single
    }

    /// The words of each data set.
    pub(super) fn data_sets(&self) -> &[Range<usize>] {
        &self.words
    }

    /// The bitmaps of a variable's states from the second on.
    pub(super) fn of(&self, variable: VariableId) -> &[Words] {
        &self.states[variable.index()]
    }

    /// How many rows of each data set have each state from the second on, one state after the other.
    pub(super) fn rows_in_states(&self, variable: VariableId) -> &[u64] {
        &self.counts[variable.index()]
    }

    /// All rows there are.
    pub(super) fn all_rows(&self) -> u64 {
        self.all
    }

    /// How many rows of each data set some are.
    pub(super) fn count(&self, mask: &[u64]) -> impl Iterator<Item = u64> {
        count_each(mask, &self.words)
    }

    /// Where there are rows.
    pub(super) fn rows(&self) -> &[u64] {
        &self.rows
    }
}

/// Sets the bit of every row that has the state, eight rows at a time.
fn pack(codes: &[u8], state: usize, bitmap: &mut [u64]) {
    let state = u8::try_from(state).expect("few states");
    for (word, rows) in bitmap.iter_mut().zip(codes.chunks(64)) {
        let (eights, rest) = rows.as_chunks::<8>();
        *word = 0;
        for (index, &eight) in eights.iter().enumerate() {
            *word |= equal_bytes(eight, state) << (8 * index);
        }
        for (index, &code) in rest.iter().enumerate() {
            *word |= u64::from(code == state) << (8 * eights.len() + index);
        }
    }
}

/// Eight bits that say which of eight bytes have a value.
fn equal_bytes(bytes: [u8; 8], value: u8) -> u64 {
    const LOW: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    let difference = u64::from_le_bytes(bytes) ^ (u64::from(value) * 0x0101_0101_0101_0101);
    // The high bit of every byte that is zero, moved to its low bit; the product gathers those into the top byte.
    let zero = !(((difference & LOW) + LOW) | difference | LOW) >> 7;
    zero.wrapping_mul(0x0102_0408_1020_4080) >> 56
}

/// The number of bits set in the words of each data set.
fn count_each(bitmap: &[u64], data_sets: &[Range<usize>]) -> impl Iterator<Item = u64> {
    data_sets.iter().map(|words| count_both(&bitmap[words.clone()], &bitmap[words.clone()]))
}

/// Compiles a kernel for any processor, for those that count the bits of a word in one instruction and have wide registers, and for those that
/// count the bits of a wide register at once, and a function that chooses. The kernel is told whether it is the last.
macro_rules! counting_bits {
    ($(#[$doc:meta])* $name:ident, $body:ident, $wide:ident, $widest:ident, $(<$cell:ident>,)? ($($argument:ident: $kind:ty),*) $(-> $result:ty)?) => {
        $(#[$doc])*
        pub(super) fn $name$(<$cell: Cell>)?($($argument: $kind),*) $(-> $result)? {
            #[cfg(target_arch = "x86_64")]
            {
                use std::arch::is_x86_feature_detected as has;
                if has!("avx512f") && has!("avx512vpopcntdq") && has!("popcnt") {
                    #[expect(unsafe_code, reason = "counting bits is the innermost loop of a search over binary data")]
                    // SAFETY: the processor was just found to have all three features, and the function has no other demands.
                    return unsafe { $widest($($argument),*) };
                }
                if has!("avx2") && has!("popcnt") {
                    #[expect(unsafe_code, reason = "counting bits is the innermost loop of a search over binary data")]
                    // SAFETY: the processor was just found to have both features, and the function has no other demands.
                    return unsafe { $wide($($argument),*) };
                }
            }
            $body::<false $(, $cell)?>($($argument),*)
        }

        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx2,popcnt")]
        fn $wide$(<$cell: Cell>)?($($argument: $kind),*) $(-> $result)? {
            $body::<false $(, $cell)?>($($argument),*)
        }

        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx512f,avx512vpopcntdq,popcnt")]
        fn $widest$(<$cell: Cell>)?($($argument: $kind),*) $(-> $result)? {
            $body::<true $(, $cell)?>($($argument),*)
        }
    };
}
pub(super) use counting_bits;

counting_bits! {
    /// The number of bits set in both.
    count_both, count_both_body, count_both_avx2, count_both_avx512, (a: &[u64], b: &[u64]) -> u64
}

/// Adds the bits of eight groups of words as a row of adders would, so that bits are counted once for every eight groups (Harley and
/// Seal: Warren, Hacker's Delight, §5-1); or counts them at once, if the processor does.
#[inline(always)]
pub(super) fn count_both_body<const AT_ONCE: bool>(a: &[u64], b: &[u64]) -> u64 {
    if AT_ONCE {
        return count_words(a, b);
    }
    let (blocks_a, rest_a) = a.as_chunks::<BLOCK>();
    let (blocks_b, rest_b) = b.as_chunks::<BLOCK>();
    let (mut ones, mut twos, mut fours, mut eights) = ([0; WIDE], [0; WIDE], [0; WIDE], [0; WIDE]);
    for (a, b) in blocks_a.iter().zip(blocks_b) {
        let both = |group: usize| std::array::from_fn(|word| a[group * WIDE + word] & b[group * WIDE + word]);
        let mut pair = |group: usize| {
            let carried;
            (ones, carried) = add_bits(ones, both(group), both(group + 1));
            carried
        };
        let (sum, first) = add_bits(twos, pair(0), pair(2));
        let (sum, second) = add_bits(sum, pair(4), pair(6));
        let carried;
        (twos, (fours, carried)) = (sum, add_bits(fours, first, second));
        eights.iter_mut().zip(carried).for_each(|(count, word)| *count += u64::from(word.count_ones()));
    }
    let count = |words: [u64; WIDE]| words.iter().map(|word| u64::from(word.count_ones())).sum::<u64>();
    let rest = count_words(rest_a, rest_b);
    8 * eights.iter().sum::<u64>() + 4 * count(fours) + 2 * count(twos) + count(ones) + rest
}

/// Counts word by word.
#[inline(always)]
pub(super) fn count_words(a: &[u64], b: &[u64]) -> u64 {
    a.iter().zip(b).map(|(a, b)| u64::from((a & b).count_ones())).sum()
}

/// The sum of three bits in every place, and what is carried.
#[inline(always)]
fn add_bits(a: [u64; WIDE], b: [u64; WIDE], c: [u64; WIDE]) -> ([u64; WIDE], [u64; WIDE]) {
    let sum = std::array::from_fn(|word| a[word] ^ b[word] ^ c[word]);
    let carried = std::array::from_fn(|word| (a[word] & b[word]) | ((a[word] ^ b[word]) & c[word]));
    (sum, carried)
}

/// One of some masks, which have so many words each and lie one after the other.
#[inline(always)]
pub(super) fn nth(masks: &[u64], index: usize, words: usize) -> &[u64] {
    &masks[index * words..][..words]
}

counting_bits! {
    /// How many rows that each of some masks has also are in a bitmap, fewer than 2^32; the masks lie one after the other.
    count_each_with, count_each_with_body, count_each_with_avx2, count_each_with_avx512,
    (counts: &mut [u32], masks: &[u64], bitmap: &[u64])
}

#[inline(always)]
fn count_each_with_body<const AT_ONCE: bool>(counts: &mut [u32], masks: &[u64], bitmap: &[u64]) {
    for (index, count) in counts.iter_mut().enumerate() {
        *count = u32::of(count_both_body::<AT_ONCE>(nth(masks, index, bitmap.len()), bitmap));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packing_sets_the_bits_of_the_rows_in_a_state() {
        let codes: Vec<u8> = (0..203_u32).map(|row| u8::try_from(row * row % 7).unwrap()).collect();
        for state in 0..7_u8 {
            let mut bitmap = vec![u64::MAX; 4];
            pack(&codes, usize::from(state), &mut bitmap);
            for row in 0..256 {
                let set = bitmap[row / 64] >> (row % 64) & 1 == 1;
                assert_eq!(set, codes.get(row) == Some(&state), "row {row}, state {state}");
            }
        }
    }

    #[test]
    fn the_processors_own_way_of_counting_equals_the_plain_one() {
        let mut word = 0x9e37_79b9_7f4a_7c15_u64;
        let mut next = || {
            word = word.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            word ^ word >> 29
        };
        for length in [0, 1, 3, 4, 17, 64, 257] {
            let a: Vec<u64> = (0..length).map(|_| next()).collect();
            let b: Vec<u64> = (0..length).map(|_| next()).collect();
            let both: u32 = a.iter().zip(&b).map(|(a, b)| (a & b).count_ones()).sum();
            let plain = [count_both_body::<false>(&a, &b), count_both_body::<true>(&a, &b)];
            assert_eq!((count_both(&a, &b), plain), (u64::from(both), [u64::from(both); 2]));
            let mut counts = [0; 3];
            count_each_with(&mut counts, &[vec![0; length], a.clone(), b.clone()].concat(), &b);
            assert_eq!(counts.map(u64::from), [0, plain[0], count_words(&b, &b)]);
        }
    }
}
