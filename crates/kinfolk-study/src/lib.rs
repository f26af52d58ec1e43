//! The simulation studies: designs are expanded to replicates, replicates to rows, rows to verdicts and figures.
//!
//! - [`experiment`]: all experiments by name: results, verdicts and figures in a folder;
//! - [`grids`]: the designs of the paper's studies and of the kin study, as plain data;
//! - [`methods`]: the scores with which each replicate is learned;
//! - [`fault`]: rows that violate the assumptions of kin;
//! - [`replicate`]: one simulated problem, learned by every method;
//! - [`rows`]: its results, one row per method;
//! - [`store`]: the results file, to which finished replicates are appended, and from which a run resumes;
//! - [`run`]: all replicates of a study on all cores;
//! - [`paired`]: differences between methods, with standard errors;
//! - [`verdict`]: what the rows say about each claim of the paper; [`kin_table`]: the same for kin and its rivals;
//! - [`missing`]: the study of missing values, with rows and a table of its own;
//! - [`searching`]: the study of searches; [`calibration`]: the study of posterior probabilities and resampling;
//! - [`example`], [`sensitivity`], [`complexity`]: the paper's experiments that are not such grids, with their own rows;
//! - [`figures`]: the rows drawn, as SVG and PNG;
//! - [`report`]: the documents made from all of it.

pub mod calibration;
mod choosing;
pub mod complexity;
mod cpu_time;
pub mod example;
pub mod experiment;
pub mod fault;
pub mod figures;
pub mod grids;
mod grids_kin;
pub mod kin_table;
pub mod least_squares;
pub mod methods;
pub mod missing;
pub mod paired;
mod printed;
pub mod replicate;
pub mod report;
pub mod rows;
pub mod run;
pub mod searching;
pub mod sensitivity;
mod separate_k2;
pub mod store;
pub mod verdict;
pub mod verdict_small;
