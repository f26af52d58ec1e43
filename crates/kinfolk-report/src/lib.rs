//! Figures and the self-contained HTML page of a network, made from plain result structs.
//!
//! This package computes no statistics: it shows the results of [`kinfolk`].

#[cfg(feature = "png")]
mod bitmap;
mod drawing;
mod evidence;
mod explained;
mod layout;
mod ordering;
mod page;
mod palette;
mod ranks;
mod report;
mod routes;
mod sharing;
mod strengths;
mod text;

#[cfg(feature = "png")]
pub use bitmap::{FONT_LICENCES, png};
pub use drawing::network_svg;
pub use evidence::evidence_svg;
pub use explained::Explained;
pub use page::page;
pub use palette::evidence_colours;
pub use report::{
    DataSet, MOST_PROBABILITIES, Node, Report, ReportArc, SearchSummary, Tables, default_title, learned_with,
};
pub use sharing::command_without_folders;
pub use strengths::{Ends, PairStrength, Strengths, StrengthsError, WithoutOne};
