//! The evidence of a family under the hierarchical model with a given s, the centre integrated out by Laplace's method.
//!
//! In softmax coordinates the integrand is close to a Gaussian, and a correction by exact gamma functions makes the result exact
//! wherever the data sets' tables act as one (docs/THEORY.md, E33 to E35). Unlike the bound of the fit it can be compared over s.
//!
//! Cost: for every s little more than one evaluation of the distinct cells, since the centre moves smoothly with ln s and the next one
//! is foreseen; linear in the counts. All tables of a family go through the grid together.

use std::cell::RefCell;
use std::ops::{Range, RangeInclusive};

use super::continuation::{CLOSE, Continuation, Evaluated, Waypoint, follow_to};
use super::s_bounds::SBounds;
use super::tables::{Cells, Tables};
use crate::counts::Counts;

/// Up to here it is close enough to foresee the next one, and for an s that turns out to be so unlikely that the error, which is
/// about a hundredth of the cube of what is left, and more if that is long, does not matter.
const ROUGH: f64 = 0.2;

/// An error of the evidence that does not matter, relative to its size; and one that does not matter to what is said of s, however large
/// that is.
const NEGLIGIBLE: (f64, f64) = (1e-10, 1e-8);

/// An s whose evidence is bounded to be so far below the best, in nats, has no share in any sum.
const HOPELESS: f64 = 28.0;

/// No weight of a grid that matters is smaller than this, as a logarithm with the sign turned.
const LIGHTEST: f64 = 8.0;

/// Where to begin, somewhere between data sets that have nothing in common and those that are one.
const USUALLY_LIKELY: f64 = 10.0;

/// What bounds of the evidence may miss, in nats, where a family is left alone because of them.
const SAFELY: f64 = 2.0;

/// The error of what was read off an expansion over a short way, relative to its size, is below this.
const ROUNDED: f64 = 1e-9;

/// How many times larger than it is taken for an error may be.
const MISJUDGED: f64 = 10.0;

/// What the sum of the evidence over a grid must reach to be of use.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Floor<'a> {
    /// The weight of every s.
    pub(crate) weights: &'a [f64],
    /// The logarithm of what the sum must reach.
    pub(crate) least: f64,
}

impl Floor<'_> {
    /// What the logarithm of the sum is at most, if that is certain to be below the floor; in the places that are known, the evidence is
    /// this up to some errors, outside of them at most this.
    fn most_if_below(&self, most: &[f64], errors: &[f64], known: RangeInclusive<usize>) -> Option<f64> {
        let room = |place: usize| {
            if known.contains(&place) {
                MISJUDGED * errors[place] + ROUNDED * (1.0 + most[place].abs())
            } else {
                SAFELY
            }
        };
        // Mostly one place alone is enough to know better.
        let top = (0..most.len()).map(|place| most[place] + room(place)).fold(f64::NEG_INFINITY, f64::max);
        if top >= self.least + LIGHTEST {
            return None;
        }
        let terms =
            (0..most.len()).map(|place| self.weights[place] * (most[place] + room(place) - top).exp());
        let sum = top + terms.sum::<f64>().ln();
        (sum < self.least).then_some(sum)
    }
}

/// One end of what was gone through.
#[derive(Default)]
struct GridEnd {
    here: Waypoint,
    before: Waypoint,
}

/// Columns to be filled again: families are many and small.
#[derive(Default)]
struct Scratch {
    path: Continuation,
    up: GridEnd,
    down: GridEnd,
    /// How far the evidence may be off at every s.
    errors: Vec<f64>,
    /// What it is at most, where it is not known.
    most: Vec<f64>,
}

impl GridEnd {
    /// Remembers where the path is.
    fn arrive(&mut self, path: &Continuation) {
        path.keep(&mut self.here);
    }

    /// Puts the path where this end is, about to go on.
    fn leave(&mut self, path: &mut Continuation) {
        path.return_to(&self.here, &self.before);
        std::mem::swap(&mut self.here, &mut self.before);
    }
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::new(Scratch::default());
    static SPARE: RefCell<Evidence> = RefCell::new(Evidence::default());
}

/// Fills a column anew.
fn refill(column: &mut Vec<f64>, length: usize, value: f64) {
    column.clear();
    column.resize(length, value);
}

/// The place of an ascending grid that is nearest to an s, by its logarithm.
fn nearest(grid: &[f64], s: f64) -> usize {
    let after = grid.partition_point(|&other| other < s);
    match after {
        0 => 0,
        after if after == grid.len() || s * s < grid[after - 1] * grid[after] => after - 1,
        after => after,
    }
}

/// The evidence of a family over a grid of s, with the centres behind it.
#[derive(Debug, Default)]
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
/// use kinfolk::laplace::{Cells, evidence};
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
        let mut evidence = Self::default();
        let stopped = SCRATCH.with_borrow_mut(|way| evidence.refill(counts, cells, grid, None, way));
        assert!(stopped.is_none(), "there is nothing to be below of");
        evidence
    }

    /// Does something with the same, in memory that is used again, unless the sum over the grid is certain to be below some number: then
    /// says what it is at most.
    pub(crate) fn unless_below<T>(
        counts: &Counts,
        cells: Cells,
        grid: &[f64],
        floor: Option<Floor<'_>>,
        work: impl FnOnce(&Self) -> T,
    ) -> Result<T, f64> {
        SPARE.with_borrow_mut(|evidence| {
            let stopped = SCRATCH.with_borrow_mut(|way| evidence.refill(counts, cells, grid, floor, way));
            stopped.map_or_else(|| Ok(work(evidence)), Err)
        })
    }

    /// Makes it that of a family, or says what the sum over the grid is at most.
    fn refill(
        &mut self,
        counts: &Counts,
        cells: Cells,
        grid: &[f64],
        floor: Option<Floor<'_>>,
        way: &mut Scratch,
    ) -> Option<f64> {
        let first = match cells {
            Cells::Row => nearest(grid, USUALLY_LIKELY),
            // The tables act as one where s is large.
            Cells::Joint => grid.len() - 1,
        };
        self.tables.refill(counts, cells, grid[first]);
        self.tables.rises_of_rows(grid, &mut self.rows);
        refill(&mut self.values, grid.len(), f64::NEG_INFINITY);
        refill(&mut self.centres, self.tables.multiplicity.len() * grid.len(), 0.0);
        (self.evaluations, self.converged) = (0, true);
        self.go_through(grid, cells, (first, floor), way)
    }

    /// From a place in the middle of the grid up and down, as far as there may be a share in the sum; or until the sum is certain to be
    /// below the floor, which it then is by what comes back.
    fn go_through(
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
        // A single s is the likeliest.
        let close = if grid.len() == 1 { CLOSE } else { ROUGH };
        loop {
            let found = self.follow_to(path, (here, grid[here]), close);
            errors[here] = found.error;
            best = best.max(self.values[here]);
            if here == highest {
                up.arrive(path);
            }
            if here == lowest {
                down.arrive(path);
            }
            if highest - lowest == 1 {
                // The end that has not moved yet goes on as if it came from the other one.
                let (from, to) = if here == highest { (&*up, &mut *down) } else { (&*down, &mut *up) };
                to.before.copy_from(&from.here);
            }
            if cells == Cells::Row {
                let bounds = SBounds::new(grid[here], self.values[here], &found, self.tables.extent);
                // Nothing falls below the best from where that is.
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
            // What is no number says nothing.
            let number = |most: &f64| if most.is_nan() { f64::INFINITY } else { *most };
            let largest = |places: &[f64]| places.iter().map(number).fold(f64::NEG_INFINITY, f64::max);
            let (above, below) = (largest(&most[highest + 1..]), largest(&most[..lowest]));
            let through = lowest == 0 && highest + 1 == grid.len();
            if through || above.max(below) < best - HOPELESS {
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
                up.leave(path);
            } else {
                lowest -= 1;
                here = lowest;
                down.leave(path);
            }
        }
        self.leave_out(lowest, highest);
        self.refine(grid, errors, path);
        None
    }

    /// Goes to one s of the grid and notes what is found there.
    fn follow_to(&mut self, path: &mut Continuation, (grid_point, s): (usize, f64), close: f64) -> Evaluated {
        let found = follow_to(path, &self.tables, s, close);
        self.values[grid_point] = found.value - self.rows[grid_point];
        self.evaluations += found.evaluations;
        self.converged &= found.converged;
        let cells = self.cells_at(grid_point);
        self.centres[cells].copy_from_slice(path.centre.as_flattened());
        found
    }

    /// Goes again through what was found roughly, if its error matters beside the likeliest s.
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

    /// Leaves out what is outside some places of the grid: no evidence, and the centres of the nearer end.
    fn leave_out(&mut self, lowest: usize, last: usize) {
        for other in (0..lowest).chain(last + 1..self.values.len()) {
            let (from, to) = (self.cells_at(other.clamp(lowest, last)), self.cells_at(other).start);
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
            // What has next to no share need not be known well.
            let share = (value.max(single) - best).exp();
            let near = (value - single).abs() * share < 1e-9 * best.abs();
            assert!(share < 1e-12 || near, "s = {s}: {value} not {single}");
        }
    }
}
