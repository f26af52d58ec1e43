//! Figures and the self-contained HTML page of a network, made from plain result structs.
//!
//! It computes no statistics: what it shows was found by [`kinfolk`], and what was not found is not shown.

mod drawing;
mod evidence;
mod layout;
mod page;
mod report;

pub use drawing::network_svg;
pub use evidence::evidence_svg;
pub use page::page;
pub use report::{Arc, DataSet, Node, Report, Search, Tables, Verdict, default_title};
