//! A table by count n of lnΓ(s + n) − lnΓ(s) at every s of a grid, and of its first three derivatives in ln s.
//!
//! The same small row counts occur in most families. Entries are computed when first needed, so that a table changes no
//! result; larger counts are computed by Stirling's series.

#![expect(
    clippy::inline_always,
    reason = "kernels must be compiled for the processor their caller is compiled for"
)]

use std::cell::RefCell;
use std::ops::Range;

use multiversion::multiversion;

use super::gamma::{
    ASYMPTOTIC_FROM, HALF_LN_TWO_PI, digamma_rise, ln_gamma, ln_rising, stirling_remainder, tetragamma,
    trigamma_rise,
};
use super::lanes::{LANES, Lanes, ln};

/// Counts below this have an entry. Larger ones rarely repeat, and the first terms of Stirling's series suffice for
/// them.
const TABLE_COUNTS: usize = 1024;

/// The largest number of values in a table, half a megabyte; the derivatives take up to four times as much. Long grids
/// have entries for fewer counts.
const TABLE_VALUES: usize = 1 << 16;

/// The largest number of tables per thread; the oldest is dropped.
const MOST_TABLES: usize = 8;

/// Up to this s the vectorised series loses at most 1e-11 nats to cancellation.
const LARGEST_S: f64 = 1e4;

thread_local! {
    /// This thread's tables, one per grid.
    static TABLES: RefCell<Vec<RisingTable>> = const { RefCell::new(Vec::new()) };
}

/// The table of one grid.
#[derive(Debug)]
pub(crate) struct RisingTable {
    grid: Vec<f64>,
    /// The number of counts with an entry.
    counts: usize,
    /// By count, then s; NaN where not yet computed.
    values: Vec<f64>,
    /// By s, then count: the first three derivatives in ln s and a padding zero; NaN where not yet computed.
    slopes: Vec<Vec<Lanes>>,
    /// ln s, and lnΓ(s) − [(s − ½) ln s − s].
    ln_grid: Vec<f64>,
    remainders: Vec<f64>,
    /// The values of the last count that has no entry.
    large: Vec<f64>,
}

impl RisingTable {
    fn new(grid: &[f64]) -> Self {
        Self {
            grid: grid.to_vec(),
            counts: TABLE_COUNTS.min(TABLE_VALUES / grid.len()),
            values: Vec::new(),
            slopes: vec![Vec::new(); grid.len()],
            ln_grid: grid.iter().map(|s| s.ln()).collect(),
            remainders: grid.iter().map(|&s| ln_gamma_less_main_part(s)).collect(),
            large: Vec::new(),
        }
    }

    /// lnΓ(s + n) − lnΓ(s) at every s of the grid.
    #[inline(always)]
    pub(crate) fn ln_risings(&mut self, n: u64) -> &[f64] {
        let size = self.grid.len();
        let place = usize::try_from(n).ok().filter(|&n| n < self.counts);
        let Some(place) = place.map(|n| n * size..(n + 1) * size) else {
            return self.without_entry(n);
        };
        if self.values.get(place.start).is_none_or(|value| value.is_nan()) {
            self.compute(n, place.clone());
        }
        &self.values[place]
    }

    /// The first three derivatives in ln s at one s of the grid, and a padding zero.
    #[inline]
    pub(crate) fn slopes(&mut self, n: u64, grid_point: usize) -> Lanes {
        match usize::try_from(n).ok().and_then(|n| self.slopes[grid_point].get(n)) {
            Some(slopes) if !slopes[0].is_nan() => *slopes,
            _ => self.compute_slopes(n, grid_point),
        }
    }

    #[inline(never)]
    fn compute_slopes(&mut self, n: u64, grid_point: usize) -> Lanes {
        let s = self.grid[grid_point];
        let slopes = derivatives(s, n);
        if let Some(place) = usize::try_from(n).ok().filter(|&n| n < self.counts) {
            let known = &mut self.slopes[grid_point];
            if place >= known.len() {
                known.resize((place + 1).next_power_of_two().min(self.counts), [f64::NAN; LANES]);
            }
            known[place] = slopes;
        }
        slopes
    }

    #[inline(never)]
    fn without_entry(&mut self, n: u64) -> &[f64] {
        self.large.resize(self.grid.len(), 0.0);
        let is_large = n >= TABLE_COUNTS as u64;
        if is_large {
            large_risings((&self.grid, &self.ln_grid, &self.remainders), n as f64, &mut self.large);
        }
        for (value, &s) in self.large.iter_mut().zip(&self.grid) {
            if !is_large || s > LARGEST_S {
                *value = ln_rising(s, n);
            }
        }
        &self.large
    }

    #[inline(never)]
    fn compute(&mut self, n: u64, place: Range<usize>) {
        if place.end > self.values.len() {
            let most = self.counts * self.grid.len();
            self.values.resize(place.end.next_power_of_two().min(most), f64::NAN);
        }
        for (value, &s) in self.values[place].iter_mut().zip(&self.grid) {
            *value = ln_rising(s, n);
        }
    }
}

/// lnΓ(s) − [(s − ½) ln s − s].
fn ln_gamma_less_main_part(s: f64) -> f64 {
    if s < ASYMPTOTIC_FROM {
        return ln_gamma(s) - ((s - 0.5) * s.ln() - s);
    }
    HALF_LN_TWO_PI + stirling_remainder(s)
}

/// lnΓ(s + n) − lnΓ(s) of a large n at every s, given ln s and lnΓ(s) − [(s − ½) ln s − s].
#[multiversion(targets("x86_64+avx2"))]
fn large_risings(grid: (&[f64], &[f64], &[f64]), n: f64, values: &mut [f64]) {
    large_risings_body(grid, n, values);
}

#[inline(always)]
fn large_risings_body((grid, ln_grid, remainders): (&[f64], &[f64], &[f64]), n: f64, values: &mut [f64]) {
    for (((value, &s), &ln_s), &remainder) in values.iter_mut().zip(grid).zip(ln_grid).zip(remainders) {
        let top = s + n;
        let (ln_top, inverse) = (ln(top), 1.0 / top);
        let of_top = HALF_LN_TWO_PI + inverse * (1.0 / 12.0 - inverse * inverse / 360.0);
        *value = (s - 0.5) * (ln_top - ln_s) + n * (ln_top - 1.0) + (of_top - remainder);
    }
}

/// The first three derivatives of lnΓ(s + n) − lnΓ(s) in ln s, padded to a wide register.
fn derivatives(s: f64, n: u64) -> Lanes {
    let first = s * digamma_rise(s, n);
    let second = s * s * trigamma_rise(s, n);
    let third = s * s * s * (tetragamma(s + n as f64) - tetragamma(s));
    [first, first + second, first + 3.0 * second + third, 0.0]
}

/// Calls `work` with this thread's table of a non-empty grid.
pub(crate) fn with_rising_table<T>(grid: &[f64], work: impl FnOnce(&mut RisingTable) -> T) -> T {
    TABLES.with_borrow_mut(|all| {
        let place = all.iter().position(|table| table.grid == grid).unwrap_or_else(|| {
            if all.len() == MOST_TABLES {
                all.remove(0);
            }
            all.push(RisingTable::new(grid));
            all.len() - 1
        });
        work(&mut all[place])
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counts::note_unless_avx2;

    #[test]
    fn entries_equal_values_computed_without_a_table() {
        // More grids than tables, and counts with and without an entry.
        for grid in (1..20).map(|step| [f64::from(step) * 0.37, 1.0, 1e4]) {
            for _ in 0..2 {
                for n in [0, 1, 7, 300, 1023] {
                    let expected = grid.map(|s| ln_rising(s, n));
                    let of_one = with_rising_table(&grid[..1], |table| table.ln_risings(n)[0]);
                    assert_eq!(of_one, expected[0], "n = {n}");
                    assert_eq!(
                        with_rising_table(&grid, |table| table.ln_risings(n).to_vec()),
                        expected,
                        "n = {n}"
                    );
                    for n in [n, n + 1024, n + 1_000_000_007] {
                        assert_eq!(
                            with_rising_table(&grid, |table| table.slopes(n, 0)),
                            derivatives(grid[0], n),
                            "n = {n}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn large_counts_agree_with_ln_rising() {
        note_unless_avx2("large_counts_agree_with_ln_rising");
        // A grid so long that small counts have no entry, with extreme values of s.
        let grid: Vec<f64> = (0..200).map(|step| 10_f64.powf(f64::from(step) / 13.0 - 4.0)).collect();
        for n in [327, 328, 1023, 1024, 4096, 10_001, 65_536, 1_000_000_007] {
            let found = with_rising_table(&grid, |table| table.ln_risings(n).to_vec());
            for (&s, found) in grid.iter().zip(found) {
                let exact = ln_rising(s, n);
                assert!(
                    (found - exact).abs() < 1e-11 + 1e-15 * exact.abs(),
                    "s = {s}, n = {n}: {found} not {exact}"
                );
            }
            let mut wide = vec![0.0; grid.len()];
            let mut plain = wide.clone();
            with_rising_table(&grid, |table| {
                let points = (&*table.grid, &*table.ln_grid, &*table.remainders);
                large_risings(points, n as f64, &mut wide);
                large_risings_body(points, n as f64, &mut plain);
            });
            assert!(
                wide.iter().zip(&plain).all(|(wide, plain)| wide.to_bits() == plain.to_bits()),
                "n = {n}"
            );
        }
    }

    #[test]
    fn derivatives_are_those_of_finite_differences() {
        for (s, n) in [(0.1, 3), (2.0, 40), (50.0, 7), (1000.0, 500)] {
            let step: f64 = 1e-3;
            let beside = |sign: f64| s * (sign * step).exp();
            let [first, second, third, _] = derivatives(s, n);
            let slope = (ln_rising(beside(1.0), n) - ln_rising(beside(-1.0), n)) / (2.0 * step);
            assert!((first / slope - 1.0).abs() < 1e-5, "s = {s}, n = {n}");
            let (above, below) = (derivatives(beside(1.0), n), derivatives(beside(-1.0), n));
            assert!(((above[0] - below[0]) / (2.0 * step) - second).abs() < 1e-5 * first);
            assert!(((above[1] - below[1]) / (2.0 * step) - third).abs() < 1e-5 * first);
        }
    }
}
