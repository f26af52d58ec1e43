//! The centres of a family's tables as they move with s, and the evidence there (docs/THEORY.md, E33 to E35).
//!
//! All tables go together, four cells at a time. What is worked on is copied out of its columns, so that the compiler need not fear that
//! it is written to meanwhile and uses wide registers. No operation is fused or reordered: every processor gives the same bits.

#![expect(
    clippy::inline_always,
    reason = "kernels must be compiled for the processor their caller is compiled for"
)]

use super::tables::Tables;
use super::taylor::{Expansion, SIXTH};
use crate::special::lanes::{LANES, Lanes, dispatched, exp, ln, ln_gammas_less_main_part};
use crate::special::rising_sums::RisingSums;

/// A centre is close enough when what is left to it is at most this in ln k: the expansion of fourth order around the last
/// evaluation is then good to about 1e-10 in the evidence, and to far less in the centre.
pub(super) const CLOSE: f64 = 2e-3;

/// Steps up to this long are taken from the expansion of fourth order, longer ones from that of second order.
const NEAR: f64 = 0.25;

/// The longest step in ln k.
const LONGEST: f64 = 1.0;

/// Usual tables need little more than one evaluation for an s; s = 1e-9 from nothing about thirty.
const MAX_EVALUATIONS: usize = 200;

/// Steps inside one expansion; each squares the error of the one before.
const MAX_MODEL_STEPS: usize = 6;

/// After a step inside an expansion as short as this the next one would be below 1e-9.
const LAST_STEP: f64 = 1e-4;

/// What was found at one s.
pub(super) struct Evaluated {
    /// The evidence but for the rows of the data sets.
    pub(super) value: f64,
    /// How far it may be off.
    pub(super) error: f64,
    pub(super) evaluations: usize,
    pub(super) converged: bool,
    /// The first four derivatives in ln s of the likelihood with the centres as they are, but for the rows.
    pub(super) derivatives: [f64; 4],
    /// The variance of the first one as the centres vary.
    pub(super) variance: f64,
    /// The counts above eight in cells whose share of s is at least one, as often as their tables count.
    pub(super) smooth: f64,
}

/// A place on the way: ln s, the centres, and how they move on.
#[derive(Default)]
pub(super) struct Waypoint {
    ln_s: Option<f64>,
    ln_centre: Vec<Lanes>,
    slope: Vec<Lanes>,
}

impl Waypoint {
    /// Forgets where it was.
    pub(super) fn clear(&mut self) {
        self.ln_s = None;
    }

    /// Becomes the same place as another.
    pub(super) fn copy_from(&mut self, other: &Self) {
        self.ln_s = other.ln_s;
        self.ln_centre.clone_from(&other.ln_centre);
        self.slope.clone_from(&other.slope);
    }
}

/// The centres of all tables as they move with s; columns have one entry per merged cell, in fours, and are filled again and again.
#[derive(Default)]
pub(super) struct Continuation {
    /// ln k and k of every cell; Σ m k = 1 in every table.
    ln_centre: Vec<Lanes>,
    pub(super) centre: Vec<Lanes>,
    /// The derivative of ln k in ln s.
    slope: Vec<Lanes>,
    /// ln k and its derivative at the place before.
    ln_centre_before: Vec<Lanes>,
    slope_before: Vec<Lanes>,
    /// ln s here, and at the place before.
    ln_s: Option<f64>,
    ln_s_before: Option<f64>,
    /// The last evaluation.
    rises: Vec<RisingSums>,
    /// What the expansion says is left to go, in ln k, and the cells there.
    left: Vec<Lanes>,
    there: Vec<Expansion>,
    /// One where an expansion is still being followed, otherwise zero.
    going: Vec<Lanes>,
    /// Sums over the cells of each table, in all of its cells.
    sums: [Vec<Lanes>; 3],
    /// The tables whose centres are looked for, with how far they are, in ln k; and all fours that they have cells in.
    open: Vec<OpenTable>,
    active: Vec<usize>,
    /// The open tables that are too far for their expansions, with the length of their first step.
    far: Vec<OpenTable>,
    /// D of every table.
    of_tables: Vec<Lanes>,
}

/// A table, and how far it is from its centre.
#[derive(Debug, Clone, Copy)]
struct OpenTable {
    table: usize,
    way: f64,
}

dispatched! {
    /// Moves the centres to their places at another s and works out the evidence there, from evaluations so close to them.
    pub(super) follow_to, follow_to_body, follow_to_avx2, (path: &mut Continuation, tables: &Tables, s: f64, close: f64) -> Evaluated
}

#[inline(always)]
fn follow_to_body(path: &mut Continuation, tables: &Tables, s: f64, close: f64) -> Evaluated {
    path.open_all(tables);
    path.foresee(tables, ln(s));
    let (mut evaluations, mut converged) = (0, true);
    for round in 1.. {
        for &block in &path.active {
            path.rises[block] = tables.counts.rises(block, &path.centre[block].map(|k| s * k));
        }
        evaluations += path.open.iter().filter(|open| tables.tables[open.table].weight != 0.0).count();
        if path.expand(tables) <= close {
            break;
        }
        path.measure(tables);
        converged &= path.give_up(tables, if round == MAX_EVALUATIONS { close } else { f64::MAX });
        path.go_on(tables, close);
        if path.open.is_empty() {
            break;
        }
    }
    let error = path.error(tables);
    Evaluated { error, evaluations, converged, ..path.finish(tables, s) }
}

impl Continuation {
    /// Starts where the centres are guessed to be.
    pub(super) fn start(&mut self, tables: &Tables) {
        self.start_at(tables, &tables.guess);
        let centre = self.centre.as_flattened_mut();
        let ln_centre = self.ln_centre.as_flattened_mut();
        for table in &tables.tables {
            let cells = table.cells.clone();
            let total: f64 = cells.clone().map(|cell| tables.multiplicity[cell] * tables.guess[cell]).sum();
            let ln_total = ln(total);
            cells.for_each(|cell| {
                centre[cell] /= total;
                ln_centre[cell] -= ln_total;
            });
        }
    }

    /// Starts at given centres.
    pub(super) fn start_at(&mut self, tables: &Tables, centre: &[f64]) {
        let (fours, _) = centre.as_chunks::<LANES>();
        let size = fours.len();
        self.centre.clear();
        self.centre.extend_from_slice(fours);
        self.ln_centre.clear();
        self.ln_centre.extend(fours.iter().map(|four| four.map(ln)));
        self.rises.resize(size, RisingSums::default());
        self.there.resize(size, Expansion::default());
        self.of_tables.resize(tables.tables.len().div_ceil(LANES), [1.0; LANES]);
        let [sum0, sum1, sum2] = &mut self.sums;
        for column in [
            &mut self.slope,
            &mut self.ln_centre_before,
            &mut self.slope_before,
            &mut self.left,
            &mut self.going,
            sum0,
            sum1,
            sum2,
        ] {
            column.clear();
            column.resize(size, Lanes::default());
        }
        (self.ln_s, self.ln_s_before) = (None, None);
    }

    /// Remembers this place.
    pub(super) fn keep(&self, place: &mut Waypoint) {
        place.ln_s = self.ln_s;
        place.ln_centre.clone_from(&self.ln_centre);
        place.slope.clone_from(&self.slope);
    }

    /// Goes back to a place, as if it had been reached from another one, if there is one.
    pub(super) fn return_to(&mut self, here: &Waypoint, before: &Waypoint) {
        self.ln_s = here.ln_s;
        self.ln_centre.clone_from(&here.ln_centre);
        self.slope.clone_from(&here.slope);
        self.ln_s_before = before.ln_s;
        if before.ln_s.is_some() {
            self.ln_centre_before.clone_from(&before.ln_centre);
            self.slope_before.clone_from(&before.slope);
        }
    }

    /// A first guess: the cubic through the two places before with their derivatives, or the tangent.
    #[inline(always)]
    fn foresee(&mut self, tables: &Tables, ln_s: f64) {
        if let Some(here) = self.ln_s {
            let step = ln_s - here;
            // With t counted from here in steps like the last, the cubic is z + t·dz + t²·a + t³·b.
            let last = self.ln_s_before.map_or(0.0, |before| here - before);
            let t = self.ln_s_before.map_or(0.0, |before| step / (here - before));
            for block in 0..self.centre.len() {
                let (mut z, before) = (self.ln_centre[block], self.ln_centre_before[block]);
                let (slope, slope_before) = (self.slope[block], self.slope_before[block]);
                self.ln_centre_before[block] = z;
                let mut centre = Lanes::default();
                for lane in 0..LANES {
                    let rise = z[lane] - before[lane];
                    let (bend, bend_before) = (last * slope[lane], last * slope_before[lane]);
                    let cubic = bend + bend_before - 2.0 * rise;
                    let more = t * t * (2.0 * bend + bend_before - 3.0 * rise + t * cubic);
                    z[lane] += (step * slope[lane] + more).clamp(-LONGEST, LONGEST);
                    centre[lane] = exp(z[lane]);
                }
                (self.ln_centre[block], self.centre[block]) = (z, centre);
            }
            self.normalise(tables);
        }
        self.ln_s_before = self.ln_s.replace(ln_s);
    }

    /// Puts all centres back on the simplex.
    #[inline(always)]
    fn normalise(&mut self, tables: &Tables) {
        let (multiplicity, _) = tables.multiplicity.as_chunks::<LANES>();
        for ((sums, &k), &multiplicity) in self.sums[0].iter_mut().zip(&self.centre).zip(multiplicity) {
            *sums = std::array::from_fn(|lane| multiplicity[lane] * k[lane]);
        }
        self.add_up(tables, 1);
        for block in 0..self.centre.len() {
            let (mut k, mut z, total) = (self.centre[block], self.ln_centre[block], self.sums[0][block]);
            for lane in 0..LANES {
                k[lane] /= total[lane];
                z[lane] -= ln(total[lane]);
            }
            (self.centre[block], self.ln_centre[block]) = (k, z);
        }
    }

    /// Looks for the centres of all tables.
    #[inline(always)]
    fn open_all(&mut self, tables: &Tables) {
        self.list_all(tables);
        self.left.fill([0.0; LANES]);
        self.going.fill([1.0; LANES]);
    }

    #[inline(always)]
    fn list_all(&mut self, tables: &Tables) {
        self.open.clear();
        self.open.extend((0..tables.tables.len()).map(|table| OpenTable { table, way: 0.0 }));
        self.active.clear();
        self.active.extend(0..self.centre.len());
    }

    /// Puts the sum over a table's cells in place of every one of them, in so many columns of `sums`, for the open tables.
    #[inline(always)]
    fn add_up(&mut self, tables: &Tables, columns: usize) {
        for sums in &mut self.sums[..columns] {
            if tables.pairs {
                for &block in &self.active {
                    let [a, b, c, d] = sums[block];
                    sums[block] = [a + b, a + b, c + d, c + d];
                }
                continue;
            }
            let sums = sums.as_flattened_mut();
            for open in &self.open {
                let cells = &mut sums[tables.tables[open.table].cells.clone()];
                let sum = cells.iter().fold(0.0, |sum, cell| sum + cell);
                cells.fill(sum);
            }
        }
    }

    /// Maximises what the last evaluation foresees of φ around it in the open tables, under the constraint; returns the longest way
    /// left to any, which is infinite if one is far.
    ///
    /// Each step is Newton's for the centre itself: the Hessian in it is a diagonal, −d/k², and one constraint.
    #[inline(always)]
    fn expand(&mut self, tables: &Tables) -> f64 {
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

    /// Takes the first step of the tables for which it is too long for an expansion, shortened, and lets them be.
    fn leave_far(&mut self, tables: &Tables) {
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

    /// Notes how far each open table is from its centre.
    fn measure(&mut self, tables: &Tables) {
        for open in &mut self.open {
            let left = &self.left.as_flattened()[tables.tables[open.table].cells.clone()];
            open.way = left.iter().copied().fold(0.0, longer);
        }
        for far in &self.far {
            let place = self.open.binary_search_by_key(&far.table, |open| open.table);
            self.open[place.expect("what is far is open")].way = far.way;
        }
    }

    /// Every active cell of the expansion, `left` away in ln k from the last evaluation.
    #[inline(always)]
    fn look_ahead(&mut self, tables: &Tables) {
        let (alpha0, _) = tables.alpha0.as_chunks::<LANES>();
        for &block in &self.active {
            let (rises, centre) = (self.rises[block], self.centre[block]);
            self.there[block] = Expansion::new(&rises, &centre, &self.left[block], &alpha0[block]);
        }
    }

    /// The multipliers that bring the centres of the open tables back to the simplex, in the first of `sums`.
    #[inline(always)]
    fn constrain(&mut self, tables: &Tables) {
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

    /// A step of all that are going; returns the longest.
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

    /// Leaves open tables where they are if their ways are longer than this, or no numbers; says whether there were none to leave.
    fn give_up(&mut self, tables: &Tables, longest: f64) -> bool {
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

    /// Moves the tables that are not close to their centres, which stay open.
    #[inline(always)]
    fn go_on(&mut self, tables: &Tables, close: f64) {
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

    /// How far the evidence may be off, because of what was left to go.
    #[inline(always)]
    fn error(&self, tables: &Tables) -> f64 {
        let (times, _) = tables.times.as_chunks::<LANES>();
        let mut errors = [0.0; LANES];
        for (left, times) in self.left.iter().zip(times) {
            for lane in 0..LANES {
                let (way, times) = (left[lane].abs(), times[lane].abs());
                let error = 0.01 * (1.0 + 20.0 * way) * way * way * way;
                errors[lane] += if way > CLOSE { times * error } else { 0.0 };
            }
        }
        errors.iter().sum()
    }

    /// The evidence at the centres, from the last evaluations and what was left to go, and how the centres move on.
    #[inline(always)]
    fn finish(&mut self, tables: &Tables, s: f64) -> Evaluated {
        let (times, _) = tables.times.as_chunks::<LANES>();
        let (alpha0, _) = tables.alpha0.as_chunks::<LANES>();
        let [mut values, mut variances, mut smooth] = [Lanes::default(); 3];
        let mut derivatives = [Lanes::default(); 4];
        for ((block, there), above_eight) in self.there.iter().enumerate().zip(tables.counts.above_eight()) {
            let (rises, left, mut z) = (self.rises[block], self.left[block], self.ln_centre[block]);
            let (times, alpha0) = (times[block], alpha0[block]);
            let gammas = ln_gammas_less_main_part(&there.d);
            for lane in 0..LANES {
                let left = left[lane];
                z[lane] += left;
                let bend = 0.5 * rises.second[lane]
                    + left * (SIXTH * rises.third[lane] + left * (SIXTH / 4.0 * rises.fourth[lane]));
                let risen = rises.value[lane] + left * (rises.first[lane] + left * bend);
                values[lane] += times[lane] * (risen + alpha0[lane] * z[lane] + gammas[lane]);
                derivatives[0][lane] += times[lane] * (there.slope[lane] - alpha0[lane]);
                derivatives[1][lane] += times[lane] * there.bend[lane];
                derivatives[2][lane] += times[lane] * (rises.third[lane] + left * rises.fourth[lane]);
                derivatives[3][lane] += times[lane] * rises.fourth[lane];
                smooth[lane] +=
                    if s * there.centre[lane] >= 1.0 { times[lane] * above_eight[lane] } else { 0.0 };
            }
            (self.ln_centre[block], self.centre[block]) = (z, there.centre);
        }
        let (multiplicity, _) = tables.multiplicity.as_chunks::<LANES>();
        for (block, (there, multiplicity)) in self.there.iter().zip(multiplicity).enumerate() {
            let (mut weights, mut pulls, mut masses) = ([0.0; LANES], [0.0; LANES], [0.0; LANES]);
            for lane in 0..LANES {
                masses[lane] = multiplicity[lane] * there.centre[lane];
                let share = masses[lane] * there.inverse_d[lane];
                weights[lane] = share * there.centre[lane];
                pulls[lane] = share * there.bend[lane];
            }
            (self.sums[0][block], self.sums[1][block], self.sums[2][block]) = (weights, pulls, masses);
        }
        self.list_all(tables);
        self.add_up(tables, 3);
        std::mem::swap(&mut self.slope, &mut self.slope_before);
        for (block, there) in self.there.iter().enumerate() {
            let (weights, pulls, times) = (self.sums[0][block], self.sums[1][block], times[block]);
            let masses = self.sums[2][block];
            let mut slope = Lanes::default();
            for lane in 0..LANES {
                let pull = pulls[lane] / weights[lane] * there.centre[lane];
                slope[lane] = (there.bend[lane] - pull) * there.inverse_d[lane];
                variances[lane] += times[lane] * there.bend[lane] * slope[lane];
                // The last step left the simplex by its square, and φ is not flat in that direction.
                values[lane] -= times[lane] * there.slope[lane] * (masses[lane] - 1.0);
            }
            self.slope[block] = slope;
        }
        let weights = self.sums[0].as_flattened();
        for (table, of_table) in tables.tables.iter().zip(self.of_tables.as_flattened_mut()) {
            *of_table = 1.0 / weights[table.cells.start];
        }
        let mut value = tables.constant + values.iter().sum::<f64>();
        for (four, tables) in self.of_tables.iter().zip(tables.tables.chunks(LANES)) {
            let gammas = ln_gammas_less_main_part(four);
            for (gamma, table) in gammas.iter().zip(tables) {
                value -= table.weight * gamma;
            }
        }
        let sum = |lanes: Lanes| lanes.iter().sum::<f64>();
        Evaluated {
            value,
            derivatives: derivatives.map(sum),
            variance: sum(variances),
            smooth: sum(smooth),
            error: 0.0,
            evaluations: 0,
            converged: true,
        }
    }
}

/// The longer of two ways; no number if one is none.
#[inline(always)]
fn longer(longest: f64, way: f64) -> f64 {
    // Not f64::max, which would pass over what is not a number.
    if way.abs() <= longest || longest.is_nan() { longest } else { way.abs() }
}

/// The longest of many ways.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counts::Counts;
    use crate::laplace::Cells;

    /// Families whose data sets are alike, apart, few and lopsided; some states never seen.
    fn families() -> [Counts; 4] {
        [
            Counts::from_table(&[vec![vec![60, 40], vec![5, 9]], vec![vec![59, 41], vec![0, 3]]]),
            Counts::from_table(&[
                vec![vec![90, 10, 3, 0], vec![500, 1, 2, 0], vec![0, 0, 1, 0]],
                vec![vec![12, 88, 1, 0], vec![3, 700, 90, 0], vec![0, 2, 0, 0]],
                vec![vec![51, 49, 7, 0], vec![20, 80, 900, 0], vec![1, 0, 0, 0]],
            ]),
            Counts::from_table(&[vec![vec![1, 0, 0], vec![0, 2, 1]], vec![vec![0, 1, 0], vec![4, 0, 0]]]),
            Counts::from_table(&[vec![vec![900_000, 100_000]], vec![vec![3, 0]], vec![vec![150, 151]]]),
        ]
    }

    #[test]
    fn wide_registers_give_the_same_bits() {
        for counts in families() {
            for cells in [Cells::Row, Cells::Joint] {
                let mut tables = Tables::default();
                tables.refill(&counts, cells, 1e9);
                let (mut wide, mut plain) = (Continuation::default(), Continuation::default());
                wide.start(&tables);
                plain.start(&tables);
                for s in [1e9, 1e4, 200.0, 7.0, 1.0, 1e-3] {
                    let a = follow_to(&mut wide, &tables, s, 0.03);
                    let b = follow_to_body(&mut plain, &tables, s, 0.03);
                    assert_eq!(a.value.to_bits(), b.value.to_bits(), "s = {s}");
                    assert_eq!((a.evaluations, wide.centre.clone()), (b.evaluations, plain.centre.clone()));
                }
            }
        }
    }
}
