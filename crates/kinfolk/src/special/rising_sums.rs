//! Σ_f lnΓ(x + n_f) − lnΓ(x) over the counts of a cell and its first four derivatives in ln x: the data's part of φ
//! (E33).
//!
//! The first eight factors of every rising factorial are multiplied out, so that the tail of a count starts at x + 8,
//! where the asymptotic series hold: no branch on x, and no cancellation from x = 1e-20 to 1e9. Terms in x alone are
//! evaluated for four cells at a time, tails for four counts of a cell at a time.

#![expect(
    clippy::inline_always,
    reason = "kernels must be compiled for the processor their caller is compiled for"
)]
#![expect(
    clippy::needless_range_loop,
    reason = "a lane runs through all columns, which become wide registers"
)]

use super::gamma::{DIGAMMA_TERMS, PENTAGAMMA_TERMS, STIRLING_TERMS, TETRAGAMMA_TERMS, TRIGAMMA_TERMS};
use super::lanes::{ARTANH_TERMS, LANES, Lanes, ln};

/// The number of factors multiplied one by one.
const SINGLE: usize = 8;

/// From this count on, a few terms of every series suffice.
const FEW_TERMS_FROM: u64 = 64;

/// Four counts of one cell.
#[derive(Debug, Clone, Copy, Default)]
struct CountBlock {
    /// The counts less eight; padding is zero, with `times` zero.
    rest: Lanes,
    /// The multiplicity of each.
    times: Lanes,
    /// Whether a few terms of every series suffice for all four.
    large: bool,
}

/// Four cells: the number of data sets whose count is above 0, 1, … 7, and above eight.
#[derive(Debug, Clone, Copy, Default)]
struct CellBlock {
    above: [Lanes; SINGLE],
    rest: Lanes,
    /// Bit i − 1 is set if some count has i factors; counts above eight have eight.
    lengths: u8,
}

/// The counts of many cells, in the layout of the kernels.
#[derive(Debug, Clone, Default)]
pub(crate) struct CellCounts {
    blocks: Vec<CellBlock>,
    fours: Vec<CountBlock>,
    /// Where the count blocks of every cell end.
    ends: Vec<usize>,
}

/// The sums of four cells and their derivatives in ln x.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct RisingSums {
    pub(crate) value: Lanes,
    pub(crate) first: Lanes,
    pub(crate) second: Lanes,
    pub(crate) third: Lanes,
    pub(crate) fourth: Lanes,
}

impl CellCounts {
    /// Removes all cells.
    pub(crate) fn clear(&mut self) {
        self.blocks.clear();
        self.fours.clear();
        self.ends.clear();
    }

    /// Adds a cell by its counts and their multiplicities; zero counts are ignored.
    pub(crate) fn push(&mut self, counts: impl Iterator<Item = (u64, f64)>) {
        let lane = self.ends.len() % LANES;
        if lane == 0 {
            self.blocks.push(CellBlock::default());
        }
        let block = self.blocks.last_mut().expect("one was just pushed");
        let (mut filled, mut with_all) = (0, 0.0);
        for (count, times) in counts {
            if count >= SINGLE as u64 {
                block.lengths |= 1 << (SINGLE - 1);
                with_all += times;
            } else if count > 0 {
                block.lengths |= 1 << (count - 1);
                for (above, _) in block.above.iter_mut().zip(0..count) {
                    above[lane] += times;
                }
            }
            if count > SINGLE as u64 {
                if filled % LANES == 0 {
                    self.fours.push(CountBlock { large: true, ..CountBlock::default() });
                }
                let four = self.fours.last_mut().expect("one was just pushed");
                four.rest[filled % LANES] = (count - SINGLE as u64) as f64;
                four.times[filled % LANES] = times;
                four.large &= count > FEW_TERMS_FROM;
                block.rest[lane] += times;
                filled += 1;
            }
        }
        block.above.iter_mut().for_each(|above| above[lane] += with_all);
        self.ends.push(self.fours.len());
    }

    /// The number of non-zero counts of each cell, in blocks of four.
    pub(crate) fn seen(&self) -> impl Iterator<Item = &Lanes> {
        self.blocks.iter().map(|block| &block.above[0])
    }

    /// The number of counts above eight of each cell, in blocks of four.
    pub(crate) fn above_eight(&self) -> impl Iterator<Item = &Lanes> {
        self.blocks.iter().map(|block| &block.rest)
    }

    /// The count blocks of a cell; none for a padding cell.
    #[inline(always)]
    fn fours(&self, cell: usize) -> &[CountBlock] {
        let Some(&end) = self.ends.get(cell) else { return &[] };
        let start = if cell == 0 { 0 } else { self.ends[cell - 1] };
        &self.fours[start..end]
    }

    /// The sums of a block of four cells and their derivatives, each at its own x > 0.
    #[inline(always)]
    pub(crate) fn rises(&self, block: usize, x: &Lanes) -> RisingSums {
        let counts = &self.blocks[block];
        let mut rises = counts.single_factors(x);
        if counts.rest == Lanes::default() {
            return rises;
        }
        let place = TailStart::new(x);
        let mut sums = place.own(&counts.rest);
        for lane in 0..LANES {
            let (y, inverse_y, ln_y) = (place.y[lane], place.inverse[lane], place.ln[lane]);
            let mut lanes = [Lanes::default(); 5];
            for four in self.fours(block * LANES + lane) {
                four.add(&mut lanes, (y, inverse_y, ln_y));
            }
            for (sums, lanes) in sums.iter_mut().zip(lanes) {
                sums[lane] += total(lanes);
            }
        }
        for lane in 0..LANES {
            let x = x[lane];
            let (first, second) = (x * sums[1][lane], x * x * sums[2][lane]);
            let (third, fourth) = (x * x * x * sums[3][lane], x * x * x * x * sums[4][lane]);
            rises.value[lane] += sums[0][lane];
            rises.first[lane] += first;
            rises.second[lane] += first + second;
            rises.third[lane] += first + 3.0 * second + third;
            rises.fourth[lane] += first + 7.0 * second + 6.0 * third + fourth;
        }
        rises
    }
}

#[inline(always)]
fn total([a, b, c, d]: Lanes) -> f64 {
    (a + b) + (c + d)
}

impl CellBlock {
    /// Σ_t M_t ln(x + t), and its derivatives in ln x, which are polynomials in x/(x + t).
    #[inline(always)]
    fn single_factors(&self, x: &Lanes) -> RisingSums {
        let mut rises = RisingSums { value: self.ln_of_factors(x), ..RisingSums::default() };
        for (step, above) in self.above.iter().enumerate() {
            for lane in 0..LANES {
                let share = x[lane] / (x[lane] + step as f64);
                let slope = above[lane] * share;
                let bend = slope * (1.0 - share);
                rises.first[lane] += slope;
                rises.second[lane] += bend;
                rises.third[lane] += bend * (1.0 - 2.0 * share);
                rises.fourth[lane] += bend * (1.0 - 6.0 * share * (1.0 - share));
            }
        }
        rises
    }

    /// Σ_t M_t ln(x + t): one logarithm of a product per distinct number of factors.
    #[inline(always)]
    fn ln_of_factors(&self, x: &Lanes) -> Lanes {
        let (mut sum, mut product) = (Lanes::default(), [1.0; LANES]);
        for step in 0..SINGLE {
            for lane in 0..LANES {
                // Eight factors below about 1e18 each: no overflow.
                product[lane] *= x[lane] + step as f64;
            }
            if self.lengths & (1 << step) != 0 {
                let beyond = if step + 1 < SINGLE { self.above[step + 1] } else { Lanes::default() };
                for lane in 0..LANES {
                    sum[lane] += (self.above[step][lane] - beyond[lane]) * ln(product[lane]);
                }
            }
        }
        sum
    }
}

/// y = x + 8, where the tails of the counts start, in four cells.
struct TailStart {
    y: Lanes,
    inverse: Lanes,
    ln: Lanes,
}

impl TailStart {
    #[inline(always)]
    fn new(x: &Lanes) -> Self {
        let y = x.map(|x| x + SINGLE as f64);
        let mut place = Self { y, inverse: y, ln: y };
        for lane in 0..LANES {
            place.inverse[lane] = 1.0 / y[lane];
            place.ln[lane] = ln(y[lane]);
        }
        place
    }

    /// The terms in y alone, subtracted once per count.
    #[inline(always)]
    fn own(&self, times: &Lanes) -> [Lanes; 5] {
        let mut sums = [Lanes::default(); 5];
        let zeros = CountBlock { rest: Lanes::default(), times: times.map(|times| -times), large: false };
        for lane in 0..LANES {
            zeros.add_lane::<false>(&mut sums, lane, (self.y[lane], self.inverse[lane], self.ln[lane]));
        }
        sums
    }
}

impl CountBlock {
    /// Adds four counts of a cell to the sums Σ lnΓ(y + n) − lnΓ(y), and its derivatives in y.
    #[inline(always)]
    fn add(&self, sums: &mut [Lanes; 5], y: (f64, f64, f64)) {
        if self.large {
            for lane in 0..LANES {
                self.add_lane::<true>(sums, lane, y);
            }
        } else {
            for lane in 0..LANES {
                self.add_lane::<false>(sums, lane, y);
            }
        }
    }

    /// Adds one count; y comes with its inverse and its logarithm.
    ///
    /// lnΓ(y + n) − lnΓ(y) is arranged so that the large parts cancel algebraically (docs/THEORY.md, E27): with l =
    /// ln(1 + n/y) it is (y − ½)l + n(ln y + l − 1) + ρ(y + n) − ρ(y). Its derivatives are arranged in the same way.
    /// The terms in y alone are those for n = 0.
    ///
    /// The series are truncated at an error of 1e-14 in the value and the first two derivatives, 1e-12 in the third and
    /// 1e-7 in the fourth derivative, which are used for expansions over short distances; earlier if y + n is large.
    #[inline(always)]
    fn add_lane<const LARGE: bool>(
        &self,
        sums: &mut [Lanes; 5],
        lane: usize,
        (y, inverse_y, ln_y): (f64, f64, f64),
    ) {
        let (n, times) = (self.rest[lane], self.times[lane]);
        let top = y + n;
        let inverse = 1.0 / top;
        let square = inverse * inverse;
        let l = ln_ratio(n, y, top, inverse_y);
        let stirling = top * series::<LARGE, 8, 3>(&STIRLING_TERMS, square);
        sums[0][lane] += times * ((y - 0.5) * l + n * (ln_y + l - 1.0) + stirling);
        let cube = square * inverse;
        let fall = n * inverse * inverse_y;
        let digamma = 0.5 * inverse + series::<LARGE, 8, 3>(&DIGAMMA_TERMS, square);
        let trigamma = 0.5 * square + inverse * series::<LARGE, 8, 2>(&TRIGAMMA_TERMS, square);
        let tetragamma = cube + square * series::<LARGE, 5, 2>(&TETRAGAMMA_TERMS, square);
        let pentagamma = cube * (2.0 + 3.0 * inverse + series::<LARGE, 3, 1>(&PENTAGAMMA_TERMS, square));
        sums[1][lane] += times * (l - digamma);
        sums[2][lane] += times * (trigamma - fall);
        sums[3][lane] += times * (fall * (inverse + inverse_y) - tetragamma);
        sums[4][lane] += times * pentagamma;
    }
}

/// The first terms of c₁z + c₂z² + … for z = 1/x²: SOME for any x ≥ 8, FEW for a large x.
#[inline(always)]
fn series<const LARGE: bool, const SOME: usize, const FEW: usize>(terms: &[f64; 8], square: f64) -> f64 {
    let number = if LARGE { FEW } else { SOME };
    if number == 8 {
        return square * eight(terms, square);
    }
    terms[..number].iter().rev().fold(0.0, |sum, term| (sum + term) * square)
}

/// c₀ + c₁z + … + c₇z⁷ by Estrin's scheme.
#[inline(always)]
fn eight(terms: &[f64; 8], z: f64) -> f64 {
    let [c0, c1, c2, c3, c4, c5, c6, c7] = *terms;
    let z2 = z * z;
    ((c0 + c1 * z) + (c2 + c3 * z) * z2) + ((c4 + c5 * z) + (c6 + c7 * z) * z2) * (z2 * z2)
}

/// ln(1 + n/y) for n ≥ 0 to full precision, however small n/y is.
///
/// 1 + n/y = 2^e·m with m between √½ and √2, and ln m = 2 artanh t with t = (y + n − 2^e·y)/(y + n + 2^e·y).
#[inline(always)]
fn ln_ratio(n: f64, y: f64, top: f64, inverse_y: f64) -> f64 {
    /// The bits of √½.
    const ROOT_HALF: u64 = 0x3fe6_a09e_667f_3bcd;
    /// 2^52, whose unit in the last place is one: adding a small integer to its bits adds it to the number.
    const TWO_52: u64 = 0x4330_0000_0000_0000;
    const TWO_52_AND_BIAS: f64 = 4_503_599_627_370_496.0 + 1023.0;
    /// ln 2 in two parts; the product of the first with an exponent is exact.
    const LN_2: (f64, f64) = (0.693_147_180_369_123_8, 1.908_214_929_270_587_7e-10);
    let bits = (top * inverse_y).to_bits();
    let biased = bits.wrapping_sub(ROOT_HALF).wrapping_add(1023 << 52) >> 52;
    let exponent = f64::from_bits(TWO_52 | biased) - TWO_52_AND_BIAS;
    let power = f64::from_bits(biased << 52);
    let t = (n - (power - 1.0) * y) / (top + power * y);
    let square = t * t;
    let [c0, c1, c2, c3, c4, c5, c6, c7, c8, ..] = ARTANH_TERMS;
    let fourth = square * square * (square * square);
    let sum = eight(&[c0, c1, c2, c3, c4, c5, c6, c7], square) + c8 * (fourth * fourth);
    exponent * LN_2.0 + (2.0 * t * sum + exponent * LN_2.1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::special::{digamma_rise, ln_rising, tetragamma, trigamma_rise};

    const COUNTS: [&[u64]; 6] =
        [&[0, 1, 2, 8], &[9, 40, 65, 0, 3], &[100, 250, 999, 70, 81], &[1_000_000_007, 3], &[12], &[0, 0, 0]];

    fn columns(cells: &[&[u64]]) -> CellCounts {
        let mut columns = CellCounts::default();
        cells.iter().for_each(|cell| columns.push(cell.iter().map(|&count| (count, 1.0))));
        columns
    }

    #[test]
    fn sums_over_counts_equal_those_of_single_differences() {
        let all = columns(&COUNTS);
        for (cell, counts) in COUNTS.into_iter().enumerate() {
            let alone = columns(&[counts]);
            for x in [1e-12, 1e-3, 0.4, 1.0, 3.3, 9.9, 57.0, 1e4, 1e9] {
                let sum = |rise: &dyn Fn(u64) -> f64| counts.iter().map(|&count| rise(count)).sum::<f64>();
                let (value, first) = (sum(&|n| ln_rising(x, n)), sum(&|n| x * digamma_rise(x, n)));
                let second = first + sum(&|n| x * x * trigamma_rise(x, n));
                // The other lanes have other arguments.
                let (block, lane) = (cell / LANES, cell % LANES);
                let mut xs = [0.3, 7.0, 100.0, 1e-5];
                xs[lane] = x;
                let rises = all.rises(block, &xs);
                let close = |a: f64, b: f64, scale: f64| (a - b).abs() <= 1e-12 * (1.0 + scale);
                let found = rises.value[lane];
                assert!(close(found, value, value.abs()), "{x}, {counts:?}: {found} not {value}");
                assert!(close(rises.first[lane], first, first), "{x}, {counts:?}: not {first}");
                assert!(close(rises.second[lane], second, first), "{x}, {counts:?}: not {second}");
                if (1e-3..100.0).contains(&x) {
                    let bend = sum(&|n| x.powi(3) * (tetragamma(x + n as f64) - tetragamma(x)));
                    let third = first + 3.0 * (second - first) + bend;
                    assert!(close(rises.third[lane], third, first), "{x}, {counts:?}: not {third}");
                    let step: f64 = 1e-4;
                    let beside = |sign: f64| alone.rises(0, &[x * (sign * step).exp(); LANES]).third[0];
                    let fourth = (beside(1.0) - beside(-1.0)) / (2.0 * step);
                    assert!(
                        (rises.fourth[lane] - fourth).abs() < 1e-6 * (1.0 + first),
                        "{x}, {counts:?}: fourth"
                    );
                }
            }
        }
    }

    #[test]
    fn repeated_counts_weigh_as_often_as_they_repeat() {
        let mut merged = CellCounts::default();
        merged.push([(3, 2.0), (50, 3.0)].into_iter());
        let spread = columns(&[&[50, 3, 50, 50, 3]]);
        for x in [1e-6, 0.7, 30.0, 1e5] {
            let (a, b) = (merged.rises(0, &[x; LANES]), spread.rises(0, &[x; LANES]));
            assert!((a.value[0] - b.value[0]).abs() < 1e-12 * a.value[0].abs());
            assert!((a.first[0] - b.first[0]).abs() < 1e-11);
        }
    }
}
