//! The maximum of the bound by one joint Newton step at a time in (ln τ, ln κ).

use super::bound::{Hyper, Point, Slopes, Workspace, bound, slopes};
use super::cells::MergedCells;
use super::normalised;

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

/// A direction in (ln κ, ln τ), the rise the gradient promises along it.
struct Step {
    kappa: Vec<f64>,
    tau: f64,
    decrement: f64,
}

/// Climbs from `start`; `observe` sees every accepted point.
pub(super) fn maximise(
    cells: &MergedCells,
    hyper: Hyper,
    start: Point,
    observe: &mut dyn FnMut(&Point),
) -> Maximum {
    let mut point = start;
    let mut work = Workspace::default();
    let mut here = slopes(cells, hyper, &point, &mut work);
    observe(&point);
    let mut steps = 0;
    loop {
        let step = newton_step(cells, &here, &point);
        let decrement = step.decrement;
        let small = decrement.abs() < DECREMENT;
        if small || steps == MAX_STEPS || !decrement.is_finite() {
            if small {
                // The last step is so short that it needs no check, and it squares the remaining error.
                point = moved(cells, &point, &step, 1.0);
                steps += 1;
            }
            return Maximum { point, steps, decrement, converged: small };
        }
        let Some((next, there)) = ascend(cells, hyper, &point, &step, &mut work) else {
            return Maximum { point, steps, decrement, converged: false };
        };
        (point, here) = (next, there);
        steps += 1;
        observe(&point);
    }
}

/// The Newton step on the simplex. The Hessian is a diagonal with one border for τ and one for the constraint, so two
/// scalar eliminations solve it in time linear in the merged cells.
fn newton_step(cells: &MergedCells, here: &Slopes, point: &Point) -> Step {
    let (mut kk, mut kg, mut kx, mut xg, mut xx) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for index in 0..cells.len() {
        let weight = cells.multiplicity[index] / here.curvature[index];
        let (k, g, x) = (point.kappa[index], here.gradient[index], here.cross[index]);
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
    let mut kappa = Vec::with_capacity(cells.len());
    for index in 0..cells.len() {
        let (g, x) = (here.gradient[index], here.cross[index]);
        let step = -(g + x * tau + multiplier * point.kappa[index]) / here.curvature[index];
        decrement += cells.multiplicity[index] * g * step;
        longest = longest.max((step / LONGEST.0).abs());
        kappa.push(step);
    }
    if longest > 1.0 {
        tau /= longest;
        for step in &mut kappa {
            *step /= longest;
        }
        decrement /= longest;
    }
    Step { kappa, tau, decrement }
}

/// The point `length` steps along, back on the simplex.
fn moved(cells: &MergedCells, point: &Point, step: &Step, length: f64) -> Point {
    let weights = point.kappa.iter().zip(&step.kappa).map(|(kappa, step)| kappa * (length * step).exp());
    let (kappa, _) = normalised(cells, weights.collect());
    Point { tau: point.tau * (length * step.tau).exp(), kappa }
}

/// The first point on the way along `step`, halved as often as needed, where the bound has not fallen.
///
/// While the slope along the step still leads up, or hardly down, the bound has risen, and need not be computed. Otherwise
/// the two bounds are compared; where they agree up to rounding they cannot be, and there the slope decides: it must have
/// become flatter.
fn ascend(
    cells: &MergedCells,
    hyper: Hyper,
    point: &Point,
    step: &Step,
    work: &mut Workspace,
) -> Option<(Point, Slopes)> {
    let mut before = None;
    let mut length = 1.0;
    for _ in 0..MAX_HALVINGS {
        let next = moved(cells, point, step, length);
        let there = slopes(cells, hyper, &next, work);
        let slope = slope(cells, &there, step);
        if slope >= -OVERSHOOT * step.decrement && slope <= step.decrement {
            return Some((next, there));
        }
        let here = *before.get_or_insert_with(|| bound(cells, hyper, point));
        let after = bound(cells, hyper, &next);
        let rise = after.value - here.value;
        let noise = here.noise.max(after.noise);
        if rise > noise || (rise >= -noise && slope.abs() <= step.decrement.abs()) {
            return Some((next, there));
        }
        length *= 0.5;
    }
    None
}

/// The derivative of the bound along a step.
fn slope(cells: &MergedCells, at: &Slopes, step: &Step) -> f64 {
    let along: f64 = (0..cells.len())
        .map(|index| cells.multiplicity[index] * at.gradient[index] * step.kappa[index])
        .sum();
    along + at.gradient_tau * step.tau
}
