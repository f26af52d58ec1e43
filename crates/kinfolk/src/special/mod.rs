//! Gamma functions and sums of rising factorials, one at a time and four at a time.
//!
//! - `gamma`: ln Γ, ψ, ψ', ψ'' of one argument, and their differences over a count (docs/THEORY.md, E27 to E29).
//! - `lanes`: the same functions, ln and exp on four arguments at a time, and the dispatch to wide registers.
//! - `polygamma_sums`: Σ ψ(x + n) − ψ(x) and its derivative over the counts of a cell, for the variational fit (E49).
//! - `rising_sums`: Σ ln Γ(x + n) − ln Γ(x) and four derivatives over the counts of a cell, for Laplace's method (E34).
//! - `rising_table`: ln Γ(s + n) − ln Γ(s) and three derivatives by count, remembered for a grid of s.
//!
//! Global state: `rising_table::TABLES`, one list of tables per thread. It changes no result.

pub(crate) mod gamma;
pub(crate) mod lanes;
pub(crate) mod polygamma_sums;
pub(crate) mod rising_sums;
pub(crate) mod rising_table;

pub use gamma::{digamma, digamma_rise, ln_gamma, ln_rising, tetragamma, trigamma, trigamma_rise};
