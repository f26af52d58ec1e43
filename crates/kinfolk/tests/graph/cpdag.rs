//! The CPDAG of every small graph agrees with brute force and is constant within a class.

use std::collections::{BTreeMap, BTreeSet};

use kinfolk::data::VariableId;
use kinfolk::graph::{Cpdag, Dag, Link, Move};
use proptest::prelude::*;

use crate::{any_graph, graph, node};

type NodePair = (VariableId, VariableId);

/// The criterion of Verma and Pearl for equivalence: skeleton and v-structures.
fn class_of(dag: &Dag) -> (BTreeSet<NodePair>, BTreeSet<(VariableId, VariableId, VariableId)>) {
    let skeleton = dag.arcs().map(|(from, to)| (from.min(to), from.max(to))).collect();
    let mut v_structures = BTreeSet::new();
    for middle in dag.nodes() {
        for &a in dag.parents(middle) {
            for &b in dag.parents(middle) {
                if a < b && !dag.adjacent(a, b) {
                    v_structures.insert((a, middle, b));
                }
            }
        }
    }
    (skeleton, v_structures)
}

/// All graphs of `n` nodes: each pair unlinked, or linked either way, unless that makes a cycle.
fn all_graphs(n: usize) -> Vec<Dag> {
    let pairs: Vec<(usize, usize)> = (0..n).flat_map(|b| (0..b).map(move |a| (a, b))).collect();
    let ways = (0..pairs.len()).fold(1_usize, |ways, _| ways * 3);
    let arcs_of = |way: usize| {
        let mut rest = way;
        let mut arcs = Vec::new();
        for &(a, b) in &pairs {
            match rest % 3 {
                1 => arcs.push((node(a), node(b))),
                2 => arcs.push((node(b), node(a))),
                _ => {}
            }
            rest /= 3;
        }
        arcs
    };
    (0..ways).filter_map(|way| Dag::from_arcs(n, arcs_of(way)).ok()).collect()
}

/// Groups all graphs of `n` nodes into classes, checks the CPDAG of each, and counts graphs and classes.
fn check_all(n: usize) -> (usize, usize) {
    let graphs = all_graphs(n);
    let mut classes = BTreeMap::new();
    for dag in &graphs {
        classes.entry(class_of(dag)).or_insert_with(Vec::new).push(dag);
    }
    for members in classes.values() {
        let always = |from, to| members.iter().all(|dag| dag.has_arc(from, to));
        for dag in members {
            let cpdag = Cpdag::of(dag);
            assert_eq!(cpdag.directed().len() + cpdag.undirected().len(), dag.arc_count());
            for (from, to) in dag.arcs() {
                let (link, back) = if always(from, to) {
                    (Link::Forward, Link::Backward)
                } else {
                    (Link::Undirected, Link::Undirected)
                };
                assert_eq!(cpdag.link(from, to), link, "{from:?} to {to:?} in {dag:?}");
                assert_eq!(cpdag.link(to, from), back);
            }
        }
    }
    (graphs.len(), classes.len())
}

/// The counts are those of Gillispie and Perlman (2001), Enumerating Markov equivalence classes.
#[test]
fn cpdags_of_all_graphs_of_up_to_five_nodes_have_the_common_arcs_of_their_class() {
    assert_eq!(check_all(1), (1, 1));
    assert_eq!(check_all(2), (3, 2));
    assert_eq!(check_all(3), (25, 11));
    assert_eq!(check_all(4), (543, 185));
    assert_eq!(check_all(5), (29281, 8782));
}

#[test]
fn a_chain_has_no_direction_and_a_v_structure_has() {
    let chain = Cpdag::of(&graph(3, &[(0, 1), (1, 2)]));
    assert_eq!(chain.directed(), []);
    assert_eq!(chain.undirected(), [(node(0), node(1)), (node(1), node(2))]);
    let collider = Cpdag::of(&graph(3, &[(0, 1), (2, 1)]));
    assert_eq!(collider.directed(), [(node(0), node(1)), (node(2), node(1))]);
    assert_eq!(collider.link(node(0), node(2)), Link::None);
}

proptest! {
    #[test]
    fn reversing_a_covered_arc_keeps_the_cpdag(
        start in any_graph(10),
        picks in prop::collection::vec(any::<prop::sample::Index>(), 1..20),
    ) {
        let cpdag = Cpdag::of(&start);
        let mut dag = start;
        for pick in picks {
            let covered: Vec<NodePair> = dag.arcs().filter(|&(from, to)| {
                dag.parents(to).iter().copied().filter(|&parent| parent != from).eq(dag.parents(from).iter().copied())
            }).collect();
            if covered.is_empty() {
                break;
            }
            let (from, to) = covered[pick.index(covered.len())];
            dag.apply(&Move::reverse(from, to)).expect("a covered arc can be reversed");
            prop_assert_eq!(&Cpdag::of(&dag), &cpdag);
        }
    }

    #[test]
    fn reversing_an_arc_changes_the_cpdag_only_with_the_class(dag in any_graph(8)) {
        for (from, to) in dag.arcs() {
            let mut turned = dag.clone();
            if turned.apply(&Move::reverse(from, to)).is_ok() {
                prop_assert_eq!(Cpdag::of(&turned) == Cpdag::of(&dag), class_of(&turned) == class_of(&dag));
            }
        }
    }
}
