//! `kinfolk report` and `learn --report`: a page of one file, from data or from a network file.

use std::fs;

use serde_json::{Value, json};

use crate::workbench::{Workbench, assert_says};

/// The data inside a page.
fn data(page: &str) -> Value {
    let (_, after) = page.split_once("id=\"report\">").unwrap();
    serde_json::from_str(after.split_once("</script>").unwrap().0).unwrap()
}

#[test]
fn learn_and_report_write_the_same_page() {
    let bench = Workbench::with_golden("clinics");
    let text = bench.text("learn clinics.csv --group site --score bhd");
    assert_eq!(bench.text("learn clinics.csv --group site --score bhd --report learned.html"), text);
    assert_says(
        &bench.text("report clinics.csv --group site --score bhd --out page.html"),
        &["network", "page.html"],
    );
    assert_eq!(bench.read("page.html"), bench.read("learned.html"));
    let page = data(&bench.read("page.html"));
    assert_eq!(
        page["provenance"]["command"],
        json!(["learn", "clinics.csv", "--group", "site", "--score", "bhd"])
    );
    let learned = bench.json("learn clinics.csv --group site --score bhd");
    assert_eq!(page["structure"], learned["structure"]);
    for (shown, arc) in page["arcs"].as_array().unwrap().iter().zip(learned["arcs"].as_array().unwrap()) {
        assert_eq!(shown["gain"], arc["gain"]);
        let gains: Vec<&Value> = arc["by_data_set"].as_object().unwrap().values().collect();
        assert_eq!(shown["by_data_set"], json!(gains));
    }
    assert_eq!(page["description"]["data_sets"][0]["rows"], 250);
}

#[test]
fn a_network_file_is_shown_without_its_data() {
    let bench = Workbench::with_golden("clinics");
    bench.text("learn clinics.csv --group site --score bhd --out found.json");
    let printed = bench.json("report --network found.json --out page.html --figures drawn --title Clinics");
    assert_eq!(
        printed["written"],
        json!([
            "page.html",
            "drawn/network.svg",
            "drawn/network.png",
            "drawn/evidence.svg",
            "drawn/evidence.png"
        ])
    );
    let page = data(&bench.read("page.html"));
    assert_eq!((&page["title"], &page["description"]), (&json!("Clinics"), &Value::Null));
    assert_eq!(page["data_sets"][2], json!({"name": "s3", "rows": 150}));
    let learned = bench.json("learn clinics.csv --group site --score bhd");
    assert_eq!(page["arcs"].as_array().unwrap().len(), learned["arcs"].as_array().unwrap().len());
    for figure in ["network", "evidence"] {
        assert!(bench.read(&format!("drawn/{figure}.svg")).starts_with("<svg xmlns="));
        let painted = fs::read(bench.path(&format!("drawn/{figure}.png"))).unwrap();
        assert!(painted.starts_with(b"\x89PNG"));
    }
}

#[test]
fn scores_that_are_no_sum_get_their_evidence_from_the_explanation() {
    let bench = Workbench::with_golden("clinics");
    let call = "clinics.csv --group site --score bic --method none";
    bench.text(&format!("report {call} --explain none --out page.html --figures bare"));
    assert!(bench.path("bare/network.svg").exists() && !bench.path("bare/evidence.svg").exists());
    let page = data(&bench.read("page.html"));
    assert_eq!((&page["arcs"][0]["by_data_set"], &page["nodes"][0]["tables"]), (&Value::Null, &Value::Null));
    assert_eq!((&page["arcs"][0]["given_others"], &page["explanation"]), (&Value::Null, &Value::Null));

    bench.text(&format!("report {call} --out page.html --figures drawn"));
    assert!(bench.path("drawn/evidence.svg").exists());
    let page = data(&bench.read("page.html"));
    assert_eq!(page["explanation"]["terms"], "given-others");
    assert_eq!(page["arcs"][0]["given_others"].as_array().unwrap().len(), 3);
}

#[test]
fn the_page_has_the_numbers_of_explain() {
    let bench = Workbench::with_golden("clinics");
    for score in ["bhd", "kin"] {
        let call = format!("clinics.csv --group site --score {score}");
        bench.text(&format!("learn {call} --report page.html --explain full"));
        let page = data(&bench.read("page.html"));
        let explained = bench.json(&format!("explain {call}"));
        for key in ["pooling", "data_sets", "absence", "terms", "halted"] {
            assert_eq!(page["explanation"][key], explained[key], "{score} {key}");
        }
        let arcs = explained["arcs"].as_array().unwrap();
        let left_out: Vec<&Value> = arcs.iter().filter(|arc| arc["present"] == false).collect();
        for (shown, arc) in page["explanation"]["left_out"].as_array().unwrap().iter().zip(left_out) {
            assert_eq!(shown["gain"], arc["total"]);
        }
        for (shown, arc) in page["arcs"].as_array().unwrap().iter().zip(arcs) {
            let given: Vec<&Value> = arc["given_others"].as_object().unwrap().values().collect();
            assert_eq!(shown["given_others"], json!(given));
        }
    }
}

#[test]
fn strengths_of_a_bootstrap_are_shown_and_those_of_other_variables_refused() {
    let bench = Workbench::with_golden("clinics").write("other.json", "{\"arcs\": []}");
    let sure = bench.json("bootstrap clinics.csv --group site -R 10 --out sure.json");
    bench.text("report clinics.csv --group site --bootstrap sure.json --out page.html");
    let page = data(&bench.read("page.html"));
    assert_eq!(page["bootstrap"]["averaged"], sure["averaged"]);
    assert_eq!(page["provenance"]["command"], json!(["learn", "clinics.csv", "--group", "site"]));
    let names: Vec<&Value> = page["variables"].as_array().unwrap().iter().map(|it| &it["name"]).collect();
    for arc in page["arcs"].as_array().unwrap() {
        let end = |key: &str| names[usize::try_from(arc[key].as_u64().unwrap()).unwrap()];
        let (from, to) = (end("from"), end("to"));
        let ends = |pair: &&Value| [(from, to), (to, from)].contains(&(&pair["from"], &pair["to"]));
        let pair = sure["arcs"].as_array().unwrap().iter().find(ends).unwrap();
        assert_eq!(arc["strength"], pair["strength"]);
        let this_way = pair["direction"].as_f64().unwrap();
        let this_way = if pair["from"] == *from { this_way } else { 1.0 - this_way };
        assert_eq!(arc["direction"], this_way);
    }
    bench.text("bootstrap clinics.csv --group site -R 2 --ignore V01 --out fewer.json");
    for (file, parts) in [
        ("other.json", ["--bootstrap", "is not the JSON of `kinfolk bootstrap`"]),
        ("clinics.csv", ["clinics.csv", "--bootstrap"]),
        ("gone.json", ["gone.json", "No such file"]),
        ("fewer.json", ["fewer.json", "V01"]),
    ] {
        let call = format!("report clinics.csv --group site --bootstrap {file} --out page.html");
        assert_says(&bench.refusal(&call), &parts);
    }
    let refused = bench.refusal("learn clinics.csv --group site --bootstrap sure.json");
    assert_says(&refused, &["--report FILE.html"]);
}

#[test]
fn wrong_calls_are_refused_before_any_work() {
    let bench = Workbench::with_golden("clinics");
    fs::create_dir(bench.path("folder")).unwrap();
    for (call, parts) in [
        ("report clinics.csv --group site", ["--out", "required"]),
        ("report --out page.html", ["FILES", "required"]),
        ("report clinics.csv --network x.json --out page.html", ["--network", "cannot be used"]),
        ("report --network missing.json --out page.html", ["missing.json", "No such file"]),
        (
            "report --network x.json --explain full --out page.html",
            ["--explain needs the data", "data files instead"],
        ),
        ("report clinics.csv --group site --out folder", ["--out", "is a folder"]),
        ("report clinics.csv --group site --out clinics.csv", ["--out", "holds data"]),
        ("learn clinics.csv --group site --report none/page.html", ["--report", "no folder"]),
        ("learn clinics.csv --group site --report -", ["--report", "not standard output"]),
    ] {
        assert_says(&bench.refusal(call), &parts);
    }
}
