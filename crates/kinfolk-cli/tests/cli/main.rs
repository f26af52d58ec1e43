//! The binary from end to end: real files in, text, JSON and exit codes out.

#![expect(clippy::unwrap_used, reason = "a test may fail loudly")]

mod compare;
mod data;
mod describe;
mod errors;
mod fit;
mod golden;
mod interrupt;
mod kin;
mod learn;
mod out_file;
mod pages;
mod score;
mod search;
mod workbench;
