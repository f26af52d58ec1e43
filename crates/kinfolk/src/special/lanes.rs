//! ln, exp, lnΓ, ψ, ψ' and ψ'' over columns of arguments, branch-free so that the compiler can use wide registers.
//!
//! Every kernel `f` is `#[multiversion]`: compiled for any processor and for AVX2, and selected at run time. Its body
//! is an `#[inline(always)]` function `f_body`, with which tests compare it. No operation is fused or reordered, so all
//! versions give the same bits. All helpers must be `#[inline(always)]`, or they would be compiled for the oldest
//! processor.

#![expect(
    clippy::inline_always,
    reason = "kernels must be compiled for the processor their caller is compiled for"
)]

use multiversion::multiversion;

use super::gamma::{DIGAMMA_TERMS, HALF_LN_TWO_PI, STIRLING_TERMS, TETRAGAMMA_TERMS, TRIGAMMA_TERMS, series};

/// Steps by which small arguments are shifted: from eight on, eight terms of the series leave an error below 1e-15.
const SHIFT: u32 = 8;

/// [`SHIFT`] as a float.
const SHIFT_BELOW: f64 = SHIFT as f64;

/// Arguments from here on are not shifted.
pub(crate) const LARGE_FROM: f64 = SHIFT_BELOW;

/// The number of lanes: doubles in a 256-bit register.
pub(crate) const LANES: usize = 4;

/// One number per lane.
pub(crate) type Lanes = [f64; LANES];

/// ln x − ψ(x), ψ', ψ'' at four arguments.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct LanePolygammas {
    /// ln x − ψ(x).
    pub(crate) ln_minus_digamma: Lanes,
    /// ψ'(x).
    pub(crate) trigamma: Lanes,
    /// ψ''(x).
    pub(crate) tetragamma: Lanes,
}

/// ψ and ψ' at arguments of at least eight.
#[multiversion(targets("x86_64+avx2"))]
pub(crate) fn large_digammas(xs: &[f64], digamma: &mut [f64], trigamma: &mut [f64]) {
    large_digammas_body(xs, digamma, trigamma);
}

/// lnΓ at positive arguments, with an absolute or relative error of about 1e-15.
#[multiversion(targets("x86_64+avx2"))]
pub(crate) fn ln_gammas(xs: &[f64], out: &mut [f64]) {
    ln_gammas_body(xs, out);
}

/// lnΓ at arguments of at least eight.
#[multiversion(targets("x86_64+avx2"))]
pub(crate) fn large_ln_gammas(xs: &[f64], out: &mut [f64]) {
    large_ln_gammas_body(xs, out);
}

#[inline(always)]
fn large_ln_gammas_body(xs: &[f64], out: &mut [f64]) {
    for (&x, out) in xs.iter().zip(out) {
        let inverse = 1.0 / x;
        let remainder = x * series(&STIRLING_TERMS, inverse * inverse);
        *out = (x - 0.5) * ln(x) - x + HALF_LN_TWO_PI + remainder;
    }
}

#[inline(always)]
fn ln_gammas_body(xs: &[f64], out: &mut [f64]) {
    for (&x, out) in xs.iter().zip(out) {
        let mut product = 1.0;
        for step in 0..SHIFT {
            product *= x + f64::from(step);
        }
        let small = x < SHIFT_BELOW;
        let y = if small { x + SHIFT_BELOW } else { x };
        // ln 1 = 0 where nothing was shifted.
        let shifted = ln(if small { product } else { 1.0 });
        let inverse = 1.0 / y;
        let remainder = y * series(&STIRLING_TERMS, inverse * inverse);
        *out = (y - 0.5) * ln(y) - y + HALF_LN_TWO_PI + remainder - shifted;
    }
}

/// ln x − ψ(x), ψ' and ψ'' at four positive arguments.
#[inline(always)]
pub(crate) fn polygammas(xs: &Lanes) -> LanePolygammas {
    let mut out = LanePolygammas::default();
    for (lane, &x) in xs.iter().enumerate() {
        let Shifted { y, sum1, sum2, sum3 } = shift(x);
        let inverse = 1.0 / y;
        let square = inverse * inverse;
        out.ln_minus_digamma[lane] = ln(x / y) + sum1 + 0.5 * inverse + series(&DIGAMMA_TERMS, square);
        out.trigamma[lane] = sum2 + inverse + 0.5 * square + inverse * series(&TRIGAMMA_TERMS, square);
        out.tetragamma[lane] =
            -2.0 * sum3 - square - square * inverse - square * series(&TETRAGAMMA_TERMS, square);
    }
    out
}

#[inline(always)]
fn large_digammas_body(xs: &[f64], digamma: &mut [f64], trigamma: &mut [f64]) {
    let (digamma, trigamma) = (&mut digamma[..xs.len()], &mut trigamma[..xs.len()]);
    for (index, &x) in xs.iter().enumerate() {
        let inverse = 1.0 / x;
        let square = inverse * inverse;
        digamma[index] = ln(x) - 0.5 * inverse - series(&DIGAMMA_TERMS, square);
        trigamma[index] = inverse + 0.5 * square + inverse * series(&TRIGAMMA_TERMS, square);
    }
}

/// An argument shifted to where the series hold, with the sums of 1/t, 1/t² and 1/t³ over the steps.
struct Shifted {
    y: f64,
    sum1: f64,
    sum2: f64,
    sum3: f64,
}

#[inline(always)]
fn shift(x: f64) -> Shifted {
    let (mut sum1, mut sum2, mut sum3) = (0.0, 0.0, 0.0);
    for step in 0..SHIFT {
        let inverse = 1.0 / (x + f64::from(step));
        sum1 += inverse;
        sum2 += inverse * inverse;
        sum3 += inverse * inverse * inverse;
    }
    // Large arguments are not shifted: the sums are selected away without a branch.
    let small = x < SHIFT_BELOW;
    Shifted {
        y: if small { x + SHIFT_BELOW } else { x },
        sum1: if small { sum1 } else { 0.0 },
        sum2: if small { sum2 } else { 0.0 },
        sum3: if small { sum3 } else { 0.0 },
    }
}

/// 1/(2k+1), k = 0…10.
pub(crate) const ARTANH_TERMS: [f64; 11] = [
    1.0,
    1.0 / 3.0,
    1.0 / 5.0,
    1.0 / 7.0,
    1.0 / 9.0,
    1.0 / 11.0,
    1.0 / 13.0,
    1.0 / 15.0,
    1.0 / 17.0,
    1.0 / 19.0,
    1.0 / 21.0,
];

/// artanh(t)/t given t², for small t, by Estrin's scheme, which shortens the chain of dependent operations.
#[inline(always)]
pub(crate) fn artanh_over(square: f64) -> f64 {
    let [first, terms @ ..] = ARTANH_TERMS;
    let (power2, pair) = (square * square, |k: usize| terms[k] + terms[k + 1] * square);
    let (power4, four) = (power2 * power2, |k: usize| pair(k) + pair(k + 2) * power2);
    let rest = (four(0) + four(4) * power4) + pair(8) * (power4 * power4);
    first + rest * square
}

/// ln x for a positive normal number, with an absolute or relative error below 2e-16.
///
/// x = 2^e·m with m between √½ and √2, and ln m = 2 artanh t with t = (m − 1)/(m + 1), |t| < 0.172.
#[inline(always)]
pub(crate) fn ln(x: f64) -> f64 {
    /// The bits of √½.
    const ROOT_HALF: u64 = 0x3fe6_a09e_667f_3bcd;
    /// 2^52, whose unit in the last place is one: adding a small integer to its bits adds it to the number.
    const TWO_52: u64 = 0x4330_0000_0000_0000;
    const TWO_52_AND_BIAS: f64 = 4_503_599_627_370_496.0 + 1023.0;
    /// ln 2 in two parts; the product of the first with an exponent is exact.
    const LN_2: (f64, f64) = (0.693_147_180_369_123_8, 1.908_214_929_270_587_7e-10);
    let bits = x.to_bits();
    let biased = bits.wrapping_sub(ROOT_HALF).wrapping_add(1023 << 52) >> 52;
    let exponent = f64::from_bits(TWO_52 | biased) - TWO_52_AND_BIAS;
    let mantissa = f64::from_bits(bits.wrapping_sub(biased.wrapping_sub(1023) << 52));
    let t = (mantissa - 1.0) / (mantissa + 1.0);
    exponent * LN_2.0 + (2.0 * t * artanh_over(t * t) + exponent * LN_2.1)
}

/// x·ρ(x) for ρ(x) = lnΓ(x) − [(x − ½) ln x − x + ½ ln 2π] and x ≥ ½, as a polynomial in u = 2.2/(x + 0.6) − 1: the
/// interpolant at the seventeen Chebyshev points of −1 ≤ u ≤ 1, computed with sixty digits.
const BINET_TERMS: [f64; 17] = [
    0.082_345_134_285_219_78,
    -0.002_498_818_459_747_887_6,
    -0.002_150_785_487_544_526,
    -0.000_773_062_254_457_932_2,
    -0.000_156_341_528_317_704_77,
    -3.443_692_504_091_667e-05,
    -1.384_005_516_753_849_2e-05,
    -3.299_259_414_795_844_5e-06,
    -8.134_537_167_225_698e-07,
    -4.168_123_004_643_852e-07,
    -6.705_250_739_074_151e-08,
    -3.197_996_789_576_7e-08,
    -1.502_143_398_625_634_6e-08,
    2.740_239_239_246_617_5e-09,
    -2.923_579_532_544_806_4e-09,
    -1.285_965_352_514_762_9e-09,
    3.337_214_709_688_305e-10,
];

/// lnΓ(x) − x ln x + x at four arguments of at least ½, to within 1e-14.
#[inline(always)]
pub(crate) fn ln_gammas_less_main_part(xs: &Lanes) -> Lanes {
    let mut out = Lanes::default();
    for (&x, out) in xs.iter().zip(&mut out) {
        let both = 1.0 / (x * (x + 0.6));
        let u = 2.2 * x * both - 1.0;
        let square = u * u;
        // Even and odd powers separately: two independent chains.
        let (mut even, mut odd) = (BINET_TERMS[16], 0.0);
        for pair in BINET_TERMS[..16].as_chunks::<2>().0.iter().rev() {
            odd = odd * square + pair[1];
            even = even * square + pair[0];
        }
        *out = HALF_LN_TWO_PI - 0.5 * ln(x) + (even + u * odd) * ((x + 0.6) * both);
    }
    out
}

/// 1/k!, k = 0…13.
const EXPONENTIAL_TERMS: [f64; 14] = [
    1.0,
    1.0,
    1.0 / 2.0,
    1.0 / 6.0,
    1.0 / 24.0,
    1.0 / 120.0,
    1.0 / 720.0,
    1.0 / 5_040.0,
    1.0 / 40_320.0,
    1.0 / 362_880.0,
    1.0 / 3_628_800.0,
    1.0 / 39_916_800.0,
    1.0 / 479_001_600.0,
    1.0 / 6_227_020_800.0,
];

/// e^x with a relative error below 4e-16 for −700 ≤ x ≤ 700; arguments outside are clamped to this range.
///
/// x = n·ln 2 + rest with |rest| ≤ ½ ln 2, whose series needs fourteen terms.
#[inline(always)]
pub(crate) fn exp(x: f64) -> f64 {
    /// 1.5·2^52: adding it rounds to an integer, which the last bits then hold.
    const ROUND: f64 = 6_755_399_441_055_744.0;
    const LN_2: (f64, f64) = (0.693_147_180_369_123_8, 1.908_214_929_270_587_7e-10);
    let x = x.clamp(-700.0, 700.0);
    let shifted = x * std::f64::consts::LOG2_E + ROUND;
    let whole = shifted - ROUND;
    let rest = (x - whole * LN_2.0) - whole * LN_2.1;
    let mut sum = 0.0;
    for term in EXPONENTIAL_TERMS.iter().rev() {
        sum = sum * rest + term;
    }
    let power = f64::from_bits((shifted.to_bits() << 52).wrapping_add(1023 << 52));
    power * sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counts::note_unless_avx2;

    #[test]
    fn exp_agrees_with_the_standard_library() {
        for step in -70_000..=70_000 {
            let x = f64::from(step) * 0.01;
            assert!((exp(x) / x.exp() - 1.0).abs() <= 5e-16, "{x}");
        }
        assert_eq!(exp(-1e9), exp(-700.0));
        assert_eq!(exp(f64::INFINITY), exp(700.0));
        assert!(exp(f64::NAN).is_nan());
    }

    fn golden() -> Vec<Vec<f64>> {
        let text = include_str!("../../tests/golden/gamma.csv");
        text.lines().skip(1).map(|line| line.split(',').map(|cell| cell.parse().unwrap()).collect()).collect()
    }

    fn close(value: f64, expected: f64) -> bool {
        (value - expected).abs() <= 1e-13 * (1.0 + expected.abs())
    }

    #[test]
    fn columns_agree_with_sixty_digit_arithmetic() {
        let rows = golden();
        let xs: Vec<f64> = rows.iter().map(|row| row[0]).collect();
        let size = xs.len();
        let (mut digamma, mut trigamma) = (vec![0.0; size], vec![0.0; size]);
        for (index, row) in rows.iter().enumerate() {
            let (x, beside) = (row[0], rows[(index + 3) % size][0]);
            let all = polygammas(&[beside, x, 9.0, beside]);
            assert!(close(all.ln_minus_digamma[1], x.ln() - row[2]), "ln − ψ at {x}");
            assert!(close(all.trigamma[1], row[3]), "ψ'({x})");
            assert!(close(all.tetragamma[1], row[4]), "ψ''({x})");
        }
        let mut ln_gamma = vec![0.0; size];
        ln_gammas(&xs, &mut ln_gamma);
        for (index, row) in rows.iter().enumerate() {
            let (x, beside) = (row[0], rows[(index + 7) % size][0]);
            if x < 0.5 {
                continue;
            }
            let less = ln_gammas_less_main_part(&[x, 9.0, beside, 3.0]);
            // The golden number minus the main part has fewer digits than the golden number.
            assert!(
                (less[0] - (row[1] - x * x.ln() + x)).abs() <= 1e-14 + 1e-15 * row[1].abs(),
                "lnΓ of {x}"
            );
            assert_eq!(
                ln_gammas_less_main_part(&[x; 4]),
                [less[0]; 4],
                "independent of the lanes beside {x}"
            );
        }
        assert!(rows.iter().zip(&ln_gamma).all(|(row, value)| close(*value, row[1])));
        let large: Vec<f64> = xs.iter().copied().filter(|&x| x >= 8.0).collect();
        let mut of_large = vec![0.0; size];
        ln_gammas(&large, &mut ln_gamma);
        large_ln_gammas(&large, &mut of_large);
        assert_eq!(ln_gamma[..large.len()], of_large[..large.len()]);
        large_digammas(&large, &mut digamma, &mut trigamma);
        for (index, row) in rows.iter().filter(|row| row[0] >= 8.0).enumerate() {
            assert!(close(digamma[index], row[2]) && close(trigamma[index], row[3]), "{}", row[0]);
            assert!(close(ln_gamma[index], row[1]), "lnΓ({})", row[0]);
        }
    }

    #[test]
    fn ln_agrees_with_the_standard_library() {
        for exponent in -300..300 {
            for mantissa in [1.0, 1.1, 1.413, 1.415, 1.7, 1.999] {
                let x = mantissa * 10.0_f64.powi(exponent);
                assert!((ln(x) - x.ln()).abs() <= 2.5e-16 * (1.0 + x.ln().abs()), "{x}");
            }
        }
    }

    #[test]
    fn wide_registers_give_the_same_bits() {
        note_unless_avx2("special::lanes::wide_registers_give_the_same_bits");
        let xs: Vec<f64> = golden().iter().map(|row| row[0]).collect();
        let (mut wide, mut plain) = (vec![0.0; xs.len()], vec![0.0; xs.len()]);
        ln_gammas(&xs, &mut wide);
        ln_gammas_body(&xs, &mut plain);
        assert!(wide == plain);
        let xs: Vec<f64> = xs.into_iter().map(|x| x + LARGE_FROM).collect();
        large_ln_gammas(&xs, &mut wide);
        large_ln_gammas_body(&xs, &mut plain);
        assert!(wide == plain);
    }
}
