//! lnΓ and its first three derivatives, and their differences over whole counts without cancellation.
//!
//! lnΓ comes from `libm`. No crate has accurate ψ' and ψ'', so ψ, ψ' and ψ'' are written here: the argument is
//! shifted to at least ten by the recurrence ψ(x) = ψ(x + 1) − 1/x, where eight terms of the asymptotic series
//! (Abramowitz & Stegun 6.3.18, 6.4.12–13) are below 1e-16; ψ near its root at 1.46… is a Taylor series there, because the
//! shift would cancel.

/// At arguments from here on, eight terms of the asymptotic series leave an error below 1e-16.
pub(crate) const ASYMPTOTIC_FROM: f64 = 10.0;

/// At arguments from here on, three terms of a series leave an error below 1e-16.
const FEW_TERMS_FROM: f64 = 64.0;

/// Up to this count, differences are summed term by term: exact, and faster than two function evaluations.
pub(crate) const SUMMED_COUNTS: u64 = 8;

// Coefficients of the asymptotic series, from the Bernoulli numbers B₂ₖ, k = 1…8 (Abramowitz & Stegun, table 23.2).

/// B₂ₖ/2k, for ψ.
pub(crate) const DIGAMMA_TERMS: [f64; 8] = [
    1.0 / 12.0,
    -1.0 / 120.0,
    1.0 / 252.0,
    -1.0 / 240.0,
    1.0 / 132.0,
    -691.0 / 32760.0,
    1.0 / 12.0,
    -3617.0 / 8160.0,
];

/// B₂ₖ, for ψ'.
pub(crate) const TRIGAMMA_TERMS: [f64; 8] = [
    1.0 / 6.0,
    -1.0 / 30.0,
    1.0 / 42.0,
    -1.0 / 30.0,
    5.0 / 66.0,
    -691.0 / 2730.0,
    7.0 / 6.0,
    -3617.0 / 510.0,
];

/// (2k+1) B₂ₖ, for ψ''.
pub(crate) const TETRAGAMMA_TERMS: [f64; 8] =
    [1.0 / 2.0, -1.0 / 6.0, 1.0 / 6.0, -3.0 / 10.0, 5.0 / 6.0, -691.0 / 210.0, 35.0 / 2.0, -3617.0 / 30.0];

/// (2k+1)(2k+2) B₂ₖ, for ψ'''.
pub(crate) const PENTAGAMMA_TERMS: [f64; 8] =
    [2.0, -1.0, 4.0 / 3.0, -3.0, 10.0, -691.0 / 15.0, 280.0, -10851.0 / 5.0];

/// B₂ₖ/(2k(2k−1)), for lnΓ.
pub(crate) const STIRLING_TERMS: [f64; 8] = [
    1.0 / 12.0,
    -1.0 / 360.0,
    1.0 / 1260.0,
    -1.0 / 1680.0,
    1.0 / 1188.0,
    -691.0 / 360_360.0,
    1.0 / 156.0,
    -3617.0 / 122_400.0,
];

/// From this x on, the difference of two function values over a small count would cancel.
pub(crate) const CANCELS_FROM: f64 = 100.0;

/// ½ ln 2π.
pub(crate) const HALF_LN_TWO_PI: f64 = 0.918_938_533_204_672_8;

/// The positive root of ψ, as a sum of two doubles.
const DIGAMMA_ROOT: (f64, f64) = (1.461_632_144_968_362_2, 9.549_995_429_965_697e-17);

/// ψ⁽ᵏ⁾(root)/k! for k = 1…20, from 60-digit arithmetic.
const DIGAMMA_AT_ROOT: [f64; 20] = [
    0.967_672_245_447_621_2,
    -0.442_763_168_983_592_1,
    0.258_499_760_955_651,
    -0.163_942_705_442_406_52,
    0.107_824_050_691_262_37,
    -0.072_199_561_256_454_71,
    0.048_804_288_164_143_11,
    -0.033_161_126_474_847_36,
    0.022_597_648_232_218_104,
    -0.015_424_765_904_948_96,
    0.010_538_791_616_612_175,
    -0.007_204_534_386_356_869,
    0.004_926_781_395_729_853,
    -0.003_369_801_655_439_328,
    0.002_305_126_326_734_928,
    -0.001_576_936_771_430_197_2,
    0.001_078_825_201_916_296_7,
    -0.000_738_070_938_996_005_2,
    0.000_504_953_265_834_602,
    -0.000_345_468_025_106_307_7,
];

/// lnΓ(x) for x > 0.
pub fn ln_gamma(x: f64) -> f64 {
    libm::lgamma(x)
}

/// ψ(x) = d lnΓ(x)/dx for x > 0.
pub fn digamma(x: f64) -> f64 {
    let from_root = (x - DIGAMMA_ROOT.0) - DIGAMMA_ROOT.1;
    if from_root.abs() < 0.25 {
        return from_root * DIGAMMA_AT_ROOT.iter().rev().fold(0.0, |sum, c| sum * from_root + c);
    }
    let (shifted, subtracted) = shift(x, |y| 1.0 / y);
    shifted.ln() - ln_minus_digamma_series(shifted) - subtracted
}

/// ψ'(x) for x > 0.
pub fn trigamma(x: f64) -> f64 {
    let (shifted, added) = shift(x, |y| 1.0 / (y * y));
    1.0 / shifted + trigamma_remainder(shifted) + added
}

/// ψ''(x) for x > 0.
pub fn tetragamma(x: f64) -> f64 {
    let (shifted, subtracted) = shift(x, |y| 2.0 / (y * y * y));
    tetragamma_series(shifted) - subtracted
}

/// ln x − ψ(x), ψ, ψ', ψ'' at one argument.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Polygammas {
    /// ln x − ψ(x), which is positive and free of cancellation.
    pub(crate) ln_minus_digamma: f64,
    /// ψ(x).
    pub(crate) digamma: f64,
    /// ψ'(x).
    pub(crate) trigamma: f64,
    /// ψ''(x).
    pub(crate) tetragamma: f64,
}

/// ψ, ψ', ψ'' at x > 0 with one shared shift.
pub(crate) fn polygammas(x: f64) -> Polygammas {
    let (mut y, mut first, mut second, mut third) = (x, 0.0, 0.0, 0.0);
    while y < ASYMPTOTIC_FROM {
        let inverse = 1.0 / y;
        first += inverse;
        second += inverse * inverse;
        third += 2.0 * inverse * inverse * inverse;
        y += 1.0;
    }
    let series = ln_minus_digamma_series(y);
    let ln_y = y.ln();
    let ln_minus_digamma = if y == x { series } else { x.ln() - ln_y + series + first };
    Polygammas {
        ln_minus_digamma,
        digamma: ln_y - series - first,
        trigamma: 1.0 / y + trigamma_remainder(y) + second,
        tetragamma: tetragamma_series(y) - third,
    }
}

/// lnΓ(x + n) − lnΓ(x): the logarithm of the rising factorial, without cancellation for large x.
pub fn ln_rising(x: f64, n: u64) -> f64 {
    Rising::new(x).ln(n)
}

/// Rising factorials of one x over many counts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rising {
    x: f64,
    /// lnΓ(x), if it was computed in advance.
    ln_gamma: Option<f64>,
}

impl Rising {
    pub(crate) fn new(x: f64) -> Self {
        Self { x, ln_gamma: None }
    }

    /// Computes lnΓ(x) once for many counts.
    pub(crate) fn for_many(x: f64) -> Self {
        Self { x, ln_gamma: (x < ASYMPTOTIC_FROM).then(|| ln_gamma_shifted(x)) }
    }

    /// lnΓ(x + n) − lnΓ(x).
    pub(crate) fn ln(&self, n: u64) -> f64 {
        let x = self.x;
        if n <= SUMMED_COUNTS {
            // At most eight factors below about 1e30 each: no overflow.
            return (0..n).fold(1.0, |product, t| product * (x + t as f64)).ln();
        }
        let count = n as f64;
        let top = x + count;
        if x < ASYMPTOTIC_FROM {
            // Stirling's series is exact in double precision from nine on.
            return stirling(top) - self.ln_gamma.unwrap_or_else(|| ln_gamma_shifted(x));
        }
        (x - 0.5) * (count / x).ln_1p() + count * (top.ln() - 1.0) + stirling_remainder(top)
            - stirling_remainder(x)
    }
}

/// lnΓ(x) for x below ten, with an absolute error below 1e-15: faster than [`ln_gamma`], which is also accurate near
/// its roots.
fn ln_gamma_shifted(x: f64) -> f64 {
    let product = (0..9).fold(1.0, |product, t| product * (x + f64::from(t)));
    stirling(x + 9.0) - product.ln()
}

/// lnΓ(x) by Stirling's series, exact in double precision from nine on.
fn stirling(x: f64) -> f64 {
    (x - 0.5) * x.ln() - x + HALF_LN_TWO_PI + stirling_remainder(x)
}

/// ψ(x + n) − ψ(x).
pub fn digamma_rise(x: f64, n: u64) -> f64 {
    if n <= SUMMED_COUNTS {
        return (0..n).map(|t| 1.0 / (x + t as f64)).sum();
    }
    let count = n as f64;
    if x < ASYMPTOTIC_FROM {
        return digamma(x + count) - digamma(x);
    }
    (count / x).ln_1p() + ln_minus_digamma_series(x) - ln_minus_digamma_series(x + count)
}

/// ψ'(x + n) − ψ'(x), which is negative.
pub fn trigamma_rise(x: f64, n: u64) -> f64 {
    if n <= SUMMED_COUNTS {
        return -(0..n).map(|t| (x + t as f64).powi(-2)).sum::<f64>();
    }
    let count = n as f64;
    if x < ASYMPTOTIC_FROM {
        return trigamma(x + count) - trigamma(x);
    }
    let top = x + count;
    -count / (x * top) + (trigamma_remainder(top) - trigamma_remainder(x))
}

/// Shifts x to where the series hold; returns it and the sum of `term` over the steps.
fn shift(x: f64, term: impl Fn(f64) -> f64) -> (f64, f64) {
    let (mut y, mut sum) = (x, 0.0);
    while y < ASYMPTOTIC_FROM {
        sum += term(y);
        y += 1.0;
    }
    (y, sum)
}

/// c₁z + c₂z² + … for z = 1/x².
#[inline(always)]
#[expect(
    clippy::inline_always,
    reason = "it must be compiled for the processor that its caller is compiled for"
)]
pub(crate) fn series(terms: &[f64; 8], square: f64) -> f64 {
    terms.iter().rev().fold(0.0, |sum, term| (sum + term) * square)
}

/// ln x − ψ(x) = 1/(2x) + Σ B₂ₖ/(2k x²ᵏ).
fn ln_minus_digamma_series(x: f64) -> f64 {
    let inverse = 1.0 / x;
    0.5 * inverse + series(&DIGAMMA_TERMS, inverse * inverse)
}

/// ψ'(x) − 1/x = 1/(2x²) + Σ B₂ₖ/x²ᵏ⁺¹.
fn trigamma_remainder(x: f64) -> f64 {
    let inverse = 1.0 / x;
    let square = inverse * inverse;
    0.5 * square + series(&TRIGAMMA_TERMS, square) * inverse
}

/// ψ''(x) = −1/x² − 1/x³ − Σ (2k+1) B₂ₖ/x²ᵏ⁺².
fn tetragamma_series(x: f64) -> f64 {
    let inverse = 1.0 / x;
    let square = inverse * inverse;
    -square - square * inverse - series(&TETRAGAMMA_TERMS, square) * square
}

/// lnΓ(x) − [(x − ½) ln x − x + ½ ln 2π] = Σ B₂ₖ/(2k(2k−1) x²ᵏ⁻¹).
pub(crate) fn stirling_remainder(x: f64) -> f64 {
    let inverse = 1.0 / x;
    if x > FEW_TERMS_FROM {
        let square = inverse * inverse;
        return inverse * (STIRLING_TERMS[0] + square * (STIRLING_TERMS[1] + square * STIRLING_TERMS[2]));
    }
    series(&STIRLING_TERMS, inverse * inverse) * x
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows of a comma-separated table of numbers, its header skipped.
    fn table(text: &str) -> Vec<Vec<f64>> {
        text.lines().skip(1).map(|line| line.split(',').map(|cell| cell.parse().unwrap()).collect()).collect()
    }

    fn relative(value: f64, expected: f64) -> f64 {
        if value == expected { 0.0 } else { ((value - expected) / expected).abs() }
    }

    #[test]
    fn all_four_functions_agree_with_sixty_digit_arithmetic_to_1e_13_relative() {
        let rows = table(include_str!("../../tests/golden/gamma.csv"));
        assert!(rows.len() > 100);
        for row in rows {
            let x = row[0];
            assert!(relative(ln_gamma(x), row[1]) < 1e-13, "lnΓ({x})");
            assert!(relative(digamma(x), row[2]) < 1e-13, "ψ({x}) = {} not {}", digamma(x), row[2]);
            assert!(relative(trigamma(x), row[3]) < 1e-13, "ψ'({x})");
            assert!(relative(tetragamma(x), row[4]) < 1e-13, "ψ''({x})");
        }
    }

    #[test]
    fn the_joint_evaluation_equals_the_single_ones() {
        for row in table(include_str!("../../tests/golden/gamma.csv")) {
            let (x, at) = (row[0], polygammas(row[0]));
            assert!((at.digamma - row[2]).abs() < 1e-14 * (1.0 + row[2].abs()), "ψ({x})");
            assert!(relative(at.trigamma, row[3]) < 1e-13, "ψ'({x})");
            assert!(relative(at.tetragamma, row[4]) < 1e-13, "ψ''({x})");
            let gap = x.ln() - row[2];
            assert!((at.ln_minus_digamma - gap).abs() < 1e-14 * (1.0 + row[2].abs()), "ln − ψ at {x}");
        }
    }

    #[test]
    fn known_constants_come_out() {
        let euler = 0.577_215_664_901_532_9;
        let zeta3 = 1.202_056_903_159_594_2;
        assert!(relative(digamma(1.0), -euler) < 1e-15);
        assert!(relative(trigamma(1.0), std::f64::consts::PI.powi(2) / 6.0) < 1e-15);
        assert!(relative(tetragamma(1.0), -2.0 * zeta3) < 1e-15);
        assert!(relative(ln_gamma(0.5), 0.5 * std::f64::consts::PI.ln()) < 1e-15);
    }

    #[test]
    fn differences_over_counts_do_not_cancel() {
        for row in table(include_str!("../../tests/golden/rising.csv")) {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "whole numbers")]
            let (x, n) = (row[0], row[1] as u64);
            // Absolute near the roots of lnΓ(x + n) − lnΓ(x), relative elsewhere.
            assert!((ln_rising(x, n) - row[2]).abs() < 1e-13 * (1.0 + row[2].abs()), "ln_rising({x}, {n})");
            assert!(relative(ln_rising(x, n), row[2]) < 1e-13 || row[2].abs() < 1.0, "ln_rising({x}, {n})");
            assert!(relative(digamma_rise(x, n), row[3]) < 1e-13, "digamma_rise({x}, {n})");
            assert!(relative(trigamma_rise(x, n), row[4]) < 1e-13, "trigamma_rise({x}, {n})");
        }
    }
}
