//! Tests of counting: tables against a plain count, their memory, their order.

#![expect(clippy::unwrap_used, reason = "a test may fail loudly")]

mod tally;

#[path = "../support/random.rs"]
mod random;
