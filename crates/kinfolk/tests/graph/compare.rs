//! Comparisons keep their laws and their JSON form.

use kinfolk::graph::{Dag, Hits, Shd, compare};
use proptest::prelude::*;

use crate::{any_graph, graph, two_graphs};

#[test]
fn the_json_has_the_documented_keys() {
    let learned = graph(3, &[(0, 1), (1, 2)]);
    let truth = graph(3, &[(0, 1), (2, 1)]);
    let text = serde_json::to_string(&compare(&learned, &truth)).expect("serialises");
    assert_eq!(
        text,
        concat!(
            r#"{"shd":{"cpdag":2,"dag":1,"skeleton":0},"dag":{"tp":1,"fp":1,"fn":1},"#,
            r#""cpdag":{"tp":0,"fp":2,"fn":2},"skeleton":{"tp":2,"fp":0,"fn":0}}"#
        )
    );
}

#[test]
fn graphs_of_one_class_are_at_no_distance_though_their_arcs_differ() {
    let comparison = compare(&graph(2, &[(0, 1)]), &graph(2, &[(1, 0)]));
    assert_eq!(comparison.shd, Shd { cpdag: 0, dag: 1, skeleton: 0 });
    assert_eq!(comparison.dag, Hits { tp: 0, fp: 1, fn_: 1 });
    assert_eq!(comparison.cpdag, Hits { tp: 1, fp: 0, fn_: 0 });
}

proptest! {
    #[test]
    fn a_graph_compared_with_itself_has_every_arc_and_no_distance(dag in any_graph(10)) {
        let comparison = compare(&dag, &dag);
        let full = Hits { tp: dag.arc_count(), fp: 0, fn_: 0 };
        prop_assert_eq!(comparison.shd, Shd { cpdag: 0, dag: 0, skeleton: 0 });
        prop_assert_eq!([comparison.dag, comparison.cpdag, comparison.skeleton], [full; 3]);
    }

    #[test]
    fn swapping_the_graphs_keeps_the_distances_and_swaps_extra_with_missed((a, b) in two_graphs(9)) {
        let (there, back) = (compare(&a, &b), compare(&b, &a));
        prop_assert_eq!(there.shd, back.shd);
        for (one, other) in [(there.dag, back.dag), (there.cpdag, back.cpdag), (there.skeleton, back.skeleton)] {
            prop_assert_eq!(one, Hits { tp: other.tp, fp: other.fn_, fn_: other.fp });
        }
    }

    #[test]
    fn distances_obey_the_triangle_inequality((a, b) in two_graphs(7), skip in 0..5_usize) {
        let c = Dag::from_arcs(a.len(), a.arcs().skip(skip)).expect("a part of a graph is a graph");
        let distances = |one: &Dag, other: &Dag| {
            let shd = compare(one, other).shd;
            [shd.cpdag, shd.dag, shd.skeleton]
        };
        let (direct, first, second) = (distances(&a, &b), distances(&a, &c), distances(&c, &b));
        for kind in 0..3 {
            prop_assert!(direct[kind] <= first[kind] + second[kind]);
        }
    }

    #[test]
    fn hits_add_up_to_the_arcs_of_each_graph((learned, truth) in two_graphs(9)) {
        let comparison = compare(&learned, &truth);
        for hits in [comparison.dag, comparison.cpdag, comparison.skeleton] {
            prop_assert_eq!(hits.tp + hits.fp, learned.arc_count());
            prop_assert_eq!(hits.tp + hits.fn_, truth.arc_count());
        }
        prop_assert!(comparison.shd.skeleton <= comparison.shd.dag);
        prop_assert!(comparison.shd.skeleton <= comparison.shd.cpdag);
    }
}
