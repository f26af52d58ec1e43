//! lnΓ(s + n) − lnΓ(s) and its derivatives for the few values of s and the many small n that families ask for again and again.

#![expect(
    clippy::inline_always,
    reason = "what is looked up is added up by kernels that are compiled for the processor"
)]

use std::cell::RefCell;
use std::ops::Range;

use super::columns::{LANES, Lanes};
use super::gamma::{digamma_rise, ln_rising, tetragamma, trigamma_rise};

/// Values remembered of one grid, half a megabyte, and as many times four for derivatives if they are asked for: those of small counts, since large ones are rarely met twice.
const REMEMBERED_VALUES: usize = 1 << 16;

/// With more grids one is forgotten.
const REMEMBERED_GRIDS: usize = 8;

thread_local! {
    /// What this thread has worked out. It changes no result: what is remembered is what would be worked out again.
    static KNOWN: RefCell<Vec<Known>> = const { RefCell::new(Vec::new()) };
}

/// What is known at the values of s of one grid.
#[derive(Debug)]
pub(crate) struct Known {
    grid: Vec<f64>,
    /// By count, one value for each s; not a number where it is not known.
    values: Vec<f64>,
    /// Their first three derivatives in ln s and nothing, at each s by count; not a number where they are not known.
    slopes: Vec<Vec<Lanes>>,
    /// Those of a count that is too large to be remembered.
    large: Vec<f64>,
}

impl Known {
    fn new(grid: &[f64]) -> Self {
        let slopes = vec![Vec::new(); grid.len()];
        Self { grid: grid.to_vec(), values: Vec::new(), slopes, large: Vec::new() }
    }

    /// lnΓ(s + n) − lnΓ(s) at every s of the grid.
    #[inline(always)]
    pub(crate) fn ln_risings(&mut self, n: u64) -> &[f64] {
        let size = self.grid.len();
        let place = usize::try_from(n).ok().filter(|&n| n < REMEMBERED_VALUES / size);
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
        let most = REMEMBERED_VALUES / self.grid.len();
        if let Some(place) = usize::try_from(n).ok().filter(|&n| n < most) {
            let known = &mut self.slopes[grid_point];
            if place >= known.len() {
                known.resize((place + 1).next_power_of_two().min(most), [f64::NAN; LANES]);
            }
            known[place] = slopes;
        }
        slopes
    }

    #[inline(never)]
    fn of_large(&mut self, n: u64) -> &[f64] {
        self.large.clear();
        self.large.extend(self.grid.iter().map(|&s| ln_rising(s, n)));
        &self.large
    }

    #[inline(never)]
    fn work_out(&mut self, n: u64, place: Range<usize>) {
        if place.end > self.values.len() {
            self.values.resize(place.end.next_power_of_two().min(REMEMBERED_VALUES), f64::NAN);
        }
        for (value, &s) in self.values[place].iter_mut().zip(&self.grid) {
            *value = ln_rising(s, n);
        }
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
pub(crate) fn remembering<T>(grid: &[f64], work: impl FnOnce(&mut Known) -> T) -> T {
    KNOWN.with_borrow_mut(|all| {
        let place = all.iter().position(|known| known.grid == grid).unwrap_or_else(|| {
            if all.len() == REMEMBERED_GRIDS {
                all.remove(0);
            }
            all.push(Known::new(grid));
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
                for n in [0, 1, 7, 1000, 21_844, 21_845, 21_846, 65_535, 65_536, 1_000_000_007] {
                    let expected = grid.map(|s| ln_rising(s, n));
                    let of_one = remembering(&grid[..1], |known| known.ln_risings(n)[0]);
                    assert_eq!(of_one, expected[0], "n = {n}");
                    assert_eq!(remembering(&grid, |known| known.ln_risings(n).to_vec()), expected, "n = {n}");
                    assert_eq!(
                        remembering(&grid, |known| known.slopes(n, 0)),
                        derivatives(grid[0], n),
                        "n = {n}"
                    );
                }
            }
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
