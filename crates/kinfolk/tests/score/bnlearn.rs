//! Pooled scores and searches against bnlearn 5.2.1, and BHD searches against 40-digit arithmetic, on simulated related
//! data.

use std::ops::ControlFlow;

use crate::related::read_related;
use kinfolk::counts::{Family, MemoryTally};
use kinfolk::data::RelatedData;
use kinfolk::graph::{Dag, MoveKind, modelstring};
use kinfolk::score::{Aic, Bdeu, Bdj, Bds, Bhd, Bic, ImaginarySampleSize, K2, LogLikelihood, Score, Scorer};
use kinfolk::search::{Climb, Constraints, HillClimb, Rules, Stop};
use kinfolk::variational::{Centre, Prior};
use serde_json::Value;

fn golden(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

fn bnlearn() -> Value {
    golden(include_str!("../golden/bnlearn.json"))
}

fn bhd() -> Value {
    golden(include_str!("../golden/bhd.json"))
}

/// The score that the golden file calls by this name.
fn score_called(name: &str) -> Box<dyn Score> {
    let iss = |size| ImaginarySampleSize::new(size).unwrap();
    match name {
        "bdeu_iss1" => Box::new(Bdeu { iss: iss(1.0) }),
        "bdeu_iss10" => Box::new(Bdeu { iss: iss(10.0) }),
        "bic" => Box::new(Bic),
        "aic" => Box::new(Aic),
        "k2" => Box::new(K2),
        "bds_iss1" => Box::new(Bds { iss: iss(1.0) }),
        "loglik" => Box::new(LogLikelihood),
        other => panic!("no score is called {other}"),
    }
}

fn families(dag: &Dag) -> Vec<Family> {
    dag.nodes().map(|node| Family::of(dag, node)).collect()
}

fn climb(data: &RelatedData, score: &dyn Score, rules: &Rules) -> Climb {
    let tally = MemoryTally::new(data);
    let mut scorer = Scorer::new(&tally, score);
    let constraints = Constraints::new(data.schema(), rules).unwrap();
    let start = constraints.start(&Dag::empty(data.schema().variables().len())).unwrap();
    let climb =
        HillClimb::new(constraints).run(&mut scorer, start, &mut |_| ControlFlow::Continue(())).unwrap();
    assert_eq!(climb.stop, Stop::Optimum);
    climb
}

fn assert_close(value: f64, expected: f64, tolerance: f64, what: &str) {
    assert!(
        (value - expected).abs() <= tolerance * expected.abs().max(1.0),
        "{what}: {value} not {expected}"
    );
}

#[test]
fn pooled_scores_equal_bnlearn_node_by_node() {
    let mut compared = 0;
    for (name, entry) in bnlearn()["data"].as_object().unwrap() {
        let data = read_related(name);
        let names = data.schema().names();
        let tally = MemoryTally::new(&data);
        for (network, golden) in entry["networks"].as_object().unwrap() {
            let dag = modelstring::parse(golden["structure"].as_str().unwrap(), &names).unwrap();
            for (score_name, by_node) in golden["by_node"].as_object().unwrap() {
                let score = score_called(score_name);
                let scores = Scorer::new(&tally, score.as_ref()).explain(&families(&dag)).unwrap();
                for (node, value) in names.iter().zip(&scores) {
                    let expected = by_node[node].as_f64().unwrap();
                    assert_close(
                        value.total,
                        expected,
                        1e-10,
                        &format!("{name} {network} {score_name} {node}"),
                    );
                    compared += 1;
                }
            }
        }
    }
    assert!(compared > 700, "{compared} scores compared");
}

#[test]
fn searches_take_bnlearns_steps_arc_for_arc() {
    let mut searches = 0;
    for (name, entry) in bnlearn()["data"].as_object().unwrap() {
        let data = read_related(name);
        let names = data.schema().names();
        for (score_name, golden) in entry["hc"].as_object().unwrap() {
            let climb = climb(&data, score_called(score_name).as_ref(), &Rules::default());
            let what = format!("{name} {score_name}");
            let mut dag = climb.start.clone();
            let mut networks = Vec::new();
            for step in &climb.steps {
                dag.apply(&step.made).unwrap();
                networks.push(modelstring::format(&dag, &names));
            }
            let empty = modelstring::format(&climb.start, &names);
            let expected: Vec<&str> =
                golden["steps"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
            let expected: Vec<&str> = expected.into_iter().filter(|network| *network != empty).collect();
            assert_eq!(networks, expected, "{what}");
            assert_eq!(
                modelstring::format(&climb.dag, &names),
                golden["structure"].as_str().unwrap(),
                "{what}"
            );
            assert_close(climb.score, golden["score"].as_f64().unwrap(), 1e-10, &what);
            searches += 1;
        }
    }
    assert_eq!(searches, 24);
}

#[test]
fn tabu_searches_end_where_bnlearns_do() {
    let mut searches = 0;
    for (name, entry) in bnlearn()["data"].as_object().unwrap() {
        let data = read_related(name);
        let names = data.schema().names();
        for (score_name, golden) in entry["tabu"].as_object().unwrap() {
            let (tally, score) = (MemoryTally::new(&data), score_called(score_name));
            let mut scorer = Scorer::new(&tally, score.as_ref());
            let mut search = HillClimb::new(Constraints::none(data.schema()));
            search.tabu = 10;
            let start = Dag::empty(names.len());
            let climb = search.run(&mut scorer, start, &mut |_| ControlFlow::Continue(())).unwrap();
            let what = format!("{name} {score_name}");
            assert_close(climb.score, golden["score"].as_f64().unwrap(), 1e-10, &what);
            assert_eq!(
                modelstring::format(&climb.dag, &names),
                golden["structure"].as_str().unwrap(),
                "{what}"
            );
            let mut dag = climb.start.clone();
            climb.steps.iter().for_each(|step| dag.apply(&step.made).unwrap());
            assert_eq!(dag, climb.dag, "{what}: the moves lead to the network");
            searches += 1;
        }
    }
    assert_eq!(searches, 24);
}

#[test]
fn a_constrained_search_equals_bnlearns() {
    for (name, entry) in bnlearn()["data"].as_object().unwrap() {
        let data = read_related(name);
        let schema = data.schema();
        let golden = &entry["constrained"];
        let arcs = |list: &Value| {
            let arc = |arc: &Value| {
                let end = |index: usize| schema.find(arc[index].as_str().unwrap()).unwrap();
                (end(0), end(1))
            };
            list.as_array().unwrap().iter().map(arc).collect::<Vec<_>>()
        };
        let rules = Rules {
            max_parents: Some(usize::try_from(golden["max_parents"].as_u64().unwrap()).unwrap()),
            required: arcs(&golden["whitelist"]),
            forbidden: arcs(&golden["blacklist"]),
            tiers: Vec::new(),
        };
        let climb = climb(&data, score_called(golden["score"].as_str().unwrap()).as_ref(), &rules);
        assert_eq!(
            modelstring::format(&climb.dag, &schema.names()),
            golden["structure"].as_str().unwrap(),
            "{name}"
        );
        assert_close(climb.score, golden["total"].as_f64().unwrap(), 1e-10, name);
    }
}

#[test]
fn hierarchical_searches_take_the_golden_steps_and_scores() {
    for (name, entry) in bhd()["data"].as_object().unwrap() {
        let data = read_related(name);
        let schema = data.schema();
        for prior_name in ["default", "paper"] {
            let golden = &entry[prior_name];
            let what = format!("{name} {prior_name}");
            let number = |key: &str| golden[key].as_f64().unwrap();
            let prior = Prior::new(number("s"), Centre::PerCell(number("alpha0"))).unwrap();
            let climb = climb(&data, &Bhd { prior }, &Rules::default());
            let name_of = |id: kinfolk::data::VariableId| schema.variable(id).name.as_str();
            let expected = golden["steps"].as_array().unwrap();
            assert_eq!(climb.steps.len(), expected.len(), "{what}");
            for (step, expected) in climb.steps.iter().zip(expected) {
                let kind = match step.made.kind {
                    MoveKind::Add => "add",
                    MoveKind::Drop => "drop",
                    MoveKind::Reverse => "reverse",
                };
                let made = (kind, name_of(step.made.from), name_of(step.made.to));
                let text = |index: usize| expected[index].as_str().unwrap();
                assert_eq!(made, (text(0), text(1), text(2)), "{what}");
                // A gain is a difference of scores that are golden to 1e-8 of themselves.
                let difference = (step.gain - expected[3].as_f64().unwrap()).abs();
                assert!(difference < 1e-8 * number("total").abs(), "{what}: gain off by {difference}");
            }
            assert_close(climb.score, number("total"), 1e-8, &what);
            check_nodes(&data, &climb.dag, prior, &golden["nodes"], &what);
        }
    }
}

fn check_nodes(data: &RelatedData, dag: &Dag, prior: Prior, golden: &Value, what: &str) {
    let tally = MemoryTally::new(data);
    let score = Bhd { prior };
    let scores = Scorer::new(&tally, &score).explain(&families(dag)).unwrap();
    for (node, value) in data.schema().ids().zip(&scores) {
        let golden = &golden[node.index()];
        let names: Vec<&str> =
            dag.parents(node).iter().map(|&parent| data.schema().variable(parent).name.as_str()).collect();
        let parents: Vec<&str> =
            golden["parents"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
        assert_eq!(names, parents, "{what}");
        assert_close(value.total, golden["total"].as_f64().unwrap(), 1e-8, what);
        assert_close(value.fit.unwrap().tau, golden["tau"].as_f64().unwrap(), 1e-6, what);
        let by_data_set = golden["by_data_set"].as_array().unwrap();
        assert_eq!(value.by_data_set.as_ref().unwrap().len(), by_data_set.len());
        for (value, expected) in value.by_data_set.as_ref().unwrap().iter().zip(by_data_set) {
            assert_close(*value, expected.as_f64().unwrap(), 1e-8, what);
        }
    }
}

#[test]
fn bdj_gives_a_node_without_parents_half_a_row_per_state() {
    // By hand: counts 3 and 1 of a binary node, α = ½ each, total 1.
    // Γ(1)/Γ(5) · Γ(3½)/Γ(½) · Γ(1½)/Γ(½) = (½·1½·2½)·(½)/24.
    let counts = kinfolk::counts::Counts::from_table(&[vec![vec![3, 1]]]);
    let expected = (0.5_f64 * 1.5 * 2.5 * 0.5 / 24.0).ln();
    assert_close(Bdj.family_score(&counts).total, expected, 1e-14, "BDJ");
}
