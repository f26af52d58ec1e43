//! lnΓ(s + n) − lnΓ(s) for the few values of s and the many small n that families ask for again and again.

use std::cell::RefCell;

use super::gamma::ln_rising;

/// Larger counts are rarely met twice.
const REMEMBERED_COUNTS: usize = 4096;

/// A grid has fewer values; with more, one is forgotten.
const REMEMBERED_VALUES: usize = 32;

thread_local! {
    /// What this thread has worked out. It changes no result: what is remembered is what would be worked out again.
    static KNOWN: RefCell<Vec<Known>> = const { RefCell::new(Vec::new()) };
}

/// What is known at one s.
#[derive(Debug)]
pub(crate) struct Known {
    s: f64,
    /// By count; not a number where it is not known.
    values: Vec<f64>,
}

impl Known {
    /// lnΓ(s + n) − lnΓ(s).
    #[inline]
    pub(crate) fn ln_rising(&mut self, n: u64) -> f64 {
        let index = usize::try_from(n).unwrap_or(usize::MAX);
        match self.values.get(index) {
            Some(value) if !value.is_nan() => *value,
            _ => self.work_out(n, index),
        }
    }

    #[inline(never)]
    fn work_out(&mut self, n: u64, index: usize) -> f64 {
        let value = ln_rising(self.s, n);
        if index < REMEMBERED_COUNTS {
            if index >= self.values.len() {
                self.values.resize((index + 1).next_power_of_two(), f64::NAN);
            }
            self.values[index] = value;
        }
        value
    }
}

/// Does some work with what is known at an s.
pub(crate) fn remembering<T>(s: f64, work: impl FnOnce(&mut Known) -> T) -> T {
    KNOWN.with_borrow_mut(|all| {
        let place = all.iter().position(|known| known.s == s).unwrap_or_else(|| {
            if all.len() == REMEMBERED_VALUES {
                all.swap_remove(0);
            }
            all.push(Known { s, values: Vec::new() });
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
        for _ in 0..2 {
            // More values of s than are remembered, and counts on both sides of what is.
            for s in (1..40).map(|step| f64::from(step) * 0.37) {
                for n in [0, 1, 7, 1000, 4095, 4096, 1_000_000_007] {
                    assert_eq!(
                        remembering(s, |known| known.ln_rising(n)),
                        ln_rising(s, n),
                        "s = {s}, n = {n}"
                    );
                }
            }
        }
    }
}
