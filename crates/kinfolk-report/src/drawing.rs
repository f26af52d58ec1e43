//! The network as an SVG figure in layers: the width of an arc shows its strength, its colour the agreement of the data
//! sets.

use askama::Template;
use kinfolk::data::Variable;

use crate::layout::{self, NodeSize};
use crate::palette::{self, Colour};
use crate::report::{Report, ReportArc};
use crate::routes::{self, Boxes, tenth};
use crate::text::{self, clean, isolated, shortened};

/// The size of the figure's letters, and of those of its legend.
const NAME_SIZE: f64 = 13.0;
const LEGEND_SIZE: f64 = 12.0;

/// The widths of the weakest and of the strongest arc.
const WIDTHS: (f64, f64) = (1.25, 6.0);

/// In how many data sets an arc raises the score.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Support {
    All,
    Nearly,
    Most,
    Few,
    Unknown,
}

impl Support {
    pub(crate) fn of(arc: &ReportArc) -> Self {
        arc.support().map_or(Self::Unknown, |(supporting, all)| Self::among(supporting, all))
    }

    fn among(supporting: usize, all: usize) -> Self {
        match 4 * supporting {
            quarters if quarters == 4 * all => Self::All,
            quarters if quarters >= 3 * all => Self::Nearly,
            quarters if quarters > 2 * all => Self::Most,
            _ => Self::Few,
        }
    }

    pub(crate) fn colour(self) -> Colour {
        match self {
            Self::All => palette::ALL,
            Self::Nearly => palette::NEARLY,
            Self::Most => palette::MOST,
            Self::Few => palette::FEW,
            Self::Unknown => palette::UNKNOWN,
        }
    }

    /// Dash patterns, so that colour is never the only sign.
    pub(crate) fn dashes(self) -> &'static str {
        match self {
            Self::All | Self::Unknown => "none",
            Self::Nearly => "18 3",
            Self::Most => "9 3",
            Self::Few => "3 3",
        }
    }

    pub(crate) fn class(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Nearly => "nearly",
            Self::Most => "most",
            Self::Few => "few",
            Self::Unknown => "unknown",
        }
    }

    /// Its meaning, also for a single data set.
    pub(crate) fn words(self, several: bool) -> &'static str {
        match self {
            Self::All if !several => "the data support it",
            Self::Nearly | Self::Most | Self::Few if !several => "the data do not support it",
            Self::All => "all data sets support it",
            Self::Nearly => "at least three in four",
            Self::Most => "more than half",
            Self::Few => "half or fewer",
            Self::Unknown => "no evidence by data set",
        }
    }
}

#[derive(Template)]
#[template(path = "network.svg")]
struct NetworkFigure {
    width: f64,
    height: f64,
    title: String,
    description: String,
    nodes: Vec<DrawnNode>,
    arcs: Vec<DrawnArc>,
    legend: Vec<LegendLine>,
    legend_top: f64,
    width_words: Option<&'static str>,
    width_top: f64,
}

struct DrawnNode {
    index: usize,
    left: f64,
    top: f64,
    width: f64,
    height: f64,
    x: f64,
    y: f64,
    /// The vertical position of the name, below the centre.
    text: f64,
    name: String,
    label: String,
}

struct DrawnArc {
    index: usize,
    name: String,
    path: String,
    head: String,
    width: f64,
    agreement: Support,
}

struct LegendLine {
    agreement: Support,
    words: &'static str,
    left: f64,
}

/// The height of a node without bars.
const NODE_HEIGHT: f64 = 34.0;

/// The size of a node with bars: the name, then one row per state up to a limit.
const BARS_WIDTH: f64 = 176.0;
const BARS_TOP: f64 = 24.0;
const BARS_ROW: f64 = 15.0;
const BARS_MOST: usize = 6;

/// The network as an SVG file.
pub fn network_svg(report: &Report) -> String {
    svg(report, false)
}

/// The network for the page: its nodes have space for bars, which the page's script fills.
pub(crate) fn page_svg(report: &Report) -> String {
    svg(report, report.nodes.iter().all(|node| node.tables.is_some()))
}

fn svg(report: &Report, bars: bool) -> String {
    let labels: Vec<String> =
        report.variables.iter().map(|variable| shortened(&clean(&variable.name))).collect();
    let size = |(label, variable): (&String, &Variable)| -> NodeSize {
        if bars {
            let rows = variable.states.len().min(BARS_MOST) as f64;
            return (node_width(label).max(BARS_WIDTH), BARS_TOP + BARS_ROW * rows + 6.0);
        }
        (node_width(label), NODE_HEIGHT)
    };
    let sizes: Vec<NodeSize> = labels.iter().zip(&report.variables).map(size).collect();
    let ends: Vec<(usize, usize)> = report.arcs.iter().map(|arc| (arc.from, arc.to)).collect();
    let mut placed = layout::place(&sizes, &ends);
    let widest = Width::of(&report.arcs);
    let legend = legend(&report.arcs, report.data_sets.len() > 1);
    let legend_width = legend.last().map_or(0.0, |line| line.left + LEGEND_STEP);
    let legend_width =
        legend_width.max(widest.words().map_or(0.0, |words| 48.0 + text::width(words, LEGEND_SIZE)));
    placed.widen(legend_width);
    let nodes = labels.into_iter().enumerate().map(|(index, label)| {
        let (x, y) = placed.nodes[index];
        DrawnNode {
            index,
            left: -sizes[index].0 / 2.0,
            top: -sizes[index].1 / 2.0,
            width: sizes[index].0,
            height: sizes[index].1,
            x: tenth(x),
            y: tenth(y),
            text: if bars { tenth(16.0 - sizes[index].1 / 2.0) } else { 4.5 },
            name: clean(&report.variables[index].name),
            label,
        }
    });
    let boxes = Boxes::new(&placed.nodes, &sizes);
    let arcs = report.arcs.iter().zip(&placed.arcs).enumerate().map(|(index, (arc, way))| {
        let width = tenth(widest.of_arc(arc));
        let (path, head) = routes::paths(way, width, arc.directed, (arc.from, arc.to), &boxes);
        let name = |node: usize| isolated(&report.variables[node].name);
        let name = format!("{} {} {}", name(arc.from), sign(arc), name(arc.to));
        DrawnArc { index, name, path, head, width, agreement: Support::of(arc) }
    });
    let lines = usize::from(!legend.is_empty()) + usize::from(widest.words().is_some());
    let room = if lines == 0 { 0.0 } else { 12.0 + 22.0 * lines as f64 };
    let figure = NetworkFigure {
        width: placed.width.ceil(),
        height: (placed.height + room).ceil(),
        title: clean(&report.title),
        description: format!("{} nodes, {} arcs", report.nodes.len(), report.arcs.len()),
        nodes: nodes.collect(),
        arcs: arcs.collect(),
        width_words: widest.words(),
        width_top: placed.height.ceil() + if legend.is_empty() { 12.0 } else { 34.0 },
        legend,
        legend_top: placed.height.ceil() + 12.0,
    };
    figure.render().expect("a figure is written to memory")
}

/// The width of a legend entry.
const LEGEND_STEP: f64 = 210.0;

/// The kinds of agreement in the figure, if there is more than one.
fn legend(arcs: &[ReportArc], several: bool) -> Vec<LegendLine> {
    let kinds = [Support::All, Support::Nearly, Support::Most, Support::Few, Support::Unknown];
    let there = kinds.into_iter().filter(|kind| arcs.iter().any(|arc| Support::of(arc) == *kind));
    let lines = there.enumerate();
    let lines: Vec<LegendLine> = lines
        .map(|(place, agreement)| LegendLine {
            agreement,
            words: agreement.words(several),
            left: 24.0 + place as f64 * LEGEND_STEP,
        })
        .collect();
    let says_nothing = |line: &LegendLine| {
        line.agreement == Support::Unknown || (!several && line.agreement == Support::All)
    };
    if lines.iter().all(says_nothing) { Vec::new() } else { lines }
}

/// The quantity that the width of an arc shows.
enum Width {
    /// The share of resamples that contain it.
    Strength,
    /// Its gain in score, relative to the largest gain.
    Gain(f64),
}

impl Width {
    fn of(arcs: &[ReportArc]) -> Self {
        if arcs.iter().any(|arc| arc.strength.is_some()) {
            return Self::Strength;
        }
        Self::Gain(arcs.iter().filter_map(|arc| arc.gain).fold(0.0, f64::max))
    }

    fn of_arc(&self, arc: &ReportArc) -> f64 {
        let share = match self {
            Self::Strength => arc.strength.unwrap_or(0.0),
            // Gains span orders of magnitude: the square root keeps weak ones distinguishable.
            Self::Gain(most) if *most > 0.0 => (arc.gain.unwrap_or(0.0).max(0.0) / most).sqrt(),
            Self::Gain(_) => 0.0,
        };
        WIDTHS.0 + share * (WIDTHS.1 - WIDTHS.0)
    }

    fn words(&self) -> Option<&'static str> {
        match self {
            Self::Strength => Some("Link width: bootstrap strength (share of resamples)."),
            Self::Gain(most) if *most > 0.0 => Some("Link width: loss in score if the link is removed."),
            Self::Gain(_) => None,
        }
    }
}

/// The sign between the names of an arc's endpoints: an arrow only if the data direct it.
pub(crate) fn sign(arc: &ReportArc) -> char {
    if arc.directed { '→' } else { '–' }
}

/// The width of a node with this name.
fn node_width(label: &str) -> f64 {
    (text::width(label, NAME_SIZE) + 26.0).max(52.0).round()
}

#[cfg(test)]
mod tests {
    use super::Support;

    #[test]
    fn agreement_has_four_grades() {
        let grades =
            [(40, 40), (39, 40), (30, 40), (29, 40), (21, 40), (20, 40), (0, 40), (3, 4), (2, 3), (1, 2)];
        let classes = grades.map(|(supporting, all)| Support::among(supporting, all).class());
        let expected = ["all", "nearly", "nearly", "most", "most", "few", "few", "nearly", "most", "few"];
        assert_eq!(classes, expected);
    }
}
