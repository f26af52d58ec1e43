//! Networks in the formats of other programs: written files are read back, and no input makes a reader panic.

#![expect(clippy::unwrap_used, reason = "a test may fail loudly")]

mod files;
mod jkl;
mod laws;
mod network_file;
mod refusals;

#[path = "../support/random.rs"]
mod random;
#[path = "../support/related.rs"]
mod related;

use kinfolk::data::{DataSetId, Schema, Variable, VariableId};
use kinfolk::estimate::{Network, Relative, Table};
use kinfolk::formats::{Content, Format, read, write};
use kinfolk::graph::Dag;
use kinfolk::score::NamedChoice;

/// The only data set of a network that was read.
const OWN: Relative = Relative::DataSet(DataSetId(0));

/// A variable with its states.
fn variable(name: &str, states: &[&str]) -> Variable {
    let states = states.iter().map(|&state| state.to_owned()).collect();
    Variable { name: name.to_owned(), states, constant: false }
}

/// A network of one data set, its arcs by position.
fn network(variables: Vec<Variable>, arcs: &[(usize, usize)], tables: &[&[f64]]) -> Network {
    let arcs = arcs.iter().map(|&(from, to)| (VariableId::new(from), VariableId::new(to)));
    let dag = Dag::from_arcs(variables.len(), arcs).unwrap();
    let tables = tables.iter().zip(&variables);
    let tables =
        tables.map(|(values, variable)| Table::new(variable.states.len(), values.to_vec())).collect();
    Network::single(Schema::new(variables, vec!["file".to_owned()]), dag, tables).unwrap()
}

/// Names that hardly any format can carry.
fn odd() -> Network {
    let variables = vec![
        variable("the <script>", &["", "a \"b\"", "line\nbreak"]),
        variable("1st; drop", &["node", "2", "\u{1}"]),
        variable("größe 木", &["<5", "≥5"]),
        variable("", &["only"]),
    ];
    let ten = [0.25, 0.75, 0.5, 0.5, 1e-7, 0.999_999_9, 1.0, 0.0, 0.125, 0.875];
    let eighteen = [&ten[..], &[0.3, 0.7, 0.1, 0.9, 0.2, 0.8, 0.6, 0.4]].concat();
    network(variables, &[(0, 2), (1, 2)], &[&[0.2, 0.3, 0.5], &[0.1, 0.2, 0.7], &eighteen, &[1.0]])
}

/// Writes and reads back, where tables are expected.
fn through(network: &Network, format: Format) -> Network {
    let written = write(network, OWN, format);
    match read(&written.text, format, "file") {
        Ok(Content::Network(network)) => network,
        other => panic!("{}: {other:?}\n{}", format.name(), written.text),
    }
}

/// The bits of all tables.
fn bits(network: &Network) -> Vec<Vec<u64>> {
    let values = |node| network.table_of(node, OWN).values().iter().map(|value| value.to_bits()).collect();
    network.schema().ids().map(values).collect()
}

/// Names and states, in order.
fn words(network: &Network) -> Vec<(&str, &[String])> {
    let variables = network.schema().variables().iter();
    variables.map(|variable| (variable.name.as_str(), variable.states.as_slice())).collect()
}
