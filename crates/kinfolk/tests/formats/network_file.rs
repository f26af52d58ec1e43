//! The network file is read back bit for bit, and errors in it are reported.

use crate::related::read_related;
use kinfolk::counts::MemoryTally;
use kinfolk::estimate::{Method, Network, estimate};
use kinfolk::formats::{FORMAT, NetworkFile, Provenance};
use kinfolk::graph::modelstring;
use kinfolk::remedy::{Actionable, Neutral};
use kinfolk::score::ImaginarySampleSize;
use kinfolk::variational::Prior;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use serde_json::{Map, Value, json};

const STRUCTURE: &str = "[V01][V02|V01][V03|V01:V02][V04][V05|V04][V06]";

fn file(method: Method) -> NetworkFile {
    let data = read_related("clinics");
    let dag = modelstring::parse(STRUCTURE, &data.schema().names()).unwrap();
    let network = estimate(&MemoryTally::new(&data), &dag, method).unwrap();
    NetworkFile {
        network,
        settings: Map::from_iter([("s".to_owned(), json!(1.0))]),
        provenance: Some(Provenance::of(&data, vec!["fit".to_owned()])),
        other: Map::from_iter([("score".to_owned(), json!(-12.5))]),
    }
}

fn text(file: &NetworkFile) -> String {
    serde_json::to_string_pretty(&file.document()).unwrap()
}

#[test]
fn a_file_loads_back_to_the_bit() {
    let iss = ImaginarySampleSize::new(3.0).unwrap();
    for method in [Method::Hierarchical(Prior::default()), Method::Bayes(iss), Method::MaximumLikelihood] {
        let file = file(method);
        let again = NetworkFile::read(&text(&file)).unwrap();
        assert_eq!(again, file);
        assert_eq!(text(&again), text(&file));
        let bits = |network: &Network| -> Vec<u64> {
            let tables = network
                .relatives()
                .flat_map(|relative| network.dag().nodes().map(move |node| network.table_of(node, relative)));
            tables.flat_map(|table| table.values().iter().map(|value| value.to_bits())).collect()
        };
        assert_eq!(bits(&again.network), bits(&file.network));
        assert_eq!(file.document()["format"], FORMAT);
    }
}

#[test]
fn the_fingerprint_distinguishes_data() {
    let hash = |name: &str| read_related(name).fingerprint();
    assert_eq!(hash("clinics"), hash("clinics"));
    assert_ne!(hash("clinics"), hash("cohorts"));
    assert_eq!(hash("clinics").len(), "sha256:".len() + 64);
}

#[test]
fn errors_state_the_problem() {
    type JsonEdit<'a> = &'a dyn Fn(&mut Value);
    let good = Value::Object(file(Method::MaximumLikelihood).document());
    let refusal = |change: JsonEdit<'_>| {
        let mut document = good.clone();
        change(&mut document);
        NetworkFile::read(&document.to_string()).unwrap_err().message(&Neutral)
    };
    let cases: [(JsonEdit<'_>, &str); 12] = [
        (&|d| d["format"] = json!("kinfolk network 99"), "use the version that wrote it"),
        (&|d| d["nodes"][0]["states"] = json!(["b", "a"]), "the states of `V01` differ"),
        (&|d| d["nodes"][0]["tables"]["s2"][0][0] = Value::Null, "the table of `V01` in `s2`"),
        (&|d| d["nodes"][0]["tables"] = Value::Null, "make them by fitting the structure"),
        (&|d| d["data_sets"] = json!(["s1", "s1", "s3"]), "data set `s1` is given twice"),
        (&|d| d["variables"][1]["name"] = json!("V01"), "variable `V01` is given twice"),
        (&|d| d["variables"][1]["states"] = json!([]), "`V02` has no state"),
        (&|d| d["structure"] = json!("[V01]"), "`structure`"),
        (&|d| d["nodes"][1]["parents"] = json!([]), "at `V02`"),
        (&|d| d["nodes"][0]["tables"]["s2"][0][0] = json!(0.9999), "not a distribution"),
        (&|d| d["nodes"][0]["pooled"][0] = json!([1.0]), "probabilities in a row of `V01`"),
        (&|d| d["nodes"][0]["tables"] = json!({"s1": [[0.5, 0.5]]}), "no table for data set `s2`"),
    ];
    for (change, said) in cases {
        let refusal = refusal(change);
        assert!(refusal.contains(said), "`{said}` is not in: {refusal}");
    }
    let refusal = NetworkFile::read("{\n \"structure\": }").unwrap_err().to_string();
    assert!(refusal.starts_with("line 2, character 15: "), "{refusal}");
}

#[test]
fn numbers_that_no_fit_can_have_are_refused() {
    type JsonEdit<'a> = &'a dyn Fn(&mut Value);
    let good = Value::Object(file(Method::Hierarchical(Prior::default())).document());
    let cases: [(JsonEdit<'_>, &str); 10] = [
        (&|d| d["nodes"][0]["tau"] = json!(-5), "`V01`: `tau` is -5, and must be a positive number"),
        (&|d| d["nodes"][0]["tau"] = json!(0), "`V01`: `tau` is 0"),
        (
            &|d| d["nodes"][0]["kappa"] = json!([[9, -9]]),
            "`V01`: the numbers of `kappa` are not a distribution: they include 9",
        ),
        (
            &|d| d["nodes"][0]["kappa"][0] = json!([0.5, 0.4]),
            "`V01`: the numbers of `kappa` are not a distribution: they sum to 0.9",
        ),
        (&|d| d["nodes"][1]["shrinkage"]["s2"] = json!(1.5), "`V02`: a share of `shrinkage` is 1.5"),
        (
            &|d| d["nodes"][1]["shrinkage_by_configuration"]["s2"][0] = json!(-0.5),
            "a share of `shrinkage` is -0.5",
        ),
        (&|d| d["nodes"][1]["tables"]["s2"][1] = json!([0.5, 0.500_01, 0, 0]), "`V02` in s2, row 2 (V01 = "),
        (&|d| d["nodes"][1]["pooled"][0] = json!([-0.5, 1.5, 0, 0]), "`V02` in pooled, row 1 (V01 = "),
        (
            &|d| {
                d["nodes"][0]["kin"] =
                    json!({"s": [1], "s_posterior": [0.5], "s_mean": 1, "identical": null});
            },
            "`V01`: `s_posterior` in `kin`",
        ),
        (
            &|d| d["nodes"][0]["kin"] = json!({"s": [1], "s_posterior": [1], "s_mean": 1, "identical": 7}),
            "`V01`: `pooled_share` in `kin` is 7",
        ),
    ];
    assert_eq!(good["nodes"][0]["kappa"][0].as_array().unwrap().len(), 2);
    for (change, said) in cases {
        let mut document = good.clone();
        change(&mut document);
        let refusal = NetworkFile::read(&document.to_string()).unwrap_err().to_string();
        assert!(refusal.contains(said), "`{said}` is not in: {refusal}");
    }
    // Six decimals are enough for a file written by hand.
    let mut document = good;
    document["nodes"][0]["pooled"] = json!([[0.333_333, 0.666_667]]);
    NetworkFile::read(&document.to_string()).unwrap();
}

#[test]
fn keys_given_twice_are_refused_with_the_place() {
    let good = text(&file(Method::MaximumLikelihood));
    for (key, again) in [
        ("\"settings\": {", "\"settings\": {\n\"s\": 2,"),
        ("\"tables\": {", "\"tables\": {\n\"s2\": [[0.5, 0.5]],"),
        ("\"score\": -12.5", "\"score\": -12.5,\n\"score\": -13"),
        ("\"nodes\": [", "\"nodes\": [],\n\"nodes\": ["),
    ] {
        assert!(good.contains(key), "{key}");
        let twice = good.replacen(key, again, 1);
        let refusal = NetworkFile::read(&twice).unwrap_err().to_string();
        assert!(refusal.starts_with("line ") && refusal.contains("given twice"), "{refusal}");
        let line: usize = refusal[5..].split(',').next().unwrap().parse().unwrap();
        let part = twice.lines().nth(line - 1).unwrap();
        assert!(part.contains(refusal.split('`').nth(1).unwrap()), "{refusal}\n{part}");
    }
}

/// A network of `parents` binary variables and a child of all of them, with empty tables.
fn wide(parents: usize) -> String {
    let names: Vec<String> = (0..parents).map(|parent| format!("P{parent}")).collect();
    let variable = |name: &String| json!({"name": name, "states": ["n", "y"], "constant": false});
    let half = json!([[0.5, 0.5]]);
    let child = "C".to_owned();
    let mut nodes: Vec<Value> = names
        .iter()
        .map(|name| json!({"node": name, "parents": [], "tables": {"a": half}, "pooled": half, "new": half}))
        .collect();
    nodes.push(json!({"node": child, "parents": names, "tables": {"a": []}, "pooled": [], "new": []}));
    let roots = format!("[{}]", names.join("]["));
    let variables: Vec<Value> = names.iter().chain([&child]).map(variable).collect();
    json!({
        "format": FORMAT,
        "structure": format!("{roots}[C|{}]", names.join(":")),
        "data_sets": ["a"],
        "variables": variables,
        "nodes": nodes,
    })
    .to_string()
}

#[test]
fn tables_whose_size_overflows_are_refused() {
    for parents in [63, 64, 127, 200] {
        let refusal = NetworkFile::read(&wide(parents)).unwrap_err().to_string();
        let said = format!(
            "the table of `C` would have more probabilities than can be counted, because it has {parents} parents"
        );
        assert!(refusal.contains(&said), "{refusal}");
    }
    let refusal = NetworkFile::read(&wide(62)).unwrap_err().to_string();
    assert!(refusal.contains("probabilities of `C` in a: 0 instead of 9223372036854775808"), "{refusal}");
}

#[test]
fn a_network_without_variables_is_refused() {
    let empty = json!({"format": FORMAT, "structure": "", "data_sets": ["a"], "variables": [], "nodes": []});
    let refusal = NetworkFile::read(&empty.to_string()).unwrap_err().to_string();
    assert!(refusal.contains("no variable"), "{refusal}");
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 300, rng_seed: RngSeed::Fixed(41), failure_persistence: None, ..ProptestConfig::default()
    })]

    /// A damaged file is refused or read, and never more than that.
    #[test]
    fn damage_never_panics(place in 0.0..1.0_f64, byte in prop::sample::select(b"0]},\"x-".to_vec()), cut: bool) {
        let file = file(Method::MaximumLikelihood);
        let mut bytes = text(&file).into_bytes();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a place in the text")]
        let place = (place * bytes.len() as f64) as usize;
        bytes[place] = byte;
        if cut {
            bytes.truncate(place + 1);
        }
        if let Ok(text) = String::from_utf8(bytes) {
            let _ = NetworkFile::read(&text);
        }
    }
}
