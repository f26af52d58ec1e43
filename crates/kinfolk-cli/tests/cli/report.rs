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
    // Everything but the provenance is the same.
    let (mut page, mut learned) = (data(&bench.read("page.html")), data(&bench.read("learned.html")));
    let command = |page: &mut Value| page["provenance"]["command"].take();
    let words = |text: &str| json!(text.split(' ').collect::<Vec<_>>());
    assert_eq!(command(&mut page), words("report clinics.csv --group site --score bhd --out page.html"));
    assert_eq!(
        command(&mut learned),
        words("learn clinics.csv --group site --score bhd --report learned.html")
    );
    assert_eq!(page, learned);
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
fn scores_that_are_not_a_sum_get_their_evidence_from_the_explanation() {
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
    let sure = bench.json("bootstrap clinics.csv --group site -R 10 --score kin --out sure.json");
    bench.text("report clinics.csv --group site --bootstrap sure.json --out page.html");
    let page = data(&bench.read("page.html"));
    assert_eq!(page["bootstrap"]["averaged"], sure["averaged"]);
    let command = |page: &Value| -> Vec<String> { serde_json::from_value(page["command"].clone()).unwrap() };
    assert_eq!(
        command(&page["provenance"]).join(" "),
        "report clinics.csv --group site --bootstrap sure.json --out page.html"
    );
    assert_eq!(
        command(&page["bootstrap"]["provenance"]).join(" "),
        "bootstrap clinics.csv --group site -R 10 --score kin"
    );
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
        (
            "clinics.csv",
            ["clinics.csv is not the JSON of `kinfolk bootstrap`", "has written with its own --out"],
        ),
        ("gone.json", ["gone.json", "no such file; check its name"]),
        ("fewer.json", ["fewer.json", "V01"]),
    ] {
        let call = format!("report clinics.csv --group site --bootstrap {file} --out page.html");
        let refused = bench.refusal(&call);
        assert_says(&refused, &parts);
        // No message suggests overwriting the named file.
        assert!(!refused.contains(&format!("--out {file}")), "{refused}");
    }
    let refused = bench.refusal("learn clinics.csv --group site --bootstrap sure.json");
    assert_says(&refused, &["--report FILE.html"]);
}

#[test]
fn strengths_of_another_score_are_labelled() {
    let bench = Workbench::with_golden("clinics");
    bench.text("bootstrap clinics.csv --group site --score bhd -R 3 --out sure.json");
    let note = "were learned with bhd, but this network with kin";
    let call = "report clinics.csv --group site --bootstrap sure.json --out page.html";
    assert_says(&bench.run(call).err, &[note, "kinfolk bootstrap --score kin"]);
    assert!(!bench.run(&format!("{call} --quiet")).err.contains(note));
    assert!(!bench.run(&format!("{call} --score bhd")).err.contains(note));
    // A network learned with kin remains labelled with kin, whichever score is used for the page.
    bench.text("learn clinics.csv --group site --out network.json");
    for with in ["clinics.csv --group site ", ""] {
        let call = format!("report {with}--network network.json --bootstrap sure.json --out page.html");
        assert_says(&bench.run(&call).err, &[note]);
        assert_eq!(data(&bench.read("page.html"))["learned_with"], "kin");
    }
}

#[test]
fn a_network_of_other_variables_is_refused_by_their_names() {
    let bench = Workbench::with_golden("clinics");
    bench.text("learn clinics.csv --group site --out network.json");
    for call in ["explain", "report --out page.html"] {
        let refused =
            bench.refusal(&format!("{call} clinics.csv --group site --ignore V01 --network network.json"));
        assert_says(&refused, &["has other variables", "the data have no column `V01`", "--ignore"]);
        assert!(!refused.contains("modelstring"), "{refused}");
    }
}

#[test]
fn every_command_names_its_own_default_score() {
    let bench = Workbench::new();
    for (command, default) in [
        ("learn", "[default: kin; bhd if"),
        ("bootstrap", "[default: kin; bhd if"),
        ("explain", "[default: that of the network file, if it records one; otherwise kin"),
        ("report", "[default: that of the network file, if it records one; otherwise kin"),
    ] {
        let help = bench.text(&format!("{command} --help"));
        let words: Vec<&str> = help.split_whitespace().collect();
        assert!(words.join(" ").contains(default), "{command}: {help}");
    }
}

#[test]
fn strengths_of_other_data_are_refused_before_any_search() {
    let bench = Workbench::with_golden("clinics");
    let text = bench.read("clinics.csv");
    let bench = bench.write("fewer.csv", text.trim_end().rsplit_once('\n').unwrap().0);
    bench.text("bootstrap fewer.csv --group site -R 2 --out fewer.json");
    bench.text("learn clinics.csv --group site --out network.json");
    let unknown = bench.read("fewer.json").replace("data_hash", "hash");
    let bench = bench.write("unknown.json", unknown);
    // Otherwise this would start an endless search.
    let endless = "--restarts 1000000000 --perturb 3";
    for call in [
        &format!("learn clinics.csv --group site {endless} --report page.html"),
        &format!("report clinics.csv --group site {endless} --out page.html"),
        "report clinics.csv --group site --network network.json --out page.html",
        "report --network network.json --out page.html",
    ] {
        let refused = bench.refusal(&format!("{call} --bootstrap fewer.json"));
        assert_says(&refused, &["--bootstrap: fewer.json was made from other data", "sha256:"]);
        let refused = bench.refusal(&format!("{call} --bootstrap unknown.json"));
        assert_says(&refused, &["--bootstrap: unknown.json does not record its data"]);
        assert!(!bench.path("page.html").exists());
    }
}

#[test]
fn a_given_network_is_shown_with_its_data() {
    let bench = Workbench::with_golden("clinics");
    let learned = bench.json("learn clinics.csv --group site --score kin --out network.json");
    let explained = bench.json("explain clinics.csv --group site --network network.json --no-rivals");
    bench.text("report clinics.csv --group site --network network.json --out page.html");
    let page = data(&bench.read("page.html"));
    assert_eq!(page["structure"], learned["structure"]);
    assert_eq!((&page["search"]["score_name"], &page["search"]["stop"]), (&json!("kin"), &Value::Null));
    assert_eq!(page["search"]["score"], explained["score"]);
    assert_eq!(page["explanation"]["pooling"], explained["pooling"]);
    for (shown, arc) in page["arcs"].as_array().unwrap().iter().zip(explained["arcs"].as_array().unwrap()) {
        let terms: Vec<&Value> = arc["by_data_set"].as_object().unwrap().values().collect();
        assert_eq!((&shown["gain"], &shown["given_others"]), (&arc["total"], &json!(terms)));
    }
    // The file's own tables, and where it came from.
    assert_eq!(page["settings"]["tables"]["method"], "kin");
    let tables = &page["nodes"][3]["tables"];
    assert_eq!(tables["rows"][0], learned["nodes"][3]["rows"]["s1"]);
    assert_eq!(tables["rows"][0].as_array().unwrap().len(), 16);
    assert_eq!(page["network_from"]["command"][0], "learn");
    assert_eq!(page["description"]["data_sets"][0]["rows"], 250);
    let notes = |page: &Value| page["notes"].as_array().unwrap().clone();
    let before = notes(&page);

    // With `--structure`, or with other data, its tables are estimated.
    let structure = learned["structure"].as_str().unwrap();
    bench.text(&format!("report clinics.csv --group site --structure {structure} --out page.html"));
    let page = data(&bench.read("page.html"));
    assert_eq!((&page["structure"], &page["network_from"]), (&learned["structure"], &Value::Null));
    assert_eq!(page["settings"]["tables"]["method"], "kin");
    let fewer = bench.read("clinics.csv");
    let bench = bench.write("fewer.csv", fewer.trim_end().rsplit_once('\n').unwrap().0);
    let call = "report fewer.csv --group site --network network.json --score kin --out page.html";
    assert_says(&bench.run(call).err, &["network.json was not learned from these data", "its structure"]);
    assert_eq!(bench.run(&format!("{call} --quiet")).err, "");
    let page = data(&bench.read("page.html"));
    assert_eq!(
        (&page["settings"]["tables"]["method"], &page["structure"]),
        (&json!("kin"), &learned["structure"])
    );
    assert_eq!(notes(&page).len(), before.len() + 1);
    assert_says(notes(&page).last().unwrap().as_str().unwrap(), &["was not learned from these data"]);
}

#[test]
fn tables_show_their_rows_and_their_shrinkage() {
    let bench = Workbench::with_golden("clinics");
    for score in ["kin", "bhd"] {
        bench
            .text(&format!("report clinics.csv --group site --score {score} --explain none --out page.html"));
        let page = data(&bench.read("page.html"));
        for node in page["nodes"].as_array().unwrap() {
            let tables = &node["tables"];
            let (rows, shares) = (&tables["rows"], &tables["shrinkage_by_configuration"]);
            let sum: u64 = rows[1].as_array().unwrap().iter().map(|rows| rows.as_u64().unwrap()).sum();
            assert_eq!(sum, 200, "{score}");
            for (rows, share) in rows[1].as_array().unwrap().iter().zip(shares[1].as_array().unwrap()) {
                let share = share.as_f64().unwrap();
                assert!(
                    (0.0..=1.0).contains(&share) && (share == 1.0) == (rows == 0),
                    "{score}: {rows} {share}"
                );
            }
            assert_eq!(tables["shrinkage"].as_array().unwrap().len(), 3);
        }
    }
}

#[test]
fn wrong_calls_are_refused_before_any_work() {
    let bench = Workbench::with_golden("clinics");
    fs::create_dir(bench.path("folder")).unwrap();
    for (call, parts) in [
        ("report clinics.csv --group site", ["--out", "required"]),
        ("report --out page.html", ["FILES", "required"]),
        (
            "report clinics.csv --network x.json --structure [A] --out page.html",
            ["--network", "cannot be used"],
        ),
        ("report --structure [A] --out page.html", ["FILES", "required"]),
        ("report clinics.csv --group site --structure [A] --out page.html", ["--structure", "A"]),
        ("report --network missing.json --out page.html", ["missing.json", "no such file; check its name"]),
        (
            "report --network x.json --explain full --out page.html",
            ["--explain needs the data", "data files too"],
        ),
        ("report clinics.csv --group site --out folder", ["--out", "is a folder"]),
        ("report clinics.csv --group site --out clinics.csv", ["--out", "is an input file"]),
        ("learn clinics.csv --group site --report none/page.html", ["--report", "no folder"]),
        ("learn clinics.csv --group site --report -", ["--report", "not standard output"]),
        (
            "learn clinics.csv --group site --out page --report ./page",
            ["--out and --report are the same file", "name two files"],
        ),
        (
            "report clinics.csv --group site --out folder/network.svg --figures folder",
            ["--out and --figures are the same file", "name two files"],
        ),
        (
            "report clinics.csv --group site --out page.html --figures clinics.csv",
            ["--figures: clinics.csv is a file", "give a folder"],
        ),
        (
            "report clinics.csv --group site --out clinics.csv/page.html",
            ["--out: clinics.csv is a file", "name a file in a folder"],
        ),
        (
            "report clinics.csv --group site --network clinics.csv --out page.html",
            ["clinics.csv is not a network file", "kinfolk learn … --out FILE"],
        ),
        ("explain clinics.csv --group site --network folder", ["folder is a folder", "name a file in it"]),
    ] {
        assert_says(&bench.refusal(call), &parts);
    }
}

#[test]
fn a_network_file_whose_arcs_are_wrong_is_refused_with_the_place() {
    let bench = Workbench::with_golden("clinics");
    bench.run("learn clinics.csv --group site --out n.json");
    let network: Value = serde_json::from_str(&bench.read("n.json")).unwrap();
    for (arcs, place) in [
        (json!(1), "bad.json: `arcs` is not a list"),
        (json!([{"from": 1}]), "bad.json: `arcs`, arc 1: "),
        (json!([{"from": "nobody", "to": "nobody"}]), "bad.json: there is no variable `nobody`"),
    ] {
        let mut changed = network.clone();
        changed["arcs"] = arcs;
        fs::write(bench.path("bad.json"), changed.to_string()).unwrap();
        assert_says(&bench.refusal("report --network bad.json --out p.html"), &[place]);
        assert!(!bench.path("p.html").exists());
    }
}

#[test]
fn tables_that_are_too_large_for_a_page_are_left_out_with_a_way_to_them() {
    let names: Vec<String> = (0..16).map(|parent| format!("P{parent}")).collect();
    let rows = (0..60_u32).map(|row| {
        let values: Vec<String> = (0..17).map(|bit| ((row * 7 + bit * bit) % 5 % 2).to_string()).collect();
        format!("{},{}\n", row % 2, values.join(","))
    });
    let header = format!("g,{},C\n", names.join(","));
    let bench = Workbench::new().write("d.csv", header + &rows.collect::<String>());
    let parents = format!("[{}][C|{}]", names.join("]["), names.join(":"));
    bench.run(&format!("report d.csv --group g --structure {parents} --explain none --out p.html"));
    let page = std::fs::read_to_string(bench.path("p.html")).unwrap();
    assert!(page.len() < 1_000_000, "{}", page.len());
    // Two data sets, pooled and new, 2 states, 2^16 configurations.
    assert!(page.contains("\"too_large\":524288"));
}
