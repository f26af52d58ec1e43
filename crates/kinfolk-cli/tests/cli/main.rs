//! The binary from end to end: real files in, text, JSON and exit codes out.

#![expect(clippy::unwrap_used, reason = "a test may fail loudly")]

mod bootstrap;
mod compare;
mod convert;
mod data;
mod describe;
mod errors;
mod explain;
#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod faults;
mod fit;
mod golden;
mod impute;
mod interrupt;
mod kin;
mod learn;
mod out_file;
mod pages;
mod posterior;
mod predict;
mod query;
mod recorded;
mod report;
mod reproduce;
mod sample;
mod score;
mod search;
mod simulate;
mod validate;
mod workbench;
