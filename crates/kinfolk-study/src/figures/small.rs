//! The figures of the example, the sensitivity study and the complexity study.

use std::collections::BTreeSet;

use kinfolk::example;
use kinfolk::graph::{Dag, modelstring};

use super::spec::{Boxes, Drawing, Group, Panel, Plot, SeriesColour, StudyFigure};
use crate::complexity::ComplexityRow;
use crate::example::ExampleRow;
use crate::sensitivity::{SensitivityRow, VALUES};

fn names() -> Vec<String> {
    example::data().schema().names()
}

fn parse(structure: &str) -> Dag {
    // A damaged results file gives an empty network.
    modelstring::parse(structure, &names()).unwrap_or_else(|_| Dag::empty(names().len()))
}

/// A network whose arcs are highlighted if `stands_out` returns true.
fn network(title: String, dag: &Dag, stands_out: impl Fn(usize, usize) -> bool) -> Panel {
    let arcs = dag.arcs().map(|(from, to)| {
        let (from, to) = (from.index(), to.index());
        (from, to, stands_out(from, to))
    });
    Panel { title, plot: Plot::Network(Drawing { nodes: names(), arcs: arcs.collect() }) }
}

/// The true network and the network after every step.
pub(super) fn example(rows: &[ExampleRow]) -> Vec<StudyFigure> {
    let truth = parse(example::NETWORK);
    let mut panels = vec![network("the true network".to_owned(), &truth, |_, _| false)];
    let mut before = Dag::empty(truth.len());
    for row in rows.iter().filter(|row| row.part == "step" && row.step != Some(0)) {
        let dag = parse(&row.structure);
        let arcs: BTreeSet<(usize, usize)> =
            before.arcs().map(|(from, to)| (from.index(), to.index())).collect();
        // The built-in font has no arrows.
        let title = format!("step {}: {}", row.step.unwrap_or(0), row.item.replace('→', " to "));
        panels.push(network(title, &dag, |from, to| !arcs.contains(&(from, to))));
        before = dag;
    }
    vec![StudyFigure {
        name: "steps".to_owned(),
        title:
            "The numerical example: the true network, and the network after each step of hill-climbing on BHD"
                .to_owned(),
        note: "Orange: the arc that the step adds.".to_owned(),
        rows: panels.chunks(3).map(<[Panel]>::to_vec).collect(),
        height: 210.0,
    }]
}

/// Networks by s, with s0 = 1 in every cell, for both readings of s.
pub(super) fn sensitivity(rows: &[SensitivityRow]) -> Vec<StudyFigure> {
    let truth = parse(example::NETWORK);
    let lines = [("split", "s in all"), ("each", "s per data set")].map(|(reading, words)| {
        let chosen = |s: f64| {
            move |row: &&SensitivityRow| {
                row.reading == reading && row.spread == "cell" && row.s == s && row.s0 == 1.0
            }
        };
        let panels = VALUES.iter().filter_map(|s| {
            let row = rows.iter().find(chosen(*s))?;
            let dag = parse(&row.structure);
            let wrong = |from: usize, to: usize| {
                !truth.arcs().any(|arc| (arc.0.index(), arc.1.index()) == (from, to))
            };
            Some(network(format!("{words}: {s}; {} arcs", row.arcs), &dag, wrong))
        });
        panels.collect::<Vec<_>>()
    });
    vec![StudyFigure {
        name: "networks".to_owned(),
        title: "The numerical example with other s (and 1 in every cell for the centre)".to_owned(),
        note: "Orange: arcs that the true network does not have.".to_owned(),
        rows: lines.into(),
        height: 210.0,
    }]
}

/// Log time by parents, states and parameters; and by data sets and rows.
pub(super) fn complexity(rows: &[ComplexityRow]) -> Vec<StudyFigure> {
    let values = |value: fn(&ComplexityRow) -> usize| -> BTreeSet<usize> { rows.iter().map(value).collect() };
    let boxes = |title: String,
                 x: &str,
                 kind: &str,
                 value: fn(&ComplexityRow) -> usize,
                 chosen: &dyn Fn(&ComplexityRow) -> bool| {
        let groups = values(value).into_iter().map(|at| {
            let of = |row: &&ComplexityRow| row.parameters == kind && value(row) == at && chosen(row);
            let seconds = rows.iter().filter(of).map(|row| row.seconds().log10()).collect();
            Group::new(at.to_string(), seconds, SeriesColour::of(kind))
        });
        let groups = groups.collect();
        let boxes = Boxes { x: x.to_owned(), y: "seconds".to_owned(), groups, log10: true };
        Panel { title, plot: Plot::Boxes(boxes) }
    };
    let by_parents = ["hier", "iid"].map(|kind| {
        let states = values(|row| row.states).into_iter();
        let panels = states.map(|states| {
            let chosen = move |row: &ComplexityRow| row.states == states;
            boxes(format!("{kind}, {states} states"), "parents", kind, |row| row.parents, &chosen)
        });
        panels.collect::<Vec<_>>()
    });
    let others = ["hier", "iid"].map(|kind| {
        vec![
            boxes(kind.to_owned(), "data sets F", kind, |row| row.data_sets, &|_| true),
            boxes(kind.to_owned(), "rows per data set", kind, |row| row.rows, &|_| true),
        ]
    });
    vec![
        StudyFigure::boxes(
            "time",
            "Seconds for one BHD score, counting included, by parents and states",
            by_parents.into(),
        ),
        StudyFigure::boxes(
            "time_by_size",
            "Seconds for one BHD score, counting included, by data sets and rows",
            others.into(),
        ),
    ]
}
