//! `kinfolk fit`: the probability tables of a structure, for every data set.

use kinfolk::counts::MemoryTally;
use kinfolk::estimate::{NamedTables, estimate};
use kinfolk::learned::{NamedVariable, named_variables};
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::args::{CommonArgs, FitArgs};
use crate::failure::Failure;
use crate::inputs::read_structure;
use crate::output;

/// A network with its tables.
#[derive(Serialize)]
struct Fit {
    structure: String,
    data_sets: Vec<String>,
    variables: Vec<NamedVariable>,
    nodes: Vec<NamedTables>,
    settings: Map<String, Value>,
}

pub(crate) fn run(args: &FitArgs, common: &CommonArgs) -> Result<(), Failure> {
    args.method.check()?;
    let reading = super::read_data(&args.data, common)?;
    let schema = reading.data.schema();
    let (method, mut settings) = args.method.choose(schema.data_sets().len())?;
    settings.insert("version".to_owned(), json!(env!("CARGO_PKG_VERSION")));
    settings.extend(args.data.settings());
    let dag = read_structure(&args.structure, "--structure", &schema.names())?;
    let tally = MemoryTally::new(&reading.data).with_memory(args.data.memory_bytes());
    let network = estimate(&tally, &dag, method)?;
    let fit = Fit {
        structure: network.structure(),
        data_sets: schema.data_sets().to_vec(),
        variables: named_variables(schema),
        nodes: network.named(),
        settings,
    };
    if common.json { output::print_json(&fit) } else { output::print(&text(&fit)) }
}

fn text(fit: &Fit) -> String {
    let mut parts = vec![format!("network  {}", fit.structure)];
    for (tables, variable) in fit.nodes.iter().zip(&fit.variables) {
        let given = if tables.parents.is_empty() {
            String::new()
        } else {
            format!(" given {}", tables.parents.join(", "))
        };
        let centre = tables
            .tau
            .map(|tau| format!(" (centre with tau = {})", output::decimals(tau)))
            .unwrap_or_default();
        let warning = if tables.converged { "" } else { "; WARNING: the fit did not reach its maximum" };
        parts.push(format!(
            "P({}{given}){centre}{warning}\n{}",
            tables.node,
            node_table(fit, tables, &variable.states)
        ));
    }
    if let Some(shrinkage) = fit.nodes.first().and_then(|tables| tables.shrinkage.as_ref()) {
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

/// One line per data set and configuration.
fn node_table(fit: &Fit, tables: &NamedTables, states: &[String]) -> String {
    let mut header = tables.parents.clone();
    header.push("data set".to_owned());
    let labels = header.len();
    header.extend(states.iter().cloned());
    let by_name =
        fit.data_sets.iter().filter_map(|name| Some((name.clone(), rows_of(tables.tables.get(name)?))));
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
