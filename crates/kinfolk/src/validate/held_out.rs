//! Scores held-out rows under a network: log-likelihood, and prediction of a target variable.

use crate::data::{RelatedData, VariableId};
use crate::estimate::{Network, Relative, Table};
use crate::infer::{Given, InferError, Inference};

/// The number of measures per row.
pub(super) const MEASURES: usize = 4;

/// The measures of one row: log-likelihood, hit (1 or 0), log-loss and Brier score of the target; the last
/// three are `None` without a target, or if the row lacks its value.
pub(super) type Measures = [Option<f64>; MEASURES];

/// The index of each measure.
pub(super) const LOG_LIKELIHOOD: usize = 0;
pub(super) const HIT: usize = 1;
pub(super) const LOG_LOSS: usize = 2;
pub(super) const BRIER: usize = 3;

/// Scores rows of one data set with the tables of one relative.
pub(super) struct RowScorer<'a> {
    data: &'a RelatedData,
    nodes: Vec<HeldOutNode<'a>>,
    target: Option<PredictionTarget>,
    /// For rows with missing values.
    inference: Inference<'a>,
}

struct HeldOutNode<'a> {
    id: VariableId,
    states: usize,
    /// The parents with their numbers of states; the first varies slowest in the table.
    parents: Vec<(VariableId, usize)>,
    table: &'a Table,
}

struct PredictionTarget {
    id: VariableId,
    states: u32,
    children: Vec<VariableId>,
}

impl<'a> RowScorer<'a> {
    /// Prepares the tables of one relative for rows of `data`. The network and the data have the same
    /// variables.
    pub(super) fn new(
        data: &'a RelatedData,
        network: &'a Network,
        relative: Relative,
        target: Option<VariableId>,
    ) -> Self {
        let schema = network.schema();
        let nodes = schema.ids().map(|id| HeldOutNode {
            id,
            states: schema.states(id),
            parents: network
                .dag()
                .parents(id)
                .iter()
                .map(|&parent| (parent, schema.states(parent)))
                .collect(),
            table: network.table_of(id, relative),
        });
        let nodes: Vec<HeldOutNode<'_>> = nodes.collect();
        let target = target.map(|id| {
            let of_target = |node: &&HeldOutNode<'_>| node.parents.iter().any(|&(parent, _)| parent == id);
            let states = u32::try_from(schema.states(id)).expect("codes have 32 bits");
            PredictionTarget {
                id,
                states,
                children: nodes.iter().filter(of_target).map(|node| node.id).collect(),
            }
        });
        Self { data, nodes, target, inference: Inference::new(network, relative) }
    }

    /// ln P(row) = Σ over the nodes of ln P(its state | its parents' states), and the prediction of the
    /// target.
    pub(super) fn judge(&self, row: usize) -> Result<Measures, InferError> {
        if !self.data.is_complete()
            && self.inference.network().schema().ids().any(|id| self.data.is_missing(id, row))
        {
            return self.judge_observed(row);
        }
        let code = |id: VariableId| self.data.column(id).get(row);
        let mut measures = [None; MEASURES];
        measures[LOG_LIKELIHOOD] = Some(self.nodes.iter().map(|node| node.probability(&code).ln()).sum());
        if let Some(target) = &self.target {
            let (hit, log_loss, brier) = quality(&self.predict(target, row), code(target.id) as usize);
            (measures[HIT], measures[LOG_LOSS], measures[BRIER]) = (Some(hit), Some(log_loss), Some(brier));
        }
        Ok(measures)
    }

    /// ln P(observed values), and the prediction of the target from the other observed values.
    fn judge_observed(&self, row: usize) -> Result<Measures, InferError> {
        let cell = |id: VariableId| (!self.data.is_missing(id, row)).then(|| self.data.column(id).get(row));
        let mut cells: Vec<Option<u32>> = self.inference.network().schema().ids().map(cell).collect();
        let mut measures = [None; MEASURES];
        measures[LOG_LIKELIHOOD] = Some(self.inference.log_likelihood(&cells)?);
        let target = self.target.as_ref().and_then(|target| Some((target, cells[target.id.index()].take()?)));
        if let Some((target, truth)) = target {
            let others = Given::row(self.inference.network(), &cells);
            let logarithms: Vec<f64> = self
                .inference
                .posterior(target.id, &others)?
                .iter()
                .map(|probability| probability.ln())
                .collect();
            let (hit, log_loss, brier) = quality(&logarithms, truth as usize);
            (measures[HIT], measures[LOG_LOSS], measures[BRIER]) = (Some(hit), Some(log_loss), Some(brier));
        }
        Ok(measures)
    }

    /// Given all other variables, P(target | rest) is proportional to the product over the families that
    /// contain the target: its own and its children's. Returns its logarithm, up to a constant.
    fn predict(&self, target: &PredictionTarget, row: usize) -> Vec<f64> {
        (0..target.states)
            .map(|state| {
                let code = |id| if id == target.id { state } else { self.data.column(id).get(row) };
                let family = |id: &VariableId| self.nodes[id.index()].probability(&code).ln();
                target.children.iter().chain([&target.id]).map(family).sum()
            })
            .collect()
    }
}

/// Hit, log-loss and Brier score of a prediction, from the logarithms of its probabilities up to a constant. Ties predict the first
/// state.
fn quality(logarithms: &[f64], truth: usize) -> (f64, f64, f64) {
    let largest = logarithms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let sum: f64 = logarithms.iter().map(|logarithm| (logarithm - largest).exp()).sum();
    let predicted = logarithms.iter().position(|&logarithm| logarithm == largest);
    let brier = logarithms.iter().enumerate().map(|(state, logarithm)| {
        let happened = if state == truth { 1.0 } else { 0.0 };
        ((logarithm - largest).exp() / sum - happened).powi(2)
    });
    let hit = if predicted == Some(truth) { 1.0 } else { 0.0 };
    (hit, largest + sum.ln() - logarithms[truth], brier.sum())
}

impl HeldOutNode<'_> {
    fn probability(&self, code: &impl Fn(VariableId) -> u32) -> f64 {
        let configuration =
            self.parents.iter().fold(0, |number, &(parent, states)| number * states + code(parent) as usize);
        self.table.values()[configuration * self.states + code(self.id) as usize]
    }
}
