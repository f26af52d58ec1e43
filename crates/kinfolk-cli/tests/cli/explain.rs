//! `kinfolk explain` end to end: arcs by data set, pooling, deviating data sets.

use std::fs;

use serde_json::Value;

use crate::workbench::{Workbench, assert_close, assert_says, keys};

const CALL: &str = "explain clinics.csv --group site";

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

#[test]
fn the_json_has_arcs_pooling_and_data_sets() {
    let bench = Workbench::with_golden("clinics");
    let explained = bench.json(&format!("{CALL} --score bhd"));
    assert_eq!(
        keys(&explained),
        [
            "structure",
            "score_name",
            "score",
            "terms",
            "arcs",
            "pooling",
            "data_sets",
            "similarity",
            "differing_edges",
            "absence",
            "posterior",
            "posterior_missing",
            "halted",
            "stop",
            "settings"
        ]
    );
    let arcs = explained["arcs"].as_array().unwrap();
    for arc in arcs {
        assert_eq!(
            keys(arc),
            ["from", "to", "total", "by_data_set", "given_others", "present", "reversal", "directed"]
        );
        let terms: f64 = ["s1", "s2", "s3"].iter().map(|name| number(&arc["by_data_set"][name])).sum();
        assert_close(&arc["total"], terms, 1e-9);
    }
    assert_eq!(arcs.iter().filter(|arc| arc["present"] == false).count(), 10);
    let pooling = &explained["pooling"];
    assert_eq!(
        keys(pooling),
        [
            "pooled",
            "separate",
            "hierarchical",
            "evidence",
            "choice",
            "margin",
            "decided",
            "verdict",
            "graphs",
            "nodes"
        ]
    );
    assert_eq!(pooling["choice"], "relate");
    let best_of: Vec<&str> = pooling["graphs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|graph| graph["best_of"].as_str().unwrap())
        .collect();
    assert_eq!(best_of, ["explained", "pooled", "separate", "hierarchical"]);
    assert_eq!(pooling["nodes"].as_array().unwrap().len(), 6);
    assert_eq!(
        keys(&pooling["nodes"][0]),
        [
            "node",
            "parents",
            "pooled",
            "separate",
            "hierarchical",
            "evidence",
            "p_identical",
            "pooled_share",
            "s_mean",
            "tau",
            "divergence",
            "total_variation",
            "by_data_set",
            "converged"
        ]
    );
    let members = explained["data_sets"].as_array().unwrap();
    assert_eq!(members.len(), 3);
    assert!(number(&members[0]["distance"]) >= number(&members[2]["distance"]));
    assert_eq!(
        keys(&members[0]),
        [
            "name",
            "rows",
            "distance",
            "chance",
            "total_variation",
            "given_others",
            "gain_from_others",
            "by_node",
            "altered_arcs",
            "own_arcs"
        ]
    );
}

#[test]
fn the_numbers_are_those_of_learn_and_score() {
    let bench = Workbench::with_golden("clinics");
    let learned = bench.json("learn clinics.csv --group site --score bhd --out network.json");
    let explained = bench.json(&format!("{CALL} --network network.json --no-rivals"));
    assert_eq!(explained["structure"], learned["structure"]);
    assert_eq!((&explained["score"], &explained["stop"]), (&learned["score"], &Value::Null));
    let present: Vec<&Value> =
        explained["arcs"].as_array().unwrap().iter().filter(|arc| arc["present"] == true).collect();
    for (arc, learned) in present.iter().zip(learned["arcs"].as_array().unwrap()) {
        assert_eq!((&arc["from"], &arc["to"]), (&learned["from"], &learned["to"]));
        assert_close(&arc["total"], number(&learned["gain"]), 1e-12);
        assert_eq!(arc["by_data_set"], learned["by_data_set"]);
    }
    // The three scores of the same graph equal those of `score`.
    for (key, score) in [("pooled", "bdeu"), ("separate", "bdeu-separate"), ("hierarchical", "bhd")] {
        let scored =
            bench.json(&format!("score clinics.csv --group site --structure network.json --score {score}"));
        assert_close(&explained["pooling"][key], number(&scored["total"]), 1e-12);
    }
    assert_eq!(explained["pooling"]["graphs"].as_array().unwrap().len(), 1);
    let structure = learned["structure"].as_str().unwrap();
    let by_structure = bench.json(&format!("{CALL} --structure {structure} --score bhd --no-rivals"));
    assert_eq!(by_structure, explained);
}

#[test]
fn the_text_explains_every_number() {
    let bench = Workbench::with_golden("clinics");
    let text = bench.text(&format!("{CALL} --score kin --left-out 3"));
    assert_says(
        &text,
        &[
            "Arcs, with the loss in score if each is removed",
            "Strongest absent arcs",
            "Signs: + for the arc",
            "kin is no sum over the data sets",
            "Should I pool? Do not pool them",
            "nats above identical ones",
            "BHD's value is no evidence",
            "Data sets, farthest from the common centre first",
        ],
    );
}

#[test]
fn an_arc_absent_in_one_data_set_is_reported_only_there() {
    let mut text = "g,x,y\n".to_owned();
    for row in 0..200 {
        let x = row % 2;
        let copy = if row % 10 == 0 { 1 - x } else { x };
        for data_set in ["a", "b", "c"] {
            text += &format!("{data_set},{x},{copy}\n");
        }
        text += &format!("odd,{x},{}\n", row / 2 % 2);
    }
    let bench = Workbench::new().write("four.csv", &text);
    let explained = bench.json("explain four.csv --group g --structure [x][y|x] --no-rivals");
    for member in explained["data_sets"].as_array().unwrap() {
        let absent = member["altered_arcs"].as_array().unwrap();
        assert_eq!(absent.len(), usize::from(member["name"] == "odd"), "{member}");
        for arc in absent {
            assert_eq!(keys(arc), ["from", "to", "evidence", "probability"]);
            assert_eq!((&arc["from"], &arc["to"]), (&"x".into(), &"y".into()));
            assert!(number(&arc["probability"]) > 0.5);
        }
    }
    assert_eq!(explained["data_sets"][0]["name"], "odd");
}

#[test]
fn best_networks_of_other_scores_are_no_worse_and_satisfy_the_constraints() {
    let bench = Workbench::with_golden("clinics").write("never.csv", "from,to\nV06,V03\n");
    // BHD's usual climb ends below this network.
    let call = format!("{CALL} --structure [V02][V06][V03|V06][V04|V02:V06][V01|V02:V03][V05|V03:V04]");
    let explained = bench.json(&call);
    let graphs = explained["pooling"]["graphs"].as_array().unwrap();
    assert_eq!(graphs.len(), 4);
    for rival in &graphs[1..] {
        let own = rival["best_of"].as_str().unwrap();
        assert!(number(&rival[own]) >= number(&graphs[0][own]), "{own}");
    }
    for rules in ["--blacklist never.csv", "--max-parents 1"] {
        let explained = bench.json(&format!("{call} {rules}"));
        for rival in &explained["pooling"]["graphs"].as_array().unwrap()[1..] {
            let structure = rival["structure"].as_str().unwrap();
            let broken = if rules.contains("parents") { ":" } else { "[V03|V06]" };
            assert!(!structure.contains(broken), "{rules}: {structure}");
        }
    }
}

#[test]
fn many_data_sets_are_counted_and_one_is_explained() {
    let mut text = "g,x,y\n".to_owned();
    for row in 0..240 {
        text += &format!("d{:02},{},{}\n", row % 12, row / 12 % 2, (row / 12 + row / 100) % 2);
    }
    let bench = Workbench::new().write("many.csv", &text).write("one.csv", "x,y\na,1\nb,2\na,1\nb,1\n");
    assert_says(&bench.text("explain many.csv --group g --structure [x][y|x]"), &["for it in", "of 12"]);
    assert_says(&bench.text("explain one.csv"), &["There is only one data set: nothing to pool."]);
    // Without arcs to show, there is no map of arcs.
    let bench = Workbench::new().write("row.csv", "x,y\na,1\n");
    let text = bench.text("explain row.csv");
    assert!(!text.contains("Signs: + for the arc"), "{text}");
    assert_says(&text, &["The network has no arc."]);
}

#[test]
fn a_note_explains_columns_that_do_not_add_up() {
    let bench = Workbench::with_golden("clinics");
    for score in ["bic", "bdeu", "kin"] {
        let text = bench.text(&format!("{CALL} --score {score} --no-rivals"));
        assert_says(&text, &[&format!("{score} is no sum"), "need not add up to the total"]);
    }
    let text = bench.text(&format!("{CALL} --score bhd --structure-prior size --no-rivals"));
    assert_says(&text, &["the structure prior, which belongs to no data set"]);
    for score in ["bhd", "bdeu-separate"] {
        let text = bench.text(&format!("{CALL} --score {score} --no-rivals"));
        assert!(!text.contains("add up to"), "{text}");
    }
}

#[test]
fn close_evidences_are_reported_as_undecided() {
    // Four rows in all.
    let bench = Workbench::new().write("a.csv", "x,y\nu,1\nv,2\n").write("b.csv", "x,y\nu,2\nv,1\n");
    let explained = bench.json("explain a.csv b.csv");
    let (verdict, margin) = (&explained["pooling"]["verdict"], number(&explained["pooling"]["margin"]));
    assert!(margin < 1.1, "{margin}");
    assert_says(
        verdict.as_str().unwrap(),
        &["The data do not decide whether the data sets are identical, related or unrelated", "to 1."],
    );
}

#[test]
fn a_time_limit_keeps_finished_work() {
    let bench = Workbench::with_golden("clinics");
    let explained =
        bench.json(&format!("{CALL} --time-limit 0 --structure [V01][V02|V01][V03][V04][V05][V06]"));
    assert_eq!(explained["halted"], "time-limit");
    assert_eq!(explained["arcs"].as_array().unwrap().len(), 1);
    assert_eq!(explained["pooling"]["graphs"].as_array().unwrap().len(), 1);
    assert_says(
        &bench.text(&format!("{CALL} --time-limit 0")),
        &["warning  stopped before", "The network has no arc."],
    );
}

#[test]
fn impossible_explanations_are_refused() {
    let bench = Workbench::new()
        .write("a.csv", "x,y\nu,1\nu,2\nv,1\n")
        .write("b.csv", "x,y\nv,2\nu,2\n")
        .write("not.json", "{}");
    bench.text("bootstrap a.csv b.csv -R 2 --out sure.json");
    fs::write(bench.path("explained.json"), bench.text("explain a.csv b.csv --json")).unwrap();
    for (call, complaint) in [
        ("explain a.csv b.csv --structure [x]", "y"),
        ("explain a.csv b.csv --structure [x][y] --network n.json", "cannot be used with"),
        ("explain a.csv b.csv --network gone.json", "gone.json"),
        ("explain a.csv b.csv --network not.json", "has no `structure`, so it is not a network file"),
        ("explain a.csv b.csv --network sure.json", "the result of `kinfolk bootstrap`, not a network file"),
        (
            "explain a.csv b.csv --network explained.json",
            "the result of `kinfolk explain`, not a network file",
        ),
        ("explain a.csv b.csv --score bic --s 3", "--s belongs to --score bhd"),
        ("explain a.csv b.csv --left-out many", "--left-out"),
    ] {
        assert_says(&bench.refusal(call), &[complaint]);
    }
    // As a structure both will do.
    for (file, key) in [("sure.json", "averaged"), ("explained.json", "structure")] {
        let explained = bench.json(&format!("explain a.csv b.csv --structure {file}"));
        let from: Value = serde_json::from_str(&bench.read(file)).unwrap();
        assert_eq!(explained["structure"], from[key]);
    }
}

/// Three data sets of two variables: `x` and `y` depend in one of them only, and `z` differs in another.
fn one_of_three() -> String {
    let mut text = "g,x,y,z\n".to_owned();
    for i in 0..240 {
        let (x, y) = (i % 2, (i / 2) % 2);
        text += &format!("plain,{x},{y},{}\n", u8::from(i % 3 == 0));
        text += &format!("own,{x},{},{}\n", if i % 12 == 0 { 1 - x } else { x }, u8::from(i % 3 == 0));
        text += &format!("odd,{x},{y},{}\n", u8::from(i % 13 != 0));
    }
    text
}

#[test]
fn an_arc_of_one_data_set_and_the_odd_variable_are_named() {
    let bench = Workbench::new().write("three.csv", one_of_three());
    let call = "explain three.csv --group g --structure [x][y][z]";
    let explained = bench.json(call);
    let members = explained["data_sets"].as_array().unwrap();
    for member in members {
        let own = member["own_arcs"].as_array().unwrap();
        assert_eq!(own.len(), usize::from(member["name"] == "own"), "{member}");
        let by_node: f64 = member["by_node"].as_object().unwrap().values().map(number).sum();
        assert_close(&member["distance"], by_node, 1e-12);
    }
    let own = members.iter().find(|member| member["name"] == "own").unwrap();
    assert_eq!(keys(&own["own_arcs"][0]), ["from", "to", "evidence", "others"]);
    assert!(number(&own["own_arcs"][0]["evidence"]) > 10.0 && number(&own["own_arcs"][0]["others"]) < 0.0);
    let edge = &explained["differing_edges"][0];
    assert_eq!(edge["between"], serde_json::json!(["x", "y"]));
    assert!(edge["absent_from"].as_array().unwrap().contains(&"explained".into()));
    let text = bench.text(call);
    assert!(
        text.contains("odd        240") && text.contains("Arcs that only this data set supports"),
        "{text}"
    );
    assert_says(&text, &["Edges on which the networks of the scores differ", "x – y", "KL per row: mean"]);
    let odd = text.lines().find(|line| line.starts_with("odd ")).unwrap();
    assert!(odd.contains(" z "), "{odd}");
}

#[test]
fn tables_of_many_data_sets_fit_eighty_columns_and_are_cut_at_top() {
    let rows = |i: usize| {
        let (x, y) = (i % 2, (i / 3) % 2);
        (0..8).map(move |j| {
            format!("hospital number {i},{},{},{}\n", (x + j) % 2, (y + j) % 2, (x + y + j / 2) % 2)
        })
    };
    let text: String = (0..30).flat_map(rows).collect();
    let bench = Workbench::new()
        .write("many.csv", format!("g,first_variable,second_variable,third_variable\n{text}"));
    bench.text("learn many.csv --group g --out net.json");
    let text = bench.text("explain many.csv --network net.json --top 5");
    assert_says(&text, &["… and 25 more data sets: --top N or --json"]);
    let is_table = |line: &&str| !line.contains("  ") || line.chars().count() <= 80;
    let wide: Vec<&str> = text.lines().filter(|line| !is_table(line)).collect();
    assert!(wide.iter().all(|line| line.starts_with("network") || line.starts_with("score")), "{wide:?}");
    for call in ["learn many.csv --group g", "predict net.json many.csv --target third_variable --group g"] {
        let text = bench.text(call);
        let mut table = text.lines().skip(6).filter(|line| !line.starts_with("Arcs,"));
        assert!(table.all(|line| line.chars().count() <= 80), "{text}");
    }
}
