//! The hierarchical fit: counts and a prior in, the common centre κ and its concentration τ out.
//!
//! Each data set's table is drawn around a common centre; the fit maximises a lower bound of the evidence over the
//! variational centre Dir(τκ) (\[ACS22\] Appendix A; \[ACZ19\]). The printed algorithm alternates nested Newton loops; here the
//! data sets' own parameters are profiled out and (ln τ, ln κ) move together, which needs about five steps. The maximiser is
//! unique in every case we know, so that the result is a function of the counts and not of iteration limits.
//!
//! Cost: O(steps × distinct observed cells × distinct counts in them), independent of the number of possible cells.
//!
//! - \[ACS22\] Azzimonti, Corani, Scutari: A Bayesian hierarchical score for structure learning from related data sets.
//!   International Journal of Approximate Reasoning 142 (2022), <https://doi.org/10.1016/j.ijar.2021.11.013>.
//! - \[ACZ19\] Azzimonti, Corani, Zaffalon: Hierarchical estimation of parameters in Bayesian networks. Computational
//!   Statistics & Data Analysis 137 (2019), <https://doi.org/10.1016/j.csda.2019.02.004>.

mod bound;
mod cells;
mod columns;
mod evidence;
mod gamma;
mod known;
mod newton;
mod path;
mod prior;
mod rises;
mod risings;
mod tables;

pub(crate) use columns::{LARGE_FROM, large_ln_gammas, ln_gammas, lns};
pub(crate) use evidence::Evidence;
pub use evidence::evidence;
pub(crate) use gamma::{CANCELS_FROM, Rising, SUMMED_COUNTS};
pub use gamma::{digamma, digamma_rise, ln_gamma, ln_rising, tetragamma, trigamma, trigamma_rise};
pub use prior::{Centre, Prior, PriorError, WEIGHTS};
pub use tables::Cells;

use bound::{Hyper, Point, Workspace};
use cells::MergedCells;
use newton::Maximum;
use serde::Serialize;

use crate::counts::Counts;

/// How a fit ended.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", tag = "outcome")]
pub enum Outcome {
    /// At the maximum.
    Converged,
    /// It stopped before the maximum; the next step would still have promised this much in the bound.
    NotConverged {
        /// The promised rise of the bound.
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
    /// The bound L at the maximum.
    pub bound: f64,
    /// The number of Newton steps taken.
    pub iterations: usize,
    /// Whether the maximum was reached.
    pub outcome: Outcome,
}

/// Where a fit begins.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Start {
    /// A guess that balances the main terms of the gradient: the usual start.
    Balanced,
    /// κ even over the cells and the given τ.
    Uniform {
        /// The first τ.
        tau: f64,
    },
    /// κ proportional to the pooled frequencies, smoothed by the given weight in every cell, and the given τ.
    Smoothed {
        /// What is added to every count.
        weight: f64,
        /// The first τ.
        tau: f64,
    },
}

/// One accepted point of a fit, for those who want to watch it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Iterate {
    /// τ at this point.
    pub tau: f64,
    /// The bound at this point.
    pub bound: f64,
    /// Two bounds closer than this cannot be told apart in double precision.
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
/// use kinfolk::dirichlet::{Prior, fit};
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

/// Fits the common centre of one family from a chosen start, showing every accepted point to `observe`.
pub fn fit_from(counts: &Counts, prior: Prior, start: Start, observe: &mut dyn FnMut(&Iterate)) -> Fitted {
    let solution = solve(counts, prior, start, &mut |cells, hyper, point| {
        let bound = bound::bound(cells, hyper, point);
        observe(&Iterate { tau: point.tau, bound: bound.value, noise: bound.noise });
    });
    let bound = bound::bound(&solution.cells, solution.hyper, &solution.maximum.point).value;
    Fitted {
        tau: solution.tau(),
        kappa: (0..counts.observed_cells()).map(|cell| solution.kappa(cell)).collect(),
        kappa_unseen: solution.kappa_unseen(),
        bound,
        iterations: solution.iterations(),
        outcome: if solution.converged() {
            Outcome::Converged
        } else {
            Outcome::NotConverged { decrement: solution.maximum.decrement }
        },
    }
}

/// A fit without its bound, which a score does not need.
pub(crate) struct Solution {
    cells: MergedCells,
    hyper: Hyper,
    maximum: Maximum,
}

impl Solution {
    /// Solves from the usual start.
    pub(crate) fn new(counts: &Counts, prior: Prior) -> Self {
        solve(counts, prior, Start::Balanced, &mut |_, _, _| {})
    }

    pub(crate) fn tau(&self) -> f64 {
        self.maximum.point.tau
    }

    /// κ of an observed cell, by its position in [`Counts::cells`].
    pub(crate) fn kappa(&self, cell: usize) -> f64 {
        self.maximum.point.kappa[self.cells.merged_of[cell]]
    }

    /// κ of a cell that was never seen.
    pub(crate) fn kappa_unseen(&self) -> f64 {
        self.cells.unseen.map_or(0.0, |unseen| self.maximum.point.kappa[unseen])
    }

    pub(crate) fn iterations(&self) -> usize {
        self.maximum.steps
    }

    pub(crate) fn converged(&self) -> bool {
        self.maximum.converged
    }
}

fn solve(
    counts: &Counts,
    prior: Prior,
    start: Start,
    observe: &mut dyn FnMut(&MergedCells, Hyper, &Point),
) -> Solution {
    let cells = MergedCells::new(counts);
    let hyper = Hyper { s: prior.s(), alpha0: prior.alpha0(cells.possible) };
    let mut work = Workspace::new(&cells, hyper);
    let start = starting_point(&cells, hyper, start, &mut work);
    let maximum = if cells.possible == 1.0 {
        // A single cell has nothing to estimate: κ = 1, and the bound does not depend on τ.
        Maximum { point: start, steps: 0, decrement: 0.0, converged: true }
    } else {
        newton::maximise(&cells, hyper, start, &mut work, &mut |point| observe(&cells, hyper, point))
    };
    Solution { cells, hyper, maximum }
}

fn starting_point(cells: &MergedCells, hyper: Hyper, start: Start, work: &mut Workspace) -> Point {
    match start {
        Start::Balanced => balanced_start(cells, hyper, work),
        Start::Uniform { tau } => Point { tau, kappa: normalised(cells, vec![1.0; cells.len()]).0 },
        Start::Smoothed { weight, tau } => {
            Point { tau, kappa: normalised(cells, totals(cells).map(|total| total + weight).collect()).0 }
        }
    }
}

/// A first guess that leaves about five Newton steps.
///
/// For the larger part of the cells x = τκ is not small, and there ψ'(x) ≈ 1/x + 1/(2x²) turns the gradient in ln κ into
/// b + (α0 + F)/(2x) − x with b = α0 − ½ + sκA; its root is x. A, the data's share, is taken at κ from the square roots of
/// the smoothed pooled frequencies. τ is then the sum of the x.
fn balanced_start(cells: &MergedCells, hyper: Hyper, work: &mut Workspace) -> Point {
    let Hyper { s, alpha0 } = hyper;
    let smoothing = s * cells.data_sets / cells.possible;
    let (mut kappa, _) = normalised(cells, totals(cells).map(|total| (total + smoothing).sqrt()).collect());
    let shares = work.data_shares(s, &kappa);
    for (kappa, share) in kappa.iter_mut().zip(shares) {
        let b = alpha0 - 0.5 + s * *kappa * share;
        *kappa = 0.5 * (b + (b * b + 2.0 * (alpha0 + cells.data_sets)).sqrt());
    }
    let tau = normalise(cells, &mut kappa);
    Point { tau, kappa }
}

/// The pooled count of each merged cell.
fn totals(cells: &MergedCells) -> impl Iterator<Item = f64> + '_ {
    (0..cells.len()).map(|index| cells.counts(index).iter().map(|&count| count as f64).sum())
}

/// Weights scaled onto the simplex, and what their sum was.
fn normalised(cells: &MergedCells, mut weights: Vec<f64>) -> (Vec<f64>, f64) {
    let total = normalise(cells, &mut weights);
    (weights, total)
}

/// Scales weights onto the simplex; returns what their sum was.
fn normalise(cells: &MergedCells, weights: &mut [f64]) -> f64 {
    let total =
        weights.iter().zip(&cells.multiplicity).map(|(weight, multiplicity)| weight * multiplicity).sum();
    for weight in weights {
        *weight /= total;
    }
    total
}
