//! The centres of four configurations at a time: what counts contribute is looked up near them, and an expansion of fourth order leads to them.

#![expect(
    clippy::inline_always,
    reason = "kernels must be compiled for the processor their caller is compiled for"
)]
#![expect(
    clippy::needless_range_loop,
    reason = "a lane runs through all columns, which become wide registers"
)]

use crate::dirichlet::columns::{LANES, Lanes, exp, ln_gammas_less_main_part};
use crate::dirichlet::expansion::SIXTH;
use crate::dirichlet::levels::Levels;
use crate::dirichlet::path::Found;

/// Steps inside one expansion.
const MOST_STEPS: usize = 4;

/// After a step as short as this, in ln k, the next one would be some thousandths.
const LAST_STEP: f64 = 0.06;

/// The longest step in ln k.
const LONGEST: f64 = 1.0;

/// One cell of each of four configurations.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Four {
    /// Where the centre is, as ln k, and how it moves with ln s.
    pub(super) ln_centre: Lanes,
    pub(super) slope: Lanes,
    /// The data sets with counts above eight.
    pub(super) above_eight: Lanes,
}

/// What an expansion says of it.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Expanded {
    /// ln k where it was looked up, and what is left from there to the centre.
    pub(super) ln_place: Lanes,
    pub(super) left: Lanes,
    /// The sums there.
    pub(super) value: Lanes,
    pub(super) first: Lanes,
    pub(super) second: Lanes,
    pub(super) third: Lanes,
    pub(super) fourth: Lanes,
    /// At the centre: the slope of φ in ln k, the bend of the data's share of it, k itself, d and 1/d.
    pub(super) slope: Lanes,
    pub(super) bend: Lanes,
    pub(super) centre: Lanes,
    pub(super) d: Lanes,
    pub(super) inverse_d: Lanes,
}

/// What was seen at one s.
pub(super) struct Seen {
    pub(super) found: Found,
    /// How far bounds for other values of s may be off, since they go by derivatives that are read off expansions.
    pub(super) doubt: f64,
}

/// A table of counts.
pub(super) struct Counted<'a> {
    pub(super) table: &'a [u32],
    pub(super) data_sets: usize,
    pub(super) largest: u32,
}

impl Counted<'_> {
    /// What is looked up for a state of some configurations near their centres; nothing if these are too far off.
    #[inline(always)]
    pub(super) fn look_up(
        &self,
        levels: &mut Levels,
        (cell, expanded): (&Four, &mut Expanded),
        (starts, state): (&[usize], usize),
        ln_s: f64,
    ) -> Option<()> {
        for (lane, &start) in starts.iter().enumerate() {
            let (place, ln_x) = levels.near(cell.ln_centre[lane] + ln_s, self.largest)?;
            let counts = &self.table[start + state * self.data_sets..][..self.data_sets];
            let sums = levels.at(place).sum(counts, self.largest);
            expanded.ln_place[lane] = ln_x - ln_s;
            expanded.left[lane] = cell.ln_centre[lane] - expanded.ln_place[lane];
            let [value, first, second, third, fourth] = sums;
            (expanded.value[lane], expanded.first[lane], expanded.second[lane]) = (value, first, second);
            (expanded.third[lane], expanded.fourth[lane]) = (third, fourth);
        }
        Some(())
    }
}

/// Moves centres on by a step in ln s.
#[inline(always)]
pub(super) fn foresee(cells: &mut [Four], step: f64) {
    for cell in cells {
        for lane in 0..LANES {
            cell.ln_centre[lane] += (step * cell.slope[lane]).clamp(-LONGEST, LONGEST);
        }
    }
}

/// Maximises what was looked up foresees of φ, under the constraint: see `Path::expand`.
#[inline(always)]
pub(super) fn expand(cells: &mut [Expanded]) {
    for _ in 0..MOST_STEPS {
        let multipliers = look_ahead(cells).multipliers();
        let mut longest = Lanes::default();
        for cell in &mut *cells {
            for lane in 0..LANES {
                let step = (cell.slope[lane] - multipliers[lane] * cell.centre[lane]) * cell.inverse_d[lane];
                let step = step.clamp(-LONGEST, LONGEST);
                cell.left[lane] += step;
                longest[lane] = larger(longest[lane], step.abs());
            }
        }
        if largest_of(longest) < LAST_STEP {
            break;
        }
    }
}

/// Sums over the cells of four configurations.
#[derive(Default)]
struct Constraint {
    masses: Lanes,
    pulls: Lanes,
    weights: Lanes,
}

impl Constraint {
    /// What brings centres back to the simplex.
    #[inline(always)]
    fn multipliers(&self) -> Lanes {
        std::array::from_fn(|lane| (self.pulls[lane] + (self.masses[lane] - 1.0)) / self.weights[lane])
    }
}

/// Works out the cells where the expansions have led.
#[inline(always)]
fn look_ahead(cells: &mut [Expanded]) -> Constraint {
    let mut sums = Constraint::default();
    for cell in cells {
        for lane in 0..LANES {
            let (left, second) = (cell.left[lane], cell.second[lane]);
            let (third, fourth) = (cell.third[lane], cell.fourth[lane]);
            let slope = cell.first[lane] + left * (second + left * (0.5 * third + left * (SIXTH * fourth)));
            let bend = second + left * (third + left * (0.5 * fourth));
            // No cell has less than its prior, which is one; half of it keeps a wild expansion in check.
            let d = (1.0 + slope - bend).max(0.5);
            let (centre, inverse_d) = (exp(cell.ln_place[lane] + left), 1.0 / d);
            (cell.slope[lane], cell.bend[lane], cell.centre[lane]) = (slope + 1.0, bend, centre);
            (cell.d[lane], cell.inverse_d[lane]) = (d, inverse_d);
            sums.masses[lane] += centre;
            sums.pulls[lane] += centre * (slope + 1.0) * inverse_d;
            sums.weights[lane] += centre * centre * inverse_d;
        }
    }
    sums
}

/// The longest way left to a centre.
#[inline(always)]
pub(super) fn longest_left(cells: &[Expanded]) -> f64 {
    let mut longest = Lanes::default();
    for cell in cells {
        for lane in 0..LANES {
            longest[lane] = larger(longest[lane], cell.left[lane].abs());
        }
    }
    largest_of(longest)
}

/// The larger of two numbers, in one instruction; what is no number is passed over, and seen in the end.
#[inline(always)]
fn larger(a: f64, b: f64) -> f64 {
    if b > a { b } else { a }
}

#[inline(always)]
fn largest_of([a, b, c, d]: Lanes) -> f64 {
    larger(larger(a, b), larger(c, d))
}

/// What is added up over the configurations; see `Path::finish`.
#[derive(Default)]
pub(super) struct Sums {
    /// What every configuration has, whatever its counts are.
    constant: f64,
    values: Lanes,
    errors: Lanes,
    doubts: Lanes,
    derivatives: [Lanes; 3],
    variances: Lanes,
    smooth: Lanes,
}

impl Sums {
    /// Those of no configurations yet, of which each has a constant.
    #[inline(always)]
    pub(super) fn with(constant: f64) -> Self {
        Self { constant, ..Self::default() }
    }

    /// Adds some configurations, the first ones of four.
    #[inline(always)]
    pub(super) fn add(
        &mut self,
        cells: &mut [Four],
        expanded: &mut [Expanded],
        configurations: usize,
        s: f64,
    ) {
        let constraint = look_ahead(expanded);
        let (multipliers, weights) = (constraint.multipliers(), constraint.weights);
        let mut pulls = Lanes::default();
        for cell in &*expanded {
            for lane in 0..LANES {
                pulls[lane] += cell.centre[lane] * cell.inverse_d[lane] * cell.bend[lane];
            }
        }
        let of_tables = ln_gammas_less_main_part(&std::array::from_fn(|lane| 1.0 / weights[lane]));
        let times: Lanes = std::array::from_fn(|lane| if lane < configurations { 1.0 } else { 0.0 });
        for lane in 0..LANES {
            self.values[lane] += times[lane] * (self.constant - of_tables[lane]);
        }
        for (four, cell) in cells.iter_mut().zip(&*expanded) {
            let gammas = ln_gammas_less_main_part(&cell.d);
            for lane in 0..LANES {
                let (left, times) = (cell.left[lane], times[lane]);
                let (third, fourth) = (cell.third[lane], cell.fourth[lane]);
                let bend = 0.5 * cell.second[lane] + left * (SIXTH * third + left * (SIXTH / 4.0 * fourth));
                let risen = cell.value[lane] + left * (cell.first[lane] + left * bend);
                // The centres are only nearly found: one step more, back to the simplex, would change φ by this.
                let step = (cell.slope[lane] - multipliers[lane] * cell.centre[lane]) * cell.inverse_d[lane];
                let by_a_step = (cell.slope[lane] - 0.5 * cell.d[lane] * step) * step;
                self.values[lane] += times * (risen + four.ln_centre[lane] + gammas[lane] + by_a_step);
                // The fifth derivative is not known; it is about as large as these together.
                let (way, fifth) = (left.abs(), times * (third.abs() + fourth.abs()));
                let square = way * way;
                self.errors[lane] += fifth * square * square * way / 120.0;
                self.doubts[lane] += fifth * square / 12.0 * (1.0 + way * (2.0 + way));
                self.derivatives[0][lane] += times * (cell.slope[lane] - 1.0);
                self.derivatives[1][lane] += times * cell.bend[lane];
                self.derivatives[2][lane] += times * (third + left * fourth);
                let pull = pulls[lane] / weights[lane] * cell.centre[lane];
                let slope = (cell.bend[lane] - pull) * cell.inverse_d[lane];
                self.variances[lane] += times * cell.bend[lane] * slope;
                four.slope[lane] = slope;
                let is_smooth = s * cell.centre[lane] >= 1.0;
                self.smooth[lane] += if is_smooth { times * four.above_eight[lane] } else { 0.0 };
            }
        }
    }

    /// What comes out.
    #[inline(always)]
    pub(super) fn seen(&self) -> Seen {
        let sum = |lanes: &Lanes| lanes.iter().sum::<f64>();
        let [first, second, third] = [0, 1, 2].map(|order| sum(&self.derivatives[order]));
        let found = Found {
            value: sum(&self.values),
            error: sum(&self.errors),
            evaluations: 0,
            converged: true,
            derivatives: [first, second, third, f64::NAN],
            variance: sum(&self.variances),
            smooth: sum(&self.smooth),
        };
        Seen { found, doubt: sum(&self.doubts) }
    }
}
