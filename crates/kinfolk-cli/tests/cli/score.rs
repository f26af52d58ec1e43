//! `kinfolk score`: its JSON, its text, and scores that can be checked by other means.

use serde_json::Value;

use crate::workbench::{Workbench, assert_close, assert_says, keys, noisy_copies};

const STRUCTURE: &str = "[V02][V06][V03|V06][V04|V02:V06][V01|V02:V03][V05|V03:V04]";

fn total(scored: &Value) -> f64 {
    scored["total"].as_f64().unwrap()
}

#[test]
fn the_json_has_the_keys_of_the_contract() {
    let bench = Workbench::with_golden("clinics");
    let scored = bench.json(&format!("score clinics.csv --group site --structure {STRUCTURE} --score bhd"));
    assert_eq!(keys(&scored), ["score_name", "total", "by_data_set", "structure", "nodes", "settings"]);
    let node = ["node", "parents", "total", "by_data_set", "tau", "iterations", "converged"];
    assert_eq!(keys(&scored["nodes"][0]), node);
    assert_eq!(keys(&scored["by_data_set"]), ["s1", "s2", "s3"]);
    assert_eq!((&scored["score_name"], &scored["structure"]), (&"bhd".into(), &STRUCTURE.into()));
    let nodes = scored["nodes"].as_array().unwrap();
    let sum =
        |pick: &dyn Fn(&Value) -> &Value| nodes.iter().filter_map(|node| pick(node).as_f64()).sum::<f64>();
    assert_close(&scored["total"], sum(&|node| &node["total"]), 1e-12);
    for site in ["s1", "s2", "s3"] {
        assert_close(&scored["by_data_set"][site], sum(&|node| &node["by_data_set"][site]), 1e-12);
    }
}

#[test]
fn the_table_has_one_line_for_each_node() {
    let bench = Workbench::with_golden("clinics");
    let call = format!("score clinics.csv --group site --structure {STRUCTURE}");
    let text = bench.text(&format!("{call} --score bhd"));
    assert_says(&text, &[&format!("structure  {STRUCTURE}"), "in s1", "tau  iterations", "V01   V02, V03"]);
    let pooled = bench.text(&format!("{call} --score aic"));
    assert_says(&pooled, &["score      aic: ", "V01   V02, V03  -222.537"]);
    assert!(!pooled.contains("in s1") && !pooled.contains("tau"), "{pooled}");
}

#[test]
fn a_structure_may_be_in_a_file_or_in_the_json_of_learn() {
    let bench = Workbench::with_golden("clinics")
        .write("network.txt", format!("\n  {}\n", STRUCTURE.replace("][", "]\n[")))
        .write("network.json", format!(r#"{{"structure": "{STRUCTURE}"}}"#));
    let call = "score clinics.csv --group site --structure";
    let given = bench.json(&format!("{call} {STRUCTURE}"));
    assert_eq!(bench.json(&format!("{call} network.txt")), given);
    assert_eq!(bench.json(&format!("{call} network.json")), given);
}

#[test]
fn separate_bdeu_is_the_sum_of_each_data_sets_own() {
    let bench = Workbench::new()
        .write("p.csv", "a,b\nx,u\nx,u\ny,v\ny,u\n")
        .write("q.csv", "a,b\nx,v\ny,v\ny,v\nx,u\nx,v\n");
    let flags = "--structure [a][b|a] --iss 3";
    let together = bench.json(&format!("score p.csv q.csv --score bdeu-separate {flags}"));
    let alone = |file: &str| total(&bench.json(&format!("score {file} --score bdeu {flags}")));
    assert_close(&together["by_data_set"]["p"], alone("p.csv"), 1e-13);
    assert_close(&together["by_data_set"]["q"], alone("q.csv"), 1e-13);
    assert_close(&together["total"], alone("p.csv") + alone("q.csv"), 1e-13);
}

#[test]
fn jeffreys_prior_gives_a_node_without_parents_half_a_row_for_each_state() {
    let bench = Workbench::new().write("d.csv", "a\nx\nx\nx\ny\n");
    // By hand: Γ(1)/Γ(5) · Γ(3½)/Γ(½) · Γ(1½)/Γ(½) = (½·1½·2½)·½/24.
    let expected = (0.5_f64 * 1.5 * 2.5 * 0.5 / 24.0).ln();
    assert_close(&bench.json("score d.csv --structure [a] --score bdj")["total"], expected, 1e-14);
}

#[test]
fn sixteen_parents_of_five_states_can_be_scored() {
    let bench = Workbench::new().write("wide.csv", noisy_copies(2_000, 17, 5));
    let parents: Vec<String> = (1..=16).map(|number| format!("N{number:02}")).collect();
    let structure = format!("[{}][N17|{}]", parents.join("]["), parents.join(":"));
    for score in ["bhd", "bdeu", "bic", "k2", "bds", "bdj", "loglik", "bdeu-separate"] {
        let scored = bench.json(&format!("score wide.csv --structure {structure} --score {score}"));
        let family = &scored["nodes"][16];
        assert_eq!(family["parents"].as_array().unwrap().len(), 16);
        assert!(family["total"].as_f64().unwrap().is_finite(), "{score}");
        assert_eq!(family["converged"], true, "{score}");
    }
    let refusal = bench.refusal(&format!("score wide.csv --structure {structure} --memory 0"));
    assert_says(&refusal, &["memory"]);
}

#[test]
fn a_structure_that_does_not_fit_the_data_is_refused() {
    let bench = Workbench::new()
        .write("d.csv", "a,b\nx,u\ny,v\n")
        .write("other.json", r#"{"a": 1}"#)
        .write("broken.json", "{");
    for (structure, parts) in [
        ("[a][b|c]", &["--structure", "parent `c` of node `b`", "`a`, `b`"][..]),
        ("[a][c]", &["node `c`"]),
        ("[a]", &["no bracket for `b`"]),
        ("[a][b", &["character 6", "the end"]),
        ("[a|b][b|a]", &["`a` → `b` → `a`", "cycle"]),
        ("[a|a][b]", &["its own parent"]),
        ("[a][a][b]", &["already given"]),
        ("none.txt", &["neither a modelstring", "nor a file"]),
        ("d.csv", &["d.csv", "expected `[`"]),
        ("other.json", &["other.json", "`structure`"]),
        ("broken.json", &["broken.json", "JSON"]),
    ] {
        assert_says(&bench.refusal(&format!("score d.csv --structure {structure}")), parts);
        assert_says(&bench.refusal(&format!("learn d.csv --start {structure}")), &parts[1..]);
    }
    assert_says(&bench.refusal("score d.csv"), &["--structure"]);
}
