//! Maximises the elbo by joint Newton steps in (ln τ, ln κ) with step halving.

#![expect(
    clippy::inline_always,
    reason = "kernels must be compiled for the processor their caller is compiled for"
)]

use super::elbo::{Derivatives, FitPoint, Hyper, Scratch, elbo, evaluate, total};
use super::merged_cells::MergedCells;
use crate::special::lanes::{LANES, Lanes, exp};

/// The golden families need at most 8 steps, typical ones 5, a nearly flat ridge (s = 1000, α0 = 0.001, one row) about
/// 100.
const MAX_STEPS: usize = 500;

/// A fit has converged when the next step predicts a rise of L below this. The threshold is absolute because the scale
/// on which structures are compared does not grow with the number of rows.
const DECREMENT: f64 = 1e-10;

/// The longest step in ln κ and in ln τ.
const LONGEST: (f64, f64) = (3.0, 2.0);

/// After this many halvings of a step, double precision leaves no ascent to find.
const MAX_HALVINGS: usize = 40;

/// A step is accepted without evaluating L if the slope at its end is above minus this share of the slope at its start.
const OVERSHOOT: f64 = 0.5;

/// A step in (ln κ, ln τ), and the rise of L that the gradient predicts along it.
#[derive(Debug, Default)]
struct NewtonStep {
    kappa: Vec<Lanes>,
    tau: f64,
    decrement: f64,
}

/// The state of the maximisation: the current and the next point with their derivatives, and the outcome. Reused for
/// every family, so that memory is allocated once.
#[derive(Debug, Default)]
pub(super) struct Newton {
    pub(super) point: FitPoint,
    pub(super) steps: usize,
    pub(super) decrement: f64,
    pub(super) converged: bool,
    pub(super) work: Scratch,
    here: Derivatives,
    step: NewtonStep,
    next: FitPoint,
    there: Derivatives,
}

impl Newton {
    /// Prepares for the cells of the next family.
    #[inline(always)]
    pub(super) fn refill(&mut self, cells: &MergedCells, hyper: Hyper) {
        self.work.refill(cells, hyper);
        let fours = cells.len().div_ceil(LANES);
        for column in [&mut self.point.kappa, &mut self.next.kappa, &mut self.step.kappa] {
            column.clear();
            column.resize(fours, [1.0; LANES]);
        }
        self.here.resize(fours);
        self.there.resize(fours);
        (self.steps, self.decrement, self.converged) = (0, 0.0, true);
    }

    /// Maximises from the current point; calls `observe` with every accepted point.
    #[inline(always)]
    pub(super) fn maximise(&mut self, cells: &MergedCells, hyper: Hyper, observe: &mut dyn FnMut(&FitPoint)) {
        evaluate(cells, hyper, &self.point, &mut self.work, &mut self.here);
        observe(&self.point);
        loop {
            self.find_step();
            self.decrement = self.step.decrement;
            if self.decrement.abs() < DECREMENT {
                // The last step is short enough to need no check, and it squares the remaining error.
                self.move_along(1.0);
                std::mem::swap(&mut self.point, &mut self.next);
                self.steps += 1;
                return;
            }
            if self.steps == MAX_STEPS || !self.decrement.is_finite() || !self.ascend(cells, hyper) {
                self.converged = false;
                return;
            }
            self.steps += 1;
            observe(&self.point);
        }
    }

    /// Computes the Newton step on the simplex. The Hessian is a diagonal with one border for τ and one for the
    /// constraint, so that two scalar eliminations solve it in time linear in the number of merged cells.
    #[inline(always)]
    fn find_step(&mut self) {
        let Self { point, here, step, work, .. } = self;
        let mut sums = [Lanes::default(); 5];
        for (block, k) in point.kappa.iter().enumerate() {
            let (g, x) = (here.gradient[block], here.cross[block]);
            let (curvature, multiplicity) = (here.curvature[block], work.multiplicity[block]);
            for lane in 0..LANES {
                let weight = multiplicity[lane] / curvature[lane];
                let (k, g, x) = (k[lane], g[lane], x[lane]);
                sums[0][lane] += weight * k * k;
                sums[1][lane] += weight * k * g;
                sums[2][lane] += weight * k * x;
                sums[3][lane] += weight * x * g;
                sums[4][lane] += weight * x * x;
            }
        }
        let [kk, kg, kx, xg, xx] = sums.map(total);
        let schur = here.curvature_tau - (xx - kx * kx / kk);
        let mut tau = -(here.gradient_tau - (xg - kx * kg / kk)) / schur;
        if schur >= 0.0 || !tau.is_finite() {
            // Not concave here: a gradient step in τ and a Newton step in κ.
            tau = if here.curvature_tau < 0.0 {
                -here.gradient_tau / here.curvature_tau
            } else {
                here.gradient_tau.signum() * LONGEST.1
            };
            tau = if tau.is_finite() { tau } else { 0.0 };
        }
        let multiplier = -(kg + kx * tau) / kk;
        let (mut decrements, mut longest) = (Lanes::default(), Lanes::default());
        for (block, k) in point.kappa.iter().enumerate() {
            let (g, x) = (here.gradient[block], here.cross[block]);
            let (curvature, multiplicity) = (here.curvature[block], work.multiplicity[block]);
            let mut steps = Lanes::default();
            for lane in 0..LANES {
                let step = -(g[lane] + x[lane] * tau + multiplier * k[lane]) / curvature[lane];
                // Padding does not move.
                let step = if multiplicity[lane] > 0.0 { step } else { 0.0 };
                decrements[lane] += multiplicity[lane] * g[lane] * step;
                longest[lane] = if step.abs() > longest[lane] { step.abs() } else { longest[lane] };
                steps[lane] = step;
            }
            step.kappa[block] = steps;
        }
        let mut decrement = here.gradient_tau * tau + total(decrements);
        let longest =
            longest.into_iter().fold((tau / LONGEST.1).abs(), |most, way| most.max(way / LONGEST.0));
        if longest > 1.0 {
            tau /= longest;
            decrement /= longest;
            step.kappa.as_flattened_mut().iter_mut().for_each(|step| *step /= longest);
        }
        (step.tau, step.decrement) = (tau, decrement);
    }

    /// Sets `next` to the point `length` steps along, projected onto the simplex.
    #[inline(always)]
    fn move_along(&mut self, length: f64) {
        let Self { point, step, next, work, .. } = self;
        for ((next, kappa), step) in next.kappa.iter_mut().zip(&point.kappa).zip(&step.kappa) {
            for lane in 0..LANES {
                next[lane] = kappa[lane] * exp(length * step[lane]);
            }
        }
        normalise(&work.multiplicity, &mut next.kappa);
        next.tau = point.tau * exp(length * step.tau);
    }

    /// Moves to the first point along the step, halved as often as needed, where L has not fallen; false if there is
    /// none.
    ///
    /// If the slope at the end of the step is positive or slightly negative, L is assumed to have risen, which holds
    /// where it is concave along the step, and is not computed. Otherwise the two elbos are compared. If they agree up
    /// to rounding, the slope decides: it must have become flatter.
    #[inline(always)]
    fn ascend(&mut self, cells: &MergedCells, hyper: Hyper) -> bool {
        let mut before = None;
        let mut length = 1.0;
        for _ in 0..MAX_HALVINGS {
            self.move_along(length);
            evaluate(cells, hyper, &self.next, &mut self.work, &mut self.there);
            let (slope, promised) = (self.slope_there(), self.step.decrement);
            if !(slope >= -OVERSHOOT * promised && slope <= promised) {
                let here = *before.get_or_insert_with(|| elbo(cells, hyper, &self.point));
                let after = elbo(cells, hyper, &self.next);
                let rise = after.value - here.value;
                let noise = here.noise.max(after.noise);
                let risen = rise > noise || (rise >= -noise && slope.abs() <= promised.abs());
                if !risen {
                    length *= 0.5;
                    continue;
                }
            }
            std::mem::swap(&mut self.point, &mut self.next);
            std::mem::swap(&mut self.here, &mut self.there);
            return true;
        }
        false
    }

    /// The derivative of L along the step, at its end.
    #[inline(always)]
    fn slope_there(&self) -> f64 {
        let mut along = Lanes::default();
        for (block, step) in self.step.kappa.iter().enumerate() {
            let (gradient, multiplicity) = (self.there.gradient[block], self.work.multiplicity[block]);
            for lane in 0..LANES {
                along[lane] += multiplicity[lane] * gradient[lane] * step[lane];
            }
        }
        total(along) + self.there.gradient_tau * self.step.tau
    }
}

/// Normalises weights to the simplex; returns their sum.
#[inline(always)]
pub(super) fn normalise(multiplicity: &[Lanes], weights: &mut [Lanes]) -> f64 {
    let mut sums = Lanes::default();
    for (weights, multiplicity) in weights.iter().zip(multiplicity) {
        for lane in 0..LANES {
            sums[lane] += weights[lane] * multiplicity[lane];
        }
    }
    let total = total(sums);
    for weights in weights {
        *weights = weights.map(|weight| weight / total);
    }
    total
}
