//! The network of the probable edges.

use super::ArcPosterior;
use crate::data::VariableId;
use crate::graph::{Dag, Move};
use crate::search::Constraints;

/// The network of all edges with at least this probability, each in its more probable direction, and the edges that fit neither way.
///
/// Edges are added by decreasing probability of the arc. Where the more probable direction closes a cycle or is forbidden, the other one
/// is taken; an edge is left out only if both are impossible.
pub fn averaged_network(
    posterior: &ArcPosterior,
    threshold: f64,
    constraints: &Constraints,
) -> (Dag, Vec<(VariableId, VariableId)>) {
    let nodes = || (0..posterior.variables()).map(VariableId::new);
    let pairs = nodes().flat_map(|a| nodes().skip(a.index() + 1).map(move |b| (a, b)));
    let mut edges: Vec<(VariableId, VariableId)> = pairs
        .filter(|&(a, b)| posterior.edge(a, b) >= threshold)
        .map(|(a, b)| if posterior.arc(b, a) > posterior.arc(a, b) { (b, a) } else { (a, b) })
        .collect();
    // A stable sort: equal probabilities keep the column order.
    edges.sort_by(|&(a, b), &(c, d)| posterior.arc(c, d).total_cmp(&posterior.arc(a, b)));
    let mut dag = Dag::empty(posterior.variables());
    let left_out = edges
        .into_iter()
        .filter(|&(from, to)| {
            let mut add = |from, to| constraints.allows(from, to) && dag.apply(&Move::add(from, to)).is_ok();
            !add(from, to) && !add(to, from)
        })
        .collect();
    (dag, left_out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Schema, Variable};
    use crate::search::Rules;

    #[test]
    fn an_edge_whose_likelier_direction_closes_a_cycle_is_turned_rather_than_lost() {
        let variable = |name: &str| Variable {
            name: name.to_owned(),
            states: vec!["no".to_owned(), "yes".to_owned()],
            constant: false,
        };
        let schema = Schema::new(["A", "B", "C"].map(variable).to_vec(), vec!["all".to_owned()]);
        let [a, b, c] = [0, 1, 2].map(VariableId::new);
        let mut arcs = vec![0.0; 9];
        for (from, to, probability) in [(a, b, 0.95), (b, c, 0.9), (c, a, 0.6), (a, c, 0.2)] {
            arcs[from.index() * 3 + to.index()] = probability;
        }
        let posterior = ArcPosterior { variables: 3, arcs, chains: None, families_scored: 0, parent_sets: 0 };
        let (dag, left_out) = averaged_network(&posterior, 0.5, &Constraints::none(&schema));
        assert_eq!((dag.has_arc(a, c), dag.arc_count(), left_out), (true, 3, vec![]));
        let never = Rules { forbidden: vec![(a, c)], ..Rules::default() };
        let (dag, left_out) = averaged_network(&posterior, 0.5, &Constraints::new(&schema, &never).unwrap());
        assert_eq!((dag.arc_count(), left_out), (2, vec![(c, a)]));
    }
}
