//! The bound L(τ, κ) of the evidence, with the variational tables profiled out, and its derivatives.
//!
//! The formula is that of Appendix A of [ACS22] with ν = n + sκ put back in (docs/THEORY.md, E3 and E4).

use super::cells::MergedCells;
use super::gamma::{digamma_rise, ln_gamma, ln_rising, polygammas, trigamma_rise};

/// s and α0 of one cell, for a family whose size is known.
#[derive(Debug, Clone, Copy)]
pub(super) struct Hyper {
    pub(super) s: f64,
    pub(super) alpha0: f64,
}

/// A place in the space of the fit: ln τ is free, Σ mκ = 1.
#[derive(Debug, Clone)]
pub(super) struct Point {
    pub(super) tau: f64,
    pub(super) kappa: Vec<f64>,
}

/// The bound and its derivatives in (ln τ, ln κ) at one point. Entries per merged cell are per single cell, not yet
/// multiplied by the multiplicity.
#[derive(Debug, Clone)]
pub(super) struct Evaluation {
    /// L itself.
    pub(super) bound: f64,
    /// Differences of `bound` below this are rounding.
    pub(super) noise: f64,
    /// ∂L/∂ln κ on the simplex: κ(g − λ).
    pub(super) gradient: Vec<f64>,
    /// ∂²L/∂(ln κ)²: κ²h + κ(g − λ), or κ²h where that is not negative.
    pub(super) curvature: Vec<f64>,
    /// ∂²L/∂ln κ ∂ln τ, up to multiples of κ, which the constraint absorbs.
    pub(super) cross: Vec<f64>,
    /// ∂L/∂ln τ.
    pub(super) gradient_tau: f64,
    /// ∂²L/∂(ln τ)².
    pub(super) curvature_tau: f64,
}

/// Evaluates the bound at a point. Linear in the distinct counts of the merged cells.
pub(super) fn evaluate(cells: &MergedCells, hyper: Hyper, point: &Point) -> Evaluation {
    let Hyper { s, alpha0 } = hyper;
    let data_sets = cells.data_sets;
    let tau = point.tau;
    let at_tau = polygammas(tau);
    let size = cells.len();
    let mut evaluation = Evaluation {
        bound: 0.0,
        noise: 0.0,
        gradient: Vec::with_capacity(size),
        curvature: Vec::with_capacity(size),
        cross: Vec::with_capacity(size),
        gradient_tau: 0.0,
        curvature_tau: 0.0,
    };
    // The sum of the absolute terms tells how much of the bound is rounding.
    let mut sum = Summed::default();
    for &rows in &cells.rows {
        sum.add(-ln_rising(s, rows));
    }
    let centring = data_sets * s * (cells.possible - 1.0) / tau;
    sum.add(-centring);
    sum.add(ln_gamma(alpha0 * cells.possible));
    sum.add(-cells.possible * ln_gamma(alpha0));
    sum.add(-ln_gamma(tau));
    let mut gradient_tau = centring;
    let mut curvature_tau = -2.0 * centring + tau * tau * at_tau.trigamma;
    let mut multiplier = 0.0;
    for (index, (&multiplicity, &kappa)) in cells.multiplicity.iter().zip(&point.kappa).enumerate() {
        let x = tau * kappa;
        let at = polygammas(x);
        let (mut data, mut first, mut second) = (0.0, 0.0, 0.0);
        for repeated in cells.counts(index) {
            let times = repeated.times as f64;
            data += times * ln_rising(s * kappa, repeated.count);
            first += times * digamma_rise(s * kappa, repeated.count);
            second += times * trigamma_rise(s * kappa, repeated.count);
        }
        let own = s * kappa;
        sum.add(multiplicity * data);
        sum.add(multiplicity * data_sets * (own - 1.0) * (at.ln_minus_digamma - at_tau.ln_minus_digamma));
        sum.add(multiplicity * (alpha0 - x) * (at.digamma - at_tau.digamma));
        sum.add(multiplicity * ln_gamma(x));

        let w = alpha0 - x - data_sets * (own - 1.0);
        let x1 = x * at.trigamma;
        let x2 = x * x * at.tetragamma;
        // κg, without the terms that are the same multiple of κ in every cell.
        let gradient = own * first + x1 * w + own * data_sets * at.ln_minus_digamma - data_sets;
        evaluation.gradient.push(gradient);
        evaluation.curvature.push(
            own * own * second + x2 * w - x1 * (x + 2.0 * own * data_sets) + own * data_sets + data_sets,
        );
        evaluation.cross.push(x1 * w + x2 * w - x * x1 - own * data_sets * x1);
        multiplier += multiplicity * gradient;
        gradient_tau += multiplicity * (x1 - tau * at_tau.trigamma) * w;
        curvature_tau += multiplicity * ((x2 - tau * tau * at_tau.tetragamma) * w - x * x1);
    }
    for ((gradient, curvature), &kappa) in
        evaluation.gradient.iter_mut().zip(&mut evaluation.curvature).zip(&point.kappa)
    {
        *gradient -= kappa * multiplier;
        if *curvature + *gradient < 0.0 {
            *curvature += *gradient;
        } else if *curvature >= 0.0 {
            *curvature = -curvature.abs().max(gradient.abs()).max(f64::MIN_POSITIVE);
        }
    }
    evaluation.gradient_tau = gradient_tau;
    evaluation.curvature_tau = curvature_tau + gradient_tau;
    evaluation.bound = sum.value;
    evaluation.noise = 8.0 * f64::EPSILON * sum.absolute;
    evaluation
}

/// A sum together with the sum of its absolute terms.
#[derive(Default)]
struct Summed {
    value: f64,
    absolute: f64,
}

impl Summed {
    fn add(&mut self, term: f64) {
        self.value += term;
        self.absolute += term.abs();
    }
}
