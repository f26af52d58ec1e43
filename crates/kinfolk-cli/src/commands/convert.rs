//! `kinfolk convert`: converts a network to another file format.

use std::borrow::Cow;

use kinfolk::data::{DataSetId, Schema};
use kinfolk::estimate::{Network, Relative};
use kinfolk::formats::{
    Content, FormatError, NetworkFile, NetworkFileError, Provenance, Renaming, Structure, Written, read,
    write, write_structure,
};
use kinfolk::graph::modelstring;
use kinfolk::remedy::Actionable;
use kinfolk::score::NamedChoice;
use serde::Serialize;
use serde_json::Map;

use crate::args::{CommonArgs, ConvertArgs, FileFormat};
use crate::failure::Failure;
use crate::inputs::{read_text, structure_text};
use crate::out_file::OutFile;
use crate::output;
use crate::wording::Flags;

/// A summary of the conversion.
#[derive(Serialize)]
struct Converted<'a> {
    to: &'static str,
    data_set: Option<String>,
    out: Option<String>,
    renamed: &'a [Renaming],
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<Cow<'a, str>>,
}

/// The content of the input file: kinfolk's own, or that of another program.
enum Input {
    Own(Box<NetworkFile>),
    Foreign(Content),
}

/// The content of the output file: kinfolk's own, or that of another program.
enum ConvertedFile {
    Own(Box<NetworkFile>),
    Foreign(Written),
}

impl ConvertedFile {
    fn renamed(&self) -> &[Renaming] {
        match self {
            Self::Own(_) => &[],
            Self::Foreign(written) => &written.renamed,
        }
    }

    fn text(&self) -> Result<Cow<'_, str>, Failure> {
        match self {
            Self::Own(own) => output::json_text(own).map(Cow::Owned),
            Self::Foreign(written) => Ok(Cow::Borrowed(&written.text)),
        }
    }

    fn write(&self, file: &OutFile) -> Result<(), Failure> {
        match self {
            Self::Own(own) => file.write_json(own),
            Self::Foreign(written) => file.write(&written.text),
        }
    }

    fn print(&self) -> Result<(), Failure> {
        match self {
            Self::Own(own) => output::print_json(own),
            Self::Foreign(written) => output::print_unchanged(&written.text),
        }
    }
}

pub(crate) fn run(args: &ConvertArgs, common: &CommonArgs) -> Result<(), Failure> {
    let (from, to) = (args.from()?, args.to()?);
    let inputs = [args.file.clone()];
    let out = args.out.as_ref().map(|file| OutFile::check(file, &inputs)).transpose()?;
    let input = load(args, from)?;
    let (converted, data_set) = convert(input, to, args)?;
    let renamed = converted.renamed();
    if !common.quiet {
        explain(renamed, to);
    }
    if let Some(file) = &out {
        converted.write(file)?;
    }
    if common.json {
        let text = if out.is_none() { Some(converted.text()?) } else { None };
        let out = args.out.as_ref().map(|file| file.display().to_string());
        output::print_json(&Converted { to: to.name(), data_set, out, renamed, text })
    } else if out.is_none() {
        converted.print()
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
        let wrong = |error: FormatError| Failure::Call(format!("{place}: {}", error.message(&Flags)));
        return content.map(Input::Foreign).map_err(wrong);
    }
    match NetworkFile::read(&text) {
        Ok(file) => Ok(Input::Own(Box::new(file))),
        Err(NetworkFileError::NoTables) => {
            let (text, place) = structure_text(&args.file.to_string_lossy(), "FILE")?;
            let structure = modelstring::parse_free(&text);
            let (names, dag) = structure.map_err(|error| Failure::Structure { place, error })?;
            Ok(Input::Foreign(Content::Structure(Structure { names, dag })))
        }
        Err(error) => Err(Failure::Network { file: place.to_string(), error }),
    }
}

/// The content of the output file, and the relative whose tables it holds.
fn convert(
    input: Input,
    to: FileFormat,
    args: &ConvertArgs,
) -> Result<(ConvertedFile, Option<String>), Failure> {
    let place = args.file.display();
    let (network, settings) = match input {
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
            let written =
                write_structure(&structure, format).map_err(|error| wrong(error.message(&Flags)))?;
            return Ok((ConvertedFile::Foreign(written), None));
        }
        Input::Foreign(Content::Network(network)) => (network, Map::new()),
        // All tables are kept, so none need be selected.
        Input::Own(file) if to.foreign().is_none() && args.data_set.is_none() => {
            return Ok((own(*file)?, None));
        }
        Input::Own(file) => (file.network, file.settings),
    };
    match to.foreign() {
        None => {
            let relative = choose(&network, args)?;
            let name = network.relative_name(relative).to_owned();
            let alone = alone(&network, relative, &name)?;
            Ok((own(as_file(alone, settings))?, Some(name)))
        }
        Some(format) if format.has_tables() => {
            let relative = choose(&network, args)?;
            let name = network.relative_name(relative).to_owned();
            Ok((ConvertedFile::Foreign(write(&network, relative, format)), Some(name)))
        }
        // The structure is the same for all relatives.
        Some(format) => Ok((ConvertedFile::Foreign(write(&network, Relative::Pooled, format)), None)),
    }
}

/// The relative whose tables are written.
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
            "{}: the network has tables for {} data sets, but this format holds one: choose with --data-set {}, `pooled` or `new`",
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
        data_set_hashes: Map::new(),
        rows: Map::new(),
    };
    NetworkFile { network, settings, provenance: Some(provenance), other: Map::new() }
}

fn own(file: NetworkFile) -> Result<ConvertedFile, Failure> {
    if file.network.schema().variables().iter().any(|variable| variable.name.is_empty()) {
        return Err(Failure::Call(
            "a variable has no name, which a network file needs; name it first".to_owned(),
        ));
    }
    Ok(ConvertedFile::Own(Box::new(file)))
}

/// Lists the replaced names.
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
    output::note(&format!("note: {names} not allowed in {}, replaced as follows:\n{table}", to.name()));
}

/// A name on one line.
fn visible(name: &str) -> String {
    let letters = name.chars().map(|letter| {
        if letter.is_control() { letter.escape_default().to_string() } else { letter.to_string() }
    });
    letters.collect()
}
