//! The HTML page: the drawn figure, the data as JSON, and the script that displays them.

use askama::Template;
use sha2::{Digest, Sha256};

use crate::drawing::{clean, network_svg};
use crate::palette;
use crate::report::Report;

const SCRIPT: &str = concat!(
    include_str!("../page/page.js"),
    include_str!("../page/figure.js"),
    include_str!("../page/panel.js"),
    include_str!("../page/verdict.js"),
    include_str!("../page/sections.js"),
    include_str!("../page/start.js")
);

#[derive(Template)]
#[template(path = "page.html")]
struct Page {
    title: String,
    colours: String,
    style: &'static str,
    script: &'static str,
    nonce: String,
    figure: String,
    data: String,
}

/// The whole page as HTML that needs nothing else: no other file, no network.
pub fn page(report: &Report) -> String {
    let data = data(report);
    // The page runs one script, the one with this word. A name in the data cannot hold the hash of the data.
    let hash = Sha256::digest(&data);
    let nonce = hash.iter().take(16).fold(String::new(), |text, byte| text + &format!("{byte:02x}"));
    let page = Page {
        title: clean(&report.title),
        colours: palette::css(),
        style: include_str!("../page/page.css"),
        script: SCRIPT,
        nonce,
        figure: network_svg(report),
        data,
    };
    page.render().expect("a page is written to memory")
}

/// The report as JSON that can stand inside a script element: without `<` nothing can end it.
fn data(report: &Report) -> String {
    let mut report = report.clone();
    for tables in report.nodes.iter_mut().filter_map(|node| node.tables.as_mut()) {
        let all = tables.by_data_set.iter_mut().chain([&mut tables.pooled, &mut tables.new]);
        let shares = tables.shrinkage_by_configuration.iter_mut().flatten();
        all.chain(shares).flatten().for_each(|probability| *probability = short(*probability));
    }
    let json = serde_json::to_string(&report).expect("names are text and keys are names");
    json.replace('<', "\\u003c")
}

/// Six significant digits: a page is read by eyes, and a network file keeps every bit.
fn short(probability: f64) -> f64 {
    format!("{probability:.5e}").parse().unwrap_or(probability)
}
