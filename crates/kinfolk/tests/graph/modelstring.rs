//! Modelstrings are read back as written, and errors in them are reported clearly.

use kinfolk::graph::modelstring::{format, parse, parse_free, parse_second};
use proptest::prelude::*;

use crate::{any_graph, graph};

/// Names of letters, spaces, the special characters and beyond; made distinct by a number.
fn names_for(n: usize) -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(r"[ab \[\]|:\\é木\n]{0,6}", n).prop_map(|stems| {
        stems.into_iter().enumerate().map(|(index, stem)| format!("{stem}{index}")).collect()
    })
}

proptest! {
    #[test]
    fn written_files_are_read_back(
        (dag, names) in any_graph(7).prop_flat_map(|dag| { let n = dag.len(); (Just(dag), names_for(n)) }),
    ) {
        let text = format(&dag, &names);
        prop_assert_eq!(&parse(&text, &names).expect("reads"), &dag);
        prop_assert_eq!(&parse_second(&text, &names).expect("reads"), &dag);
        let (free_names, free) = parse_free(&text).expect("reads");
        prop_assert_eq!(parse_second(&format(&free, &free_names), &names).expect("reads"), dag);
    }

    #[test]
    fn no_text_makes_the_reader_panic(text in r"[\[\]|:\\AB é]{0,24}") {
        let _ = parse(&text, &["A", "B"]);
        let _ = parse_second(&text, &["A", "B"]);
        if let Ok((names, dag)) = parse_free(&text) {
            prop_assert_eq!(parse(&format(&dag, &names), &names).expect("reads"), dag);
        }
    }
}

#[test]
fn nodes_are_written_by_depth_then_column_and_parents_by_column() {
    let dag = graph(5, &[(4, 0), (3, 0), (0, 1), (4, 1), (3, 2)]);
    assert_eq!(format(&dag, &["A", "B", "C", "D", "E"]), "[D][E][A|D:E][C|D][B|A:E]");
}

#[test]
fn special_characters_are_escaped_and_white_space_between_brackets_is_ignored() {
    let names = ["a:b", r"c\d", "[e]"];
    let dag = graph(3, &[(0, 1), (2, 1)]);
    let text = r"[a\:b][\[e\]][c\\d|a\:b:\[e\]]";
    assert_eq!(format(&dag, &names), text);
    let broken = "\n[a\\:b]\n  [\\[e\\]]\n[c\\\\d|a\\:b:\\[e\\]]\n";
    assert_eq!(parse(broken, &names), Ok(dag));
}

#[test]
fn free_names_come_in_order_of_appearance() {
    let (names, dag) = parse_free("[C|A][A][B|C:A]").expect("reads");
    assert_eq!(names, ["C", "A", "B"]);
    assert_eq!(dag, graph(3, &[(1, 0), (0, 2), (1, 2)]));
    assert_eq!(parse_free("").expect("reads").1.len(), 0);
}

#[test]
fn errors_name_the_node_and_the_place() {
    let cases = [
        ("A][B]", "character 1: expected `[` to open a node, found `A`"),
        ("[A]B]", "character 4: expected `[` to open a node, found `B`"),
        ("[A", "character 3: expected `]` or `|` after node `A`, found the end"),
        ("[A[B]", "character 3: expected `]` or `|` after node `A`, found `[`"),
        ("[A:B]", "character 3: expected `]` or `|` after node `A`, found `:`"),
        ("[A][B|A", "character 8: expected `]` or `:` after parent `A` of node `B`, found the end"),
        ("[A][B|A|A]", "character 8: expected `]` or `:` after parent `A` of node `B`, found `|`"),
        ("[]", "character 2: expected the name of a node, found `]`"),
        ("[A|]", "character 4: expected the name of a parent of node `A`, found `]`"),
        ("[A][B|A:]", "character 9: expected the name of a parent of node `B`, found `]`"),
        (r"[A\x]", r"character 4: expected one of `[`, `]`, `|`, `:` and `\` after the backslash, found `x`"),
        ("[é][B]", "character 2: node `é` is not one of the variables (`A`, `B`)"),
        ("[A][B|A: A]", "character 9: parent ` A` of node `B` is not one of the nodes (`A`, `B`)"),
        (
            "[A][B][A|B]",
            "character 8: node `A` was already given at character 2; give all its parents in one bracket",
        ),
        ("[A|A][B]", "character 4: node `A` cannot be its own parent"),
        ("[A][B|A:A]", "character 9: parent `A` of node `B` is given twice"),
    ];
    for (text, message) in cases {
        let error = parse(text, &["A", "B"]).expect_err(text).to_string();
        assert_eq!(error, format!("modelstring, {message}"), "for {text}");
    }
    let error = |text: &str| parse(text, &["A", "B"]).expect_err("wrong").to_string();
    assert_eq!(error("[B|A]"), "modelstring: no bracket for `A`; every node needs one, also without parents");
    assert_eq!(error("[B|A][A|B]"), "modelstring: the arcs `B` → `A` → `B` form a cycle");
}

#[test]
fn a_second_modelstring_with_other_nodes_lists_what_only_one_has() {
    let error = parse_second("[A][X][Y|A]", &["A", "B"]).expect_err("different").to_string();
    assert_eq!(
        error,
        "the two modelstrings have different nodes; only in the first: `B`; only in the second: `X`, `Y`"
    );
    let many: Vec<String> = (0..15).map(|index| format!("V{index}")).collect();
    let error = parse_second("", &many).expect_err("different").to_string();
    assert!(error.ends_with("`V11`, and 3 more"), "{error}");
}
