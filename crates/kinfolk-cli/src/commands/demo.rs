//! `kinfolk demo`: the paper's numerical example from built-in counts, next to the paper's printed scores.

use std::ops::ControlFlow;

use kinfolk::counts::{Family, MemoryTally};
use kinfolk::data::RelatedData;
use kinfolk::example;
use kinfolk::graph::{Dag, Move, compare, modelstring};
use kinfolk::learned::{Learned, learn};
use kinfolk::score::{Bdeu, Bhd, Bic, FamilyScore, Score, Scorer};
use kinfolk::search::{Constraints, Search};
use serde::Serialize;
use serde_json::Map;

use crate::args::CommonArgs;
use crate::failure::Failure;
use crate::output;

/// One row of the score table: the nodes' scores in each data set after a step, and the printed scores of the second.
#[derive(Serialize)]
struct TableRow {
    step: usize,
    added: Option<String>,
    /// By data set, then by node.
    by_data_set: Vec<Vec<f64>>,
    /// The scores of the data set that the paper lists.
    scores: Vec<f64>,
    printed: Vec<f64>,
}

/// The whole example.
#[derive(Serialize)]
struct Demo {
    true_network: &'static str,
    table: Vec<TableRow>,
    largest_difference: f64,
    learned: Learned,
    pooled: Vec<Pooled>,
}

/// The network found by a pooled score.
#[derive(Serialize)]
struct Pooled {
    score_name: String,
    structure: String,
    shd_cpdag: usize,
}

pub(crate) fn run(common: &CommonArgs) -> Result<(), Failure> {
    let data = example::data();
    let score = Bhd { prior: example::prior() };
    let learned = climb(&data, &score)?;
    let table = score_table(&data, &score, &learned)?;
    let differences = table
        .iter()
        .flat_map(|row| row.scores.iter().zip(&row.printed).map(|(ours, printed)| (ours - printed).abs()));
    let largest_difference = differences.fold(0.0, f64::max);
    let names = data.schema().names();
    let parse = |text: &str| {
        modelstring::parse(text, &names).map_err(|error| Failure::Internal(format!("the example: {error}")))
    };
    let truth = parse(example::NETWORK)?;
    let mut pooled = Vec::new();
    for score in [&Bdeu::default() as &dyn Score, &Bic] {
        let found = climb(&data, score)?;
        let shd_cpdag = compare(&parse(&found.structure)?, &truth).shd.cpdag;
        pooled.push(Pooled { score_name: found.score_name, structure: found.structure, shd_cpdag });
    }
    let demo = Demo { true_network: example::NETWORK, table, largest_difference, learned, pooled };
    if common.json { output::print_json(&demo) } else { output::print(&text(&demo)) }
}

fn climb(data: &RelatedData, score: &dyn Score) -> Result<Learned, Failure> {
    let tally = MemoryTally::new(data);
    let start = Dag::empty(data.schema().variables().len());
    let search = Search::plain(Constraints::none(data.schema()), start);
    let mut scorer = Scorer::new(&tally, score);
    Ok(learn(&mut scorer, &search, Map::new(), &mut |_| ControlFlow::Continue(()))?)
}

/// The node scores in each data set, step by step.
fn score_table(data: &RelatedData, score: &Bhd, learned: &Learned) -> Result<Vec<TableRow>, Failure> {
    let tally = MemoryTally::new(data);
    let scorer = Scorer::new(&tally, score);
    let mut dag = Dag::empty(data.schema().variables().len());
    let mut rows = Vec::new();
    for (step, printed) in example::PRINTED_SCORES.iter().enumerate() {
        let added = if step == 0 { None } else { learned.steps.get(step - 1) };
        if let Some(added) = added {
            let find = |name: &str| {
                data.schema()
                    .find(name)
                    .ok_or_else(|| Failure::Internal(format!("the example has no {name}")))
            };
            let made = Move { kind: added.kind, from: find(&added.from)?, to: find(&added.to)? };
            dag.apply(&made).map_err(|error| Failure::Internal(error.to_string()))?;
        }
        let families: Vec<Family> = dag.nodes().map(|node| Family::of(&dag, node)).collect();
        let terms = scorer.explain(&families)?;
        let in_data_set = |data_set: usize| {
            let node = |score: &FamilyScore| score.by_data_set.as_ref().map(|terms| terms[data_set]);
            terms.iter().filter_map(node).collect::<Vec<f64>>()
        };
        let by_data_set: Vec<Vec<f64>> = (0..data.schema().data_sets().len()).map(in_data_set).collect();
        rows.push(TableRow {
            step,
            added: added.map(|step| format!("{} → {}", step.from, step.to)),
            scores: by_data_set[example::PRINTED_DATA_SET].clone(),
            by_data_set,
            printed: printed.to_vec(),
        });
    }
    Ok(rows)
}

fn text(demo: &Demo) -> String {
    let mut header = vec!["step".to_owned(), "arc added".to_owned(), "score".to_owned()];
    header.extend((1..=5).map(|node| format!("X{node}")));
    header.push("overall".to_owned());
    let mut rows = Vec::new();
    for row in &demo.table {
        let figures = |values: &[f64]| {
            let total: f64 = values.iter().sum();
            values.iter().copied().chain([total]).map(output::decimals).collect::<Vec<_>>()
        };
        let added = row.added.clone().unwrap_or_else(|| "none yet".to_owned());
        let mut first = vec![row.step.to_string(), added];
        for (data_set, scores) in (1..).zip(&row.by_data_set) {
            let label = format!("data set {data_set}");
            rows.push(
                [std::mem::replace(&mut first, vec![String::new(); 2]), vec![label], figures(scores)]
                    .concat(),
            );
        }
        rows.push([first, vec!["paper, set 2".to_owned()], figures(&row.printed)].concat());
    }
    let mut lines = vec![
        "The numerical example of Azzimonti, Corani and Scutari (2022): five variables, two data sets of 1,000 rows.".to_owned(),
        "BHD with s = 0.5 per data set (1 in total) and alpha0 = 1 per cell, climbing from the empty graph.".to_owned(),
        String::new(),
        "Score of each node by data set, beside the paper's table, which lists the terms of data set 2".to_owned(),
        output::table(header, rows, 3),
        String::new(),
        format!("largest difference from the paper's printed node scores: {}", output::fixed(demo.largest_difference, 4)),
        String::new(),
        format!("true network         {}", demo.true_network),
        format!("bhd finds            {}", demo.learned.structure),
    ];
    for pooled in &demo.pooled {
        lines.push(format!(
            "{:<21}{} (SHD on CPDAGs: {})",
            format!("pooled {} finds", pooled.score_name),
            pooled.structure,
            pooled.shd_cpdag
        ));
    }
    lines.join("\n")
}
