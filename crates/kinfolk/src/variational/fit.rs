//! Fits one family in reused memory: merges cells, finds a start and runs Newton's method.

#![expect(
    clippy::inline_always,
    reason = "kernels must be compiled for the processor their caller is compiled for"
)]

use std::cell::Cell;

use multiversion::multiversion;

use super::elbo::{FitPoint, Hyper, Scratch, elbo};
use super::merged_cells::MergedCells;
use super::newton::{Newton, normalise};
use super::{Prior, Start};
use crate::counts::Counts;
use crate::special::lanes::Lanes;

thread_local! {
    /// This thread's memory, reused for every family.
    static SCRATCH: Cell<Option<Box<ReusableFit>>> = const { Cell::new(None) };
}

/// Passes the fit of a family, from the default start and without its elbo, which a score does not need, to `look`.
pub(crate) fn with_fit<T>(counts: &Counts, prior: Prior, look: impl FnOnce(&ReusableFit) -> T) -> T {
    let mut fit = SCRATCH.take().unwrap_or_default();
    fit.solve(counts, prior, Start::Balanced, &mut |_, _, _| {});
    let seen = look(&fit);
    SCRATCH.set(Some(fit));
    seen
}

/// A fit without its elbo.
#[derive(Debug, Default)]
pub(crate) struct ReusableFit {
    cells: MergedCells,
    hyper: Hyper,
    newton: Newton,
}

/// Called with every accepted point of a fit.
pub(super) type Observe<'a> = &'a mut dyn FnMut(&MergedCells, Hyper, &FitPoint);

/// Fits the cells and the prior that `fit` was filled with.
#[multiversion(targets("x86_64+avx2"))]
fn solve_filled(fit: &mut ReusableFit, start: Start, observe: Observe<'_>) {
    solve_filled_body(fit, start, observe);
}

#[inline(always)]
fn solve_filled_body(fit: &mut ReusableFit, start: Start, observe: Observe<'_>) {
    let ReusableFit { cells, hyper, newton } = fit;
    newton.refill(cells, *hyper);
    newton.begin(cells, *hyper, start);
    // A single cell has nothing to estimate: κ = 1, and the elbo does not depend on τ.
    if cells.possible != 1.0 {
        newton.maximise(cells, *hyper, &mut |point| observe(cells, *hyper, point));
    }
}

impl ReusableFit {
    pub(super) fn solve(&mut self, counts: &Counts, prior: Prior, start: Start, observe: Observe<'_>) {
        self.cells.refill(counts);
        self.hyper = Hyper { s: prior.s(), alpha0: prior.alpha0(self.cells.possible) };
        solve_filled(self, start, observe);
    }

    /// The elbo L where the fit ended.
    pub(super) fn elbo(&self) -> f64 {
        elbo(&self.cells, self.hyper, &self.newton.point).value
    }

    pub(crate) fn tau(&self) -> f64 {
        self.newton.point.tau
    }

    /// κ of an observed cell, by its position in [`Counts::cells`].
    pub(crate) fn kappa(&self, cell: usize) -> f64 {
        self.newton.point.kappa.as_flattened()[self.cells.merged_of[cell]]
    }

    /// κ of a cell that was never seen.
    pub(crate) fn kappa_unseen(&self) -> f64 {
        self.cells.unseen.map_or(0.0, |unseen| self.newton.point.kappa.as_flattened()[unseen])
    }

    pub(crate) fn iterations(&self) -> usize {
        self.newton.steps
    }

    /// The rise of the elbo that the next step predicts.
    pub(super) fn decrement(&self) -> f64 {
        self.newton.decrement
    }

    pub(crate) fn converged(&self) -> bool {
        self.newton.converged
    }
}

impl Newton {
    /// Sets the starting point.
    #[inline(always)]
    fn begin(&mut self, cells: &MergedCells, hyper: Hyper, start: Start) {
        let kappa = &mut self.point.kappa;
        self.point.tau = match start {
            Start::Balanced => balanced_start(cells, hyper, &mut self.work, kappa),
            Start::Uniform { tau } => tau,
            Start::Smoothed { weight, tau } => {
                fill(kappa, totals(cells).map(|total| total + weight));
                tau
            }
        };
        normalise(&self.work.multiplicity, kappa);
    }
}

/// Fills the first entries of a column; padding stays unchanged.
#[inline(always)]
fn fill(column: &mut [Lanes], values: impl Iterator<Item = f64>) {
    column.as_flattened_mut().iter_mut().zip(values).for_each(|(place, value)| *place = value);
}

/// A start from which about five Newton steps suffice.
///
/// In most cells x = τκ is not small, and there ψ'(x) ≈ 1/x + 1/(2x²) turns the gradient in ln κ into b + (α0 + F)/(2x)
/// − x with b = α0 − ½ + sκA; x is its root. A, the data's part, is evaluated at κ proportional to the square roots of
/// the smoothed pooled frequencies. τ is the sum of the x.
#[inline(always)]
fn balanced_start(cells: &MergedCells, hyper: Hyper, work: &mut Scratch, kappa: &mut [Lanes]) -> f64 {
    let Hyper { s, alpha0 } = hyper;
    let smoothing = s * cells.data_sets / cells.possible;
    fill(kappa, totals(cells).map(|total| (total + smoothing).sqrt()));
    normalise(&work.multiplicity, kappa);
    let shares = work.data_shares(s, kappa);
    for (kappa, share) in kappa.iter_mut().zip(shares) {
        for (kappa, share) in kappa.iter_mut().zip(share) {
            let b = alpha0 - 0.5 + s * *kappa * share;
            *kappa = 0.5 * (b + (b * b + 2.0 * (alpha0 + cells.data_sets)).sqrt());
        }
    }
    normalise(&work.multiplicity, kappa)
}

/// The pooled count of each merged cell.
#[inline(always)]
fn totals(cells: &MergedCells) -> impl Iterator<Item = f64> + '_ {
    (0..cells.len()).map(|index| cells.counts(index).iter().map(|&count| count as f64).sum())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counts::note_unless_avx2;
    use crate::variational::Centre;

    #[test]
    fn wide_registers_give_the_same_bits() {
        note_unless_avx2("variational::fit::wide_registers_give_the_same_bits");
        let counts = Counts::from_table(&[
            vec![vec![90, 10, 3], vec![500, 1, 0], vec![0, 0, 1]],
            vec![vec![12, 88, 1], vec![3, 700, 0], vec![0, 2, 0]],
            vec![vec![51, 9, 7], vec![20, 80, 0], vec![1, 0, 0]],
        ]);
        for s in [0.1, 1.0, 7.0] {
            let (mut wide, mut plain) = (ReusableFit::default(), ReusableFit::default());
            let prior = Prior::new(s, Centre::PerCell(1.0)).unwrap();
            for fit in [&mut wide, &mut plain] {
                fit.cells.refill(&counts);
                fit.hyper = Hyper { s: prior.s(), alpha0: prior.alpha0(fit.cells.possible) };
            }
            solve_filled(&mut wide, Start::Balanced, &mut |_, _, _| {});
            solve_filled_body(&mut plain, Start::Balanced, &mut |_, _, _| {});
            assert!(wide.converged() && wide.iterations() == plain.iterations(), "s = {s}");
            assert_eq!(wide.tau().to_bits(), plain.tau().to_bits(), "s = {s}");
            assert_eq!(wide.newton.point.kappa, plain.newton.point.kappa, "s = {s}");
        }
    }

    #[test]
    fn a_fit_in_used_memory_is_that_in_fresh_memory() {
        let large = Counts::from_table(&[vec![vec![9, 30, 3, 1]; 5], vec![vec![2, 7, 0, 40]; 5]]);
        let small = Counts::from_table(&[vec![vec![8, 2]], vec![vec![6, 4]]]);
        let mut used = ReusableFit::default();
        for counts in [&large, &small, &large, &small] {
            let mut fresh = ReusableFit::default();
            used.solve(counts, Prior::default(), Start::Balanced, &mut |_, _, _| {});
            fresh.solve(counts, Prior::default(), Start::Balanced, &mut |_, _, _| {});
            assert_eq!((used.tau(), used.iterations()), (fresh.tau(), fresh.iterations()));
            assert_eq!(used.newton.point.kappa, fresh.newton.point.kappa);
        }
    }
}
