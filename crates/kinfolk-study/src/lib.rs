//! The simulation studies: grids of designs become replicates, replicates tidy rows, rows verdicts and figures.
//!
//! - [`grids`]: every study of the paper, and those that go beyond it, as plain data;
//! - [`methods`]: the scores that each replicate is learned with;
//! - [`replicate`]: one made-up problem, learned by every method;
//! - [`rows`]: what is recorded of it, one row per method;
//! - [`store`]: the results file, written as the work goes on and continued where it stopped;
//! - [`run`]: all replicates of a study on all cores;
//! - [`paired`]: differences between methods, with standard errors;
//! - [`verdict`]: what the rows say about each claim of the paper.

pub mod grids;
mod grids_kin;
pub mod methods;
pub mod paired;
pub mod replicate;
pub mod rows;
pub mod run;
mod separate_k2;
pub mod store;
pub mod verdict;
