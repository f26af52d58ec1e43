//! `kinfolk describe`: what was understood, as text and as JSON.

use serde_json::{Value, json};

use crate::workbench::{Workbench, assert_says, keys};

fn numbers() -> Workbench {
    Workbench::new()
        .write("p.csv", "age,dose,kind\n10,0.5,x\n20,1.5,y\n30,2.5,x\n40,3.5,x\n")
        .write("q.csv", "age,dose,kind\n50,0.5,x\n60,0.5,z\n70,9,x\n80,10.5,x\n")
}

fn variable(bench: &Workbench, flags: &str, name: &str) -> Value {
    let described = bench.json(&format!("describe p.csv q.csv {flags}"));
    described["variables"].as_array().unwrap().iter().find(|found| found["name"] == name).unwrap().clone()
}

#[test]
fn data_sets_variables_and_states_are_described() {
    let bench = numbers();
    let text = bench.text("describe p.csv q.csv");
    assert_says(
        &text,
        &["2 data sets, 3 variables", "p         p.csv         4", "kind      as found  3       x | y | z"],
    );
    assert_says(&text, &["note: the states of column `kind` differ: p has no z; q has no y"]);
    let described = bench.json("describe p.csv q.csv");
    assert_eq!(keys(&described), ["data_sets", "variables", "notes"]);
    let data_set = ["name", "sources", "rows", "stored_rows", "dropped_rows", "empty"];
    assert_eq!(keys(&described["data_sets"][0]), data_set);
    let variable = ["name", "states", "kind", "constant", "missing", "absent"];
    assert_eq!(keys(&described["variables"][0]), variable);
    assert_eq!(described["variables"][2]["absent"], json!([["z"], ["y"]]));
    assert_eq!(described["data_sets"][1]["sources"], json!(["q.csv"]));
}

#[test]
fn numbers_are_ordered_by_value_and_names_naturally() {
    let bench = Workbench::new().write("p.csv", "a,b,c\n10,s10,1.0\n9,s9,1\n-1,s2,2\n");
    let described = bench.json("describe p.csv");
    let states = |index: usize| described["variables"][index]["states"].clone();
    assert_eq!(states(0), json!(["-1", "9", "10"]));
    assert_eq!(states(1), json!(["s2", "s9", "s10"]));
    assert_eq!(states(2), json!(["1", "2"]));
    assert_says(
        &bench.text("describe p.csv"),
        &["numbers of equal value are one state (`1.0` is `1`) in `c`"],
    );
}

#[test]
fn cut_points_are_chosen_on_all_data_sets_together_and_printed() {
    let bench = numbers();
    let kind = |flags: &str, name: &str| variable(&bench, flags, name)["kind"].clone();
    let quantiles = kind("--discretize age=quantile:2", "age");
    assert_eq!(quantiles, json!({"kind": "discretized", "method": {"quantile": 2}, "cuts": [45.0]}));
    assert_eq!(kind("--discretize age=width:7", "age")["cuts"], json!([20.0, 30.0, 40.0, 50.0, 60.0, 70.0]));
    let cuts = variable(&bench, "--discretize dose=cuts:1,3", "dose");
    assert_eq!(cuts["states"], json!(["<=1", "(1,3]", ">3"]));
    // Bins are closed on the right, and no dose of q lies between the cuts.
    assert_eq!(cuts["absent"], json!([[], ["(1,3]"]]));
    let all = "--discretize all=quantile:4";
    assert_eq!(kind(all, "age")["cuts"].as_array().unwrap().len(), 3);
    assert_eq!(kind(all, "kind"), json!({"kind": "categorical"}));
    let own = kind("--discretize all=quantile:4 --discretize age=width:2", "age");
    assert_eq!((&own["method"], &own["cuts"]), (&json!({"width": 2}), &json!([45.0])));

    let said = bench.run("learn p.csv q.csv --discretize age=quantile:2");
    assert_says(&said.err, &["note: column `age` is cut at 45 (quantile:2)"]);
    assert_says(
        &bench.text("describe p.csv q.csv --discretize age=quantile:2"),
        &["is cut at 45", "<=45 | >45"],
    );
}

#[test]
fn rules_that_make_no_sense_are_refused() {
    let bench = numbers();
    for (rule, part) in [
        ("age", "COLUMN=quantile:4"),
        ("age=thirds", "COLUMN=quantile:4"),
        ("=width:3", "not named"),
        ("age=width:1", "from 2 to 50"),
        ("age=quantile:many", "`many`"),
        ("age=cuts:", "not a finite number"),
        ("age=cuts:3,1", "must increase"),
        ("kind=width:3", "p.csv, row 2, column `kind`: `x` is not a number"),
        ("wage=width:3", "no column `wage` (did you mean `age`?)"),
        ("age=width:3 --discretize age=width:4", "two rules"),
    ] {
        assert_says(
            &bench.refusal(&format!("describe p.csv q.csv --discretize {rule}")),
            &["--discretize", part],
        );
    }
}

#[test]
fn declared_levels_keep_their_order() {
    let bench = numbers()
        .write("levels.json", r#"{"kind": ["z", "y", "x", "w"], "dose": [10.5, 9, 3.5, 2.5, 1.5, 0.5]}"#);
    let kind = variable(&bench, "--levels levels.json", "kind");
    assert_eq!(kind["states"], json!(["z", "y", "x", "w"]));
    assert_eq!(kind["kind"], json!({"kind": "declared"}));
    assert_eq!(variable(&bench, "--levels levels.json", "dose")["states"][0], "10.5");
}

#[test]
fn missing_values_are_described_and_not_refused() {
    let bench = Workbench::new().write("p.csv", "a,b\nx,u\n,v\n?,u\n").write("q.csv", "a,b\nx,u\ny,NA\n");
    let text = bench.text("describe p.csv q.csv");
    assert_says(&text, &["missing values in  p  q  together", "a                  2  0         2"]);
    assert_says(
        &text,
        &["note: values are missing; learning needs --missing impute (or drop-rows, or level)"],
    );
    assert!(!text.contains("(missing)"), "{text}");
    let described = bench.json("describe p.csv q.csv");
    assert_eq!(described["variables"][0]["missing"], json!([2, 0]));
    assert_eq!(described["variables"][0]["states"], json!(["x", "y"]));
    assert_eq!(described["notes"][0], json!({"note": "missing-values"}));
    let level = bench.json("describe p.csv q.csv --missing level");
    assert_eq!(level["variables"][0]["states"], json!(["x", "y", "(missing)"]));
    let dropped = bench.json("describe p.csv q.csv --missing drop-rows");
    assert_eq!(dropped["data_sets"][0]["dropped_rows"], 2);
    assert_eq!(dropped["data_sets"][0]["rows"], 1);
}

#[test]
fn many_differing_columns_take_one_line_beside_a_result() {
    let names: Vec<String> = (0..12).map(|number| format!("c{number}")).collect();
    let row = |state: &str| [state; 12].join(",");
    let file = |state: &str| format!("{}\n{}\n{}\n", names.join(","), row("x"), row(state));
    let mut bench = Workbench::new();
    let mut files = Vec::new();
    for number in 0..10 {
        bench = bench.write(&format!("d{number}.csv"), file(if number == 0 { "y" } else { "x" }));
        files.push(format!("d{number}.csv"));
    }
    let files = files.join(" ");
    let said = bench.run(&format!("learn {files} --max-steps 1"));
    assert_says(
        &said.err,
        &["the states of 12 columns differ between the data sets; `kinfolk describe` says how"],
    );
    assert_eq!(said.err.lines().count(), 1, "{}", said.err);
    let text = bench.text(&format!("describe {files}"));
    assert_says(
        &text,
        &["`c11` differ: d1 has no y; d2 has no y; d3 has no y; d4 has no y; and 5 more data sets"],
    );
}
