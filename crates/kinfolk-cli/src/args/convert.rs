//! The arguments of `convert`.

use std::path::{Path, PathBuf};

use clap::Args;
use kinfolk::formats::Format;
use kinfolk::score::NamedChoice;

use super::choice::one_of;
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
    #[arg(long, value_parser = one_of::<FileFormat>(), value_name = "FORMAT")]
    pub(crate) to: Option<FileFormat>,

    /// The format of the input. [default: from its extension]
    #[arg(long, value_parser = one_of::<FileFormat>(), value_name = "FORMAT")]
    pub(crate) from: Option<FileFormat>,

    /// The tables to write: those of a data set, `pooled` (all rows together) or `new` (an unseen data set). Not needed for a
    /// network of one data set.
    #[arg(long, value_name = "NAME")]
    pub(crate) data_set: Option<String>,

    /// Write to this file instead of standard output.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) out: Option<PathBuf>,
}

/// A file format: kinfolk's own network file, or one of another program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FileFormat {
    Json,
    Foreign(Format),
}

impl NamedChoice for FileFormat {
    fn all() -> impl Iterator<Item = Self> {
        std::iter::once(Self::Json).chain(Format::all().map(Self::Foreign))
    }

    fn name(self) -> &'static str {
        self.foreign().map_or("json", Format::name)
    }

    fn about(self) -> &'static str {
        self.foreign().map_or("kinfolk's network file, with every data set; lossless", Format::about)
    }

    fn aliases(self) -> &'static [&'static str] {
        self.foreign().map_or(&[], Format::aliases)
    }
}

impl FileFormat {
    /// The library's format; `None` for kinfolk's own network file.
    pub(crate) fn foreign(self) -> Option<Format> {
        match self {
            Self::Json => None,
            Self::Foreign(format) => Some(format),
        }
    }

    fn of(file: &Path, flag: &str) -> Result<Self, Failure> {
        let extension = file.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        let known = match Format::from_extension(extension) {
            Some(format) => Some(Self::Foreign(format)),
            None => Self::from_name(&extension.to_ascii_lowercase()),
        };
        known.ok_or_else(|| {
            let names: Vec<&str> = Self::all().map(Self::name).collect();
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
