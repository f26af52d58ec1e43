//! One Bayesian network from several related data sets.
//!
//! The modules follow the flow of the data: read and encode ([`data`]), graphs ([`graph`]).

pub mod data;
pub mod graph;
