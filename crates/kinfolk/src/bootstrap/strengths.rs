//! Edge strengths and directions over replicates, and the significance threshold.

use crate::data::VariableId;
use crate::graph::{Cpdag, Dag};

/// Arc frequencies over replicates, in halves: an edge undirected in the equivalence class adds one half to
/// each direction.
pub(super) struct ArcFrequencies {
    nodes: usize,
    replicates: u64,
    /// Indexed by `from`, then `to`.
    halves: Vec<u64>,
}

/// One direction of an edge, with its strength.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct DirectedEdge {
    pub(super) from: VariableId,
    pub(super) to: VariableId,
    pub(super) strength: f64,
    pub(super) direction: f64,
}

impl ArcFrequencies {
    /// Counts the arcs of the graphs or, with `classes`, of their equivalence classes.
    pub(super) fn of<'a>(nodes: usize, dags: impl Iterator<Item = &'a Dag>, classes: bool) -> Self {
        let mut halves = Self { nodes, replicates: 0, halves: vec![0; nodes * nodes] };
        for dag in dags {
            halves.replicates += 1;
            let mut add = |from: VariableId, to: VariableId, count| {
                halves.halves[from.index() * nodes + to.index()] += count;
            };
            if classes {
                let class = Cpdag::of(dag);
                class.directed().iter().for_each(|&(from, to)| add(from, to, 2));
                for &(a, b) in class.undirected() {
                    add(a, b, 1);
                    add(b, a, 1);
                }
            } else {
                dag.arcs().for_each(|(from, to)| add(from, to, 2));
            }
        }
        halves
    }

    /// All pairs of nodes in column order, each in its more frequent direction; a tie takes the column order.
    pub(super) fn pairs(&self) -> Vec<DirectedEdge> {
        let nodes = (0..self.nodes).map(VariableId::new);
        let pairs = nodes.flat_map(|a| (a.index() + 1..self.nodes).map(move |b| (a, VariableId::new(b))));
        pairs
            .map(|(a, b)| {
                let (forward, back) = (self.count(a, b), self.count(b, a));
                let (from, to) = if back > forward { (b, a) } else { (a, b) };
                let both = forward + back;
                let strength = both as f64 / (2 * self.replicates).max(1) as f64;
                let direction = if both == 0 { 0.0 } else { forward.max(back) as f64 / both as f64 };
                DirectedEdge { from, to, strength, direction }
            })
            .collect()
    }

    /// How often an arc occurs, in halves.
    pub(super) fn count(&self, from: VariableId, to: VariableId) -> u64 {
        self.halves[from.index() * self.nodes + to.index()]
    }
}

/// The significance threshold of edge strengths: it minimises the L1 distance between the empirical
/// distribution function of the strengths and that of a network whose edges are certainly present or absent
/// (Scutari and Nagarajan 2013, Identifying significant edges in graphical models of molecular networks,
/// <https://doi.org/10.1016/j.artmed.2012.12.006>; docs/THEORY.md, E48).
///
/// Let t be the share of absent edges. The ideal distribution function equals t between 0 and 1, and ∫|F(x) −
/// t|dx is minimal where t is the median of F over the unit interval. The threshold is the smallest x with
/// F(x) ≥ t. Edges present in every replicate are always significant.
///
/// Complexity: O(n log n) for n strengths.
pub fn threshold(strengths: &[f64]) -> f64 {
    let mut sorted = strengths.to_vec();
    sorted.sort_by(f64::total_cmp);
    let count = sorted.len() as f64;
    // F is a step function. Accumulate the widths of its steps from below until they cover half of the unit
    // interval.
    let (mut start, mut passed) = (0.0, 0.0);
    for (index, &strength) in sorted.iter().chain([&1.0]).enumerate() {
        passed += strength - start;
        if passed >= 0.5 {
            let t = index as f64 / count.max(1.0);
            return if t > 0.0 { sorted[index - 1] } else { 0.0 };
        }
        start = strength;
    }
    unreachable!("the widths sum to one")
}

/// Whether an edge of this strength is significant.
pub(super) fn is_significant(strength: f64, threshold: f64) -> bool {
    strength > threshold || strength == 1.0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// ∫|F(x) − t|dx, directly from the definition.
    fn distance(strengths: &[f64], t: f64) -> f64 {
        let mut ends = strengths.to_vec();
        ends.extend([0.0, 1.0]);
        ends.sort_by(f64::total_cmp);
        let below = |x: f64| strengths.iter().filter(|&&strength| strength <= x).count() as f64;
        let width = |pair: &[f64]| (pair[1] - pair[0]) * (below(pair[0]) / strengths.len() as f64 - t).abs();
        ends.windows(2).map(width).sum()
    }

    #[test]
    fn the_threshold_minimises_the_distance_to_certain_edges() {
        for strengths in [
            vec![0.0, 0.05, 0.1, 0.2, 0.9, 0.95],
            vec![0.0, 0.0, 1.0, 1.0],
            vec![0.3, 0.4, 0.45, 0.8, 0.9, 0.97, 1.0],
            vec![0.6],
        ] {
            let chosen = threshold(&strengths);
            let share = |x: f64| {
                strengths.iter().filter(|&&strength| strength <= x).count() as f64 / strengths.len() as f64
            };
            // The share of absent edges that the threshold implies: those at or below it, or none.
            let at = |t: f64| distance(&strengths, t);
            let least = (0..=1000).map(|step| at(f64::from(step) / 1000.0)).fold(f64::INFINITY, f64::min);
            let own = at(share(chosen)).min(if chosen == 0.0 { at(0.0) } else { f64::INFINITY });
            assert!(own <= least + 1e-3, "{strengths:?}: {chosen} at {own}, least {least}");
        }
    }

    #[test]
    fn certain_edges_are_told_apart_and_always_taken() {
        assert_eq!(threshold(&[0.0, 0.0, 1.0]), 0.0);
        assert_eq!(threshold(&[0.0, 0.0]), 0.0);
        assert_eq!(threshold(&[1.0, 1.0]), 0.0);
        assert_eq!(threshold(&[]), 0.0);
        assert_eq!(threshold(&[0.0, 0.1, 0.15, 0.8, 0.9]), 0.15);
        assert!(is_significant(1.0, 1.0) && !is_significant(0.9, 0.9));
    }
}
