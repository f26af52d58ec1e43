//! The evidence of a family under the hierarchical model with a given s, the centre integrated out by Laplace's method.
//!
//! In softmax coordinates the integrand is close to a Gaussian, and a correction by exact gamma functions makes the result exact
//! wherever the data sets' tables act as one (docs/THEORY.md, E33 to E35). Unlike the bound of the fit it can be compared over s.
//!
//! Cost: for every s about two evaluations of the distinct cells, since the centre moves smoothly with ln s and the next one
//! is foreseen; linear in the counts.

use super::gamma::{ln_gamma, ln_gamma_less_main_part};
use super::risings::Rise;
use super::tables::{Cells, EvidenceCell, EvidenceTable, Tables};
use crate::counts::Counts;

/// A centre is close enough when what is left to it is at most this in ln k: the expansion of third order around the last
/// evaluation is then good to 1e-9 in the evidence, and to far less in the centre.
const EXPANDED: f64 = 1e-4;

/// Steps up to this long are taken from the expansion of third order, longer ones from that of second order.
const NEAR: f64 = 0.25;

/// The longest step in ln k.
const LONGEST: f64 = 1.0;

/// Usual tables need two evaluations for an s; s = 1e-9 from nothing about thirty.
const MAX_EVALUATIONS: usize = 200;

/// Steps inside one expansion; each squares the error of the one before.
const MAX_MODEL_STEPS: usize = 6;

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
            centres: vec![Vec::with_capacity(tables.cells.len()); grid.len()],
            tables,
            evaluations: 0,
            converged: true,
        };
        let mut work = Workspace::default();
        for table in &evidence.tables.tables {
            let mut path = Path::new(table, &evidence.tables.cells[table.cells.clone()]);
            // Down the grid: where s is large the tables act as one, and the centre is known.
            for (index, &s) in grid.iter().enumerate().rev() {
                let found = path.follow_to(s, &mut work);
                evidence.values[index] += table.weight * found.value;
                evidence.evaluations += found.evaluations;
                evidence.converged &= found.converged;
                evidence.centres[index].extend(path.ln_centre.iter().map(|z| z.exp()));
            }
        }
        evidence
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
    evaluations: usize,
    converged: bool,
}

/// Columns that are filled again and again, one entry per merged cell.
#[derive(Default)]
struct Workspace {
    centre: Vec<f64>,
    rises: Vec<Rise>,
    /// What the expansion says is left to go, in ln k.
    left: Vec<f64>,
    /// The cells there.
    there: Vec<Expanded>,
}

/// The centre of one table as it moves with s.
struct Path<'a> {
    table: &'a EvidenceTable,
    cells: &'a [EvidenceCell],
    /// ln k of every cell; Σ m k = 1.
    ln_centre: Vec<f64>,
    /// Its derivative in ln s here, and at the place before.
    slope: Vec<f64>,
    slope_before: Vec<f64>,
    /// ln s here, and at the place before.
    ln_s: Option<f64>,
    ln_s_before: Option<f64>,
}

impl<'a> Path<'a> {
    /// Starts where s is infinite: the centre has the pooled shares.
    fn new(table: &'a EvidenceTable, cells: &'a [EvidenceCell]) -> Self {
        let total: f64 = cells.iter().map(|cell| cell.multiplicity * (cell.total + table.alpha0)).sum();
        let ln_centre = cells.iter().map(|cell| ((cell.total + table.alpha0) / total).ln()).collect();
        let size = cells.len();
        let (slope, slope_before) = (vec![0.0; size], vec![0.0; size]);
        Self { table, cells, ln_centre, slope, slope_before, ln_s: None, ln_s_before: None }
    }

    /// Moves the centre to its place at another s and works out the evidence there.
    fn follow_to(&mut self, s: f64, work: &mut Workspace) -> Found {
        if self.table.possible == 1.0 {
            // A single cell has all rows whatever s is.
            return Found { value: 0.0, evaluations: 0, converged: true };
        }
        self.foresee(s.ln());
        let mut evaluations = 0;
        let converged = loop {
            self.evaluate(s, work);
            evaluations += 1;
            let longest = self.expand(work);
            if longest <= EXPANDED {
                break true;
            }
            if evaluations == MAX_EVALUATIONS || !longest.is_finite() {
                work.left.fill(0.0);
                self.look_ahead(work);
                break false;
            }
            for (z, left) in self.ln_centre.iter_mut().zip(&work.left) {
                *z += left;
            }
            self.normalise();
        };
        Found { value: self.finish(s, work), evaluations, converged }
    }

    /// A first guess from the derivatives at the two places before.
    fn foresee(&mut self, ln_s: f64) {
        if let Some(here) = self.ln_s {
            let step = ln_s - here;
            let bend = self.ln_s_before.map_or(0.0, |before| step / (2.0 * (here - before)));
            for (z, (slope, before)) in
                self.ln_centre.iter_mut().zip(self.slope.iter().zip(&self.slope_before))
            {
                *z += (step * (slope + bend * (slope - before))).clamp(-LONGEST, LONGEST);
            }
            self.normalise();
        }
        self.ln_s_before = self.ln_s.replace(ln_s);
    }

    /// Puts the centre back on the simplex.
    fn normalise(&mut self) {
        let total: f64 =
            self.ln_centre.iter().zip(self.cells).map(|(z, cell)| cell.multiplicity * z.exp()).sum();
        let excess = total.ln();
        self.ln_centre.iter_mut().for_each(|z| *z -= excess);
    }

    fn evaluate(&self, s: f64, work: &mut Workspace) {
        work.centre.clear();
        work.rises.clear();
        for (z, cell) in self.ln_centre.iter().zip(self.cells) {
            let centre = z.exp();
            work.centre.push(centre);
            work.rises.push(cell.counts.rise(s * centre));
        }
    }

    /// Maximises what the last evaluation foresees of φ around it, under the constraint; returns the longest way left.
    ///
    /// Each step is Newton's for the centre itself: the Hessian in it is a diagonal, −d/k², and one constraint.
    fn expand(&self, work: &mut Workspace) -> f64 {
        work.left.clear();
        work.left.resize(self.cells.len(), 0.0);
        for round in 0..MAX_MODEL_STEPS {
            self.look_ahead(work);
            let (mut mass, mut pulls, mut weights) = (0.0, 0.0, 0.0);
            for (cell, there) in self.cells.iter().zip(&work.there) {
                let share = cell.multiplicity * there.centre;
                mass += share;
                pulls += share * there.slope / there.d;
                weights += share * there.centre / there.d;
            }
            // The step brings the centre back to the simplex as well.
            let multiplier = (pulls + (mass - 1.0)) / weights;
            let mut longest: f64 = 0.0;
            for (left, there) in work.left.iter_mut().zip(&work.there) {
                let step = (there.slope - multiplier * there.centre) / there.d;
                longest = if step.is_nan() { f64::NAN } else { longest.max(step.abs()) };
                *left += step;
            }
            if round == 0 && (longest > NEAR || longest.is_nan()) {
                let shorter = LONGEST / longest.max(LONGEST);
                work.left.iter_mut().for_each(|left| *left *= shorter);
                return longest;
            }
            // The next one would be its square.
            if longest < 1e-8 {
                break;
            }
        }
        self.look_ahead(work);
        work.left.iter().fold(0.0, |longest: f64, left| longest.max(left.abs()))
    }

    /// Every cell of the expansion, `left` away in ln k from the last evaluation.
    fn look_ahead(&self, work: &mut Workspace) {
        let alpha0 = self.table.alpha0;
        work.there.clear();
        for ((rise, &centre), &left) in work.rises.iter().zip(&work.centre).zip(&work.left) {
            let slope = rise.first + left * (rise.second + 0.5 * left * rise.third);
            let bend = rise.second + left * rise.third;
            let centre = if left == 0.0 { centre } else { centre * left.exp() };
            // No cell has less than its prior; half of it keeps a wild expansion in check.
            let d = (alpha0 + slope - bend).max(0.5 * alpha0);
            work.there.push(Expanded { slope: slope + alpha0, bend, centre, d });
        }
    }

    /// The evidence at the centre, from the last evaluation and what was left to go, and how the centre moves on.
    fn finish(&mut self, s: f64, work: &Workspace) -> f64 {
        let alpha0 = self.table.alpha0;
        let mut value = ln_gamma(alpha0 * self.table.possible) - self.table.rows.value(s);
        let ln_gamma_alpha0 = ln_gamma(alpha0);
        let (mut weights, mut bends) = (0.0, 0.0);
        for (index, (cell, there)) in self.cells.iter().zip(&work.there).enumerate() {
            let (rise, left) = (&work.rises[index], work.left[index]);
            self.ln_centre[index] += left;
            let risen =
                rise.value + left * (rise.first + 0.5 * left * (rise.second + left * rise.third / 3.0));
            value += cell.multiplicity
                * (risen + alpha0 * self.ln_centre[index] + ln_gamma_less_main_part(there.d)
                    - ln_gamma_alpha0);
            let share = cell.multiplicity * there.centre / there.d;
            weights += share * there.centre;
            bends += share * there.bend;
        }
        std::mem::swap(&mut self.slope, &mut self.slope_before);
        for (slope, there) in self.slope.iter_mut().zip(&work.there) {
            *slope = (there.bend - bends / weights * there.centre) / there.d;
        }
        value - ln_gamma_less_main_part(1.0 / weights)
    }
}

/// A cell where the expansion puts it: the slope of φ in ln k, the bend of the data's share of it, k itself, and d, the
/// curvature of −φ in k times k².
#[derive(Debug, Clone, Copy)]
struct Expanded {
    slope: f64,
    bend: f64,
    centre: f64,
    d: f64,
}
