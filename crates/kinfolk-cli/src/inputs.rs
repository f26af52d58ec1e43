//! Reads input files other than data: structures, networks, lists of arcs, tiers.

use std::fs;
use std::io;
use std::path::Path;

use kinfolk::data::{Schema, VariableId};
use kinfolk::formats::{NetworkFile, Recorded};
use kinfolk::graph::{Dag, modelstring};
use kinfolk::search::Arc;
use serde::Deserialize;
use serde_json::Value;

use crate::failure::Failure;

/// Reads a file as text.
pub(crate) fn read_text(file: &Path) -> Result<String, Failure> {
    let place = file.display();
    if file.is_dir() {
        return Err(Failure::Call(format!("{place} is a folder; name a file in it")));
    }
    let text = fs::read_to_string(file).map_err(|reason| match reason.kind() {
        io::ErrorKind::NotFound => {
            Failure::Call(format!("{place}: no such file; check its name and the current folder"))
        }
        io::ErrorKind::InvalidData => Failure::Call(format!(
            "{place} is not UTF-8 text; check that it is the right file, or save it as UTF-8"
        )),
        _ => Failure::File { file: place.to_string(), reason },
    })?;
    // The byte order mark is not part of the text.
    Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
}

/// Reads a structure as text: a modelstring itself, a file with a modelstring, a JSON file with the key `structure`, or
/// the averaged network of a bootstrap. Also returns the source to name in errors.
pub(crate) fn structure_text(given: &str, argument: &str) -> Result<(String, String), Failure> {
    if given.trim_start().starts_with('[') {
        return Ok((given.trim().to_owned(), argument.to_owned()));
    }
    if !Path::new(given).exists() {
        return Err(Failure::Call(format!(
            "{argument}: `{given}` is neither a modelstring, which begins with `[`, nor a file"
        )));
    }
    let text = read_text(Path::new(given))?;
    if !text.trim_start().starts_with('{') {
        return Ok((text.trim().to_owned(), given.to_owned()));
    }
    let json: Value = serde_json::from_str(&text)
        .map_err(|error| Failure::Call(format!("{given}: invalid JSON: {error}")))?;
    if json["averaged"].is_null() && json["replicates"] == 0 {
        return Err(Failure::Call(format!(
            "{given}: no replicate of this bootstrap finished, so it has no averaged network; bootstrap again with more time"
        )));
    }
    match json.get("structure").or_else(|| json.get("averaged")).and_then(Value::as_str) {
        Some(structure) => Ok((structure.to_owned(), given.to_owned())),
        None => Err(Failure::Call(format!(
            "{given}: this JSON has no string under the key `structure`, which the JSON of `learn` has"
        ))),
    }
}

/// The settings recorded in a structure's file, if it is the JSON of a result.
pub(crate) fn structure_settings(given: &str) -> Result<Recorded, Failure> {
    let file = Path::new(given);
    if given.trim_start().starts_with('[') || !file.exists() {
        return Ok(Recorded::default());
    }
    // Errors in the file are reported when its structure is read.
    Ok(Recorded::of_document(&serde_json::from_str(&read_text(file)?).unwrap_or_default()))
}

/// A structure over known variables.
pub(crate) fn read_structure(given: &str, argument: &str, names: &[String]) -> Result<Dag, Failure> {
    let (text, place) = structure_text(given, argument)?;
    modelstring::parse(&text, names).map_err(|error| Failure::Structure { place, error })
}

/// Reads a network file, as written by `learn`, `fit` and `simulate`.
pub(crate) fn read_network(file: &Path) -> Result<NetworkFile, Failure> {
    let text = read_text(file)?;
    if !text.trim_start().starts_with('{') {
        return Err(Failure::Call(format!(
            "{} is not a network file, which is JSON; `kinfolk learn … --out FILE` and `kinfolk fit … --out FILE` write them",
            file.display()
        )));
    }
    NetworkFile::read(&text).map_err(|error| Failure::Network { file: file.display().to_string(), error })
}

/// The structure of a network file over the variables of the data.
pub(crate) fn structure_over(network: &NetworkFile, file: &Path, names: &[String]) -> Result<Dag, Failure> {
    let own = network.network.schema().names();
    let without = |of: &[String], other: &[String]| -> Vec<String> {
        of.iter().filter(|name| !other.contains(name)).map(|name| format!("`{name}`")).collect()
    };
    let (missing, more) = (without(&own, names), without(names, &own));
    let place = file.display().to_string();
    if missing.is_empty() && more.is_empty() {
        let place_of = |id: VariableId| names.iter().position(|name| *name == own[id.index()]);
        let renumbered = |id| VariableId::new(place_of(id).expect("both have the same names"));
        let arcs = network.network.dag().arcs().map(|(from, to)| (renumbered(from), renumbered(to)));
        return Ok(Dag::from_arcs(names.len(), arcs).expect("another order of the columns closes no cycle"));
    }
    let mut differs = Vec::new();
    if !missing.is_empty() {
        differs.push(format!("the data have no column {}", missing.join(", ")));
    }
    if !more.is_empty() {
        differs.push(format!("the network has no variable {}", more.join(", ")));
    }
    Err(Failure::Call(format!(
        "--network: {place} has other variables than these data: {}; give the data it was made from, with the same options, \
         or leave columns out (--ignore)",
        differs.join(", and ")
    )))
}

/// An arc in JSON: a pair or an object.
#[derive(Deserialize)]
#[serde(untagged)]
enum JsonArc {
    Pair(String, String),
    Object { from: String, to: String },
}

/// Reads a list of arcs from a CSV file with the header `from,to`, or from a JSON list.
pub(crate) fn read_arcs(file: &Path, flag: &str, schema: &Schema) -> Result<Vec<Arc>, Failure> {
    let text = read_text(file)?;
    let place = file.display();
    let pairs: Vec<(String, String)> = if text.trim_start().starts_with('[') {
        let arcs: Vec<JsonArc> = serde_json::from_str(&text).map_err(|error| {
            let (line, column) = (error.line(), error.column());
            Failure::Call(format!(
                "{place} ({flag}), line {line}, character {column}: not a JSON list of [\"from\", \"to\"] or {{\"from\": …, \"to\": …}}"
            ))
        })?;
        arcs.into_iter()
            .map(|arc| match arc {
                JsonArc::Pair(from, to) | JsonArc::Object { from, to } => (from, to),
            })
            .collect()
    } else {
        arcs_from_csv(&text, &format!("{place} ({flag})"))?
    };
    pairs
        .into_iter()
        .map(|(from, to)| {
            let find = |name: &str| find_variable(schema, name, &format!("{place} ({flag})"));
            Ok((find(&from)?, find(&to)?))
        })
        .collect()
}

fn arcs_from_csv(text: &str, place: &str) -> Result<Vec<(String, String)>, Failure> {
    let wrong = |reason: String| Failure::Call(format!("{place}: {reason}"));
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(text.as_bytes());
    let header = reader.headers().map_err(|error| wrong(error.to_string()))?.clone();
    let column = |name: &str| {
        header.iter().position(|cell| cell == name).ok_or_else(|| {
            wrong(format!("the first line must name the columns `from` and `to`, but `{name}` is missing"))
        })
    };
    let (from, to) = (column("from")?, column("to")?);
    reader
        .records()
        .map(|record| {
            let record = record.map_err(|error| wrong(error.to_string()))?;
            Ok((record[from].to_owned(), record[to].to_owned()))
        })
        .collect()
}

/// Reads tiers from a JSON list of lists, or from one line of comma-separated columns each.
pub(crate) fn read_tiers(file: &Path, schema: &Schema) -> Result<Vec<Vec<VariableId>>, Failure> {
    let text = read_text(file)?;
    let place = format!("{} (--tiers)", file.display());
    let tiers: Vec<Vec<String>> = if text.trim_start().starts_with('[') {
        serde_json::from_str(&text).map_err(|error| {
            Failure::Call(format!("{place}: not a JSON list of lists of columns: {error}"))
        })?
    } else {
        let mut reader = csv::ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .trim(csv::Trim::All)
            .from_reader(text.as_bytes());
        let mut tiers = Vec::new();
        for record in reader.records() {
            let record = record.map_err(|error| Failure::Call(format!("{place}: {error}")))?;
            tiers.push(record.iter().filter(|name| !name.is_empty()).map(str::to_owned).collect());
        }
        tiers
    };
    tiers.iter().map(|tier| tier.iter().map(|name| find_variable(schema, name, &place)).collect()).collect()
}

/// The column with this name.
pub(crate) fn find_variable(schema: &Schema, name: &str, place: &str) -> Result<VariableId, Failure> {
    schema.find(name).ok_or_else(|| {
        Failure::Call(format!(
            "{place}: there is no column `{name}`; the columns are {}",
            schema.names().join(", ")
        ))
    })
}

/// The structure given by `--structure` or `--network`, if any.
pub(crate) fn given_structure(
    structure: Option<&str>,
    network: Option<&Path>,
    names: &[String],
) -> Result<Option<Dag>, Failure> {
    if let Some(text) = structure {
        return read_structure(text, "--structure", names).map(Some);
    }
    let Some(file) = network else { return Ok(None) };
    structure_over(&read_network(file)?, file, names).map(Some)
}
