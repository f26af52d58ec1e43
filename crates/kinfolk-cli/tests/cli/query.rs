//! `kinfolk query`: questions to a network from end to end.

use crate::workbench::{Workbench, assert_close, assert_says, keys};

/// Two data sets in which `y` follows `x`, by maximum likelihood: P(y=2 | x) is ½ and 0 in a, 1 and ½ in b.
fn bench() -> Workbench {
    let bench = Workbench::new()
        .write("a.csv", "x,y\nu,1\nu,2\nv,1\nv,1\n")
        .write("b.csv", "x,y\nu,2\nv,1\nv,2\nv,1\nv,2\n");
    bench.text("fit a.csv b.csv --structure [x][y|x] --method mle --out net.json");
    bench
}

#[test]
fn every_data_set_answers_from_its_own_tables() {
    let bench = bench();
    let answer = bench.json("query net.json --target x --evidence y=2");
    assert_eq!(
        keys(&answer),
        ["target", "data_sets", "targets", "evidence", "do", "log_probability_of_evidence"]
    );
    assert_eq!(answer["target"], "x");
    assert_eq!(keys(&answer["data_sets"]), ["a", "b", "pooled", "new"]);
    assert_eq!(keys(&answer["data_sets"]["a"]), ["u", "v"]);
    assert_close(&answer["data_sets"]["a"]["u"], 1.0, 1e-12);
    assert_close(&answer["data_sets"]["b"]["u"], 1.0 / 3.0, 1e-12);
    assert_close(&answer["data_sets"]["pooled"]["u"], 0.5, 1e-12);
    assert_eq!(answer["evidence"]["y"], "2");
    assert_close(&answer["log_probability_of_evidence"]["b"], 0.6_f64.ln(), 1e-12);
    let one = bench.json("query net.json --target x --target y --data-set b");
    assert_eq!(keys(&one["data_sets"]), ["b"]);
    assert_eq!((&one["targets"][0]["target"], &one["targets"][1]["target"]), (&"x".into(), &"y".into()));
    assert_close(&one["targets"][1]["data_sets"]["b"]["2"], 0.6, 1e-12);
}

#[test]
fn setting_a_variable_cuts_it_off_from_its_causes() {
    let bench = bench();
    let answer = bench.json("query net.json --target x --do y=2 --data-set a");
    assert_eq!(answer["do"]["y"], "2");
    assert_close(&answer["data_sets"]["a"]["u"], 0.5, 1e-12);
}

#[test]
fn joint_distributions_and_explanations_are_given_on_request() {
    let bench = bench();
    let answer = bench.json("query net.json --target x --target y --joint --mpe --data-set b --data-set a");
    assert_eq!(answer["joint"].as_array().unwrap().len(), 4);
    assert_eq!(
        (&answer["joint"][2]["states"]["x"], &answer["joint"][2]["states"]["y"]),
        (&"v".into(), &"1".into())
    );
    assert_close(&answer["joint"][2]["data_sets"]["b"], 0.4, 1e-12);
    assert_eq!(keys(&answer["explanation"]), ["b", "a"]);
    assert_eq!(answer["explanation"]["a"]["assignment"]["x"], "v");
    assert_close(&answer["explanation"]["a"]["log_probability"], 0.5_f64.ln(), 1e-12);
    // In b two explanations are equally probable; the first state is taken.
    assert_eq!(answer["explanation"]["b"]["assignment"]["y"], "1");
    let text = bench.text("query net.json --mpe --evidence y=1");
    assert_says(&text, &["given  y = 1", "most probable explanation", "pooled"]);
}

#[test]
fn the_text_has_one_column_per_data_set() {
    let bench = bench();
    let text = bench.text("query net.json --target x --evidence y=2");
    assert_says(
        &text,
        &["given  y = 2", "variable", "a         b    pooled       new", "ln P(evidence)", "0.333333"],
    );
}

#[test]
fn unanswerable_queries_are_refused_with_alternatives() {
    let bench = bench();
    for (call, says) in [
        ("--target z", &["no variable `z`", "`x`, `y`"][..]),
        ("--target x --evidence y=7", &["`y` has no state `7`", "`1`, `2`"]),
        ("--target x --evidence z=7", &["no variable `z`"]),
        ("--target x --evidence y", &["VARIABLE=STATE"]),
        ("--target x --data-set c", &["no data set `c`", "`a`, `b`, `pooled`, `new`"]),
        ("--target x --target x", &["given twice"]),
        ("--target x --evidence y=1 --do y=1", &["`y` is given twice"]),
        ("--target x --evidence x=v --evidence y=2 --data-set a", &["impossible in `a`"]),
        ("--target x --evidence y=2 --most-cells 1", &["--most-cells", "induced width"]),
        ("", &["--target"]),
        ("--joint --mpe", &["--joint needs"]),
    ] {
        assert_says(&bench.refusal(&format!("query net.json {call}")), says);
    }
    let bench = bench.write("no.json", "{\"structure\": \"[x]\"}");
    assert_says(&bench.refusal("query no.json --target x"), &["no.json", "no tables"]);
}

#[test]
fn names_with_equals_signs_and_numbers_in_intervals_are_understood() {
    let rows: Vec<String> = (0..40).map(|i| format!("{i},{}", if i < 20 { "p=q" } else { "r" })).collect();
    let bench = Workbench::new().write("a.csv", format!("age=years,b\n{}\n", rows.join("\n")));
    bench.text("fit a.csv --structure [age=years][b|age=years] --discretize age=years=cuts:10,20 --method bayes --out n.json");
    let answer = bench.json("query n.json --target b --evidence age=years=15");
    assert_eq!(answer["evidence"]["age=years"], "(10,20]");
    let answer = bench.json("query n.json --target age=years --evidence b=p=q");
    assert_eq!(answer["evidence"]["b"], "p=q");
}

#[test]
fn intervals_of_a_query_are_those_of_its_draws() {
    let bench = Workbench::with_golden("clinics");
    bench.text("learn clinics.csv --group site --out net.json");
    let call = "query net.json --target V01 --evidence V05=a --data-set s1 --data-set new";
    let plain = bench.json(call);
    let answer = bench.json(&format!("{call} --intervals 0.9"));
    assert_eq!(answer["data_sets"], plain["data_sets"]);
    assert_close(&answer["interval_mass"], 0.9, 0.0);
    let intervals = &answer["targets"][0]["intervals"];
    assert_eq!(keys(intervals), ["s1", "new"]);
    let width =
        |name: &str| intervals[name]["a"][1].as_f64().unwrap() - intervals[name]["a"][0].as_f64().unwrap();
    assert!(0.0 < width("s1") && width("s1") < width("new"), "{intervals}");
    assert_eq!(answer, bench.json(&format!("{call} --intervals 0.9 --threads 1")));
    let text = bench.text(&format!("{call} --intervals 0.9"));
    assert_says(&text, &["intervals: contain the true probability", "spread between data sets"]);
}

#[test]
fn networks_that_do_not_record_their_certainty_have_no_intervals() {
    let wrong = bench().refusal("query net.json --target x --intervals 0.9");
    assert_says(&wrong, &["intervals need tables that record how certain they are", "kinfolk fit"]);
}

#[test]
fn the_text_shows_the_first_data_sets_and_the_json_all() {
    let bench = (0..23).fold(Workbench::new(), |bench, number| {
        bench.write(&format!("f{number:02}.csv"), "x,y\nu,1\nv,2\nv,1\n")
    });
    let files: Vec<String> = (0..23).map(|number| format!("f{number:02}.csv")).collect();
    let fit = format!("fit {} --structure [x][y|x]", files.join(" "));
    let text = bench.text(&format!("{fit} --out net.json"));
    assert_says(&text, &["f19", "(pooled)", "(new)", "… and 3 more data sets: --top N, --json or --out"]);
    assert!(!text.contains("f20"), "{text}");
    assert_says(&bench.text(&format!("{fit} --top 23")), &["f22"]);
    let text = bench.text("query net.json --target x --top 2");
    assert_says(&text, &["f01", "pooled", "new", "… and 21 more data sets: --top N"]);
    assert!(!text.contains("f02"), "{text}");
    assert_eq!(keys(&bench.json("query net.json --target x --top 2")["data_sets"]).len(), 25);
    assert_says(&bench.text("query net.json --target x --data-set all --top 2"), &["f22"]);
}
