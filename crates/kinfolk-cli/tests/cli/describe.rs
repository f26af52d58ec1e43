//! `kinfolk describe`: the description as text and as JSON.

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
    let all = [
        "data_sets",
        "variables",
        "notes",
        "columns",
        "problems",
        "suspicions",
        "needs_correction",
        "command",
    ];
    assert_eq!(keys(&described), all);
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
fn invalid_rules_are_refused() {
    let bench = numbers();
    for (rule, part) in [
        ("age", "COLUMN=quantile:4"),
        ("age=thirds", "COLUMN=quantile:4"),
        ("=width:3", "not named"),
        ("age=width:1", "from 2 to 50"),
        ("age=quantile:many", "`many`"),
        ("age=cuts:", "not a finite number"),
        ("age=cuts:3,1", "must increase"),
        ("wage=width:3", "no column `wage` (did you mean `age`?)"),
        ("age=width:3 --discretize age=width:4", "two rules"),
    ] {
        assert_says(
            &bench.refusal(&format!("describe p.csv q.csv --discretize {rule}")),
            &["--discretize", part],
        );
    }
}

/// A data set with everything that people forget: gaps, codes for gaps, spellings, identifiers, ages.
fn survey() -> Workbench {
    let mut text = "id,hospital,age,smoker,code,town,Score\n".to_owned();
    for row in 0..60 {
        let smoker = ["Yes", "yes", "No"][row % 3];
        let age = if row == 7 { "-9".to_owned() } else { (20 + (row * 7) % 45).to_string() };
        let town = ["Ulm", "Bern"][row % 2];
        let code = if row == 9 { "null" } else { ["a", "b", "c", "d"][(row * row) % 4] };
        let score = f64::from(u32::try_from((row * 37) % 60).unwrap()) / 7.0;
        text += &format!("{},{},{age},{smoker},{code},{town},{score:.3}\n", row + 1, ["N", "S"][row % 2]);
    }
    Workbench::new().write("survey.csv", text)
}

#[test]
fn suspicions_are_named_with_the_option_that_removes_them() {
    let text = survey().text("describe survey.csv --group hospital");
    assert_says(
        &text,
        &[
            "suspicion: column `id` looks like an identifier of rows; --ignore id",
            "suspicion: `-9` in column `age` may mean missing; --na 'age=-9'",
            "suspicion: `null` in column `code` may mean missing; --na 'code=null'",
            "values of column `smoker` differ only in case or spaces: `Yes`, `yes`",
            "column `town` is constant within every data set",
            "suspicion: column `age` has numbers, and each of its",
        ],
    );
    let found = survey().json("describe survey.csv --group hospital");
    let kinds: Vec<&str> = found["suspicions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["suspicion"].as_str().unwrap())
        .collect();
    assert!(!kinds.contains(&"weight"), "{kinds:?}");
    assert_eq!(found["columns"][1]["data_sets"][0]["numbers"]["min"], json!(20.0));
}

#[test]
fn the_command_at_the_end_of_a_description_learns() {
    let bench = survey();
    let described = bench.json("describe survey.csv --group hospital");
    let command = described["command"].as_str().unwrap();
    let learn = command.strip_prefix("kinfolk ").unwrap().replace('\'', "");
    assert_says(
        command,
        &["--ignore id,town", "--na 'age=-9,code=null'", "--missing drop-rows", "'age=quantile:4'"],
    );
    let learned = bench.json(&learn);
    assert_eq!(learned["data_sets"], json!(["N", "S"]));
    assert!(bench.text("describe survey.csv --group hospital").ends_with("--missing drop-rows\n"));
    assert_eq!(bench.text("describe survey.csv").matches("name it with --group").count(), 1);
}

#[test]
fn the_command_leaves_out_functions_of_columns_that_stay() {
    // `coarse` and `copy` are functions of `kind`; `region` is one of `place`, which has too many values to stay.
    let mut text = "kind,coarse,copy,place,region,other\n".to_owned();
    for row in 0..600 {
        let (kind, place, other) = (row % 3, (row / 3) % 60, (row * row) % 7 % 2);
        let copy = ["a", "b", "c"][kind];
        text += &format!("{kind},{},{copy},p{place},r{},{other}\n", kind / 2, place % 4);
    }
    let bench = Workbench::new().write("p.csv", text);
    assert_says(
        &bench.text("describe p.csv"),
        &[
            "suspicion: column `coarse` is a function of column `kind`; --ignore coarse",
            "suspicion: columns `copy` and `kind` determine each other; --ignore copy",
        ],
    );
    let found = bench.json("describe p.csv");
    let command = found["command"].as_str().unwrap();
    assert_says(command, &["--ignore place,coarse,copy"]);
    let learned = bench.json(command.strip_prefix("kinfolk ").unwrap());
    let names: Vec<&str> =
        learned["variables"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["kind", "region", "other"]);
}

#[test]
fn all_problems_are_reported_at_once_and_the_rest_is_described() {
    let bench = Workbench::new()
        .write("p.csv", "a,b,c\nx,1,u\ny,2\nx,1,v\ny,2,u\n")
        .write("q.csv", b"a,b,d\nx,1,u\n\xff,2,v\n".as_slice())
        .write("empty.csv", "");
    let text = bench.text("describe p.csv q.csv empty.csv absent.csv");
    assert_says(
        &text,
        &[
            "2 data sets, 2 variables",
            "problem: p.csv, row 3: 2 cells where the header has 3",
            "problem: q.csv, row 3, column `a`: the text is not UTF-8",
            "problem: empty.csv is empty",
            "problem: absent.csv: cannot be opened",
            "problem: the files do not have the same columns",
            "Correct the files, then learn with:\nkinfolk learn p.csv q.csv empty.csv absent.csv --common-columns",
        ],
    );
    let rows = &bench.json("describe p.csv q.csv")["data_sets"];
    assert_eq!((&rows[0]["rows"], &rows[1]["rows"]), (&json!(3), &json!(2)));
    assert_says(&bench.refusal("describe absent.csv"), &["absent.csv: cannot be opened"]);
    // A learned result needs correct files.
    assert_says(&bench.refusal("learn p.csv"), &["p.csv, row 3"]);
}

#[test]
fn too_many_values_and_rules_for_texts_are_problems_with_a_way_out() {
    let mut text = "name,income,group\n".to_owned();
    for row in 0..120 {
        text += &format!("n{},{},{}\n", row / 2, 1000 + (row * 7919) % 997, ["g", ""][usize::from(row == 5)]);
    }
    let bench = Workbench::new().write("p.csv", text);
    let found = bench.json("describe p.csv --group group --discretize name=width:3");
    let problems = found["problems"].to_string();
    assert_says(
        &problems,
        &["`n0` is not a number", "more than 50 distinct values", "needs one in every row"],
    );
    assert_eq!(found["needs_correction"], false);
    let command = found["command"].as_str().unwrap();
    assert_says(command, &["--ignore name", "'income=quantile:4'", "--missing drop-rows"]);
    let learn = command.strip_prefix("kinfolk ").unwrap().replace('\'', "");
    // One column is left, in one data set of 119 rows.
    let learned = bench.run(&learn);
    assert_says(&learned.out, &["1 data set, 119 rows, 1 variable"]);
    assert_says(&learned.err, &["1 row without a value in the group column `group` left out"]);
}

#[test]
fn counts_of_rows_are_recognised_as_weights() {
    let mut text = "sex,dept,Freq\n".to_owned();
    for cell in 0..12 {
        text += &format!(
            "{},{},{}\n",
            ["m", "f"][cell % 2],
            ["A", "B", "C", "D", "E", "F"][cell / 2],
            10 + cell * cell
        );
    }
    let found = Workbench::new().write("p.csv", text).json("describe p.csv");
    assert_eq!(found["suspicions"], json!([{"suspicion": "weight", "column": "Freq"}]));
    assert_says(found["command"].as_str().unwrap(), &["--weight Freq"]);
}

#[test]
fn a_value_can_mean_missing_in_one_column_only() {
    let bench = Workbench::new().write("p.csv", "a,b\n0,0\n1,0\n?,1\n1,1\n");
    let described = bench.json("describe p.csv --na a=0");
    assert_eq!(described["variables"][0]["missing"], json!([2]));
    assert_eq!(described["variables"][1]["missing"], json!([0]));
    assert_says(&bench.refusal("describe p.csv --na c=0"), &["--na: there is no column `c`"]);
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
    assert_says(
        &text,
        &[
            "`a` in  rows  missing    x   y",
            "p          1        2  100   0",
            "q          2        0   50  50",
        ],
    );
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
        &["the states of 12 columns differ between the data sets; `kinfolk describe` lists them"],
    );
    assert_eq!(said.err.lines().count(), 1, "{}", said.err);
    let text = bench.text(&format!("describe {files}"));
    assert_says(
        &text,
        &["`c11` differ: d1 has no y; d2 has no y; d3 has no y; d4 has no y; and 5 more data sets"],
    );
}
