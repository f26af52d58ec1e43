//! The HTML page: the drawn figure, the data as JSON, and the script that displays them.

use askama::Template;
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::drawing::page_svg;
use crate::palette;
use crate::report::Report;
use crate::text::clean;

const SCRIPT: &str = concat!(
    include_str!("../page/page.js"),
    include_str!("../page/inference.js"),
    include_str!("../page/state.js"),
    include_str!("../page/figure.js"),
    include_str!("../page/bars.js"),
    include_str!("../page/inspector.js"),
    include_str!("../page/findings.js"),
    include_str!("../page/compare.js"),
    include_str!("../page/evidence.js"),
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

/// The complete page as self-contained HTML: no other files, no network access.
pub fn page(report: &Report) -> String {
    let data = data(report);
    // The page runs only the script with this nonce. A name in the data cannot contain the hash of the data.
    let hash = Sha256::digest(&data);
    let nonce = hash.iter().take(16).fold(String::new(), |text, byte| text + &format!("{byte:02x}"));
    let page = Page {
        title: clean(&report.title),
        colours: palette::css(),
        style: include_str!("../page/page.css"),
        script: SCRIPT,
        nonce,
        figure: page_svg(report),
        data,
    };
    page.render().expect("a page is written to memory")
}

/// The report as JSON for a script element: without `<` it cannot end the element. Tables are encoded in binary,
/// because the page computes with all their bits.
fn data(report: &Report) -> String {
    let mut value = serde_json::to_value(report).expect("names are text and keys are names");
    for (node, shown) in report.nodes.iter().zip(value["nodes"].as_array_mut().into_iter().flatten()) {
        if let Some(tables) = &node.tables {
            shown["tables"]["by_data_set"] = tables.by_data_set.iter().map(|table| packed(table)).collect();
            shown["tables"]["pooled"] = packed(&tables.pooled).into();
            shown["tables"]["new"] = packed(&tables.new).into();
            if let Some(shares) = &tables.shrinkage_by_configuration {
                let shares =
                    shares.iter().map(|shares| shares.iter().map(|&share| short(share)).collect::<Value>());
                shown["tables"]["shrinkage_by_configuration"] = shares.collect();
            }
        }
    }
    value.to_string().replace('<', "\\u003c")
}

/// Numbers as base64 of little-endian doubles.
fn packed(numbers: &[f64]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let word =
            three.iter().fold(0_u32, |word, &byte| word << 8 | u32::from(byte)) << (8 * (3 - three.len()));
        for place in 0..4 {
            let letter = char::from(LETTERS[(word >> (18 - 6 * place) & 63) as usize]);
            text.push(if place <= three.len() { letter } else { '=' });
        }
    }
    text
}

/// Six significant digits, for numbers that are only displayed.
fn short(probability: f64) -> f64 {
    format!("{probability:.5e}").parse().unwrap_or(probability)
}
