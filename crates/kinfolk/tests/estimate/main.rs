//! Tests of the estimated probability tables.

#![expect(clippy::unwrap_used, reason = "a test may fail loudly")]

mod kin_tables;
mod tables;

#[path = "../support/related.rs"]
mod related;
