//! The arguments of `convert`.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use kinfolk::formats::Format;

use crate::failure::Failure;

/// Write a network in another file format.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    kinfolk convert network.json --to bif --data-set s1 --out s1.bif\n  \
    kinfolk convert network.json --to xdsl --data-set new > new.xdsl\n  \
    kinfolk convert asia.net --to json --out asia.json\n  \
    kinfolk convert network.json --to dot | dot -Tsvg > network.svg\n\n\
    The extension determines the format: .json (kinfolk's own, lossless), .bif, .xml and .bifxml (XMLBIF), .xdsl (GeNIe), .net (Hugin), \
    .dsc (Microsoft), .uai, .dot and .gv, .graphml, .txt (modelstring). DOT and modelstrings hold the structure alone. Names that \
    a format does not allow are replaced; standard error lists the replacements. kinfolk restores the original names when it reads \
    its own BIF, XMLBIF, XDSL, NET and GraphML files.")]
pub(crate) struct ConvertArgs {
    /// The network file to convert.
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,

    /// The format to write. [default: from the extension of --out]
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) to: Option<FileFormat>,

    /// The format of the input. [default: from its extension]
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) from: Option<FileFormat>,

    /// The tables to write: those of a data set, `pooled` (all rows together) or `new` (an unseen data set). Not needed for a
    /// network of one data set.
    #[arg(long, value_name = "NAME")]
    pub(crate) data_set: Option<String>,

    /// Write to this file instead of standard output.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) out: Option<PathBuf>,
}

/// A format as the command line names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FileFormat {
    /// kinfolk's network file, with every data set; lossless.
    Json,
    /// BIF, read by bnlearn, pgmpy and pyAgrum.
    Bif,
    /// BIF as XML, read by WEKA, pgmpy and pyAgrum.
    #[value(alias = "bifxml")]
    Xmlbif,
    /// The format of GeNIe and SMILE.
    Xdsl,
    /// The format of Hugin.
    Net,
    /// The format of Microsoft Belief Networks (MSBN).
    Dsc,
    /// The format of the UAI inference competitions: numbers without names.
    Uai,
    /// Graphviz: the structure alone.
    Dot,
    /// GraphML: the graph as XML, with states and tables as attributes.
    Graphml,
    /// The structure as one line of text.
    Modelstring,
}

impl FileFormat {
    /// The library's format; `None` for kinfolk's own network file.
    pub(crate) fn foreign(self) -> Option<Format> {
        match self {
            Self::Json => None,
            Self::Bif => Some(Format::Bif),
            Self::Xmlbif => Some(Format::Xmlbif),
            Self::Xdsl => Some(Format::Xdsl),
            Self::Net => Some(Format::Net),
            Self::Dsc => Some(Format::Dsc),
            Self::Uai => Some(Format::Uai),
            Self::Dot => Some(Format::Dot),
            Self::Graphml => Some(Format::Graphml),
            Self::Modelstring => Some(Format::Modelstring),
        }
    }

    pub(crate) fn name(self) -> &'static str {
        self.foreign().map_or("json", Format::name)
    }

    fn of(file: &Path, flag: &str) -> Result<Self, Failure> {
        let extension = file.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        let named = |name: &str| Self::value_variants().iter().copied().find(|format| format.name() == name);
        let known = match Format::from_extension(extension) {
            Some(format) => named(format.name()),
            None => named(&extension.to_ascii_lowercase()),
        };
        known.ok_or_else(|| {
            let names: Vec<&str> = Self::value_variants().iter().map(|format| format.name()).collect();
            let file = file.display();
            Failure::Call(format!(
                "{file}: the extension does not determine the format; choose it with {flag} ({})",
                names.join(", ")
            ))
        })
    }
}

impl ConvertArgs {
    /// The format to read.
    pub(crate) fn from(&self) -> Result<FileFormat, Failure> {
        self.from.map_or_else(|| FileFormat::of(&self.file, "--from"), Ok)
    }

    /// The format to write.
    pub(crate) fn to(&self) -> Result<FileFormat, Failure> {
        match (self.to, &self.out) {
            (Some(format), _) => Ok(format),
            (None, Some(out)) => FileFormat::of(out, "--to"),
            (None, None) => Err(Failure::Call(
                "no output format: choose it with --to, or give --out a file with its extension".to_owned(),
            )),
        }
    }
}
