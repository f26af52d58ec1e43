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
    let text = bench.text("learn clinics.csv --group site");
    assert_eq!(bench.text("learn clinics.csv --group site --report learned.html"), text);
    assert_says(&bench.text("report clinics.csv --group site --out page.html"), &["network", "page.html"]);
    assert_eq!(bench.read("page.html"), bench.read("learned.html"));
    let page = data(&bench.read("page.html"));
    assert_eq!(page["provenance"]["command"], json!(["learn", "clinics.csv", "--group", "site"]));
    let learned = bench.json("learn clinics.csv --group site");
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
    bench.text("learn clinics.csv --group site --out found.json");
    let printed = bench.json("report --network found.json --out page.html --figures drawn --title Clinics");
    assert_eq!(printed["written"], json!(["page.html", "drawn/network.svg", "drawn/evidence.svg"]));
    let page = data(&bench.read("page.html"));
    assert_eq!((&page["title"], &page["description"]), (&json!("Clinics"), &Value::Null));
    assert_eq!(page["data_sets"][2], json!({"name": "s3", "rows": 150}));
    let learned = bench.json("learn clinics.csv --group site");
    assert_eq!(page["arcs"].as_array().unwrap().len(), learned["arcs"].as_array().unwrap().len());
    for figure in ["network", "evidence"] {
        assert!(bench.read(&format!("drawn/{figure}.svg")).starts_with("<svg xmlns="));
    }
}

#[test]
fn pooled_scores_have_no_figure_of_the_evidence() {
    let bench = Workbench::with_golden("clinics");
    bench.text("report clinics.csv --group site --score bic --method none --out page.html --figures drawn");
    assert!(bench.path("drawn/network.svg").exists() && !bench.path("drawn/evidence.svg").exists());
    let page = data(&bench.read("page.html"));
    assert_eq!((&page["arcs"][0]["by_data_set"], &page["nodes"][0]["tables"]), (&Value::Null, &Value::Null));
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
        ("report clinics.csv --group site --out folder", ["--out", "is a folder"]),
        ("report clinics.csv --group site --out clinics.csv", ["--out", "holds data"]),
        ("learn clinics.csv --group site --report none/page.html", ["--report", "no folder"]),
        ("learn clinics.csv --group site --report -", ["--report", "not standard output"]),
    ] {
        assert_says(&bench.refusal(call), &parts);
    }
}
