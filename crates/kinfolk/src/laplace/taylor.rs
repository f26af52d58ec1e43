//! The fourth-order Taylor expansion in ln k of the part of φ from four cells (docs/THEORY.md, E33 to E35).

#![expect(
    clippy::inline_always,
    reason = "kernels must be compiled for the processor their caller is compiled for"
)]

use crate::special::lanes::{LANES, Lanes, exp};
use crate::special::rising_sums::RisingSums;

pub(super) const SIXTH: f64 = 1.0 / 6.0;

/// Four cells at some distance from an evaluation.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Expansion {
    /// ∂φ/∂ln k.
    pub(super) slope: Lanes,
    /// The second derivative in ln k of the data's part of φ.
    pub(super) bend: Lanes,
    /// k.
    pub(super) centre: Lanes,
    /// −k²·∂²φ/∂k², at least half of the prior.
    pub(super) d: Lanes,
    /// 1/d.
    pub(super) inverse_d: Lanes,
}

impl Expansion {
    /// The cells at distance `left` in ln k from an evaluation.
    #[inline(always)]
    pub(super) fn new(rises: &RisingSums, centre: &Lanes, left: &Lanes, alpha0: &Lanes) -> Self {
        let mut there = Self::default();
        for lane in 0..LANES {
            let (alpha0, left) = (alpha0[lane], left[lane]);
            let (second, third, fourth) = (rises.second[lane], rises.third[lane], rises.fourth[lane]);
            let slope = rises.first[lane] + left * (second + left * (0.5 * third + left * (SIXTH * fourth)));
            let bend = second + left * (third + left * (0.5 * fourth));
            // d is at least α0 where φ is exact; half of it limits the error of an expansion over a long distance.
            let d = (alpha0 + slope - bend).max(0.5 * alpha0);
            there.slope[lane] = slope + alpha0;
            there.bend[lane] = bend;
            there.centre[lane] = centre[lane] * exp(left);
            there.d[lane] = d;
            there.inverse_d[lane] = 1.0 / d;
        }
        there
    }
}
