//! Tests of results based on learned networks: documents, explanations, bootstrap and validation.

#![expect(clippy::unwrap_used, reason = "a test may fail loudly")]

mod bootstrap;
mod documents;
mod explanations;
mod incomplete;
mod incomplete_after;
mod review;
mod validation;
mod verbs;

#[path = "../support/dirichlet.rs"]
mod dirichlet;
#[path = "../support/random.rs"]
mod random;
#[path = "../support/related.rs"]
mod related;
#[path = "../support/relatives.rs"]
mod relatives;
