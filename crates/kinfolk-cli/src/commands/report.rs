//! `kinfolk report`: writes the HTML report on a network, and its figures.

use std::path::{Path, PathBuf};

use kinfolk::data::{Description, RelatedData};
use kinfolk::formats::NetworkFile;
use kinfolk::learned::FilledIn;
use kinfolk_report::{
    MOST_PROBABILITIES, Report, command_without_folders, default_title, evidence_svg, learned_with,
    network_svg, page, png,
};
use serde_json::{Map, Value, json};

use super::found::{LearnInputs, find, insert_warnings, score_given};
use super::shown::Shown;
use crate::args::{CommonArgs, Depth, ReportArgs};
use crate::failure::Failure;
use crate::inputs::{read_network, read_structure, structure_over, structure_settings};
use crate::out_file::{OutFile, check_apart};
use crate::output;
use crate::timing::Stopwatch;

pub(crate) fn run(args: &mut ReportArgs, common: &CommonArgs) -> Result<(), Failure> {
    adopt(args, common)?;
    let args = &*args;
    args.score.check()?;
    args.search.check()?;
    let data = &args.data.0;
    let others = args.network.iter().chain(&args.shown.bootstrap);
    let inputs: Vec<PathBuf> = data.files.iter().chain(others).cloned().collect();
    let figures = args.page.figures.as_deref();
    let drawn: Vec<PathBuf> =
        figures.iter().flat_map(|folder| FIGURES.map(|name| folder.join(name))).collect();
    check_apart(
        [("--out", Some(args.out.as_path()))]
            .into_iter()
            .chain(drawn.iter().map(|file| ("--figures", Some(file.as_path())))),
    )?;
    let out = OutFile::check_named("--out", &args.out, &inputs)?;
    let figures = figures.map(|folder| Figures::check(folder, &inputs)).transpose()?;
    let shown = Shown::read(&args.shown)?;
    let report = match &args.network {
        Some(file) if data.files.is_empty() => {
            if args.shown.explain.is_some_and(|depth| depth != Depth::None) {
                let why = "--explain needs the data, which a network file does not hold";
                return Err(Failure::Call(format!("{why}; give the data files too, or leave --explain out")));
            }
            let document = read_network(file)?.document_up_to(MOST_PROBABILITIES);
            let title = args.page.title.clone().or_else(|| Some(stem(file)));
            let report = Report::from_document(title.unwrap_or_default(), &document, None);
            let report = report.map_err(|error| Failure::Call(format!("{}: {error}", file.display())))?;
            shown.with_strengths(report, common)?
        }
        _ => with_data(args, &shown, common)?,
    };
    out.write(page(&report))?;
    let mut written = vec![args.out.display().to_string()];
    if let Some(figures) = figures {
        written.extend(figures.write(&report)?);
    }
    if common.json {
        return output::print_json(&json!({ "structure": report.structure, "written": written }));
    }
    let missing = report.missing.as_ref().map(|filled_in| {
        let columns = filled_columns(&report, filled_in);
        let variables = report.description.iter().flat_map(|description| &description.variables);
        let values: u64 = variables.flat_map(|variable| &variable.missing).sum();
        // A network file alone does not hold their number.
        let values = if values == 0 { String::new() } else { output::plural(values, "value") + ", " };
        format!("\nmissing  {values}{}\nin       {columns}", output::missing_text(filled_in))
    });
    let missing = missing.unwrap_or_default();
    output::print(&format!("network  {}{missing}\nwritten  {}", report.structure, written.join(", ")))
}

/// The columns with missing values, each with the data sets and the share of their rows: `b (p 20 %, q 100 %)`.
fn filled_columns(report: &Report, filled_in: &FilledIn) -> String {
    let lacks = |name: &&str| filled_in.columns.iter().any(|cell| cell.column == **name);
    let names = report.variables.iter().map(|variable| variable.name.as_str()).filter(lacks);
    let names: Vec<&str> = names.collect();
    let of_column = |name: &&str| {
        let cells = filled_in.columns.iter().filter(|cell| cell.column == **name);
        let shares = cells.map(|cell| {
            format!("{} {} %", output::short_name(&cell.data_set), output::fixed(100.0 * cell.share, 1))
        });
        format!("{} ({})", output::short_name(name), first(shares.collect()))
    };
    let mut columns: Vec<String> = names.iter().take(NAMED).map(of_column).collect();
    columns.resize(names.len(), String::new());
    first(columns)
}

/// The first names of a list, and the number of the others.
fn first(names: Vec<String>) -> String {
    let more = names.len().saturating_sub(NAMED);
    let shown = names.into_iter().take(NAMED).collect::<Vec<_>>().join(", ");
    if more == 0 { shown } else { format!("{shown} and {more} more") }
}

/// The limit on listed columns, and on data sets of each.
const NAMED: usize = 8;

/// Takes defaults from the network file, if there is one in addition to data.
fn adopt(args: &mut ReportArgs, common: &CommonArgs) -> Result<(), Failure> {
    let file =
        args.network.as_ref().map(|file| file.display().to_string()).or_else(|| args.structure.clone());
    let Some(file) = file.filter(|_| !args.data.0.files.is_empty()) else { return Ok(()) };
    args.recorded.adopt(&file, &structure_settings(&file)?, &mut args.data.0, &mut args.score, common)
}

/// The report on a network with data: the given network, or one learned now.
fn with_data(args: &ReportArgs, shown: &Shown, common: &CommonArgs) -> Result<Report, Failure> {
    // Errors in a small file are reported before large files are read.
    let given =
        args.network.as_deref().map(|path| read_network(path).map(|file| (path, file))).transpose()?;
    let searched = given.as_ref().and_then(|(_, file)| learned_with(&file.other, &file.settings));
    let how =
        LearnInputs { data: &args.data.0, score: &args.score, search: &args.search, method: args.method };
    let reading = super::read_data(how.data, common)?;
    shown.check(&reading.data)?;
    let names = reading.data.schema().names();
    let mut notes = Vec::new();
    let ((found, description, mut result), made) = match (given, &args.structure) {
        (Some((path, file)), _) => {
            let dag = structure_over(&file, path, &names)?;
            let same = same_data(&file, &reading.data);
            if !same && args.method.is_none() {
                let note = format!(
                    "{} was not learned from these data as read here: the page shows its structure, with tables estimated from these data",
                    path.file_name().unwrap_or(path.as_os_str()).display()
                );
                if !common.quiet {
                    output::note(&format!("note: {note}"));
                }
                notes.push(note);
            }
            let made = file.settings.get("tables").cloned().unwrap_or_else(|| json!(file.settings));
            let own = (same && args.method.is_none()).then_some((file.network, made));
            (score_given(&how, reading, dag, own, common)?, file.provenance)
        }
        (None, Some(text)) => {
            let dag = read_structure(text, "--structure", &names)?;
            (score_given(&how, reading, dag, None, common)?, None)
        }
        (None, None) => {
            let searched = find(&how, reading, common, &mut Stopwatch::start())?;
            let mut result = searched.learned.into_document(searched.network);
            insert_warnings(&mut result, &searched.warnings);
            ((searched.found, searched.description, result), None)
        }
    };
    result.insert("provenance", json!(super::page_provenance(&found.data)));
    let document = result.object_up_to(MOST_PROBABILITIES);
    // The explanation takes memory too.
    drop(result);
    let mut report = report_of(args.page.title.clone(), &document, Some(description))?;
    report.notes.extend(notes);
    report.network_from = made.map(command_without_folders);
    report.learned_with = report.learned_with.or(searched);
    shown.complete(report, &how, &found, common)
}

/// Whether a network was learned from the same data.
fn same_data(file: &NetworkFile, data: &RelatedData) -> bool {
    let made_from = file.provenance.as_ref().and_then(|provenance| provenance.data_hash.as_ref());
    made_from.is_some_and(|hash| *hash == data.fingerprint())
}

/// The report on a result; the default title is the names of the data sets.
pub(crate) fn report_of(
    title: Option<String>,
    result: &Map<String, Value>,
    description: Option<Description>,
) -> Result<Report, Failure> {
    let title = title.unwrap_or_else(|| default_title(result));
    Report::from_document(title, result, description)
        .map_err(|error| Failure::Internal(format!("the result cannot be shown: {error}")))
}

/// A file name without its extension.
fn stem(file: &Path) -> String {
    file.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
}

/// The file names of `--figures`.
const FIGURES: [&str; 4] = ["network.svg", "network.png", "evidence.svg", "evidence.png"];

/// The files of `--figures`: each figure as SVG and as PNG.
struct Figures {
    network: [(PathBuf, OutFile); 2],
    evidence: [(PathBuf, OutFile); 2],
}

impl Figures {
    /// Creates the folder and checks that files can be written there.
    fn check(folder: &Path, inputs: &[PathBuf]) -> Result<Self, Failure> {
        let place = folder.display();
        if folder.is_file() {
            return Err(Failure::Call(format!(
                "--figures: {place} is a file; give a folder, which is created if it does not exist"
            )));
        }
        std::fs::create_dir_all(folder).map_err(|reason| {
            Failure::Call(format!(
                "--figures: the folder {place} cannot be created ({reason}); name one where files can be written"
            ))
        })?;
        let file = |name: &str| {
            let path = folder.join(name);
            OutFile::check_named("--figures", &path, inputs).map(|file| (path, file))
        };
        let [network_svg, network_png, evidence_svg, evidence_png] = FIGURES.map(file);
        Ok(Self { network: [network_svg?, network_png?], evidence: [evidence_svg?, evidence_png?] })
    }

    /// Writes the figures and returns the names of the files.
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
