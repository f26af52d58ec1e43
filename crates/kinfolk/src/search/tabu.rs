//! The networks that a search came from and does not go back to.

use std::collections::VecDeque;

use crate::data::VariableId;
use crate::graph::{Dag, Kind, Move};

/// The last places of a search, each as what differs between it and where the search is.
#[derive(Debug)]
pub(super) struct Tabu {
    most: usize,
    /// For each place the arcs that it has and the present network has not, or the other way round.
    differences: VecDeque<Vec<(VariableId, VariableId)>>,
}

impl Tabu {
    /// A list of so many places.
    pub(super) fn new(most: usize) -> Self {
        Self { most, differences: VecDeque::new() }
    }

    /// Notes a move; the place that it left joins the list.
    pub(super) fn moved(&mut self, step: Move) {
        if self.most == 0 {
            return;
        }
        if self.differences.len() == self.most {
            self.differences.pop_front();
        }
        self.differences.push_back(Vec::new());
        let Move { kind, from, to } = step;
        for difference in &mut self.differences {
            toggle(difference, (from, to));
            if kind == Kind::Reverse {
                toggle(difference, (to, from));
            }
        }
    }

    /// The moves that would lead back to one of the places.
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

/// Puts an arc into a list, or takes it out if it is there.
fn toggle(arcs: &mut Vec<(VariableId, VariableId)>, arc: (VariableId, VariableId)) {
    match arcs.iter().position(|other| *other == arc) {
        Some(place) => drop(arcs.swap_remove(place)),
        None => arcs.push(arc),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exactly_the_moves_back_to_the_last_places_are_forbidden() {
        let [a, b, c] = [0, 1, 2].map(VariableId::new);
        let mut dag = Dag::empty(3);
        let mut tabu = Tabu::new(3);
        let mut places = VecDeque::new();
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
            places.push_back(dag.clone());
            if places.len() > 3 {
                places.pop_front();
            }
            dag.apply(&step).unwrap();
            tabu.moved(step);
            let forbidden = tabu.forbidden(&dag);
            let pairs = [a, b, c].into_iter().flat_map(|x| [a, b, c].map(|y| (x, y))).filter(|(x, y)| x != y);
            for (from, to) in pairs {
                for step in [Move::add(from, to), Move::drop(from, to), Move::reverse(from, to)] {
                    let mut there = dag.clone();
                    let back = there.apply(&step).is_ok() && places.contains(&there);
                    assert_eq!(forbidden.contains(&step), back, "{step:?}");
                }
            }
        }
        assert!(Tabu::new(0).forbidden(&dag).is_empty());
    }
}
