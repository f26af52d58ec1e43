//! `kinfolk predict`: predictions for rows of files from end to end.

use serde_json::json;

use crate::workbench::{Workbench, assert_close, assert_says, keys};

/// Two data sets by maximum likelihood: P(y=2 | x) is ½ and 0 in a, 1 and ½ in b; pooled, P(y=2) = 4/9.
fn bench() -> Workbench {
    let bench = Workbench::new()
        .write("a.csv", "x,y\nu,1\nu,2\nv,1\nv,1\n")
        .write("b.csv", "x,y\nu,2\nv,1\nv,2\nv,1\nv,2\n");
    bench.text("fit a.csv b.csv --structure [x][y|x] --method mle --out net.json");
    bench
}

#[test]
fn rows_of_known_data_sets_use_their_tables_and_others_the_new_one() {
    let bench = bench().write("c.csv", "y,id,x\n,7,u\n2,8,\n");
    let said = bench.run("predict net.json a.csv b.csv c.csv --target y --json");
    assert_says(&said.err, &["not in the network: `c`", "`new`"]);
    let found = said.json();
    assert_eq!(
        keys(&found),
        ["target", "rows", "metrics", "baseline", "unknown_data_sets", "unseen", "in_sample"]
    );
    let rows = found["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 11);
    assert_eq!(keys(&rows[0]), ["file", "data_set", "row", "tables", "probabilities", "predicted", "actual"]);
    assert_eq!(
        (&rows[0]["data_set"], &rows[0]["row"], &rows[0]["tables"]),
        (&"a".into(), &2.into(), &"a".into())
    );
    assert_close(&rows[2]["probabilities"]["1"], 1.0, 1e-12);
    assert_close(&rows[4]["probabilities"]["2"], 1.0, 1e-12);
    assert_eq!((&rows[9]["tables"], &rows[9]["actual"]), (&"new".into(), &serde_json::Value::Null));
    // Of pooled rows with u two of three have 2; without x it is 4 of 9.
    assert_close(&rows[9]["probabilities"]["2"], 2.0 / 3.0, 1e-12);
    assert_close(&rows[10]["probabilities"]["2"], 4.0 / 9.0, 1e-12);
    let a = &found["metrics"]["data_sets"]["a"];
    assert_eq!(a["n"], 4);
    assert_close(&a["log_loss"], 0.5 * 2.0_f64.ln(), 1e-12);
    assert_close(&a["accuracy"], 0.75, 1e-12);
    assert_close(&a["brier"], 0.25, 1e-12);
    assert_close(&a["baseline_log_loss"], -(3.0 * (5.0_f64 / 9.0).ln() + (4.0_f64 / 9.0).ln()) / 4.0, 1e-12);
    assert_eq!(found["metrics"]["n"], 10);
    assert_eq!(a["calibration"]["bins"][0]["count"], 2);
}

#[test]
fn one_relative_can_be_forced_and_groups_and_weights_are_read() {
    let bench = bench().write("all.csv", "where,x,y,n\na,v,1,3\nb,v,2,1\n");
    let found = bench.json("predict net.json all.csv --target y --group where --weight n");
    assert_eq!((&found["rows"][0]["tables"], &found["rows"][1]["tables"]), (&"a".into(), &"b".into()));
    assert_eq!(found["metrics"]["data_sets"]["a"]["n"], 3);
    assert_close(&found["metrics"]["log_loss"], 2.0_f64.ln() / 4.0, 1e-12);
    let found = bench.json("predict net.json all.csv --target y --data-set pooled");
    assert_close(&found["rows"][0]["probabilities"]["2"], 1.0 / 3.0, 1e-12);
    assert!(found["unknown_data_sets"].as_array().unwrap().is_empty());
}

#[test]
fn unseen_values_are_refused_with_their_position_or_treated_as_missing() {
    let bench = bench().write("a2.csv", "x,y\nu,1\nw,1\n");
    let refusal = bench.refusal("predict net.json a2.csv --target y");
    assert_says(&refusal, &["a2.csv, row 3, column `x`: `w`", "--unseen missing"]);
    let said = bench.run("predict net.json a2.csv --target y --unseen missing --json");
    assert_says(&said.err, &["1 value that the network does not have as a state"]);
    assert_eq!(said.json()["unseen"][0]["value"], "w");
    assert_close(&said.json()["rows"][1]["probabilities"]["2"], 4.0 / 9.0, 1e-12);
}

#[test]
fn rows_of_probability_zero_have_no_prediction_and_are_counted() {
    let bench = Workbench::new().write("a.csv", "t,x,y\np,1,1\nq,2,2\n");
    bench.text("fit a.csv --structure [t][x|t][y|t] --method mle --out net.json");
    let bench = bench.write("a.csv", "t,x,y\np,1,2\nq,2,2\n");
    let said = bench.run("predict net.json a.csv --target t --json");
    assert_says(&said.err, &["1 row with values that have probability 0 together"]);
    let found = said.json();
    assert!(found["rows"][0]["probabilities"].is_null() && found["rows"][0]["predicted"].is_null());
    assert_eq!((&found["metrics"]["n"], &found["metrics"]["impossible"]), (&2.into(), &1.into()));
    assert_close(&found["metrics"]["log_loss"], 0.0, 1e-12);
    // An observed outcome of probability zero has an infinite log-loss, which is null in JSON.
    let bench = bench.write("a.csv", "t,x,y\nq,1,1\n");
    assert!(bench.json("predict net.json a.csv --target t")["metrics"]["log_loss"].is_null());
}

#[test]
fn numbers_go_into_the_bins_that_the_network_was_learned_with() {
    let rows: Vec<String> = (0..40).map(|i| format!("{i},{}", if i < 20 { "p" } else { "r" })).collect();
    let bench = Workbench::new().write("a.csv", format!("age,b\n{}\n", rows.join("\n")));
    bench.text(
        "fit a.csv --structure [age][b|age] --discretize age=quantile:4 --na=-9 --method bayes --out n.json",
    );
    // Two numbers alone would be cut elsewhere.
    let bench = bench.write("a.csv", "age,b\n3.5,p\n1000,r\n-9,\n>29.25,r\n");
    let found = bench.json("predict n.json a.csv --target b");
    let sure = found["rows"][0]["probabilities"]["p"].as_f64().unwrap();
    assert!(sure > 0.95, "{sure}");
    assert_eq!(found["rows"][1]["probabilities"], found["rows"][3]["probabilities"]);
    assert_close(&found["rows"][2]["probabilities"]["p"], 0.5, 1e-12);
    assert_eq!(found["metrics"]["accuracy"], 1.0);
}

#[test]
fn the_text_has_the_metrics_and_the_file_the_rows() {
    let bench = bench();
    let text = bench.text("predict net.json a.csv b.csv --target y --out rows.csv");
    assert_says(
        &text,
        &["predicted in 9 rows", "log-loss", "(all)", "most probable state", "observed", "AUC"],
    );
    assert!(
        text.contains(
            "data set  row  predicted  probability  actual\na         2    1          0.500             1"
        ),
        "{text}"
    );
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    let few = bench.text("predict net.json a.csv b.csv --target y --top 2");
    assert_says(&few, &["… and 7 more rows: --top N"]);
    let rows = bench.read("rows.csv");
    assert!(
        rows.starts_with("file,data_set,row,tables,actual,predicted,P(1),P(2)\na.csv,a,2,a,1,1,0.5,0.5\n"),
        "{rows}"
    );
    assert_eq!(rows.lines().count(), 10);
    let bench = bench.write("c.csv", "x\nu\n");
    assert_says(&bench.text("predict net.json c.csv --target y -q"), &["metrics  none"]);
    for (call, says) in [
        ("a.csv --target z", "no variable `z`"),
        ("a.csv --target y --data-set c", "no data set `c`"),
        ("a.csv --target y --group where", "has no column `where`"),
        ("a.csv --target y --out a.csv", "name another file"),
        ("no.csv --target y", "no.csv"),
    ] {
        assert_says(&bench.refusal(&format!("predict net.json {call}")), &[says]);
    }
    let bench = bench.write("d.csv", "q\n1\n");
    assert_says(
        &bench.refusal("predict net.json d.csv --target y"),
        &["none of the network's columns", "`x`, `y`"],
    );
}

#[test]
fn rows_are_grouped_by_the_column_that_the_network_was_learned_with() {
    let rows = "where,x,y\na,u,1\na,u,2\na,v,1\na,v,1\nb,u,2\nb,v,2\nb,v,1\nb,u,2\n";
    let bench = Workbench::new().write("all.csv", rows);
    bench.text("fit all.csv --group where --structure [x][y|x] --method bayes --out net.json");
    let said = bench.run("predict net.json all.csv --target y --json");
    assert_says(&said.err, &["note: --group where, as the network records"]);
    assert_eq!(said.json(), bench.json("predict net.json all.csv --target y --group where"));
    let bench = bench.write("new.csv", "x\nu\n");
    let said = bench.run("predict net.json new.csv --target y --json");
    assert_says(&said.err, &["learned with --group where, and the files are read without it"]);
    assert_eq!(said.json()["rows"][0]["tables"], "new");
    assert!(!bench.run("predict net.json all.csv --target y --data-set new").err.contains("--group"));
}

#[test]
fn intervals_of_a_prediction_equal_those_of_the_query() {
    let bench = Workbench::with_golden("clinics");
    bench.text("learn clinics.csv --group site --out net.json");
    let bench = bench.write("s1.csv", "V03,V05\na,b\na,b\n").write("elsewhere.csv", "V03,V05\na,b\n");
    let call = "predict net.json s1.csv elsewhere.csv --target V01";
    let found = bench.json(&format!("{call} --intervals 0.9 --out out.csv"));
    let query = bench.json(
        "query net.json --target V01 --evidence V03=a --evidence V05=b --data-set s1 --data-set new --intervals 0.9",
    );
    let expected = &query["targets"][0]["intervals"];
    for (row, name) in [(0, "s1"), (1, "s1"), (2, "new")] {
        for state in ["a", "b"] {
            for end in [0, 1] {
                let found = &found["rows"][row]["intervals"][state][end];
                assert_close(found, expected[name][state][end].as_f64().unwrap(), 1e-9);
            }
        }
    }
    let written = bench.read("out.csv");
    assert_says(&written, &["P(a),P(b),P(a) low,P(a) high,P(b) low,P(b) high"]);
    assert_says(&bench.text(&format!("{call} --intervals 0.9")), &["interval", "posterior probability 0.9"]);
    assert!(bench.json(call)["rows"][0].get("intervals").is_none());
}

#[test]
fn metrics_of_the_rows_learned_from_are_called_in_sample() {
    let mut files = [String::from("x,y,who\n"), String::from("x,y,who\n")];
    for row in 0..60 {
        let x = row * 7 % 5;
        let y = if row % 4 == 0 { "NA" } else { ["u", "v"][x % 2] };
        files[row % 2] += &format!("x{x},{y},{}\n", row / 6);
    }
    let [first, second] = files;
    let bench = Workbench::new().write("a.csv", &first).write("b.csv", &second);
    for flags in [
        "--missing drop-rows --ignore who",
        "--missing level --ignore who",
        "--missing impute --ignore who",
        "--missing drop-rows --id who",
    ] {
        let out = flags.replace(['-', ' '], "");
        bench.text(&format!("learn a.csv b.csv {flags} --out {out}.json -q"));
        let said = bench.text(&format!("predict {out}.json a.csv b.csv --target y"));
        assert_says(&said, &["in-sample: the network was learned from these rows;"]);
        let json = bench.json(&format!("predict {out}.json a.csv b.csv --target y"));
        assert_eq!(json["in_sample"], json!(["a", "b"]), "{flags}");
    }
    // One of the files, the same rows in another order, and other rows.
    let network = "missingdroprowsignorewho.json";
    let one = bench.json(&format!("predict {network} b.csv --target y"));
    assert_eq!(one["in_sample"], json!(["b"]));
    let mut lines: Vec<&str> = first.lines().collect();
    lines[1..].reverse();
    let bench = bench.write("a.csv", lines.join("\n"));
    let turned = bench.json(&format!("predict {network} a.csv --target y"));
    assert_eq!(turned["in_sample"], json!(["a"]));
    let bench = bench.write("a.csv", lines[..20].join("\n"));
    let other = bench.json(&format!("predict {network} a.csv --target y"));
    assert_eq!(other["in_sample"], json!([]));
    let text = bench.text(&format!("predict {network} a.csv --target y"));
    assert!(!text.contains("in-sample"), "{text}");
}
