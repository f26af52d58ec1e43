//! The maximum of the bound by one joint Newton step at a time in (ln τ, ln κ).

use super::bound::{Hyper, Point, Slopes, Workspace, bound, evaluate};
use super::cells::MergedCells;
use super::normalise;

/// The golden families need at most 8 steps and usual ones 5; a nearly flat ridge (s = 1000, α0 = 0.001, one row) about 100.
const MAX_STEPS: usize = 500;

/// A fit has converged when the next step promises less than this in L, in absolute terms: the scale on which two
/// structures are compared does not grow with the number of rows.
const DECREMENT: f64 = 1e-10;

/// The longest step in ln κ and in ln τ.
const LONGEST: (f64, f64) = (3.0, 2.0);

/// Halvings of a step after which no ascent is left to be found in double precision.
const MAX_HALVINGS: usize = 40;

/// A step is taken without comparing bounds if the slope along it has not turned further down than this part of what it was.
const OVERSHOOT: f64 = 0.1;

/// How a maximisation ended.
pub(super) struct Maximum {
    pub(super) point: Point,
    pub(super) steps: usize,
    pub(super) decrement: f64,
    pub(super) converged: bool,
}

/// A direction in (ln κ, ln τ), and the rise that the gradient promises along it.
#[derive(Default)]
struct Step {
    kappa: Vec<f64>,
    tau: f64,
    decrement: f64,
}

/// A climb: where it is, where it may go next, and what is known of both. Everything is allocated once.
struct Climb<'a> {
    cells: &'a MergedCells,
    hyper: Hyper,
    point: Point,
    here: Slopes,
    step: Step,
    next: Point,
    there: Slopes,
    work: &'a mut Workspace,
}

/// Climbs from `start`; `observe` sees every accepted point.
pub(super) fn maximise(
    cells: &MergedCells,
    hyper: Hyper,
    start: Point,
    work: &mut Workspace,
    observe: &mut dyn FnMut(&Point),
) -> Maximum {
    let next = Point { tau: start.tau, kappa: Vec::with_capacity(cells.len()) };
    let mut climb = Climb {
        cells,
        hyper,
        point: start,
        here: Slopes::with_room_for(cells.len()),
        step: Step { kappa: Vec::with_capacity(cells.len()), ..Step::default() },
        next,
        there: Slopes::with_room_for(cells.len()),
        work,
    };
    evaluate(cells, hyper, &climb.point, climb.work, &mut climb.here);
    observe(&climb.point);
    let mut steps = 0;
    loop {
        climb.find_step();
        let decrement = climb.step.decrement;
        let small = decrement.abs() < DECREMENT;
        if small {
            // The last step is so short that it needs no check, and it squares the remaining error.
            climb.move_along(1.0);
            return Maximum { point: climb.next, steps: steps + 1, decrement, converged: true };
        }
        if steps == MAX_STEPS || !decrement.is_finite() || !climb.ascend() {
            return Maximum { point: climb.point, steps, decrement, converged: false };
        }
        steps += 1;
        observe(&climb.point);
    }
}

impl Climb<'_> {
    /// The Newton step on the simplex. The Hessian is a diagonal with one border for τ and one for the constraint, so two
    /// scalar eliminations solve it in time linear in the merged cells.
    fn find_step(&mut self) {
        let (cells, here, point) = (self.cells, &self.here, &self.point);
        let (mut kk, mut kg, mut kx, mut xg, mut xx) = (0.0, 0.0, 0.0, 0.0, 0.0);
        for ((slopes, &k), multiplicity) in here.cells.iter().zip(&point.kappa).zip(&cells.multiplicity) {
            let weight = multiplicity / slopes.curvature;
            let (g, x) = (slopes.gradient, slopes.cross);
            kk += weight * k * k;
            kg += weight * k * g;
            kx += weight * k * x;
            xg += weight * x * g;
            xx += weight * x * x;
        }
        let schur = here.curvature_tau - (xx - kx * kx / kk);
        let mut tau = -(here.gradient_tau - (xg - kx * kg / kk)) / schur;
        if schur >= 0.0 || !tau.is_finite() {
            // Not concave here: follow τ's own gradient, and κ's own Newton step.
            tau = if here.curvature_tau < 0.0 {
                -here.gradient_tau / here.curvature_tau
            } else {
                here.gradient_tau.signum() * LONGEST.1
            };
            tau = if tau.is_finite() { tau } else { 0.0 };
        }
        let multiplier = -(kg + kx * tau) / kk;
        let mut decrement = here.gradient_tau * tau;
        let mut longest = (tau / LONGEST.1).abs();
        let kappa = &mut self.step.kappa;
        kappa.clear();
        for ((slopes, &k), multiplicity) in here.cells.iter().zip(&point.kappa).zip(&cells.multiplicity) {
            let (g, x) = (slopes.gradient, slopes.cross);
            let step = -(g + x * tau + multiplier * k) / slopes.curvature;
            decrement += multiplicity * g * step;
            longest = longest.max((step / LONGEST.0).abs());
            kappa.push(step);
        }
        if longest > 1.0 {
            tau /= longest;
            decrement /= longest;
            for step in kappa {
                *step /= longest;
            }
        }
        (self.step.tau, self.step.decrement) = (tau, decrement);
    }

    /// Puts `next` the given number of steps along, back on the simplex.
    fn move_along(&mut self, length: f64) {
        let Self { point, step, next, .. } = self;
        next.kappa.clear();
        next.kappa
            .extend(point.kappa.iter().zip(&step.kappa).map(|(kappa, step)| kappa * (length * step).exp()));
        normalise(self.cells, &mut next.kappa);
        next.tau = point.tau * (length * step.tau).exp();
    }

    /// Goes to the first point along the step, halved as often as needed, where the bound has not fallen; false if there is
    /// none.
    ///
    /// While the slope along the step still leads up, or hardly down, the bound is taken to have risen, as it must where it is
    /// concave along the step, and is not computed. Otherwise the two bounds are compared; where they agree up to rounding
    /// they cannot be, and there the slope decides: it must have become flatter.
    fn ascend(&mut self) -> bool {
        let mut before = None;
        let mut length = 1.0;
        for _ in 0..MAX_HALVINGS {
            self.move_along(length);
            evaluate(self.cells, self.hyper, &self.next, self.work, &mut self.there);
            let (slope, promised) = (self.slope_there(), self.step.decrement);
            if !(slope >= -OVERSHOOT * promised && slope <= promised) {
                let here = *before.get_or_insert_with(|| bound(self.cells, self.hyper, &self.point));
                let after = bound(self.cells, self.hyper, &self.next);
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

    /// The derivative of the bound along the step, at its end.
    fn slope_there(&self) -> f64 {
        let along = self.there.cells.iter().zip(&self.step.kappa).zip(&self.cells.multiplicity);
        let along: f64 =
            along.map(|((slopes, step), multiplicity)| multiplicity * slopes.gradient * step).sum();
        along + self.there.gradient_tau * self.step.tau
    }
}
