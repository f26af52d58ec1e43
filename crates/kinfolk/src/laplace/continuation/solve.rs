//! Finds the centres of all tables at one s: Newton's method on Taylor expansions, re-evaluated where a table is too far away.

#![expect(
    clippy::inline_always,
    reason = "kernels must be compiled for the processor their caller is compiled for"
)]

use super::{Continuation, LAST_STEP, LONGEST, MAX_MODEL_STEPS, NEAR, OpenTable};
use crate::laplace::tables::FamilyTables;
use crate::laplace::taylor::Expansion;
use crate::special::lanes::{LANES, Lanes, exp, ln};

impl Continuation {
    /// Maximises the expansion of φ in the open tables, subject to Σ m k = 1. Returns the largest distance from the
    /// last evaluation; infinity if a table is too far for its expansion.
    ///
    /// Newton steps in k: the Hessian is the diagonal −d/k², with one constraint.
    #[inline(always)]
    pub(super) fn expand(&mut self, tables: &FamilyTables) -> f64 {
        self.far.clear();
        for round in 0..MAX_MODEL_STEPS {
            self.expand_cells(tables);
            self.constrain(tables);
            let longest = self.step();
            if round == 0 && (longest > NEAR || longest.is_nan()) {
                self.shorten_far_steps(tables);
            }
            if longest < LAST_STEP {
                break;
            }
        }
        self.expand_cells(tables);
        if !self.far.is_empty() {
            return f64::INFINITY;
        }
        largest_distance(self.active.iter().map(|&block| self.left[block]))
    }

    /// Shortens the step of tables whose first step is too long for the expansion, and excludes them from further
    /// steps.
    fn shorten_far_steps(&mut self, tables: &FamilyTables) {
        for &OpenTable { table, .. } in &self.open {
            let cells = tables.tables[table].cells.clone();
            let left = &mut self.left.as_flattened_mut()[cells.clone()];
            let distance = left.iter().copied().fold(0.0, max_abs);
            if distance > NEAR || distance.is_nan() {
                let shorter = LONGEST / distance.max(LONGEST);
                left.iter_mut().for_each(|left| *left *= shorter);
                self.still_moving.as_flattened_mut()[cells].fill(0.0);
                self.far.push(OpenTable { table, distance });
            }
        }
    }

    /// Records the distance of each open table from its centre.
    pub(super) fn measure(&mut self, tables: &FamilyTables) {
        for open in &mut self.open {
            let left = &self.left.as_flattened()[tables.tables[open.table].cells.clone()];
            open.distance = left.iter().copied().fold(0.0, max_abs);
        }
        for far in &self.far {
            let place = self.open.binary_search_by_key(&far.table, |open| open.table);
            self.open[place.expect("far tables are open")].distance = far.distance;
        }
    }

    /// Evaluates the expansion of every active cell at distance `left`.
    #[inline(always)]
    fn expand_cells(&mut self, tables: &FamilyTables) {
        let (alpha0, _) = tables.alpha0.as_chunks::<LANES>();
        for &block in &self.active {
            let (rises, centre) = (self.rises[block], self.centre[block]);
            self.there[block] = Expansion::new(&rises, &centre, &self.left[block], &alpha0[block]);
        }
    }

    /// The Lagrange multipliers of the open tables, into the first of `sums`.
    #[inline(always)]
    fn constrain(&mut self, tables: &FamilyTables) {
        let (multiplicity, _) = tables.multiplicity.as_chunks::<LANES>();
        for &block in &self.active {
            let (there, multiplicity) = (self.there[block], multiplicity[block]);
            let (mut masses, mut pulls, mut weights) = ([0.0; LANES], [0.0; LANES], [0.0; LANES]);
            for lane in 0..LANES {
                let share = multiplicity[lane] * there.centre[lane];
                masses[lane] = share;
                pulls[lane] = share * there.slope[lane] * there.inverse_d[lane];
                weights[lane] = share * there.centre[lane] * there.inverse_d[lane];
            }
            (self.sums[0][block], self.sums[1][block], self.sums[2][block]) = (masses, pulls, weights);
        }
        self.add_up(tables, 3);
        for &block in &self.active {
            let (masses, pulls, weights) = (self.sums[0][block], self.sums[1][block], self.sums[2][block]);
            self.sums[0][block] =
                std::array::from_fn(|lane| (pulls[lane] + (masses[lane] - 1.0)) / weights[lane]);
        }
    }

    /// Takes one step in all cells that are still active; returns the longest.
    #[inline(always)]
    fn step(&mut self) -> f64 {
        let mut longest = [0.0; LANES];
        for &block in &self.active {
            let (there, still_moving) = (self.there[block], self.still_moving[block]);
            let (mut left, multiplier) = (self.left[block], self.sums[0][block]);
            for lane in 0..LANES {
                let step =
                    (there.slope[lane] - multiplier[lane] * there.centre[lane]) * there.inverse_d[lane];
                let step = if still_moving[lane] > 0.0 { step } else { 0.0 };
                left[lane] += step;
                longest[lane] = max_abs(longest[lane], step);
            }
            self.left[block] = left;
        }
        longest.into_iter().fold(0.0, max_abs)
    }

    /// Stops tables whose distance is above `longest` or NaN at their current centres; returns whether there were none.
    pub(super) fn stop_diverging(&mut self, tables: &FamilyTables, longest: f64) -> bool {
        let mut none = true;
        for open in &mut self.open {
            if open.distance > longest || open.distance.is_nan() {
                self.left.as_flattened_mut()[tables.tables[open.table].cells.clone()].fill(0.0);
                open.distance = 0.0;
                none = false;
            }
        }
        if !none {
            self.expand_cells(tables);
        }
        none
    }

    /// Moves the tables that are farther than `close` from their centres; they stay open.
    #[inline(always)]
    pub(super) fn move_open_tables(&mut self, tables: &FamilyTables, close: f64) {
        self.open.retain(|open| open.distance > close);
        for &block in &self.active {
            self.still_moving[block] = [0.0; LANES];
        }
        self.active.clear();
        for &OpenTable { table, .. } in &self.open {
            let cells = tables.tables[table].cells.clone();
            let ln_centre = &mut self.ln_centre.as_flattened_mut()[cells.clone()];
            let centre = &mut self.centre.as_flattened_mut()[cells.clone()];
            let left = &mut self.left.as_flattened_mut()[cells.clone()];
            let mut total = 0.0;
            for (index, multiplicity) in tables.multiplicity[cells.clone()].iter().enumerate() {
                ln_centre[index] += left[index];
                centre[index] = exp(ln_centre[index]);
                total += multiplicity * centre[index];
            }
            let excess = ln(total);
            centre.iter_mut().for_each(|k| *k /= total);
            ln_centre.iter_mut().for_each(|z| *z -= excess);
            left.fill(0.0);
            self.still_moving.as_flattened_mut()[cells.clone()].fill(1.0);
            let next = self.active.last().map_or(0, |last| last + 1);
            self.active.extend(next.max(cells.start / LANES)..cells.end.div_ceil(LANES));
        }
    }
}

/// The larger of `longest` and |distance|; NaN if either is.
#[inline(always)]
fn max_abs(longest: f64, distance: f64) -> f64 {
    // Not f64::max, which ignores NaN.
    if distance.abs() <= longest || longest.is_nan() { longest } else { distance.abs() }
}

/// The largest absolute value; NaN if there is one.
#[inline(always)]
fn largest_distance(distances: impl Iterator<Item = Lanes>) -> f64 {
    let mut longest = [0.0; LANES];
    for distance in distances {
        for lane in 0..LANES {
            longest[lane] = max_abs(longest[lane], distance[lane]);
        }
    }
    longest.into_iter().fold(0.0, max_abs)
}
