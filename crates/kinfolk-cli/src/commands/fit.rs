//! `kinfolk fit`: the probability tables of a structure, for every data set.

use kinfolk::counts::MemoryTally;
use kinfolk::estimate::{NamedTables, Network, estimate};
use kinfolk::formats::NetworkFile;
use kinfolk::score::Kinship;
use serde_json::{Map, Value, json};

use crate::args::{CommonArgs, FitArgs};
use crate::failure::Failure;
use crate::inputs::read_structure;
use crate::out_file::OutFile;
use crate::output;

pub(crate) fn run(args: &FitArgs, common: &CommonArgs) -> Result<(), Failure> {
    args.method.check()?;
    let out = args.out.as_ref().map(|file| OutFile::check(file, &args.data.files)).transpose()?;
    let reading = super::read_data(&args.data, common)?;
    let schema = reading.data.schema();
    let (method, mut settings) = args.method.choose(schema.data_sets().len())?;
    settings.insert("version".to_owned(), json!(env!("CARGO_PKG_VERSION")));
    settings.extend(args.data.settings());
    let dag = read_structure(&args.structure, "--structure", &schema.names())?;
    let tally = MemoryTally::new(&reading.data).with_memory(args.data.memory_bytes());
    let network = estimate(&tally, &dag, method)?;
    let file = NetworkFile { network, settings, provenance: None, other: Map::new() };
    let mut result = file.document();
    let shown = if common.json { output::json_text(&result)? } else { text(&file.network) };
    let written = out.map_or(Ok(()), |out| {
        result.insert("provenance".to_owned(), super::provenance(&reading.data));
        out.write(&output::json_text(&result)?)
    });
    output::print(&shown)?;
    written
}

fn text(network: &Network) -> String {
    let mut parts = vec![format!("network  {}", network.structure())];
    let nodes = network.named();
    for tables in &nodes {
        let given = if tables.parents.is_empty() {
            String::new()
        } else {
            format!(" given {}", tables.parents.join(", "))
        };
        let centre = tables
            .tau
            .map(|tau| format!(" (centre with tau = {})", output::decimals(tau)))
            .or_else(|| tables.kin.as_ref().map(kinship))
            .unwrap_or_default();
        let warning = if tables.converged { "" } else { "; WARNING: the fit did not reach its maximum" };
        parts.push(format!("P({}{given}){centre}{warning}\n{}", tables.node, node_table(tables)));
    }
    // Of hierarchical tables it is the same in every node; the JSON has it for all.
    let first = nodes.first().filter(|tables| tables.tau.is_some());
    if let Some(shrinkage) = first.and_then(|tables| tables.shrinkage.as_ref()) {
        let shares: Vec<String> = shrinkage
            .iter()
            .map(|(name, share)| {
                format!("{} {:.4}", output::short_name(name), share.as_f64().unwrap_or_default())
            })
            .collect();
        parts.push(format!(
            "share of the centre in each data set's joint tables, s / (s + rows): {}",
            shares.join(", ")
        ));
    }
    parts.join("\n\n")
}

/// How related the data sets are, in brackets.
fn kinship(kin: &Kinship) -> String {
    let identical = kin
        .identical
        .map(|identical| format!(", identical with probability {}", output::decimals(identical)));
    format!(" (s about {}{})", output::decimals(kin.s_mean), identical.unwrap_or_default())
}

/// One line per data set and configuration.
fn node_table(tables: &NamedTables) -> String {
    let mut header = tables.parents.clone();
    header.push("data set".to_owned());
    let labels = header.len();
    header.extend(tables.states.iter().cloned());
    let by_name = tables.tables.iter().map(|(name, table)| (name.clone(), rows_of(table)));
    let mut sources: Vec<(String, Vec<Vec<f64>>)> = by_name.collect();
    sources.push(("(pooled)".to_owned(), tables.pooled.rows().map(<[f64]>::to_vec).collect()));
    sources.push(("(new)".to_owned(), tables.new.rows().map(<[f64]>::to_vec).collect()));
    let mut rows = Vec::new();
    for (configuration, parents) in tables.configurations.iter().enumerate() {
        for (index, (name, table)) in sources.iter().enumerate() {
            let mut row: Vec<String> =
                if index == 0 { parents.clone() } else { vec![String::new(); parents.len()] };
            row.push(output::short_name(name));
            row.extend(table[configuration].iter().map(|&probability| output::decimals(probability)));
            rows.push(row);
        }
    }
    output::table(header, rows, labels)
}

fn rows_of(table: &Value) -> Vec<Vec<f64>> {
    let row = |row: &Value| row.as_array().into_iter().flatten().filter_map(Value::as_f64).collect();
    table.as_array().into_iter().flatten().map(row).collect()
}
