//! Dirichlet draws for tests.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// A draw from a Dirichlet distribution.
pub(crate) fn dirichlet(weights: &[f64], random: &mut ChaCha8Rng) -> Vec<f64> {
    let draws: Vec<f64> = weights.iter().map(|&weight| gamma(weight, random).max(1e-300)).collect();
    let sum: f64 = draws.iter().sum();
    draws.iter().map(|draw| draw / sum).collect()
}

/// Marsaglia and Tsang (2000); shapes below one are drawn with shape + 1 and a power.
fn gamma(shape: f64, random: &mut ChaCha8Rng) -> f64 {
    if shape < 1.0 {
        return gamma(shape + 1.0, random) * random.random::<f64>().powf(1.0 / shape);
    }
    let d = shape - 1.0 / 3.0;
    loop {
        let radius = (-2.0 * (1.0 - random.random::<f64>()).ln()).sqrt();
        let x = radius * (std::f64::consts::TAU * random.random::<f64>()).cos();
        let v = (1.0 + x / (9.0 * d).sqrt()).powi(3);
        if v > 0.0 && (1.0 - random.random::<f64>()).ln() < 0.5 * x * x + d - d * v + d * v.ln() {
            return d * v;
        }
    }
}
