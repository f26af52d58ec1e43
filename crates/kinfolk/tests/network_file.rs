//! The network file loads back to the bit, and whatever is wrong with one is said.

#![expect(clippy::unwrap_used, reason = "a test may fail loudly")]

mod related;

use kinfolk::counts::MemoryTally;
use kinfolk::estimate::{Method, Network, estimate};
use kinfolk::formats::{FORMAT, NetworkFile, Provenance};
use kinfolk::graph::modelstring;
use kinfolk::remedy::{Actionable, Neutral};
use kinfolk::score::ImaginarySampleSize;
use kinfolk::variational::Prior;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use related::read_related;
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
fn the_fingerprint_tells_data_apart() {
    let hash = |name: &str| read_related(name).fingerprint();
    assert_eq!(hash("clinics"), hash("clinics"));
    assert_ne!(hash("clinics"), hash("cohorts"));
    assert_eq!(hash("clinics").len(), "sha256:".len() + 64);
}

#[test]
fn what_is_wrong_is_said() {
    type Change<'a> = &'a dyn Fn(&mut Value);
    let good = Value::Object(file(Method::MaximumLikelihood).document());
    let refusal = |change: Change<'_>| {
        let mut document = good.clone();
        change(&mut document);
        NetworkFile::read(&document.to_string()).unwrap_err().message(&Neutral)
    };
    let cases: [(Change<'_>, &str); 12] = [
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
