//! `kinfolk simulate`: writes a random network and related data sets as files.

use std::fs;
use std::path::{Path, PathBuf};

use kinfolk::data::{DataSetId, VariableId};
use kinfolk::formats::NetworkFile;
use kinfolk::graph::modelstring;
use kinfolk::simulate::{Design, Simulated, simulate};
use serde_json::{Map, Value, json};

use crate::args::{CommonArgs, SimulateArgs};
use crate::failure::Failure;
use crate::out_file::PreparedFile;
use crate::output::{self, plural};
use crate::rows::{cells, check_new, make_folder, write_csv};

pub(crate) fn run(args: &SimulateArgs, common: &CommonArgs) -> Result<(), Failure> {
    let design = args.design()?;
    let (seed, replicate) = args.randomness();
    let simulated = simulate(&design, seed, replicate)?;
    let names = simulated.data.schema().data_sets().to_vec();
    let mut files: Vec<PathBuf> = names.iter().map(|name| args.out.join(format!("{name}.csv"))).collect();
    files.extend(["truth.json", "levels.json"].map(|name| args.out.join(name)));
    make_folder(&args.out)?;
    let new_files = check_new(&files, &[], args.force)?;
    let [data_files @ .., truth_file, levels_file] = new_files.as_slice() else {
        unreachable!("as many files as were named")
    };
    if !common.quiet {
        for left in data_files_besides(&args.out, &files) {
            output::note(&format!("note: {} was not written by this run", left.display()));
        }
    }

    // All files are written before any is renamed, so that a full disk leaves the folder unchanged.
    let mut written = Vec::with_capacity(new_files.len());
    for (index, file) in data_files.iter().enumerate() {
        let rows = cells(&simulated.data, [DataSetId::new(index)], None);
        written.push(file.prepare(|out| write_csv(out, rows))?);
    }
    written.push(levels_file.prepare(|out| output::write_json(out, &levels(&simulated)))?);
    let text = text(args, &design, &simulated);
    let mut truth = truth(simulated, seed, args.settings(&design));
    written.push(truth_file.prepare(|out| output::write_json(out, &truth))?);
    written.into_iter().try_for_each(PreparedFile::commit)?;
    if common.json {
        truth.provenance = None;
        return output::print_json(&truth);
    }
    output::print(&text)
}

/// The network file of the truth, with the structure and tables of each data set.
fn truth(simulated: Simulated, seed: u64, settings: Map<String, Value>) -> NetworkFile {
    let names = simulated.truth.schema().names();
    let data_sets = simulated.truth.schema().data_sets();
    let structures: Map<String, Value> = data_sets
        .iter()
        .zip(&simulated.structures)
        .map(|(name, structure)| (name.clone(), json!(modelstring::format(structure, &names))))
        .collect();
    let tables: Map<String, Value> = data_sets
        .iter()
        .enumerate()
        .map(|(index, data_set)| {
            let own = |node| json!(simulated.own_table(VariableId::new(node), DataSetId::new(index)));
            let by_node: Map<String, Value> =
                names.iter().enumerate().map(|(node, name)| (name.clone(), own(node))).collect();
            (data_set.clone(), Value::Object(by_node))
        })
        .collect();
    let other = [("structures", json!(structures)), ("tables", json!(tables)), ("seed", json!(seed))];
    NetworkFile {
        provenance: Some(super::provenance(&simulated.data)),
        network: simulated.truth,
        settings,
        other: other.map(|(key, value)| (key.to_owned(), value)).into_iter().collect(),
    }
}

/// The states of every variable, in the format of `--levels`.
fn levels(simulated: &Simulated) -> Map<String, Value> {
    let variables = simulated.truth.schema().variables().iter();
    variables.map(|variable| (variable.name.clone(), json!(variable.states))).collect()
}

/// Files named like data sets that this run does not write: the pattern `data_*.csv` would include them.
fn data_files_besides(folder: &Path, files: &[PathBuf]) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let is_data = |path: &PathBuf| {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        name.starts_with("data_") && path.extension().is_some_and(|extension| extension == "csv")
    };
    let mut left: Vec<PathBuf> = entries.filter(|path| is_data(path) && !files.contains(path)).collect();
    left.sort();
    left
}

fn text(args: &SimulateArgs, design: &Design, simulated: &Simulated) -> String {
    let rows: usize = design.rows.iter().sum();
    let folder = args.out.display();
    let mut lines = vec![
        format!(
            "data     {}, {}, {}",
            plural(design.data_sets() as u64, "data set"),
            plural(rows as u64, "row"),
            plural(design.nodes as u64, "variable")
        ),
        format!("network  {}", simulated.truth.structure()),
    ];
    let schema = simulated.truth.schema();
    for (name, structure) in schema.data_sets().iter().zip(&simulated.structures) {
        if structure != simulated.truth.dag() {
            lines.push(format!("{name}  {}", modelstring::format(structure, &schema.names())));
        }
    }
    lines.push(format!("written  {folder}: {}, truth.json, levels.json", file_names(schema.data_sets())));
    lines.join("\n")
}

fn file_names(data_sets: &[String]) -> String {
    match data_sets {
        [only] => format!("{only}.csv"),
        [first, .., last] => format!("{first}.csv to {last}.csv"),
        [] => String::new(),
    }
}
