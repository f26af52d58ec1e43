//! Scores held-out rows under a network: log-likelihood, and prediction of a target variable.

use crate::data::{RelatedData, VariableId};
use crate::estimate::{Network, Relative, Table};

/// The number of measures per row.
pub(super) const MEASURES: usize = 4;

/// The measures of one row: log-likelihood, hit (1 or 0), log-loss and Brier score of the target; the last
/// three are 0 without a target.
pub(super) type Measures = [f64; MEASURES];

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
        Self { data, nodes, target }
    }

    /// ln P(row) = Σ over the nodes of ln P(its state | its parents' states), and the prediction of the
    /// target.
    pub(super) fn judge(&self, row: usize) -> Measures {
        let code = |id: VariableId| self.data.column(id).get(row);
        let mut measures = [0.0; MEASURES];
        measures[LOG_LIKELIHOOD] = self.nodes.iter().map(|node| node.probability(&code).ln()).sum();
        if let Some(target) = &self.target {
            (measures[HIT], measures[LOG_LOSS], measures[BRIER]) = self.predict(target, row);
        }
        measures
    }

    /// Given all other variables, P(target | rest) is proportional to the product over the families that
    /// contain the target: its own and its children's. Ties predict the first state.
    fn predict(&self, target: &PredictionTarget, row: usize) -> (f64, f64, f64) {
        let logarithms: Vec<f64> = (0..target.states)
            .map(|state| {
                let code = |id| if id == target.id { state } else { self.data.column(id).get(row) };
                let family = |id: &VariableId| self.nodes[id.index()].probability(&code).ln();
                target.children.iter().chain([&target.id]).map(family).sum()
            })
            .collect();
        let largest = logarithms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = logarithms.iter().map(|logarithm| (logarithm - largest).exp()).sum();
        let truth = self.data.column(target.id).get(row) as usize;
        let predicted = logarithms.iter().position(|&logarithm| logarithm == largest);
        let brier = logarithms.iter().enumerate().map(|(state, logarithm)| {
            let happened = if state == truth { 1.0 } else { 0.0 };
            ((logarithm - largest).exp() / sum - happened).powi(2)
        });
        let hit = if predicted == Some(truth) { 1.0 } else { 0.0 };
        (hit, largest + sum.ln() - logarithms[truth], brier.sum())
    }
}

impl HeldOutNode<'_> {
    fn probability(&self, code: &impl Fn(VariableId) -> u32) -> f64 {
        let configuration =
            self.parents.iter().fold(0, |number, &(parent, states)| number * states + code(parent) as usize);
        self.table.values()[configuration * self.states + code(self.id) as usize]
    }
}
