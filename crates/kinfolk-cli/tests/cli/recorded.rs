//! A network file's recorded settings are the defaults of every command that reads it.

use serde_json::{Value, json};

use crate::workbench::{Workbench, assert_close, assert_says};

/// Two sites with their own code for missing values, a column to ignore, and the site in a column.
fn bench() -> Workbench {
    let mut text = "site,a,b,c,row\n".to_owned();
    for row in 0..240 {
        let (site, a) = (["n", "s"][row % 2], ["x", "y"][row / 2 % 2]);
        let b = if row % 30 == 7 { "-9" } else { ["x", "y"][(row / 2 + usize::from(row % 5 == 0)) % 2] };
        let c = ["u", "v"][row / 3 % 2];
        text += &format!("{site},{a},{b},{c},{row}\n");
    }
    Workbench::new().write("d.csv", text)
}

const READING: &str = "--group site --ignore row --na -9 --missing level";

#[test]
fn commands_on_a_network_file_read_and_score_as_it_records() {
    let bench = bench();
    let learned = bench.json(&format!("learn d.csv {READING} --score kin --kin-grid 1,10,100 --out n.json"));
    let scored = bench.json("score d.csv --structure n.json");
    assert_eq!(scored["score_name"], "kin");
    assert_close(&scored["total"], learned["score"].as_f64().unwrap(), 1e-9);
    for command in
        ["explain d.csv --network n.json --no-rivals", "explain d.csv --structure n.json --no-rivals"]
    {
        let explained = bench.json(command);
        assert_eq!(explained["score_name"], "kin", "{command}");
        assert_close(&explained["score"], learned["score"].as_f64().unwrap(), 1e-9);
        for key in ["kin_grid", "structure_prior", "group", "ignore", "na", "missing"] {
            assert_eq!(explained["settings"][key], learned["settings"][key], "{command}: {key}");
        }
    }
    let validated = bench.json("validate d.csv --structure n.json --folds 2");
    assert_eq!(validated["settings"]["method"], "kin");
    let resampled = bench.json("bootstrap d.csv --network n.json -R 2 --leave-one-out=no");
    assert_eq!(resampled["settings"]["kin_grid"], json!([1.0, 10.0, 100.0]));
    bench.text("report d.csv --network n.json --out page.html");
    let asked = bench.json(&format!("posterior d.csv {READING} --score kin --kin-grid 1,10,100"));
    for command in ["posterior d.csv --network n.json", "posterior d.csv --structure n.json"] {
        let taken = bench.json(command);
        assert_eq!(taken["settings"], asked["settings"], "{command}");
        assert_eq!(taken["arcs"], asked["arcs"], "{command}");
        assert_eq!(taken["network"]["structure"], learned["structure"]);
    }
    let own = bench.json(&format!("posterior d.csv --network n.json --no-recorded {READING}"));
    assert_ne!(own["settings"]["kin_grid"], asked["settings"]["kin_grid"]);
}

#[test]
fn fit_gives_the_tables_of_learn_and_hands_the_score_on() {
    let bench = bench();
    let learned = bench.json(&format!("learn d.csv {READING} --out n.json"));
    let fitted = bench.json("fit d.csv --structure n.json --out f.json");
    assert_eq!(
        (&fitted["settings"]["method"], &learned["settings"]["tables"]["method"]),
        (&json!("kin"), &json!("kin"))
    );
    for (a, b) in learned["nodes"].as_array().unwrap().iter().zip(fitted["nodes"].as_array().unwrap()) {
        assert_eq!((&a["tables"], &a["new"], &a["pooled"]), (&b["tables"], &b["new"], &b["pooled"]));
    }
    assert_eq!(bench.json("score d.csv --structure f.json")["score_name"], "kin");
    // Tables by another method do not change the score with which the structure was learned.
    bench.json("fit d.csv --structure n.json --method bayes --iss 3 --out b.json");
    let again = bench.json("score d.csv --structure b.json");
    assert_eq!((&again["score_name"], &again["total"]), (&json!("kin"), &learned["score"]));
    assert_eq!(bench.json("fit d.csv --structure b.json")["settings"]["iss"], 3.0);
}

#[test]
fn settings_taken_from_a_file_are_reported_and_can_be_overridden() {
    let bench = bench();
    bench.json(&format!("learn d.csv {READING} --score bhd --s 5 --out n.json"));
    let said = bench.run("score d.csv --structure n.json").err;
    assert_says(
        &said,
        &[
            "as n.json records: --group site, --na -9, --missing level, --ignore row, --score bhd, --s 5;",
            "--no-recorded",
        ],
    );
    let own = bench.json("score d.csv --structure n.json --score bdeu");
    assert_eq!(
        (&own["score_name"], &own["settings"]["s"], &own["settings"]["iss"]),
        (&json!("bdeu"), &Value::Null, &json!(1.0))
    );
    let stronger = bench.json("score d.csv --structure n.json --s 7");
    assert_eq!((&stronger["score_name"], &stronger["settings"]["s"]), (&json!("bhd"), &json!(7.0)));
    let plain = bench.json(&format!("score d.csv --structure n.json --no-recorded {READING}"));
    assert_eq!(plain["score_name"], "kin");
}
