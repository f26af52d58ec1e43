//! `kinfolk impute`: writes files with missing values filled in, and the probability of every value.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use kinfolk::data::NewRowsOptions;
use kinfolk::estimate::Network;
use kinfolk::files::{folder_of, new_folder};
use kinfolk::impute::{ImputeOptions, Imputed, completed, impute};
use kinfolk::infer::find_relative;
use serde::Serialize;

use super::new_rows::read_new_rows;
use super::predict::list;
use crate::args::{CommonArgs, ImputeArgs};
use crate::failure::Failure;
use crate::inputs::read_network;
use crate::interrupt;
use crate::output::{self, plural};
use crate::progress::WorkWatcher;
use crate::rows::write_csv;

/// The file that lists the values filled in.
const LISTED: &str = "imputed.csv";

#[derive(Serialize)]
struct ImputeOutput<'a> {
    folder: String,
    files: Vec<String>,
    values: &'static str,
    seed: u64,
    #[serde(flatten)]
    imputed: &'a Imputed,
}

pub(crate) fn run(args: &ImputeArgs, common: &CommonArgs) -> Result<(), Failure> {
    check_folder(&args.out)?;
    let fill = args.fill()?;
    let file = read_network(&args.network)?;
    let network = &file.network;
    let relative = args.data_set.as_ref().map(|name| find_relative(network, name)).transpose()?;
    let options = NewRowsOptions { keep_text: true, ..args.rows.options(&file.settings)? };
    let rows = read_new_rows(&args.files, &file, &options, relative, common)?;
    let options = ImputeOptions {
        versions: args.versions as usize,
        fill,
        seed: args.seed,
        relative,
        limits: args.limits.limits(),
    };
    interrupt::listen();
    let watcher = WorkWatcher::new(None, common.quiet);
    let imputed = impute(network, &rows, &options, &mut |done, of| watcher.rows(done, of))?;
    drop(watcher);
    if !common.quiet {
        notes(&imputed);
    }
    let names = file_names(&args.files);
    let mut files = Vec::new();
    new_folder(&args.out, |folder| -> Result<(), Failure> {
        for version in 0..imputed.versions {
            let inside = if imputed.versions == 1 {
                PathBuf::new()
            } else {
                format!("version-{}", version + 1).into()
            };
            make_folder(&folder.join(&inside))?;
            for (file, name) in
                completed(network, &rows, &imputed, version, args.states).into_iter().zip(&names)
            {
                let path = inside.join(name);
                write_csv(File::create(folder.join(&path))?, std::iter::once(file.columns).chain(file.rows))?;
                files.push(path.display().to_string());
            }
        }
        files.push(LISTED.to_owned());
        list_values(&folder.join(LISTED), network, &imputed)
    })
    .map_err(|error| match error {
        Failure::Output(reason) => Failure::File { file: format!("--out: {}", args.out.display()), reason },
        other => other,
    })?;
    let values = if args.most_probable { "most-probable" } else { "drawn" };
    let folder = args.out.display().to_string();
    if common.json {
        return output::print_json(&ImputeOutput {
            folder,
            files,
            values,
            seed: args.seed,
            imputed: &imputed,
        });
    }
    output::print(&text(&folder, &files, &imputed))
}

/// Rejects a folder that cannot be created, before the work begins.
fn check_folder(folder: &Path) -> Result<(), Failure> {
    let place = folder.display();
    let refuse = |reason: &str| Err(Failure::Call(format!("--out: {place} {reason}")));
    if folder.is_dir() {
        let empty = fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_none());
        return if empty { Ok(()) } else { refuse("exists and is not empty; name a new folder") };
    }
    if folder.exists() {
        return refuse("is a file; name a new folder");
    }
    if !folder_of(folder).is_dir() {
        return refuse("would be in a folder that does not exist; create that first");
    }
    Ok(())
}

fn make_folder(folder: &Path) -> Result<(), Failure> {
    Ok(fs::create_dir_all(folder)?)
}

/// The names of the completed files: those of the inputs with the extension `.csv`, numbered if they coincide.
fn file_names(files: &[PathBuf]) -> Vec<String> {
    let mut taken = BTreeSet::from([LISTED.to_owned()]);
    let one = |file: &PathBuf| {
        let name = file.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let stem = if name == "-" { "stdin" } else { name.strip_suffix(".gz").unwrap_or(&name) };
        let stem = ["csv", "tsv", "tab", "txt", "psv", "data"]
            .iter()
            .find_map(|ending| stem.strip_suffix(ending)?.strip_suffix('.'))
            .unwrap_or(stem);
        let mut name = format!("{stem}.csv");
        let mut number = 2;
        while !taken.insert(name.clone()) {
            name = format!("{stem}-{number}.csv");
            number += 1;
        }
        name
    };
    files.iter().map(one).collect()
}

/// Writes one line per value and version.
fn list_values(path: &Path, network: &Network, imputed: &Imputed) -> Result<(), Failure> {
    let header = ["version", "file", "row", "data_set", "tables", "column", "value", "probability"];
    let mut lines: Vec<Vec<String>> = vec![header.map(str::to_owned).into()];
    for version in 0..imputed.versions {
        for row in &imputed.rows {
            for cell in &row.cells {
                let variable = network.schema().variable(cell.variable);
                lines.push(vec![
                    (version + 1).to_string(),
                    row.file.clone(),
                    row.row.to_string(),
                    row.data_set.clone(),
                    network.relative_name(row.tables).to_owned(),
                    variable.name.clone(),
                    variable.states[cell.values[version] as usize].clone(),
                    cell.probability(version).to_string(),
                ]);
            }
        }
    }
    write_csv(File::create(path)?, lines.iter().map(|line| line.iter().map(String::as_str).collect()))
}

fn notes(imputed: &Imputed) {
    for (file, columns) in &imputed.absent_columns {
        output::note(&format!("note: {file} has no column {}: added, every value filled in", list(columns)));
    }
    if !imputed.unknown_data_sets.is_empty() {
        output::note(&format!(
            "note: not in the network: {}; filled in from the tables for an unseen data set (`new`)",
            list(&imputed.unknown_data_sets)
        ));
    }
    if let Some(first) = imputed.unseen.first() {
        output::note(&format!(
            "note: {} that the network does not have as a state, treated as missing and replaced; the first is in {first}",
            plural(imputed.unseen.len() as u64, "value")
        ));
    }
    if imputed.rows_impossible > 0 {
        output::note(&format!(
            "note: {} with observed values that have probability 0 together: left incomplete",
            plural(imputed.rows_impossible, "row")
        ));
    }
}

fn text(folder: &str, files: &[String], imputed: &Imputed) -> String {
    let mut text = format!(
        "filled   {} in {} of {}, {}\nwritten  {folder}: {}",
        plural(imputed.values_filled, "missing value"),
        imputed.rows_filled,
        plural(imputed.rows_read, "row"),
        plural(imputed.versions as u64, "version"),
        if files.len() > 4 { format!("{} files and {LISTED}", files.len() - 1) } else { files.join(", ") },
    );
    if !imputed.columns.is_empty() {
        let header = ["data set", "column", "filled", "mean largest probability"].map(str::to_owned);
        let row = |column: &kinfolk::impute::ImputedColumn| {
            vec![
                output::short_name(&column.data_set),
                output::short_name(&column.column),
                column.filled.to_string(),
                output::fixed(column.mean_largest_probability, 4),
            ]
        };
        text += "\n\n";
        text += &output::table(header.into(), imputed.columns.iter().map(row).collect(), 2);
    }
    text
}
