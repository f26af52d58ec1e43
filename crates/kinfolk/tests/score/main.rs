//! Tests of the scores: golden numbers from other programs and from 40-digit arithmetic, laws, and the paper's example.

#![expect(clippy::unwrap_used, reason = "a test may fail loudly")]

mod algorithm1;
mod bnlearn;
mod fit_golden;
mod fit_laws;
mod identical;
mod kin_golden;
mod kin_laws;
mod laws;
mod paper_example;
mod spec;

#[path = "../support/dirichlet.rs"]
mod dirichlet;
#[path = "../support/random.rs"]
mod random;
#[path = "../support/related.rs"]
mod related;
