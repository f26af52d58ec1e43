//! Random structures with an exact number of arcs, and structures with arcs removed.

use rustc_hash::FxHashMap;

use super::design::{Removed, Scenario};
use super::random::RandomNumbers;
use crate::data::VariableId;
use crate::graph::{Dag, Move};

/// Draws a random graph with exactly this number of arcs.
///
/// The node order is uniform over all permutations. Of the node pairs, each directed along the order, a set of `arcs` is drawn
/// uniformly. The result is uniform over pairs (order, arc set), not over graphs: a graph with many topological orders is more
/// likely. The graph need not be connected. With a limit on parents, pairs are drawn sequentially and those whose child has
/// reached the limit are skipped; this reaches the requested number whenever it is possible.
///
/// # Panics
/// If the number of arcs is impossible ([`super::Design::check`] rejects it).
pub(super) fn random_dag(
    nodes: usize,
    arcs: usize,
    max_parents: Option<usize>,
    numbers: &mut RandomNumbers,
) -> Dag {
    let order = Shuffled::new(nodes as u64).take(numbers, nodes);
    let pairs = nodes as u64 * (nodes as u64).saturating_sub(1) / 2;
    let mut shuffled = Shuffled::new(pairs);
    let mut chosen = Vec::with_capacity(arcs);
    let mut parents = vec![0; nodes];
    while chosen.len() < arcs {
        let pair = shuffled.next(numbers).expect("there is room for the arcs");
        let (earlier, later) = pair_of(pair);
        if max_parents.is_none_or(|most| parents[later] < most) {
            parents[later] += 1;
            chosen.push((later, earlier));
        }
    }
    // Sorted by the child's position in the order, so that few ancestor sets need an update.
    chosen.sort_unstable();
    let node = |place: usize| VariableId(u32::try_from(order[place]).expect("nodes have 32-bit numbers"));
    let arcs = chosen.into_iter().map(|(later, earlier)| (node(earlier), node(later)));
    Dag::from_arcs(nodes, arcs).expect("arcs along an order close no cycle")
}

/// The structure of every data set: the common one without the arcs that the scenario removes.
///
/// Each altered data set draws its own arcs; two data sets can draw the same.
pub(super) fn altered_structures(
    dag: &Dag,
    data_sets: usize,
    scenario: Scenario,
    numbers: &mut RandomNumbers,
) -> Vec<Dag> {
    let mut structures = vec![dag.clone(); data_sets];
    let Scenario::B { altered, removed } = scenario else { return structures };
    let arcs: Vec<(VariableId, VariableId)> = dag.arcs().collect();
    for data_set in Shuffled::new(data_sets as u64).take(numbers, altered) {
        let lost: Vec<(VariableId, VariableId)> = match removed {
            Removed::Arcs(number) => Shuffled::new(arcs.len() as u64)
                .take(numbers, number)
                .into_iter()
                .map(|arc| arcs[position(arc)])
                .collect(),
            Removed::Probability(p) => arcs.iter().copied().filter(|_| numbers.unit() < p).collect(),
        };
        let structure = &mut structures[position(data_set)];
        for (from, to) in lost {
            structure.apply(&Move::drop(from, to)).expect("the arc is there");
        }
    }
    structures
}

fn position(number: u64) -> usize {
    usize::try_from(number).expect("it is a position in a list")
}

/// The pair (i, j), i < j, with this index when pairs are ordered by j, then i.
fn pair_of(number: u64) -> (usize, usize) {
    // j(j − 1)/2 ≤ number < j(j + 1)/2, in integer arithmetic.
    let j = u64::midpoint(1, (8 * number + 1).isqrt());
    (position(number - j * (j - 1) / 2), position(j))
}

/// A lazy random permutation of the integers below a limit: the Fisher–Yates shuffle, which stores only the displaced entries.
struct Shuffled {
    moved: FxHashMap<u64, u64>,
    taken: u64,
    limit: u64,
}

impl Shuffled {
    fn new(limit: u64) -> Self {
        Self { moved: FxHashMap::default(), taken: 0, limit }
    }

    /// The next integer; `None` at the end.
    fn next(&mut self, numbers: &mut RandomNumbers) -> Option<u64> {
        if self.taken == self.limit {
            return None;
        }
        let place = self.taken + numbers.below(self.limit - self.taken);
        let here = self.moved.remove(&self.taken).unwrap_or(self.taken);
        let drawn = if place == self.taken { here } else { self.moved.insert(place, here).unwrap_or(place) };
        self.taken += 1;
        Some(drawn)
    }

    /// The next `count` integers.
    fn take(mut self, numbers: &mut RandomNumbers, count: usize) -> Vec<u64> {
        (0..count).map_while(|_| self.next(numbers)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::random::Purpose;
    use super::*;

    #[test]
    fn pairs_are_numbered_without_gaps() {
        let mut expected = Vec::new();
        for j in 1..40 {
            (0..j).for_each(|i| expected.push((i, j)));
        }
        let pairs: Vec<(usize, usize)> = (0..expected.len() as u64).map(pair_of).collect();
        assert_eq!(pairs, expected);
    }

    #[test]
    fn a_shuffle_takes_every_number_once_and_all_orders_evenly() {
        let mut seen = std::collections::BTreeMap::new();
        for stream in 0..6000 {
            let mut numbers = RandomNumbers::new(5, stream, Purpose::Structure);
            let order = Shuffled::new(3).take(&mut numbers, 5);
            *seen.entry(order).or_insert(0_u32) += 1;
        }
        assert_eq!(seen.len(), 6);
        // Five standard deviations of a binomial count: 5·√(6000·(1/6)·(5/6)) = 144.
        assert!(seen.values().all(|count| count.abs_diff(1000) < 144), "{seen:?}");
    }

    #[test]
    fn graphs_are_drawn_in_proportion_to_their_orders() {
        // 6 orders × 3 arc sets. A chain a → b → c fits one order, a fork or a collider two.
        let mut seen = std::collections::BTreeMap::new();
        for stream in 0..18_000 {
            let mut numbers = RandomNumbers::new(9, stream, Purpose::Structure);
            let dag = random_dag(3, 2, None, &mut numbers);
            let arcs: Vec<(u32, u32)> = dag.arcs().map(|(from, to)| (from.0, to.0)).collect();
            *seen.entry(arcs).or_insert(0_u32) += 1;
        }
        assert_eq!(seen.len(), 12);
        for (arcs, count) in seen {
            let is_chain = arcs[0].0 != arcs[1].0 && arcs[0].1 != arcs[1].1;
            let (expected, five_deviations) = if is_chain { (1000, 154) } else { (2000, 211) };
            assert!(count.abs_diff(expected) < five_deviations, "{arcs:?}: {count}");
        }
    }
}
