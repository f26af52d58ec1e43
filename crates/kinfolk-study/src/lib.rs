//! The simulation studies: designs are expanded to replicates, replicates to rows, rows to verdicts and figures.
//!
//! - [`experiment`]: everything that can be reproduced, by name: results, verdicts and figures in a folder;
//! - [`grids`]: every study of the paper, and the one that goes beyond it, as plain data;
//! - [`methods`]: the scores that each replicate is learned with;
//! - [`replicate`]: one made-up problem, learned by every method;
//! - [`rows`]: what is recorded of it, one row per method;
//! - [`store`]: the results file, written as the work goes on and continued where it stopped;
//! - [`run`]: all replicates of a study on all cores;
//! - [`paired`]: differences between methods, with standard errors;
//! - [`verdict`]: what the rows say about each claim of the paper; [`kin_table`]: the same for kin and its rivals;
//! - [`example`], [`sensitivity`], [`complexity`]: the paper's experiments that are not such grids, with their own rows;
//! - [`figures`]: the rows drawn, as SVG and PNG;
//! - [`report`]: the documents made from all of it.

mod choosing;
pub mod complexity;
pub mod example;
pub mod experiment;
pub mod figures;
pub mod grids;
mod grids_kin;
pub mod kin_table;
pub mod least_squares;
pub mod methods;
pub mod paired;
mod printed;
pub mod replicate;
pub mod report;
pub mod rows;
pub mod run;
pub mod sensitivity;
mod separate_k2;
pub mod store;
pub mod verdict;
pub mod verdict_small;
