//! The numerical example of the paper as an experiment: its scores, steps and estimates, and fresh data from its
//! parameters.

use std::ops::ControlFlow;

use kinfolk::counts::{Family, MemoryTally};
use kinfolk::data::{DataSetId, RelatedData, VariableId};
use kinfolk::estimate::{Method as Estimate, Network, NodeTables, Relative, Table, estimate};
use kinfolk::example;
use kinfolk::graph::{Dag, compare, modelstring};
use kinfolk::score::{Bdeu, Bhd, Bic, Score, Scorer};
use kinfolk::search::{Climb, Constraints, HillClimb};
use kinfolk::simulate::sample;
use serde::{Deserialize, Serialize};

use crate::grids::Scale;
use crate::printed::{ERRORS, TABLES};

/// One number or network of the example.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ExampleRow {
    /// `score`, `step`, `table`, `learned` or `error`.
    pub part: String,
    /// Rows per data set.
    pub rows: usize,
    /// 0 for the reconstructed data; fresh data are numbered from 1.
    pub replicate: u64,
    /// The learning method.
    pub method: String,
    /// The step of the search.
    pub step: Option<usize>,
    /// A node, an arc, or a cell of a table.
    pub item: String,
    /// The data set.
    pub data_set: Option<usize>,
    /// The value: a score, whether a step is the printed one, a probability, an SHD (CPDAG), or a mean absolute error.
    pub value: f64,
    /// The value printed in the paper.
    pub printed: Option<f64>,
    /// The true probability.
    pub original: Option<f64>,
    /// A structure.
    pub structure: String,
    /// Whether it links X1 and X2.
    pub linked: Option<bool>,
    /// The seed of the fresh data.
    pub seed: u64,
}

/// The number of fresh data sets of each size.
fn replicates(scale: Scale) -> u64 {
    match scale {
        Scale::Quick => 20,
        Scale::Paper => 200,
    }
}

fn truth(names: &[String]) -> Dag {
    modelstring::parse(example::NETWORK, names).expect("the example's network is one")
}

fn climb(data: &RelatedData, score: &dyn Score) -> Climb {
    let tally = MemoryTally::by_data_set_or_pooled(data, score.is_pooled());
    let mut scorer = Scorer::new(&tally, score);
    let search = HillClimb::new(Constraints::none(data.schema()));
    let climb = search.run(&mut scorer, Dag::empty(5), &mut |_| ControlFlow::Continue(()));
    climb.expect("five binary variables can be counted")
}

/// All rows of the example.
pub fn rows(scale: Scale, seed: u64) -> Vec<ExampleRow> {
    let data = example::data();
    let names = data.schema().names();
    let mut rows = steps(&data, &names, seed);
    rows.extend(tables(&data, &names, seed));
    rows.extend(learned(&data, (1_000, 0), &names, seed));
    let network = original(&data, &names);
    for (n, printed) in ERRORS {
        for replicate in 1..=replicates(scale) {
            let relatives = [0, 1].map(|data_set| (Relative::DataSet(DataSetId::new(data_set)), n));
            let fresh = sample(&network, &relatives, seed, replicate);
            rows.extend(learned(&fresh, (n, replicate), &names, seed));
            rows.push(ExampleRow {
                part: "error".to_owned(),
                rows: n,
                replicate,
                value: error(&fresh, &network),
                printed: Some(printed),
                seed,
                ..ExampleRow::default()
            });
        }
    }
    rows
}

/// The steps of the search with the scores of the printed data set after each.
fn steps(data: &RelatedData, names: &[String], seed: u64) -> Vec<ExampleRow> {
    let score = Bhd { prior: example::prior() };
    let climb = climb(data, &score);
    let tally = MemoryTally::new(data);
    let scorer = Scorer::new(&tally, &score);
    let mut dag = Dag::empty(5);
    let mut rows = Vec::new();
    for (step, printed) in example::PRINTED_SCORES.iter().enumerate() {
        let mut arc = String::new();
        let mut as_printed = true;
        if step > 0 {
            let Some(taken) = climb.steps.get(step - 1).map(|taken| taken.made) else { break };
            dag.apply(&taken).expect("the search took this step");
            let (from, to) = (names[taken.from.index()].as_str(), names[taken.to.index()].as_str());
            as_printed = (from, to) == example::STEPS[step - 1] && dag.has_arc(taken.from, taken.to);
            arc = format!("{from}→{to}");
        }
        let common = ExampleRow {
            rows: 1_000,
            method: "bhd".to_owned(),
            step: Some(step),
            structure: modelstring::format(&dag, names),
            seed,
            ..ExampleRow::default()
        };
        rows.push(ExampleRow {
            part: "step".to_owned(),
            item: arc,
            value: f64::from(u8::from(as_printed)),
            ..common.clone()
        });
        let families: Vec<Family> = dag.nodes().map(|node| Family::of(&dag, node)).collect();
        let scores = scorer.explain(&families).expect("five binary variables can be counted");
        for ((name, score), printed) in names.iter().zip(scores).zip(printed) {
            let terms = score.by_data_set.expect("BHD has terms by data set");
            rows.push(ExampleRow {
                part: "score".to_owned(),
                item: name.clone(),
                data_set: Some(example::PRINTED_DATA_SET + 1),
                value: terms[example::PRINTED_DATA_SET],
                printed: Some(*printed),
                ..common.clone()
            });
        }
    }
    rows
}

/// The estimates with the printed estimates and the true values.
fn tables(data: &RelatedData, names: &[String], seed: u64) -> Vec<ExampleRow> {
    let tally = MemoryTally::new(data);
    let network = estimate(&tally, &truth(names), Estimate::Hierarchical(example::prior()))
        .expect("the example's tables are small");
    let mut rows = Vec::new();
    for (node, printed) in TABLES.iter().enumerate() {
        for data_set in 0..2 {
            let table = network.table(VariableId::new(node), DataSetId::new(data_set));
            let cells = table.rows().zip(printed.estimated[data_set].iter().zip(printed.original[data_set]));
            for (configuration, (ours, (estimated, original))) in cells.enumerate() {
                rows.push(ExampleRow {
                    part: "table".to_owned(),
                    rows: 1_000,
                    item: format!("{} configuration {}", printed.node, configuration + 1),
                    data_set: Some(data_set + 1),
                    value: ours[0],
                    printed: Some(*estimated),
                    original: Some(*original),
                    seed,
                    ..ExampleRow::default()
                });
            }
        }
    }
    rows
}

/// The networks that BHD, pooled BDeu and pooled BIC learn from the data.
fn learned(data: &RelatedData, (n, replicate): (usize, u64), names: &[String], seed: u64) -> Vec<ExampleRow> {
    let truth = truth(names);
    let scores: [(&str, &dyn Score); 3] =
        [("bhd", &Bhd { prior: example::prior() }), ("bdeu", &Bdeu::default()), ("bic", &Bic)];
    scores
        .into_iter()
        .map(|(method, score)| {
            let dag = climb(data, score).dag;
            ExampleRow {
                part: "learned".to_owned(),
                rows: n,
                replicate,
                method: method.to_owned(),
                value: compare(&dag, &truth).shd.cpdag as f64,
                structure: modelstring::format(&dag, names),
                linked: Some(dag.adjacent(VariableId::new(0), VariableId::new(1))),
                seed,
                ..ExampleRow::default()
            }
        })
        .collect()
}

/// The network from which the paper's data were drawn.
fn original(data: &RelatedData, names: &[String]) -> Network {
    let table = |values: &[f64]| Table::new(2, values.iter().flat_map(|p| [*p, 1.0 - p]).collect());
    let nodes = TABLES.iter().map(|printed| NodeTables {
        by_data_set: printed.original.iter().map(|values| table(values)).collect(),
        pooled: table(printed.original[0]),
        new: table(printed.original[0]),
        rows: None,
        pooling: None,
        concentration: None,
    });
    let schema = data.schema().clone();
    Network::new(schema, truth(names), nodes.collect()).expect("the printed tables fit the printed network")
}

/// The mean absolute error of the estimated tables, given the true structure.
fn error(data: &RelatedData, original: &Network) -> f64 {
    let tally = MemoryTally::new(data);
    let estimated = estimate(&tally, original.dag(), Estimate::Hierarchical(example::prior()))
        .expect("the example's tables are small");
    let mut errors = Vec::new();
    for node in original.dag().nodes() {
        for data_set in [DataSetId::new(0), DataSetId::new(1)] {
            let pairs = estimated.table(node, data_set).values().iter();
            let pairs = pairs.zip(original.table(node, data_set).values());
            errors.extend(pairs.map(|(ours, truth)| (ours - truth).abs()));
        }
    }
    errors.iter().sum::<f64>() / errors.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_printed_originals_and_estimates_are_the_errors_that_the_paper_reports() {
        let pairs = TABLES.iter().flat_map(|table| table.original.into_iter().zip(table.estimated));
        let errors: Vec<f64> = pairs
            .flat_map(|(original, estimated)| original.iter().zip(estimated).map(|(a, b)| (a - b).abs()))
            .collect();
        let mean = errors.iter().sum::<f64>() / errors.len() as f64;
        assert!((mean - 0.023).abs() < 0.002, "{mean}");
    }

    #[test]
    fn fewer_rows_have_larger_errors() {
        let rows = rows(Scale::Quick, 1);
        let mean = |n: usize| {
            let errors: Vec<f64> =
                rows.iter().filter(|row| row.part == "error" && row.rows == n).map(|row| row.value).collect();
            errors.iter().sum::<f64>() / errors.len() as f64
        };
        assert!(mean(10_000) < mean(1_000) / 2.0, "{} {}", mean(10_000), mean(1_000));
        assert_eq!(rows.iter().filter(|row| row.part == "score").count(), 30);
        assert_eq!(rows.iter().filter(|row| row.part == "table").count(), 22);
    }
}
