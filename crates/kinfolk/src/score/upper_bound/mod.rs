//! Upper bounds of the hierarchical scores, much cheaper than the scores: a search does not fit a family whose bound is
//! below the best move (docs/THEORY.md, E50 and E51).

mod dirichlet;
mod likelihood;

use crate::counts::Counts;

pub(super) use dirichlet::joint_dirichlet;
pub(super) use likelihood::separate_likelihood;

/// Rounding error of a score or an upper bound, relative to the terms that they are sums of.
const ROUNDING: f64 = 1e-13;

/// An upper bound raised by the rounding error of the bound and of the score.
///
/// The terms of either sum to at most lnΓ(n) over all rows n before they cancel.
pub(super) fn with_rounding(upper_bound: f64, counts: &Counts) -> f64 {
    let rows = (counts.rows().iter().sum::<u64>() + 1) as f64;
    upper_bound + ROUNDING * (1.0 + upper_bound.abs() + rows * rows.ln())
}
