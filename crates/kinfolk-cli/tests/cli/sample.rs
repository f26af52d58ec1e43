//! `kinfolk sample`: rows from a network's tables, and tables fitted to them.

use serde_json::Value;

use crate::workbench::{Workbench, assert_says};

/// A folder with the tables of a small network of two data sets.
fn bench() -> Workbench {
    let bench = Workbench::new()
        .write("north.csv", "x,y\nu,1\nu,2\nv,1\nv,1\nu,1\n")
        .write("south.csv", "x,y\nv,2\nu,2\nv,2\n");
    bench.text("fit north.csv south.csv --structure [x][y|x] --out network.json");
    bench
}

#[test]
fn rows_are_printed_as_csv_and_the_same_seed_gives_the_same() {
    let bench = bench();
    let text = bench.text("sample network.json --rows 20 --seed 4");
    assert_eq!(text.lines().count(), 21);
    assert_eq!(text.lines().next(), Some("x,y"));
    assert!(text.lines().skip(1).all(|line| ["u,1", "u,2", "v,1", "v,2"].contains(&line)));
    assert_eq!(bench.text("sample network.json --rows 20 --seed 4 --data-set new --threads 2"), text);
    assert!(bench.text("sample network.json --rows 90 --seed 4").starts_with(&text));
    assert_ne!(bench.text("sample network.json --rows 20 --seed 5"), text);
    for name in ["north", "south", "pooled"] {
        assert_ne!(bench.text(&format!("sample network.json --rows 20 --seed 4 --data-set {name}")), text);
    }
    let json = bench.json("sample network.json --rows 20 --seed 4");
    let rows: Vec<String> = json["rows"].as_array().unwrap().iter().map(joined).collect();
    assert_eq!(format!("{}\n{}\n", joined(&json["columns"]), rows.join("\n")), text);
}

fn joined(row: &Value) -> String {
    row.as_array().unwrap().iter().map(|cell| cell.as_str().unwrap()).collect::<Vec<_>>().join(",")
}

#[test]
fn all_data_sets_come_in_one_file_with_a_column_or_in_a_file_each() {
    let bench = bench();
    let call = "sample network.json --data-set all --seed 2";
    let one = bench.text(&format!("{call} --rows 3,2"));
    assert_eq!(one.lines().next(), Some("data_set,x,y"));
    let names: Vec<&str> = one.lines().skip(1).filter_map(|line| line.split(',').next()).collect();
    assert_eq!(names, ["north", "north", "north", "south", "south"]);
    bench.text(&format!("{call} --rows 3,2 --group place --out all.csv"));
    assert_eq!(bench.read("all.csv"), one.replace("data_set", "place"));
    assert_eq!(bench.text(&format!("{call} --rows 3,2 --out drawn/")), "");
    let alone = bench.text("sample network.json --data-set south --seed 2 --rows 2");
    assert_eq!(bench.read("drawn/south.csv"), alone);
    assert_eq!(bench.read("drawn/north.csv").lines().count(), 4);
}

#[test]
fn fitting_what_was_drawn_gives_the_tables_back() {
    let bench = Workbench::new();
    bench.text("simulate --nodes 5 --arcs 6 --states 2,3 --data-sets 2 --rows 5 --seed 9 --out made");
    bench.text("sample made/truth.json --data-set all --rows 40000 --seed 1 --out drawn/");
    let fit = bench.json(
        "fit drawn/data_001.csv drawn/data_002.csv --structure made/truth.json --method mle --levels made/levels.json",
    );
    let truth: Value = serde_json::from_str(&bench.read("made/truth.json")).unwrap();
    let numbers = |row: &Value| -> Vec<f64> {
        row.as_array().unwrap().iter().map(|value| value.as_f64().unwrap()).collect()
    };
    for data_set in ["data_001", "data_002"] {
        let drawn = bench.read(&format!("drawn/{data_set}.csv"));
        for (fitted, node) in fit["nodes"].as_array().unwrap().iter().zip(truth["nodes"].as_array().unwrap())
        {
            let rows = rows_by_configuration(&drawn, node);
            assert_eq!(rows.iter().sum::<usize>(), 40_000);
            let tables = [fitted, node].map(|node| node["tables"][data_set].as_array().unwrap());
            for ((share, truth), rows) in tables[0].iter().zip(tables[1]).zip(rows) {
                for (share, p) in numbers(share).into_iter().zip(numbers(truth)) {
                    let deviation = (p * (1.0 - p) / rows as f64).sqrt();
                    let close = (share - p).abs() <= 5.0 * deviation + 1.0 / rows as f64;
                    assert!(rows == 0 || close, "{}: {share} of {rows}, not {p}", node["node"]);
                }
            }
        }
    }
}

/// How many of the drawn rows each configuration of a node's parents has.
fn rows_by_configuration(drawn: &str, node: &Value) -> Vec<usize> {
    let mut lines = drawn.lines();
    let header: Vec<&str> = lines.next().unwrap().split(',').collect();
    let parents = node["parents"].as_array().unwrap().iter();
    let columns: Vec<usize> =
        parents.map(|name| header.iter().position(|cell| name == cell).unwrap()).collect();
    let configurations = node["configurations"].as_array().unwrap();
    let mut rows = vec![0; configurations.len()];
    for line in lines {
        let cells: Vec<&str> = line.split(',').collect();
        let own: Vec<&str> = columns.iter().map(|&column| cells[column]).collect();
        rows[configurations.iter().position(|states| *states == serde_json::json!(own)).unwrap()] += 1;
    }
    rows
}

#[test]
fn wrong_calls_are_refused_with_the_way_out() {
    let bench = bench().write("structure.json", r#"{"structure": "[x][y|x]"}"#);
    for (call, parts) in [
        ("network.json --rows 5 --data-set west", &["`west`", "north, south", "new, pooled and all"][..]),
        ("network.json --rows 0", &["at least one row"]),
        ("network.json --rows 1,2", &["lists 2 data sets", "there are 1"]),
        ("network.json --rows 1,2,3 --data-set all", &["lists 3 data sets", "there are 2"]),
        ("network.json --rows 5 --group place", &["--group belongs to --data-set all"]),
        ("network.json --rows 5 --data-set all --group x", &["`x` is a variable"]),
        ("network.json --rows 5 --out north.csv", &["north.csv already exists", "--force"]),
        ("network.json --rows 5 --out network.json --force", &["network.json is an input file"]),
        ("network.json --rows 5 --out folder/", &["folder/ is a folder", "--data-set all"]),
        ("network.json --rows 99999999999999", &["too many to be held"]),
        ("structure.json --rows 5", &["structure.json", "no tables"]),
        ("none.json --rows 5", &["none.json"]),
    ] {
        assert_says(&bench.refusal(&format!("sample {call}")), parts);
    }
}
