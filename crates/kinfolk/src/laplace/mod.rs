//! The evidence of a family given s, with the centre integrated out by Laplace's method: the related-data part of
//! `kin`.
//!
//! - `tables`: the configurations (or joint cells) of a family as tables with a centre each; equal ones are merged.
//! - `continuation`: follows the centres of all tables from one s to the next and evaluates the evidence (E33 to E35).
//! - `taylor`: the fourth-order expansion of φ around an evaluation.
//! - `s_bounds`: upper bounds of the evidence at other s from its value at one s (E52, E53).
//! - `evidence`: the evidence over a grid of s; stops where further s contribute nothing, or a family cannot reach a
//!   floor (E54).
//!
//! Equations are numbered as in docs/THEORY.md. Scratch memory: `evidence::{SCRATCH, REUSED}`, per thread.

mod continuation;
mod evidence;
mod s_bounds;
mod tables;
mod taylor;

pub use evidence::evidence;
pub(crate) use evidence::{Evidence, Floor, evidence_with_centre_prior};
pub use tables::Cells;
