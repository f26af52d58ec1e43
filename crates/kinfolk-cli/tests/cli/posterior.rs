//! `kinfolk posterior`: probabilities of edges, exact and by Markov chains, from end to end.

use serde_json::Value;

use crate::workbench::{Workbench, assert_says, keys};

const CALL: &str = "posterior clinics.csv --group site";

/// The probability of an edge in a result.
fn edge(found: &Value, a: &str, b: &str) -> f64 {
    let edges = found["edges"].as_array().unwrap();
    edges.iter().find(|edge| edge["between"] == serde_json::json!([a, b])).unwrap()["probability"]
        .as_f64()
        .unwrap()
}

#[test]
fn the_json_has_the_probability_of_every_arc_and_edge() {
    let bench = Workbench::with_golden("clinics");
    let found = bench.json(&format!("{CALL} --out posterior.json"));
    for key in ["arcs", "edges", "method", "chains", "rhat", "ess", "structure"] {
        assert!(keys(&found).contains(&key), "{key}");
    }
    assert_eq!((&found["method"], &found["chains"]), (&"exact".into(), &Value::Null));
    let variables = bench.json("learn clinics.csv --group site")["variables"].as_array().unwrap().len();
    assert_eq!(found["arcs"].as_array().unwrap().len(), variables * (variables - 1));
    assert_eq!(found["edges"].as_array().unwrap().len(), variables * (variables - 1) / 2);
    for arc in found["arcs"].as_array().unwrap() {
        assert_eq!(keys(arc), ["from", "to", "probability"]);
        assert!((0.0..=1.0).contains(&arc["probability"].as_f64().unwrap()));
    }
    let mut written: Value = serde_json::from_str(&bench.read("posterior.json")).unwrap();
    written.as_object_mut().unwrap().shift_remove("provenance").unwrap();
    assert_eq!(written, found);
}

#[test]
fn chains_agree_with_the_exact_probabilities_and_do_not_depend_on_threads() {
    let bench = Workbench::with_golden("clinics");
    let exact = bench.json(CALL);
    let sampled = bench.json(&format!("{CALL} --method mcmc --seed 5 --threads 1"));
    assert_eq!(sampled, bench.json(&format!("{CALL} --method mcmc --seed 5 --threads 3")));
    assert_eq!((&sampled["method"], &sampled["converged"]), (&"mcmc".into(), &true.into()));
    for edge_of in exact["edges"].as_array().unwrap() {
        let [a, b] = [0, 1].map(|end| edge_of["between"][end].as_str().unwrap());
        // The two priors, over graphs and over orders, differ a little.
        let difference = (edge(&exact, a, b) - edge(&sampled, a, b)).abs();
        assert!(difference < 0.1, "{a} – {b}: {difference}");
    }
}

#[test]
fn constraints_hold_for_every_network_that_counts() {
    let bench = Workbench::with_golden("clinics").write("never.csv", "from,to\nV02,V01\n");
    let names = bench.json("learn clinics.csv --group site")["variables"].clone();
    let [first, second] = [0, 1].map(|index| names[index]["name"].as_str().unwrap().to_owned());
    let bench = bench.write("always.csv", format!("from,to\n{first},{second}\n"));
    let found = bench.json(&format!("{CALL} --whitelist always.csv"));
    let arcs = found["arcs"].as_array().unwrap();
    let arc = arcs.iter().find(|arc| arc["from"] == first.as_str() && arc["to"] == second.as_str()).unwrap();
    assert!((arc["probability"].as_f64().unwrap() - 1.0).abs() < 1e-9, "{arc}");
    assert!(!arcs.iter().any(|arc| arc["from"] == second.as_str() && arc["to"] == first.as_str()));
}

#[test]
fn a_pooled_score_comes_with_a_caution_and_a_likelihood_is_refused() {
    let bench = Workbench::with_golden("clinics");
    assert!(bench.text(&format!("{CALL} --score bdeu")).contains("caution   the score pools all data sets"));
    assert!(!bench.text(CALL).contains("caution"));
    for (options, message) in [
        ("--score loglik", "loglik does not approximate a log marginal likelihood"),
        ("--method mcmc --chains 1", "at least two chains are needed"),
        ("--threshold 1.5", "--threshold takes a probability from 0 to 1, not 1.5"),
        ("--time-limit -1", "--time-limit takes a non-negative number of seconds"),
        (
            "--time-limit 0",
            "--time-limit expired before all families were scored, so there is no result; raise it",
        ),
    ] {
        let said = bench.run(&format!("{CALL} {options}"));
        assert_eq!(said.code, 2, "{options}");
        assert_says(&said.err, &[message]);
    }
}

#[test]
fn features_and_a_network_can_be_queried() {
    let bench = Workbench::with_golden("clinics");
    let structure = "[V01][V02|V01][V03][V04][V05][V06]";
    let exact = bench.json(&format!("{CALL} --structure {structure} --left-out 3 --query V01--V02"));
    assert_eq!(exact["queries"][0]["probability"], edge(&exact, "V01", "V02"));
    assert_eq!(exact["queries"][0]["standard_error"], Value::Null);
    let network = &exact["network"];
    assert_eq!(network["arcs"][0]["edge"], edge(&exact, "V01", "V02"));
    assert_eq!(network["left_out"].as_array().unwrap().len(), 3);
    let blanket = bench.json(&format!("{CALL} --query mb(V03)"));
    assert_eq!(blanket["queries"].as_array().unwrap().len(), 5);
    let text = bench.text(&format!("{CALL} --query V02~>V05 --structure {structure}"));
    assert!(
        text.contains("V02~>V05") && text.contains("Most probable edges that the network lacks"),
        "{text}"
    );
    let sampled = bench.json(&format!("{CALL} --method mcmc --query V02~>V05"));
    assert!(sampled["queries"][0]["standard_error"].is_number());
    let refused = bench.refusal(&format!("{CALL} --query V02~>V99"));
    assert_says(&refused, &["--query: query `V02~>V99`: there is no column `V99`"]);
    assert_says(&bench.refusal(&format!("{CALL} --query V02")), &["--query: query `V02` is not understood"]);
}

#[test]
fn chains_continue_from_their_file_and_refuse_that_of_another_run() {
    let bench = Workbench::with_golden("clinics");
    let call = format!("{CALL} --method mcmc --seed 2");
    let whole = bench.json(&call);
    let first = bench.json(&format!("{call} --resume chains.jsonl"));
    assert_eq!(first, whole);
    let kept = bench.read("chains.jsonl");
    // A run that was killed in the middle of a line.
    let bench = bench.write("chains.jsonl", &kept[..kept.len() / 2]);
    assert_eq!(bench.json(&format!("{call} --resume chains.jsonl")), whole);
    assert_eq!(bench.read("chains.jsonl").lines().count(), kept.lines().count());
    let refused = bench.refusal(&format!("{CALL} --method mcmc --seed 3 --resume chains.jsonl"));
    assert_says(&refused, &["belongs to another posterior: its seed is 2, not 3"]);
    let refused = bench.refusal(&format!("{CALL} --resume new.jsonl"));
    assert_says(&refused, &["exact probabilities have no samples to resume"]);
}
