//! Renders SVG figures as PNG.

use std::sync::Arc;

use resvg::tiny_skia::{Color, Pixmap, Transform};
use resvg::usvg::fontdb::Database;
use resvg::usvg::{Options, Tree};

use crate::palette;

/// PNG pixels per figure pixel: sharp in print and on high-resolution screens.
const FINE: f32 = 2.0;

/// The longest side; larger figures get a lower resolution. The browser's export has the same limit.
const LONGEST: f32 = 8000.0;

/// The font of [`epaint_default_fonts`]. System fonts are not used, so that a figure is the same on every machine.
const FONT: &str = "Ubuntu";

/// The licences of the fonts that every program with this package contains.
pub const FONT_LICENCES: &str = include_str!("../LICENSE-FONTS");

/// Renders a figure of this package on a white background. Characters that the built-in font lacks are boxes; the SVG
/// file has no such limit.
pub fn png(svg: &str) -> Vec<u8> {
    let mut fonts = Database::new();
    fonts.load_font_data(epaint_default_fonts::UBUNTU_LIGHT.to_vec());
    fonts.load_font_data(epaint_default_fonts::HACK_REGULAR.to_vec());
    fonts.set_sans_serif_family(FONT);
    let options = Options { font_family: FONT.to_owned(), fontdb: Arc::new(fonts), ..Options::default() };
    let tree = Tree::from_str(svg, &options).expect("figures of this package are SVG");
    let size = tree.size();
    let scale = FINE.min(LONGEST / size.width().max(size.height()));
    let whole =
        size.to_int_size().scale_by(scale).expect("a figure is neither empty nor larger than the limit");
    let mut picture = Pixmap::new(whole.width(), whole.height()).expect("the same holds for its picture");
    let [red, green, blue] = palette::PAPER.channels();
    picture.fill(Color::from_rgba8(red, green, blue, 255));
    resvg::render(&tree, Transform::from_scale(scale, scale), &mut picture.as_mut());
    picture.encode_png().expect("a picture is written to memory")
}
