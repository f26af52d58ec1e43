//! `kinfolk simulate`: files from end to end, the same bytes for the same seed.

use std::fs;

use serde_json::Value;

use crate::workbench::{Workbench, assert_says, keys};

const SMALL: &str = "simulate --nodes 5 --arcs 6 --data-sets 3 --rows 50 --seed 1";

fn truth(bench: &Workbench, folder: &str) -> Value {
    serde_json::from_str(&bench.read(&format!("{folder}/truth.json"))).unwrap()
}

fn files(bench: &Workbench, folder: &str) -> Vec<(String, String)> {
    let entries = fs::read_dir(bench.path(folder)).unwrap();
    let mut files: Vec<(String, String)> = entries
        .map(|entry| entry.unwrap())
        .map(|entry| (entry.file_name().into_string().unwrap(), fs::read_to_string(entry.path()).unwrap()))
        .collect();
    files.sort();
    files
}

#[test]
fn every_data_set_has_a_file_and_the_truth_is_complete() {
    let bench = Workbench::new();
    let said = bench.text(&format!("{SMALL} --states 2-4 --out made"));
    assert_says(
        &said,
        &["3 data sets, 150 rows, 5 variables", "network  [V", "data_001.csv to data_003.csv"],
    );
    let names: Vec<String> = files(&bench, "made").into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["data_001.csv", "data_002.csv", "data_003.csv", "levels.json", "truth.json"]);
    let data = bench.read("made/data_002.csv");
    assert_eq!(data.lines().next(), Some("V1,V2,V3,V4,V5"));
    assert_eq!(data.lines().count(), 51);

    let truth = truth(&bench, "made");
    assert_says(&said, &[truth["structure"].as_str().unwrap()]);
    assert_eq!(truth["structure"].as_str().unwrap().matches(['|', ':']).count(), 6);
    assert_eq!(keys(&truth["structures"]), ["data_001", "data_002", "data_003"]);
    assert_eq!(keys(&truth["tables"]), ["data_001", "data_002", "data_003"]);
    assert_eq!(keys(&truth["tables"]["data_001"]), ["V1", "V2", "V3", "V4", "V5"]);
    assert_eq!((&truth["seed"], &truth["settings"]["generator"]), (&1.into(), &"ChaCha8".into()));
    assert_eq!(truth["structures"]["data_003"], truth["structure"]);
    assert_eq!(truth["nodes"][0]["tables"]["data_002"], truth["tables"]["data_002"]["V1"]);
}

#[test]
fn the_same_seed_gives_the_same_bytes_for_any_number_of_threads() {
    let bench = Workbench::new();
    let design = "simulate --nodes 8 --arcs 10 --states 2,3 --rows 300,20,100 --seed 5 --scenario b --altered 2 --removed 1";
    for (folder, flags) in [("one", "--threads 1"), ("two", "--threads 2"), ("json", "--json")] {
        bench.text(&format!("{design} {flags} --out {folder}"));
    }
    assert_eq!(files(&bench, "one"), files(&bench, "two"));
    assert_eq!(files(&bench, "one"), files(&bench, "json"));
    bench.text(&format!("{design} --replicate 1 --out other"));
    assert_ne!(bench.read("one/data_001.csv"), bench.read("other/data_001.csv"));
}

#[test]
fn these_bytes_never_change() {
    // From an independent program, based only on the description of the generator: `made` in peers/test_simulate.py.
    let bench = Workbench::new();
    bench.text(
        "simulate --nodes 4 --arcs 4 --states 3 --data-sets 2 --rows 6 --seed 2024 --replicate 7 --out made",
    );
    assert_eq!(bench.read("made/data_001.csv"), GOLDEN_1);
    assert_eq!(bench.read("made/data_002.csv"), GOLDEN_2);
    assert_eq!(truth(&bench, "made")["structure"], GOLDEN_STRUCTURE);
}

const GOLDEN_STRUCTURE: &str = "[V1][V2|V1][V3|V2][V4|V1:V2]";
const GOLDEN_1: &str = "V1,V2,V3,V4\n3,3,1,1\n2,3,3,2\n3,3,3,1\n2,1,2,1\n3,3,1,1\n2,1,2,1\n";
const GOLDEN_2: &str = "V1,V2,V3,V4\n3,2,2,3\n2,3,2,3\n2,3,2,3\n3,3,1,1\n3,2,1,3\n3,3,1,1\n";

#[test]
fn fewer_rows_are_the_first_of_more() {
    let bench = Workbench::new();
    let call = "simulate --nodes 5 --arcs 6 --data-sets 3 --seed 1";
    bench.text(&format!("{call} --rows 50 --out few"));
    bench.text(&format!("{call} --rows 80 --out many"));
    for name in ["data_001.csv", "data_003.csv"] {
        assert!(bench.read(&format!("many/{name}")).starts_with(&bench.read(&format!("few/{name}"))));
    }
}

#[test]
fn altered_data_sets_have_their_own_structures_and_smaller_tables() {
    let bench = Workbench::new();
    let said = bench.text(&format!("{SMALL} --scenario b --altered 1 --removed 6 --out made"));
    let truth = truth(&bench, "made");
    let empty = "[V1][V2][V3][V4][V5]";
    assert_says(&said, &[empty]);
    let structures = truth["structures"].as_object().unwrap();
    let altered: Vec<&String> =
        structures.iter().filter(|(_, structure)| *structure == empty).map(|(name, _)| name).collect();
    assert_eq!(altered.len(), 1);
    let tables = truth["tables"][altered[0]].as_object().unwrap();
    assert!(tables.values().all(|table| table.as_array().unwrap().len() == 1));
}

#[test]
fn the_files_are_read_back_with_all_states_and_the_truth_as_a_network() {
    let bench = Workbench::new();
    bench.text("simulate --nodes 5 --arcs 5 --states 5 --data-sets 2 --rows 10 --seed 3 --out made");
    let files = "made/data_001.csv made/data_002.csv";
    let described = bench.json(&format!("describe {files} --levels made/levels.json"));
    for variable in described["variables"].as_array().unwrap() {
        assert_eq!(variable["states"], serde_json::json!(["1", "2", "3", "4", "5"]));
    }
    let scored = bench.json(&format!("score {files} --levels made/levels.json --structure made/truth.json"));
    assert_eq!(scored["structure"], truth(&bench, "made")["structure"]);
    assert_eq!(bench.json("compare made/truth.json made/truth.json")["shd"]["cpdag"], 0);
}

#[test]
fn files_that_are_there_are_replaced_only_by_force() {
    let bench = Workbench::new();
    bench.text(&format!("{SMALL} --out made"));
    let before = files(&bench, "made");
    let other = "simulate --nodes 4 --arcs 2 --data-sets 2 --rows 5 --out made";
    assert_says(&bench.refusal(other), &["data_001.csv", "--force"]);
    assert_eq!(files(&bench, "made"), before);
    let said = bench.run(&format!("{other} --force"));
    assert_eq!(said.code, 0);
    assert_says(&said.err, &["data_003.csv was not written by this run"]);
    assert_eq!(bench.read("made/data_001.csv").lines().count(), 6);
}

#[test]
fn impossible_requests_are_refused_before_anything_is_written() {
    let bench = Workbench::new();
    for (call, parts) in [
        ("--arcs 11 --rows 5 --data-sets 2", &["11 arcs are too many", "at most 10"][..]),
        ("--arcs 5 --rows 5 --data-sets 2 --max-parents 1", &["at most 1 parents", "at most 4"]),
        ("--arcs 5 --rows 5", &["--data-sets"]),
        ("--arcs 5 --rows 5,6 --data-sets 3", &["lists 2 data sets", "there are 3"]),
        ("--arcs 5 --rows many --data-sets 3", &["`many` is not a whole number"]),
        ("--arcs 5 --rows 0 --data-sets 3", &["at least one row"]),
        ("--arcs 5 --rows 5 --data-sets 3 --states 1", &["cannot have 1 states"]),
        ("--arcs 5 --rows 5 --data-sets 3 --states 5-2", &["5-2"]),
        ("--arcs 5 --rows 5 --data-sets 3 --s 0", &["s cannot be 0"]),
        ("--arcs 5 --rows 5 --data-sets 3 --parameters id --alpha0 2", &["--alpha0 belongs to"]),
        ("--arcs 5 --rows 5 --data-sets 3 --altered 1", &["--scenario b"]),
        ("--arcs 5 --rows 5 --data-sets 3 --scenario b --altered 1", &["--removed"]),
        ("--arcs 5 --rows 5 --data-sets 3 --scenario b --altered 4 --removed 1", &["there are 3"]),
        ("--arcs 5 --rows 5 --data-sets 3 --scenario b --altered 1 --removed 6", &["the network has 5"]),
        ("--arcs 5 --rows 5 --data-sets 3 --scenario b --altered 1 --removed 1.5", &["between 0 and 1"]),
        ("--arcs 5 --rows 5 --data-sets 3 --scenario b --altered 1 --removed few", &["`few` is neither"]),
    ] {
        let refusal = bench.refusal(&format!("simulate --nodes 5 {call} --out made"));
        assert_says(&refusal, parts);
    }
    assert!(!bench.path("made").exists());
}
