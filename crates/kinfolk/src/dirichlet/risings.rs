//! One cell's share of the likelihood, Σ_f lnΓ(x + n_f) − lnΓ(x), and its first four derivatives in ln x.
//!
//! The first eight factors of every rising factorial are taken as they are, so that what is left of a count starts at x + 8,
//! where the series hold: no branch on x, and no cancellation, from x = 1e-20 to 1e9. Four counts are worked on at a time,
//! compiled twice from the same lines as in `columns`; both give the same bits.

#![expect(
    clippy::inline_always,
    reason = "kernels must be compiled for the processor their caller is compiled for"
)]

use super::columns::{ARTANH_TERMS, ln};
use super::gamma::{DIGAMMA_TERMS, PENTAGAMMA_TERMS, STIRLING_TERMS, TETRAGAMMA_TERMS, TRIGAMMA_TERMS};

/// Factors taken one by one.
const SINGLE: usize = 8;

/// Counts worked on at a time.
const LANES: usize = 4;

/// Above this few terms of every series are enough.
const FEW_TERMS_FROM: u64 = 64;

/// Four counts, and in how many data sets each is.
#[derive(Debug, Clone, Copy, Default)]
struct Four {
    rest: [f64; LANES],
    times: [f64; LANES],
}

/// The counts of one cell over the data sets, as the kernels want them.
#[derive(Debug, Clone, Default)]
pub(super) struct Column {
    /// In how many data sets the count is above 0, 1, … 7.
    above: [f64; SINGLE],
    /// What is left of the larger counts, and in how many data sets, in fours. A zero that counts as often as all others
    /// together, negatively, stands for what is taken off; it is in the last four, with zeros that count for nothing.
    rest: Vec<Four>,
    /// Whether all counts are so large that few terms are enough.
    large: bool,
}

/// The sum and its derivatives in ln x.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Rise {
    pub(super) value: f64,
    pub(super) first: f64,
    pub(super) second: f64,
    pub(super) third: f64,
    pub(super) fourth: f64,
}

impl Column {
    /// A column of counts, each with the number of data sets that have it; zeros count for nothing.
    pub(super) fn new(counts: impl Iterator<Item = (u64, u64)>) -> Self {
        let fours = counts.size_hint().0 / LANES + 1;
        let mut column = Self { large: true, rest: Vec::with_capacity(fours), ..Self::default() };
        let (mut filled, mut left) = (0, 0.0);
        for (count, times) in counts {
            let weight = times as f64;
            for (step, above) in column.above.iter_mut().enumerate() {
                *above += if count > step as u64 { weight } else { 0.0 };
            }
            if count > SINGLE as u64 {
                column.push(&mut filled, (count - SINGLE as u64) as f64, weight);
                left += weight;
                column.large &= count > FEW_TERMS_FROM;
            }
        }
        if filled > 0 {
            column.push(&mut filled, 0.0, -left);
        }
        column
    }

    fn push(&mut self, filled: &mut usize, rest: f64, times: f64) {
        let (index, lane) = (*filled / LANES, *filled % LANES);
        if lane == 0 {
            self.rest.push(Four::default());
        }
        let four = &mut self.rest[index];
        (four.rest[lane], four.times[lane]) = (rest, times);
        *filled += 1;
    }

    /// The sum and its derivatives at x > 0.
    pub(super) fn rise(&self, x: f64) -> Rise {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            #[expect(unsafe_code, reason = "this is the innermost loop of every evidence")]
            // SAFETY: the processor was just found to have AVX2, and the function has no other demands.
            return unsafe { rise_avx2(self, x) };
        }
        rise_body(self, x)
    }

    /// The sum alone.
    pub(super) fn value(&self, x: f64) -> f64 {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            #[expect(unsafe_code, reason = "this is the innermost loop of every evidence")]
            // SAFETY: the processor was just found to have AVX2, and the function has no other demands.
            return unsafe { value_avx2(self, x) };
        }
        value_body(self, x)
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn rise_avx2(column: &Column, x: f64) -> Rise {
    rise_body(column, x)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn value_avx2(column: &Column, x: f64) -> f64 {
    value_body(column, x)
}

#[inline(always)]
fn rise_body(column: &Column, x: f64) -> Rise {
    let mut rise = single_factors(&column.above, x);
    if !column.rest.is_empty() {
        let [value, first, second, third, fourth] = rest::<true>(column, x);
        let (first, second, third, fourth) =
            (x * first, x * x * second, x * x * x * third, x * x * x * x * fourth);
        rise.value += value;
        rise.first += first;
        rise.second += first + second;
        rise.third += first + 3.0 * second + third;
        rise.fourth += first + 7.0 * second + 6.0 * third + fourth;
    }
    rise
}

#[inline(always)]
fn value_body(column: &Column, x: f64) -> f64 {
    let value = ln_of_factors(&column.above, x);
    if column.rest.is_empty() { value } else { value + rest::<false>(column, x)[0] }
}

/// Σ_t M_t ln(x + t), and its derivatives in ln x, which are polynomials in x/(x + t).
#[inline(always)]
fn single_factors(above: &[f64; SINGLE], x: f64) -> Rise {
    let (mut first, mut second, mut third, mut fourth) = (0.0, 0.0, 0.0, 0.0);
    let mut share = [0.0; SINGLE];
    for (step, share) in share.iter_mut().enumerate() {
        *share = x / (x + step as f64);
    }
    for (share, above) in share.into_iter().zip(above) {
        let slope = above * share;
        let bend = slope * (1.0 - share);
        first += slope;
        second += bend;
        third += bend * (1.0 - 2.0 * share);
        fourth += bend * (1.0 - 6.0 * share * (1.0 - share));
    }
    Rise { value: ln_of_factors(above, x), first, second, third, fourth }
}

/// Σ_t M_t ln(x + t).
#[inline(always)]
fn ln_of_factors(above: &[f64; SINGLE], x: f64) -> f64 {
    if above[0] == above[SINGLE - 1] {
        // Eight factors below about 1e18 each: no overflow.
        let product = (0..SINGLE).fold(1.0, |product, step| product * (x + step as f64));
        return above[0] * ln(product);
    }
    let mut logarithms = [0.0; SINGLE];
    for (step, logarithm) in logarithms.iter_mut().enumerate() {
        *logarithm = ln(x + step as f64);
    }
    logarithms.into_iter().zip(above).map(|(logarithm, above)| above * logarithm).sum()
}

/// The first terms of a series, c₁z + c₂z² + … for z = 1/x²: some for any x from eight on, few for a large one.
#[inline(always)]
fn series<const LARGE: bool, const SOME: usize, const FEW: usize>(terms: &[f64; 8], square: f64) -> f64 {
    let number = if LARGE { FEW } else { SOME };
    if number == 8 {
        return square * eight(terms, square);
    }
    terms[..number].iter().rev().fold(0.0, |sum, term| (sum + term) * square)
}

/// c₀ + c₁z + … + c₇z⁷ in pairs, none of which waits for another.
#[inline(always)]
fn eight(terms: &[f64; 8], z: f64) -> f64 {
    let [c0, c1, c2, c3, c4, c5, c6, c7] = *terms;
    let z2 = z * z;
    ((c0 + c1 * z) + (c2 + c3 * z) * z2) + ((c4 + c5 * z) + (c6 + c7 * z) * z2) * (z2 * z2)
}

/// Σ lnΓ(y + n) − lnΓ(y) over what is left of the counts at y = x + 8, and its derivatives in y.
#[inline(always)]
fn rest<const DERIVATIVES: bool>(column: &Column, x: f64) -> [f64; 5] {
    let y = x + SINGLE as f64;
    let (inverse_y, ln_y) = (1.0 / y, ln(y));
    let mut sums = [[0.0; LANES]; 5];
    let (last, others) = column.rest.split_last().expect("something is left");
    for four in others {
        if column.large {
            add::<true, DERIVATIVES>(&mut sums, four, (y, inverse_y, ln_y));
        } else {
            add::<false, DERIVATIVES>(&mut sums, four, (y, inverse_y, ln_y));
        }
    }
    add::<false, DERIVATIVES>(&mut sums, last, (y, inverse_y, ln_y));
    sums.map(|[a, b, c, d]| (a + b) + (c + d))
}

/// Adds four counts to the sums.
///
/// lnΓ(y + n) − lnΓ(y) is arranged so that the large parts cancel on paper (docs/THEORY.md, E27): with l = ln(1 + n/y) it is
/// (y − ½)l + n(ln y + l − 1) + ρ(y + n) − ρ(y), and likewise its derivatives; what depends on y alone comes with n = 0.
///
/// The series have as many terms as leave less than 1e-14 of value, first and second derivative, 1e-12 of the third and 1e-7 of the
/// fourth, which serve expansions over short ways; fewer if y + n is large.
#[inline(always)]
fn add<const LARGE: bool, const DERIVATIVES: bool>(
    sums: &mut [[f64; LANES]; 5],
    four: &Four,
    (y, inverse_y, ln_y): (f64, f64, f64),
) {
    #[expect(
        clippy::needless_range_loop,
        reason = "a lane runs through all columns, which become wide registers"
    )]
    for lane in 0..LANES {
        let (n, times) = (four.rest[lane], four.times[lane]);
        let top = y + n;
        let inverse = 1.0 / top;
        let square = inverse * inverse;
        let l = ln_ratio(n, y, top, inverse_y);
        let stirling = top * series::<LARGE, 8, 3>(&STIRLING_TERMS, square);
        sums[0][lane] += times * ((y - 0.5) * l + n * (ln_y + l - 1.0) + stirling);
        if DERIVATIVES {
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
}

/// ln(1 + n/y) for n ≥ 0 with all its digits, however small n/y is.
///
/// 1 + n/y = 2^e·m with m between √½ and √2, and ln m = 2 artanh t with t = (y + n − 2^e·y)/(y + n + 2^e·y).
#[inline(always)]
fn ln_ratio(n: f64, y: f64, top: f64, inverse_y: f64) -> f64 {
    /// The bits of √½.
    const ROOT_HALF: u64 = 0x3fe6_a09e_667f_3bcd;
    /// 2^52, whose last digit is one: adding a small whole number to its bits adds it to the number.
    const TWO_52: u64 = 0x4330_0000_0000_0000;
    const TWO_52_AND_BIAS: f64 = 4_503_599_627_370_496.0 + 1023.0;
    /// ln 2 in two parts, the first with room for an exact product with e.
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
    use crate::dirichlet::{digamma_rise, ln_rising, tetragamma, trigamma_rise};

    const COUNTS: [&[u64]; 6] =
        [&[0, 1, 2, 8], &[9, 40, 65, 0, 3], &[100, 250, 999, 70, 81], &[1_000_000_007, 3], &[12], &[0, 0, 0]];

    #[test]
    fn sums_over_counts_equal_those_of_single_differences() {
        for counts in COUNTS {
            let column = Column::new(counts.iter().map(|&count| (count, 1)));
            for x in [1e-12, 1e-3, 0.4, 1.0, 3.3, 9.9, 57.0, 1e4, 1e9] {
                let sum = |rise: &dyn Fn(u64) -> f64| counts.iter().map(|&count| rise(count)).sum::<f64>();
                let (value, first) = (sum(&|n| ln_rising(x, n)), sum(&|n| x * digamma_rise(x, n)));
                let second = first + sum(&|n| x * x * trigamma_rise(x, n));
                let rise = column.rise(x);
                let close = |a: f64, b: f64, scale: f64| (a - b).abs() <= 1e-12 * (1.0 + scale);
                assert!(close(rise.value, value, value.abs()), "{x}, {counts:?}: {} not {value}", rise.value);
                assert_eq!(column.value(x), rise.value, "{x}, {counts:?}");
                assert!(close(rise.first, first, first), "{x}, {counts:?}: {} not {first}", rise.first);
                assert!(close(rise.second, second, first), "{x}, {counts:?}: {} not {second}", rise.second);
                if (1e-3..100.0).contains(&x) {
                    let bend = sum(&|n| x.powi(3) * (tetragamma(x + n as f64) - tetragamma(x)));
                    let third = first + 3.0 * (second - first) + bend;
                    assert!(close(rise.third, third, first), "{x}, {counts:?}: {} not {third}", rise.third);
                    let step: f64 = 1e-4;
                    let beside = |sign: f64| column.rise(x * (sign * step).exp()).third;
                    let fourth = (beside(1.0) - beside(-1.0)) / (2.0 * step);
                    assert!((rise.fourth - fourth).abs() < 1e-6 * (1.0 + first), "{x}, {counts:?}: fourth");
                }
            }
        }
    }

    #[test]
    fn repeated_counts_weigh_as_often_as_they_repeat_and_wide_registers_give_the_same_bits() {
        let merged = Column::new([(3, 2), (50, 3)].into_iter());
        let spread = Column::new([(50, 1), (3, 1), (50, 1), (50, 1), (3, 1)].into_iter());
        for x in [1e-6, 0.7, 30.0, 1e5] {
            let (a, b) = (merged.rise(x), spread.rise(x));
            assert!((a.value - b.value).abs() < 1e-12 * a.value.abs() && (a.first - b.first).abs() < 1e-11);
            let plain = rise_body(&spread, x);
            let bits =
                |rise: Rise| [rise.value, rise.first, rise.second, rise.third, rise.fourth].map(f64::to_bits);
            assert_eq!(bits(b), bits(plain));
        }
    }
}
