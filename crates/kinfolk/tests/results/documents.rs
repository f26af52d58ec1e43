//! Results written node by node equal results written as one value, key by key in the same order.

use std::ops::ControlFlow;

use crate::related::read_related;
use kinfolk::counts::MemoryTally;
use kinfolk::data::RelatedData;
use kinfolk::estimate::{Method, Network, estimate};
use kinfolk::formats::{FORMAT, NetworkFile, Provenance};
use kinfolk::graph::{Dag, modelstring};
use kinfolk::learned::{Judged, Learned, judge, learn};
use kinfolk::score::{Bdeu, Bhd, ImaginarySampleSize, Kin, Score, Scorer};
use kinfolk::search::{Constraints, Search};
use kinfolk::variational::Prior;
use serde::Serialize;
use serde_json::{Map, Value, json};

fn methods() -> [Method; 4] {
    let iss = ImaginarySampleSize::new(3.0).unwrap();
    [
        Method::Hierarchical(Prior::default()),
        Method::Kin(Kin::default()),
        Method::Bayes(iss),
        Method::MaximumLikelihood,
    ]
}

fn scores() -> [Box<dyn Score>; 3] {
    let iss = ImaginarySampleSize::new(1.0).unwrap();
    [Box::new(Kin::default()), Box::new(Bhd { prior: Prior::default() }), Box::new(Bdeu { iss })]
}

fn settings() -> Map<String, Value> {
    Map::from_iter([("s".to_owned(), json!(1.0))])
}

fn found(data: &RelatedData, score: &dyn Score) -> (Learned, Judged, Dag) {
    let tally = MemoryTally::new(data);
    let mut scorer = Scorer::new(&tally, score);
    let start = Dag::empty(data.schema().variables().len());
    let search = Search::plain(Constraints::none(data.schema()), start);
    let learned = learn(&mut scorer, &search, settings(), &mut |_| ControlFlow::Continue(())).unwrap();
    let dag = modelstring::parse(&learned.structure, &data.schema().names()).unwrap();
    let judged = judge(&scorer, &dag, settings()).unwrap();
    (learned, judged, dag)
}

/// The network file of a result, merged from both documents as single values.
fn put_together(result: &impl Serialize, network: Network) -> Map<String, Value> {
    let Value::Object(mut whole) = json!(result) else { panic!("a result is an object") };
    let scores = whole["nodes"].as_array().unwrap().clone();
    let file = NetworkFile { network, settings: settings(), provenance: None, other: Map::new() };
    whole.extend(file.document());
    for (node, score) in whole["nodes"].as_array_mut().unwrap().iter_mut().zip(scores) {
        for (key, value) in score.as_object().unwrap() {
            node.as_object_mut().unwrap().entry(key).or_insert_with(|| value.clone());
        }
    }
    whole
}

/// Both ways to write it.
fn texts(of: &impl Serialize) -> [String; 2] {
    [serde_json::to_string(of).unwrap(), serde_json::to_string_pretty(of).unwrap()]
}

fn keys(object: &Map<String, Value>) -> Vec<&str> {
    object.keys().map(String::as_str).collect()
}

#[test]
fn a_result_with_tables_merges_both_documents() {
    let data = read_related("clinics");
    for score in scores() {
        let (learned, judged, dag) = found(&data, score.as_ref());
        for method in methods() {
            let network = estimate(&MemoryTally::new(&data), &dag, method).unwrap();
            let whole = put_together(&learned, network.clone());
            let document = learned.clone().into_document(Some(network.clone()));
            assert_eq!(texts(&document), texts(&whole));
            assert_eq!(texts(&document.object()), texts(&whole));
            assert_eq!(NetworkFile::read(&texts(&document)[0]).unwrap().network, network);
            let whole = put_together(&judged, network.clone());
            assert_eq!(texts(&judged.clone().into_document(Some(network))), texts(&whole));
        }
        assert_eq!(texts(&learned.clone().into_document(None)), texts(&learned));
        assert_eq!(texts(&judged.clone().into_document(None)), texts(&judged));
        assert_eq!(texts(&learned), texts(&learned.document()));
    }
}

#[test]
fn of_the_parents_of_a_node_the_first_varies_slowest() {
    let data = read_related("clinics");
    let dag = modelstring::parse("[V01][V02][V03|V01:V02][V04][V05][V06]", &data.schema().names()).unwrap();
    let network = estimate(&MemoryTally::new(&data), &dag, Method::MaximumLikelihood).unwrap();
    let schema = network.schema();
    let states = |name| &schema.variable(schema.find(name).unwrap()).states;
    let mut expected = Vec::new();
    for first in states("V01") {
        for second in states("V02") {
            expected.push(vec![first.as_str(), second.as_str()]);
        }
    }
    let nodes: Vec<_> = network.named().collect();
    assert_eq!(nodes[2].configurations.rows().collect::<Vec<_>>(), expected);
    assert_eq!(nodes[2].pooled.rows().len(), expected.len());
    assert_eq!(
        nodes[0].configurations.rows().collect::<Vec<_>>(),
        [Vec::<&str>::new()],
        "no parents, one row"
    );
    assert_eq!(nodes[2].tables.entries().map(|(name, _)| name).collect::<Vec<_>>(), schema.data_sets());
}

#[test]
fn keys_come_in_a_fixed_order() {
    let data = read_related("clinics");
    let (learned, _, dag) = found(&data, &Bhd { prior: Prior::default() });
    let network = estimate(&MemoryTally::new(&data), &dag, Method::Hierarchical(Prior::default())).unwrap();
    let mut document = learned.into_document(Some(network.clone()));
    document.insert("timing", json!({"read": 1}));
    document.insert("provenance", json!("here"));
    document.insert("timing", json!({"read": 2}));
    let object = document.object();
    let first =
        ["structure", "score_name", "score", "by_data_set", "data_sets", "variables", "nodes", "arcs"];
    let search =
        ["start", "steps", "restarts", "stop", "search", "families_scored", "not_converged", "settings"];
    let last = ["format", "timing", "provenance"];
    assert_eq!(keys(&object), [&first[..], &search, &last].concat());
    assert_eq!(object["timing"], json!({"read": 2}));
    let node = ["node", "parents", "states", "configurations", "tables", "pooled", "new", "tau", "kappa"];
    let pooling =
        ["shrinkage", "shrinkage_by_configuration", "rows", "concentration", "iterations", "converged"];
    let score = ["total", "by_data_set"];
    assert_eq!(keys(object["nodes"][0].as_object().unwrap()), [&node[..], &pooling, &score].concat());
    document.remove("timing");
    assert_eq!(keys(&document.object()).last(), Some(&"provenance"));
    assert!(!document.object().contains_key("timing"));

    let file = NetworkFile {
        network,
        settings: settings(),
        provenance: Some(Provenance::of(&data, Vec::new())),
        other: Map::from_iter([("score".to_owned(), json!(-12.5)), ("format".to_owned(), json!("another"))]),
    };
    assert_eq!(texts(&file), texts(&file.document()));
    let own = ["format", "structure", "data_sets", "variables", "nodes", "score", "settings", "provenance"];
    assert_eq!(keys(&file.document()), own);
    assert_eq!(file.document()["format"], FORMAT);
    assert_eq!(
        keys(file.document()["nodes"][0].as_object().unwrap()),
        [&node[..], &pooling].concat(),
        "tables alone"
    );
}
