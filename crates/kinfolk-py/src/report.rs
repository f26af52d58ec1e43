//! The HTML report and the drawings of a network, for Python.

use kinfolk::remedy::Actionable;
use kinfolk_report::{
    MOST_PROBABILITIES, Report, Strengths, StrengthsError, default_title, evidence_svg, network_svg, page,
};
use pyo3::prelude::*;
use serde_json::{Map, Value};

use crate::data::Data;
use crate::error;
use crate::network::Network;
use crate::wording::Keywords;

/// The self-contained HTML page, the network as SVG and, if known, the evidence. The page describes the data from which
/// the network was learned; an explanation and bootstrap strengths are JSON, as printed by their commands.
#[pyfunction]
pub(crate) fn report(
    network: &Bound<'_, Network>,
    title: Option<String>,
    data: Option<&Bound<'_, Data>>,
    explanation: Option<&str>,
    strengths: Option<&str>,
) -> PyResult<(String, String, Option<String>)> {
    let document = network.get().file.document_up_to(MOST_PROBABILITIES);
    let title = title.unwrap_or_else(|| default_title(&document));
    let description = data.map(|data| data.get().reading.description.clone());
    let mut report = Report::from_document(title, &document, description).map_err(error::network)?;
    if let Some(text) = explanation {
        report = report.with_explanation_json(text).map_err(error::network)?;
    }
    if let Some(text) = strengths {
        let refused =
            |error: StrengthsError| error::network(format!("bootstrap: it {}", error.message(&Keywords)));
        let strengths = Strengths::from_json(text).map_err(refused)?;
        report = report.with_strengths(&strengths).map_err(refused)?;
    }
    Ok((page(&report), network_svg(&report), evidence_svg(&report)))
}

/// The colours of evidence against an arc, of none, and of evidence for it.
#[pyfunction]
pub(crate) fn evidence_colours() -> [String; 3] {
    kinfolk_report::evidence_colours()
}

/// A network as SVG, from the JSON of a result or a network file; and the evidence of every data set for every arc, if
/// known.
#[pyfunction]
pub(crate) fn drawings(document: &str, title: Option<String>) -> PyResult<(String, Option<String>)> {
    let document: Map<String, Value> = serde_json::from_str(document).map_err(error::network)?;
    let title = title.unwrap_or_else(|| default_title(&document));
    let report = Report::from_document(title, &document, None).map_err(error::network)?;
    Ok((network_svg(&report), evidence_svg(&report)))
}
