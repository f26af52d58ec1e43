//! Networks in files: the own lossless one, and those of other programs.
//!
//! The formats of other programs hold one table per node, so a network of several data sets is written for one of its relatives.
//! Probabilities are written with as many digits as it takes to read back the same bits. Names that a format cannot carry are
//! replaced by safe ones and reported as [`Renaming`]s; where the format has room, kinfolk's own reader restores them.
//!
//! | format | holds | original names |
//! |---|---|---|
//! | BIF, XMLBIF, XDSL, NET | tables | restored |
//! | DSC | tables | mapped |
//! | UAI | tables | positions instead |
//! | GraphML | structure, states, tables | restored |
//! | DOT, modelstring | structure | kept |

mod bif;
mod dot;
mod draft;
mod dsc;
mod error;
mod graphml;
mod modelstring;
mod names;
mod net;
mod network_file;
mod rows;
mod tokens;
mod uai;
mod unique_keys;
mod xdsl;
mod xml;
mod xmlbif;

pub use error::FormatError;
pub use names::{Kind, Renaming};
pub use network_file::{FORMAT, NetworkFile, NetworkFileError, Provenance};
pub(crate) use network_file::{OneByOne, head};

use names::Names;

use crate::data::VariableId;
use crate::estimate::{Network, Relative};
use crate::graph::Dag;

/// A file format of other programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// The interchange format of the Bayesian network repository.
    Bif,
    /// BIF as XML.
    Xmlbif,
    /// GeNIe's and SMILE's.
    Xdsl,
    /// Hugin's.
    Net,
    /// Microsoft's.
    Dsc,
    /// The inference competitions': numbers without names.
    Uai,
    /// Graphviz's: the structure, to be drawn.
    Dot,
    /// Graphs as XML, with states and tables as data of the nodes.
    Graphml,
    /// The structure on one line: `[A][B|A]`.
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

    /// The name, which is also the usual extension of files except where [`Self::from_extension`] knows others.
    pub fn name(self) -> &'static str {
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

    /// The format that files with this extension usually have.
    pub fn from_extension(extension: &str) -> Option<Self> {
        let extension = extension.to_ascii_lowercase();
        match extension.as_str() {
            "bifxml" | "xml" => Some(Self::Xmlbif),
            "gv" => Some(Self::Dot),
            "txt" => Some(Self::Modelstring),
            name => Self::ALL.into_iter().find(|format| format.name() == name),
        }
    }

    /// Whether files of this format can hold probabilities.
    pub fn has_tables(self) -> bool {
        !matches!(self, Self::Dot | Self::Modelstring)
    }
}

/// A structure over named nodes, without probabilities.
#[derive(Debug, Clone, PartialEq)]
pub struct Structure {
    /// The names of the nodes, in the graph's order.
    pub names: Vec<String>,
    /// The arcs.
    pub dag: Dag,
}

/// What a file holds.
#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    /// A structure with its tables.
    Network(Network),
    /// A structure alone.
    Structure(Structure),
}

/// A file's text, and the names that it could not carry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// What to put into the file.
    pub text: String,
    /// What stands for what.
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

/// Writes a structure without probabilities; formats of tables refuse it.
pub fn write_structure(structure: &Structure, format: Format) -> Result<Written, FormatError> {
    match format {
        Format::Graphml => Ok(graphml::write_structure(structure)),
        Format::Dot => Ok(dot::write(&structure.names, &structure.dag)),
        Format::Modelstring => Ok(modelstring::write(&structure.names, &structure.dag)),
        other => Err(FormatError::NeedsTables { format: other.name() }),
    }
}

/// Reads a file. Its tables, if it has any, become those of a single data set of the given name.
///
/// Complexity: linear in the length of the text, and that of [`Dag::from_arcs`]. Sizes that a file declares are not believed before
/// its numbers are there; what default rows may add is limited.
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

/// Probabilities in plain decimals, as few digits as give back the same bits: not every program reads exponents.
fn numbers(values: &[f64], separator: &str) -> String {
    values.iter().map(ToString::to_string).collect::<Vec<_>>().join(separator)
}

/// A name as it may stand between quotation marks for people to read, or nothing if some reader could stumble over it.
fn label(name: &str) -> Option<&str> {
    let is_plain = |letter: char| letter.is_alphanumeric() || " _.,:+-<>".contains(letter);
    let safe = !name.is_empty() && name.chars().all(is_plain) && !name.contains("node ");
    safe.then_some(name)
}

/// The states of some parents in each of their configurations, as the file calls them, the first varying slowest.
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
