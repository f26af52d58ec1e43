//! The graph stays acyclic, maintains its ancestors, and explains rejected moves.

use kinfolk::data::VariableId;
use kinfolk::graph::{Dag, GraphError, Move, MoveKind};
use proptest::prelude::*;

use crate::{any_graph, graph, node};

/// Whether a directed path leads from `a` to `b`, by walking.
fn walks(dag: &Dag, a: VariableId, b: VariableId) -> bool {
    let mut seen = vec![false; dag.len()];
    let mut stack = dag.children(a).to_vec();
    while let Some(at) = stack.pop() {
        if !std::mem::replace(&mut seen[at.index()], true) {
            stack.extend_from_slice(dag.children(at));
        }
    }
    seen[b.index()]
}

/// Every invariant of the graph, from its arcs alone.
fn is_sound(dag: &Dag) {
    let arcs: Vec<_> = dag.arcs().collect();
    assert!(arcs.is_sorted());
    assert_eq!(arcs.len(), dag.arc_count());
    for a in dag.nodes() {
        assert!(dag.parents(a).is_sorted() && dag.children(a).is_sorted());
        for b in dag.nodes() {
            assert_eq!(dag.is_ancestor(a, b), walks(dag, a, b), "{a:?} to {b:?} in {dag:?}");
            assert_eq!(dag.has_arc(a, b), arcs.contains(&(a, b)));
            assert_eq!(dag.has_arc(a, b), dag.children(a).contains(&b));
        }
        assert!(!dag.is_ancestor(a, a));
    }
    let order = dag.topological_order();
    assert_eq!(order.len(), dag.len());
    let place = |v| order.iter().position(|&other| other == v);
    assert!(arcs.iter().all(|&(from, to)| place(from) < place(to)));
    let depths = dag.depths();
    for v in dag.nodes() {
        let longest = dag.parents(v).iter().map(|p| depths[p.index()] + 1).max().unwrap_or(0);
        assert_eq!(depths[v.index()], longest);
    }
}

/// Whether the graph after the move is legal, by rebuilding it.
fn is_legal(dag: &Dag, step: &Move) -> bool {
    let arc = (step.from, step.to);
    let others = dag.arcs().filter(|&other| other != arc);
    match step.kind {
        MoveKind::Add => Dag::from_arcs(dag.len(), dag.arcs().chain([arc])).is_ok(),
        MoveKind::Drop => dag.has_arc(step.from, step.to),
        MoveKind::Reverse => {
            dag.has_arc(step.from, step.to)
                && Dag::from_arcs(dag.len(), others.chain([(step.to, step.from)])).is_ok()
        }
    }
}

proptest! {
    #[test]
    fn random_moves_never_make_a_cycle_and_keep_the_ancestors_right(
        start in any_graph(9),
        moves in prop::collection::vec((0..3_usize, 0..10_usize, 0..10_usize), 0..60),
    ) {
        let mut dag = start;
        for (kind, from, to) in moves {
            let kind = [MoveKind::Add, MoveKind::Drop, MoveKind::Reverse][kind];
            let step = Move { kind, from: node(from), to: node(to) };
            let inside = from < dag.len() && to < dag.len();
            prop_assert_eq!(dag.can_apply(&step), inside && is_legal(&dag, &step));
            let before = dag.clone();
            match dag.apply(&step) {
                Ok(()) => {
                    let mut back = dag.clone();
                    back.apply(&step.inverse()).expect("a move can be taken back");
                    prop_assert_eq!(&back, &before);
                    is_sound(&back);
                }
                Err(error) => {
                    prop_assert_eq!(before.check(&step), Err(error));
                    prop_assert_eq!(&dag, &before);
                }
            }
            is_sound(&dag);
        }
    }

    #[test]
    fn arcs_given_at_once_end_as_arcs_added_one_at_a_time(
        arcs in prop::collection::vec((0..7_usize, 0..7_usize), 0..14),
    ) {
        let arcs: Vec<_> = arcs.into_iter().map(|(from, to)| (node(from), node(to))).collect();
        let mut one_at_a_time = Dag::empty(6);
        let added = arcs.iter().try_for_each(|&(from, to)| one_at_a_time.apply(&Move::add(from, to)));
        let at_once = Dag::from_arcs(6, arcs);
        if let Ok(dag) = &at_once {
            is_sound(dag);
        }
        prop_assert_eq!(at_once, added.map(|()| one_at_a_time));
    }

    #[test]
    fn a_rejected_arc_names_an_existing_cycle(dag in any_graph(8)) {
        for from in dag.nodes() {
            for to in dag.nodes() {
                for step in [Move::add(from, to), Move::reverse(from, to)] {
                    let Err(GraphError::Cycle { nodes }) = dag.check(&step) else { continue };
                    let new = if step.kind == MoveKind::Add { (from, to) } else { (to, from) };
                    prop_assert_eq!((nodes[0], nodes[1]), new);
                    let mut rest = nodes[1..].to_vec();
                    rest.push(nodes[0]);
                    prop_assert!(rest.windows(2).all(|arc| dag.has_arc(arc[0], arc[1])));
                    prop_assert!(step.kind == MoveKind::Add || nodes.len() > 2);
                }
            }
        }
    }
}

#[test]
fn a_graph_is_equal_to_one_with_the_same_arcs_whatever_its_history() {
    let mut wandered = graph(3, &[(2, 0), (0, 1)]);
    wandered.apply(&Move::reverse(node(2), node(0))).expect("legal");
    wandered.apply(&Move::drop(node(0), node(1))).expect("legal");
    assert_eq!(wandered, graph(3, &[(0, 2)]));
}

#[test]
fn ties_of_the_topological_order_go_to_the_earlier_column() {
    let dag = graph(5, &[(4, 0), (3, 1)]);
    let order: Vec<usize> = dag.topological_order().into_iter().map(VariableId::index).collect();
    assert_eq!(order, [2, 3, 1, 4, 0]);
}

#[test]
fn an_arc_is_not_reversed_when_another_path_joins_its_ends() {
    let dag = graph(3, &[(0, 1), (1, 2), (0, 2)]);
    assert!(!dag.can_apply(&Move::reverse(node(0), node(2))));
    assert!(dag.can_apply(&Move::reverse(node(0), node(1))));
}

#[test]
fn errors_name_nodes() {
    let names = ["ash", "birch", "cedar"];
    let dag = graph(3, &[(0, 1), (1, 2)]);
    let message = |step: Move| dag.check(&step).expect_err("illegal").with_names(&names);
    assert_eq!(
        message(Move::add(node(2), node(0))),
        "the arcs `cedar` → `ash` → `birch` → `cedar` would form a cycle"
    );
    assert_eq!(message(Move::add(node(1), node(1))), "`birch` cannot be its own parent");
    assert_eq!(message(Move::add(node(0), node(1))), "the arc `ash` → `birch` already exists");
    assert_eq!(message(Move::drop(node(0), node(2))), "there is no arc `ash` → `cedar` to drop or reverse");
    let stranger = dag.check(&Move::add(node(0), node(7))).expect_err("illegal");
    assert_eq!(stranger.to_string(), "there is no node 7: the graph has 3 nodes, counted from 0");
}

#[test]
fn moves_are_written_in_lower_case() {
    let text = serde_json::to_string(&Move::reverse(node(2), node(5))).expect("serialises");
    assert_eq!(text, r#"{"kind":"reverse","from":2,"to":5}"#);
    assert_eq!(serde_json::from_str::<MoveKind>(r#""add""#).expect("a kind"), MoveKind::Add);
    assert_eq!(serde_json::from_str::<MoveKind>(r#""drop""#).expect("a kind"), MoveKind::Drop);
}
