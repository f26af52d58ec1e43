//! Exact posterior probabilities of arcs: sums over all acyclic graphs, by inclusion and exclusion over sets of sinks.

use std::ops::ControlFlow;

use super::scaled::Scaled;
use crate::data::VariableId;
use crate::score::Halt;
use crate::search::ParentSets;

/// The maximal number of variables of an exact posterior: each triples the work, and 16 take some seconds.
pub(super) const MOST_VARIABLES: usize = 16;

/// Tables of one number per variable and subset of the others.
pub(super) type BySubset = Vec<Vec<Scaled>>;

/// Sums over all acyclic graphs on every subset of the variables.
pub(super) struct GraphSums {
    /// B_v(P), by child and parents.
    pub(super) weights: BySubset,
    /// A_v(U) = Σ_{P ⊆ U} B_v(P).
    pub(super) sums: BySubset,
    /// H(S).
    pub(super) graphs: Vec<Scaled>,
}

impl GraphSums {
    /// The sums over these parent sets.
    pub(super) fn of(
        sets: &ParentSets,
        observe: &mut dyn FnMut(f64) -> ControlFlow<Halt>,
    ) -> ControlFlow<Halt, Self> {
        assert!(sets.variables() <= MOST_VARIABLES, "refused before");
        Self::of_weights(weights(sets), observe)
    }

    /// The sums over given weights.
    pub(super) fn of_weights(
        weights: BySubset,
        observe: &mut dyn FnMut(f64) -> ControlFlow<Halt>,
    ) -> ControlFlow<Halt, Self> {
        let variables = weights.len();
        let mut sums = weights.clone();
        for (child, sums) in sums.iter_mut().enumerate() {
            add_subsets(sums, variables, child);
        }
        let size = 1_usize << variables;
        let all = size - 1;
        let mut graphs = vec![Scaled::ZERO; size];
        graphs[0] = Scaled::ONE;
        let mut rest = Rest::default();
        for base in 0..size {
            if base % 64 == 0 {
                observe(base as f64 / size as f64)?;
            }
            rest.expand(all & !base, |member| sums[member][base]);
            let here = graphs[base];
            for (index, &mask) in rest.masks.iter().enumerate().skip(1) {
                graphs[base | mask] += signed(mask, here * rest.products[index]);
            }
        }
        ControlFlow::Continue(Self { weights, sums, graphs })
    }

    /// H(V): the sum over all graphs.
    pub(super) fn total(&self) -> Scaled {
        self.graphs[self.graphs.len() - 1]
    }
}

/// A term of a sum over sets of sinks: positive for sets of odd size.
pub(super) fn signed(sinks: usize, term: Scaled) -> Scaled {
    if sinks.count_ones() % 2 == 1 { term } else { -term }
}

/// The probability of every arc, by `from`, then `to`.
///
/// With B_v(P) the weight of the parent set P of v, A_v(U) = Σ_{P ⊆ U} B_v(P), and H(S) the sum over all acyclic graphs on S of the
/// product of their weights,
///
///   H(S) = Σ_{∅ ≠ T ⊆ S} (−1)^{|T|+1} H(S∖T) Π_{v ∈ T} A_v(S∖T)
///
/// (Robinson's recurrence; Tian and He 2009, Computing posterior probabilities of structural features in Bayesian
/// networks, UAI 25, 538–547). Every term is the weight of the graphs in which all of T are sinks and thus at most
/// H(S), so that only a few digits cancel. The probability that v has the parents P is B_v(P)·∂H/∂B_v(P) / H, and one
/// reverse pass through the recurrence gives all derivatives. Complexity: O(N·3^N) time, O(N·2^N) memory.
pub(super) fn arc_probabilities(
    sums: &GraphSums,
    observe: &mut dyn FnMut(f64) -> ControlFlow<Halt>,
) -> ControlFlow<Halt, Vec<f64>> {
    let GraphSums { weights, sums, graphs } = sums;
    let variables = weights.len();
    let size = 1_usize << variables;
    let all = size - 1;
    let total = graphs[all];
    let mut rest = Rest::default();
    // The reverse pass: the derivatives of H(V) in H(R) and in A_v(R).
    let mut completions = vec![Scaled::ZERO; size];
    completions[all] = Scaled::ONE;
    let mut slopes: BySubset = vec![vec![Scaled::ZERO; size]; variables];
    for base in (0..all).rev() {
        if base % 64 == 0 {
            observe(1.0 - base as f64 / size as f64)?;
        }
        rest.expand(all & !base, |member| sums[member][base]);
        let mut completion = Scaled::ZERO;
        for (index, &mask) in rest.masks.iter().enumerate().skip(1) {
            let after = completions[base | mask];
            let after = signed(mask, after);
            completion += after * rest.products[index];
            let outer = after * graphs[base];
            for (place, &child) in rest.members.iter().enumerate() {
                if index & (1 << place) != 0 {
                    slopes[child][base] += outer * rest.products[index & !(1 << place)];
                }
            }
        }
        completions[base] = completion;
    }
    let mut probabilities = vec![0.0; variables * variables];
    for child in 0..variables {
        add_supersets(&mut slopes[child], variables, child);
        for (parents, (&weight, &slope)) in weights[child].iter().zip(&slopes[child]).enumerate() {
            if weight != Scaled::ZERO {
                let probability = (weight * slope).ratio(total);
                for parent in (0..variables).filter(|parent| parents & (1 << parent) != 0) {
                    probabilities[parent * variables + child] += probability;
                }
            }
        }
    }
    // Rounding may leave the range of a probability.
    probabilities.iter_mut().for_each(|probability: &mut f64| *probability = probability.clamp(0.0, 1.0));
    ControlFlow::Continue(probabilities)
}

/// e^score of every kept parent set, divided by the largest of its child; zero for all other sets.
fn weights(sets: &ParentSets) -> BySubset {
    let of_child = |child: usize| {
        let list = sets.of(VariableId::new(child));
        let best = list.first().map_or(0.0, |set| set.score);
        let mut weights = vec![Scaled::ZERO; 1 << sets.variables()];
        for set in list {
            let parents = usize::try_from(set.parents).expect("there are at most 16 variables");
            weights[parents] = Scaled::exp(set.score - best);
        }
        weights
    };
    (0..sets.variables()).map(of_child).collect()
}

/// Replaces every entry by the sum over the subsets of its index; entries with the child in their index are not used.
fn add_subsets(values: &mut [Scaled], variables: usize, child: usize) {
    for variable in (0..variables).filter(|&variable| variable != child) {
        let bit = 1 << variable;
        for set in (0..values.len()).filter(|set| set & bit != 0) {
            let without = values[set & !bit];
            values[set] += without;
        }
    }
}

/// Replaces every entry by the sum over the supersets of its index that do not contain the child.
fn add_supersets(values: &mut [Scaled], variables: usize, child: usize) {
    for variable in (0..variables).filter(|&variable| variable != child) {
        let bit = 1 << variable;
        for set in (0..values.len()).filter(|set| set & bit == 0) {
            let with = values[set | bit];
            values[set] += with;
        }
    }
}

/// All subsets T of the variables outside a base R, with Π_{v ∈ T} A_v(R).
#[derive(Default)]
pub(super) struct Rest {
    members: Vec<usize>,
    /// By a number whose bits select the members of the subset.
    pub(super) masks: Vec<usize>,
    pub(super) products: Vec<Scaled>,
}

impl Rest {
    pub(super) fn expand(&mut self, outside: usize, factor: impl Fn(usize) -> Scaled) {
        self.members.clear();
        self.members.extend((0..MOST_VARIABLES).filter(|variable| outside & (1 << variable) != 0));
        self.masks.clear();
        self.masks.push(0);
        self.products.clear();
        self.products.push(Scaled::ONE);
        for &member in &self.members {
            let factor = factor(member);
            for index in 0..self.masks.len() {
                self.masks.push(self.masks[index] | (1 << member));
                let product = self.products[index] * factor;
                self.products.push(product);
            }
        }
    }
}
