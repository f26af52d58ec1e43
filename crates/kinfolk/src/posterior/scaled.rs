//! Floating-point numbers with a wide exponent: sums over graphs span thousands of orders of magnitude and underflow an
//! `f64`.

use std::ops::{Add, AddAssign, Mul, Neg};

/// A number m·2^e. The mantissa is zero or 0.5 ≤ |m| < 2, so that products and sums of a few numbers cannot overflow
/// it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Scaled {
    mantissa: f64,
    exponent: i64,
}

/// The smaller of two numbers does not change their sum if it is this many binary digits below.
const NEGLIGIBLE: i64 = 64;

impl Scaled {
    pub(super) const ZERO: Self = Self { mantissa: 0.0, exponent: 0 };
    pub(super) const ONE: Self = Self { mantissa: 1.0, exponent: 0 };

    /// e^x.
    pub(super) fn exp(x: f64) -> Self {
        if x == f64::NEG_INFINITY {
            return Self::ZERO;
        }
        let exponent = (x * std::f64::consts::LOG2_E).round();
        // The product with ln 2 is rounded; the remainder is at most 0.35 and its absolute error that of x.
        let mantissa = (x - exponent * std::f64::consts::LN_2).exp();
        #[expect(clippy::cast_possible_truncation, reason = "logarithms of scores are far within 63 bits")]
        Self { mantissa, exponent: exponent as i64 }.normalised()
    }

    /// The quotient as an `f64`.
    pub(super) fn ratio(self, by: Self) -> f64 {
        let quotient = self.mantissa / by.mantissa;
        let exponent = (self.exponent - by.exponent).clamp(-2000, 2000);
        quotient * power_of_two(exponent / 2) * power_of_two(exponent - exponent / 2)
    }

    fn normalised(self) -> Self {
        if self.mantissa == 0.0 {
            return Self::ZERO;
        }
        let biased = (self.mantissa.to_bits() >> 52) & 0x7ff;
        let shift = i64::try_from(biased).expect("eleven bits") - 1023;
        Self { mantissa: self.mantissa * power_of_two(-shift), exponent: self.exponent + shift }
    }
}

/// 2^e for exponents of normal numbers.
fn power_of_two(exponent: i64) -> f64 {
    let biased = u64::try_from(exponent.clamp(-1022, 1023) + 1023).expect("from 1 to 2046");
    f64::from_bits(biased << 52)
}

impl Mul for Scaled {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        Self { mantissa: self.mantissa * other.mantissa, exponent: self.exponent + other.exponent }
            .normalised()
    }
}

impl Add for Scaled {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        let (large, small) =
            if other.mantissa == 0.0 || (self.mantissa != 0.0 && self.exponent >= other.exponent) {
                (self, other)
            } else {
                (other, self)
            };
        let apart = large.exponent - small.exponent;
        if small.mantissa == 0.0 || apart > NEGLIGIBLE {
            return large;
        }
        Self { mantissa: large.mantissa + small.mantissa * power_of_two(-apart), exponent: large.exponent }
            .normalised()
    }
}

impl AddAssign for Scaled {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Neg for Scaled {
    type Output = Self;

    fn neg(self) -> Self {
        Self { mantissa: -self.mantissa, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_and_sums_beyond_the_range_of_a_float_keep_their_digits() {
        let tiny = Scaled::exp(-2000.0);
        let product = tiny * tiny;
        assert!((product.ratio(Scaled::exp(-4000.0)) - 1.0).abs() < 1e-11);
        assert!(((tiny + tiny).ratio(tiny) - 2.0).abs() < 1e-15);
        let third = Scaled::exp(-2001.0);
        assert!(((tiny + -third).ratio(tiny) - (1.0 - (-1.0_f64).exp())).abs() < 1e-12);
        assert_eq!(tiny + -tiny, Scaled::ZERO);
        assert_eq!(Scaled::ONE + product, Scaled::ONE);
        assert_eq!(Scaled::exp(f64::NEG_INFINITY) + Scaled::ONE, Scaled::ONE);
        assert_eq!(product.ratio(Scaled::ONE), 0.0);
    }
}
