//! Rising factorials at the even prior of a table, and how they go on from there: what BHD's ceiling is made of (docs/THEORY.md, E50).
//!
//! Tables of one shape come again and again, and so do small counts, so that what they contribute is looked up. Cells of one shape have the α
//! that configurations of another have, and all threads ask for the same, so that such lists are shared.

#![expect(
    clippy::inline_always,
    reason = "kernels must be compiled for the processor their caller is compiled for"
)]

use std::cell::RefCell;
use std::sync::{Arc, Mutex, PoisonError};

use crate::special::lanes::ln_gammas;
use crate::special::{digamma, digamma_rise, ln_gamma, ln_rising};

/// The most counts with an entry, a quarter of a megabyte; larger ones are rarely met twice.
const MOST_ENTRIES: usize = 1 << 14;

/// With more lists the first is forgotten, as far as nobody needs it; as many are there of binary families with up to 30 parents.
const REMEMBERED_LISTS: usize = 32;

/// With more shapes one is forgotten.
const REMEMBERED_SHAPES: usize = 16;

/// What was worked out. It changes no result: what is remembered is what would be worked out again.
static LISTS: Mutex<Vec<Arc<Tangents>>> = Mutex::new(Vec::new());

thread_local! {
    /// The shapes that this thread has met.
    static KNOWN: RefCell<Known> = const { RefCell::new(Known { shapes: Vec::new(), last: 0 }) };
}

/// Shapes, and which of them was met last: mostly that comes again.
struct Known {
    shapes: Vec<Even>,
    last: usize,
}

/// Where what a count contributes at some α has lnΓ(α + n) − lnΓ(α).
const VALUE: usize = 0;

/// Where it has the derivative of that in α less that of ln α, which is the first factor's: ψ(α + n) − ψ(α + 1).
const SLOPE: usize = 1;

/// What counts contribute at one α.
#[derive(Debug)]
pub(super) struct Tangents {
    pub(super) alpha: f64,
    pub(super) ln_alpha: f64,
    /// Value and slope by count.
    entries: Vec<[f64; 2]>,
    /// Whether all counts for which they were made have one.
    has_all: bool,
}

/// The prior that spreads s evenly over the cells of a table.
#[derive(Debug)]
pub(super) struct Even {
    s: f64,
    configurations: usize,
    states: usize,
    /// At what each cell has, and each configuration.
    pub(super) cell: Arc<Tangents>,
    pub(super) configuration: Arc<Tangents>,
    /// What the product of all 1 + α/i of a configuration is below its tangent at most.
    pub(super) below: Below,
}

/// What a concave function of α is below its tangent at α₀ at most, for α from 0 to s, in two forms.
#[derive(Debug)]
pub(super) struct Below {
    /// This times α/α₀ − 1 − ln(α/α₀).
    pub(super) by_logarithm: f64,
    /// A line between what it is at 0 and at s.
    pub(super) at_none: f64,
    pub(super) slope: f64,
}

impl Tangents {
    /// Those at some α for counts up to the largest, as far as there is room.
    fn shared(alpha: f64, largest: u64) -> Arc<Self> {
        let lists = || LISTS.lock().unwrap_or_else(PoisonError::into_inner);
        let is_enough = |list: &&Arc<Self>| list.alpha == alpha && list.reaches(largest);
        if let Some(list) = lists().iter().find(is_enough) {
            return list.clone();
        }
        // Others need not wait for it; who works out the same at the same time does no harm.
        let list = Arc::new(Self::new(alpha, largest));
        let mut lists = lists();
        lists.retain(|other| other.alpha != alpha);
        if lists.len() == REMEMBERED_LISTS {
            lists.remove(0);
        }
        lists.push(list.clone());
        list
    }

    fn new(alpha: f64, largest: u64) -> Self {
        let has_all = place(largest) < MOST_ENTRIES;
        let arguments: Vec<f64> = (0..MOST_ENTRIES.min(place(largest).saturating_add(1)))
            .map(|count| alpha + count as f64)
            .collect();
        let mut values = vec![0.0; arguments.len()];
        ln_gammas(&arguments, &mut values);
        let own = values[0];
        // One more reciprocal for each count: of so many small ones the sum is off by much less than ceilings have room for.
        let mut slope = 0.0;
        let entry = |(argument, value): (&f64, f64)| {
            let is_seen = *argument > alpha;
            // What is next adds the reciprocal of this one, but for that of α itself.
            let entry = [value - own, slope];
            slope += if is_seen { 1.0 / argument } else { 0.0 };
            entry
        };
        let entries = arguments.iter().zip(values).map(entry).collect();
        Self { alpha, ln_alpha: alpha.ln(), entries, has_all }
    }

    /// Whether all counts up to the largest have an entry, as far as there is room.
    fn reaches(&self, largest: u64) -> bool {
        // A list without room for all is as long as any.
        !self.has_all || place(largest) < self.entries.len()
    }

    /// What some counts contribute together.
    #[inline(always)]
    pub(super) fn sum(&self, counts: impl Iterator<Item = u64>) -> Sum {
        let mut sum = Sum::default();
        if self.has_all {
            counts.for_each(|count| self.add(count, &mut sum));
        } else {
            self.add_any(counts, &mut sum);
        }
        sum
    }

    /// Whether no count up to the largest for which this was made has to be worked out.
    pub(super) fn has_all(&self) -> bool {
        self.has_all
    }

    /// Adds what a count contributes, which must have an entry.
    #[inline(always)]
    pub(super) fn add(&self, count: u64, sum: &mut Sum) {
        sum.add(self.entries[place(count)], count);
    }

    /// Adds what counts contribute, some of which may have no entry.
    #[cold]
    fn add_any(&self, counts: impl Iterator<Item = u64>, sum: &mut Sum) {
        for count in counts {
            let entry = self.entries.get(place(count)).copied();
            sum.add(entry.unwrap_or_else(|| self.work_out(count)), count);
        }
    }

    fn work_out(&self, n: u64) -> [f64; 2] {
        [ln_rising(self.alpha, n), digamma_rise(1.0 + self.alpha, n - 1)]
    }
}

/// What some counts contribute together.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Sum {
    terms: [f64; 2],
    /// How many of them are not zero.
    pub(super) seen: u32,
}

impl Sum {
    #[inline(always)]
    fn add(&mut self, entry: [f64; 2], count: u64) {
        self.terms.iter_mut().zip(entry).for_each(|(sum, term)| *sum += term);
        self.seen += u32::from(count > 0);
    }

    /// Σ lnΓ(α + n) − lnΓ(α).
    #[inline(always)]
    pub(super) fn value(self) -> f64 {
        self.terms[VALUE]
    }

    /// Its derivative in α less that of ln α for each that is not zero.
    #[inline(always)]
    pub(super) fn slope(self) -> f64 {
        self.terms[SLOPE]
    }
}

/// A count as a place among entries; if it is none anywhere, the last one there can be.
#[inline(always)]
fn place(count: u64) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}

impl Even {
    fn new(s: f64, (configurations, states): (usize, usize), largest: u64) -> Self {
        let alpha = s / configurations as f64;
        let slope = digamma(1.0 + alpha);
        // Of lnΓ(1 + α), since the sum of all ln(1 + α/i) − α/i is that but for its sign and a multiple of α.
        let below =
            |other: f64| (ln_gamma(1.0 + other) - ln_gamma(1.0 + alpha) - slope * (other - alpha)).max(0.0);
        let (at_none, at_all, share) = (below(0.0), below(s), s / alpha);
        Self {
            s,
            configurations,
            states,
            cell: Tangents::shared(alpha / states as f64, largest),
            configuration: Tangents::shared(alpha, largest),
            below: Below {
                // A single configuration has all of s.
                by_logarithm: if configurations == 1 { 0.0 } else { at_all / (share - 1.0 - share.ln()) },
                at_none,
                slope: (at_all - at_none) / s,
            },
        }
    }

    /// Whether what was worked out is enough for counts up to the largest.
    fn reaches(&self, largest: u64) -> bool {
        self.cell.reaches(largest) && self.configuration.reaches(largest)
    }
}

/// Does some work with the even prior of a table in which no count is above the largest.
pub(super) fn with_even<T>(
    s: f64,
    (configurations, states): (usize, usize),
    largest: u64,
    work: impl FnOnce(&Even) -> T,
) -> T {
    KNOWN.with_borrow_mut(|Known { shapes, last }| {
        let is_it =
            |even: &Even| even.s == s && even.configurations == configurations && even.states == states;
        if !shapes.get(*last).is_some_and(|even| is_it(even) && even.reaches(largest)) {
            *last = match shapes.iter().position(is_it) {
                Some(place) if shapes[place].reaches(largest) => place,
                other => {
                    if other.is_some() || shapes.len() == REMEMBERED_SHAPES {
                        shapes.remove(other.unwrap_or(0));
                    }
                    shapes.push(Even::new(s, (configurations, states), largest));
                    shapes.len() - 1
                }
            };
        }
        work(&shapes[*last])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_looked_up_is_what_is_worked_out() {
        for (s, shape) in [(1.0, (2, 2)), (1e-9, (4, 3)), (60.0, (1, 5)), (0.3, (1024, 2))] {
            // In one go, and a few more at a time.
            for largest in [3, 40, 900, 16_383, u64::MAX] {
                with_even(s, shape, largest, |even| {
                    for tangents in [&even.cell, &even.configuration] {
                        let some = (1..2000).chain([16_383, 16_384, 1_000_000_007]);
                        for n in some.filter(|&n| n <= largest) {
                            let (known, expected) = (tangents.sum([n].into_iter()), tangents.work_out(n));
                            assert_eq!(known.seen, 1);
                            // Well within what a ceiling has room for; lnΓ(60) is 187.
                            let room = 5e-14 * (1.0 + n as f64 * (n as f64).ln());
                            for (known, expected) in known.terms.iter().zip(expected) {
                                assert!((known - expected).abs() < room, "{s}, {shape:?}, {n}");
                            }
                        }
                        assert_eq!(tangents.sum([0, 0].into_iter()), Sum::default());
                    }
                });
            }
        }
    }

    #[test]
    fn no_product_is_further_below_its_tangent_than_is_made_up_for() {
        let product = |alpha: f64, n: u64| ln_rising(alpha, n) - alpha.ln() - ln_gamma(n as f64);
        for (s, configurations) in [(1.0, 2), (1.0, 4), (1.0, 64), (0.1, 2), (7.0, 8), (60.0, 2)] {
            with_even(s, (configurations, 2), 1, |even| {
                let at = even.configuration.alpha;
                for n in [1, 2, 3, 10, 1000] {
                    let slope = even.configuration.work_out(n)[SLOPE];
                    for step in 1..=200 {
                        let alpha = s * f64::from(step) / 200.0;
                        let below = product(at, n) + slope * (alpha - at) - product(alpha, n);
                        let ratio = alpha / at;
                        let by_logarithm = even.below.by_logarithm * (ratio - 1.0 - ratio.ln());
                        let by_chord = even.below.at_none + even.below.slope * alpha;
                        assert!(below <= by_logarithm + 1e-12, "{s}, {configurations}, {n}, {alpha}");
                        assert!(below <= by_chord + 1e-12, "{s}, {configurations}, {n}, {alpha}");
                    }
                }
            });
        }
    }
}
