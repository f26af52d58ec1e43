//! Tests of the estimated probability tables.

#![expect(clippy::unwrap_used, reason = "a test may fail loudly")]

mod intervals;
mod kin_tables;
mod tables;

#[path = "../support/dirichlet.rs"]
mod dirichlet;
#[path = "../support/related.rs"]
mod related;
