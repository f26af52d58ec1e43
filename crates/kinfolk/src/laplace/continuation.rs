//! Follows the centres of a family's tables from one s to the next and evaluates the evidence there (docs/THEORY.md, E33 to E35).
//!
//! `follow_to` extrapolates the centres (`extrapolate`), solves for them (`solve`) and evaluates the result (`finish`),
//! all tables together and four cells at a time. Blocks are copied out of their columns before use, which rules out
//! aliasing and lets the compiler use wide registers. No operation is fused or reordered: every processor gives the
//! same bits.

#![expect(
    clippy::inline_always,
    reason = "kernels must be compiled for the processor their caller is compiled for"
)]

use super::tables::FamilyTables;
use super::taylor::Expansion;
use crate::special::lanes::{LANES, Lanes, exp, ln};
use crate::special::rising_sums::RisingSums;
mod finish;
mod solve;

use multiversion::multiversion;

/// The largest distance in ln k from the last evaluation to the centre: at this distance the fourth-order expansion has
/// an error of about 1e-10 in the evidence, and far less in the centre.
pub(super) const CLOSE: f64 = 2e-3;

/// A longer first step is taken as it is, followed by a new evaluation instead of further steps on the expansion.
const NEAR: f64 = 0.25;

/// The longest step in ln k.
const LONGEST: f64 = 1.0;

/// Typical tables need little more than one evaluation per s; s = 1e-9 from the initial centres needs about thirty.
const MAX_EVALUATIONS: usize = 200;

/// Steps inside one expansion; each squares the error of the one before.
const MAX_MODEL_STEPS: usize = 6;

/// After a step this short inside an expansion the next one would be below 1e-9.
const LAST_STEP: f64 = 1e-4;

/// The evidence at one s, and the quantities that bounds at other s need.
pub(super) struct Evaluated {
    /// The evidence without −Σ R(s, n_fj).
    pub(super) value: f64,
    /// Its estimated error.
    pub(super) error: f64,
    pub(super) evaluations: usize,
    pub(super) converged: bool,
    /// The first four derivatives in ln s of the cells' log-likelihood at fixed centres.
    pub(super) derivatives: [f64; 4],
    /// The posterior variance of the first derivative over the centres.
    pub(super) variance: f64,
    /// The number of counts above eight in cells with s·k ≥ 1, by table weight.
    pub(super) smooth: f64,
}

/// A stored position: ln s, the centres, and their derivatives in ln s.
#[derive(Default)]
pub(super) struct Waypoint {
    ln_s: Option<f64>,
    ln_centre: Vec<Lanes>,
    slope: Vec<Lanes>,
}

impl Waypoint {
    /// Marks the position as empty.
    pub(super) fn clear(&mut self) {
        self.ln_s = None;
    }

    /// Copies another position.
    pub(super) fn copy_from(&mut self, other: &Self) {
        self.ln_s = other.ln_s;
        self.ln_centre.clone_from(&other.ln_centre);
        self.slope.clone_from(&other.slope);
    }
}

/// The centres of all tables at the current s, with scratch columns. A column has one entry per merged cell, in blocks of four.
#[derive(Default)]
pub(super) struct Continuation {
    /// ln k and k of every cell; Σ m k = 1 in every table.
    ln_centre: Vec<Lanes>,
    pub(super) centre: Vec<Lanes>,
    /// The derivative of ln k in ln s.
    slope: Vec<Lanes>,
    /// ln k and its derivative at the s before.
    ln_centre_before: Vec<Lanes>,
    slope_before: Vec<Lanes>,
    /// ln s now, and the one before.
    ln_s: Option<f64>,
    ln_s_before: Option<f64>,
    /// The last evaluation.
    rises: Vec<RisingSums>,
    /// The distance in ln k from the last evaluation to the expansion's maximum, and the cells there.
    left: Vec<Lanes>,
    there: Vec<Expansion>,
    /// One where further steps are taken on the expansion, otherwise zero.
    still_moving: Vec<Lanes>,
    /// Sums over the cells of each table, repeated in all of its cells.
    sums: [Vec<Lanes>; 3],
    /// The tables that have not converged, and the blocks that hold their cells.
    open: Vec<OpenTable>,
    active: Vec<usize>,
    /// The open tables whose first step was longer than [`NEAR`], with its length.
    far: Vec<OpenTable>,
    /// D of every table.
    of_tables: Vec<Lanes>,
}

/// A table that has not converged, and its distance from its centre in ln k.
#[derive(Debug, Clone, Copy)]
struct OpenTable {
    table: usize,
    distance: f64,
}

/// Moves the centres to another s and evaluates the evidence there, from evaluations at most `close` from the centres.
#[multiversion(targets("x86_64+avx2"))]
pub(super) fn follow_to(path: &mut Continuation, tables: &FamilyTables, s: f64, close: f64) -> Evaluated {
    follow_to_body(path, tables, s, close)
}

#[inline(always)]
fn follow_to_body(path: &mut Continuation, tables: &FamilyTables, s: f64, close: f64) -> Evaluated {
    path.open_all(tables);
    path.extrapolate(tables, ln(s));
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
        converged &= path.stop_diverging(tables, if round == MAX_EVALUATIONS { close } else { f64::MAX });
        path.move_open_tables(tables, close);
        if path.open.is_empty() {
            break;
        }
    }
    let error = path.error(tables);
    Evaluated { error, evaluations, converged, ..path.finish(tables, s) }
}

impl Continuation {
    /// Starts at the initial centres.
    pub(super) fn start(&mut self, tables: &FamilyTables) {
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
    pub(super) fn start_at(&mut self, tables: &FamilyTables, centre: &[f64]) {
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
            &mut self.still_moving,
            sum0,
            sum1,
            sum2,
        ] {
            column.clear();
            column.resize(size, Lanes::default());
        }
        (self.ln_s, self.ln_s_before) = (None, None);
    }

    /// Stores the current position.
    pub(super) fn save(&self, place: &mut Waypoint) {
        place.ln_s = self.ln_s;
        place.ln_centre.clone_from(&self.ln_centre);
        place.slope.clone_from(&self.slope);
    }

    /// Restores a position and the one before it, if there is one.
    pub(super) fn restore(&mut self, here: &Waypoint, before: &Waypoint) {
        self.ln_s = here.ln_s;
        self.ln_centre.clone_from(&here.ln_centre);
        self.slope.clone_from(&here.slope);
        self.ln_s_before = before.ln_s;
        if before.ln_s.is_some() {
            self.ln_centre_before.clone_from(&before.ln_centre);
            self.slope_before.clone_from(&before.slope);
        }
    }

    /// Extrapolates the centres (E35): the cubic through the last two positions and their derivatives, or the tangent.
    #[inline(always)]
    fn extrapolate(&mut self, tables: &FamilyTables, ln_s: f64) {
        if let Some(here) = self.ln_s {
            let step = ln_s - here;
            // With t in units of the last step, the cubic is z + t·dz + t²·a + t³·b.
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

    /// Normalises all centres to the simplex.
    #[inline(always)]
    fn normalise(&mut self, tables: &FamilyTables) {
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

    /// Marks all tables as not converged.
    #[inline(always)]
    fn open_all(&mut self, tables: &FamilyTables) {
        self.list_all(tables);
        self.left.fill([0.0; LANES]);
        self.still_moving.fill([1.0; LANES]);
    }

    #[inline(always)]
    fn list_all(&mut self, tables: &FamilyTables) {
        self.open.clear();
        self.open.extend((0..tables.tables.len()).map(|table| OpenTable { table, distance: 0.0 }));
        self.active.clear();
        self.active.extend(0..self.centre.len());
    }

    /// Replaces every cell's entry by the sum over its table, in the first `columns` of `sums`, for the open tables.
    #[inline(always)]
    fn add_up(&mut self, tables: &FamilyTables, columns: usize) {
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counts::Counts;
    use crate::counts::note_unless_avx2;
    use crate::laplace::Cells;

    /// Similar, dissimilar, sparse and unbalanced data sets; some states never seen.
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
        note_unless_avx2("laplace::continuation::wide_registers_give_the_same_bits");
        for counts in families() {
            for cells in [Cells::Row, Cells::Joint] {
                let mut tables = FamilyTables::default();
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
