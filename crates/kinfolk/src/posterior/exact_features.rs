//! Exact posterior probabilities of paths and Markov blankets: sums over the acyclic graphs that have the feature.

use std::ops::ControlFlow;

use super::Feature;
use super::exact::{GraphSums, Rest, signed};
use super::scaled::Scaled;
use crate::data::VariableId;
use crate::score::Halt;

/// The probability of every feature, given the probabilities of all arcs, by `from`, then `to`.
pub(super) fn feature_probabilities(
    sums: &GraphSums,
    arcs: &[f64],
    features: &[Feature],
    observe: &mut dyn FnMut(f64) -> ControlFlow<Halt>,
) -> ControlFlow<Halt, Vec<f64>> {
    let variables = sums.weights.len();
    let arc = |from: VariableId, to: VariableId| arcs[from.index() * variables + to.index()];
    let mut descendants: Vec<Option<Vec<f64>>> = vec![None; variables];
    let mut found = Vec::with_capacity(features.len());
    for feature in features {
        let probability: f64 = match *feature {
            Feature::Arc(from, to) => arc(from, to),
            Feature::Edge(a, b) => arc(a, b) + arc(b, a),
            Feature::Path(from, to) => {
                let known = &mut descendants[from.index()];
                if known.is_none() {
                    *known = Some(descendant_probabilities(sums, from.index(), observe)?);
                }
                known.as_ref().expect("it was just computed")[to.index()]
            }
            Feature::InBlanket(member, of) => blanket_probability(sums, member.index(), of.index(), observe)?,
        };
        // Rounding may leave the range of a probability.
        found.push(probability.clamp(0.0, 1.0));
    }
    ControlFlow::Continue(found)
}

/// The probability that one variable is in the Markov blanket of another. It is outside if neither is a parent of the
/// other and no parent set contains both. This restricts the parent sets of each variable, and one sum over all graphs
/// gives its probability.
///
/// Complexity: O(3^N).
fn blanket_probability(
    sums: &GraphSums,
    a: usize,
    b: usize,
    observe: &mut dyn FnMut(f64) -> ControlFlow<Halt>,
) -> ControlFlow<Halt, f64> {
    let both = 1 << a | 1 << b;
    let mut weights = sums.weights.clone();
    for (child, weights) in weights.iter_mut().enumerate() {
        for (parents, weight) in weights.iter_mut().enumerate() {
            if (parents | 1 << child) & both == both {
                *weight = Scaled::ZERO;
            }
        }
    }
    let outside = GraphSums::of_weights(weights, observe)?;
    ControlFlow::Continue(1.0 - outside.total().ratio(sums.total()))
}

/// The probability that each variable is a descendant of the source.
///
/// Let D be the source s and its descendants, W all other variables. No variable of W has a parent in D; every variable
/// of D but s has one, and s has none. So the weight of the graphs with these descendants is H(W)·K(D): K is the
/// recurrence of H within D, with A_v(W) for s, and A_v(W ∪ U) − A_v(W) instead of A_v(U) for the others, which
/// excludes sets without a parent in D.
///
/// Complexity: O(4^N) for one source.
fn descendant_probabilities(
    sums: &GraphSums,
    source: usize,
    observe: &mut dyn FnMut(f64) -> ControlFlow<Halt>,
) -> ControlFlow<Halt, Vec<f64>> {
    let variables = sums.weights.len();
    let size = 1_usize << variables;
    let source_bit = 1 << source;
    let mut probabilities = vec![0.0; variables];
    let mut graphs = vec![Scaled::ZERO; size];
    let mut rest = Rest::default();
    for family in (0..size).filter(|family| family & source_bit != 0) {
        if family % 16 == source_bit % 16 {
            observe(family as f64 / size as f64)?;
        }
        let (others, outside) = (family & !source_bit, (size - 1) & !family);
        // All subsets of the descendants in ascending order, each with the source.
        let mut subset = 0_usize;
        loop {
            graphs[subset] = Scaled::ZERO;
            if subset == others {
                break;
            }
            subset = (subset | !others).wrapping_add(1) & others;
        }
        graphs[0] = sums.sums[source][outside];
        let mut base = 0_usize;
        while base != others {
            let before = outside | base | source_bit;
            rest.expand(others & !base, |member| sums.sums[member][before] + -sums.sums[member][outside]);
            let here = graphs[base];
            for (index, &mask) in rest.masks.iter().enumerate().skip(1) {
                graphs[base | mask] += signed(mask, here * rest.products[index]);
            }
            base = (base | !others).wrapping_add(1) & others;
        }
        let probability = (sums.graphs[outside] * graphs[others]).ratio(sums.total());
        for descendant in (0..variables).filter(|descendant| others & (1 << descendant) != 0) {
            probabilities[descendant] += probability;
        }
    }
    ControlFlow::Continue(probabilities)
}
