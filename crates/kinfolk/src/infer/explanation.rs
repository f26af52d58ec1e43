//! The most probable explanation: max-product elimination with backtracking.

use super::elimination::{Buckets, cells};
use super::factor::{Factor, walk};
use super::order::EliminationOrder;

/// The most probable states of all variables that are not given.
#[derive(Debug, Clone, PartialEq)]
pub struct MostProbableExplanation {
    /// The state of every variable, in column order; given variables keep their states.
    pub states: Vec<u32>,
    /// ln P(states, evidence | interventions). Subtract the log probability of the evidence to get that of the explanation given
    /// the evidence.
    pub log_probability: f64,
}

/// States whose log probabilities differ by less are ties, and the first is chosen; rounding errors are far smaller.
const TIE: f64 = 1e-11;

/// Maximises a product of factors over the variables of the order. `known` holds the states of all other variables and receives
/// the maximising states. Returns false if the product is zero everywhere.
pub(super) fn maximise(
    order: &EliminationOrder,
    factors: Vec<Factor<'_>>,
    states: &[usize],
    known: &mut [u32],
) -> bool {
    let mut buckets = Buckets::new(order, factors, states.len());
    let mut choices: Vec<Vec<u32>> = Vec::with_capacity(order.steps.len());
    for (at, step) in order.steps.iter().enumerate() {
        let factors = buckets.take(at);
        let configurations = cells(&step.separator, states);
        let (mut largest, mut chosen) =
            (Vec::with_capacity(configurations), Vec::with_capacity(configurations));
        walk(&factors, &step.separator, step.variable, states, |logs| {
            let best = first_largest(logs);
            largest.push(logs[best]);
            chosen.push(u32::try_from(best).expect("states are counted in 32 bits"));
        });
        choices.push(chosen);
        buckets.put(Factor::owned(largest, &step.separator, states));
    }
    if buckets.left.iter().any(|factor| factor.scalar() == f64::NEG_INFINITY) {
        return false;
    }
    for (step, choices) in order.steps.iter().zip(&choices).rev() {
        let configuration = step.separator.iter().fold(0, |configuration, variable| {
            configuration * states[variable.index()] + known[variable.index()] as usize
        });
        known[step.variable.index()] = choices[configuration];
    }
    true
}

/// The first state within the tie tolerance of the maximum.
fn first_largest(logs: &[f64]) -> usize {
    let mut best = 0;
    for (state, &log) in logs.iter().enumerate() {
        if log > logs[best] + TIE * (1.0 + log.abs()) || logs[best] == f64::NEG_INFINITY && log > logs[best] {
            best = state;
        }
    }
    best
}
