//! The evidence as an SVG heat map of arcs by data sets: blue if a data set supports the arc, orange if it opposes it.

use askama::Template;

use crate::drawing::sign;
use crate::palette::{self, Colour};
use crate::report::{Report, ReportArc};
use crate::text::{self, clean, isolated, shortened};

/// The width of a colour of the scale, and the number of colours.
const SCALE_STEP: f64 = 44.0;
const SCALE_STEPS: usize = 9;

/// The size of the figure's letters.
const LETTERS: f64 = 12.0;

/// With more data sets, cells are narrow and have no numbers.
const NUMBERS_FIT: usize = 14;

#[derive(Template)]
#[template(path = "evidence.svg")]
struct EvidenceFigure {
    width: f64,
    height: f64,
    head: f64,
    label_width: f64,
    cell_width: f64,
    numbers: bool,
    title: String,
    /// Lines of text with their vertical positions.
    legend: [(f64, &'static str); 2],
    /// The colours with their values, from against to for.
    scale: Vec<FigureCell>,
    scale_top: f64,
    scale_step: f64,
    columns: Vec<FigureColumn>,
    rows: Vec<FigureRow>,
    /// The position of the separator above the absent arcs, if there are any.
    parting: Option<f64>,
}

struct FigureColumn {
    x: f64,
    name: String,
    label: String,
}

struct FigureRow {
    y: f64,
    name: String,
    label: String,
    cells: Vec<FigureCell>,
}

struct FigureCell {
    x: f64,
    text: String,
    colour: String,
    ink: Colour,
}

/// The evidence of every data set for every arc as an SVG file; `None` if it is unknown.
pub fn evidence_svg(report: &Report) -> Option<String> {
    let most = most(report)?;
    let arc_name = |arc: &ReportArc, shown: fn(&str) -> String| {
        let name = |node: usize| isolated(&shown(&clean(&report.variables[node].name)));
        format!("{} {} {}", name(arc.from), sign(arc), name(arc.to))
    };
    let data_sets: Vec<String> =
        report.data_sets.iter().map(|data_set| isolated(&shortened(&clean(&data_set.name)))).collect();
    let widest = |labels: &mut dyn Iterator<Item = String>| {
        labels.map(|label| text::width(&label, LETTERS)).fold(0.0, f64::max)
    };
    let numbers = report.data_sets.len() <= NUMBERS_FIT;
    let cell_width = if numbers { 58.0 } else { 20.0 };
    let label_width = 24.0 + widest(&mut shown(report).map(|arc| arc_name(arc, shortened)));
    let longest = widest(&mut data_sets.iter().cloned());
    // The names of data sets are slanted by 50 degrees.
    let (rise, run) = (0.77 * longest, 0.65 * longest);
    let head = 24.0 + rise;
    let left = |column: usize| label_width + cell_width * column as f64;
    let row = |y: f64, arc: &ReportArc| {
        let cell = |(column, &gain): (usize, &f64)| {
            let (colour, ink) = colour(gain, most);
            FigureCell { x: left(column), text: format!("{gain:.1}"), colour, ink }
        };
        let cells = arc.evidence()?.iter().enumerate().map(cell).collect();
        let (name, label) = (arc_name(arc, str::to_owned), arc_name(arc, shortened));
        Some(FigureRow { y, name, label, cells })
    };
    let mut rows: Vec<FigureRow> = Vec::new();
    // As on the page: by decreasing gain; the sort is stable.
    let mut sorted: Vec<&ReportArc> = report.arcs.iter().collect();
    sorted.sort_by(|a, b| b.gain.unwrap_or(0.0).total_cmp(&a.gain.unwrap_or(0.0)));
    for arc in sorted {
        rows.extend(row(head + 24.0 * rows.len() as f64, arc));
    }
    let mut bottom = head + 24.0 * rows.len() as f64;
    let mut parting = None;
    for arc in left_out(report).iter().filter(|arc| arc.evidence().is_some()) {
        // A separator follows the arcs of the network.
        if parting.is_none() {
            parting = Some(bottom + 18.0);
            bottom += 26.0;
        }
        rows.extend(row(bottom, arc));
        bottom += 24.0;
    }
    let legend = legend(report);
    let legend_width = 32.0 + widest(&mut legend.iter().map(|&line| line.to_owned()));
    let legend_width = legend_width.max(32.0 + SCALE_STEP * SCALE_STEPS as f64);
    let figure = EvidenceFigure {
        // The slanted name of the last data set extends to the right.
        width: (left(report.data_sets.len()) + 16.0 + run).max(legend_width).ceil(),
        height: (bottom + 84.0).ceil(),
        head,
        label_width,
        cell_width,
        numbers,
        title: clean(&report.title),
        scale: scale(most),
        scale_top: bottom + 16.0,
        scale_step: SCALE_STEP,
        legend: [(bottom + 54.0, legend[0]), (bottom + 72.0, legend[1])],
        columns: report
            .data_sets
            .iter()
            .enumerate()
            .map(|(column, data_set)| FigureColumn {
                x: left(column) + cell_width / 2.0,
                name: clean(&data_set.name),
                label: data_sets[column].clone(),
            })
            .collect(),
        rows,
        parting,
    };
    Some(figure.render().expect("a figure is written to memory"))
}

/// The strongest absent arcs, if they were computed.
fn left_out(report: &Report) -> &[ReportArc] {
    report.explanation.as_ref().map_or(&[], |explained| &explained.left_out)
}

/// All arcs of the figure.
fn shown(report: &Report) -> impl Iterator<Item = &ReportArc> {
    report.arcs.iter().chain(left_out(report))
}

/// Colours at equal steps of the scale, with their evidence.
fn scale(most: f64) -> Vec<FigureCell> {
    let half = (SCALE_STEPS / 2) as f64;
    let steps = (0..SCALE_STEPS).map(|step| (step as f64 - half) / half);
    let cells = steps.enumerate().map(|(step, place)| {
        let gain = place.signum() * (place.abs() * most.ln_1p()).exp_m1();
        let (colour, ink) = colour(gain, most);
        let text = if most < 10.0 { format!("{gain:.1}") } else { format!("{gain:.0}") };
        let text = if place == 0.0 { "0".to_owned() } else { text };
        FigureCell { x: 16.0 + SCALE_STEP * step as f64, text, colour, ink }
    });
    cells.collect()
}

/// The meaning of the numbers and colours.
fn legend(report: &Report) -> [&'static str; 2] {
    let numbers = if shown(report).any(|arc| arc.by_data_set.is_some()) {
        "Gain in score of each link, by data set"
    } else {
        "Evidence of each data set for each link, given the other data sets"
    };
    [numbers, "blue: for the link; orange: against it; natural logarithms"]
}

/// The largest absolute evidence; `None` if there is none.
fn most(report: &Report) -> Option<f64> {
    let gains = shown(report).filter_map(ReportArc::evidence).flatten();
    gains.filter(|gain| gain.is_finite()).map(|gain| gain.abs()).reduce(f64::max)
}

/// White at 0; evidence spans orders of magnitude, so colour is logarithmic. The page uses the same scale.
fn colour(gain: f64, most: f64) -> (String, Colour) {
    let share = if gain.is_finite() { gain.abs().ln_1p() / most.ln_1p().max(1e-9) } else { 0.0 };
    let strong = if gain < 0.0 { palette::AGAINST } else { palette::FOR }.channels();
    let paper = palette::PAPER.channels();
    let mix = |channel: usize| {
        let (paper, strong) = (f64::from(paper[channel]), f64::from(strong[channel]));
        (paper + (strong - paper) * share).round()
    };
    let ink = if share > 0.55 { palette::STRONG_INK } else { palette::INK };
    (format!("rgb({},{},{})", mix(0), mix(1), mix(2)), ink)
}
