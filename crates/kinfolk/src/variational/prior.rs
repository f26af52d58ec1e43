//! The hyperparameters s and α0 of the hierarchical model, validated on construction.

use serde::Serialize;
use thiserror::Error;

use crate::remedy::Actionable;

/// The valid range of s, α0 and s0: outside it a fit loses all digits.
pub const WEIGHTS: std::ops::RangeInclusive<f64> = 1e-9..=1e9;

/// An invalid prior.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
pub enum PriorError {
    /// s is outside the valid range.
    #[error("s must be a number from 1e-9 to 1e9, not {0:?}; 1 is the default")]
    Concentration(f64),
    /// α0 is outside the valid range.
    #[error(
        "the centre's prior (alpha0 or s0) must be a number from 1e-9 to 1e9, not {0:?}; alpha0 = 1 is the default"
    )]
    Centre(f64),
}

impl Actionable for PriorError {}

/// How the centre's prior Dirichlet is spread over the cells of a family.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Centre {
    /// α0 in every cell.
    PerCell(f64),
    /// A total s0, shared evenly by the cells.
    Total(f64),
}

/// The hyperparameters of \[ACS22\] Eq. (hier): s, the concentration of each data set's table around the centre, and the
/// centre's own prior.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Prior {
    s: f64,
    centre: Centre,
}

impl Default for Prior {
    /// s = 1 per data set and α0 = 1 per cell.
    fn default() -> Self {
        Self { s: 1.0, centre: Centre::PerCell(1.0) }
    }
}

impl Prior {
    /// A validated prior; s is per data set.
    pub fn new(s: f64, centre: Centre) -> Result<Self, PriorError> {
        if !WEIGHTS.contains(&s) {
            return Err(PriorError::Concentration(s));
        }
        let (Centre::PerCell(weight) | Centre::Total(weight)) = centre;
        if !WEIGHTS.contains(&weight) {
            return Err(PriorError::Centre(weight));
        }
        Ok(Self { s, centre })
    }

    /// The concentration s of one data set.
    pub fn s(&self) -> f64 {
        self.s
    }

    /// How the centre's prior is spread.
    pub fn centre(&self) -> Centre {
        self.centre
    }

    /// α0 of one cell in a family of `cells` cells.
    pub fn alpha0(&self, cells: f64) -> f64 {
        match self.centre {
            Centre::PerCell(alpha0) => alpha0,
            Centre::Total(total) => total / cells,
        }
    }
}
