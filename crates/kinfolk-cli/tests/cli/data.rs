//! The ways in which files become data sets, seen through `learn` and `score`.

use std::io::Write;

use flate2::{Compression, write::GzEncoder};
use serde_json::{Value, json};

use crate::workbench::{Workbench, assert_says, keys, without_settings};

fn compress(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn csv_tsv_and_gz_from_files_and_standard_input_give_the_same_result() {
    let bench = Workbench::with_golden("clinics");
    let text = bench.read("clinics.csv");
    let tabs = text.replace(',', "\t");
    let quoted: Vec<String> =
        text.lines().map(|line| format!("\"{}\"", line.replace(',', "\",\""))).collect();
    let bench = bench
        .write("clinics.csv.gz", compress(&text))
        .write("clinics.tsv", &tabs)
        .write("clinics.tsv.gz", compress(&tabs))
        .write("semicolons.txt", text.replace(',', ";"))
        .write("windows.csv", format!("\u{feff}{}", text.replace('\n', "\r\n")))
        .write("quoted.csv", quoted.join("\n"));
    let expected = without_settings(bench.json("learn clinics.csv --group site"));
    for file in
        ["clinics.csv.gz", "clinics.tsv", "clinics.tsv.gz", "semicolons.txt", "windows.csv", "quoted.csv"]
    {
        assert_eq!(without_settings(bench.json(&format!("learn {file} --group site"))), expected, "{file}");
    }
    for input in [text.clone().into_bytes(), compress(&text), tabs.into_bytes()] {
        let said = bench.run_with_input("learn - --group site --json", input);
        assert_eq!(without_settings(said.json()), expected);
    }
}

#[test]
fn standard_input_can_be_combined_with_files() {
    let bench = Workbench::new().write("p.csv", "a,b\nx,u\ny,v\n");
    let said = bench.run_with_input("learn p.csv - --json", "b,a\nu,x\n");
    assert_eq!(said.json()["data_sets"], json!(["p", "stdin"]));
    assert_says(&bench.refusal("learn - -"), &["only once"]);
}

#[test]
fn weights_equal_repeated_rows() {
    let bench = Workbench::new()
        .write("weighed.csv", "a,n,b\nx,3,u\ny,2,v\ny,1,u\nx,2.0,v\n")
        .write("repeated.csv", "a,b\nx,u\nx,u\nx,u\ny,v\ny,v\ny,u\nx,v\nx,v\n");
    for score in ["bhd", "bdeu", "bic", "k2"] {
        let weighed =
            bench.json(&format!("score weighed.csv --weight n --structure [a][b|a] --score {score}"));
        let repeated = bench.json(&format!("score repeated.csv --structure [a][b|a] --score {score}"));
        assert_eq!(
            weighed["nodes"].to_string().replace("weighed", "repeated"),
            repeated["nodes"].to_string()
        );
    }
    for (weight, part) in [("-1", "`-1`"), ("1.5", "`1.5`"), ("many", "`many`"), ("", "missing")] {
        let bench = Workbench::new().write("w.csv", format!("a,n\nx,1\ny,{weight}\n"));
        assert_says(
            &bench.refusal("learn w.csv --weight n"),
            &["w.csv, row 3, column `n`", part, "--weight"],
        );
    }
}

#[test]
fn a_row_of_weight_zero_only_declares_its_states() {
    let bench = Workbench::new()
        .write("zero.csv", "a,b,n\nx,u,5\ny,v,4\nz,u,0\n")
        .write("plain.csv", "a,b,n\nx,u,5\ny,v,4\n")
        .write("levels.json", r#"{"a": ["x", "y", "z"]}"#);
    let zero = bench.json("score zero.csv --weight n --structure [a][b|a]");
    let declared = bench.json("score plain.csv --weight n --levels levels.json --structure [a][b|a]");
    assert_eq!(zero["total"], declared["total"]);
    assert_ne!(zero["total"], bench.json("score plain.csv --weight n --structure [a][b|a]")["total"]);
    assert_eq!(bench.json("learn zero.csv --weight n")["variables"][0]["states"], json!(["x", "y", "z"]));
}

#[test]
fn a_data_set_may_be_empty() {
    let bench = Workbench::new()
        .write("p.csv", "a,b\nx,u\ny,v\nx,u\ny,v\n")
        .write("q.csv", "a,b\nx,v\ny,v\n")
        .write("empty.csv", "a,b\n");
    let said = bench.run("score p.csv empty.csv q.csv --structure [a][b|a] --score bhd --json");
    assert_says(&said.err, &["note: empty has no rows"]);
    let terms = &said.json()["by_data_set"];
    assert_eq!((keys(terms), &terms["empty"]), (vec!["p", "empty", "q"], &json!(0.0)));
    // Where data sets are not related by a fit, an empty one changes nothing at all.
    for score in ["bdeu", "bic", "bdeu-separate"] {
        let total = |files: &str| {
            bench.json(&format!("score {files} --structure [a][b|a] --score {score}"))["total"].clone()
        };
        assert_eq!(total("p.csv empty.csv q.csv"), total("p.csv q.csv"), "{score}");
    }
    assert_eq!(bench.json("learn p.csv empty.csv")["data_sets"], json!(["p", "empty"]));
}

#[test]
fn data_sets_get_distinct_names() {
    let bench = Workbench::new();
    for folder in ["north", "south"] {
        std::fs::create_dir(bench.path(folder)).unwrap();
    }
    let bench =
        bench.write("north/x.csv", "a\nu\nv\n").write("south/x.csv", "a\nu\nv\n").write("y.csv", "a\nu\n");
    let learned = bench.json("learn north/x.csv south/x.csv y.csv");
    assert_eq!(learned["data_sets"], json!(["north/x", "south/x", "y"]));
    assert_says(&bench.refusal("learn y.csv ./y.csv"), &["given twice"]);
}

#[test]
fn missing_values_are_refused_with_counts_and_ways_out() {
    let bench =
        Workbench::new().write("p.csv", "a,b\nx,\ny,v\nNA,u\n").write("q.csv", "a,b\nx,?\ny,NaN\nx,u\nx,v\n");
    let refusal = bench.refusal("learn p.csv q.csv");
    assert_says(
        &refusal,
        &["column", "p  q  together", "--missing drop-rows", "--missing level", "--ignore b"],
    );
    assert_says(
        &refusal,
        &["a              1  0         1", "b              1  2         3", "complete rows  1  2         3"],
    );

    let dropped = bench.run("learn p.csv q.csv --missing drop-rows --json");
    assert_says(
        &dropped.err,
        &["2 rows with missing values left out of p", "2 rows with missing values left out of q"],
    );
    let level = bench.json("learn p.csv q.csv --missing level");
    assert_eq!(level["variables"][1]["states"], json!(["u", "v", "(missing)"]));
    let kept = bench.json("learn p.csv q.csv --na none --missing level");
    assert_eq!(kept["variables"][1]["states"], json!(["?", "NaN", "u", "v", "(missing)"]));
}

#[test]
fn other_spellings_of_missing_can_be_named() {
    let bench = Workbench::new().write("p.csv", "a,b\n1,-9\n2,3\n1,-9.0\n");
    assert_says(&bench.refusal("learn p.csv --na -9"), &["b              2"]);
    assert_says(&bench.refusal("learn p.csv --na=-9,?"), &["b              2"]);
    assert_eq!(bench.json("learn p.csv")["stop"], "optimum");
}

#[test]
fn columns_that_differ_are_listed_and_can_be_left_out() {
    let bench =
        Workbench::new().write("p.csv", "a,b,c\nx,u,1\ny,v,2\n").write("q.csv", "d,b,a\n1,u,x\n2,v,y\n");
    let refusal = bench.refusal("learn p.csv q.csv");
    assert_says(
        &refusal,
        &["q.csv lacks `c`; has the extra `d`", "--common-columns", "--columns", "--ignore"],
    );
    let said = bench.run("learn p.csv q.csv --common-columns --json");
    assert_says(&said.err, &["left out because not every file has them: `c`, `d`"]);
    let names = |call: &str| {
        let learned = bench.json(call);
        let variables = learned["variables"].as_array().unwrap().clone();
        variables
            .into_iter()
            .map(|variable| variable["name"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(names("learn p.csv q.csv --common-columns"), ["a", "b"]);
    assert_eq!(names("learn p.csv q.csv --columns b,a"), ["a", "b"]);
    assert_eq!(names("learn p.csv q.csv --ignore c,d"), ["a", "b"]);
    assert_eq!(names("learn p.csv --columns c --columns a"), ["a", "c"]);
}

#[test]
fn a_column_of_too_many_values_is_refused_with_the_way_out() {
    let rows: Vec<String> = (0..60).map(|row| format!("{},{}", row % 3, f64::from(row) / 4.0)).collect();
    let names: Vec<String> = (0..60).map(|row| format!("person {row},{row}")).collect();
    let bench = Workbench::new()
        .write("n.csv", format!("k,age\n{}", rows.join("\n")))
        .write("names.csv", format!("who,age\n{}", names.join("\n")));
    let refusal = bench.refusal("learn n.csv");
    assert_says(
        &refusal,
        &["more than 50", "column `age` has 60: --discretize 'age=quantile:4' or --ignore age"],
    );
    assert_says(&refusal, &["--max-states", "--levels"]);
    assert_says(&bench.refusal("learn names.csv"), &["column `who` has 60: --ignore who\n"]);
    assert_eq!(bench.json("learn n.csv --max-states 60")["stop"], "optimum");
}

#[test]
fn a_column_whose_name_has_a_comma_can_be_chosen_in_quotes() {
    let bench = Workbench::new().write("d.csv", "\"a,b\",c,d\nx,u,p\ny,v,q\n");
    let names = |call: &str| {
        let described = bench.json(call);
        let name = |variable: &Value| variable["name"].as_str().unwrap().to_owned();
        described["variables"].as_array().unwrap().iter().map(name).collect::<Vec<_>>()
    };
    assert_eq!(names("describe d.csv --ignore \"a,b\",d"), ["c"]);
    assert_eq!(names("describe d.csv --columns \"a,b\" --columns d"), ["a,b", "d"]);
}

#[test]
fn missing_values_are_filled_in_while_learning() {
    // q.csv lacks the column c, and p.csv has gaps.
    let mut p = "a,b,c\n".to_owned();
    let mut q = "a,b\n".to_owned();
    for row in 0..120 {
        let a = ["x", "y"][row % 2];
        let b = if row % 10 < 8 { ["u", "v"][row % 2] } else { ["v", "u"][row % 2] };
        let c = ["l", "m", "n"][row % 3];
        p += &format!("{a},{},{c}\n", if row % 5 == 0 { "" } else { b });
        q += &format!("{a},{b}\n");
    }
    let bench = Workbench::new().write("p.csv", &p).write("q.csv", &q);
    let said = bench.run("learn p.csv q.csv --missing impute");
    assert_says(&said.out, &["`kinfolk fit` prints them", "`kinfolk explain` gives it by data set"]);
    assert_says(&said.out, &["missing  20.0 % of the cells, filled in 5 times after"]);
    assert_says(&said.err, &["q has no value of `c`"]);
    let learned = bench.json("learn p.csv q.csv --missing impute --threads 1");
    assert_eq!(learned["missing"]["columns"][0]["column"], "b");
    assert_eq!(learned["missing"]["columns"][1]["absent"], true);
    let arcs = learned["arcs"].as_array().unwrap();
    assert_eq!(arcs.len(), 1, "{arcs:?}");
    assert_eq!(learned, bench.json("learn p.csv q.csv --missing impute --threads 2"));
    let quick = bench.json("learn p.csv q.csv --missing available");
    assert_eq!(quick["missing"]["versions"], 0);
    assert_eq!(quick["arcs"].as_array().unwrap().len(), 1);
    assert_says(&bench.refusal("learn p.csv q.csv"), &["--common-columns", "--missing impute"]);
    let refusal = bench.refusal("posterior p.csv q.csv --missing impute");
    assert_says(&refusal, &["complete data", "kinfolk impute", "--missing drop-rows"]);
    let nothing = bench.write("n.csv", "a,b,c\nx,u,\ny,v,NA\n");
    assert_says(&nothing.refusal("learn n.csv --missing impute"), &["column `c` has no value", "--ignore c"]);
    let several = Workbench::new().write("m.csv", "a,b,c,d\nx,u,,\ny,v,NA,\n");
    let several = several.refusal("learn m.csv --missing impute");
    assert_says(&several, &["columns `c`, `d` have no value in any data set", "--ignore c,d"]);
}

#[test]
fn everything_after_learning_works_on_incomplete_files() {
    let (mut p, mut q) = ("a,b,c\n".to_owned(), "a,b\n".to_owned());
    for row in 0..60_u32 {
        let (a, b) = (row % 2, u32::from(row % 10 < 3 + 5 * (row % 2)));
        let c = if row % 5 == 0 { "NA".to_owned() } else { u32::from((row + b) % 3 > 0).to_string() };
        p += &format!("{a},{b},{c}\n");
        q += &format!("{a},{}\n", if row % 7 == 0 { "NA".to_owned() } else { b.to_string() });
    }
    let bench = Workbench::new().write("p.csv", &p).write("q.csv", &q);
    let data = "p.csv q.csv --missing impute";
    bench.text(&format!("learn {data} --out net.json"));
    let said = "filled in 5 times for this network; numbers are means";
    for command in ["fit", "score", "explain"] {
        let call = format!("{command} {data} --structure [a][b|a][c|b]");
        assert_says(&bench.text(&call), &["missing", "% of the cells", said]);
        let found = bench.json(&call);
        assert_eq!(
            (&found["missing"]["versions"], &found["missing"]["treatment"]),
            (&5.into(), &"impute".into())
        );
        assert_eq!(found["missing"]["columns"].as_array().unwrap().len(), 3, "{command}");
        assert_eq!(found, bench.json(&format!("{call} --threads 1")));
    }
    // A network file has the treatment with the other settings.
    let by_file = bench.json("explain p.csv q.csv --network net.json --no-rivals");
    assert_eq!(by_file["missing"]["versions"], 5);
    let validated = bench.json(&format!("validate {data} --folds 3 --target b"));
    assert_eq!((&validated["folds_done"], &validated["methods"][0]["rows"]), (&3.into(), &120.into()));
    assert!(validated["missing"]["share"].as_f64().unwrap() > 0.1);
    assert_says(
        &bench.text(&format!("validate {data} --folds 3")),
        &["held-out rows count with their observed values"],
    );
    let resampled = bench.json(&format!("bootstrap {data} --replicates 4 --out strengths.json"));
    assert_eq!((&resampled["replicates"], &resampled["missing"]["versions"]), (&4.into(), &0.into()));
    bench.text(&format!("report {data} --network net.json --bootstrap strengths.json --out page.html"));
    let said = bench.text(&format!("report {data} --out learned.html"));
    assert_says(&said, &["missing  81 values, 22.5 % of the cells, filled in 5 times after", "in       "]);
    assert_says(&said, &["b (q 15.0 %), c (p 20.0 %, q 100.0 %)"]);
    for page in ["page.html", "learned.html"] {
        assert_says(&bench.read(page), &["</html>"]);
    }
}

/// 40 subjects with three rows each, in two places.
fn subjects() -> Workbench {
    let mut text = "place,patient,sex,pain\n".to_owned();
    for row in 0..120 {
        let subject = row / 3;
        let sex = if subject * 7 % 5 < 2 { "f" } else { "m" };
        text += &format!("{},{subject},{sex},{}\n", if subject < 20 { "a" } else { "b" }, row * 11 % 4);
    }
    Workbench::new().write("visits.csv", text)
}

#[test]
fn subjects_count_once_in_every_command_that_reads_data() {
    let bench = subjects();
    let described = bench.json("describe visits.csv --group place");
    assert_eq!(described["command"], "kinfolk learn visits.csv --group place --id patient");
    let said = bench.run("learn visits.csv --group place --id patient --out net.json");
    assert_says(&said.err, &["note: 120 rows of 40 subjects (column `patient`): one row of each was drawn"]);
    assert_says(&said.out, &["2 data sets, 40 rows, 2 variables"]);
    let network: Value = serde_json::from_str(&bench.read("net.json")).unwrap();
    assert_eq!((&network["settings"]["id"], &network["settings"]["id_seed"]), (&json!("patient"), &json!(1)));
    assert_eq!(network["provenance"]["rows"], json!({"a": 20, "b": 20}));
    for command in ["explain", "validate", "fit"] {
        let said = bench.run(&format!("{command} visits.csv --structure net.json"));
        assert_eq!(said.code, 0, "{command}: {}", said.err);
        assert_says(&said.err, &["one row of each was drawn", "--id patient"]);
    }
    let other = bench.json("learn visits.csv --group place --id patient --id-seed 2");
    assert_eq!(other["settings"]["id_seed"], json!(2));
    let refused = bench.run("learn visits.csv --id patient --weight pain");
    assert_eq!(refused.code, 2);
    assert_says(&refused.err, &["--id and --weight exclude each other"]);
}

#[test]
fn warnings_are_printed_and_recorded() {
    let mut text = "a,b,c\n".to_owned();
    for row in 0..150 {
        let (a, b) = (row * 7 % 12, row * 5 % 13);
        text += &format!("x{a},y{b},z{}\n", (a + b) % 12);
    }
    let bench = Workbench::new().write("d.csv", text).write("from.csv", "from,to\na,c\nb,c\n");
    let said = bench.run("learn d.csv --whitelist from.csv --out net.json");
    assert_eq!(said.code, 0, "{}", said.err);
    assert_says(
        &said.err,
        &["warning: the table of `c` given `a`, `b` has 1872 cells, more than the 150 rows"],
    );
    let network: Value = serde_json::from_str(&bench.read("net.json")).unwrap();
    let warning = &network["warnings"][0];
    assert_eq!((&warning["warning"], &warning["cells"]), (&json!("large-table"), &json!(1872.0)));
    let quiet = bench.run("report d.csv --network net.json --out page.html --explain none -q");
    assert_eq!((quiet.code, quiet.err.as_str()), (0, ""));
    assert_says(&bench.read("page.html"), &["warning: the table of `c` given `a`, `b` has 1872 cells"]);
}
