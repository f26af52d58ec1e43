//! `kinfolk validate`: held-out rows from end to end.

use serde_json::Value;

use crate::workbench::{Workbench, assert_close, assert_says, keys};

const CALL: &str = "validate clinics.csv --group site";

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

#[test]
fn the_json_has_every_method_every_data_set_and_paired_differences() {
    let bench = Workbench::with_golden("clinics");
    let validation = bench.json(&format!("{CALL} --folds 4 --seed 3 --target V01"));
    assert_eq!(
        keys(&validation),
        [
            "scheme",
            "folds",
            "folds_done",
            "stop",
            "seed",
            "structures_from",
            "tuned",
            "target",
            "methods",
            "differences",
            "agreement",
            "structures",
            "not_converged",
            "settings"
        ]
    );
    assert_eq!((&validation["scheme"], &validation["stop"]), (&"folds".into(), &"complete".into()));
    assert_eq!((&validation["folds"], &validation["seed"]), (&4.into(), &3.into()));
    let methods = validation["methods"].as_array().unwrap();
    let names: Vec<&str> = methods.iter().map(|method| method["method"].as_str().unwrap()).collect();
    assert_eq!(names, ["hierarchical", "pooled", "separate"]);
    for method in methods {
        let rows = number(&method["rows"]);
        assert_close(&method["log_likelihood"], rows * number(&method["per_row"]), 1e-9);
        let by_data_set = &method["by_data_set"];
        assert_eq!(keys(by_data_set), ["s1", "s2", "s3"]);
        let total: f64 =
            ["s1", "s2", "s3"].iter().map(|name| number(&by_data_set[name]["log_likelihood"])).sum();
        assert_close(&method["log_likelihood"], total, 1e-9);
        let accuracy = number(&method["target"]["accuracy"]);
        assert!(accuracy > 0.5 && accuracy <= 1.0, "{accuracy}");
    }
    for (index, difference) in validation["differences"].as_array().unwrap().iter().enumerate() {
        let other = &methods[index + 1];
        assert_eq!((&difference["method"], &difference["minus"]), (&methods[0]["method"], &other["method"]));
        assert_close(
            &difference["per_row"],
            number(&methods[0]["per_row"]) - number(&other["per_row"]),
            1e-9,
        );
        assert!(number(&difference["se"]) > 0.0 && number(&difference["se_by_data_set"]) > 0.0);
        assert!(number(&difference["by_data_set"]["s2"]["se"]) > 0.0);
        assert!(difference["target"]["log_loss"]["per_row"].is_f64());
    }
    let structures = validation["structures"].as_array().unwrap();
    assert_eq!(structures.len(), 4);
    assert_eq!(structures[0]["hierarchical"], structures[0]["separate"]);
    assert!(structures[0]["pooled"].as_str().unwrap().starts_with('['));
    assert_eq!(validation["settings"]["score_name"], "kin");
    assert_eq!(
        (&validation["agreement"]["choice"], &validation["agreement"]["agrees"]),
        (&"relate".into(), &true.into())
    );
}

#[test]
fn rivals_with_an_imaginary_sample_size_are_compared_if_asked_for() {
    let bench = Workbench::with_golden("clinics");
    let names = |flags: &str| -> Vec<String> {
        let validation =
            bench.json(&format!("{CALL} --folds 2 --structure [V01][V02][V03][V04][V05][V06] {flags}"));
        let methods = validation["methods"].as_array().unwrap();
        methods.iter().map(|method| method["method"].as_str().unwrap().to_owned()).collect()
    };
    let usual = ["hierarchical", "pooled", "separate"];
    let all = ["hierarchical", "pooled", "separate", "pooled-iss", "separate-iss"];
    assert_eq!(names(""), usual);
    for flags in ["--iss-rivals", "--iss 2", "--tune"] {
        assert_eq!(names(flags), all, "{flags}");
    }
    assert_eq!(names("--tune --method hierarchical"), usual);
    let text = bench.text(&format!("{CALL} --folds 2 --iss-rivals"));
    assert_says(
        &text,
        &[
            "have another prior than hierarchical tables",
            "The evidence of all rows is largest for related data sets",
        ],
    );
}

#[test]
fn a_new_data_set_has_no_separate_tables() {
    let bench = Workbench::with_golden("clinics");
    let validation = bench.json(&format!("{CALL} --leave-out data-sets"));
    assert_eq!((&validation["scheme"], &validation["folds"]), (&"data-sets".into(), &3.into()));
    let separate = &validation["methods"][2];
    assert_eq!((&separate["applicable"], &separate["per_row"]), (&false.into(), &Value::Null));
    assert_eq!(validation["differences"].as_array().unwrap().len(), 1);
    assert_eq!(validation["structures"][1]["held_out"], "s2");
    let text = bench.text(&format!("{CALL} --scheme data-sets"));
    assert_says(&text, &["each data set in turn", "Separate tables cannot predict", "over data sets"]);
}

#[test]
fn the_text_explains_every_number() {
    let bench = Workbench::with_golden("clinics");
    let text = bench.text(&format!("{CALL} --target V01 --tune --structures own"));
    assert_says(
        &text,
        &[
            "10 folds of every data set, seed 0; 600 rows",
            "kin of related, pooled and separate data sets; bdeu and bdeu-separate with iss",
            "tuned in every fold on the training rows",
            "Log-likelihood of held-out rows, per row (natural logarithm, larger is better)",
            "± standard error over rows (over data sets)",
            "Prediction of `V01`",
            "Hierarchical tables predict held-out rows better than pooled ones",
        ],
    );
}

#[test]
fn the_seed_decides_and_the_number_of_threads_does_not() {
    let bench = Workbench::with_golden("clinics");
    let once = bench.text(&format!("{CALL} --json --threads 1"));
    assert_eq!(once, bench.text(&format!("{CALL} --json --threads 3")));
    assert_ne!(once, bench.text(&format!("{CALL} --json --seed 2")));
}

#[test]
fn a_given_structure_is_the_structure_of_every_fold() {
    let bench = Workbench::new()
        .write("a.csv", "x,y\nu,1\nu,2\nv,1\nv,2\nu,1\nv,2\n")
        .write("b.csv", "x,y\nv,2\nu,1\n");
    let said = bench.run("validate a.csv b.csv --structure [x][y|x] --folds 3 --json");
    assert_says(&said.err, &["`b` has 2 rows for 3 folds: some folds hold out none of it"]);
    let several = bench.run("validate a.csv b.csv --structure [x][y|x] --folds 7 --json").err;
    assert_says(
        &several,
        &["2 data sets have fewer rows than the 7 folds: `a`, `b`; some folds hold out none of them"],
    );
    let validation = said.json();
    for held in validation["structures"].as_array().unwrap() {
        assert_eq!(held["hierarchical"], "[x][y|x]");
    }
    assert_eq!(validation["methods"][0]["by_data_set"]["b"]["rows"], 2);
}

#[test]
fn a_time_limit_keeps_finished_work() {
    let bench = Workbench::with_golden("clinics");
    let validation = bench.json(&format!("{CALL} --time-limit 0"));
    assert_eq!((&validation["stop"], &validation["folds_done"]), (&"time-limit".into(), &0.into()));
    assert_says(
        &bench.text(&format!("{CALL} --time-limit 0")),
        &["STOPPED at --time-limit with 0 of 10 folds done"],
    );
}

#[test]
fn impossible_validations_are_refused() {
    let bench = Workbench::new().write("a.csv", "x,y\nu,1\nu,2\nv,1\n").write("b.csv", "x,y\nv,2\nu,2\n");
    for (call, complaint) in [
        ("validate a.csv b.csv", "5 rows cannot be dealt to 10 folds"),
        ("validate a.csv b.csv --folds 1", "--folds takes a number from 2"),
        ("validate a.csv --scheme data-sets", "there is only one data set"),
        ("validate a.csv b.csv --scheme data-sets --folds 3", "--folds belongs to --scheme folds"),
        ("validate a.csv b.csv --folds 2 --target z", "--target: there is no column `z`"),
        ("validate a.csv b.csv --folds 2 --structure [x] ", "y"),
        ("validate a.csv b.csv --structure [x][y] --score bic", "with --structure nothing is learned"),
        ("validate a.csv b.csv --structures own --score bic", "every method has its own score"),
        ("validate a.csv b.csv --structures own --structure [x][y]", "cannot be used with"),
        ("validate a.csv b.csv --folds 2 --s 0", "1e-9"),
        ("validate a.csv b.csv --folds 2 --iss -1", "imaginary sample size"),
        ("validate a.csv b.csv --folds 2 --restarts 1 --perturb 0", "--perturb 0"),
    ] {
        assert_says(&bench.refusal(call), &[complaint]);
    }
}
