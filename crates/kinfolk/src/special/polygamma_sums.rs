//! Σ ψ(x + n) − ψ(x) and Σ ψ'(x + n) − ψ'(x) over the counts of every cell: the data's part of the variational
//! gradient.
//!
//! The first eight terms of every difference are reciprocals shared by all counts of a cell; the tail of a count begins
//! at x + 8. For x ≤ 1 the sum of all tails of a cell is one polynomial in x, computed once per fit (docs/THEORY.md,
//! E49). Four cells are evaluated at a time.

#![expect(
    clippy::inline_always,
    reason = "kernels must be compiled for the processor their caller is compiled for"
)]

use super::gamma::{CANCELS_FROM, digamma_rise, trigamma_rise};
use super::lanes::{self, LANES, Lanes, large_digammas};

/// The number of terms summed one by one.
const SINGLE: usize = 8;

/// Powers of 1/n in the series of ψ(x + n): for n ≥ 8 the first omitted term is below 1e-15.
const POWERS: usize = 16;

/// Coefficients of the polynomials: around one half, (½ / 8½)^12 / 12 is below 1e-15.
const COEFFICIENTS: usize = 12;

/// Both sums of every cell, and the coefficients to evaluate them at any x.
#[derive(Debug, Default)]
pub(crate) struct PolygammaSums {
    /// Σ ψ(x + n) − ψ(x).
    pub(crate) first: Vec<Lanes>,
    /// Σ ψ'(x + n) − ψ'(x).
    pub(crate) second: Vec<Lanes>,
    fours: Vec<PolygammaBlock>,
    /// Counts above eight, for x > 1, where the polynomial does not hold.
    far: Option<LargeCounts>,
}

/// The coefficients of four cells.
#[derive(Debug, Clone, Copy, Default)]
struct PolygammaBlock {
    /// The number of data sets whose count is above 0, 1, … 7.
    above: [Lanes; SINGLE],
    /// The tails of the larger counts, as a polynomial in x − ½.
    rest: [Lanes; COEFFICIENTS],
}

/// The counts above eight, less eight, cell by cell.
#[derive(Debug)]
struct LargeCounts {
    rest: Vec<u64>,
    /// The start of each cell's counts, and the end.
    starts: Vec<usize>,
    /// Arguments of ψ: each cell's x + 8, alone and with each of its counts added; and ψ and ψ' there.
    at: Vec<f64>,
    digamma: Vec<f64>,
    trigamma: Vec<f64>,
}

impl PolygammaSums {
    /// Prepares the sums of cells, given by their counts, for arguments up to `largest`.
    #[inline(always)]
    pub(crate) fn refill<'a>(&mut self, cells: impl ExactSizeIterator<Item = &'a [u64]>, largest: f64) {
        let fours = cells.len().div_ceil(LANES);
        self.first.resize(fours, Lanes::default());
        self.second.resize(fours, Lanes::default());
        self.fours.clear();
        self.fours.resize(fours, PolygammaBlock::default());
        self.far = None;
        if largest <= 1.0 {
            prepare(cells, &mut self.fours);
        } else {
            self.far = Some(LargeCounts::new(cells, &mut self.fours));
        }
    }

    /// Evaluates both sums at `xs`, one argument per cell; padding lanes must be positive.
    #[inline(always)]
    pub(crate) fn evaluate(&mut self, xs: &[Lanes]) {
        sums(&self.fours, xs, &mut self.first, &mut self.second);
        if let Some(far) = &mut self.far {
            far.add(xs.as_flattened(), self.first.as_flattened_mut(), self.second.as_flattened_mut());
        }
    }
}

/// Computes the coefficients of every cell.
#[inline(always)]
fn prepare<'a>(cells: impl Iterator<Item = &'a [u64]>, fours: &mut [PolygammaBlock]) {
    for (index, counts) in cells.enumerate() {
        let (four, lane) = (&mut fours[index / LANES], index % LANES);
        // The number of counts equal to one, two, … seven, and of at least eight.
        let mut lengths = [0_u32; SINGLE + 1];
        let mut rest = TailSums::default();
        for &count in counts {
            lengths[length(count)] += 1;
            if count > SINGLE as u64 {
                rest.add(count as f64);
            }
        }
        set_above(four, lane, &lengths);
        if rest.number > 0.0 {
            for (column, coefficient) in four.rest.iter_mut().zip(rest.polynomial()) {
                column[lane] = coefficient;
            }
        }
    }
}

/// min(count, 8).
#[inline(always)]
fn length(count: u64) -> usize {
    #[expect(clippy::cast_possible_truncation, reason = "it is at most eight")]
    let length = count.min(SINGLE as u64) as usize;
    length
}

/// Sets the number of data sets whose count of a cell is above 0, 1, … 7, from the histogram of min(count, 8).
#[inline(always)]
fn set_above(four: &mut PolygammaBlock, lane: usize, lengths: &[u32; SINGLE + 1]) {
    let mut above = 0;
    for step in (0..SINGLE).rev() {
        above += lengths[step + 1];
        four.above[step][lane] = f64::from(above);
    }
}

/// Sums over the large counts of one cell: Σ ln n, Σ n⁻ᵏ and their number.
#[derive(Default)]
struct TailSums {
    number: f64,
    ln: f64,
    /// The product of counts whose logarithm has not been taken yet.
    product: f64,
    factors: usize,
    powers: [f64; POWERS],
}

impl TailSums {
    /// The largest number of counts below 2^64 whose product cannot overflow.
    const MOST_FACTORS: usize = 15;

    #[inline(always)]
    fn add(&mut self, count: f64) {
        self.number += 1.0;
        self.product = if self.factors == 0 { count } else { self.product * count };
        self.factors += 1;
        if self.factors == Self::MOST_FACTORS {
            self.take_logarithm();
        }
        let inverse = 1.0 / count;
        let square = inverse * inverse;
        let mut power = [inverse, square, inverse * square, square * square];
        for four in self.powers.as_chunks_mut::<LANES>().0 {
            for lane in 0..LANES {
                four[lane] += power[lane];
                power[lane] *= square * square;
            }
        }
    }

    #[inline(always)]
    fn take_logarithm(&mut self) {
        self.ln += lanes::ln(self.product);
        self.factors = 0;
    }

    /// Σ ψ(x + n) − ψ(x + 8) as a polynomial in x − ½.
    #[inline(always)]
    fn polynomial(mut self) -> [f64; COEFFICIENTS] {
        /// ln 8.
        const LN_SINGLE: f64 = 2.079_441_541_679_835_7;
        if self.factors > 0 {
            self.take_logarithm();
        }
        let mut polynomial = [0.0; COEFFICIENTS];
        for ((power, of_single), terms) in self.powers.iter().zip(&SINGLE_POWERS).zip(&SERIES) {
            let power = power - self.number * of_single;
            for (coefficient, term) in polynomial.iter_mut().zip(terms) {
                *coefficient += power * term;
            }
        }
        polynomial[0] += self.ln - self.number * LN_SINGLE;
        polynomial
    }
}

/// Evaluates both sums, four arguments at a time.
#[inline(always)]
fn sums(fours: &[PolygammaBlock], xs: &[Lanes], first: &mut [Lanes], second: &mut [Lanes]) {
    for (((four, x), first), second) in fours.iter().zip(xs).zip(first).zip(second) {
        let (mut sum1, mut sum2) = ([0.0; LANES], [0.0; LANES]);
        for (step, above) in four.above.iter().enumerate() {
            for lane in 0..LANES {
                let inverse = 1.0 / (x[lane] + step as f64);
                let share = above[lane] * inverse;
                sum1[lane] += share;
                sum2[lane] += share * inverse;
            }
        }
        // Horner's rule for the polynomial and its derivative at once.
        let (mut value, mut slope) = ([0.0; LANES], [0.0; LANES]);
        for coefficient in four.rest.iter().rev() {
            for lane in 0..LANES {
                let d = x[lane] - 0.5;
                slope[lane] = slope[lane] * d + value[lane];
                value[lane] = value[lane] * d + coefficient[lane];
            }
        }
        for lane in 0..LANES {
            first[lane] = sum1[lane] + value[lane];
            second[lane] = slope[lane] - sum2[lane];
        }
    }
}

impl LargeCounts {
    fn new<'a>(cells: impl ExactSizeIterator<Item = &'a [u64]>, fours: &mut [PolygammaBlock]) -> Self {
        let number = cells.len();
        let mut rest = Vec::new();
        let mut starts = vec![0];
        for (index, counts) in cells.enumerate() {
            let mut lengths = [0_u32; SINGLE + 1];
            for &count in counts {
                lengths[length(count)] += 1;
                rest.extend(count.checked_sub(SINGLE as u64).filter(|&rest| rest > 0));
            }
            starts.push(rest.len());
            set_above(&mut fours[index / LANES], index % LANES, &lengths);
        }
        let size = rest.len() + number;
        let column = || vec![0.0; size];
        Self { rest, starts, at: column(), digamma: column(), trigamma: column() }
    }

    /// Adds the tails of the counts, a whole column at a time.
    fn add(&mut self, xs: &[f64], first: &mut [f64], second: &mut [f64]) {
        self.at.clear();
        for (bounds, x) in self.starts.windows(2).zip(xs) {
            let from = x + SINGLE as f64;
            self.at.push(from);
            self.at.extend(self.rest[bounds[0]..bounds[1]].iter().map(|&rest| from + rest as f64));
        }
        large_digammas(&self.at, &mut self.digamma, &mut self.trigamma);
        for (index, bounds) in self.starts.windows(2).enumerate() {
            let (own, x) = (bounds[0] + index, xs[index] + SINGLE as f64);
            for (at, &rest) in (own + 1..).zip(&self.rest[bounds[0]..bounds[1]]) {
                let cancels = x >= CANCELS_FROM;
                first[index] +=
                    if cancels { digamma_rise(x, rest) } else { self.digamma[at] - self.digamma[own] };
                second[index] +=
                    if cancels { trigamma_rise(x, rest) } else { self.trigamma[at] - self.trigamma[own] };
            }
        }
    }
}

/// 8⁻ᵏ, k = 1…16.
const SINGLE_POWERS: [f64; POWERS] = {
    let mut powers = [0.0; POWERS];
    let mut power = 1.0;
    let mut k = 0;
    while k < POWERS {
        power /= SINGLE as f64;
        powers[k] = power;
        k += 1;
    }
    powers
};

/// What n⁻ᵏ contributes to the coefficient of (x − ½)ʲ in ψ(x + n), by k − 1 and j: with Bernoulli's polynomials Bₖ,
/// ψ(x + n) = ln n − Σₖ (−1)ᵏ Bₖ(x) / (k nᵏ), and Bₖ(½ + d) = Σⱼ C(k, j) Bₖ₋ⱼ(½) dʲ.
const SERIES: [[f64; COEFFICIENTS]; POWERS] = {
    /// B₂ₘ(½) = (2^(1 − 2m) − 1) B₂ₘ, m = 0…8; the others are zero.
    const AT_HALF: [f64; 9] = [
        1.0,
        -1.0 / 12.0,
        7.0 / 240.0,
        -31.0 / 1344.0,
        127.0 / 3840.0,
        -2555.0 / 33_792.0,
        1_414_477.0 / 5_591_040.0,
        -57_337.0 / 49_152.0,
        118_518_239.0 / 16_711_680.0,
    ];
    let mut series = [[0.0; COEFFICIENTS]; POWERS];
    let mut k = 1;
    while k <= POWERS {
        // C(k, j), from C(k, 0) on.
        let mut binomial = 1.0;
        let mut j = 0;
        while j <= k && j < COEFFICIENTS {
            if (k - j) % 2 == 0 {
                let sign = if k % 2 == 0 { -1.0 } else { 1.0 };
                series[k - 1][j] = sign * binomial * AT_HALF[(k - j) / 2] / k as f64;
            }
            binomial = binomial * (k - j) as f64 / (j + 1) as f64;
            j += 1;
        }
        k += 1;
    }
    series
};

#[cfg(test)]
mod tests {
    use super::*;

    /// Columns of counts by data set, one cell each.
    const CELLS: [[u64; 9]; 5] = [
        [1, 1, 1, 2, 5, 5, 8, 9, 9],
        [0, 0, 17, 40, 40, 40, 1000, 1_000_000_007, 0],
        [0, 0, 0, 0, 0, 0, 0, 0, 3],
        [9, 9, 9, 9, 9, 9, 9, 9, 9],
        [1 << 60, 1 << 61, 1 << 62, 10, 11, 12, 13, 14, 15],
    ];

    #[test]
    fn the_sums_equal_those_of_single_differences() {
        for (x, largest) in [1e-8, 1e-3, 0.4, 0.5, 0.93, 1.0]
            .map(|x| (x, 1.0))
            .into_iter()
            .chain([1e-8, 1e-3, 0.4, 1.0, 3.3, 9.9, 10.0, 57.0, 1e6].map(|x| (x, 1e6)))
        {
            let mut rises = PolygammaSums::default();
            rises.refill(CELLS.iter().map(|counts| &counts[..]), largest);
            rises.evaluate(&[[x; LANES]; 2]);
            let (found1, found2) = (rises.first.as_flattened(), rises.second.as_flattened());
            for (index, counts) in CELLS.iter().enumerate() {
                let sum = |rise: fn(f64, u64) -> f64| counts.iter().map(|&count| rise(x, count)).sum::<f64>();
                let (first, second) = (sum(digamma_rise), sum(trigamma_rise));
                assert!((found1[index] - first).abs() <= 1e-13 * first.abs(), "{x}, {index}: first");
                assert!((found2[index] - second).abs() <= 1e-12 * second.abs(), "{x}, {index}: second");
            }
        }
    }
}
