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
    /// Maximises the expansion of φ in the open tables, subject to Σ m k = 1; returns the largest distance from the last evaluation,
    /// infinite if a table is too far away for its expansion.
    ///
    /// Newton steps in k: the Hessian is the diagonal −d/k², with one constraint.
    #[inline(always)]
    pub(super) fn expand(&mut self, tables: &FamilyTables) -> f64 {
        self.far.clear();
        for round in 0..MAX_MODEL_STEPS {
            self.look_ahead(tables);
            self.constrain(tables);
            let longest = self.step();
            if round == 0 && (longest > NEAR || longest.is_nan()) {
                self.leave_far(tables);
            }
            if longest < LAST_STEP {
                break;
            }
        }
        self.look_ahead(tables);
        if !self.far.is_empty() {
            return f64::INFINITY;
        }
        longest_of(self.active.iter().map(|&block| self.left[block]))
    }

    /// Takes one shortened step in tables whose first step is too long for the expansion, and no further ones.
    fn leave_far(&mut self, tables: &FamilyTables) {
        for &OpenTable { table, .. } in &self.open {
            let cells = tables.tables[table].cells.clone();
            let left = &mut self.left.as_flattened_mut()[cells.clone()];
            let way = left.iter().copied().fold(0.0, longer);
            if way > NEAR || way.is_nan() {
                let shorter = LONGEST / way.max(LONGEST);
                left.iter_mut().for_each(|left| *left *= shorter);
                self.going.as_flattened_mut()[cells].fill(0.0);
                self.far.push(OpenTable { table, way });
            }
        }
    }

    /// Records the distance of each open table from its centre.
    pub(super) fn measure(&mut self, tables: &FamilyTables) {
        for open in &mut self.open {
            let left = &self.left.as_flattened()[tables.tables[open.table].cells.clone()];
            open.way = left.iter().copied().fold(0.0, longer);
        }
        for far in &self.far {
            let place = self.open.binary_search_by_key(&far.table, |open| open.table);
            self.open[place.expect("what is far is open")].way = far.way;
        }
    }

    /// Evaluates the expansion of every active cell at distance `left`.
    #[inline(always)]
    fn look_ahead(&mut self, tables: &FamilyTables) {
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

    /// One step of all cells that are still going; returns the longest.
    #[inline(always)]
    fn step(&mut self) -> f64 {
        let mut longest = [0.0; LANES];
        for &block in &self.active {
            let (there, going) = (self.there[block], self.going[block]);
            let (mut left, multiplier) = (self.left[block], self.sums[0][block]);
            for lane in 0..LANES {
                let step =
                    (there.slope[lane] - multiplier[lane] * there.centre[lane]) * there.inverse_d[lane];
                let step = if going[lane] > 0.0 { step } else { 0.0 };
                left[lane] += step;
                longest[lane] = longer(longest[lane], step);
            }
            self.left[block] = left;
        }
        longest.into_iter().fold(0.0, longer)
    }

    /// Stops tables whose distance is above `longest` or NaN where they are; returns whether there were none.
    pub(super) fn give_up(&mut self, tables: &FamilyTables, longest: f64) -> bool {
        let mut none = true;
        for open in &mut self.open {
            if open.way > longest || open.way.is_nan() {
                self.left.as_flattened_mut()[tables.tables[open.table].cells.clone()].fill(0.0);
                open.way = 0.0;
                none = false;
            }
        }
        if !none {
            self.look_ahead(tables);
        }
        none
    }

    /// Moves the tables that are farther than `close` from their centres; they stay open.
    #[inline(always)]
    pub(super) fn go_on(&mut self, tables: &FamilyTables, close: f64) {
        self.open.retain(|open| open.way > close);
        for &block in &self.active {
            self.going[block] = [0.0; LANES];
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
            self.going.as_flattened_mut()[cells.clone()].fill(1.0);
            let next = self.active.last().map_or(0, |last| last + 1);
            self.active.extend(next.max(cells.start / LANES)..cells.end.div_ceil(LANES));
        }
    }
}

/// The larger of `longest` and |way|; NaN if either is.
#[inline(always)]
fn longer(longest: f64, way: f64) -> f64 {
    // Not f64::max, which ignores NaN.
    if way.abs() <= longest || longest.is_nan() { longest } else { way.abs() }
}

/// The largest absolute value; NaN if there is one.
#[inline(always)]
fn longest_of(ways: impl Iterator<Item = Lanes>) -> f64 {
    let mut longest = [0.0; LANES];
    for ways in ways {
        for lane in 0..LANES {
            longest[lane] = longer(longest[lane], ways[lane]);
        }
    }
    longest.into_iter().fold(0.0, longer)
}
