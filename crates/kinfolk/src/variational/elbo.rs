//! The lower bound L(τ, κ) of the log evidence, with the variational tables profiled out, and its derivatives.
//!
//! The formula is that of Appendix A of \[ACS22\] with ν = n + sκ put back in (docs/THEORY.md, E3 and E4).

#![expect(
    clippy::inline_always,
    reason = "kernels must be compiled for the processor their caller is compiled for"
)]

use super::merged_cells::MergedCells;
use crate::special::gamma::{Rising, ln_gamma, ln_rising, polygammas};
use crate::special::lanes::{self, LANES, Lanes};
use crate::special::polygamma_sums::PolygammaSums;

/// s and α0 of one cell, for a family whose size is known.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Hyper {
    pub(super) s: f64,
    pub(super) alpha0: f64,
}

/// A point of the fit: τ > 0 and κ with Σ mκ = 1. Columns of merged cells are stored in blocks of four, padded with
/// cells of multiplicity zero.
#[derive(Debug, Clone, Default)]
pub(super) struct FitPoint {
    pub(super) tau: f64,
    pub(super) kappa: Vec<Lanes>,
}

/// The derivatives of L in (ln τ, ln κ) at one point; those of a merged cell are per original cell.
#[derive(Debug, Clone, Default)]
pub(super) struct Derivatives {
    /// ∂L/∂ln κ on the simplex: κ(g − λ).
    pub(super) gradient: Vec<Lanes>,
    /// ∂²L/∂(ln κ)² = κ²h + κ(g − λ). If that is not negative, κ²h; if neither is, minus the larger of |κ²h| and
    /// |gradient|.
    pub(super) curvature: Vec<Lanes>,
    /// ∂²L/∂ln κ ∂ln τ, up to multiples of κ, which the constraint absorbs.
    pub(super) cross: Vec<Lanes>,
    /// ∂L/∂ln τ.
    pub(super) gradient_tau: f64,
    /// ∂²L/∂(ln τ)².
    pub(super) curvature_tau: f64,
}

impl Derivatives {
    pub(super) fn resize(&mut self, fours: usize) {
        for column in [&mut self.gradient, &mut self.curvature, &mut self.cross] {
            column.resize(fours, Lanes::default());
        }
    }
}

/// L and its rounding error.
#[derive(Debug, Clone, Copy)]
pub(super) struct Elbo {
    /// L.
    pub(super) value: f64,
    /// Differences below this are rounding errors.
    pub(super) noise: f64,
}

/// Memory reused by evaluations, and the data of the cells that they use.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    /// The number of cells in each merged cell; zero for padding.
    pub(super) multiplicity: Vec<Lanes>,
    /// sκ of every merged cell.
    own: Vec<Lanes>,
    rises: PolygammaSums,
}

impl Scratch {
    /// Prepares for the cells of the next family.
    #[inline(always)]
    pub(super) fn refill(&mut self, cells: &MergedCells, hyper: Hyper) {
        self.rises.refill((0..cells.len()).map(|cell| cells.counts(cell)), hyper.s);
        let fours = cells.len().div_ceil(LANES);
        self.own.resize(fours, Lanes::default());
        self.multiplicity.clear();
        self.multiplicity.resize(fours, Lanes::default());
        self.multiplicity.as_flattened_mut()[..cells.len()].copy_from_slice(&cells.multiplicity);
    }

    /// Σ ψ(sκ + n) − ψ(sκ) of every merged cell.
    #[inline(always)]
    pub(super) fn data_shares(&mut self, s: f64, kappa: &[Lanes]) -> &[Lanes] {
        self.own.iter_mut().zip(kappa).for_each(|(own, kappa)| *own = kappa.map(|kappa| s * kappa));
        self.rises.evaluate(&self.own);
        &self.rises.first
    }
}

/// Writes the derivatives at a point into `slopes`. Linear in the distinct counts of the merged cells.
#[inline(always)]
pub(super) fn evaluate(
    cells: &MergedCells,
    hyper: Hyper,
    point: &FitPoint,
    work: &mut Scratch,
    slopes: &mut Derivatives,
) {
    let Hyper { s, alpha0 } = hyper;
    let data_sets = cells.data_sets;
    let tau = point.tau;
    let at_tau = polygammas(tau);
    let (tau1, tau2) = (tau * at_tau.trigamma, tau * tau * at_tau.tetragamma);
    work.data_shares(s, &point.kappa);
    let (mut multipliers, mut gradients_tau, mut curvatures_tau) = ([0.0; LANES], [0.0; LANES], [0.0; LANES]);
    for (block, kappa) in point.kappa.iter().enumerate() {
        let x = kappa.map(|kappa| tau * kappa);
        let at = lanes::polygammas(&x);
        let (own, multiplicity) = (work.own[block], work.multiplicity[block]);
        let (first, second) = (work.rises.first[block], work.rises.second[block]);
        let (mut gradient, mut curvature, mut cross) = ([0.0; LANES], [0.0; LANES], [0.0; LANES]);
        for lane in 0..LANES {
            let (x, own) = (x[lane], own[lane]);
            let w = alpha0 - x - data_sets * (own - 1.0);
            let x1 = x * at.trigamma[lane];
            let x2 = x * x * at.tetragamma[lane];
            // κg, without the terms that are the same multiple of κ in every cell.
            gradient[lane] =
                own * first[lane] + x1 * w + own * data_sets * at.ln_minus_digamma[lane] - data_sets;
            curvature[lane] = own * own * second[lane] + x2 * w - x1 * (x + 2.0 * own * data_sets)
                + own * data_sets
                + data_sets;
            cross[lane] = x1 * w + x2 * w - x * x1 - own * data_sets * x1;
            multipliers[lane] += multiplicity[lane] * gradient[lane];
            gradients_tau[lane] += multiplicity[lane] * ((x1 - tau1) * w);
            curvatures_tau[lane] += multiplicity[lane] * ((x2 - tau2) * w - x * x1);
        }
        (slopes.gradient[block], slopes.curvature[block], slopes.cross[block]) = (gradient, curvature, cross);
    }
    let multiplier = total(multipliers);
    for (block, kappa) in point.kappa.iter().enumerate() {
        let (mut gradient, mut curvature) = (slopes.gradient[block], slopes.curvature[block]);
        for lane in 0..LANES {
            gradient[lane] -= kappa[lane] * multiplier;
            let (slope, bend) = (gradient[lane], curvature[lane]);
            let at_least = if bend.abs() > slope.abs() { bend.abs() } else { slope.abs() };
            let replaced = if at_least > f64::MIN_POSITIVE { -at_least } else { -f64::MIN_POSITIVE };
            let own = if bend >= 0.0 { replaced } else { bend };
            curvature[lane] = if bend + slope < 0.0 { bend + slope } else { own };
        }
        (slopes.gradient[block], slopes.curvature[block]) = (gradient, curvature);
    }
    let centring = data_sets * s * (cells.possible - 1.0) / tau;
    slopes.gradient_tau = centring + total(gradients_tau);
    slopes.curvature_tau = -2.0 * centring + tau * tau1 + total(curvatures_tau) + slopes.gradient_tau;
}

/// The sum of four numbers.
#[inline(always)]
pub(super) fn total([a, b, c, d]: Lanes) -> f64 {
    (a + b) + (c + d)
}

/// L at a point (E3).
pub(super) fn elbo(cells: &MergedCells, hyper: Hyper, point: &FitPoint) -> Elbo {
    let Hyper { s, alpha0 } = hyper;
    let data_sets = cells.data_sets;
    let tau = point.tau;
    let at_tau = polygammas(tau);
    // The sum of absolute terms bounds the rounding error.
    let mut sum = Summed::default();
    for &rows in &cells.rows {
        sum.add(-ln_rising(s, rows));
    }
    sum.add(-data_sets * s * (cells.possible - 1.0) / tau);
    sum.add(ln_gamma(alpha0 * cells.possible));
    sum.add(-cells.possible * ln_gamma(alpha0));
    sum.add(-ln_gamma(tau));
    for (index, (&multiplicity, &kappa)) in
        cells.multiplicity.iter().zip(point.kappa.as_flattened()).enumerate()
    {
        let x = tau * kappa;
        let own = s * kappa;
        let at = polygammas(x);
        let rising = Rising::for_many(own);
        let terms = cells.counts(index).iter().map(|&count| rising.ln(count));
        sum.add(multiplicity * terms.sum::<f64>());
        sum.add(multiplicity * data_sets * (own - 1.0) * (at.ln_minus_digamma - at_tau.ln_minus_digamma));
        sum.add(multiplicity * (alpha0 - x) * (at.digamma - at_tau.digamma));
        sum.add(multiplicity * ln_gamma(x));
    }
    Elbo { value: sum.value, noise: 8.0 * f64::EPSILON * sum.absolute }
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::test_runner::RngSeed;

    use super::*;
    use crate::counts::Counts;

    /// A point with κ proportional to weights, in blocks of four.
    fn point(cells: &MergedCells, tau: f64, weights: &[f64]) -> FitPoint {
        let pairs = weights.iter().zip(&cells.multiplicity);
        let total: f64 = pairs.map(|(weight, multiplicity)| weight * multiplicity).sum();
        let mut kappa = vec![[0.1; LANES]; cells.len().div_ceil(LANES)];
        let flat = kappa.as_flattened_mut().iter_mut().zip(weights);
        flat.for_each(|(kappa, weight)| *kappa = weight / total);
        FitPoint { tau, kappa }
    }

    /// L at a point moved by `length` along a direction in (ln κ, ln τ).
    fn elbo_along(
        cells: &MergedCells,
        hyper: Hyper,
        from: &FitPoint,
        step: &[f64],
        tau: f64,
        length: f64,
    ) -> f64 {
        let kappas = from.kappa.as_flattened().iter();
        let weights: Vec<f64> = kappas.zip(step).map(|(kappa, step)| kappa * (length * step).exp()).collect();
        let moved = point(cells, from.tau * (length * tau).exp(), &weights);
        elbo(cells, hyper, &moved).value
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            cases: 200, failure_persistence: None, rng_seed: RngSeed::Fixed(1), ..ProptestConfig::default()
        })]

        #[test]
        fn gradient_and_curvature_equal_finite_differences(
            table in prop::collection::vec(prop::collection::vec(prop::collection::vec(0_u64..30, 3), 4), 1..5),
            s in 0.1_f64..20.0,
            alpha0 in 0.1_f64..5.0,
            tau in 5.0_f64..200.0,
            weights in prop::collection::vec(0.2_f64..1.0, 13),
            direction in prop::collection::vec(-1.0_f64..1.0, 13),
            direction_tau in -1.0_f64..1.0,
        ) {
            let cells = MergedCells::new(&Counts::from_table(&table));
            let hyper = Hyper { s, alpha0 };
            let point = point(&cells, tau, &weights[..cells.len()]);
            let kappa = point.kappa.as_flattened();
            // A direction along the simplex: Σ mκ dz = 0.
            let mean: f64 = (0..cells.len()).map(|c| cells.multiplicity[c] * kappa[c] * direction[c]).sum();
            let step: Vec<f64> = direction[..cells.len()].iter().map(|dz| dz - mean).collect();

            let (mut here, mut work) = (Derivatives::default(), Scratch::default());
            here.resize(point.kappa.len());
            work.refill(&cells, hyper);
            evaluate(&cells, hyper, &point, &mut work, &mut here);
            let value = elbo(&cells, hyper, &point).value;
            let along = |length| elbo_along(&cells, hyper, &point, &step, direction_tau, length);
            let (up, down) = (along(1e-4), along(-1e-4));
            let mut first = here.gradient_tau * direction_tau;
            let mut second = here.curvature_tau * direction_tau * direction_tau;
            let (gradient, curvature, cross) =
                (here.gradient.as_flattened(), here.curvature.as_flattened(), here.cross.as_flattened());
            for (c, dz) in step.iter().enumerate() {
                first += cells.multiplicity[c] * gradient[c] * dz;
                second += cells.multiplicity[c] * dz * (curvature[c] * dz + 2.0 * cross[c] * direction_tau);
            }
            let scale = 1.0 + value.abs();
            let difference = (up - down) / 2e-4;
            prop_assert!((difference - first).abs() < 1e-6 * scale, "slope {first}, difference {difference}");
            // Non-negative curvatures are replaced by negative ones.
            if (0..cells.len()).all(|c| curvature[c] + gradient[c].abs() < 0.0) {
                let difference = (up - 2.0 * value + down) / 1e-8;
                prop_assert!(
                    (difference - second).abs() < 1e-4 * (scale + second.abs()),
                    "curvature {second}, difference {difference}"
                );
            }
        }
    }
}
