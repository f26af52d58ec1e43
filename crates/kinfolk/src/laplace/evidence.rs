//! The evidence of a family over a grid of s, with the centre integrated out by Laplace's method.
//!
//! In softmax coordinates the integrand is close to a Gaussian, and a correction by exact gamma functions makes the result exact
//! wherever the data sets' tables act as one (docs/THEORY.md, E33 to E35). Unlike the fit's `elbo` it can be compared over s.
//!
//! The grid is evaluated upwards and downwards from s = 10. It stops when the upper bounds of [`super::s_bounds`] show
//! that the remaining s contribute nothing to the sum, or, in a search, that the sum cannot reach a floor. The second
//! rule is a heuristic: a family is skipped if the sum of the bounds, each raised by [`MARGIN`], is below the floor
//! (E54).
//!
//! Cost: little more than one evaluation of the distinct cells per s, since the centre is extrapolated in ln s; linear in the counts.

use std::cell::RefCell;
use std::ops::{Range, RangeInclusive};

use super::continuation::{CLOSE, Continuation, Evaluated, Waypoint, follow_to};
use super::s_bounds::SBounds;
use super::tables::{Cells, FamilyTables};
use crate::counts::Counts;

/// The distance to the centre, in ln k, at which the first pass stops. It suffices for extrapolation, and for an s
/// whose contribution is so small that the error, about a hundredth of the cubed distance, does not matter.
/// [`Evidence::refine`] repeats the others.
const ROUGH: f64 = 0.2;

/// Errors that need no refinement: relative to the size of the evidence, and absolute for the posterior of s.
const NEGLIGIBLE: (f64, f64) = (1e-10, 1e-8);

/// The grid is evaluated until all other s are bounded this many nats below the best: e⁻²⁸ is below 1e-12 of the sum.
const CUTOFF: f64 = 28.0;

/// −ln of the smallest weight of s considered: if one value of s is this far above the floor, the sum is above it.
const LARGEST_NEG_LN_WEIGHT: f64 = 8.0;

/// The first s for configurations: between unrelated and identical data sets.
const FIRST_S: f64 = 10.0;

/// A heuristic margin in nats, added to the upper bounds of the evidence at other s before a family is skipped because
/// of them, since the step from given centres to their average is an approximation (E53). Of 7.2 million bounds between
/// two values of s in 100,000 random families none failed even without it: below 3e-5 per family with 95% confidence.
const MARGIN: f64 = 2.0;

/// The relative error of an evidence evaluated by an expansion at most [`CLOSE`] away is below this.
const EXPANSION_ERROR: f64 = 1e-9;

/// A safety factor on estimated errors.
const ERROR_SAFETY: f64 = 10.0;

/// The smallest sum of the evidence over a grid with which a search can use a family.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Floor<'a> {
    /// The weight of every s.
    pub(crate) weights: &'a [f64],
    /// The logarithm of the least sum.
    pub(crate) least: f64,
}

impl Floor<'_> {
    /// An upper estimate of the logarithm of the sum, if it is below the floor. Within `known` the evidence is `most`
    /// up to `errors`; outside, `most` is an upper bound, raised by [`MARGIN`].
    fn most_if_below(&self, most: &[f64], errors: &[f64], known: RangeInclusive<usize>) -> Option<f64> {
        let margin = |place: usize| {
            if known.contains(&place) {
                ERROR_SAFETY * errors[place] + EXPANSION_ERROR * (1.0 + most[place].abs())
            } else {
                MARGIN
            }
        };
        // Usually a single s is above the floor.
        let top = (0..most.len()).map(|place| most[place] + margin(place)).fold(f64::NEG_INFINITY, f64::max);
        if top >= self.least + LARGEST_NEG_LN_WEIGHT {
            return None;
        }
        let terms =
            (0..most.len()).map(|place| self.weights[place] * (most[place] + margin(place) - top).exp());
        let sum = top + terms.sum::<f64>().ln();
        (sum < self.least).then_some(sum)
    }
}

/// One end of the evaluated part of the grid: its centres, and those of the s before it.
#[derive(Default)]
struct GridEnd {
    here: Waypoint,
    before: Waypoint,
}

/// Memory reused between families.
#[derive(Default)]
struct Scratch {
    path: Continuation,
    up: GridEnd,
    down: GridEnd,
    /// The estimated error of the evidence at every s.
    errors: Vec<f64>,
    /// An upper bound of the evidence at every s that was not evaluated.
    most: Vec<f64>,
}

impl GridEnd {
    /// Stores the current centres.
    fn save(&mut self, path: &Continuation) {
        path.save(&mut self.here);
    }

    /// Restores this end's centres.
    fn restore(&mut self, path: &mut Continuation) {
        path.restore(&self.here, &self.before);
        std::mem::swap(&mut self.here, &mut self.before);
    }
}

thread_local! {
    /// This thread's scratch memory.
    static SCRATCH: RefCell<Scratch> = RefCell::new(Scratch::default());
    /// This thread's result, reused by searches for every family.
    static REUSED: RefCell<Evidence> = RefCell::new(Evidence::default());
}

/// Sets a column to a length and a value.
fn refill(column: &mut Vec<f64>, length: usize, value: f64) {
    column.clear();
    column.resize(length, value);
}

/// The position in an ascending grid that is nearest to an s in ln s.
fn nearest(grid: &[f64], s: f64) -> usize {
    let after = grid.partition_point(|&other| other < s);
    match after {
        0 => 0,
        after if after == grid.len() || s * s < grid[after - 1] * grid[after] => after - 1,
        after => after,
    }
}

/// The evidence of a family over a grid of s, with the centres.
#[derive(Debug, Default)]
pub(crate) struct Evidence {
    tables: FamilyTables,
    /// The logarithm of the evidence at every s of the grid; −∞ where its upper bound is too small to contribute to the
    /// sum.
    pub(crate) values: Vec<f64>,
    /// The centre of every merged cell at every s of the grid, one s after the other.
    centres: Vec<f64>,
    /// Σ R(s, n_fj) at every s, which is subtracted.
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
/// use kinfolk::laplace::{Cells, evidence};
///
/// // Three data sets, one configuration, two states: they agree, so a large s is more likely than a small one.
/// let counts = Counts::from_table(&[vec![vec![60, 40]], vec![vec![59, 41]], vec![vec![61, 39]]]);
/// assert!(evidence(&counts, Cells::Row, 1000.0) > evidence(&counts, Cells::Row, 1.0));
/// ```
pub fn evidence(counts: &Counts, cells: Cells, s: f64) -> f64 {
    Evidence::over(counts, cells, &[s]).values[0]
}

/// ln p(counts of the child | parents, s) with a centre in every configuration, whose prior is `alpha0` in every cell.
pub(crate) fn evidence_with_centre_prior(counts: &Counts, s: f64, alpha0: f64) -> f64 {
    let mut evidence = Evidence::default();
    evidence.tables.refill_with(counts, Cells::Row, s, alpha0);
    SCRATCH.with_borrow_mut(|way| evidence.evaluate(Cells::Row, &[s], (0, None), way));
    evidence.values[0]
}

impl Evidence {
    /// The evidence at every s of an ascending grid.
    pub(crate) fn over(counts: &Counts, cells: Cells, grid: &[f64]) -> Self {
        let mut evidence = Self::default();
        let stopped = SCRATCH.with_borrow_mut(|way| evidence.refill(counts, cells, grid, None, way));
        assert!(stopped.is_none(), "without a floor no family is skipped");
        evidence
    }

    /// Calls `work` with the evidence in reused memory. If the sum over the grid is estimated to be below the floor,
    /// returns an upper estimate of its logarithm instead.
    pub(crate) fn unless_below<T>(
        counts: &Counts,
        cells: Cells,
        grid: &[f64],
        floor: Option<Floor<'_>>,
        work: impl FnOnce(&Self) -> T,
    ) -> Result<T, f64> {
        REUSED.with_borrow_mut(|evidence| {
            let stopped = SCRATCH.with_borrow_mut(|way| evidence.refill(counts, cells, grid, floor, way));
            stopped.map_or_else(|| Ok(work(evidence)), Err)
        })
    }

    /// Evaluates a family, or returns an upper estimate of the sum over the grid if that is below the floor.
    fn refill(
        &mut self,
        counts: &Counts,
        cells: Cells,
        grid: &[f64],
        floor: Option<Floor<'_>>,
        way: &mut Scratch,
    ) -> Option<f64> {
        let first = match cells {
            Cells::Row => nearest(grid, FIRST_S),
            // For large s the data sets' tables act as one.
            Cells::Joint => grid.len() - 1,
        };
        self.tables.refill(counts, cells, grid[first]);
        self.evaluate(cells, grid, (first, floor), way)
    }

    /// Evaluates the tables over a grid from `first` on.
    fn evaluate(
        &mut self,
        cells: Cells,
        grid: &[f64],
        (first, floor): (usize, Option<Floor<'_>>),
        way: &mut Scratch,
    ) -> Option<f64> {
        self.tables.rises_of_rows(grid, &mut self.rows);
        refill(&mut self.values, grid.len(), f64::NEG_INFINITY);
        refill(&mut self.centres, self.tables.multiplicity.len() * grid.len(), 0.0);
        (self.evaluations, self.converged) = (0, true);
        self.scan_grid(grid, cells, (first, floor), way)
    }

    /// Evaluates the grid from `first` up and down, as far as an s may contribute to the sum; returns early with an
    /// upper estimate of the sum if that is below the floor.
    fn scan_grid(
        &mut self,
        grid: &[f64],
        cells: Cells,
        (first, floor): (usize, Option<Floor<'_>>),
        Scratch { path, up, down, errors, most }: &mut Scratch,
    ) -> Option<f64> {
        path.start(&self.tables);
        [&mut up.before, &mut down.before].into_iter().for_each(Waypoint::clear);
        refill(errors, grid.len(), 0.0);
        refill(most, grid.len(), f64::INFINITY);
        let (mut lowest, mut highest, mut here) = (first, first, first);
        let mut best = f64::NEG_INFINITY;
        // A single s makes up the whole sum.
        let close = if grid.len() == 1 { CLOSE } else { ROUGH };
        loop {
            let found = self.follow_to(path, (here, grid[here]), close);
            errors[here] = found.error;
            best = best.max(self.values[here]);
            if here == highest {
                up.save(path);
            }
            if here == lowest {
                down.save(path);
            }
            if highest - lowest == 1 {
                // The end that has not moved yet extrapolates from the other one.
                let (from, to) = if here == highest { (&*up, &mut *down) } else { (&*down, &mut *up) };
                to.before.copy_from(&from.here);
            }
            if cells == Cells::Row {
                let bounds = SBounds::new(grid[here], self.values[here], &found, self.tables.extent);
                // At the best s so far no larger s can be excluded.
                if here == highest && here + 1 < grid.len() && (self.values[here] < best || here == lowest) {
                    let slopes = self.tables.slopes_of_rows(grid, here);
                    (here + 1..grid.len()).for_each(|other| most[other] = bounds.above(grid[other], slopes));
                }
                if here == lowest {
                    for other in 0..here {
                        most[other] = bounds.below(grid[other], self.rows[here] - self.rows[other]);
                    }
                }
            }
            // NaN is treated as uninformative.
            let number = |most: &f64| if most.is_nan() { f64::INFINITY } else { *most };
            let largest = |places: &[f64]| places.iter().map(number).fold(f64::NEG_INFINITY, f64::max);
            let (above, below) = (largest(&most[highest + 1..]), largest(&most[..lowest]));
            let through = lowest == 0 && highest + 1 == grid.len();
            if through || above.max(below) < best - CUTOFF {
                break;
            }
            most[lowest..=highest].copy_from_slice(&self.values[lowest..=highest]);
            if let Some(at_most) = floor.and_then(|floor| floor.most_if_below(most, errors, lowest..=highest))
            {
                return Some(at_most);
            }
            if lowest == 0 || (above >= below && highest + 1 < grid.len()) {
                highest += 1;
                here = highest;
                up.restore(path);
            } else {
                lowest -= 1;
                here = lowest;
                down.restore(path);
            }
        }
        self.fill_unevaluated(lowest, highest);
        self.refine(grid, errors, path);
        None
    }

    /// Evaluates one s of the grid and stores value and centres.
    fn follow_to(&mut self, path: &mut Continuation, (grid_point, s): (usize, f64), close: f64) -> Evaluated {
        let found = follow_to(path, &self.tables, s, close);
        self.values[grid_point] = found.value - self.rows[grid_point];
        self.evaluations += found.evaluations;
        self.converged &= found.converged;
        let cells = self.cells_at(grid_point);
        self.centres[cells].copy_from_slice(path.centre.as_flattened());
        found
    }

    /// Repeats rough evaluations whose error matters relative to the most probable s.
    fn refine(&mut self, grid: &[f64], errors: &[f64], path: &mut Continuation) {
        let best = self.values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        for (grid_point, &s) in grid.iter().enumerate() {
            let relative = (self.values[grid_point] - best).exp();
            if relative * errors[grid_point] > NEGLIGIBLE.1.min(NEGLIGIBLE.0 * (1.0 + best.abs())) {
                path.start_at(&self.tables, &self.centres[self.cells_at(grid_point)]);
                self.follow_to(path, (grid_point, s), CLOSE);
            }
        }
    }

    /// Copies the centres of the nearer end to every s outside the evaluated range; the evidence there stays −∞.
    fn fill_unevaluated(&mut self, lowest: usize, last: usize) {
        for other in (0..lowest).chain(last + 1..self.values.len()) {
            let (from, to) = (self.cells_at(other.clamp(lowest, last)), self.cells_at(other).start);
            self.centres.copy_within(from, to);
        }
    }

    /// The range of `centres` that belongs to one s.
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
    fn grid_points_left_out_contribute_nothing() {
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
            // An s with almost no contribution may be inaccurate.
            let share = (value.max(single) - best).exp();
            let near = (value - single).abs() * share < 1e-9 * best.abs();
            assert!(share < 1e-12 || near, "s = {s}: {value} not {single}");
        }
    }
}
