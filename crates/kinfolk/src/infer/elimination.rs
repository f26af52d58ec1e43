//! Bucket elimination: sums variables out of a product of factors; marginals and joint draws with a backward pass.

use super::factor::{Factor, ln_sum, walk};
use super::order::{EliminationOrder, EliminationStep};
use crate::data::VariableId;

/// Assigns each factor to the bucket of the first eliminated variable in its scope; the others remain.
pub(super) struct Buckets<'a> {
    /// The position of each variable in the order; the number of steps if it is not eliminated.
    place: Vec<usize>,
    /// The factors of each step.
    by_step: Vec<Vec<Factor<'a>>>,
    /// Factors over kept variables, or over none.
    pub(super) left: Vec<Factor<'a>>,
}

impl<'a> Buckets<'a> {
    pub(super) fn new(order: &EliminationOrder, factors: Vec<Factor<'a>>, variables: usize) -> Self {
        let mut place = vec![order.steps.len(); variables];
        for (at, step) in order.steps.iter().enumerate() {
            place[step.variable.index()] = at;
        }
        let by_step = order.steps.iter().map(|_| Vec::new()).collect();
        let mut all = Self { place, by_step, left: Vec::new() };
        factors.into_iter().for_each(|factor| all.put(factor));
        all
    }

    pub(super) fn put(&mut self, factor: Factor<'a>) {
        match self.first(factor.scope()).and_then(|at| self.by_step.get_mut(at)) {
            Some(bucket) => bucket.push(factor),
            None => self.left.push(factor),
        }
    }

    /// The position of the first eliminated variable among these.
    fn first(&self, variables: impl Iterator<Item = VariableId>) -> Option<usize> {
        variables.map(|variable| self.place[variable.index()]).min().filter(|&at| at < self.by_step.len())
    }

    /// Takes the factors of a step.
    pub(super) fn take(&mut self, at: usize) -> Vec<Factor<'a>> {
        std::mem::take(&mut self.by_step[at])
    }
}

/// Sums out all variables of the order. The result has factors over the kept variables.
pub(super) fn sum_out<'a>(
    order: &EliminationOrder,
    factors: Vec<Factor<'a>>,
    states: &[usize],
) -> Vec<Factor<'a>> {
    let mut buckets = Buckets::new(order, factors, states.len());
    for (at, step) in order.steps.iter().enumerate() {
        let message = {
            let factors = buckets.take(at);
            let mut sums = Vec::with_capacity(cells(&step.separator, states));
            walk(&factors, &step.separator, step.variable, states, |logs| sums.push(ln_sum(logs)));
            Factor::owned(sums, &step.separator, states)
        };
        buckets.put(message);
    }
    buckets.left
}

/// The marginal distributions of the targets under a product of factors, by one forward and one backward pass. `None` if the
/// product is zero everywhere.
pub(super) fn marginals(
    order: &EliminationOrder,
    factors: Vec<Factor<'_>>,
    targets: &[VariableId],
    states: &[usize],
) -> Option<Vec<Vec<f64>>> {
    Some(Conditionals::of(order, factors, targets, states)?.marginals(targets))
}

/// The distribution of each step's variable given its separator, under a product of factors: the result of the forward pass. The
/// variables of a separator are eliminated later, so the steps in reverse order are a Bayesian network over the variables.
#[derive(Debug)]
pub(super) struct Conditionals<'o> {
    steps: &'o [EliminationStep],
    states: &'o [usize],
    /// The step of each variable.
    place: Vec<usize>,
    /// For every step, that of the first variable of its separator.
    parents: Vec<Option<usize>>,
    /// The steps that the targets depend on; the others have no table.
    needed: Vec<bool>,
    /// By step: one distribution per configuration of the separator.
    tables: Vec<Vec<f64>>,
}

impl<'o> Conditionals<'o> {
    /// The forward pass. `None` if the product is zero everywhere.
    pub(super) fn of(
        order: &'o EliminationOrder,
        factors: Vec<Factor<'_>>,
        targets: &[VariableId],
        states: &'o [usize],
    ) -> Option<Self> {
        let mut buckets = Buckets::new(order, factors, states.len());
        let parents: Vec<Option<usize>> =
            order.steps.iter().map(|step| buckets.first(step.separator.iter().copied())).collect();
        let needed = needed(&buckets.place, &parents, targets);
        let mut tables: Vec<Vec<f64>> = vec![Vec::new(); order.steps.len()];
        for (at, step) in order.steps.iter().enumerate() {
            let factors = buckets.take(at);
            let mut sums = Vec::with_capacity(cells(&step.separator, states));
            let table = &mut tables[at];
            walk(&factors, &step.separator, step.variable, states, |logs| {
                let sum = ln_sum(logs);
                if needed[at] {
                    let possible = sum > f64::NEG_INFINITY;
                    table.extend(logs.iter().map(|log| if possible { (log - sum).exp() } else { 0.0 }));
                }
                sums.push(sum);
            });
            buckets.put(Factor::owned(sums, &step.separator, states));
        }
        if buckets.left.iter().any(|factor| factor.scalar() == f64::NEG_INFINITY) {
            return None;
        }
        Some(Self { steps: &order.steps, states, place: buckets.place, parents, needed, tables })
    }

    /// The marginal distributions of the targets. The backward pass takes the distribution of each separator from the step of its
    /// first variable.
    pub(super) fn marginals(mut self, targets: &[VariableId]) -> Vec<Vec<f64>> {
        for (at, step) in self.steps.iter().enumerate().rev().filter(|(at, _)| self.needed[*at]) {
            let Some(parent) = self.parents[at] else { continue };
            let separator = project(&self.steps[parent], &self.tables[parent], &step.separator, self.states);
            let inner = self.states[step.variable.index()];
            for (cells, weight) in self.tables[at].chunks_exact_mut(inner).zip(separator) {
                cells.iter_mut().for_each(|cell| *cell *= weight);
            }
        }
        let marginal = |target: &VariableId| {
            let mut sums = vec![0.0; self.states[target.index()]];
            for cells in self.tables[self.place[target.index()]].chunks_exact(sums.len()) {
                sums.iter_mut().zip(cells).for_each(|(sum, cell)| *sum += cell);
            }
            let total: f64 = sums.iter().sum();
            sums.into_iter().map(|sum| sum / total).collect()
        };
        targets.iter().map(marginal).collect()
    }

    /// Draws all variables jointly, from the last step to the first; `unit` supplies uniform numbers in (0, 1), one per variable.
    /// All steps must be needed.
    pub(super) fn draw(&self, unit: &mut dyn FnMut() -> f64, known: &mut [u32]) {
        for (step, table) in self.steps.iter().zip(&self.tables).rev() {
            let states = self.states[step.variable.index()];
            let configuration = step.separator.iter().fold(0, |configuration, variable| {
                configuration * self.states[variable.index()] + known[variable.index()] as usize
            });
            let probabilities = &table[configuration * states..][..states];
            known[step.variable.index()] = draw_state(probabilities, unit());
        }
    }
}

/// The state in whose part of the cumulative distribution the point of (0, 1) lies; never one of probability zero.
fn draw_state(probabilities: &[f64], point: f64) -> u32 {
    let total: f64 = probabilities.iter().sum();
    let (mut sum, mut drawn) = (0.0, 0);
    for (state, &probability) in
        probabilities.iter().enumerate().filter(|(_, probability)| **probability > 0.0)
    {
        drawn = state;
        sum += probability;
        if point * total < sum {
            break;
        }
    }
    u32::try_from(drawn).expect("states are counted in 32 bits")
}

/// The steps that the backward pass needs: those of the targets and their dependencies.
fn needed(place: &[usize], parents: &[Option<usize>], targets: &[VariableId]) -> Vec<bool> {
    let mut needed = vec![false; parents.len()];
    for target in targets {
        let mut next = Some(place[target.index()]);
        while let Some(at) = next.filter(|&at| !needed[at]) {
            needed[at] = true;
            next = parents[at];
        }
    }
    needed
}

/// The marginal distribution of some variables of a step's table.
fn project(step: &EliminationStep, belief: &[f64], onto: &[VariableId], states: &[usize]) -> Vec<f64> {
    // The step's variable, which varies fastest, then its separator from last to first.
    let axes: Vec<VariableId> =
        [step.variable].into_iter().chain(step.separator.iter().rev().copied()).collect();
    let stride = |variable: VariableId| {
        let at = onto.iter().position(|&other| other == variable)?;
        Some(cells(&onto[at + 1..], states))
    };
    let strides: Vec<usize> = axes.iter().map(|&variable| stride(variable).unwrap_or(0)).collect();
    let mut sums = vec![0.0; cells(onto, states)];
    let mut counter = vec![0; axes.len()];
    let mut place = 0;
    for &value in belief {
        sums[place] += value;
        for (at, axis) in axes.iter().enumerate() {
            counter[at] += 1;
            place += strides[at];
            if counter[at] < states[axis.index()] {
                break;
            }
            place -= counter[at] * strides[at];
            counter[at] = 0;
        }
    }
    sums
}

/// The number of configurations of the variables.
pub(super) fn cells(variables: &[VariableId], states: &[usize]) -> usize {
    variables.iter().map(|variable| states[variable.index()]).product()
}
