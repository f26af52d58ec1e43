//! Prediction of one variable from the other values of a row.

use rustc_hash::FxHashMap;

use super::factor::{ln_sum, walk};
use super::inference::{DrawnTables, Inference, Plan};
use super::{Given, InferError, Limits};
use crate::data::VariableId;
use crate::estimate::{Network, Relative};

/// Predicts one variable with the tables of one relative; created once and used for many rows.
///
/// If the target's Markov blanket is observed, the cost per row is the number of target states times that of its families.
/// Otherwise missing values are summed out, with one elimination order per pattern of missing values.
#[derive(Debug)]
pub struct Predictor<'n> {
    inference: Inference<'n>,
    target: VariableId,
    /// The target and its children: the nodes whose tables contain the target.
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

    /// Sets the limits.
    #[must_use]
    pub fn with_limits(self, limits: Limits) -> Self {
        Self { inference: self.inference.with_limits(limits), ..self }
    }

    /// The same predictor with other tables than those of the relative.
    pub(crate) fn with_tables(&self, drawn: DrawnTables<'n>) -> Self {
        Self {
            inference: self.inference.with_tables(drawn),
            target: self.target,
            families: self.families.clone(),
            blanket: self.blanket.clone(),
            plans: self.plans.clone(),
        }
    }

    /// P(target | the row's other values), by state. The row's own value of the target is ignored.
    ///
    /// # Panics
    /// If the row does not have one value per variable, or has a state that its variable does not have.
    pub fn probabilities(&mut self, row: &[Option<u32>]) -> Result<Vec<f64>, InferError> {
        let mut given = Given::row(self.inference.network(), row);
        given.remove(self.target);
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
