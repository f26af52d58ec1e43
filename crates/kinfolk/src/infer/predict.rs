//! Prediction of one variable from the others, row after row.

use rustc_hash::FxHashMap;

use super::factor::{ln_sum, walk};
use super::inference::{Inference, Plan};
use super::{Given, InferError, Limits};
use crate::data::VariableId;
use crate::estimate::{Network, Relative};

/// Predicts one variable with the tables of one relative; made once for many rows.
///
/// If the target's Markov blanket is known, a row costs the target's states times its families. Otherwise what is missing is summed
/// out, in an order that is looked for once for each pattern of missing values.
#[derive(Debug)]
pub struct Predictor<'n> {
    inference: Inference<'n>,
    target: VariableId,
    /// The target and its children: whose tables have the target in them.
    families: Vec<VariableId>,
    /// The other variables in those tables.
    blanket: Vec<VariableId>,
    plans: FxHashMap<Vec<bool>, Plan>,
}

impl<'n> Predictor<'n> {
    /// Predicts a variable with the tables of a relative.
    pub fn new(network: &'n Network, relative: Relative, target: VariableId) -> Self {
        let dag = network.dag();
        let families: Vec<VariableId> =
            [target].into_iter().chain(dag.children(target).iter().copied()).collect();
        let mut blanket: Vec<VariableId> =
            families.iter().flat_map(|node| dag.parents(*node).iter().chain([node]).copied()).collect();
        blanket.sort_unstable();
        blanket.dedup();
        blanket.retain(|&variable| variable != target);
        let inference = Inference::new(network, relative);
        Self { inference, target, families, blanket, plans: FxHashMap::default() }
    }

    /// The same under other limits.
    #[must_use]
    pub fn with_limits(self, limits: Limits) -> Self {
        Self { inference: self.inference.with_limits(limits), ..self }
    }

    /// P(target | the row's other values), by state. The row's own value of the target is not looked at.
    ///
    /// # Panics
    /// If the row has not one value per variable, or a state that its variable does not have.
    pub fn probabilities(&mut self, row: &[Option<u32>]) -> Result<Vec<f64>, InferError> {
        let mut given = Given::row(self.inference.network(), row);
        given.forget(self.target);
        if self.blanket.iter().all(|&variable| given.is_given(variable)) {
            return self.given_blanket(&given);
        }
        let pattern = given.pattern();
        if let Some(plan) = self.plans.get(&pattern) {
            return self.inference.posterior_by(plan, self.target, &given);
        }
        let plan = self.inference.plan(&[self.target], &given)?;
        let posterior = self.inference.posterior_by(&plan, self.target, &given);
        self.plans.insert(pattern, plan);
        posterior
    }

    fn given_blanket(&self, given: &Given) -> Result<Vec<f64>, InferError> {
        let factors = self.inference.factors(&self.families, given);
        let mut logs = Vec::new();
        walk(&factors, &[], self.target, self.inference.states(), |sums| logs.extend_from_slice(sums));
        let total = ln_sum(&logs);
        if total == f64::NEG_INFINITY {
            return Err(self.inference.impossible());
        }
        Ok(logs.into_iter().map(|log| (log - total).exp()).collect())
    }
}
