//! `kinfolk convert`: a network in another file format.

use kinfolk::data::{DataSetId, Schema};
use kinfolk::estimate::{Network, Relative};
use kinfolk::formats::{
    Content, NetworkFile, NetworkFileError, Provenance, Renaming, Structure, Written, read, write,
    write_structure,
};
use kinfolk::graph::modelstring;
use serde::Serialize;
use serde_json::{Map, json};

use crate::args::{CommonArgs, ConvertArgs, FileFormat};
use crate::failure::Failure;
use crate::inputs::{read_text, structure_text};
use crate::out_file::OutFile;
use crate::output;

/// What was done.
#[derive(Serialize)]
struct Converted<'a> {
    to: &'static str,
    data_set: Option<String>,
    out: Option<String>,
    renamed: &'a [Renaming],
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'a str>,
}

/// What a file holds: what those of other programs do, or more.
enum Input {
    Own(Box<NetworkFile>),
    Foreign(Content),
}

pub(crate) fn run(args: &ConvertArgs, common: &CommonArgs) -> Result<(), Failure> {
    let (from, to) = (args.from()?, args.to()?);
    let inputs = [args.file.clone()];
    let out = args.out.as_ref().map(|file| OutFile::check(file, &inputs)).transpose()?;
    let input = load(args, from)?;
    let (written, data_set) = convert(input, to, args)?;
    if !common.quiet {
        explain(&written.renamed, to);
    }
    if let Some(file) = &out {
        file.write(&written.text)?;
    }
    if common.json {
        let text = out.is_none().then_some(written.text.as_str());
        let out = args.out.as_ref().map(|file| file.display().to_string());
        output::print_json(&Converted { to: to.name(), data_set, out, renamed: &written.renamed, text })
    } else if out.is_none() {
        output::print(&written.text)
    } else {
        Ok(())
    }
}

fn load(args: &ConvertArgs, from: FileFormat) -> Result<Input, Failure> {
    let place = args.file.display();
    let text = read_text(&args.file)?;
    if let Some(format) = from.foreign() {
        let stem = args.file.file_stem().map_or_else(|| "file".into(), |stem| stem.to_string_lossy());
        let content = read(&text, format, &stem);
        return content.map(Input::Foreign).map_err(|error| Failure::Call(format!("{place}: {error}")));
    }
    match NetworkFile::read(&text) {
        Ok(file) => Ok(Input::Own(Box::new(file))),
        Err(NetworkFileError::NoTables) => {
            let (text, place) = structure_text(&args.file.to_string_lossy(), "FILE")?;
            let structure = modelstring::parse_free(&text);
            let (names, dag) = structure.map_err(|error| Failure::Structure { place, error })?;
            Ok(Input::Foreign(Content::Structure(Structure { names, dag })))
        }
        Err(error) => Err(Failure::Call(format!("{place}: {error}"))),
    }
}

/// The file's text, and whose tables are in it.
fn convert(input: Input, to: FileFormat, args: &ConvertArgs) -> Result<(Written, Option<String>), Failure> {
    let place = args.file.display();
    let (network, file) = match input {
        Input::Foreign(Content::Structure(structure)) => {
            let wrong = |reason: String| Failure::Call(format!("{place}: {reason}"));
            if args.data_set.is_some() {
                return Err(wrong("this is a structure without tables; leave --data-set out".to_owned()));
            }
            let Some(format) = to.foreign() else {
                return Err(wrong(
                    "this is a structure without tables; make them with `kinfolk fit … --structure FILE --out NETWORK`"
                        .to_owned(),
                ));
            };
            let written = write_structure(&structure, format).map_err(|error| wrong(error.to_string()))?;
            return Ok((written, None));
        }
        Input::Foreign(Content::Network(network)) => (network, None),
        Input::Own(file) => (file.network.clone(), Some(file)),
    };
    match (to.foreign(), file) {
        // Everything stays, so there is nothing to choose.
        (None, Some(file)) if args.data_set.is_none() => Ok((own_text(&file)?, None)),
        (None, file) => {
            let relative = choose(&network, args)?;
            let name = network.relative_name(relative).to_owned();
            let alone = alone(&network, relative, &name)?;
            let settings = file.map(|file| file.settings).unwrap_or_default();
            Ok((own_text(&as_file(alone, settings))?, Some(name)))
        }
        (Some(format), _) if format.has_tables() => {
            let relative = choose(&network, args)?;
            let name = network.relative_name(relative).to_owned();
            Ok((write(&network, relative, format), Some(name)))
        }
        // The structure is the same for all.
        (Some(format), _) => Ok((write(&network, Relative::Pooled, format), None)),
    }
}

/// Whose tables are wanted.
fn choose(network: &Network, args: &ConvertArgs) -> Result<Relative, Failure> {
    let names: Vec<&str> = network.schema().data_sets().iter().map(String::as_str).collect();
    match &args.data_set {
        Some(name) => network.find_relative(name).ok_or_else(|| {
            Failure::Call(format!(
                "--data-set: there is no data set `{name}`; there are {}, and also `pooled` and `new`",
                names.join(", ")
            ))
        }),
        None if names.len() == 1 => Ok(Relative::DataSet(DataSetId::new(0))),
        None => Err(Failure::Call(format!(
            "{}: the network has tables for {} data sets, and such a file holds one: choose with --data-set {}, `pooled` or `new`",
            args.file.display(),
            names.len(),
            names.join(", ")
        ))),
    }
}

/// The network with the tables of one relative only.
fn alone(network: &Network, relative: Relative, name: &str) -> Result<Network, Failure> {
    let schema = network.schema();
    let tables = schema.ids().map(|node| network.table_of(node, relative).clone()).collect();
    let schema = Schema::new(schema.variables().to_vec(), vec![name.to_owned()]);
    Network::single(schema, network.dag().clone(), tables)
        .map_err(|error| Failure::Internal(error.to_string()))
}

fn as_file(network: Network, settings: Map<String, serde_json::Value>) -> NetworkFile {
    let provenance = Provenance {
        program: "kinfolk".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        command: super::command_that_matters(),
        data_hash: None,
        rows: Map::new(),
    };
    NetworkFile { network, settings, provenance: Some(provenance), other: Map::new() }
}

fn own_text(file: &NetworkFile) -> Result<Written, Failure> {
    if file.network.schema().variables().iter().any(|variable| variable.name.is_empty()) {
        return Err(Failure::Call(
            "a variable has no name, which a network file needs; name it first".to_owned(),
        ));
    }
    Ok(Written { text: output::json_text(&json!(file.document()))?, renamed: Vec::new() })
}

/// Says what stands for what.
fn explain(renamed: &[Renaming], to: FileFormat) {
    if renamed.is_empty() {
        return;
    }
    let header = ["", "of", "name", "in the file"].map(str::to_owned).to_vec();
    let kind = |renaming: &Renaming| if renaming.variable.is_some() { "state" } else { "variable" };
    let rows = renamed.iter().map(|renaming| {
        let of = renaming.variable.as_deref().map(visible).unwrap_or_default();
        vec![kind(renaming).to_owned(), of, visible(&renaming.from), visible(&renaming.to)]
    });
    let names = output::plural(renamed.len() as u64, "name");
    let table = output::table(header, rows.collect(), 4);
    output::note(&format!("note: {names} cannot stand in {} as they are:\n{table}", to.name()));
}

/// A name on one line.
fn visible(name: &str) -> String {
    let letters = name.chars().map(|letter| {
        if letter.is_control() { letter.escape_default().to_string() } else { letter.to_string() }
    });
    letters.collect()
}
