//! The bound L(τ, κ) of the evidence, with the variational tables profiled out, and its derivatives.
//!
//! The formula is that of Appendix A of \[ACS22\] with ν = n + sκ put back in (docs/THEORY.md, E3 and E4).

use super::cells::MergedCells;
use super::columns::{self, Polygammas};
use super::gamma::{Rising, ln_gamma, ln_rising, polygammas};
use super::rises::Rises;

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

/// The derivatives of the bound in (ln τ, ln κ) at one point.
#[derive(Debug, Clone, Default)]
pub(super) struct Slopes {
    /// Of each merged cell, for a single one of the cells that it stands for.
    pub(super) cells: Vec<CellSlopes>,
    /// ∂L/∂ln τ.
    pub(super) gradient_tau: f64,
    /// ∂²L/∂(ln τ)².
    pub(super) curvature_tau: f64,
}

/// The derivatives that belong to one cell.
#[derive(Debug, Clone, Copy)]
pub(super) struct CellSlopes {
    /// ∂L/∂ln κ on the simplex: κ(g − λ).
    pub(super) gradient: f64,
    /// ∂²L/∂(ln κ)²: κ²h + κ(g − λ); where that is not negative κ²h; where neither is, minus the larger of |κ²h| and the gradient.
    pub(super) curvature: f64,
    /// ∂²L/∂ln κ ∂ln τ, up to multiples of κ, which the constraint absorbs.
    pub(super) cross: f64,
}

impl Slopes {
    pub(super) fn with_room_for(cells: usize) -> Self {
        Self { cells: Vec::with_capacity(cells), ..Self::default() }
    }
}

/// The bound and how far it can be trusted.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bound {
    /// L itself.
    pub(super) value: f64,
    /// Differences below this are rounding.
    pub(super) noise: f64,
}

/// Columns that an evaluation fills again and again.
#[derive(Debug)]
pub(super) struct Workspace {
    /// τκ and sκ of every merged cell, and ones to fill the last four.
    centre: Vec<f64>,
    own: Vec<f64>,
    at: Polygammas,
    rises: Rises,
}

impl Workspace {
    pub(super) fn new(cells: &MergedCells, hyper: Hyper) -> Self {
        let rises = Rises::new(cells, hyper.s);
        let column = || vec![1.0; rises.first.len()];
        let at = Polygammas { ln_minus_digamma: column(), trigamma: column(), tetragamma: column() };
        Self { centre: column(), own: column(), at, rises }
    }

    /// Σ ψ(sκ + n) − ψ(sκ) of every merged cell.
    pub(super) fn data_shares(&mut self, s: f64, kappa: &[f64]) -> &[f64] {
        self.own.iter_mut().zip(kappa).for_each(|(own, kappa)| *own = s * kappa);
        self.rises.evaluate(&self.own);
        &self.rises.first
    }
}

/// The derivatives at a point, into `slopes`. Linear in the distinct counts of the merged cells.
pub(super) fn evaluate(
    cells: &MergedCells,
    hyper: Hyper,
    point: &Point,
    work: &mut Workspace,
    slopes: &mut Slopes,
) {
    let Hyper { s, alpha0 } = hyper;
    let data_sets = cells.data_sets;
    let tau = point.tau;
    let at_tau = polygammas(tau);
    let (tau1, tau2) = (tau * at_tau.trigamma, tau * tau * at_tau.tetragamma);
    let Workspace { centre, own, at, rises } = work;
    for (index, &kappa) in point.kappa.iter().enumerate() {
        (centre[index], own[index]) = (tau * kappa, s * kappa);
    }
    columns::polygammas(centre, at);
    rises.evaluate(own);
    slopes.cells.clear();
    let centring = data_sets * s * (cells.possible - 1.0) / tau;
    let mut gradient_tau = centring;
    let mut curvature_tau = -2.0 * centring + tau * tau1;
    let mut multiplier = 0.0;
    for (index, &multiplicity) in cells.multiplicity.iter().enumerate() {
        let (x, own) = (centre[index], own[index]);
        let w = alpha0 - x - data_sets * (own - 1.0);
        let x1 = x * at.trigamma[index];
        let x2 = x * x * at.tetragamma[index];
        // κg, without the terms that are the same multiple of κ in every cell.
        let gradient =
            own * rises.first[index] + x1 * w + own * data_sets * at.ln_minus_digamma[index] - data_sets;
        let curvature = own * own * rises.second[index] + x2 * w - x1 * (x + 2.0 * own * data_sets)
            + own * data_sets
            + data_sets;
        let cross = x1 * w + x2 * w - x * x1 - own * data_sets * x1;
        slopes.cells.push(CellSlopes { gradient, curvature, cross });
        multiplier += multiplicity * gradient;
        gradient_tau += multiplicity * (x1 - tau1) * w;
        curvature_tau += multiplicity * ((x2 - tau2) * w - x * x1);
    }
    for (CellSlopes { gradient, curvature, .. }, &kappa) in slopes.cells.iter_mut().zip(&point.kappa) {
        *gradient -= kappa * multiplier;
        if *curvature + *gradient < 0.0 {
            *curvature += *gradient;
        } else if *curvature >= 0.0 {
            *curvature = -curvature.abs().max(gradient.abs()).max(f64::MIN_POSITIVE);
        }
    }
    slopes.gradient_tau = gradient_tau;
    slopes.curvature_tau = curvature_tau + gradient_tau;
}

/// The bound at a point.
pub(super) fn bound(cells: &MergedCells, hyper: Hyper, point: &Point) -> Bound {
    let Hyper { s, alpha0 } = hyper;
    let data_sets = cells.data_sets;
    let tau = point.tau;
    let at_tau = polygammas(tau);
    // The sum of the absolute terms tells how much of the bound is rounding.
    let mut sum = Summed::default();
    for &rows in &cells.rows {
        sum.add(-ln_rising(s, rows));
    }
    sum.add(-data_sets * s * (cells.possible - 1.0) / tau);
    sum.add(ln_gamma(alpha0 * cells.possible));
    sum.add(-cells.possible * ln_gamma(alpha0));
    sum.add(-ln_gamma(tau));
    for (index, (&multiplicity, &kappa)) in cells.multiplicity.iter().zip(&point.kappa).enumerate() {
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
    Bound { value: sum.value, noise: 8.0 * f64::EPSILON * sum.absolute }
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
    use crate::dirichlet::normalised;

    /// The bound at a point moved by `length` along a direction in (ln κ, ln τ).
    fn bound_along(
        cells: &MergedCells,
        hyper: Hyper,
        point: &Point,
        step: &[f64],
        tau: f64,
        length: f64,
    ) -> f64 {
        let weights =
            point.kappa.iter().zip(step).map(|(kappa, step)| kappa * (length * step).exp()).collect();
        let moved = Point { tau: point.tau * (length * tau).exp(), kappa: normalised(cells, weights).0 };
        bound(cells, hyper, &moved).value
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
            let (kappa, _) = normalised(&cells, weights[..cells.len()].to_vec());
            let point = Point { tau, kappa };
            // A direction along the simplex: Σ mκ dz = 0.
            let mean: f64 =
                (0..cells.len()).map(|c| cells.multiplicity[c] * point.kappa[c] * direction[c]).sum();
            let step: Vec<f64> = direction[..cells.len()].iter().map(|dz| dz - mean).collect();

            let mut here = Slopes::default();
            evaluate(&cells, hyper, &point, &mut Workspace::new(&cells, hyper), &mut here);
            let value = bound(&cells, hyper, &point).value;
            let along = |length| bound_along(&cells, hyper, &point, &step, direction_tau, length);
            let (up, down) = (along(1e-4), along(-1e-4));
            let mut first = here.gradient_tau * direction_tau;
            let mut second = here.curvature_tau * direction_tau * direction_tau;
            for (c, dz) in step.iter().enumerate() {
                let CellSlopes { gradient, curvature, cross } = here.cells[c];
                first += cells.multiplicity[c] * gradient * dz;
                second += cells.multiplicity[c] * dz * (curvature * dz + 2.0 * cross * direction_tau);
            }
            let scale = 1.0 + value.abs();
            let difference = (up - down) / 2e-4;
            prop_assert!((difference - first).abs() < 1e-6 * scale, "slope {first}, difference {difference}");
            // Where the curvature is not negative it was replaced, on purpose, by one that is.
            if here.cells.iter().all(|cell| cell.curvature + cell.gradient.abs() < 0.0) {
                let difference = (up - 2.0 * value + down) / 1e-8;
                prop_assert!(
                    (difference - second).abs() < 1e-4 * (scale + second.abs()),
                    "curvature {second}, difference {difference}"
                );
            }
        }
    }
}
