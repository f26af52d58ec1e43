//! All colours of the figures and of the page: the SVG templates name them, the page gets them as CSS custom properties.

use std::fmt;

/// A colour by its role, for each medium. It displays as its light variant, which the figures use.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Colour {
    /// The name of the CSS custom property, without `--`.
    name: &'static str,
    light: u32,
    dark: u32,
    print: u32,
}

impl Colour {
    const fn new(name: &'static str, light: u32, dark: u32, print: u32) -> Self {
        Self { name, light, dark, print }
    }

    /// Red, green and blue of the light variant.
    pub(crate) fn channels(self) -> [u8; 3] {
        channels(self.light)
    }
}

impl fmt::Display for Colour {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "#{:06x}", self.light)
    }
}

/// The background of the page and of every figure.
pub(crate) const PAPER: Colour = Colour::new("paper", 0xff_ffff, 0x12_161c, 0xff_ffff);
/// Text.
pub(crate) const INK: Colour = Colour::new("ink", 0x11_1827, 0xe8_ebf0, 0x00_0000);
/// Secondary text: labels, legends.
pub(crate) const SOFT: Colour = Colour::new("soft", 0x4b_5563, 0xa5_aebb, 0x33_3333);
/// Text on a cell whose evidence colour is strong.
pub(crate) const STRONG_INK: Colour = Colour::new("strong-ink", 0xff_ffff, 0x06_121c, 0xff_ffff);
/// The inside and the border of a node.
pub(crate) const NODE: Colour = Colour::new("node", 0xff_ffff, 0x1f_2731, 0xff_ffff);
pub(crate) const NODE_LINE: Colour = Colour::new("node-line", 0x37_4151, 0x8a_95a5, 0x33_3333);

/// Arcs by the share of data sets that support them. The colours are distinguishable with colour vision deficiency
/// (Okabe and Ito, 2008); all but the first are darkened, or lightened for dark pages, so that thin lines have a
/// contrast of 3 to 1.
pub(crate) const ALL: Colour = Colour::new("all", 0x00_72b2, 0x56_b4e9, 0x00_72b2);
pub(crate) const NEARLY: Colour = Colour::new("nearly", 0x00_805d, 0x2b_c79a, 0x00_805d);
pub(crate) const MOST: Colour = Colour::new("most", 0xb0_7c00, 0xe6_b422, 0xb0_7c00);
pub(crate) const FEW: Colour = Colour::new("few", 0xd5_5e00, 0xff_8c42, 0xd5_5e00);
pub(crate) const UNKNOWN: Colour = Colour::new("unknown", 0x6b_7280, 0x9a_a4b2, 0x6b_7280);

/// Evidence for and against an arc, mixed with the paper by its strength.
pub(crate) const FOR: Colour = Colour { name: "for", ..ALL };
pub(crate) const AGAINST: Colour = Colour { name: "against", ..FEW };

/// The colours of evidence against an arc, of none, and of evidence for it, for drawings of other programs.
pub fn evidence_colours() -> [String; 3] {
    [AGAINST, PAPER, FOR].map(|colour| colour.to_string())
}

/// Colours of the page only: rules, shaded areas, links, bars in tables, bars of drawn rows.
const PAGE_ONLY: [Colour; 5] = [
    Colour::new("line", 0xd8_dde5, 0x34_3c48, 0xbb_bbbb),
    Colour::new("shade", 0xf4_f6f9, 0x1b_212a, 0xf4_f4f4),
    Colour::new("accent", 0x00_5a9c, 0x7c_c4f5, 0x00_0000),
    Colour::new("bar", 0xcf_e3f3, 0x1f_4a68, 0xcf_e3f3),
    Colour::new("drawn", 0xf3_dcc6, 0x5b_3a1c, 0xf3_dcc6),
];

/// The CSS custom property of the background of saved figures, which always use light colours.
const SAVED_PAPER: &str = "saved-paper";

/// The colours as CSS custom properties: light, dark (if preferred) and print. `--for` and `--against` are channels,
/// because the page mixes them with the background.
pub(crate) fn css() -> String {
    let named = [PAPER, INK, SOFT, STRONG_INK, NODE, NODE_LINE, ALL, NEARLY, MOST, FEW, UNKNOWN];
    let properties = |variant: fn(Colour) -> u32| {
        let whole = named.iter().chain(&PAGE_ONLY);
        let whole = whole.map(|&colour| format!("--{}: #{:06x};", colour.name, variant(colour)));
        let mixed = [FOR, AGAINST].into_iter().map(|colour| {
            let [red, green, blue] = channels(variant(colour));
            format!("--{}: {red} {green} {blue};", colour.name)
        });
        whole.chain(mixed).collect::<Vec<_>>().join(" ")
    };
    format!(
        ":root {{ color-scheme: light dark; {} --{SAVED_PAPER}: {PAPER}; }}\n\
         @media (prefers-color-scheme: dark) {{ :root {{ {} }} }}\n\
         @media print {{ :root {{ color-scheme: light; {} }} }}\n",
        properties(|colour| colour.light),
        properties(|colour| colour.dark),
        properties(|colour| colour.print),
    )
}

fn channels(colour: u32) -> [u8; 3] {
    let [_, red, green, blue] = colour.to_be_bytes();
    [red, green, blue]
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILES: [(&str, &str); 14] = [
        ("page.css", include_str!("../page/page.css")),
        ("network.svg", include_str!("../page/network.svg")),
        ("evidence.svg", include_str!("../page/evidence.svg")),
        ("page.js", include_str!("../page/page.js")),
        ("inference.js", include_str!("../page/inference.js")),
        ("state.js", include_str!("../page/state.js")),
        ("figure.js", include_str!("../page/figure.js")),
        ("bars.js", include_str!("../page/bars.js")),
        ("inspector.js", include_str!("../page/inspector.js")),
        ("findings.js", include_str!("../page/findings.js")),
        ("compare.js", include_str!("../page/compare.js")),
        ("evidence.js", include_str!("../page/evidence.js")),
        ("sections.js", include_str!("../page/sections.js")),
        ("start.js", include_str!("../page/start.js")),
    ];

    /// The words after each occurrence of a prefix.
    fn after<'a>(text: &'a str, mark: &'a str) -> impl Iterator<Item = &'a str> {
        text.split(mark)
            .skip(1)
            .map(|rest| rest.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '-').next())
            .map(Option::unwrap_or_default)
    }

    #[test]
    fn no_other_file_names_a_colour() {
        for (file, text) in FILES {
            let is_hex =
                |word: &&str| [3, 6].contains(&word.len()) && word.chars().all(|c| c.is_ascii_hexdigit());
            assert_eq!(after(text, "#").find(is_hex), None, "{file}");
            assert!(!text.contains("hsl(") && !text.contains("rgb(#"), "{file}");
        }
    }

    #[test]
    fn every_colour_that_the_page_uses_is_in_the_palette() {
        let (palette, style) = (css(), FILES[0].1);
        let set_by_script = ["p", "s", "w"];
        for name in after(style, "var(--").filter(|name| !set_by_script.contains(name)) {
            let defined = |text: &str| text.contains(&format!("--{name}:"));
            assert!(defined(&palette) || defined(style), "--{name}");
        }
    }

    /// The contrast of two colours (WCAG 2).
    fn contrast(one: u32, other: u32) -> f64 {
        let luminance = |colour| {
            let linear = channels(colour).map(|channel| {
                let share = f64::from(channel) / 255.0;
                if share <= 0.04045 { share / 12.92 } else { ((share + 0.055) / 1.055).powf(2.4) }
            });
            0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
        };
        let (one, other) = (luminance(one) + 0.05, luminance(other) + 0.05);
        one.max(other) / one.min(other)
    }

    #[test]
    fn arcs_and_text_stand_out_from_the_paper() {
        let lines = [ALL, NEARLY, MOST, FEW, UNKNOWN, NODE_LINE].map(|colour| (colour, 3.0));
        let text = [INK, SOFT].map(|colour| (colour, 4.5));
        for (colour, least) in lines.into_iter().chain(text) {
            let variants: [fn(Colour) -> u32; 3] =
                [|colour| colour.light, |colour| colour.dark, |colour| colour.print];
            for variant in variants {
                let contrast = contrast(variant(colour), variant(PAPER));
                assert!(contrast >= least, "{} has a contrast of {contrast}", colour.name);
            }
        }
    }
}
