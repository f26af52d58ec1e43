//! Algorithm 1 of [ACS22] as printed (with the misplaced bracket of ∂L/∂κ put right): nested Newton loops, slow, and its κ
//! step may leave the simplex; an oracle for our own solver where it does converge.

use kinfolk::special::{digamma, tetragamma, trigamma};

pub(crate) struct Oracle {
    pub(crate) tau: f64,
    pub(crate) kappa: Vec<f64>,
}

/// Runs the printed algorithm; nothing if it leaves the simplex or does not settle.
pub(crate) fn fit(table: &[Vec<Vec<u64>>], s: f64, alpha0: f64) -> Option<Oracle> {
    let counts: Vec<Vec<f64>> =
        table.iter().map(|data_set| data_set.iter().flatten().map(|&n| n as f64).collect()).collect();
    let cells = counts[0].len();
    let sets = counts.len() as f64;
    let size = cells as f64;
    let mut kappa = vec![1.0 / size; cells];
    let mut tau = alpha0 * size + sets * (s + (size - 1.0) / 2.0);
    for _outer in 0..20_000 {
        let before = (tau, kappa.clone());
        // Step 1: ν = n + sκ (Eq. nu).
        let nu: Vec<Vec<f64>> =
            counts.iter().map(|counts| counts.iter().zip(&kappa).map(|(n, k)| n + s * k).collect()).collect();
        for _inner in 0..50 {
            let inner_before = (tau, kappa.clone());
            // Step 3a: τ given κ (Eq. tau).
            let w = |k: f64| alpha0 - tau * k - sets * (s * k - 1.0);
            let mut g = s * sets * (size - 1.0) / (tau * tau);
            let mut h = -2.0 * s * sets * (size - 1.0) / tau.powi(3) + trigamma(tau);
            for &k in &kappa {
                g += (trigamma(tau * k) * k - trigamma(tau)) * w(k);
                h += (tetragamma(tau * k) * k * k - tetragamma(tau)) * w(k) - trigamma(tau * k) * k * k;
            }
            let exponent = -g / (h * tau + g);
            tau *= exponent.clamp(-1.0, 1.0).exp();
            // Step 3b: κ given τ and ν (Eq. kappa).
            let mut gradient = Vec::with_capacity(cells);
            let mut curvature = Vec::with_capacity(cells);
            for (cell, &k) in kappa.iter().enumerate() {
                let w = alpha0 - tau * k - sets * (s * k - 1.0);
                let data: f64 = nu.iter().map(|nu| digamma(nu[cell]) - digamma(nu.iter().sum())).sum();
                gradient.push(
                    s * data
                        + tau * trigamma(tau * k) * w
                        + tau * digamma(tau)
                        + s * sets * (digamma(tau) - digamma(tau * k) - digamma(s * k) + k.ln() + 1.0)
                        - sets / k,
                );
                curvature.push(
                    tau * tau * tetragamma(tau * k) * w
                        - tau * trigamma(tau * k) * (tau + 2.0 * s * sets)
                        - s * s * sets * trigamma(s * k)
                        + s * sets / k
                        + sets / (k * k),
                );
            }
            let ratio: f64 = gradient.iter().zip(&curvature).map(|(g, h)| g / h).sum();
            let inverse: f64 = curvature.iter().map(|h| 1.0 / h).sum();
            for (cell, k) in kappa.iter_mut().enumerate() {
                *k += ratio / (curvature[cell] * inverse) - gradient[cell] / curvature[cell];
            }
            if kappa.iter().any(|&k| k <= 0.0 || !k.is_finite()) || !tau.is_finite() {
                return None;
            }
            if change(&inner_before, tau, &kappa) < 1e-13 {
                break;
            }
        }
        if change(&before, tau, &kappa) < 1e-12 {
            return Some(Oracle { tau, kappa });
        }
    }
    None
}

fn change(before: &(f64, Vec<f64>), tau: f64, kappa: &[f64]) -> f64 {
    let tau = ((tau - before.0) / tau).abs();
    before.1.iter().zip(kappa).map(|(a, b)| ((a - b) / b).abs()).fold(tau, f64::max)
}
