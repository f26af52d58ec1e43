//! Drawing of lines, boxes and text on either backend, in SVG pixels; bitmaps scale them.

use plotters::coord::Shift;
use plotters::drawing::DrawingAreaErrorKind;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::spec::SeriesColour;

/// The result of a drawing operation.
pub(super) type DrawResult<B> = Result<(), DrawingAreaErrorKind<<B as DrawingBackend>::ErrorType>>;

/// The font family: the built-in font in a PNG, the reader's sans-serif font in an SVG.
pub(super) const FONT: &str = "sans-serif";

pub(super) const INK: RGBColor = RGBColor(35, 35, 35);
pub(super) const FAINT: RGBColor = RGBColor(200, 200, 200);

/// The anchor of a text relative to its point.
#[derive(Debug, Clone, Copy)]
pub(super) enum Anchor {
    /// Centred.
    Centre,
    /// Right-aligned.
    Right,
    /// Centred and rotated, read from below.
    Upwards,
}

/// A drawing area with its resolution.
pub(super) struct Canvas<'a, B: DrawingBackend> {
    pub(super) area: &'a DrawingArea<B, Shift>,
    pub(super) scale: f64,
}

impl SeriesColour {
    pub(super) fn rgb(self) -> RGBColor {
        match self {
            Self::Blue => RGBColor(0, 114, 178),
            Self::Orange => RGBColor(213, 94, 0),
            Self::Green => RGBColor(0, 158, 115),
            Self::Grey => RGBColor(110, 110, 110),
        }
    }
}

impl<B: DrawingBackend> Canvas<'_, B> {
    #[expect(clippy::cast_possible_truncation, reason = "pixels of a figure")]
    fn at(&self, (x, y): (f64, f64)) -> (i32, i32) {
        ((x * self.scale).round() as i32, (y * self.scale).round() as i32)
    }

    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "few pixels")]
    fn pixels(&self, size: f64) -> u32 {
        (size * self.scale).round().max(1.0) as u32
    }

    pub(super) fn line(&self, points: &[(f64, f64)], colour: RGBColor, width: f64) -> DrawResult<B> {
        let points: Vec<(i32, i32)> = points.iter().map(|&point| self.at(point)).collect();
        self.area.draw(&PathElement::new(points, colour.stroke_width(self.pixels(width))))
    }

    /// A dashed line, for reference values.
    pub(super) fn dashed(&self, (x0, x1): (f64, f64), y: f64, colour: RGBColor) -> DrawResult<B> {
        let mut x = x0;
        while x < x1 {
            self.line(&[(x, y), ((x + 5.0).min(x1), y)], colour, 1.0)?;
            x += 9.0;
        }
        Ok(())
    }

    pub(super) fn rectangle(&self, from: (f64, f64), to: (f64, f64), colour: RGBColor) -> DrawResult<B> {
        let corners = [self.at(from), self.at(to)];
        self.area.draw(&Rectangle::new(corners, colour.mix(0.25).filled()))?;
        self.area.draw(&Rectangle::new(corners, colour.stroke_width(self.pixels(1.2))))
    }

    pub(super) fn circle(
        &self,
        at: (f64, f64),
        radius: f64,
        colour: RGBColor,
        filled: bool,
    ) -> DrawResult<B> {
        let style = if filled { colour.filled() } else { colour.stroke_width(self.pixels(1.0)) };
        self.area.draw(&Circle::new(self.at(at), self.pixels(radius), style))
    }

    pub(super) fn polygon(&self, points: &[(f64, f64)], colour: RGBColor) -> DrawResult<B> {
        let points: Vec<(i32, i32)> = points.iter().map(|&point| self.at(point)).collect();
        self.area.draw(&Polygon::new(points, colour.filled()))
    }

    pub(super) fn text(&self, text: &str, at: (f64, f64), size: f64, anchor: Anchor) -> DrawResult<B> {
        let font = (FONT, size * self.scale).into_font();
        let (font, horizontal) = match anchor {
            Anchor::Centre => (font, HPos::Center),
            Anchor::Right => (font, HPos::Right),
            Anchor::Upwards => (font.transform(FontTransform::Rotate270), HPos::Center),
        };
        let style = TextStyle::from(font).color(&INK).pos(Pos::new(horizontal, VPos::Center));
        self.area.draw(&Text::new(text.to_owned(), self.at(at), style))
    }
}
