//! One Bayesian network from several related data sets.
//!
//! The modules follow the flow of the data: read and encode ([`data`]), graphs ([`graph`]), counts ([`counts`]), the
//! hierarchical fit ([`dirichlet`]).

pub mod data;
pub mod graph;

pub mod counts;
pub mod dirichlet;
pub mod score;
pub mod search;
