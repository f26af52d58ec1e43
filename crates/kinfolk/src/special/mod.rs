//! Gamma functions and sums of rising factorials, one at a time and four at a time.
//!
//! - `beta`: quantiles of the beta distribution.
//! - `gamma`: ln Γ, ψ, ψ', ψ'' of one argument, and their differences over a count (docs/THEORY.md, E27 to E29).
//! - `lanes`: the same functions, ln and exp on four arguments at a time, and the dispatch to wide registers.
//! - `polygamma_sums`: Σ ψ(x + n) − ψ(x) and its derivative over the counts of a cell, for the variational fit (E49).
//! - `rising_sums`: Σ ln Γ(x + n) − ln Γ(x) and four derivatives over the counts of a cell, for Laplace's method (E34).
//! - `prior_table`: ln Γ(prior + n) − ln Γ(prior) by count, cached for the priors of the closed-form scores.
//! - `rising_table`: ln Γ(s + n) − ln Γ(s) and three derivatives by count, cached for a grid of s.
//!
//! All tables by count, thread-locals and statics of the library. None of them changes a result:
//!
//! | where | what | why it is separate |
//! |---|---|---|
//! | `special::rising_table::TABLES` | rising factorials and three derivatives, per thread and grid | all s of a grid for one count |
//! | `special::prior_table::SHARED`, `score::dirichlet_scores::LN_GAMMA_TABLES` | rising factorials by prior, shared and per thread | every family size has a prior of its own |
//! | `score::upper_bound::dirichlet::SCRATCH` | terms of the upper bound by count, and scratch memory | another function of the count |
//! | `score::upper_bound::likelihood::{VALUES, SCRATCH}` | n ln n, and scratch memory | another function of the count |
//! | `variational::fit::SCRATCH` | scratch memory of a fit | scratch memory only |
//! | `laplace::evidence::{SCRATCH, REUSED}` | scratch memory, and memory for the result | scratch memory only |

pub(crate) mod beta;
pub(crate) mod gamma;
pub(crate) mod lanes;
pub(crate) mod polygamma_sums;
pub(crate) mod prior_table;
pub(crate) mod rising_sums;
pub(crate) mod rising_table;

pub use beta::beta_quantile;
pub use gamma::{digamma, digamma_rise, ln_gamma, ln_rising, tetragamma, trigamma, trigamma_rise};
