//! The page and the drawings of a network.

use kinfolk_report::{Report, evidence_svg, network_svg, page};
use pyo3::prelude::*;

use crate::error;
use crate::network::Network;

/// The self-contained HTML page.
#[pyfunction]
pub(crate) fn report(network: &Bound<'_, Network>, title: String) -> PyResult<String> {
    Ok(page(&shown(network, title)?))
}

/// The network as SVG; and the evidence of every data set for every arc, if it is known.
#[pyfunction]
pub(crate) fn drawings(network: &Bound<'_, Network>, title: String) -> PyResult<(String, Option<String>)> {
    let report = shown(network, title)?;
    Ok((network_svg(&report), evidence_svg(&report)))
}

fn shown(network: &Bound<'_, Network>, title: String) -> PyResult<Report> {
    Report::from_document(title, &network.get().file.document(), None).map_err(error::network)
}
