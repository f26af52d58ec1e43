//! `kinfolk convert`: networks from format to format, end to end.

use serde_json::{Value, json};

use crate::workbench::{Workbench, assert_says, keys};

/// A folder with a network of two data sets.
fn bench() -> Workbench {
    let bench = Workbench::new()
        .write("a.csv", "x,the y\nu,1\nu,2\nv,1\nv,2\n")
        .write("b.csv", "x,the y\nv,2\nu,2\nu,1\n")
        .write("s.txt", "[x][the y|x]");
    bench.text("fit a.csv b.csv --structure s.txt --out both.json");
    bench
}

/// Two data sets, each with the tables of `fit`.
fn tables(bench: &Workbench, file: &str, data_set: &str) -> Vec<Value> {
    let network: Value = serde_json::from_str(&bench.read(file)).unwrap();
    let nodes = network["nodes"].as_array().unwrap().iter();
    nodes
        .map(|node| match data_set {
            "pooled" | "new" => node[data_set].clone(),
            name => node["tables"][name].clone(),
        })
        .collect()
}

#[test]
fn every_format_with_tables_brings_them_back_for_every_relative() {
    let bench = bench();
    for format in ["bif", "xmlbif", "xdsl", "net", "dsc", "uai", "graphml", "json"] {
        for data_set in ["a", "b", "pooled", "new"] {
            let file = format!("{data_set}.{format}");
            bench.text(&format!("convert both.json --data-set {data_set} --out {file} --quiet"));
            bench.text(&format!("convert {file} --out back.json"));
            assert_eq!(
                tables(&bench, "back.json", data_set),
                tables(&bench, "both.json", data_set),
                "{file}"
            );
        }
    }
}

#[test]
fn the_own_format_keeps_every_data_set() {
    let bench = bench();
    assert_eq!(bench.text("convert both.json --to json"), bench.read("both.json"));
}

#[test]
fn the_result_is_printed_or_written_and_renamings_are_listed() {
    let bench = bench();
    let said = bench.run("convert both.json --to bif --data-set a");
    assert_eq!(said.code, 0, "{}", said.err);
    assert_says(&said.out, &["network unknown {", "variable the_y {", "probability ( the_y | x ) {", "(u) "]);
    assert_says(&said.err, &["1 name not allowed in bif", "variable      the y  the_y"]);
    let written = bench.run("convert both.json --data-set a --out a.bif --quiet");
    assert_eq!((written.code, written.out.as_str(), written.err.as_str()), (0, "", ""));
    assert_eq!(bench.read("a.bif"), said.out);
    let report = bench.json("convert both.json --data-set a --out a.net --quiet");
    let renamed = json!([{"kind": "variable", "from": "the y", "to": "the_y"}]);
    assert_eq!(report, json!({"to": "net", "data_set": "a", "out": "a.net", "renamed": renamed}));
    let printed = bench.json("convert both.json --to bif --data-set a");
    assert_eq!(keys(&printed), ["to", "data_set", "out", "renamed", "text"]);
    assert_eq!(printed["text"], said.out);
}

#[test]
fn structures_go_between_the_formats_of_structures() {
    let bench = bench().write("g.gv", "digraph { a -> b; a -> \"c d\" }");
    assert_eq!(bench.text("convert both.json --to modelstring"), "[x][the y|x]\n");
    assert_eq!(bench.text("convert g.gv --to modelstring"), "[a][b|a][c d|a]\n");
    assert_says(&bench.text("convert both.json --to dot"), &["digraph network {", "\"x\" -> \"the y\";"]);
    assert_says(&bench.text("convert s.txt --to graphml"), &["<data key=\"name\">the y</data>"]);
    bench.text("learn a.csv --method none --out learned.json");
    assert_says(&bench.text("convert learned.json --to dot"), &["digraph"]);
    assert_says(&bench.refusal("convert g.gv --to bif"), &["g.gv", "without probabilities", "bif"]);
    assert_says(&bench.refusal("convert learned.json --to json"), &["without tables", "kinfolk fit"]);
}

#[test]
fn missing_arguments_are_requested() {
    let bench =
        bench().write("odd.dat", "").write("bad.bif", "network x {\n}\nvariable {").write("bad.json", "{");
    assert_says(&bench.refusal("convert both.json --to bif"), &["both.json", "a, b, `pooled` or `new`"]);
    assert_says(&bench.refusal("convert both.json --to bif --data-set c"), &["no data set `c`", "a, b"]);
    assert_says(&bench.refusal("convert both.json"), &["--to"]);
    assert_says(&bench.refusal("convert odd.dat --to bif"), &["odd.dat", "--from", "json, bif, xmlbif"]);
    assert_says(&bench.refusal("convert both.json --out x.dat"), &["x.dat", "--to"]);
    assert_says(&bench.refusal("convert none.bif --to net"), &["none.bif"]);
    assert_says(&bench.refusal("convert bad.bif --to net"), &["bad.bif: line 3"]);
    assert_says(&bench.refusal("convert bad.json --to net"), &["bad.json: line 1"]);
    assert_says(&bench.refusal("convert both.json --to json --out both.json"), &["--out", "input file"]);
}

#[test]
fn a_network_whose_table_sizes_overflow_is_refused_by_every_command() {
    let names: Vec<String> = (0..63).map(|parent| format!("P{parent}")).collect();
    let half = json!([[0.5, 0.5]]);
    let mut nodes: Vec<Value> = names
        .iter()
        .map(|name| json!({"node": name, "parents": [], "tables": {"a": half}, "pooled": half, "new": half}))
        .collect();
    nodes.push(json!({"node": "C", "parents": names, "tables": {"a": []}, "pooled": [], "new": []}));
    let variables = names.iter().map(String::as_str).chain(["C"]);
    let variables: Vec<Value> =
        variables.map(|name| json!({"name": name, "states": ["n", "y"], "constant": false})).collect();
    let roots = format!("[{}]", names.join("]["));
    let network = json!({
        "format": "kinfolk network 1",
        "structure": format!("{roots}[C|{}]", names.join(":")),
        "data_sets": ["a"],
        "variables": variables,
        "nodes": nodes,
    });
    let bench = Workbench::new().write("wide.json", network.to_string());
    for call in [
        "convert wide.json --to bif",
        "convert wide.json --to json",
        "sample wide.json --rows 5",
        "report --network wide.json --out page.html",
        "query wide.json --target C",
    ] {
        assert_says(&bench.refusal(call), &["wide.json", "the table of `C`", "63 parents"]);
    }
}
