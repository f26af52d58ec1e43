//! Tests of the searches: laws, choices, orders, PC, the amount of work, and posterior probabilities against enumeration.

#![expect(clippy::unwrap_used, reason = "a test may fail loudly")]

mod choices;
mod laws;
mod order;
mod pc;
mod posterior;
mod spec;
mod work;

#[path = "../support/climbing.rs"]
mod climbing;
#[path = "../support/random.rs"]
mod random;
#[path = "../support/related.rs"]
mod related;
