//! The options of the search: limits, constraints, starts and restarts.

use serde_json::{Value, json};

use crate::workbench::{Workbench, assert_says};

const CLINICS: &str = "learn clinics.csv --group site --score bhd";

fn clinics() -> Workbench {
    Workbench::with_golden("clinics")
}

fn arcs(learned: &Value) -> Vec<(String, String)> {
    let name = |value: &Value| value.as_str().unwrap().to_owned();
    let arcs = learned["arcs"].as_array().unwrap();
    arcs.iter().map(|arc| (name(&arc["from"]), name(&arc["to"]))).collect()
}

fn has_arc(learned: &Value, from: &str, to: &str) -> bool {
    arcs(learned).contains(&(from.to_owned(), to.to_owned()))
}

#[test]
fn no_node_gets_more_parents_than_allowed() {
    let bench = clinics();
    for most in [0, 1, 2] {
        let learned = bench.json(&format!("{CLINICS} --max-parents {most}"));
        let parents =
            learned["nodes"].as_array().unwrap().iter().map(|node| node["parents"].as_array().unwrap().len());
        assert_eq!(parents.max(), Some(most));
    }
}

#[test]
fn lists_of_arcs_are_read_from_csv_and_json_alike() {
    let bench = clinics()
        .write("arcs.csv", "\u{feff}to, from\nV01,V05\n\"V06\",V05\n")
        .write("pairs.json", r#"[["V05", "V01"], ["V05", "V06"]]"#)
        .write("objects.json", r#" [{"from": "V05", "to": "V01"}, ["V05", "V06"]]"#);
    let required = bench.json(&format!("{CLINICS} --whitelist arcs.csv"));
    assert!(has_arc(&required, "V05", "V01") && has_arc(&required, "V05", "V06"));
    assert_eq!(required["settings"]["whitelist"], json!([["V05", "V01"], ["V05", "V06"]]));
    assert_eq!(required["start"], "[V02][V03][V04][V05][V01|V05][V06|V05]");
    for file in ["pairs.json", "objects.json"] {
        assert_eq!(bench.json(&format!("{CLINICS} --whitelist {file}")), required);
        let forbidden = bench.json(&format!("{CLINICS} --blacklist {file}"));
        assert!(!has_arc(&forbidden, "V05", "V01") && !has_arc(&forbidden, "V05", "V06"));
    }
}

#[test]
fn a_forbidden_arc_stays_out() {
    let bench = clinics().write("never.csv", "from,to\nV02,V04\nV06,V03\n");
    assert!(has_arc(&bench.json(CLINICS), "V02", "V04"));
    let learned = bench.json(&format!("{CLINICS} --blacklist never.csv"));
    assert!(!has_arc(&learned, "V02", "V04") && !has_arc(&learned, "V06", "V03"));
}

#[test]
fn no_arc_leads_to_an_earlier_tier() {
    let bench = clinics()
        .write("tiers.txt", "V05, V01\n\nV02\nV03,V04\n")
        .write("tiers.json", r#"[["V05", "V01"], ["V02"], ["V03", "V04"]]"#);
    let learned = bench.json(&format!("{CLINICS} --tiers tiers.txt"));
    let tier = |name: &str| match name {
        "V05" | "V01" => Some(0),
        "V02" => Some(1),
        "V06" => None,
        _ => Some(2),
    };
    for (from, to) in arcs(&learned) {
        assert!(tier(&from).is_none() || tier(&to).is_none() || tier(&from) <= tier(&to), "{from} → {to}");
    }
    assert_eq!(bench.json(&format!("{CLINICS} --tiers tiers.json")), learned);
}

#[test]
fn a_search_starts_at_the_given_network() {
    let bench = clinics();
    let found = bench.json(&format!("{CLINICS} --out found.json"));
    let structure = found["structure"].as_str().unwrap();
    let bench = bench.write("found.txt", format!("{structure}\n"));
    for start in [structure, "found.json", "found.txt"] {
        let again = bench.json(&format!("{CLINICS} --start {start}"));
        assert_eq!((&again["structure"], &again["score"]), (&found["structure"], &found["score"]));
        assert_eq!((&again["start"], &again["steps"]), (&found["structure"], &json!([])));
        assert_eq!(again["settings"]["start"], found["structure"]);
    }
}

#[test]
fn limits_end_a_search_with_the_best_network() {
    let bench = clinics();
    let whole = bench.json(CLINICS);
    let short = bench.json(&format!("{CLINICS} --max-steps 2"));
    assert_eq!((short["stop"].as_str(), short["steps"].as_array().unwrap().len()), (Some("max-steps"), 2));
    assert_eq!(short["steps"].as_array().unwrap()[..], whole["steps"].as_array().unwrap()[..2]);
    let none = bench.json(&format!("{CLINICS} --time-limit 0"));
    assert_eq!((&none["stop"], &none["steps"]), (&json!("time-limit"), &json!([])));
    assert_eq!(none["structure"], "[V01][V02][V03][V04][V05][V06]");
    assert!(none["score"].as_f64().unwrap() < whole["score"].as_f64().unwrap());
    for limit in ["1e9", "1e300", "inf"] {
        let learned = bench.json(&format!("{CLINICS} --time-limit {limit}"));
        assert_eq!((&learned["stop"], &learned["structure"]), (&json!("optimum"), &whole["structure"]));
    }
    for limit in ["-1", "nan"] {
        assert_says(
            &bench.refusal(&format!("{CLINICS} --time-limit {limit}")),
            &["--time-limit", "non-negative number of seconds"],
        );
    }
    assert_says(
        &bench.text(&format!("{CLINICS} --time-limit 0")),
        &["STOPPED at --time-limit", "No arc yet."],
    );
}

#[test]
fn restarts_never_lose_and_the_seed_decides_them() {
    let bench = Workbench::with_golden("valleys");
    let call = "learn valleys.csv --group site --score bdeu --search climb";
    let plain = bench.json(call);
    let restarted = bench.json(&format!("{call} --restarts 15 --perturb 6 --seed 3"));
    assert!(restarted["score"].as_f64().unwrap() >= plain["score"].as_f64().unwrap());
    assert_eq!(restarted["restarts"].as_array().unwrap().len(), 15);
    assert_eq!(restarted, bench.json(&format!("{call} --restarts 15 --perturb 6 --seed 3")));
    let other = bench.json(&format!("{call} --restarts 15 --perturb 6 --seed 4"));
    assert_ne!(other["restarts"], restarted["restarts"]);
    assert_says(&bench.text(&format!("{call} --restarts 1")), &["1 restart of which"]);
    assert_says(&bench.refusal(&format!("{call} --restarts 2 --perturb 0")), &["--perturb 0"]);
}

#[test]
fn tabu_search_passes_optima() {
    let bench = Workbench::with_golden("valleys");
    let call = "learn valleys.csv --group site --score bdeu";
    let plain = bench.json(&format!("{call} --search climb"));
    let further = bench.json(&format!("{call} --search tabu"));
    assert_eq!(found(&further), found(&bench.json(&format!("{call} --tabu 10 --escapes 0 --restarts 0"))));
    assert!(further["score"].as_f64().unwrap() > plain["score"].as_f64().unwrap());
    assert_eq!(further["settings"]["tabu"], 10);
    // Some move on the way gained nothing.
    let mut gains = further["steps"].as_array().unwrap().iter().map(|step| step["gain"].as_f64().unwrap());
    assert!(gains.any(|gain| gain <= 0.0));
    assert_eq!(further["stop"], "optimum");
    assert_says(&bench.refusal(&format!("{call} --tabu few")), &["--tabu"]);
}

#[test]
fn escapes_leave_optima_and_the_seed_decides_them() {
    let bench = Workbench::with_golden("valleys");
    let call = "learn valleys.csv --group site --score bdeu";
    let plain = bench.json(&format!("{call} --search climb"));
    let further = bench.json(&format!("{call} --escapes 20"));
    assert!(further["score"].as_f64().unwrap() > plain["score"].as_f64().unwrap());
    assert_eq!((&plain["settings"]["escapes"], &further["settings"]["escapes"]), (&0.into(), &20.into()));
    assert_eq!(further["stop"], "optimum");
    assert_eq!(further, bench.json(&format!("{call} --escapes 20 --threads 1")));
    let other = bench.json(&format!("{call} --escapes 20 --seed 2"));
    assert!(other["score"].as_f64().unwrap() >= plain["score"].as_f64().unwrap());
    assert_says(&bench.refusal(&format!("{call} --escapes few")), &["--escapes"]);
}

/// A result without its settings.
fn found(learned: &Value) -> Value {
    let mut found = learned.clone();
    let object = found.as_object_mut().unwrap();
    ["search", "settings"].iter().for_each(|key| drop(object.remove(*key).unwrap()));
    found
}

#[test]
fn the_default_search_is_auto_with_twenty_escapes_and_restarts() {
    let bench = Workbench::with_golden("valleys");
    let inputs = "valleys.csv --group site";
    for command in ["learn", "learn --score bhd", "explain", "bootstrap -R 3", "validate --folds 2"] {
        let call = format!("{command} {inputs}");
        let default = bench.text(&format!("{call} --json"));
        for same in ["--escapes 20", "--search auto", "--search auto --escapes 20"] {
            assert_eq!(bench.text(&format!("{call} --json {same}")), default, "{call} {same}");
        }
        let settings = &serde_json::from_str::<Value>(&default).unwrap()["settings"];
        assert_eq!((&settings["search"], &settings["escapes"]), (&json!("auto"), &json!(20)));
        let climb = bench.json(&format!("{call} --search climb"));
        let settings = &climb["settings"];
        let (escapes, restarts) = (&settings["escapes"], &settings["restarts"]);
        assert_eq!((&settings["search"], escapes, restarts), (&json!("climb"), &json!(0), &json!(0)));
    }
    let learned = bench.json(&format!("learn {inputs}"));
    assert_eq!(learned["search"], json!({ "method": "auto", "optimal": false }));
    assert_says(
        &bench.text(&format!("learn {inputs}")),
        &["hill-climbing with 20 escapes: ", "10 restarts of which"],
    );
    assert_says(&bench.text(&format!("learn {inputs} --search climb")), &["hill-climbing: "]);
    let both = bench.text(&format!("learn {inputs} --search tabu --escapes 1"));
    assert_says(&both, &["hill-climbing with a tabu list of 10 and 1 escape: "]);
}

#[test]
fn exact_search_and_the_default_with_few_variables_report_optimality() {
    let names: Vec<String> = (0..31).map(|number| format!("V{number}")).collect();
    let row = |state: &str| vec![state; 31].join(",");
    let bench = clinics().write("wide.csv", format!("{}\n{}\n{}\n", names.join(","), row("a"), row("b")));
    let learned = bench.json("learn clinics.csv --group site");
    assert_eq!(learned["search"], json!({ "method": "auto", "optimal": true }));
    let exact = bench.json("learn clinics.csv --group site --search exact");
    assert_eq!(exact["search"], json!({ "method": "exact", "optimal": true }));
    assert_eq!(exact["score"], learned["score"]);
    let tabu = bench.json("learn clinics.csv --group site --search tabu");
    assert_eq!(tabu["search"], json!({ "method": "tabu", "optimal": false }));
    assert_says(
        &bench.text("learn clinics.csv --group site"),
        &["exact search after hill-climbing: ", "; no network scores higher"],
    );
    let refusal = bench.refusal("learn wide.csv --search exact");
    assert_says(
        &refusal,
        &["31 variables", "the maximum is 30 variables", "--search auto has no such limit"],
    );
}

#[test]
fn searches_that_contradict_themselves_are_refused() {
    let bench = clinics();
    for command in ["learn", "bootstrap", "explain", "validate", "report --out page.html"] {
        for (flags, parts) in [
            ("--search climb --escapes 5", ["--search climb", "--escapes", "choose --search auto"]),
            ("--search climb --tabu 5", ["--search climb", "--tabu", "choose --search auto"]),
            ("--search tabu --tabu 0", ["--tabu 0", "--tabu 1", "choose --search climb"]),
            ("--search pc --restarts 5", ["--search pc", "--restarts", "choose --search auto"]),
            ("--search greedy", ["greedy", "auto, climb, tabu, order, exact, pc", "--search"]),
        ] {
            assert_says(&bench.refusal(&format!("{command} clinics.csv --group site {flags}")), &parts);
        }
    }
}

#[test]
fn a_constant_column_is_never_a_parent() {
    let bench = Workbench::new()
        .write("a.csv", "k,x,y\nc,1,1\nc,1,1\nc,2,2\nc,2,2\nc,1,1\nc,2,2\n")
        .write("arc.csv", "from,to\nk,x\n");
    let said = bench.run("learn a.csv --score loglik --json");
    assert_says(&said.err, &["constant over all data sets together: `k`"]);
    let learned = said.json();
    assert!(arcs(&learned).iter().all(|(from, _)| from != "k"));
    assert!(!arcs(&learned).is_empty());
    assert_says(&bench.refusal("learn a.csv --whitelist arc.csv"), &["`k` → `x`", "cannot be a parent"]);
    assert_says(&bench.refusal("learn a.csv --start [k][x|k][y]"), &["`k` → `x`"]);
}

#[test]
fn contradictions_are_refused_and_the_arcs_named() {
    let bench = clinics()
        .write("one.csv", "from,to\nV01,V02\n")
        .write("both.csv", "from,to\nV01,V02\nV02,V01\n")
        .write("cycle.csv", "from,to\nV01,V02\nV02,V03\nV03,V01\n")
        .write("self.csv", "from,to\nV04,V04\n")
        .write("tiers.txt", "V02\nV01\n")
        .write("twice.txt", "V02\nV01,V02\n");
    let start = "--start [V01][V02|V01][V03][V04][V05][V06]";
    for (flags, parts) in [
        ("--whitelist both.csv", &["`V01` → `V02`", "`V02` → `V01`"][..]),
        ("--whitelist cycle.csv", &["cycle", "`V01` → `V02` → `V03`"]),
        ("--whitelist self.csv", &["`V04` to itself"]),
        ("--blacklist self.csv", &["`V04` to itself"]),
        ("--whitelist one.csv --blacklist one.csv", &["`V01` → `V02`", "whitelist", "blacklist"]),
        ("--whitelist one.csv --tiers tiers.txt", &["`V01` → `V02`", "tiers"]),
        ("--whitelist one.csv --max-parents 0", &["`V02`", "more parents (1) than --max-parents allows (0)"]),
        ("--tiers twice.txt", &["`V02`", "more than one tier"]),
        (&format!("--blacklist one.csv {start}"), &["start graph", "`V01` → `V02`", "blacklist"]),
        (&format!("--tiers tiers.txt {start}"), &["start graph", "`V01` → `V02`", "tiers"]),
        (&format!("--max-parents 0 {start}"), &["start graph", "`V02`"]),
    ] {
        assert_says(&bench.refusal(&format!("{CLINICS} --quiet {flags}")), parts);
    }
}

#[test]
fn files_of_constraints_that_cannot_be_understood_are_refused() {
    let bench = clinics()
        .write("header.csv", "a,b\nV01,V02\n")
        .write("ragged.csv", "from,to\nV01\n")
        .write("pair.json", r#"[["V01"]]"#)
        .write("unknown.csv", "from,to\nV01,V99\n")
        .write("tiers.json", r#"["V01"]"#)
        .write("tiers.txt", "V01,V99\n")
        .write("empty.csv", "");
    for (flags, parts) in [
        ("--whitelist header.csv", &["header.csv (--whitelist)", "`from`"][..]),
        ("--blacklist empty.csv", &["empty.csv (--blacklist)", "`from`"]),
        ("--blacklist ragged.csv", &["ragged.csv (--blacklist)", "line: 2"]),
        ("--whitelist pair.json", &["pair.json (--whitelist), line 1", r#"["from", "to"]"#]),
        ("--whitelist unknown.csv", &["no column `V99`", "V01, V02"]),
        ("--tiers tiers.json", &["tiers.json (--tiers)", "list of lists"]),
        ("--tiers tiers.txt", &["tiers.txt (--tiers)", "no column `V99`"]),
        ("--tiers none.txt", &["none.txt"]),
        ("--whitelist none.csv", &["none.csv"]),
    ] {
        assert_says(&bench.refusal(&format!("{CLINICS} --quiet {flags}")), parts);
    }
}

#[test]
fn an_order_search_has_a_curve_that_ends_at_its_score() {
    let bench = Workbench::with_golden("valleys");
    let call = "learn valleys.csv --group site --score bdeu";
    let found = bench.json(&format!("{call} --search order"));
    assert_eq!((&found["search"]["method"], &found["search"]["optimal"]), (&json!("order"), &json!(false)));
    let curve = found["search"]["curve"].as_array().unwrap();
    let number = |point: &Value, key: &str| point[key].as_f64().unwrap();
    for pair in curve.windows(2) {
        assert!(number(&pair[0], "score") < number(&pair[1], "score"));
        assert!(number(&pair[0], "seconds") <= number(&pair[1], "seconds"));
    }
    let last = number(curve.last().unwrap(), "score");
    assert!((last - found["score"].as_f64().unwrap()).abs() < 1e-9);
    assert_says(
        &bench.text(&format!("{call} --search order")),
        &["order search after hill-climbing with 20 escapes: ", "10 restarts of which"],
    );
    // With a time limit there are as many restarts as fit into it.
    let limited = bench.json(&format!("{call} --search order --time-limit 0.5"));
    assert_eq!((&limited["stop"], &limited["settings"]["restarts"]), (&json!("time-limit"), &Value::Null));
    assert!(
        limited["score"].as_f64().unwrap()
            >= bench.json(&format!("{call} --search climb"))["score"].as_f64().unwrap()
    );
}

#[test]
fn pc_reports_its_tests_and_honours_constraints() {
    let bench = Workbench::with_golden("valleys").write("must.csv", "from,to\nV10,V01\n");
    let found = bench.json("learn valleys.csv --group site --search pc --whitelist must.csv --max-parents 2");
    assert_eq!(found["search"], json!({ "method": "pc", "optimal": false }));
    let arcs = found["arcs"].as_array().unwrap();
    assert!(arcs.iter().any(|arc| arc["from"] == "V10" && arc["to"] == "V01"));
    assert_says(
        &bench.text("learn valleys.csv --group site --search pc"),
        &["PC-stable: ", "for tests of independence"],
    );
}

#[test]
fn local_scores_in_a_file_lead_to_the_network_of_the_exact_search() {
    let bench = Workbench::with_golden("clinics");
    let written = bench.json("score clinics.csv --group site --score bdeu --jkl scores.jkl");
    let solved = bench.json("solve scores.jkl");
    let exact = bench.json("learn clinics.csv --group site --score bdeu --search exact");
    assert_eq!(solved["search"], json!({ "method": "exact", "optimal": true }));
    assert_eq!(solved["parent_sets"], written["parent_sets"]);
    let score = |of: &Value| of["score"].as_f64().unwrap();
    assert!((score(&solved) - score(&exact)).abs() < 1e-9);
    assert_says(&bench.text("solve scores.jkl"), &["exact: no network of these parent sets scores higher"]);
    let broken = bench.write("broken.jkl", "2\n0 1\n-1 1 5\n1 1\n-2 0\n");
    assert_says(&broken.refusal("solve broken.jkl"), &["broken.jkl", "line 3", "no variable `5`"]);
    assert_says(&broken.refusal("score clinics.csv --group site"), &["--structure"]);
}

#[test]
fn the_text_counts_moves_only_if_they_lead_to_the_network() {
    let bench = Workbench::new();
    for (seed, by_orders) in [(1, false), (5, true)] {
        bench.text(&format!(
            "simulate --nodes 10 --arcs 14 --rows 100,100,100 --seed {seed} --out made{seed}"
        ));
        let files = (1..=3).map(|number| format!("made{seed}/data_00{number}.csv"));
        let inputs = files.collect::<Vec<_>>().join(" ");
        let steps = bench.json(&format!("learn {inputs}"))["steps"].as_array().unwrap().len();
        assert_eq!(steps == 0, by_orders, "seed {seed}");
        let text = bench.text(&format!("learn {inputs}"));
        assert_eq!(text.contains("order search after hill-climbing with 20 escapes: "), by_orders, "{text}");
        assert_eq!(text.contains(" moves, "), !by_orders, "{text}");
    }
}
