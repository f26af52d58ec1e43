//! Draws one panel: box plots, means or a network.

use plotters::prelude::DrawingBackend;

use super::canvas::{Anchor, Canvas, DrawResult, FAINT, INK};
use super::spec::{Boxes, Drawing, Group, Means, Panel, Plot, SeriesColour, Summary};

/// A part of the figure, in pixels.
#[derive(Debug, Clone, Copy)]
pub(super) struct Frame {
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) width: f64,
    pub(super) height: f64,
}

/// The scale of an axis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Axis {
    least: f64,
    most: f64,
    step: f64,
}

impl Axis {
    /// An axis with round limits that contains the values.
    pub(super) fn around(values: impl Iterator<Item = f64>) -> Self {
        let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values.filter(|value| value.is_finite()) {
            (least, most) = (least.min(value), most.max(value));
        }
        if least > most {
            (least, most) = (0.0, 1.0);
        }
        if most - least < 1e-9 {
            (least, most) = (least - 0.5, most + 0.5);
        }
        let raw = (most - least) / 5.0;
        let magnitude = 10_f64.powf(raw.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].into_iter().map(|round| round * magnitude);
        let step = step.into_iter().find(|step| *step >= raw * 0.999).unwrap_or(raw);
        Self { least: (least / step).floor() * step, most: (most / step).ceil() * step, step }
    }

    fn ticks(self) -> impl Iterator<Item = f64> {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few ticks")]
        let count = ((self.most - self.least) / self.step).round() as usize;
        (0..=count).map(move |tick| self.least + tick as f64 * self.step)
    }

    fn share(self, value: f64) -> f64 {
        (value - self.least) / (self.most - self.least)
    }

    fn label(self, value: f64, log10: bool) -> String {
        let decimals = if self.step >= 1.0 { 0 } else { 1 + usize::from(self.step < 0.1) };
        // Negative numbers that round to zero, and the typographic minus.
        let value = if value.abs() < self.step / 2.0 { 0.0 } else { value };
        if log10 {
            return super::power(value);
        }
        format!("{value:.decimals$}").replace('-', "−")
    }
}

/// The common axis of all boxes of a figure.
pub(super) fn shared_axis<'a>(panels: impl Iterator<Item = &'a Panel>) -> Axis {
    let values = panels.flat_map(|panel| match &panel.plot {
        Plot::Boxes(boxes) => {
            let values = |group: &Group| group.values.iter().copied().chain(group.truth).collect::<Vec<_>>();
            boxes.groups.iter().flat_map(values).collect()
        }
        Plot::Means(means) => means
            .lines
            .iter()
            .flat_map(|(_, mean, se, _)| {
                let se = if se.is_finite() { *se } else { 0.0 };
                [mean - 2.0 * se, mean + 2.0 * se]
            })
            .collect(),
        Plot::Network(_) => Vec::new(),
    });
    Axis::around(values)
}

pub(super) fn draw<B: DrawingBackend>(
    canvas: &Canvas<'_, B>,
    frame: Frame,
    panel: &Panel,
    axis: Axis,
) -> DrawResult<B> {
    canvas.text(&panel.title, (frame.left + frame.width / 2.0, frame.top + 10.0), 14.0, Anchor::Centre)?;
    match &panel.plot {
        Plot::Boxes(boxes) => draw_boxes(canvas, frame, boxes, axis),
        Plot::Means(means) => draw_means(canvas, frame, means, axis),
        Plot::Network(network) => draw_network(canvas, frame, network),
    }
}

fn draw_boxes<B: DrawingBackend>(
    canvas: &Canvas<'_, B>,
    frame: Frame,
    boxes: &Boxes,
    axis: Axis,
) -> DrawResult<B> {
    let (left, right) = (frame.left + 58.0, frame.left + frame.width - 10.0);
    let (top, bottom) = (frame.top + 26.0, frame.top + frame.height - 48.0);
    let y = |value: f64| bottom - axis.share(value) * (bottom - top);
    for tick in axis.ticks() {
        canvas.line(&[(left, y(tick)), (right, y(tick))], FAINT, 0.6)?;
        canvas.text(&axis.label(tick, boxes.log10), (left - 6.0, y(tick)), 12.0, Anchor::Right)?;
    }
    if axis.share(0.0) > 0.0 && axis.share(0.0) < 1.0 && !boxes.log10 {
        canvas.dashed((left, right), y(0.0), INK)?;
    }
    canvas.line(&[(left, top), (left, bottom), (right, bottom)], INK, 1.0)?;
    let step = (right - left) / boxes.groups.len().max(1) as f64;
    let small = boxes.groups.iter().any(|group| group.label.chars().count() as f64 * 7.0 > step);
    for (index, group) in boxes.groups.iter().enumerate() {
        let middle = left + (index as f64 + 0.5) * step;
        draw_box(canvas, middle, (step * 0.32).min(26.0), group, &y)?;
        // Long labels alternate between two lines.
        let lower = if small && index % 2 == 1 { 12.0 } else { 0.0 };
        let size = if small { 10.5 } else { 12.0 };
        canvas.text(&group.label, (middle, bottom + 11.0 + lower), size, Anchor::Centre)?;
    }
    canvas.text(&boxes.x, (f64::midpoint(left, right), bottom + 36.0), 12.5, Anchor::Centre)?;
    canvas.text(&boxes.y, (frame.left + 11.0, f64::midpoint(top, bottom)), 12.5, Anchor::Upwards)
}

fn draw_box<B: DrawingBackend>(
    canvas: &Canvas<'_, B>,
    middle: f64,
    half: f64,
    group: &Group,
    y: &impl Fn(f64) -> f64,
) -> DrawResult<B> {
    let colour = group.colour.rgb();
    if let Some(truth) = group.truth {
        canvas.line(&[(middle - half * 1.5, y(truth)), (middle + half * 1.5, y(truth))], INK, 2.0)?;
    }
    let Some(summary) = Summary::of(&group.values) else { return Ok(()) };
    let [lower, median, upper] = summary.quartiles;
    for (whisker, end) in [(summary.whiskers[0], lower), (summary.whiskers[1], upper)] {
        canvas.line(&[(middle, y(whisker)), (middle, y(end))], colour, 1.2)?;
        canvas.line(&[(middle - half / 2.0, y(whisker)), (middle + half / 2.0, y(whisker))], colour, 1.2)?;
    }
    canvas.rectangle((middle - half, y(upper)), (middle + half, y(lower)), colour)?;
    canvas.line(&[(middle - half, y(median)), (middle + half, y(median))], colour, 2.4)?;
    for value in &summary.beyond {
        canvas.circle((middle, y(*value)), 1.8, colour, false)?;
    }
    let mean = y(summary.mean);
    let size = 4.0;
    canvas.polygon(
        &[(middle - size, mean), (middle, mean - size), (middle + size, mean), (middle, mean + size)],
        INK,
    )
}

fn draw_means<B: DrawingBackend>(
    canvas: &Canvas<'_, B>,
    frame: Frame,
    means: &Means,
    axis: Axis,
) -> DrawResult<B> {
    // Space for the longest name, the same in all panels of a row, so that they are comparable.
    let (left, right) = (frame.left + 172.0, frame.left + frame.width - 14.0);
    let (top, bottom) = (frame.top + 26.0, frame.top + frame.height - 44.0);
    let x = |value: f64| left + axis.share(value) * (right - left);
    for tick in axis.ticks() {
        canvas.line(&[(x(tick), top), (x(tick), bottom)], FAINT, 0.6)?;
        canvas.text(&axis.label(tick, false), (x(tick), bottom + 11.0), 12.0, Anchor::Centre)?;
    }
    canvas.line(&[(left, bottom), (right, bottom)], INK, 1.0)?;
    let step = (bottom - top) / means.lines.len().max(1) as f64;
    for (index, (name, mean, se, stands_out)) in means.lines.iter().enumerate() {
        let y = top + (index as f64 + 0.5) * step;
        let colour = if *stands_out { SeriesColour::Orange } else { SeriesColour::Blue }.rgb();
        canvas.text(name, (left - 8.0, y), 11.5, Anchor::Right)?;
        if se.is_finite() {
            canvas.line(&[(x(mean - 2.0 * se), y), (x(mean + 2.0 * se), y)], colour, 2.0)?;
        }
        canvas.circle((x(*mean), y), 3.5, colour, true)?;
    }
    canvas.text(&means.x, (f64::midpoint(left, right), bottom + 30.0), 12.5, Anchor::Centre)
}

/// Nodes on a circle, so that the same network looks the same in every panel.
fn draw_network<B: DrawingBackend>(canvas: &Canvas<'_, B>, frame: Frame, network: &Drawing) -> DrawResult<B> {
    let radius = 15.0;
    let reach = (frame.width.min(frame.height - 24.0)) / 2.0 - radius - 6.0;
    let centre = (frame.left + frame.width / 2.0, frame.top + 24.0 + (frame.height - 24.0) / 2.0);
    let turn = std::f64::consts::TAU / network.nodes.len().max(1) as f64;
    let place = |node: usize| {
        let angle = node as f64 * turn - std::f64::consts::FRAC_PI_2;
        (centre.0 + reach * angle.cos(), centre.1 + reach * angle.sin())
    };
    for &(from, to, stands_out) in &network.arcs {
        let (start, end) = (place(from), place(to));
        let length = (end.0 - start.0).hypot(end.1 - start.1);
        let (dx, dy) = ((end.0 - start.0) / length, (end.1 - start.1) / length);
        let colour = if stands_out { SeriesColour::Orange.rgb() } else { INK };
        let width = if stands_out { 2.2 } else { 1.2 };
        let tip = (end.0 - dx * radius, end.1 - dy * radius);
        let back = (tip.0 - dx * 9.0, tip.1 - dy * 9.0);
        canvas.line(&[(start.0 + dx * radius, start.1 + dy * radius), back], colour, width)?;
        let wings = [(back.0 - dy * 4.5, back.1 + dx * 4.5), (back.0 + dy * 4.5, back.1 - dx * 4.5)];
        canvas.polygon(&[tip, wings[0], wings[1]], colour)?;
    }
    for (node, name) in network.nodes.iter().enumerate() {
        canvas.circle(place(node), radius, INK, false)?;
        canvas.text(name, place(node), 12.0, Anchor::Centre)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_are_round_and_hold_all_values() {
        let axis = Axis::around([-3.2, 17.0].into_iter());
        assert_eq!((axis.least, axis.most, axis.step), (-5.0, 20.0, 5.0));
        assert_eq!(axis.ticks().collect::<Vec<_>>(), [-5.0, 0.0, 5.0, 10.0, 15.0, 20.0]);
        assert_eq!(axis.label(-5.0, false), "−5");
        for values in [vec![], vec![2.0], vec![f64::NAN]] {
            let axis = Axis::around(values.into_iter());
            assert!(axis.most > axis.least && axis.ticks().count() > 1);
        }
    }
}
