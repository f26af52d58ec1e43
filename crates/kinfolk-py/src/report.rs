//! The page and the drawings of a network.

use kinfolk_report::{Report, default_title, evidence_svg, network_svg, page};
use pyo3::prelude::*;
use serde_json::{Map, Value};

use crate::data::Data;
use crate::error;
use crate::network::Network;

/// The self-contained HTML page; data that the network was learned from are described on it.
#[pyfunction]
pub(crate) fn report(
    network: &Bound<'_, Network>,
    title: Option<String>,
    data: Option<&Bound<'_, Data>>,
) -> PyResult<String> {
    let document = network.get().file.document();
    let title = title.unwrap_or_else(|| default_title(&document));
    let description = data.map(|data| data.get().reading.description.clone());
    let report = Report::from_document(title, &document, description).map_err(error::network)?;
    Ok(page(&report))
}

/// A network as SVG, from the JSON of a result or a network file; and the evidence of every data set for every arc, if it is known.
#[pyfunction]
pub(crate) fn drawings(document: &str, title: Option<String>) -> PyResult<(String, Option<String>)> {
    let document: Map<String, Value> = serde_json::from_str(document).map_err(error::network)?;
    let title = title.unwrap_or_else(|| default_title(&document));
    let report = Report::from_document(title, &document, None).map_err(error::network)?;
    Ok((network_svg(&report), evidence_svg(&report)))
}
