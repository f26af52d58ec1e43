//! `kinfolk fit`: probability tables from end to end.

use crate::workbench::{Workbench, assert_close, assert_says, golden, keys};

#[test]
fn the_tables_are_the_golden_ones() {
    let bench = Workbench::with_golden("clinics");
    let golden = &golden("bhd.json")["data"]["clinics"]["default"];
    let brackets = golden["nodes"].as_array().unwrap().iter().map(|node| {
        let parents: Vec<&str> =
            node["parents"].as_array().unwrap().iter().filter_map(|name| name.as_str()).collect();
        let bar = if parents.is_empty() { "" } else { "|" };
        format!("[{}{bar}{}]", node["node"].as_str().unwrap(), parents.join(":"))
    });
    let structure = brackets.collect::<Vec<_>>().concat();
    let fit =
        bench.json(&format!("fit clinics.csv --group site --structure {structure} --method hierarchical"));
    assert_eq!(keys(&fit), ["format", "structure", "data_sets", "variables", "nodes", "settings"]);
    for (node, golden) in fit["nodes"].as_array().unwrap().iter().zip(golden["nodes"].as_array().unwrap()) {
        assert_eq!(keys(&node["tables"]), ["s1", "s2", "s3"]);
        for (table, golden) in
            [(&node["tables"]["s2"], &golden["tables"]["s2"]), (&node["new"], &golden["new"])]
        {
            assert_eq!(table.as_array().unwrap().len(), node["configurations"].as_array().unwrap().len());
            for (row, golden) in table.as_array().unwrap().iter().zip(golden.as_array().unwrap()) {
                for (value, golden) in row.as_array().unwrap().iter().zip(golden.as_array().unwrap()) {
                    assert_close(value, golden.as_f64().unwrap(), 1e-8);
                }
            }
        }
    }
    assert_close(&fit["nodes"][0]["shrinkage"]["s1"], 1.0 / 251.0, 1e-12);
}

#[test]
fn the_text_shows_every_data_set_side_by_side() {
    let bench = Workbench::new().write("a.csv", "x,y\nu,1\nu,2\nv,1\n").write("b.csv", "x,y\nv,2\n");
    let text = bench.text("fit a.csv b.csv --structure [x][y|x] --method mle");
    assert_says(&text, &["P(y given x)", "x  data set", "u  a         0.500  0.500", "(pooled)", "(new)"]);
    assert!(!text.contains("centre"), "{text}");
    let text = bench.text("fit a.csv b.csv --structure [x][y|x] --s 1");
    assert_says(&text, &["centre with tau", "s / (s + rows): a 0.2500, b 0.5000"]);
}

#[test]
fn the_tables_follow_the_options_or_the_score_of_the_file_or_are_those_of_kin() {
    let bench = Workbench::with_golden("clinics");
    bench.text("learn clinics.csv --group site --out kin.json");
    bench.text("learn clinics.csv --group site --score bhd --out bhd.json");
    bench.text("bootstrap clinics.csv --group site -R 2 --out sure.json");
    for (options, method) in [
        ("--structure [V01][V02][V03][V04][V05][V06]", "kin"),
        ("--structure kin.json", "kin"),
        ("--structure bhd.json", "hierarchical"),
        ("--structure bhd.json --kin-grid 1,10", "kin"),
        ("--structure kin.json --s 2", "hierarchical"),
        ("--structure kin.json --prior paper", "hierarchical"),
        ("--structure kin.json --iss 2", "bayes"),
        ("--structure kin.json --method mle", "mle"),
        ("--structure sure.json", "kin"),
    ] {
        let fit = bench.json(&format!("fit clinics.csv --group site {options}"));
        assert_eq!(fit["settings"]["method"], method, "{options}");
        assert_eq!(fit["nodes"][0].get("kin").is_some(), method == "kin", "{options}");
    }
}

#[test]
fn options_of_another_method_are_refused() {
    let bench = Workbench::new().write("a.csv", "x,y\nu,1\n");
    let call = "fit a.csv --structure [x][y]";
    assert_says(
        &bench.refusal(&format!("{call} --method kin --iss 2")),
        &["--iss belongs to --method bayes"],
    );
    assert_says(&bench.refusal(&format!("{call} --s 1 --iss 2")), &["--iss belongs to --method bayes"]);
    assert_says(
        &bench.refusal(&format!("{call} --method mle --s 2")),
        &["--s belongs to --method hierarchical"],
    );
    assert_says(&bench.refusal("fit a.csv --structure [x]"), &["y"]);
}

#[test]
fn a_table_too_long_to_read_is_shortened_in_text_and_whole_in_json() {
    let names: Vec<String> = (0..12).map(|index| format!("x{index}")).collect();
    let row = |state: char| vec![state.to_string(); 12].join(",");
    let bench = Workbench::new().write("a.csv", format!("{}\n{}\n{}\n", names.join(","), row('u'), row('v')));
    let roots = format!("[{}]", names[1..].join("]["));
    let fit = format!("fit a.csv --structure {roots}[x0|{}]", names[1..].join(":"));
    let text = bench.text(&fit);
    assert!(
        text.contains("… and 1048 more configurations of the parents; --json and --out have all"),
        "{}",
        text.len()
    );
    let json = bench.json(&fit);
    assert_eq!(json["nodes"][0]["pooled"].as_array().unwrap().len(), 2048);
}

#[test]
fn intervals_are_given_on_request() {
    let bench = Workbench::with_golden("clinics");
    bench.text("learn clinics.csv --group site --out net.json");
    let fit = bench.json("fit clinics.csv --group site --structure net.json --intervals 0.9");
    assert_close(&fit["intervals"]["mass"], 0.9, 0.0);
    let (node, of) = (&fit["nodes"][1], &fit["intervals"]["nodes"][1]);
    assert_eq!((&of["node"], keys(&of["tables"])), (&node["node"], keys(&node["tables"])));
    let width = |ends: &serde_json::Value| ends[1].as_f64().unwrap() - ends[0].as_f64().unwrap();
    for (probability, ends) in [
        (&node["tables"]["s1"][0][0], &of["tables"]["s1"][0][0]),
        (&node["pooled"][0][0], &of["pooled"][0][0]),
        (&node["new"][0][0], &of["new"][0][0]),
    ] {
        let [low, value, high] = [&ends[0], probability, &ends[1]].map(|end| end.as_f64().unwrap());
        assert!(0.0 < low && low < value && value < high && high < 1.0, "{low} {value} {high}");
    }
    // The spread between the sites is larger than the uncertainty of one of them.
    assert!(width(&of["new"][0][0]) > width(&of["tables"]["s1"][0][0]));
    let text = bench.text("fit clinics.csv --group site --structure net.json --intervals 0.9");
    assert_says(&text, &["intervals: contain the true probability with posterior probability 0.9"]);
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    let wrong =
        bench.refusal("fit clinics.csv --group site --structure net.json --method mle --intervals 0.9");
    assert_says(&wrong, &["--intervals: tables by mle have no posterior; choose another --method"]);
    let wrong = bench.refusal("fit clinics.csv --group site --structure net.json --intervals 90");
    assert_says(&wrong, &["--intervals", "between 0 and 1, such as 0.9"]);
}

#[test]
fn every_method_estimates_tables_of_a_column_that_a_file_lacks() {
    let bench = Workbench::new()
        .write("a.csv", "x,y\nu,1\nu,2\nv,1\nv,1\nu,2\nv,1\n")
        .write("b.csv", "x\nu\nv\nv\nu\nu\nv\n");
    for method in ["kin", "hierarchical", "bayes", "mle"] {
        bench.text(&format!(
            "learn a.csv b.csv --missing impute --method {method} --score bdeu-separate --quiet --out {method}.json"
        ));
        let said = bench.run(&format!("query {method}.json --target y --data-set b"));
        assert_eq!(said.code, 0, "{method}: {}", said.err);
    }
}
