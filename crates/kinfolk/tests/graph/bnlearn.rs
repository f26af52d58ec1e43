//! Distances, comparisons, CPDAGs and modelstrings of ten random pairs of graphs equal bnlearn's.

use kinfolk::data::VariableId;
use kinfolk::graph::modelstring::{format, parse};
use kinfolk::graph::{Cpdag, Dag, Hits, Shd, compare};
use serde::Deserialize;

/// Written by bnlearn 5.2.1; the graphs are random.
const GOLDEN: &str = include_str!("../golden/dag_pairs.json");

#[derive(Deserialize)]
struct GoldenGraph {
    program: String,
    dag_pairs: Vec<ComparedGraphs>,
}

#[derive(Deserialize)]
struct ComparedGraphs {
    nodes: usize,
    #[serde(rename = "true")]
    truth: String,
    learned: String,
    shd: usize,
    shd_cpdag_false: usize,
    hamming: usize,
    compare_dag: Hits,
    compare_cpdag: Hits,
    cpdag_true: Edges,
    cpdag_learned: Edges,
}

#[derive(Deserialize, Debug, PartialEq)]
struct Edges {
    directed: Vec<String>,
    undirected: Vec<String>,
}

impl ComparedGraphs {
    /// bnlearn sorts the nodes of a modelstring by name: N1, N10, N11, N2 …
    fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = (1..=self.nodes).map(|number| format!("N{number}")).collect();
        names.sort();
        names
    }

    fn graphs(&self) -> (Dag, Dag) {
        let read = |text: &str| parse(text, &self.names()).expect("bnlearn's modelstring");
        (read(&self.learned), read(&self.truth))
    }
}

fn pairs() -> Vec<ComparedGraphs> {
    let golden: GoldenGraph = serde_json::from_str(GOLDEN).expect("the golden file");
    assert!(golden.program.starts_with("bnlearn 5.2.1"));
    assert_eq!(golden.dag_pairs.len(), 10);
    golden.dag_pairs
}

/// The edges as bnlearn writes them: undirected ones both ways.
fn edges(dag: &Dag, names: &[String]) -> Edges {
    let write = |(a, b): (VariableId, VariableId), link: &str| {
        format!("{}{link}{}", names[a.index()], names[b.index()])
    };
    let cpdag = Cpdag::of(dag);
    let mut directed: Vec<String> = cpdag.directed().iter().map(|&arc| write(arc, "->")).collect();
    let mut undirected: Vec<String> =
        cpdag.undirected().iter().flat_map(|&(a, b)| [write((a, b), "--"), write((b, a), "--")]).collect();
    directed.sort();
    undirected.sort();
    Edges { directed, undirected }
}

fn sorted(edges: Edges) -> Edges {
    let Edges { mut directed, mut undirected } = edges;
    directed.sort();
    undirected.sort();
    Edges { directed, undirected }
}

#[test]
fn distances_and_hits_equal_those_of_bnlearn() {
    for pair in pairs() {
        let (learned, truth) = pair.graphs();
        let comparison = compare(&learned, &truth);
        let shd = Shd { cpdag: pair.shd, dag: pair.shd_cpdag_false, skeleton: pair.hamming };
        assert_eq!(comparison.shd, shd, "{} against {}", pair.learned, pair.truth);
        assert_eq!(comparison.dag, pair.compare_dag, "{} against {}", pair.learned, pair.truth);
        assert_eq!(comparison.cpdag, pair.compare_cpdag, "{} against {}", pair.learned, pair.truth);
    }
}

#[test]
fn cpdags_equal_those_of_bnlearn() {
    for pair in pairs() {
        let (names, (learned, truth)) = (pair.names(), pair.graphs());
        assert_eq!(edges(&learned, &names), sorted(pair.cpdag_learned), "{}", pair.learned);
        assert_eq!(edges(&truth, &names), sorted(pair.cpdag_true), "{}", pair.truth);
    }
}

#[test]
fn modelstrings_are_written_as_bnlearn_writes_them() {
    for pair in pairs() {
        let (names, (learned, truth)) = (pair.names(), pair.graphs());
        assert_eq!(format(&learned, &names), pair.learned);
        assert_eq!(format(&truth, &names), pair.truth);
    }
}
