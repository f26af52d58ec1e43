//! lnΓ(x + n) − lnΓ(x) and its derivatives at places that lie close enough for expansions to reach from one to the next: for a glance
//! they are looked up.
//!
//! Counts are small and come again and again, and so do places, whatever s and the centre are, since x is their product.

#![expect(
    clippy::inline_always,
    reason = "what is looked up is added up by kernels that are compiled for the processor"
)]

use std::cell::RefCell;
use std::sync::{Arc, Mutex, PoisonError};

use super::beyond::{Beyond, LOOKED_UP};

/// How far one place is from the next, in ln x: half of it is the longest way of an expansion.
pub(super) const SPACING: f64 = 0.5 * std::f64::consts::LN_2;

/// Places on either side of x = 1, from 2e-10 to 4e9.
const MOST_PLACES: f64 = 64.0;

/// All of them.
const PLACES: usize = 129;

/// lnΓ(x + n) − lnΓ(x) and its first four derivatives in ln x.
pub(super) type Contribution = [f64; 5];

/// What counts contribute at one place.
#[derive(Debug)]
pub(super) struct Level {
    /// By count, up to those that are looked up: 40 kB a place, of which a search needs some thirty.
    contributions: Vec<Contribution>,
    beyond: Beyond,
}

impl Level {
    /// What some counts contribute together. None of them is above `largest`, for which the level was made sure of.
    #[inline(always)]
    pub(super) fn sum(&self, counts: &[u32], largest: u32) -> Contribution {
        let mut sums = Contribution::default();
        for &count in counts {
            let terms = self.contributions[count.min(LOOKED_UP) as usize];
            sums.iter_mut().zip(terms).for_each(|(sum, term)| *sum += term);
        }
        if largest > LOOKED_UP {
            sums.iter_mut().zip(self.beyond.sum(counts)).for_each(|(sum, more)| *sum += more);
        }
        sums
    }

    /// Whether counts up to this one are looked up or beyond.
    fn is_enough_for(&self, largest: u32) -> bool {
        self.contributions.len() > largest.min(LOOKED_UP) as usize
    }
}

/// What was worked out, for all threads. It changes no result: what is remembered is what would be worked out again.
static SHARED: Mutex<Vec<Option<Arc<Level>>>> = Mutex::new(Vec::new());

thread_local! {
    /// What this thread has met of it.
    static MET: RefCell<Levels> = const { RefCell::new(Levels { met: Vec::new() }) };
}

/// The levels at all places, as far as they were met.
pub(super) struct Levels {
    met: Vec<Option<Arc<Level>>>,
}

impl Levels {
    /// Makes sure of a level for counts up to some number; says where it is, and ln x there; nothing if it is too far off.
    #[inline]
    pub(super) fn near(&mut self, ln_x: f64, largest: u32) -> Option<(usize, f64)> {
        let step = (ln_x * (1.0 / SPACING)).round_ties_even();
        // What is no number is not within either.
        let is_within = (-MOST_PLACES..=MOST_PLACES).contains(&step);
        if !is_within {
            return None;
        }
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small whole number")]
        let place = (step + MOST_PLACES) as usize;
        let is_enough = matches!(self.met.get(place), Some(Some(level)) if level.is_enough_for(largest));
        if !is_enough {
            self.meet(place, step * SPACING, largest);
        }
        Some((place, step * SPACING))
    }

    /// A level that was made sure of.
    #[inline]
    pub(super) fn at(&self, place: usize) -> &Level {
        self.met[place].as_deref().expect("it was made sure of")
    }

    #[cold]
    fn meet(&mut self, place: usize, ln_x: f64, largest: u32) {
        if self.met.is_empty() {
            self.met.resize(PLACES, None);
        }
        let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
        shared.resize(PLACES, None);
        let level = match &shared[place] {
            Some(level) if level.is_enough_for(largest) => level.clone(),
            _ => {
                let counts = (largest.min(LOOKED_UP) as usize + 1).next_power_of_two();
                let x = ln_x.exp();
                Arc::new(Level { contributions: work_out(x, counts), beyond: Beyond::new(x) })
            }
        };
        shared[place] = Some(level.clone());
        self.met[place] = Some(level);
    }
}

/// Does some work with the levels.
pub(super) fn with_levels<T>(work: impl FnOnce(&mut Levels) -> T) -> T {
    MET.with_borrow_mut(work)
}

/// What so many counts contribute at some x: each has one factor, x + n, more than the one before.
fn work_out(x: f64, counts: usize) -> Vec<Contribution> {
    let mut sums = Contribution::default();
    let next = |n: usize| {
        let contributed = sums;
        let share = x / (x + n as f64);
        let bend = share * (1.0 - share);
        let terms = [(x + n as f64).ln(), share, bend, bend * (1.0 - 2.0 * share), bend * (1.0 - 6.0 * bend)];
        sums.iter_mut().zip(terms).for_each(|(sum, term)| *sum += term);
        contributed
    };
    (0..counts).map(next).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dirichlet::{digamma_rise, ln_rising, tetragamma, trigamma_rise};

    #[test]
    fn what_is_looked_up_is_what_is_worked_out() {
        let near = |a: f64, b: f64| (a - b).abs() <= 1e-10 * (1.0 + b.abs());
        with_levels(|levels| {
            // Longer and longer lists.
            for n in [1, 9, 100, 128, 1023, 1024, 4095, 70_000] {
                for wanted in [-12.0_f64, -1.0, 0.1, 2.5, 9.0] {
                    let (place, ln_x) = levels.near(wanted, n).expect("it is not far off");
                    assert!((ln_x - wanted).abs() <= 0.5 * SPACING);
                    let (x, rows) = (ln_x.exp(), u64::from(n));
                    let found = levels.at(place).sum(&[n], n);
                    let beside =
                        |sign: f64| work_out((ln_x + sign * 1e-4).exp(), n as usize + 1)[n as usize][3];
                    let fourth = (beside(1.0) - beside(-1.0)) / 2e-4;
                    let first = x * digamma_rise(x, rows);
                    let second = x * x * trigamma_rise(x, rows);
                    let third = x * x * x * (tetragamma(x + f64::from(n)) - tetragamma(x));
                    assert!(near(found[0], ln_rising(x, rows)), "{wanted}, {n}");
                    assert!(near(found[1], first), "{wanted}, {n}");
                    assert!((found[2] - first - second).abs() < 1e-9 * (1.0 + first), "{wanted}, {n}");
                    let expected = first + 3.0 * second + third;
                    assert!((found[3] - expected).abs() < 1e-7 * (1.0 + first), "{wanted}, {n}");
                    assert!((found[4] - fourth).abs() < 1e-6 * (1.0 + first), "{wanted}, {n}");
                    assert_eq!(levels.at(place).sum(&[0], n), Contribution::default());
                }
            }
            for far in [f64::NAN, f64::INFINITY, -23.0, 40.0] {
                assert_eq!(levels.near(far, 1), None);
            }
        });
    }
}
