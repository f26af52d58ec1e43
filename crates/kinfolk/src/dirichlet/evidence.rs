//! The evidence of a family under the hierarchical model with a given s, the centre integrated out by Laplace's method.
//!
//! In softmax coordinates the integrand is close to a Gaussian, and a correction by exact gamma functions makes the result exact
//! wherever the data sets' tables act as one (docs/THEORY.md, E33 to E35). Unlike the bound of the fit it can be compared over s.
//!
//! Cost: for every s little more than one evaluation of the distinct cells, since the centre moves smoothly with ln s and the next one
//! is foreseen; linear in the counts. All tables of a family go down the grid together.

use std::cell::RefCell;
use std::ops::Range;

use super::path::{EXPANDED, Path, follow_to};
use super::tables::{Cells, Tables};
use crate::counts::Counts;

/// Up to here it is close enough to foresee the next one, and for an s that turns out to be so unlikely that the error, which is
/// below a hundredth of the cube of what is left, does not matter.
const ROUGH: f64 = 0.03;

/// An error of the evidence that does not matter, relative to its size.
const NEGLIGIBLE: f64 = 1e-10;

/// An s whose evidence is certain to be so far below the best, in nats, has no share in any sum.
const HOPELESS: f64 = 35.0;

thread_local! {
    /// Columns to be filled again: families are many and small.
    static PATH: RefCell<Path> = RefCell::new(Path::default());
}

/// The evidence of a family over a grid of s, with the centres behind it.
#[derive(Debug)]
pub(crate) struct Evidence {
    tables: Tables,
    /// The logarithm of the evidence at every s of the grid; −∞ where it is certain to have no share in any sum.
    pub(crate) values: Vec<f64>,
    /// The centre of every merged cell at every s of the grid, one s after the other.
    centres: Vec<f64>,
    /// The rows' share of the evidence at every s, which is taken off.
    rows: Vec<f64>,
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
        let size = tables.multiplicity.len();
        let mut evidence = Self {
            values: vec![0.0; grid.len()],
            centres: vec![0.0; size * grid.len()],
            rows: tables.rises_of_rows(grid),
            tables,
            evaluations: 0,
            converged: true,
        };
        PATH.with_borrow_mut(|path| evidence.go_down(grid, cells, path));
        evidence
    }

    /// Down the grid: where s is large the tables act as one, and the centre is known.
    fn go_down(&mut self, grid: &[f64], cells: Cells, path: &mut Path) {
        path.start(&self.tables);
        let mut errors = vec![0.0; grid.len()];
        let mut best = f64::NEG_INFINITY;
        for (grid_point, &s) in grid.iter().enumerate().rev() {
            errors[grid_point] = self.follow_to(path, (grid_point, s), ROUGH);
            best = best.max(self.values[grid_point]);
            let low = best - HOPELESS;
            if cells == Cells::Row && self.values[grid_point] < low {
                let ceiling = path.ceiling(&self.tables, s);
                if grid[..grid_point].iter().zip(&self.rows).all(|(&s, rows)| ceiling.at(s) - rows < low) {
                    self.leave_out(grid_point);
                    break;
                }
            }
        }
        self.refine(grid, &errors, path);
    }

    /// Goes to one s of the grid and notes what is found there; returns its error.
    fn follow_to(&mut self, path: &mut Path, (grid_point, s): (usize, f64), close: f64) -> f64 {
        let found = follow_to(path, &self.tables, s, close);
        self.values[grid_point] = found.value - self.rows[grid_point];
        self.evaluations += found.evaluations;
        self.converged &= found.converged;
        let cells = self.cells_at(grid_point);
        self.centres[cells].copy_from_slice(path.centre.as_flattened());
        found.error
    }

    /// Goes again through what was found roughly, if its error matters beside the likeliest s.
    fn refine(&mut self, grid: &[f64], errors: &[f64], path: &mut Path) {
        let best = self.values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        for (grid_point, &s) in grid.iter().enumerate() {
            let relative = (self.values[grid_point] - best).exp();
            if relative * errors[grid_point] > NEGLIGIBLE * (1.0 + best.abs()) {
                path.start_at(&self.tables, &self.centres[self.cells_at(grid_point)]);
                self.follow_to(path, (grid_point, s), EXPANDED);
            }
        }
    }

    /// Leaves out what is below a place of the grid: no evidence, and the centres of that place.
    fn leave_out(&mut self, grid_point: usize) {
        self.values[..grid_point].fill(f64::NEG_INFINITY);
        for below in 0..grid_point {
            let (from, to) = (self.cells_at(grid_point), self.cells_at(below).start);
            self.centres.copy_within(from, to);
        }
    }

    /// Where the centres at one s are.
    fn cells_at(&self, grid_point: usize) -> Range<usize> {
        let size = self.tables.multiplicity.len();
        grid_point * size..(grid_point + 1) * size
    }

    /// The centre of an observed cell at one s of the grid, by its position in [`Counts::cells`].
    pub(crate) fn centre(&self, grid_point: usize, cell: usize) -> f64 {
        self.centres[self.cells_at(grid_point).start + self.tables.cell_of[cell]]
    }

    /// The centre of each never-seen state of an observed configuration, by its position.
    pub(crate) fn centre_unseen(&self, grid_point: usize, configuration: usize) -> Option<f64> {
        self.tables.unseen_of[configuration].map(|cell| self.centres[self.cells_at(grid_point).start + cell])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_out_has_no_share() {
        let apart = vec![
            vec![vec![400, 600]; 8],
            vec![vec![610, 390]; 8],
            vec![vec![300, 700]; 8],
            vec![vec![500, 500]; 8],
        ];
        let counts = Counts::from_table(&apart);
        let grid = [0.01, 0.1, 1.0, 10.0, 30.0, 100.0];
        let all = Evidence::over(&counts, Cells::Row, &grid);
        let best = all.values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        assert_eq!(all.values[0], f64::NEG_INFINITY, "{:?}", all.values);
        for (value, &s) in all.values.iter().zip(&grid) {
            let single = evidence(&counts, Cells::Row, s);
            assert!(
                (value - single).abs() < 1e-6 || (*value == f64::NEG_INFINITY && single < best - HOPELESS)
            );
        }
    }
}
