//! `kinfolk compare`: distances between two structures, from modelstrings and files.

use serde_json::json;

use crate::workbench::{Workbench, assert_says, golden, keys};

#[test]
fn the_json_has_the_keys_of_the_contract() {
    let compared = Workbench::new().json("compare [A][B|A][C|A] [A][B|A][C|B]");
    assert_eq!(keys(&compared), ["shd", "dag", "cpdag", "skeleton"]);
    assert_eq!(compared["shd"], json!({"cpdag": 2, "dag": 2, "skeleton": 2}));
    let hits = json!({"tp": 1, "fp": 1, "fn": 1});
    assert_eq!([&compared["dag"], &compared["cpdag"], &compared["skeleton"]], [&hits; 3]);
}

#[test]
fn a_reversed_arc_is_no_difference_between_equivalence_classes() {
    let bench = Workbench::new();
    let compared = bench.json("compare [A][B|A] [B][A|B]");
    assert_eq!(compared["shd"], json!({"cpdag": 0, "dag": 1, "skeleton": 0}));
    assert_eq!(compared["dag"], json!({"tp": 0, "fp": 1, "fn": 1}));
    let text = bench.text("compare [A][B|A] [B][A|B]");
    assert_says(&text, &["compared on", "SHD  TP  FP  FN", "CPDAGs (equivalence classes)    0   1   0   0"]);
    assert_says(
        &text,
        &["DAGs (arcs as directed)         1   0   1   1", "skeletons (adjacencies)         0   1   0   0"],
    );
}

#[test]
fn distances_equal_those_of_bnlearn() {
    let bench = Workbench::new();
    for pair in golden("bnlearn.json")["dag_pairs"].as_array().unwrap() {
        let text = |key: &str| pair[key].as_str().unwrap();
        let compared = bench.json(&format!("compare {} {}", text("learned"), text("true")));
        assert_eq!(compared["shd"]["cpdag"], pair["shd"]);
        assert_eq!(compared["shd"]["dag"], pair["shd_cpdag_false"]);
        assert_eq!(compared["shd"]["skeleton"], pair["hamming"]);
    }
}

#[test]
fn files_and_results_of_learn_can_be_compared() {
    let bench = Workbench::with_golden("clinics")
        .write("truth.txt", "[V06][V03|V06]\n[V04|V06][V02|V04:V06][V05|V03:V04][V01|V02:V03]\n");
    bench.text("learn clinics.csv --group site --score bhd --search climb --out learned.json");
    let compared = bench.json("compare learned.json truth.txt");
    assert_eq!(compared["shd"], json!({"cpdag": 0, "dag": 0, "skeleton": 0}));
    assert_eq!(compared["dag"], json!({"tp": 8, "fp": 0, "fn": 0}));
}

#[test]
fn structures_over_different_nodes_are_refused() {
    let bench = Workbench::new().write("t.txt", "[A][B]");
    let refusal = bench.refusal("compare [A][C|A] t.txt");
    assert_says(&refusal, &["only in the first: `C`", "only in the second: `B`"]);
    assert_says(&bench.refusal("compare [A none.txt"), &["none.txt"]);
    assert_says(&bench.refusal("compare [A [A]"), &["LEARNED", "character 3"]);
    assert_says(&bench.refusal("compare [A] [A|"), &["TRUE"]);
    assert_says(&bench.refusal("compare [A]"), &["<TRUE>"]);
}
