//! Exact inference with the tables of one relative.

use std::fmt;
use std::sync::OnceLock;

use super::elimination::{Conditionals, cells, marginals, sum_out};
use super::explanation::{MostProbableExplanation, maximise};
use super::factor::{Factor, ln_sum, walk};
use super::order::EliminationOrder;
use super::{Given, InferError, Limits, Size};
use crate::data::VariableId;
use crate::estimate::{Network, Relative};

/// Answers queries with the tables of one relative: a data set, the pooled rows, or a new data set. Answers are exact.
///
/// Complexity: linear in the cells of the elimination tables, which grow exponentially with the induced width. The order is
/// greedy, by min-fill or min-weight. A query whose tables would exceed the [`Limits`] is rejected before allocation.
#[derive(Debug)]
pub struct Inference<'n> {
    network: &'n Network,
    relative: Relative,
    limits: Limits,
    /// The number of states of every variable.
    states: Vec<usize>,
    /// The logarithms of every node's table, computed on first use.
    logs: Vec<OnceLock<Vec<f64>>>,
    /// Other tables than those of the relative.
    drawn: Option<DrawnTables<'n>>,
}

/// The logarithms of a node's probabilities, by configuration, then state.
#[derive(Clone, Copy)]
pub(crate) struct DrawnTables<'n>(pub(crate) &'n (dyn Fn(VariableId) -> Vec<f64> + Sync));

impl fmt::Debug for DrawnTables<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DrawnTables")
    }
}

/// The joint distribution of some variables.
#[derive(Debug, Clone, PartialEq)]
pub struct Joint {
    /// The variables.
    pub variables: Vec<VariableId>,
    /// One probability per configuration; the last variable varies fastest.
    pub probabilities: Vec<f64>,
}

/// The relevant nodes and the elimination order for a pattern of given variables. It does not depend on their states.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    /// The nodes whose tables are relevant.
    nodes: Vec<VariableId>,
    order: EliminationOrder,
}

impl<'n> Inference<'n> {
    /// Inference with the tables of one relative, under the default limits.
    pub fn new(network: &'n Network, relative: Relative) -> Self {
        let schema = network.schema();
        let states: Vec<usize> = schema.ids().map(|id| schema.states(id)).collect();
        let logs = states.iter().map(|_| OnceLock::new()).collect();
        Self { network, relative, limits: Limits::default(), states, logs, drawn: None }
    }

    /// Sets the limits.
    #[must_use]
    pub fn with_limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// The same inference with other tables than those of the relative.
    pub(crate) fn with_tables(&self, drawn: DrawnTables<'n>) -> Self {
        let base = Self::new(self.network, self.relative).with_limits(self.limits);
        Self { drawn: Some(drawn), ..base }
    }

    /// The network.
    pub fn network(&self) -> &'n Network {
        self.network
    }

    /// The relative whose tables are used.
    pub fn relative(&self) -> Relative {
        self.relative
    }

    /// P(target | given), by state. A target that is itself given has its state with probability 1.
    ///
    /// Evidence that is d-separated from the target is ignored; [`Inference::log_probability`] reports whether it is possible.
    pub fn posterior(&self, target: VariableId, given: &Given) -> Result<Vec<f64>, InferError> {
        let plan = self.plan(&[target], given)?;
        self.posterior_by(&plan, target, given)
    }

    /// P(target | given) for each target separately, by state.
    pub fn posteriors(&self, targets: &[VariableId], given: &Given) -> Result<Vec<Vec<f64>>, InferError> {
        let open: Vec<VariableId> =
            targets.iter().copied().filter(|&target| !given.is_given(target)).collect();
        let plan = self.plan(&open, given)?;
        let mut found = self.marginals_by(&plan, &open, given)?.into_iter();
        let mut answer = |&target: &VariableId| match given.state(target) {
            Some(state) => self.certain(target, state),
            None => found.next().expect("every open target has its marginals"),
        };
        Ok(targets.iter().map(&mut answer).collect())
    }

    /// P(targets | given), the joint distribution.
    ///
    /// # Panics
    /// If a target is named twice.
    pub fn joint(&self, targets: &[VariableId], given: &Given) -> Result<Joint, InferError> {
        let distinct = targets.iter().enumerate().all(|(at, target)| !targets[..at].contains(target));
        assert!(distinct, "a variable is a target once");
        let open: Vec<VariableId> =
            targets.iter().copied().filter(|&target| !given.is_given(target)).collect();
        let wanted = targets.iter().map(|target| self.states[target.index()] as f64).product();
        if wanted > self.limits.most_cells {
            let size = Size { cells: wanted, largest: wanted, width: targets.len().saturating_sub(1) };
            return Err(InferError::TooLarge { size, most_cells: self.limits.most_cells });
        }
        let found = self.joint_of_open(&open, given)?;
        let mut probabilities = vec![0.0; cells(targets, &self.states)];
        // The index of each configuration of the open targets among those of all targets.
        let stride = |at: usize| cells(&targets[at + 1..], &self.states);
        let mut places = vec![0];
        for (at, &target) in targets.iter().enumerate() {
            let states = match given.state(target) {
                Some(state) => state as usize..state as usize + 1,
                None => 0..self.states[target.index()],
            };
            places = places
                .iter()
                .flat_map(|place| states.clone().map(move |state| place + state * stride(at)))
                .collect();
        }
        places.into_iter().zip(found).for_each(|(place, probability)| probabilities[place] = probability);
        Ok(Joint { variables: targets.to_vec(), probabilities })
    }

    fn joint_of_open(&self, open: &[VariableId], given: &Given) -> Result<Vec<f64>, InferError> {
        let Some((&last, others)) = open.split_last() else { return Ok(vec![1.0]) };
        let nodes = self.connected(&self.relevant(open, given), open, given);
        let order = self.order(&nodes, open, given)?;
        let left = sum_out(&order, self.factors(&nodes, given), &self.states);
        let mut logs = Vec::with_capacity(cells(open, &self.states));
        walk(&left, others, last, &self.states, |sums| logs.extend_from_slice(sums));
        let total = ln_sum(&logs);
        if total == f64::NEG_INFINITY {
            return Err(self.impossible());
        }
        Ok(logs.into_iter().map(|log| (log - total).exp()).collect())
    }

    /// ln P(evidence | interventions); an error if the evidence is impossible.
    pub fn log_probability(&self, given: &Given) -> Result<f64, InferError> {
        let log = self.log_evidence(given)?;
        if log == f64::NEG_INFINITY { Err(self.impossible()) } else { Ok(log) }
    }

    /// ln P(row), with missing values summed out; negative infinity for an impossible row.
    ///
    /// # Panics
    /// If the row does not have one value per variable, or has a state that its variable does not have.
    pub fn log_likelihood(&self, row: &[Option<u32>]) -> Result<f64, InferError> {
        self.log_evidence(&Given::row(self.network, row))
    }

    fn log_evidence(&self, given: &Given) -> Result<f64, InferError> {
        let nodes = self.relevant(&[], given);
        let order = self.order(&nodes, &[], given)?;
        let left = sum_out(&order, self.factors(&nodes, given), &self.states);
        // 0.0 + …, because the sum of an empty iterator is -0.
        Ok(0.0 + left.iter().map(Factor::scalar).sum::<f64>())
    }

    /// The most probable states of all variables that are not given. In case of ties a variable takes its first state.
    pub fn explanation(&self, given: &Given) -> Result<MostProbableExplanation, InferError> {
        let nodes: Vec<VariableId> =
            self.network.schema().ids().filter(|&node| !given.is_set(node)).collect();
        let order = self.order(&nodes, &[], given)?;
        let ids = self.network.schema().ids();
        let mut known: Vec<u32> = ids.map(|id| given.state(id).unwrap_or(0)).collect();
        if !maximise(&order, self.factors(&nodes, given), &self.states, &mut known) {
            return Err(self.impossible());
        }
        let mut all = given.clone();
        for (id, &state) in self.network.schema().ids().zip(&known) {
            if !given.is_given(id) {
                all.observe(self.network, id, state)?;
            }
        }
        let log_probability = 0.0 + self.factors(&nodes, &all).iter().map(Factor::scalar).sum::<f64>();
        Ok(MostProbableExplanation { states: known, log_probability })
    }

    /// The plan for the posterior of some open targets. It depends on which variables are given, not on their states.
    pub(crate) fn plan(&self, targets: &[VariableId], given: &Given) -> Result<Plan, InferError> {
        let nodes = self.connected(&self.relevant(targets, given), targets, given);
        let order = self.order(&nodes, &[], given)?;
        Ok(Plan { nodes, order })
    }

    pub(super) fn posterior_by(
        &self,
        plan: &Plan,
        target: VariableId,
        given: &Given,
    ) -> Result<Vec<f64>, InferError> {
        match given.state(target) {
            Some(state) => Ok(self.certain(target, state)),
            None => Ok(self.marginals_by(plan, &[target], given)?.swap_remove(0)),
        }
    }

    pub(crate) fn marginals_by(
        &self,
        plan: &Plan,
        open: &[VariableId],
        given: &Given,
    ) -> Result<Vec<Vec<f64>>, InferError> {
        let factors = self.factors(&plan.nodes, given);
        marginals(&plan.order, factors, open, &self.states).ok_or_else(|| self.impossible())
    }

    /// The joint posterior of all open variables of a plan, in which they are the targets.
    pub(super) fn conditionals_by<'p>(
        &'p self,
        plan: &'p Plan,
        open: &[VariableId],
        given: &Given,
    ) -> Result<Conditionals<'p>, InferError> {
        let factors = self.factors(&plan.nodes, given);
        Conditionals::of(&plan.order, factors, open, &self.states).ok_or_else(|| self.impossible())
    }

    fn certain(&self, target: VariableId, state: u32) -> Vec<f64> {
        let mut probabilities = vec![0.0; self.states[target.index()]];
        probabilities[state as usize] = 1.0;
        probabilities
    }

    pub(super) fn impossible(&self) -> InferError {
        InferError::Impossible { relative: self.network.relative_name(self.relative).to_owned() }
    }

    /// The nodes whose tables are relevant: targets, observed variables and their ancestors along uncut arcs. All others are
    /// barren: their tables sum to one.
    fn relevant(&self, targets: &[VariableId], given: &Given) -> Vec<VariableId> {
        let dag = self.network.dag();
        let mut found = vec![false; self.states.len()];
        let observed = dag.nodes().filter(|&node| given.is_given(node));
        let mut open: Vec<VariableId> = targets.iter().copied().chain(observed).collect();
        while let Some(node) = open.pop() {
            if !given.is_set(node) && !std::mem::replace(&mut found[node.index()], true) {
                open.extend(dag.parents(node));
            }
        }
        dag.nodes().filter(|node| found[node.index()]).collect()
    }

    /// The nodes whose tables are connected with a target through variables that are not given. The others are d-separated from
    /// the targets.
    fn connected(&self, nodes: &[VariableId], targets: &[VariableId], given: &Given) -> Vec<VariableId> {
        let dag = self.network.dag();
        let mut unvisited = vec![false; self.states.len()];
        nodes.iter().for_each(|node| unvisited[node.index()] = true);
        let mut reached = vec![false; self.states.len()];
        let mut open: Vec<VariableId> = targets.to_vec();
        let mut found = Vec::new();
        while let Some(variable) = open.pop() {
            if given.is_given(variable) || std::mem::replace(&mut reached[variable.index()], true) {
                continue;
            }
            for &node in dag.children(variable).iter().chain([&variable]) {
                if std::mem::replace(&mut unvisited[node.index()], false) {
                    found.push(node);
                    open.extend(dag.parents(node).iter().chain([&node]));
                }
            }
        }
        found.sort_unstable();
        found
    }

    /// An order that eliminates all variables neither given nor kept; an error if its tables exceed the limits.
    fn order(
        &self,
        nodes: &[VariableId],
        keep: &[VariableId],
        given: &Given,
    ) -> Result<EliminationOrder, InferError> {
        let dag = self.network.dag();
        let open = |node: &VariableId| -> Vec<VariableId> {
            let family = dag.parents(*node).iter().chain([node]).copied();
            family.filter(|&variable| !given.is_given(variable)).collect()
        };
        let scopes: Vec<Vec<VariableId>> = nodes.iter().map(open).collect();
        let order = EliminationOrder::choose(&scopes, keep, &self.states);
        if order.size.cells > self.limits.most_cells {
            return Err(InferError::TooLarge { size: order.size, most_cells: self.limits.most_cells });
        }
        Ok(order)
    }

    /// The factors of some nodes, restricted to the given states.
    pub(super) fn factors(&self, nodes: &[VariableId], given: &Given) -> Vec<Factor<'_>> {
        nodes.iter().map(|&node| self.factor(node, given)).collect()
    }

    fn factor(&self, node: VariableId, given: &Given) -> Factor<'_> {
        let family = self.network.dag().parents(node).iter().chain([&node]);
        let (mut offset, mut stride, mut scope) = (0, 1, Vec::new());
        for &variable in family.rev() {
            match given.state(variable) {
                Some(state) => offset += state as usize * stride,
                None => scope.push((variable, stride)),
            }
            stride *= self.states[variable.index()];
        }
        Factor::view(self.logs(node), offset, scope)
    }

    /// The logarithms of a node's table. Rows are normalised, because tables of other programs are rounded.
    fn logs(&self, node: VariableId) -> &[f64] {
        self.logs[node.index()].get_or_init(|| {
            if let Some(drawn) = self.drawn {
                return drawn.0(node);
            }
            let rows = self.network.table_of(node, self.relative).rows();
            rows.flat_map(|row| {
                let sum: f64 = row.iter().sum();
                row.iter().map(move |value| (value / sum).ln())
            })
            .collect()
        })
    }

    /// The number of states of every variable.
    pub(super) fn states(&self) -> &[usize] {
        &self.states
    }
}
