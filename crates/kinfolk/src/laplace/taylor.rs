//! What an evaluation foresees of φ around it, to fourth order (docs/THEORY.md, E33 to E35).

#![expect(
    clippy::inline_always,
    reason = "kernels must be compiled for the processor their caller is compiled for"
)]

use crate::special::lanes::{LANES, Lanes, exp};
use crate::special::rising_sums::RisingSums;

pub(super) const SIXTH: f64 = 1.0 / 6.0;

/// Cells where the expansion puts them: the slope of φ in ln k, the bend of the data's share of it, k itself, d, the
/// curvature of −φ in k times k², and 1/d.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Expansion {
    pub(super) slope: Lanes,
    pub(super) bend: Lanes,
    pub(super) centre: Lanes,
    pub(super) d: Lanes,
    pub(super) inverse_d: Lanes,
}

impl Expansion {
    /// The cells `left` away in ln k from an evaluation.
    #[inline(always)]
    pub(super) fn new(rises: &RisingSums, centre: &Lanes, left: &Lanes, alpha0: &Lanes) -> Self {
        let mut there = Self::default();
        for lane in 0..LANES {
            let (alpha0, left) = (alpha0[lane], left[lane]);
            let (second, third, fourth) = (rises.second[lane], rises.third[lane], rises.fourth[lane]);
            let slope = rises.first[lane] + left * (second + left * (0.5 * third + left * (SIXTH * fourth)));
            let bend = second + left * (third + left * (0.5 * fourth));
            // No cell has less than its prior; half of it keeps a wild expansion in check.
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
