//! Searches and scores through the command line against bnlearn and against 40-digit arithmetic.

use serde_json::{Value, json};

use crate::workbench::{Workbench, assert_close, golden};

fn check_hierarchical(name: &str, prior: &str) {
    let golden = &golden("bhd.json")["data"][name];
    let expected = &golden[prior];
    let bench = Workbench::with_golden(name);
    let learned = bench.json(&format!("learn {name}.csv --group site --prior {prior} --search climb"));
    assert_close(&learned["score"], expected["total"].as_f64().unwrap(), 1e-8);
    assert_eq!(learned["stop"], "optimum");
    let sites: Vec<String> = (1..=expected["nodes"][0]["by_data_set"].as_array().unwrap().len())
        .map(|number| format!("s{number}"))
        .collect();
    assert_eq!(learned["data_sets"], json!(sites));

    let steps = learned["steps"].as_array().unwrap();
    let expected_steps = expected["steps"].as_array().unwrap();
    assert_eq!(steps.len(), expected_steps.len());
    for (step, expected) in steps.iter().zip(expected_steps) {
        assert_eq!(json!([step["move"], step["from"], step["to"]]), json!(expected.as_array().unwrap()[..3]));
        // A gain is a small difference of scores that are golden to 1e-8 of themselves.
        assert!((step["gain"].as_f64().unwrap() - expected[3].as_f64().unwrap()).abs() < 1e-4);
    }
    let structure = learned["structure"].as_str().unwrap();
    check_nodes(&learned["nodes"], &expected["nodes"], &sites);
    let scored =
        bench.json(&format!("score {name}.csv --group site --prior {prior} --structure {structure}"));
    check_nodes(&scored["nodes"], &expected["nodes"], &sites);
    assert_eq!(scored["total"], learned["score"]);
}

fn check_nodes(nodes: &Value, expected: &Value, sites: &[String]) {
    let (nodes, expected) = (nodes.as_array().unwrap(), expected.as_array().unwrap());
    assert_eq!(nodes.len(), expected.len());
    for (node, expected) in nodes.iter().zip(expected) {
        assert_eq!((&node["node"], &node["parents"]), (&expected["node"], &expected["parents"]));
        assert_close(&node["total"], expected["total"].as_f64().unwrap(), 1e-8);
        assert_close(&node["tau"], expected["tau"].as_f64().unwrap(), 1e-6);
        assert_eq!(node["converged"], true);
        assert!((1..=10).contains(&node["iterations"].as_u64().unwrap()));
        let terms = node["by_data_set"].as_object().unwrap();
        assert_eq!(terms.keys().collect::<Vec<_>>(), sites.iter().collect::<Vec<_>>());
        for (term, expected) in terms.values().zip(expected["by_data_set"].as_array().unwrap()) {
            assert_close(term, expected.as_f64().unwrap(), 1e-8);
        }
    }
}

#[test]
fn bhd_learns_the_golden_clinics() {
    check_hierarchical("clinics", "default");
    check_hierarchical("clinics", "paper");
}

#[test]
fn bhd_learns_the_golden_valleys() {
    check_hierarchical("valleys", "default");
    check_hierarchical("valleys", "paper");
}

/// The flags of a score in the golden file.
fn flags(name: &str) -> String {
    match name.split_once("_iss") {
        Some((name, size)) => format!("--score {name} --iss {size}"),
        None => format!("--score {name}"),
    }
}

#[test]
fn pooled_searches_end_where_those_of_bnlearn_end() {
    let bench = Workbench::with_golden("clinics");
    for (score, expected) in golden("bnlearn.json")["data"]["clinics"]["hc"].as_object().unwrap() {
        let learned = bench.json(&format!("learn clinics.csv --group site --search climb {}", flags(score)));
        assert_eq!(learned["structure"], expected["structure"], "{score}");
        assert_close(&learned["score"], expected["score"].as_f64().unwrap(), 1e-10);
        let start = learned["start"].as_str();
        let moves = expected["steps"].as_array().unwrap().iter().filter(|network| network.as_str() != start);
        assert_eq!(learned["steps"].as_array().unwrap().len(), moves.count(), "{score}");
    }
}

#[test]
fn pooled_scores_equal_those_of_bnlearn_node_by_node() {
    let bench = Workbench::with_golden("valleys");
    for expected in golden("bnlearn.json")["data"]["valleys"]["networks"].as_object().unwrap().values() {
        let structure = expected["structure"].as_str().unwrap();
        for (score, by_node) in expected["by_node"].as_object().unwrap() {
            let call = format!("score valleys.csv --group site --structure {structure} {}", flags(score));
            let scored = bench.json(&call);
            let mut sum = 0.0;
            for node in scored["nodes"].as_array().unwrap() {
                let value = by_node[node["node"].as_str().unwrap()].as_f64().unwrap();
                assert_close(&node["total"], value, 1e-10);
                assert_eq!((&node["by_data_set"], &node["tau"]), (&Value::Null, &Value::Null));
                sum += value;
            }
            assert_close(&scored["total"], sum, 1e-10);
        }
    }
}

#[test]
fn a_constrained_search_ends_where_that_of_bnlearn_ends() {
    let golden = golden("bnlearn.json");
    let expected = &golden["data"]["clinics"]["constrained"];
    let bench = Workbench::with_golden("clinics")
        .write("white.json", expected["whitelist"].to_string())
        .write("black.json", expected["blacklist"].to_string());
    let learned = bench.json(&format!(
        "learn clinics.csv --group site --search climb {} --max-parents {} --whitelist white.json --blacklist black.json",
        flags(expected["score"].as_str().unwrap()),
        expected["max_parents"]
    ));
    assert_eq!(learned["structure"], expected["structure"]);
    assert_close(&learned["score"], expected["total"].as_f64().unwrap(), 1e-10);
}
