//! Figures from results, each as SVG and PNG.
//!
//! An SVG uses the reader's own fonts. A PNG uses an open font from a crate, so that it is legible on machines without
//! fonts.

mod calibration;
mod canvas;
mod kin;
mod missing;
mod panels;
mod paper;
mod small;
mod spec;

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::Path;

use kinfolk::files;
use plotters::prelude::{BitMapBackend, DrawingBackend, IntoDrawingArea, SVGBackend, WHITE};
use plotters::style::{FontStyle, register_font};

pub use spec::{Boxes, Drawing, Group, Means, Panel, Plot, SeriesColour, StudyFigure};

use crate::calibration::CalibrationTable;
use crate::complexity::ComplexityRow;
use crate::example::ExampleRow;
use crate::missing::MissingTable;
use crate::rows::ReplicateRow;
use crate::sensitivity::SensitivityRow;
use canvas::{Anchor, Canvas, DrawResult, FONT};
use panels::Frame;

/// PNG pixels per SVG pixel, for print.
const PNG_SCALE: u32 = 2;
/// The width of every figure, in SVG pixels.
const WIDTH: u32 = 960;
const TITLE: f64 = 36.0;
const NOTE: f64 = 24.0;

/// The figures of a simulation study.
pub fn of_study(study: &str, rows: &[ReplicateRow]) -> Vec<StudyFigure> {
    if study == "kin" { kin::figures(rows) } else { paper::figures(study, rows) }
}

/// The figures of the numerical example.
pub fn of_example(rows: &[ExampleRow]) -> Vec<StudyFigure> {
    small::example(rows)
}

/// The figures of the sensitivity analysis.
pub fn of_sensitivity(rows: &[SensitivityRow]) -> Vec<StudyFigure> {
    small::sensitivity(rows)
}

/// The figures of the study of missing values.
pub fn of_missing(table: &MissingTable) -> Vec<StudyFigure> {
    missing::figures(table)
}

/// The figures of the study of calibration.
pub fn of_calibration(table: &CalibrationTable) -> Vec<StudyFigure> {
    calibration::figures(table)
}

/// The figures of the complexity study.
pub fn of_complexity(rows: &[ComplexityRow]) -> Vec<StudyFigure> {
    small::complexity(rows)
}

/// Registers the built-in font with plotters, under the name that figures use.
pub fn register_built_in_font() {
    let known = register_font(FONT, FontStyle::Normal, epaint_default_fonts::UBUNTU_LIGHT);
    assert!(known.is_ok(), "the built-in font is a font");
}

/// Writes figures into a folder as `NAME.svg` and `NAME.png`; creates the folder if necessary.
pub fn write(folder: &Path, figures: &[StudyFigure]) -> io::Result<()> {
    register_built_in_font();
    fs::create_dir_all(folder)?;
    for figure in figures {
        let file = |ending: &str| folder.join(format!("{}.{ending}", figure.name));
        files::replace(&file("svg"), |out| out.write_all(figure.svg().as_bytes()))?;
        let png = figure.png()?;
        files::replace(&file("png"), |out| out.write_all(&png))?;
    }
    Ok(())
}

impl StudyFigure {
    fn size(&self) -> (u32, u32) {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few hundred pixels")]
        let height = (TITLE + self.rows.len() as f64 * self.height + NOTE) as u32;
        (WIDTH, height)
    }

    /// The figure as SVG.
    pub fn svg(&self) -> String {
        register_built_in_font();
        let mut text = String::new();
        let area = SVGBackend::with_string(&mut text, self.size()).into_drawing_area();
        self.draw(&Canvas { area: &area, scale: 1.0 }).expect("a string takes every drawing");
        drop(area);
        text
    }

    /// The figure as PNG.
    pub fn png(&self) -> io::Result<Vec<u8>> {
        register_built_in_font();
        let (width, height) = (self.size().0 * PNG_SCALE, self.size().1 * PNG_SCALE);
        let mut pixels = vec![0; (width * height * 3) as usize];
        let area = BitMapBackend::with_buffer(&mut pixels, (width, height)).into_drawing_area();
        self.draw(&Canvas { area: &area, scale: f64::from(PNG_SCALE) })
            .expect("a buffer takes every drawing");
        drop(area);
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, width, height);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        let mut writer = encoder.write_header().map_err(io::Error::other)?;
        writer.write_image_data(&pixels).map_err(io::Error::other)?;
        writer.finish().map_err(io::Error::other)?;
        Ok(bytes)
    }

    fn draw<B: DrawingBackend>(&self, canvas: &Canvas<'_, B>) -> DrawResult<B> {
        canvas.area.fill(&WHITE)?;
        let (width, height) = (f64::from(self.size().0), f64::from(self.size().1));
        canvas.text(&self.title, (width / 2.0, TITLE / 2.0), 16.0, Anchor::Centre)?;
        let axis = panels::shared_axis(self.rows.iter().flatten());
        for (row, panels) in self.rows.iter().enumerate() {
            let share = width / panels.len().max(1) as f64;
            for (column, panel) in panels.iter().enumerate() {
                let frame = Frame {
                    left: column as f64 * share + 4.0,
                    top: TITLE + row as f64 * self.height,
                    width: share - 8.0,
                    height: self.height,
                };
                panels::draw(canvas, frame, panel, axis)?;
            }
        }
        canvas.text(&self.note, (width / 2.0, height - NOTE / 2.0), 11.5, Anchor::Centre)?;
        canvas.area.present()
    }
}

/// A power of ten in common notation: 0.001, 1, 1000, or 10 with an exponent.
fn power(exponent: f64) -> String {
    let value = 10_f64.powf(exponent);
    let mut text = String::new();
    let done = if (1e-4..1e5).contains(&value) {
        let digits = if value < 1.0 { exponent.abs().ceil() } else { 0.0 };
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few digits")]
        let digits = digits as usize;
        write!(text, "{value:.digits$}")
    } else {
        write!(text, "{value:.0e}")
    };
    done.expect("a string takes every text");
    text
}
