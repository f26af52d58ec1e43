//! The evidence of a family under the hierarchical model with a given s, the centre integrated out by Laplace's method.
//!
//! In softmax coordinates the integrand is close to a Gaussian, and a correction by exact gamma functions makes the result exact
//! wherever the data sets' tables act as one (docs/THEORY.md, E33 to E35). Unlike the bound of the fit it can be compared over s.
//!
//! Cost: for every s little more than one evaluation of the distinct cells, since the centre moves smoothly with ln s and the next one
//! is foreseen; linear in the counts.

use super::gamma::{ln_gamma, ln_gamma_less_main_part};
use super::risings::Rise;
use super::tables::{Cells, EvidenceCell, EvidenceTable, Tables};
use crate::counts::Counts;

/// A centre is close enough when what is left to it is at most this in ln k: the expansion of fourth order around the last
/// evaluation is then good to about 1e-9 in the evidence, and to far less in the centre.
const EXPANDED: f64 = 5e-3;

/// Up to here it is close enough to foresee the next one, and for an s that turns out to be so unlikely that the error, which is
/// below a hundredth of the cube of what is left, does not matter.
const ROUGH: f64 = 0.03;

/// An error of the evidence that does not matter.
const NEGLIGIBLE: f64 = 1e-9;

/// Steps up to this long are taken from the expansion of fourth order, longer ones from that of second order.
const NEAR: f64 = 0.25;

/// The longest step in ln k.
const LONGEST: f64 = 1.0;

/// Usual tables need little more than one evaluation for an s; s = 1e-9 from nothing about thirty.
const MAX_EVALUATIONS: usize = 200;

/// Steps inside one expansion; each squares the error of the one before.
const MAX_MODEL_STEPS: usize = 6;

/// After a step inside an expansion as short as this the next one would be below 1e-9.
const LAST_STEP: f64 = 3e-5;

/// The evidence of a family over a grid of s, with the centres behind it.
#[derive(Debug)]
pub(crate) struct Evidence {
    tables: Tables,
    /// The logarithm of the evidence at every s of the grid.
    pub(crate) values: Vec<f64>,
    /// The centre of every merged cell at every s of the grid.
    centres: Vec<Vec<f64>>,
    /// Evaluations of tables, over all tables and the grid.
    pub(crate) evaluations: usize,
    /// Whether every centre was found.
    pub(crate) converged: bool,
}

/// ln p(counts of the child | parents, s), the centre integrated out: Σ_j V_j(s), or V(joint) − V(parents) for
/// [`Cells::Joint`].
///
/// ```
/// use kinfolk::counts::Counts;
/// use kinfolk::dirichlet::{Cells, evidence};
///
/// // Three data sets, one configuration, two states: they agree, so that a large s is more likely than a small one.
/// let counts = Counts::from_table(&[vec![vec![60, 40]], vec![vec![59, 41]], vec![vec![61, 39]]]);
/// assert!(evidence(&counts, Cells::Row, 1000.0) > evidence(&counts, Cells::Row, 1.0));
/// ```
pub fn evidence(counts: &Counts, cells: Cells, s: f64) -> f64 {
    Evidence::over(counts, cells, &[s]).values[0]
}

impl Evidence {
    /// The evidence at every s of an ascending grid.
    pub(crate) fn over(counts: &Counts, cells: Cells, grid: &[f64]) -> Self {
        let tables = Tables::new(counts, cells);
        let mut evidence = Self {
            values: vec![0.0; grid.len()],
            centres: vec![Vec::with_capacity(tables.cells); grid.len()],
            tables,
            evaluations: 0,
            converged: true,
        };
        let mut path = Path::default();
        let mut rough = Vec::new();
        for place in 0..evidence.tables.tables.len() {
            let table = &evidence.tables.tables[place];
            path.start(table);
            // Down the grid: where s is large the tables act as one, and the centre is known.
            for (grid_point, &s) in grid.iter().enumerate().rev() {
                let found = path.follow_to(table, s, ROUGH);
                evidence.values[grid_point] += table.weight * found.value;
                evidence.evaluations += found.evaluations;
                evidence.converged &= found.converged;
                evidence.centres[grid_point].extend_from_slice(&path.centre);
                if found.left > EXPANDED {
                    rough.push((grid_point, place, found));
                }
            }
        }
        evidence.refine(grid, &rough, &mut path);
        evidence
    }

    /// Goes again through what was found roughly, if its error matters beside the likeliest s.
    fn refine(&mut self, grid: &[f64], rough: &[(usize, usize, Found)], path: &mut Path) {
        let best = self.values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let relative: Vec<f64> = self.values.iter().map(|value| (value - best).exp()).collect();
        for &(grid_point, place, ref found) in rough {
            let error = 0.01 * found.left.powi(3);
            if relative[grid_point] * error < NEGLIGIBLE {
                continue;
            }
            let table = &self.tables.tables[place];
            let centre = &mut self.centres[grid_point][table.range.clone()];
            path.start_at(table, centre.iter().copied());
            let again = path.follow_to(table, grid[grid_point], EXPANDED);
            self.values[grid_point] += table.weight * (again.value - found.value);
            self.evaluations += again.evaluations;
            self.converged &= again.converged;
            centre.copy_from_slice(&path.centre);
        }
    }

    /// The centre of an observed cell at one s of the grid, by its position in [`Counts::cells`].
    pub(crate) fn centre(&self, grid_point: usize, cell: usize) -> f64 {
        self.centres[grid_point][self.tables.cell_of[cell]]
    }

    /// The centre of each never-seen state of an observed configuration, by its position.
    pub(crate) fn centre_unseen(&self, grid_point: usize, configuration: usize) -> Option<f64> {
        self.tables.unseen_of[configuration].map(|cell| self.centres[grid_point][cell])
    }
}

/// What was found at one s.
struct Found {
    value: f64,
    /// How far the centre was from the last evaluation, in ln k.
    left: f64,
    evaluations: usize,
    converged: bool,
}

/// The centre of one table as it moves with s; columns have one entry per merged cell and are filled again and again.
#[derive(Default)]
struct Path {
    /// lnΓ(Cα0) and lnΓ(α0).
    ln_gammas: (f64, f64),
    /// ln k and k of every cell; Σ m k = 1.
    ln_centre: Vec<f64>,
    centre: Vec<f64>,
    /// The derivative of ln k in ln s.
    slope: Vec<f64>,
    /// ln k and its derivative at the place before.
    ln_centre_before: Vec<f64>,
    slope_before: Vec<f64>,
    /// ln s here, and at the place before.
    ln_s: Option<f64>,
    ln_s_before: Option<f64>,
    /// The last evaluation.
    rises: Vec<Rise>,
    /// What the expansion says is left to go, in ln k, and the cells there.
    left: Vec<f64>,
    there: Vec<Expanded>,
}

impl Path {
    /// Starts where s is infinite: the centre has the pooled shares.
    fn start(&mut self, table: &EvidenceTable) {
        let weight = |cell: &EvidenceCell| cell.total + table.alpha0;
        let total: f64 = table.cells.iter().map(|cell| cell.multiplicity * weight(cell)).sum();
        self.start_at(table, table.cells.iter().map(|cell| weight(cell) / total));
    }

    /// Starts at a given centre.
    fn start_at(&mut self, table: &EvidenceTable, centre: impl Iterator<Item = f64>) {
        let size = table.cells.len();
        self.ln_gammas = (ln_gamma(table.alpha0 * table.possible), ln_gamma(table.alpha0));
        self.centre.clear();
        self.centre.extend(centre);
        self.ln_centre.clear();
        self.ln_centre.extend(self.centre.iter().map(|k| k.ln()));
        for column in [&mut self.slope, &mut self.ln_centre_before, &mut self.slope_before] {
            column.clear();
            column.resize(size, 0.0);
        }
        (self.ln_s, self.ln_s_before) = (None, None);
    }

    /// Moves the centre to its place at another s and works out the evidence there, from an evaluation so close to it.
    fn follow_to(&mut self, table: &EvidenceTable, s: f64, close: f64) -> Found {
        if table.possible == 1.0 {
            // A single cell has all rows whatever s is.
            return Found { value: 0.0, left: 0.0, evaluations: 0, converged: true };
        }
        self.foresee(table, s.ln());
        let mut evaluations = 0;
        let (left, converged) = loop {
            self.rises.clear();
            self.rises.extend(self.centre.iter().zip(&table.cells).map(|(k, cell)| cell.counts.rise(s * k)));
            evaluations += 1;
            let longest = self.expand(table);
            if longest <= close {
                break (longest, true);
            }
            if evaluations == MAX_EVALUATIONS || !longest.is_finite() {
                self.left.fill(0.0);
                self.look_ahead(table);
                break (0.0, false);
            }
            for (z, left) in self.ln_centre.iter_mut().zip(&self.left) {
                *z += left;
            }
            self.normalise(table);
        };
        Found { value: self.finish(table, s), left, evaluations, converged }
    }

    /// A first guess: the cubic through the two places before with their derivatives, or the tangent.
    fn foresee(&mut self, table: &EvidenceTable, ln_s: f64) {
        if let Some(here) = self.ln_s {
            let step = ln_s - here;
            // With t counted from here in steps like the last, the cubic is z + t·dz + t²·a + t³·b.
            let last = self.ln_s_before.map(|before| here - before);
            for (index, z) in self.ln_centre.iter_mut().enumerate() {
                let slope = self.slope[index];
                let mut ahead = step * slope;
                if let Some(last) = last {
                    let (t, rise) = (step / last, *z - self.ln_centre_before[index]);
                    let (here, before) = (last * slope, last * self.slope_before[index]);
                    ahead += t * t * (2.0 * here + before - 3.0 * rise + t * (here + before - 2.0 * rise));
                }
                self.ln_centre_before[index] = *z;
                *z += ahead.clamp(-LONGEST, LONGEST);
            }
            self.normalise(table);
        }
        self.ln_s_before = self.ln_s.replace(ln_s);
    }

    /// Puts the centre back on the simplex.
    fn normalise(&mut self, table: &EvidenceTable) {
        let mut total = 0.0;
        for ((k, z), cell) in self.centre.iter_mut().zip(&self.ln_centre).zip(&table.cells) {
            *k = z.exp();
            total += cell.multiplicity * *k;
        }
        let excess = total.ln();
        for (k, z) in self.centre.iter_mut().zip(&mut self.ln_centre) {
            *k /= total;
            *z -= excess;
        }
    }

    /// Maximises what the last evaluation foresees of φ around it, under the constraint; returns the longest way left.
    ///
    /// Each step is Newton's for the centre itself: the Hessian in it is a diagonal, −d/k², and one constraint.
    fn expand(&mut self, table: &EvidenceTable) -> f64 {
        self.left.clear();
        self.left.resize(table.cells.len(), 0.0);
        for round in 0..MAX_MODEL_STEPS {
            self.look_ahead(table);
            let (mut mass, mut pulls, mut weights) = (0.0, 0.0, 0.0);
            for (cell, there) in table.cells.iter().zip(&self.there) {
                let share = cell.multiplicity * there.centre;
                mass += share;
                pulls += share * there.slope * there.inverse_d;
                weights += share * there.centre * there.inverse_d;
            }
            // The step brings the centre back to the simplex as well.
            let multiplier = (pulls + (mass - 1.0)) / weights;
            let mut longest: f64 = 0.0;
            for (left, there) in self.left.iter_mut().zip(&self.there) {
                let step = (there.slope - multiplier * there.centre) * there.inverse_d;
                // Not f64::max, which would pass over what is not a number.
                longest = if step.abs() <= longest { longest } else { step.abs() };
                *left += step;
            }
            if round == 0 && (longest > NEAR || longest.is_nan()) {
                let shorter = LONGEST / longest.max(LONGEST);
                self.left.iter_mut().for_each(|left| *left *= shorter);
                return longest;
            }
            if longest < LAST_STEP {
                break;
            }
        }
        self.look_ahead(table);
        self.left.iter().fold(0.0, |longest: f64, left| longest.max(left.abs()))
    }

    /// Every cell of the expansion, `left` away in ln k from the last evaluation.
    fn look_ahead(&mut self, table: &EvidenceTable) {
        let alpha0 = table.alpha0;
        self.there.clear();
        for ((rise, &centre), &left) in self.rises.iter().zip(&self.centre).zip(&self.left) {
            let slope =
                rise.first + left * (rise.second + left * (0.5 * rise.third + left * (SIXTH * rise.fourth)));
            let bend = rise.second + left * (rise.third + left * (0.5 * rise.fourth));
            let centre = centre * short_exp(left);
            // No cell has less than its prior; half of it keeps a wild expansion in check.
            let d = (alpha0 + slope - bend).max(0.5 * alpha0);
            self.there.push(Expanded { slope: slope + alpha0, bend, centre, d, inverse_d: 1.0 / d });
        }
    }

    /// The evidence at the centre, from the last evaluation and what was left to go, and how the centre moves on.
    fn finish(&mut self, table: &EvidenceTable, s: f64) -> f64 {
        let (ln_gamma_total, ln_gamma_alpha0) = self.ln_gammas;
        let mut value = ln_gamma_total - table.rows.value(s);
        let (mut weights, mut bends) = (0.0, 0.0);
        for (index, (cell, there)) in table.cells.iter().zip(&self.there).enumerate() {
            let (rise, left) = (&self.rises[index], self.left[index]);
            self.ln_centre[index] += left;
            self.centre[index] = there.centre;
            let bend = 0.5 * rise.second + left * (SIXTH * rise.third + left * (SIXTH / 4.0 * rise.fourth));
            let risen = rise.value + left * (rise.first + left * bend);
            let prior = table.alpha0 * self.ln_centre[index] - ln_gamma_alpha0;
            value += cell.multiplicity * (risen + prior + ln_gamma_less_main_part(there.d));
            let share = cell.multiplicity * there.centre * there.inverse_d;
            weights += share * there.centre;
            bends += share * there.bend;
        }
        let shift = bends / weights;
        std::mem::swap(&mut self.slope, &mut self.slope_before);
        for (slope, there) in self.slope.iter_mut().zip(&self.there) {
            *slope = (there.bend - shift * there.centre) * there.inverse_d;
        }
        value - ln_gamma_less_main_part(1.0 / weights)
    }
}

const SIXTH: f64 = 1.0 / 6.0;

/// exp(x), mostly of a small x.
fn short_exp(x: f64) -> f64 {
    if x.abs() > 0.01 {
        return x.exp();
    }
    // The next term is below 1e-16.
    1.0 + x * (1.0 + x * (0.5 + x * (SIXTH + x * (SIXTH / 4.0 + x * (SIXTH / 20.0 + x * (SIXTH / 120.0))))))
}

/// A cell where the expansion puts it: the slope of φ in ln k, the bend of the data's share of it, k itself, d, the
/// curvature of −φ in k times k², and 1/d.
#[derive(Debug, Clone, Copy)]
struct Expanded {
    slope: f64,
    bend: f64,
    centre: f64,
    d: f64,
    inverse_d: f64,
}
