//! The figure of the page: searches against the peers, and BDeu and BHD by the number of rows.

use std::error::Error;
use std::path::Path;

use plotters::coord::Shift;
use plotters::prelude::*;

use super::Results;
use super::peers::Peer;
use super::report::title;

/// The palette of Okabe and Ito, distinguishable with colour vision deficiency.
const BLUE: RGBColor = RGBColor(0, 114, 178);
const ORANGE: RGBColor = RGBColor(213, 94, 0);
const GREEN: RGBColor = RGBColor(0, 158, 115);
const INK: RGBColor = RGBColor(40, 40, 40);

const SIZE: (u32, u32) = (1000, 440);

/// The height of one line of a legend, in pixels, and about that of a panel inside its axes.
const LEGEND_LINE: f64 = 17.0;
const PLOT_HEIGHT: f64 = 340.0;

/// One line of a panel: markers differ as well as colours, for print in grey.
struct PlotLine {
    label: String,
    colour: RGBColor,
    filled: bool,
    points: Vec<(f64, f64)>,
}

/// A drawing area of the figure.
type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

pub(crate) fn draw(file: &Path, results: &Results) -> Result<(), Box<dyn Error>> {
    kinfolk_study::figures::register_built_in_font();
    let root = SVGBackend::new(file, SIZE).into_drawing_area();
    root.fill(&WHITE)?;
    let (left, right) = root.split_horizontally(SIZE.0 / 2);
    panel(&left, "BDeu search, binary data", "variables", &against_the_peers(results))?;
    panel(&right, "50 variables in 10 data sets", "rows in all", &own_growth(results))?;
    root.present()?;
    Ok(())
}

fn against_the_peers(results: &Results) -> Vec<PlotLine> {
    let mut lines = Vec::new();
    for (name, colour, peer) in [
        ("pyAgrum", GREEN, Some(Peer::Pyagrum)),
        ("pybnesian", ORANGE, Some(Peer::Pybnesian)),
        ("kinfolk", BLUE, None),
    ] {
        for rows in [100_000, 10_000] {
            let searches = results.searches.iter().filter(|s| s.binary && s.recipe.rows() == rows);
            let points = searches.filter_map(|search| {
                let cpu = peer.map_or(Some(search.cpu), |peer| search.by(peer).map(|measured| measured.cpu));
                cpu.map(|cpu| (search.recipe.variables as f64, cpu))
            });
            let label = format!("{name}, {} rows", if rows == 10_000 { "1e4" } else { "1e5" });
            lines.push(PlotLine { label, colour, filled: rows == 100_000, points: points.collect() });
        }
    }
    lines.retain(|line| !line.points.is_empty());
    lines
}

fn own_growth(results: &Results) -> Vec<PlotLine> {
    let rows = results.growth.iter().filter(|growth| growth.what.starts_with("rows"));
    let line = |growth: &super::scaling::Growth| PlotLine {
        label: format!("{}, exponent {:.2}", title(growth.score), growth.exponent()),
        colour: if growth.score == "bhd" { ORANGE } else { BLUE },
        filled: growth.score == "bhd",
        points: growth.points.clone(),
    };
    let mut lines: Vec<PlotLine> = rows.map(line).collect();
    lines.reverse();
    lines
}

fn panel(area: &Area<'_>, caption: &str, x_name: &str, lines: &[PlotLine]) -> Result<(), Box<dyn Error>> {
    let points = || lines.iter().flat_map(|line| &line.points);
    let spread = |pick: fn(&(f64, f64)) -> f64| {
        let (low, high) = points().map(pick).fold((f64::INFINITY, 0.0_f64), |(l, h), v| (l.min(v), h.max(v)));
        (low, high)
    };
    let ((left, right), (low, high)) = (spread(|p| p.0), spread(|p| p.1));
    // Space above the lines for the legend.
    let legend = (lines.len() as f64 * LEGEND_LINE + 20.0) / PLOT_HEIGHT;
    let top = high * 1.5 * (high / low).powf(legend / (1.0 - legend));
    let mut ticks: Vec<f64> = points().map(|point| point.0).collect();
    ticks.sort_by(f64::total_cmp);
    ticks.dedup();
    let mut chart = ChartBuilder::on(area)
        .caption(caption, ("sans-serif", 18).into_font().color(&INK))
        .margin(14)
        .x_label_area_size(44)
        .y_label_area_size(64)
        .build_cartesian_2d(
            (left / 1.2..right * 1.2).log_scale().with_key_points(ticks),
            (low / 1.5..top).log_scale(),
        )?;
    chart
        .configure_mesh()
        .x_desc(x_name)
        .y_desc("CPU seconds")
        .axis_desc_style(("sans-serif", 15).into_font().color(&INK))
        .label_style(("sans-serif", 13).into_font().color(&INK))
        .light_line_style(TRANSPARENT)
        .bold_line_style(RGBColor(225, 225, 225))
        .x_label_formatter(&|x| plain(*x))
        .y_label_formatter(&|y| plain(*y))
        .x_labels(6)
        .y_labels(8)
        .draw()?;
    for line in lines {
        let (colour, filled) = (line.colour, line.filled);
        let stroke = colour.stroke_width(2);
        let marker = move |at| {
            let inside = if filled { colour.filled() } else { WHITE.filled() };
            EmptyElement::at(at) + Circle::new((0, 0), 4, inside) + Circle::new((0, 0), 4, stroke)
        };
        chart.draw_series(LineSeries::new(line.points.iter().copied(), stroke))?.label(&line.label).legend(
            move |(x, y)| {
                let inside = if filled { colour.filled() } else { WHITE.filled() };
                EmptyElement::at((x, y))
                    + PathElement::new(vec![(0, 0), (24, 0)], stroke)
                    + Circle::new((12, 0), 4, inside)
                    + Circle::new((12, 0), 4, stroke)
            },
        );
        chart.draw_series(line.points.iter().map(|&point| marker(point)))?;
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperLeft)
        .legend_area_size(30)
        .label_font(("sans-serif", 13).into_font().color(&INK))
        .background_style(WHITE.mix(0.85))
        .draw()?;
    Ok(())
}

/// A tick label.
fn plain(value: f64) -> String {
    if value >= 1e4 {
        format!("{value:.0e}")
    } else if value >= 1.0 {
        format!("{value:.0}")
    } else {
        format!("{value}")
    }
}
