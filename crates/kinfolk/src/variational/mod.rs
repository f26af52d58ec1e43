//! BHD's variational fit: counts and a prior in, the common centre κ and its concentration τ out.
//!
//! Each data set's table is drawn around a common centre; the fit maximises a lower bound of the evidence over the
//! variational centre Dir(τκ) (\[ACS22\] Appendix A; \[ACZ19\]). The printed algorithm alternates nested Newton loops;
//! here the data sets' own parameters are profiled out and (ln τ, ln κ) are updated jointly, which takes about five
//! steps. The maximiser was unique in every case tried, so the result is a function of the counts and not of iteration
//! limits.
//!
//! Cost: O(steps × distinct observed cells × distinct counts in them), independent of the number of possible cells.
//!
//! `merged_cells` stores equal cells once, `elbo` computes L and its derivatives, `newton` maximises it, `fit` fits one
//! family in reused memory (`fit::SCRATCH`, one per thread), `prior` holds the validated settings.
//!
//! - \[ACS22\] Azzimonti, Corani, Scutari: A Bayesian hierarchical score for structure learning from related data sets.
//!   International Journal of Approximate Reasoning 142 (2022), <https://doi.org/10.1016/j.ijar.2021.11.013>.
//! - \[ACZ19\] Azzimonti, Corani, Zaffalon: Hierarchical estimation of parameters in Bayesian networks. Computational
//!   Statistics & Data Analysis 137 (2019), <https://doi.org/10.1016/j.csda.2019.02.004>.

mod elbo;
mod fit;
pub(crate) mod merged_cells;
mod newton;
mod prior;

pub(crate) use fit::with_fit;
pub use prior::{Centre, Prior, PriorError, WEIGHTS};

use fit::ReusableFit;
use serde::Serialize;

use crate::counts::Counts;

/// How a fit ended.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", tag = "outcome")]
pub enum Outcome {
    /// At the maximum.
    Converged,
    /// It stopped before the maximum; `decrement` is the rise of L that the next step predicted.
    NotConverged {
        /// The predicted rise of L.
        decrement: f64,
    },
}

/// The fitted centre of one family.
#[derive(Debug, Clone, PartialEq)]
pub struct Fitted {
    /// The concentration of the centre's posterior.
    pub tau: f64,
    /// κ of each observed cell, in the order of [`Counts::cells`].
    pub kappa: Vec<f64>,
    /// κ of every cell that was never observed.
    pub kappa_unseen: f64,
    /// The lower bound L of the log evidence at the maximum.
    pub elbo: f64,
    /// The number of Newton steps taken.
    pub iterations: usize,
    /// Whether the maximum was reached.
    pub outcome: Outcome,
}

/// The starting point of a fit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Start {
    /// The default: a guess that balances the main terms of the gradient.
    Balanced,
    /// κ uniform over the cells, and the given τ.
    Uniform {
        /// The initial τ.
        tau: f64,
    },
    /// κ proportional to the pooled frequencies, smoothed by the given weight in every cell, and the given τ.
    Smoothed {
        /// The weight added to every count.
        weight: f64,
        /// The initial τ.
        tau: f64,
    },
}

/// One accepted point of a fit, passed to an observer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Iterate {
    /// τ at this point.
    pub tau: f64,
    /// The lower bound L at this point.
    pub elbo: f64,
    /// Two values of L closer than this are indistinguishable in double precision.
    pub noise: f64,
}

impl Fitted {
    /// Whether the maximum was reached.
    pub fn converged(&self) -> bool {
        self.outcome == Outcome::Converged
    }
}

/// Fits the common centre of one family.
///
/// ```
/// use kinfolk::counts::Counts;
/// use kinfolk::variational::{Prior, fit};
///
/// // Two data sets, one configuration, two states: counts[data set][configuration][state].
/// let counts = Counts::from_table(&[vec![vec![8, 2]], vec![vec![6, 4]]]);
/// let fitted = fit(&counts, Prior::default());
/// assert!(fitted.converged());
/// assert!((fitted.kappa.iter().sum::<f64>() - 1.0).abs() < 1e-12);
/// assert!(fitted.kappa[0] > fitted.kappa[1]);
/// ```
pub fn fit(counts: &Counts, prior: Prior) -> Fitted {
    fit_from(counts, prior, Start::Balanced, &mut |_| {})
}

/// Fits the common centre of one family from a chosen start, and calls `observe` with every accepted point.
pub fn fit_from(counts: &Counts, prior: Prior, start: Start, observe: &mut dyn FnMut(&Iterate)) -> Fitted {
    let mut fit = ReusableFit::default();
    fit.solve(counts, prior, start, &mut |cells, hyper, point| {
        let elbo = elbo::elbo(cells, hyper, point);
        observe(&Iterate { tau: point.tau, elbo: elbo.value, noise: elbo.noise });
    });
    Fitted {
        tau: fit.tau(),
        kappa: (0..counts.observed_cells()).map(|cell| fit.kappa(cell)).collect(),
        kappa_unseen: fit.kappa_unseen(),
        elbo: fit.elbo(),
        iterations: fit.iterations(),
        outcome: if fit.converged() {
            Outcome::Converged
        } else {
            Outcome::NotConverged { decrement: fit.decrement() }
        },
    }
}
