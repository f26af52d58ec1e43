//! The averaged network: an acyclic graph of the most frequent or most probable edges.

use super::Constraints;
use crate::data::VariableId;
use crate::graph::{Dag, Move};

/// Builds a network of the given edges that satisfies the constraints; also returns the edges that fit in neither
/// direction.
///
/// `weight` is the frequency or probability of an arc. Required arcs come first; then edges are added by decreasing
/// weight of their heavier direction, ties in the given order. If that direction would close a cycle, is forbidden or
/// exceeds the limit on parents, the other direction is used; an edge is left out only if neither is possible. Edges
/// left out are returned in their heavier direction. If both directions weigh the same, the given one is used.
///
/// Complexity: O(E log E) for E edges, and one cycle check each.
pub fn averaged_network(
    edges: impl IntoIterator<Item = (VariableId, VariableId)>,
    weight: impl Fn(VariableId, VariableId) -> f64,
    constraints: &Constraints,
) -> (Dag, Vec<(VariableId, VariableId)>) {
    let heavier = |(a, b)| if weight(b, a) > weight(a, b) { (b, a) } else { (a, b) };
    let mut edges: Vec<(VariableId, VariableId)> = edges.into_iter().map(heavier).collect();
    // A stable sort: ties keep the order given.
    edges.sort_by(|&(a, b), &(c, d)| weight(c, d).total_cmp(&weight(a, b)));
    let mut dag = constraints.required_graph();
    let mut left_out = Vec::new();
    for (from, to) in edges {
        let mut add = |from, to| {
            constraints.allows(from, to)
                && constraints.allows_another_parent(&dag, to)
                && dag.apply(&Move::add(from, to)).is_ok()
        };
        if !constraints.requires(from, to)
            && !constraints.requires(to, from)
            && !add(from, to)
            && !add(to, from)
        {
            left_out.push((from, to));
        }
    }
    (dag, left_out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Schema, Variable};
    use crate::search::Rules;

    #[test]
    fn an_edge_that_does_not_fit_is_reversed_rather_than_dropped() {
        let variable = |name: &str| Variable {
            name: name.to_owned(),
            states: vec!["no".to_owned(), "yes".to_owned()],
            constant: false,
        };
        let schema = Schema::new(["A", "B", "C"].map(variable).to_vec(), vec!["all".to_owned()]);
        let [a, b, c] = [0, 1, 2].map(VariableId::new);
        let weight = |from, to| match (from, to) {
            arc if arc == (a, b) => 0.95,
            arc if arc == (b, c) => 0.9,
            arc if arc == (c, a) => 0.6,
            arc if arc == (a, c) => 0.2,
            _ => 0.0,
        };
        let averaged = |rules: &Rules| {
            let constraints = Constraints::new(&schema, rules).unwrap();
            let (dag, left_out) = averaged_network([(a, b), (a, c), (b, c)], weight, &constraints);
            (dag.arcs().collect::<Vec<_>>(), left_out)
        };
        assert_eq!(averaged(&Rules::default()), (vec![(a, b), (a, c), (b, c)], vec![]));
        let forbidden = Rules { forbidden: vec![(a, c)], ..Rules::default() };
        assert_eq!(averaged(&forbidden), (vec![(a, b), (b, c)], vec![(c, a)]));
        let one_parent = Rules { max_parents: Some(1), ..Rules::default() };
        assert_eq!(averaged(&one_parent), (vec![(a, b), (b, c)], vec![(c, a)]));
        // A required arc comes first, however light, and is not counted as left out.
        let required = Rules { required: vec![(b, a)], ..Rules::default() };
        assert_eq!(averaged(&required), (vec![(b, a), (b, c), (c, a)], vec![]));
    }
}
