//! Network files: the lossless JSON format and the formats of other programs.
//!
//! The formats of other programs hold one table per node, so a network of several data sets is written for one of them,
//! for all rows pooled, or for a new data set.
//! Probabilities are written with enough digits to restore the same bits. Names that a format does not allow are replaced by safe
//! names and reported as [`Renaming`]s. If the format has a field for the original names, kinfolk's reader restores them.
//!
//! | format | holds | original names |
//! |---|---|---|
//! | BIF, XMLBIF, XDSL, NET | tables | restored |
//! | DSC | tables | mapped |
//! | UAI | tables | positions instead |
//! | GraphML | structure, states, tables | restored |
//! | DOT, modelstring | structure | kept |
//!
//! `jkl` holds local scores, not networks, for programs that search.

mod bif;
mod dot;
mod draft;
mod dsc;
mod error;
mod graphml;
mod jkl;
mod modelstring;
mod names;
mod net;
mod network_file;
mod recorded;
mod table_builder;
mod tokens;
mod uai;
mod unique_keys;
mod xdsl;
mod xml;
mod xmlbif;

pub use error::FormatError;
pub use jkl::{LocalScores, read_jkl, write_jkl};
pub use names::{NameKind, Renaming};
#[doc(hidden)]
pub use network_file::LazyList;
pub(crate) use network_file::head;
pub use network_file::{FORMAT, NetworkFile, NetworkFileError, Provenance};
pub use recorded::{Recorded, RecordedError, Taken};

use names::Names;

use crate::data::VariableId;
use crate::estimate::{Network, Relative};
use crate::graph::Dag;
use crate::score::NamedChoice;

/// A file format of another program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// BIF, the interchange format of the Bayesian network repository.
    Bif,
    /// XMLBIF, the XML form of BIF.
    Xmlbif,
    /// XDSL (GeNIe and SMILE).
    Xdsl,
    /// NET (Hugin).
    Net,
    /// DSC (Microsoft Belief Networks).
    Dsc,
    /// UAI (inference competitions): numbers without names.
    Uai,
    /// DOT (Graphviz): the structure, for drawing.
    Dot,
    /// GraphML: graphs as XML, with states and tables as node data.
    Graphml,
    /// A modelstring: the structure on one line, `[A][B|A]`.
    Modelstring,
}

impl Format {
    /// All formats.
    pub const ALL: [Self; 9] = [
        Self::Bif,
        Self::Xmlbif,
        Self::Xdsl,
        Self::Net,
        Self::Dsc,
        Self::Uai,
        Self::Dot,
        Self::Graphml,
        Self::Modelstring,
    ];

    /// The format for a file extension.
    pub fn from_extension(extension: &str) -> Option<Self> {
        match extension.to_ascii_lowercase().as_str() {
            "xml" => Some(Self::Xmlbif),
            "gv" => Some(Self::Dot),
            "txt" => Some(Self::Modelstring),
            name => Self::from_name(name),
        }
    }

    /// Whether the format can hold probabilities.
    pub fn has_tables(self) -> bool {
        !matches!(self, Self::Dot | Self::Modelstring)
    }
}

impl NamedChoice for Format {
    fn all() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter()
    }

    /// The name is also the usual file extension; [`Format::from_extension`] accepts further ones.
    fn name(self) -> &'static str {
        match self {
            Self::Bif => "bif",
            Self::Xmlbif => "xmlbif",
            Self::Xdsl => "xdsl",
            Self::Net => "net",
            Self::Dsc => "dsc",
            Self::Uai => "uai",
            Self::Dot => "dot",
            Self::Graphml => "graphml",
            Self::Modelstring => "modelstring",
        }
    }

    fn about(self) -> &'static str {
        match self {
            Self::Bif => "BIF, read by bnlearn, pgmpy and pyAgrum",
            Self::Xmlbif => "BIF as XML, read by WEKA, pgmpy and pyAgrum",
            Self::Xdsl => "The format of GeNIe and SMILE",
            Self::Net => "The format of Hugin",
            Self::Dsc => "The format of Microsoft Belief Networks (MSBN)",
            Self::Uai => "The format of the UAI inference competitions: numbers without names",
            Self::Dot => "Graphviz: the structure alone",
            Self::Graphml => "GraphML: the graph as XML, with states and tables as attributes",
            Self::Modelstring => "The structure as one line of text",
        }
    }

    fn aliases(self) -> &'static [&'static str] {
        if self == Self::Xmlbif { &["bifxml"] } else { &[] }
    }
}

/// A structure over named nodes, without probabilities.
#[derive(Debug, Clone, PartialEq)]
pub struct Structure {
    /// The names of the nodes, in the order of the graph.
    pub names: Vec<String>,
    /// The arcs.
    pub dag: Dag,
}

/// The content of a file.
#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    /// A structure with its tables.
    Network(Network),
    /// A structure without probabilities.
    Structure(Structure),
}

/// The text of a file, and the names that were replaced in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// The content of the file.
    pub text: String,
    /// The replaced names.
    pub renamed: Vec<Renaming>,
}

/// Writes the tables of one relative.
pub fn write(network: &Network, relative: Relative, format: Format) -> Written {
    match format {
        Format::Bif => bif::write(network, relative),
        Format::Xmlbif => xmlbif::write(network, relative),
        Format::Xdsl => xdsl::write(network, relative),
        Format::Net => net::write(network, relative),
        Format::Dsc => dsc::write(network, relative),
        Format::Uai => uai::write(network, relative),
        Format::Graphml => graphml::write(network, relative),
        Format::Dot => dot::write(&network.schema().names(), network.dag()),
        Format::Modelstring => modelstring::write(&network.schema().names(), network.dag()),
    }
}

/// Writes a structure without probabilities; an error for formats that require tables.
pub fn write_structure(structure: &Structure, format: Format) -> Result<Written, FormatError> {
    match format {
        Format::Graphml => Ok(graphml::write_structure(structure)),
        Format::Dot => Ok(dot::write(&structure.names, &structure.dag)),
        Format::Modelstring => Ok(modelstring::write(&structure.names, &structure.dag)),
        other => Err(FormatError::NeedsTables { format: other.name() }),
    }
}

/// Reads a file. Its tables, if any, become those of a single data set with the given name.
///
/// Complexity: linear in the length of the text, plus that of [`Dag::from_arcs`]. Declared sizes allocate no memory until the
/// numbers are read; the rows that a default row fills are limited.
pub fn read(text: &str, format: Format, data_set: &str) -> Result<Content, FormatError> {
    match format {
        Format::Bif => bif::read(text, data_set).map(Content::Network),
        Format::Xmlbif => xmlbif::read(text, data_set).map(Content::Network),
        Format::Xdsl => xdsl::read(text, data_set).map(Content::Network),
        Format::Net => net::read(text, data_set).map(Content::Network),
        Format::Dsc => dsc::read(text, data_set).map(Content::Network),
        Format::Uai => uai::read(text, data_set).map(Content::Network),
        Format::Graphml => graphml::read(text, data_set),
        Format::Dot => dot::read(text).map(Content::Structure),
        Format::Modelstring => modelstring::read(text).map(Content::Structure),
    }
}

/// Formats a probability in decimal notation with the fewest digits that restore its bits. Some programs cannot read exponents.
fn numbers(values: &[f64], separator: &str) -> String {
    values.iter().map(ToString::to_string).collect::<Vec<_>>().join(separator)
}

/// A name to display between quotation marks, or `None` if a reader could misparse it.
fn label(name: &str) -> Option<&str> {
    let is_plain = |letter: char| letter.is_alphanumeric() || " _.,:+-<>".contains(letter);
    let safe = !name.is_empty() && name.chars().all(is_plain) && !name.contains("node ");
    safe.then_some(name)
}

/// The parents' states in each of their configurations, with the names in the file; the first parent varies slowest.
fn configurations<'a>(names: &'a Names, parents: &[VariableId]) -> Vec<Vec<&'a str>> {
    let mut rows = vec![Vec::new()];
    for &parent in parents {
        let states = names.states(parent);
        let longer = rows.iter().flat_map(|row: &Vec<&str>| {
            states.iter().map(move |state| row.iter().copied().chain([state.as_str()]).collect())
        });
        rows = longer.collect();
    }
    rows
}
