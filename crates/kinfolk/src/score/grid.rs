//! The values of s over which the `kin` score integrates, with their prior weights.

use serde::{Serialize, Serializer};
use thiserror::Error;

use crate::remedy::{Actionable, Neutral, Setting, Wording};
use crate::variational::WEIGHTS;

/// The default grid, used in the experiments for this score: from unrelated to identical data sets.
const DEFAULT_VALUES: [f64; 12] = [0.1, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 200.0, 1000.0, 10_000.0];

/// An invalid grid.
#[derive(Debug, Clone, PartialEq, Error)]
#[error("{}", self.problem(&Neutral))]
pub enum GridError {
    /// No value.
    Empty,
    /// A value outside the valid range.
    OutOfRange(f64),
    /// A value given twice.
    Repeated(f64),
}

impl Actionable for GridError {
    fn problem(&self, words: &dyn Wording) -> String {
        let grid = format!("the grid of s ({})", words.setting(Setting::KinGrid));
        match self {
            Self::Empty => format!("{grid} is empty; give numbers such as 0.1,1,10,100"),
            Self::OutOfRange(value) => format!("{grid} must have numbers from 1e-9 to 1e9, not {value:?}"),
            Self::Repeated(value) => format!("{grid} has {value:?} twice; leave one out"),
        }
    }
}

/// Values of s, ascending, validated on construction.
#[derive(Debug, Clone, PartialEq)]
pub struct Grid {
    values: Vec<f64>,
    weights: Vec<f64>,
}

impl Default for Grid {
    /// Twelve values from 0.1 to 10,000.
    fn default() -> Self {
        Self::new(DEFAULT_VALUES.to_vec()).expect("the default grid is valid")
    }
}

impl Grid {
    /// A grid from its values in any order.
    ///
    /// The prior is uniform in ln s: the weight of a value is half the distance between its neighbours, and at an end
    /// of the grid the distance to its only neighbour (docs/THEORY.md, E36).
    pub fn new(mut values: Vec<f64>) -> Result<Self, GridError> {
        if values.is_empty() {
            return Err(GridError::Empty);
        }
        if let Some(&wrong) = values.iter().find(|value| !WEIGHTS.contains(*value)) {
            return Err(GridError::OutOfRange(wrong));
        }
        values.sort_by(f64::total_cmp);
        if let Some(pair) = values.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(GridError::Repeated(pair[0]));
        }
        let last = values.len() - 1;
        let ln = |index: usize| values[index].ln();
        let width = |index: usize| match index {
            _ if last == 0 => 1.0,
            0 => ln(1) - ln(0),
            index if index == last => ln(last) - ln(last - 1),
            index => 0.5 * (ln(index + 1) - ln(index - 1)),
        };
        let widths: Vec<f64> = (0..=last).map(width).collect();
        let total: f64 = widths.iter().sum();
        let weights = widths.iter().map(|width| width / total).collect();
        Ok(Self { values, weights })
    }

    /// The values, ascending.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Their prior weights, which sum to one.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }
}

impl Serialize for Grid {
    /// The values.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.values.serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_widths_in_ln_s() {
        let grid = Grid::new(vec![100.0, 1.0, 10.0, 1000.0]).unwrap();
        assert_eq!(grid.values(), [1.0, 10.0, 100.0, 1000.0]);
        assert!(grid.weights().iter().all(|weight| (weight - 0.25).abs() < 1e-15));
        assert_eq!(Grid::new(vec![3.0]).unwrap().weights(), [1.0]);
        let uneven = Grid::new(vec![1.0, 2.0, 8.0]).unwrap();
        for (weight, expected) in uneven.weights().iter().zip([1.0, 1.5, 2.0]) {
            assert!((weight - expected / 4.5).abs() < 1e-15);
        }
    }

    #[test]
    fn impossible_grids_are_refused() {
        assert_eq!(Grid::new(vec![]), Err(GridError::Empty));
        assert_eq!(Grid::new(vec![1.0, 2.0, 1.0]), Err(GridError::Repeated(1.0)));
        for wrong in [0.0, -1.0, 1e10, 1e-10, f64::INFINITY] {
            assert_eq!(Grid::new(vec![1.0, wrong]), Err(GridError::OutOfRange(wrong)));
        }
        assert!(matches!(Grid::new(vec![f64::NAN]), Err(GridError::OutOfRange(_))));
    }
}
