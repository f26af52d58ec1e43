//! lnΓ(x + n) − lnΓ(x) and its derivatives for counts beyond those that are looked up: by the first terms of Stirling's series, which is all
//! that large arguments need.

#![expect(
    clippy::inline_always,
    reason = "kernels must be compiled for the processor their caller is compiled for"
)]

use super::columns::{LANES, Lanes, ln};
use super::levels::Contribution;

/// Counts up to this are looked up: with half as many, data sets of 1,000 rows took a fifth longer. From here on the
/// series leave out less than 1e-10 of what they say, of the fourth derivative less than 1e-6.
pub(super) const LOOKED_UP: u32 = 1023;

/// What counts beyond those that are looked up contribute at some x, in addition to the largest one that is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Beyond {
    x: f64,
    /// At the largest count that is looked up.
    from: Terms<f64>,
}

/// What the series are made of at some y: (y − ½) ln y − y, ln y, and the first four powers of 1/y.
#[derive(Debug, Clone, Copy, Default)]
struct Terms<T> {
    main: T,
    ln: T,
    powers: [T; 4],
}

impl Terms<f64> {
    #[inline(always)]
    fn at(y: f64) -> Self {
        let (ln, inverse) = (ln(y), 1.0 / y);
        let square = inverse * inverse;
        Self { main: (y - 0.5) * ln - y, ln, powers: [inverse, square, square * inverse, square * square] }
    }
}

impl Beyond {
    pub(super) fn new(x: f64) -> Self {
        Self { x, from: Terms::at(x + f64::from(LOOKED_UP)) }
    }

    /// What some counts add to that of the largest one that is looked up, together; those that are looked up add nothing.
    #[inline(always)]
    pub(super) fn sum(&self, counts: &[u32]) -> Contribution {
        let mut sums = Terms::<Lanes>::default();
        let (fours, rest) = counts.as_chunks::<LANES>();
        for four in fours {
            self.add(&mut sums, four);
        }
        if !rest.is_empty() {
            let mut four = [0; LANES];
            four[..rest.len()].copy_from_slice(rest);
            self.add(&mut sums, &four);
        }
        self.contributed(&sums)
    }

    #[inline(always)]
    fn add(&self, sums: &mut Terms<Lanes>, counts: &[u32; LANES]) {
        let from = self.from;
        for (lane, &count) in counts.iter().enumerate() {
            let at = Terms::at(self.x + f64::from(count.max(LOOKED_UP)));
            sums.main[lane] += at.main - from.main;
            sums.ln[lane] += at.ln - from.ln;
            for power in 0..from.powers.len() {
                sums.powers[power][lane] += at.powers[power] - from.powers[power];
            }
        }
    }

    /// The series (Abramowitz & Stegun 6.1.40, 6.3.18, 6.4.12–14), and from derivatives in x to those in ln x.
    #[inline(always)]
    fn contributed(&self, sums: &Terms<Lanes>) -> Contribution {
        let sum = |lanes: &Lanes| lanes.iter().sum::<f64>();
        let [q1, q2, q3, q4] = [0, 1, 2, 3].map(|power| sum(&sums.powers[power]));
        let x = self.x;
        let digamma = x * (sum(&sums.ln) - 0.5 * q1 - q2 / 12.0);
        let trigamma = x * x * (q1 + 0.5 * q2 + q3 / 6.0);
        let tetragamma = x * x * x * (-q2 - q3 - 0.5 * q4);
        let pentagamma = x * x * x * x * (2.0 * q3 + 3.0 * q4);
        [
            sum(&sums.main) + q1 / 12.0,
            digamma,
            digamma + trigamma,
            digamma + 3.0 * trigamma + tetragamma,
            digamma + 7.0 * trigamma + 6.0 * tetragamma + pentagamma,
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dirichlet::{digamma_rise, ln_rising, tetragamma, trigamma_rise};

    #[test]
    fn series_say_what_is_worked_out_exactly() {
        for x in [1e-6, 0.3, 1.0, 20.0, 700.0, 1e4, 1e7] {
            let beyond = Beyond::new(x);
            let top = x + f64::from(LOOKED_UP);
            assert_eq!(beyond.sum(&[0, 5, LOOKED_UP, 1, 1, 1]), [0.0; 5]);
            for n in [LOOKED_UP + 1, 2000, 4097, 100_000, 5_000_000] {
                let rows = u64::from(n - LOOKED_UP);
                let first = x * digamma_rise(top, rows);
                let second = x * x * trigamma_rise(top, rows);
                let third = x * x * x * (tetragamma(top + rows as f64) - tetragamma(top));
                let expected = [ln_rising(top, rows), first, first + second, first + 3.0 * second + third];
                let found = beyond.sum(&[n]);
                // Beside the largest of the terms that are added, and what they are differences of.
                let size = 1.0 + ln_rising(top, rows).abs() + 1e-4 * (top + rows as f64) * top.ln();
                for (found, expected) in found.iter().zip(expected) {
                    assert!((found - expected).abs() < 1e-10 * size, "{x}, {n}: {found} not {expected}");
                }
                let beside = |sign: f64| {
                    let x = x * (sign * 1e-3).exp();
                    Beyond::new(x).sum(&[n])[3]
                };
                let fourth = (beside(1.0) - beside(-1.0)) / 2e-3;
                assert!((found[4] - fourth).abs() < 1e-4 * (1.0 + first), "{x}, {n}: {} {fourth}", found[4]);
            }
            // Many at once are as many one after the other.
            let together = beyond.sum(&[2000, 7, 3000, 4000, 1, 2000]);
            for (order, together) in together.iter().enumerate() {
                let single: f64 = [2000, 3000, 4000, 2000].iter().map(|&n| beyond.sum(&[n])[order]).sum();
                assert!((together - single).abs() < 1e-10 * (1.0 + single.abs() + x), "{x}, {order}");
            }
        }
    }
}
