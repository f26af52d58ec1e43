//! `kinfolk report`: a page that shows a network, learned now or before, and its figures.

use std::path::{Path, PathBuf};

use kinfolk::data::Description;
use kinfolk_report::{Report, default_title, evidence_svg, network_svg, page, png};
use serde_json::{Map, Value, json};

use super::found::{How, find};
use super::shown::Shown;
use crate::args::{CommonArgs, Depth, ReportArgs};
use crate::failure::Failure;
use crate::inputs::read_network;
use crate::out_file::OutFile;
use crate::output;
use crate::timing::Stopwatch;

pub(crate) fn run(args: &ReportArgs, common: &CommonArgs) -> Result<(), Failure> {
    args.score.check()?;
    args.search.check()?;
    let data = &args.data.0;
    let inputs: Vec<PathBuf> = data.files.iter().chain(&args.network).cloned().collect();
    let out = OutFile::check_named("--out", &args.out, &inputs)?;
    let figures = args.page.figures.as_deref().map(Figures::check).transpose()?;
    let shown = Shown::read(&args.shown)?;
    if args.network.is_some() && args.shown.explain.is_some_and(|depth| depth != Depth::None) {
        let why = "--explain needs the data, and --network has none of them";
        return Err(Failure::Call(format!("{why}; give the data files instead, or leave --explain out")));
    }
    let report = match &args.network {
        Some(file) => {
            let document = read_network(file)?.document();
            let title = args.page.title.clone().or_else(|| Some(stem(file)));
            shown.with_strengths(report_of(title, &document, None)?)?
        }
        None => learned(args, &shown, common)?,
    };
    out.write(page(&report))?;
    let mut written = vec![args.out.display().to_string()];
    if let Some(figures) = figures {
        written.extend(figures.write(&report)?);
    }
    if common.json {
        return output::print_json(&json!({ "structure": report.structure, "written": written }));
    }
    output::print(&format!("network  {}\nwritten  {}", report.structure, written.join(", ")))
}

/// A network found in the data, with its page's description of them.
fn learned(args: &ReportArgs, shown: &Shown, common: &CommonArgs) -> Result<Report, Failure> {
    let how = How { data: &args.data.0, score: &args.score, search: &args.search, method: args.method };
    let mut found = find(&how, common, &mut Stopwatch::start())?;
    found.result.insert("provenance".to_owned(), super::provenance(&found.reading.data));
    let description = found.reading.description.clone();
    let report = report_of(args.page.title.clone(), &found.result, Some(description))?;
    shown.complete(report, &how, &found, common)
}

/// The report of a result; without a title it is named after its data sets.
pub(crate) fn report_of(
    title: Option<String>,
    result: &Map<String, Value>,
    description: Option<Description>,
) -> Result<Report, Failure> {
    let title = title.unwrap_or_else(|| default_title(result));
    Report::from_document(title, result, description)
        .map_err(|error| Failure::Internal(format!("the result cannot be shown: {error}")))
}

/// A file's name without what says its kind.
fn stem(file: &Path) -> String {
    file.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
}

/// The files of `--figures`: each figure as SVG and as PNG.
struct Figures {
    network: [(PathBuf, OutFile); 2],
    evidence: [(PathBuf, OutFile); 2],
}

impl Figures {
    /// Makes the folder and finds out whether files can be written there.
    fn check(folder: &Path) -> Result<Self, Failure> {
        std::fs::create_dir_all(folder)
            .map_err(|reason| Failure::File { file: format!("--figures: {}", folder.display()), reason })?;
        let file = |name: &str| {
            let path = folder.join(name);
            OutFile::check_named("--figures", &path, &[]).map(|file| (path, file))
        };
        Ok(Self {
            network: [file("network.svg")?, file("network.png")?],
            evidence: [file("evidence.svg")?, file("evidence.png")?],
        })
    }

    /// Writes what there is to draw, and says which files that were.
    fn write(&self, report: &Report) -> Result<Vec<String>, Failure> {
        let mut written = Vec::new();
        let drawn = [(&self.network, Some(network_svg(report))), (&self.evidence, evidence_svg(report))];
        for ([drawing, painting], svg) in drawn {
            let Some(svg) = svg else { continue };
            drawing.1.write(&svg)?;
            painting.1.write(png(&svg))?;
            written.extend([drawing, painting].map(|(path, _)| path.display().to_string()));
        }
        Ok(written)
    }
}
