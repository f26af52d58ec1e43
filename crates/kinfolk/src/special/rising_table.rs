//! lnΓ(s + n) − lnΓ(s) and its derivatives for the few values of s and the many small n that families ask for again and again.

#![expect(
    clippy::inline_always,
    reason = "what is looked up is added up by kernels that are compiled for the processor"
)]

use std::cell::RefCell;
use std::ops::Range;

use super::gamma::{
    ASYMPTOTIC_FROM, HALF_LN_TWO_PI, digamma_rise, ln_gamma, ln_rising, stirling_remainder, tetragamma,
    trigamma_rise,
};
use super::lanes::{LANES, Lanes, dispatched, ln};

/// Counts below this are remembered; larger ones are rarely met twice, and are soon worked out.
const REMEMBERED_COUNTS: usize = 1024;

/// Fewer are with grids so long that there would be more values than this, half a megabyte, and as many times four for derivatives if they
/// are asked for.
const REMEMBERED_VALUES: usize = 1 << 16;

/// With more grids one is forgotten.
const REMEMBERED_GRIDS: usize = 8;

/// Where s is larger than this, differences of logarithms lose too many digits: up to here no more than 1e-11 nats.
const LARGEST_S: f64 = 1e4;

thread_local! {
    /// What this thread has worked out. It changes no result: what is remembered is what would be worked out again.
    static TABLES: RefCell<Vec<RisingTable>> = const { RefCell::new(Vec::new()) };
}

/// What is known at the values of s of one grid.
#[derive(Debug)]
pub(crate) struct RisingTable {
    grid: Vec<f64>,
    /// How many counts are remembered.
    counts: usize,
    /// By count, one value for each s; not a number where it is not known.
    values: Vec<f64>,
    /// At each s the first three derivatives in ln s and nothing, by count; not a number where they are not known.
    slopes: Vec<Vec<Lanes>>,
    /// ln s, and lnΓ(s) − [(s − ½) ln s − s].
    ln_grid: Vec<f64>,
    remainders: Vec<f64>,
    /// The values of a count that is too large to be remembered.
    large: Vec<f64>,
}

impl RisingTable {
    fn new(grid: &[f64]) -> Self {
        Self {
            grid: grid.to_vec(),
            counts: REMEMBERED_COUNTS.min(REMEMBERED_VALUES / grid.len()),
            values: Vec::new(),
            slopes: vec![Vec::new(); grid.len()],
            ln_grid: grid.iter().map(|s| s.ln()).collect(),
            remainders: grid.iter().map(|&s| beside_main_part(s)).collect(),
            large: Vec::new(),
        }
    }

    /// lnΓ(s + n) − lnΓ(s) at every s of the grid.
    #[inline(always)]
    pub(crate) fn ln_risings(&mut self, n: u64) -> &[f64] {
        let size = self.grid.len();
        let place = usize::try_from(n).ok().filter(|&n| n < self.counts);
        let Some(place) = place.map(|n| n * size..(n + 1) * size) else {
            return self.of_large(n);
        };
        if self.values.get(place.start).is_none_or(|value| value.is_nan()) {
            self.work_out(n, place.clone());
        }
        &self.values[place]
    }

    /// The first three derivatives in ln s at one s of the grid, and nothing.
    #[inline]
    pub(crate) fn slopes(&mut self, n: u64, grid_point: usize) -> Lanes {
        match usize::try_from(n).ok().and_then(|n| self.slopes[grid_point].get(n)) {
            Some(slopes) if !slopes[0].is_nan() => *slopes,
            _ => self.work_slopes_out(n, grid_point),
        }
    }

    #[inline(never)]
    fn work_slopes_out(&mut self, n: u64, grid_point: usize) -> Lanes {
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
    fn of_large(&mut self, n: u64) -> &[f64] {
        self.large.resize(self.grid.len(), 0.0);
        let is_soon_worked_out = n >= REMEMBERED_COUNTS as u64;
        if is_soon_worked_out {
            large_risings((&self.grid, &self.ln_grid, &self.remainders), n as f64, &mut self.large);
        }
        for (value, &s) in self.large.iter_mut().zip(&self.grid) {
            if !is_soon_worked_out || s > LARGEST_S {
                *value = ln_rising(s, n);
            }
        }
        &self.large
    }

    #[inline(never)]
    fn work_out(&mut self, n: u64, place: Range<usize>) {
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
fn beside_main_part(s: f64) -> f64 {
    if s < ASYMPTOTIC_FROM {
        return ln_gamma(s) - ((s - 0.5) * s.ln() - s);
    }
    HALF_LN_TWO_PI + stirling_remainder(s)
}

dispatched! {
    /// lnΓ(s + n) − lnΓ(s) of a large n at every s, given ln s and what lnΓ(s) has beside its main part.
    large_risings, large_risings_body, large_risings_avx2, (grid: (&[f64], &[f64], &[f64]), n: f64, values: &mut [f64])
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

/// The first three derivatives of lnΓ(s + n) − lnΓ(s) in ln s, and nothing, so that they are as many as a wide register has room for.
fn derivatives(s: f64, n: u64) -> Lanes {
    let first = s * digamma_rise(s, n);
    let second = s * s * trigamma_rise(s, n);
    let third = s * s * s * (tetragamma(s + n as f64) - tetragamma(s));
    [first, first + second, first + 3.0 * second + third, 0.0]
}

/// Does some work with what is known at a grid of s, which has at least one.
pub(crate) fn with_rising_table<T>(grid: &[f64], work: impl FnOnce(&mut RisingTable) -> T) -> T {
    TABLES.with_borrow_mut(|all| {
        let place = all.iter().position(|known| known.grid == grid).unwrap_or_else(|| {
            if all.len() == REMEMBERED_GRIDS {
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

    #[test]
    fn what_is_remembered_is_what_would_be_worked_out() {
        // More grids than are remembered, and counts on both sides of what is.
        for grid in (1..20).map(|step| [f64::from(step) * 0.37, 1.0, 1e4]) {
            for _ in 0..2 {
                for n in [0, 1, 7, 300, 1023] {
                    let expected = grid.map(|s| ln_rising(s, n));
                    let of_one = with_rising_table(&grid[..1], |known| known.ln_risings(n)[0]);
                    assert_eq!(of_one, expected[0], "n = {n}");
                    assert_eq!(
                        with_rising_table(&grid, |known| known.ln_risings(n).to_vec()),
                        expected,
                        "n = {n}"
                    );
                    for n in [n, n + 1024, n + 1_000_000_007] {
                        assert_eq!(
                            with_rising_table(&grid, |known| known.slopes(n, 0)),
                            derivatives(grid[0], n),
                            "n = {n}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn large_counts_have_the_values_of_any_other_way() {
        // More grid points than have room for all small counts, some of them far off.
        let grid: Vec<f64> = (0..200).map(|step| 10_f64.powf(f64::from(step) / 13.0 - 4.0)).collect();
        for n in [327, 328, 1023, 1024, 4096, 10_001, 65_536, 1_000_000_007] {
            let found = with_rising_table(&grid, |known| known.ln_risings(n).to_vec());
            for (&s, found) in grid.iter().zip(found) {
                let exact = ln_rising(s, n);
                assert!(
                    (found - exact).abs() < 1e-11 + 1e-15 * exact.abs(),
                    "s = {s}, n = {n}: {found} not {exact}"
                );
            }
            let mut wide = vec![0.0; grid.len()];
            let mut plain = wide.clone();
            with_rising_table(&grid, |known| {
                let points = (&*known.grid, &*known.ln_grid, &*known.remainders);
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
