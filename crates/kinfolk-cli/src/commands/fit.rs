//! `kinfolk fit`: the probability tables of a structure, for every data set.

use kinfolk::estimate::{CredibleMass, NamedTables, Network, NodeIntervals, TableSpec};
use kinfolk::formats::NetworkFile;
use kinfolk::learned::FilledIn;
use kinfolk::missing::FillIn;
use kinfolk::score::Kinship;
use serde_json::json;

use crate::args::{CommonArgs, FitArgs};
use crate::failure::Failure;
use crate::inputs::{read_structure, structure_settings};
use crate::out_file::OutFile;
use crate::output;

pub(crate) fn run(args: &mut FitArgs, common: &CommonArgs) -> Result<(), Failure> {
    let recorded = structure_settings(&args.structure)?;
    args.recorded.adopt_tables(&args.structure, &recorded, &mut args.data, &mut args.method, common)?;
    let args = &*args;
    let spec = args.method.completed()?.0;
    spec.check()?;
    let out = args.out.as_ref().map(|file| OutFile::check(file, &args.data.files)).transpose()?;
    let reading = super::read_data(&args.data, common)?;
    let schema = reading.data.schema();
    let (method, mut settings) = spec.build(schema.data_sets().len())?;
    settings.insert("version".to_owned(), json!(env!("CARGO_PKG_VERSION")));
    settings.extend(args.data.settings()?);
    settings.extend(args.method.recorded.learned_with()?);
    let dag = read_structure(&args.structure, "--structure", &schema.names())?;
    let prepared = FillIn::by(method.clone(), Some(args.data.memory_bytes())).prepare(&reading.data, &dag)?;
    let network = prepared.tables(&dag, &method)?;
    let filled_in = prepared.filled_in();
    let mass = args.intervals.intervals;
    let intervals =
        mass.map(|mass| network.intervals(mass).ok_or_else(|| no_intervals(&spec))).transpose()?;
    let other = filled_in.map(|filled_in| ("missing".to_owned(), json!(filled_in))).into_iter().collect();
    let mut file = NetworkFile { network, settings, provenance: None, other };
    let written = out.map_or(Ok(()), |out| {
        file.provenance = Some(super::provenance(&reading.data));
        out.write_json(&file)
    });
    if common.json {
        file.provenance = None;
        if let (Some(mass), Some(nodes)) = (mass, &intervals) {
            file.other.insert("intervals".to_owned(), json!({"mass": mass, "nodes": nodes}));
        }
        output::print_json(&file)?;
    } else {
        output::print(&text(&file.network, filled_in, mass.zip(intervals), args.top))?;
    }
    written
}

fn no_intervals(spec: &TableSpec) -> Failure {
    Failure::Call(format!(
        "--intervals: tables by {} have no posterior; choose another --method",
        spec.chosen()
    ))
}

fn text(
    network: &Network,
    filled_in: Option<&FilledIn>,
    intervals: Option<(CredibleMass, Vec<NodeIntervals>)>,
    top: usize,
) -> String {
    let missing = filled_in.map(|filled_in| format!("\nmissing  {}", output::missing_text(filled_in)));
    let mut parts = vec![format!("network  {}{}", network.structure(), missing.unwrap_or_default())];
    for (at, tables) in network.named().enumerate() {
        let given = if tables.parents.is_empty() {
            String::new()
        } else {
            format!(" given {}", tables.parents.join(", "))
        };
        let centre = tables
            .tau
            .map(|tau| format!(" (centre with tau = {})", output::decimals(tau)))
            .or_else(|| tables.kin.map(kinship))
            .unwrap_or_default();
        let warning = if tables.converged { "" } else { "; WARNING: the fit did not converge" };
        parts.push(format!(
            "P({}{given}){centre}{warning}\n{}",
            tables.node,
            node_table(&tables, intervals.as_ref().map(|(_, nodes)| &nodes[at]), top)
        ));
    }
    if let more @ 1.. = network.schema().data_sets().len().saturating_sub(top) {
        parts.push(format!("… and {}: --top N, --json or --out", output::plural_more(more, "data set")));
    }
    parts.extend(intervals.map(|(mass, _)| output::interval_legend(mass)));
    // For hierarchical tables it is the same in every node; the JSON has it for all.
    let first = network.named().next().filter(|tables| tables.tau.is_some());
    if let Some(shrinkage) = first.and_then(|tables| tables.shrinkage) {
        let share = |(name, share): (&str, &f64)| {
            format!("{} {}", output::short_name(name), output::fixed(*share, 4))
        };
        let shares: Vec<String> = shrinkage.entries().take(top).map(share).collect();
        parts.push(format!(
            "weight of the centre in each data set's joint tables, s / (s + rows): {}",
            shares.join(", ")
        ));
    }
    parts.join("\n\n")
}

/// The relatedness of the data sets, in parentheses.
fn kinship(kin: &Kinship) -> String {
    let identical = kin
        .p_identical
        .map(|identical| format!(", identical with probability {}", output::decimals(identical)));
    format!(" (s about {}{})", output::decimals(kin.s_mean), identical.unwrap_or_default())
}

/// The number of parent configurations shown as text: a million would take gigabytes.
const CONFIGURATIONS_SHOWN: usize = 1000;

/// One line per data set and configuration.
fn node_table(tables: &NamedTables<'_>, intervals: Option<&NodeIntervals>, top: usize) -> String {
    let owned = |names: &[&str]| -> Vec<String> { names.iter().map(|&name| name.to_owned()).collect() };
    let mut header = owned(&tables.parents);
    header.push("data set".to_owned());
    let labels = header.len();
    header.extend(tables.states.iter().cloned());
    let sources = tables.tables.entries().chain([("(pooled)", tables.pooled), ("(new)", tables.new)]);
    let ends = |at: usize| {
        let of = intervals?;
        let data_sets = &of.tables.0;
        data_sets.get(at).map(|(_, ends)| ends).or(if at == data_sets.len() {
            Some(&of.pooled)
        } else {
            of.new.as_ref()
        })
    };
    let data_sets = tables.tables.entries().count();
    let sources = sources.enumerate().filter(|(index, _)| *index < top || *index >= data_sets);
    let mut sources: Vec<_> =
        sources.map(|(index, (name, table))| (index, output::short_name(name), table.rows())).collect();
    let mut rows = Vec::new();
    let mut configurations = tables.configurations.rows();
    for (place, parents) in configurations.by_ref().take(CONFIGURATIONS_SHOWN).enumerate() {
        for (line, (index, name, table)) in sources.iter_mut().enumerate() {
            let mut row = if line == 0 { owned(&parents) } else { vec![String::new(); parents.len()] };
            row.push(name.clone());
            let probabilities = table.next().into_iter().flatten();
            row.extend(probabilities.map(|&probability| output::decimals(probability)));
            rows.push(row);
            if intervals.is_some() {
                let mut row = vec![String::new(); labels];
                match ends(*index) {
                    Some(ends) => row.extend(ends[place].iter().map(|&ends| output::interval(ends))),
                    None => row.extend(tables.states.iter().map(|_| "-".to_owned())),
                }
                rows.push(row);
            }
        }
    }
    let table = output::table(header, rows, labels);
    match configurations.count() {
        0 => table,
        more => format!(
            "{table}\n… and {more} more configurations of the parents; --json and --out have all of them"
        ),
    }
}
