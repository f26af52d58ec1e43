//! Completion of rows: the joint posterior of a row's missing values given its observed ones, and exact draws from it.

use rustc_hash::FxHashMap;

use super::elimination::Conditionals;
use super::inference::{Inference, Plan};
use super::{Given, InferError, Limits};
use crate::data::VariableId;
use crate::estimate::{Network, Relative};

/// Completes rows with the tables of one relative; created once and used for many rows.
///
/// The elimination order depends only on which values are missing and is chosen once per pattern, by [`Completer::prepare`].
#[derive(Debug)]
pub struct Completer<'n> {
    inference: Inference<'n>,
    plans: FxHashMap<Vec<bool>, Plan>,
}

/// The joint posterior of the missing values of one row.
#[derive(Debug)]
pub struct Completion<'p> {
    missing: Vec<VariableId>,
    conditionals: Conditionals<'p>,
    /// The observed states; 0 where a value is missing.
    known: Vec<u32>,
}

impl<'n> Completer<'n> {
    /// Completes rows with the tables of a relative.
    pub fn new(network: &'n Network, relative: Relative) -> Self {
        Self { inference: Inference::new(network, relative), plans: FxHashMap::default() }
    }

    /// Sets the limits.
    #[must_use]
    pub fn with_limits(self, limits: Limits) -> Self {
        Self { inference: self.inference.with_limits(limits), ..self }
    }

    /// Chooses the elimination order for the missing values of this row, unless it is known from an earlier row.
    ///
    /// # Panics
    /// If the row does not have one value per variable, or has a state that its variable does not have.
    pub fn prepare(&mut self, row: &[Option<u32>]) -> Result<(), InferError> {
        let given = Given::row(self.inference.network(), row);
        let pattern = given.pattern();
        if !self.plans.contains_key(&pattern) {
            let plan = self.inference.plan(&missing(row), &given)?;
            self.plans.insert(pattern, plan);
        }
        Ok(())
    }

    /// P(missing values | observed values) of a row.
    ///
    /// # Panics
    /// If [`Completer::prepare`] was not called for a row with the same missing values.
    pub fn completion(&self, row: &[Option<u32>]) -> Result<Completion<'_>, InferError> {
        let given = Given::row(self.inference.network(), row);
        let plan = self.plans.get(&given.pattern()).expect("the pattern was prepared");
        let missing = missing(row);
        let conditionals = self.inference.conditionals_by(plan, &missing, &given)?;
        Ok(Completion { missing, conditionals, known: row.iter().map(|state| state.unwrap_or(0)).collect() })
    }
}

impl Completion<'_> {
    /// The variables that were missing, in column order.
    pub fn missing(&self) -> &[VariableId] {
        &self.missing
    }

    /// One draw of all missing values from their joint posterior: the completed row. `unit` supplies uniform numbers in the open
    /// interval (0, 1), one per missing value.
    pub fn draw(&self, unit: &mut dyn FnMut() -> f64) -> Vec<u32> {
        let mut row = self.known.clone();
        self.conditionals.draw(unit, &mut row);
        row
    }

    /// The posterior of each missing value, by state.
    pub fn posteriors(self) -> Vec<Vec<f64>> {
        self.conditionals.marginals(&self.missing)
    }
}

fn missing(row: &[Option<u32>]) -> Vec<VariableId> {
    let places = row.iter().enumerate().filter(|(_, state)| state.is_none());
    places.map(|(place, _)| VariableId::new(place)).collect()
}
