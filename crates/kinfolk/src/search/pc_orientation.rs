//! Orients a skeleton: v-structures, Meek's rules, and a directed graph consistent with them.

use fixedbitset::FixedBitSet;

use super::Constraints;
use super::pc::Skeleton;
use crate::data::VariableId;
use crate::graph::{Dag, Move, consistent_extension};

/// A partially directed graph. An undirected edge has both bits set.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Pattern {
    /// For each node, its possible children.
    out: Vec<FixedBitSet>,
}

impl Pattern {
    /// Orients, in this order: edges that the constraints allow in one direction only; the unshielded triples X – Z – Y whose middle does
    /// not separate X from Y, as X → Z ← Y, in column order and unless an earlier orientation or a constraint contradicts; then what Meek's
    /// rules imply (Meek 1995, <https://doi.org/10.48550/arXiv.1302.4972>), as far as the constraints allow it.
    pub(super) fn of(skeleton: &Skeleton, constraints: &Constraints) -> Self {
        let size = skeleton.neighbours.len();
        let mut pattern = Self { out: vec![FixedBitSet::with_capacity(size); size] };
        let id = VariableId::new;
        for (a, row) in skeleton.neighbours.iter().enumerate() {
            pattern.out[a].extend(row.ones().filter(|&b| constraints.allows(id(a), id(b))));
        }
        for middle in 0..size {
            let near: Vec<usize> = skeleton.neighbours[middle].ones().collect();
            for (place, &x) in near.iter().enumerate() {
                for &y in &near[place + 1..] {
                    let separator = skeleton.separators.get(&(id(x), id(y)));
                    let is_collider = !skeleton.has_edge(id(x), id(y))
                        && separator.is_some_and(|separator| !separator.contains(&id(middle)));
                    if is_collider && pattern.may_point(x, middle) && pattern.may_point(y, middle) {
                        pattern.orient(x, middle);
                        pattern.orient(y, middle);
                    }
                }
            }
        }
        pattern.apply_meek_rules();
        pattern
    }

    fn is_linked(&self, a: usize, b: usize) -> bool {
        self.may_point(a, b) || self.may_point(b, a)
    }

    fn may_point(&self, from: usize, to: usize) -> bool {
        self.out[from].contains(to)
    }

    fn is_directed(&self, from: usize, to: usize) -> bool {
        self.may_point(from, to) && !self.may_point(to, from)
    }

    fn is_undirected(&self, a: usize, b: usize) -> bool {
        self.may_point(a, b) && self.may_point(b, a)
    }

    fn orient(&mut self, from: usize, to: usize) {
        self.out[to].remove(from);
    }

    /// Orients edges until none of the four rules applies.
    fn apply_meek_rules(&mut self) {
        let size = self.out.len();
        let mut changed = true;
        while changed {
            changed = false;
            for a in 0..size {
                for b in 0..size {
                    if self.is_undirected(a, b) && self.is_implied(a, b) {
                        self.orient(a, b);
                        changed = true;
                    }
                }
            }
        }
    }

    /// Whether one of Meek's rules directs the edge a – b as a → b.
    fn is_implied(&self, a: usize, b: usize) -> bool {
        let nodes = || 0..self.out.len();
        // R1: otherwise c → a ← b would be a new v-structure. R2: otherwise there is a cycle.
        let first = nodes().any(|c| self.is_directed(c, a) && c != b && !self.is_linked(c, b));
        let second = || nodes().any(|c| self.is_directed(a, c) && self.is_directed(c, b));
        // R3 and R4: two paths from a to b through c and d, one of which implies the direction.
        let third = || {
            let through: Vec<usize> =
                nodes().filter(|&c| self.is_undirected(a, c) && self.is_directed(c, b)).collect();
            through.iter().any(|&c| through.iter().any(|&d| c != d && !self.is_linked(c, d)))
        };
        let fourth = || {
            nodes().filter(|&c| self.is_linked(a, c) && self.is_directed(c, b)).any(|c| {
                nodes().any(|d| {
                    d != b && self.is_undirected(a, d) && self.is_directed(d, c) && !self.is_linked(d, b)
                })
            })
        };
        first || second() || third() || fourth()
    }

    /// A directed graph with the same edges, directions and v-structures that satisfies the constraints; `None` if
    /// there is none.
    fn extension(&self, constraints: &Constraints) -> Option<Dag> {
        let allows_parents =
            |parents: usize| parents == 0 || constraints.allows_more_parents_than(parents - 1);
        consistent_extension(self.out.len(), |from, to| self.may_point(from, to), allows_parents)
    }

    /// The fallback without a consistent extension: adds required arcs, then directed edges, then the others in column
    /// order, each in its own direction, or reversed if that would close a cycle or exceed the limit on parents; an
    /// edge for which both would is left out.
    fn closest_network(&self, constraints: &Constraints) -> Dag {
        let size = self.out.len();
        let mut dag = constraints.start(&Dag::empty(size)).expect("the required arcs were checked");
        let pairs = || (0..size).flat_map(|from| self.out[from].ones().map(move |to| (from, to)));
        let directed = pairs().filter(|&(from, to)| self.is_directed(from, to));
        let others = pairs().filter(|&(from, to)| from < to && self.is_undirected(from, to));
        for (from, to) in directed.chain(others) {
            let (from, to) = (VariableId::new(from), VariableId::new(to));
            if dag.has_arc(from, to) || dag.has_arc(to, from) {
                continue;
            }
            let fits = |&(from, to): &(VariableId, VariableId)| {
                constraints.allows(from, to)
                    && constraints.allows_another_parent(&dag, to)
                    && dag.can_apply(&Move::add(from, to))
            };
            if let Some((from, to)) = [(from, to), (to, from)].into_iter().find(fits) {
                dag.apply(&Move::add(from, to)).expect("it was checked");
            }
        }
        dag
    }
}

/// A network with the edges of a pattern that satisfies the constraints; see [`Pattern::closest_network`] if none has
/// all directions.
pub(super) fn network(pattern: &Pattern, constraints: &Constraints) -> Dag {
    pattern.extension(constraints).unwrap_or_else(|| pattern.closest_network(constraints))
}
