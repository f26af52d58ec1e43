//! Tabu list: the most recently visited networks, to which a search does not return.

use std::collections::VecDeque;

use crate::data::VariableId;
use crate::graph::{Dag, Move, MoveKind};

/// The most recently visited networks, each as its difference from the current one.
#[derive(Debug)]
pub(super) struct TabuList {
    length: usize,
    /// For each network, the symmetric difference between its arcs and those of the current network.
    differences: VecDeque<Vec<(VariableId, VariableId)>>,
}

impl TabuList {
    /// An empty list that keeps at most `length` networks.
    pub(super) fn new(length: usize) -> Self {
        Self { length, differences: VecDeque::new() }
    }

    /// Records a move: adds the network before it to the list.
    pub(super) fn record(&mut self, step: Move) {
        if self.length == 0 {
            return;
        }
        if self.differences.len() == self.length {
            self.differences.pop_front();
        }
        self.differences.push_back(Vec::new());
        let Move { kind, from, to } = step;
        for difference in &mut self.differences {
            toggle(difference, (from, to));
            if kind == MoveKind::Reverse {
                toggle(difference, (to, from));
            }
        }
    }

    /// The single moves that lead to a network of the list.
    pub(super) fn forbidden(&self, dag: &Dag) -> Vec<Move> {
        let back = |difference: &Vec<(VariableId, VariableId)>| match difference[..] {
            [(from, to)] if dag.has_arc(from, to) => Some(Move::drop(from, to)),
            [(from, to)] => Some(Move::add(from, to)),
            [(a, b), (c, d)] if (a, b) == (d, c) => {
                Some(if dag.has_arc(a, b) { Move::reverse(a, b) } else { Move::reverse(c, d) })
            }
            _ => None,
        };
        self.differences.iter().filter_map(back).collect()
    }
}

/// Adds an arc to a list, or removes it if it is present.
fn toggle(arcs: &mut Vec<(VariableId, VariableId)>, arc: (VariableId, VariableId)) {
    match arcs.iter().position(|other| *other == arc) {
        Some(index) => drop(arcs.swap_remove(index)),
        None => arcs.push(arc),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exactly_the_moves_back_to_the_last_networks_are_forbidden() {
        let [a, b, c] = [0, 1, 2].map(VariableId::new);
        let mut dag = Dag::empty(3);
        let mut tabu = TabuList::new(3);
        let mut visited = VecDeque::new();
        let walk = [
            Move::add(a, b),
            Move::add(b, c),
            Move::reverse(a, b),
            Move::drop(b, c),
            Move::add(a, c),
            Move::reverse(a, c),
            Move::drop(b, a),
        ];
        for step in walk {
            visited.push_back(dag.clone());
            if visited.len() > 3 {
                visited.pop_front();
            }
            dag.apply(&step).unwrap();
            tabu.record(step);
            let forbidden = tabu.forbidden(&dag);
            let pairs = [a, b, c].into_iter().flat_map(|x| [a, b, c].map(|y| (x, y))).filter(|(x, y)| x != y);
            for (from, to) in pairs {
                for step in [Move::add(from, to), Move::drop(from, to), Move::reverse(from, to)] {
                    let mut there = dag.clone();
                    let back = there.apply(&step).is_ok() && visited.contains(&there);
                    assert_eq!(forbidden.contains(&step), back, "{step:?}");
                }
            }
        }
        assert!(TabuList::new(0).forbidden(&dag).is_empty());
    }
}
