//! Questions to networks: against enumeration of all configurations, at the limits, and by hand.

#![expect(clippy::unwrap_used, reason = "a test may fail loudly")]

mod by_hand;
mod completion;
mod enumeration;
mod laws;
mod prediction;
