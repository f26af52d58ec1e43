//! Figure specifications as plain data: rows of panels, each with boxes, dots or a network.

/// A figure.
#[derive(Debug, Clone, PartialEq)]
pub struct StudyFigure {
    /// The name of its files, without extension.
    pub name: String,
    /// The title above the panels.
    pub title: String,
    /// A note on how to read it, below the panels.
    pub note: String,
    /// Panels, row by row.
    pub rows: Vec<Vec<Panel>>,
    /// The height of a row of panels, in pixels.
    pub height: f64,
}

/// One of several small plots.
#[derive(Debug, Clone, PartialEq)]
pub struct Panel {
    /// Its title.
    pub title: String,
    /// Its content.
    pub plot: Plot,
}

/// The kinds of plots.
#[derive(Debug, Clone, PartialEq)]
pub enum Plot {
    /// Box plots side by side.
    Boxes(Boxes),
    /// Means with twice their standard errors, one below the other.
    Means(Means),
    /// A small network.
    Network(Drawing),
}

/// Box plots side by side.
#[derive(Debug, Clone, PartialEq)]
pub struct Boxes {
    /// The label of the horizontal axis.
    pub x: String,
    /// The label of the vertical axis.
    pub y: String,
    /// The boxes.
    pub groups: Vec<Group>,
    /// Whether values are logarithms to base ten.
    pub log10: bool,
}

/// One box.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    /// Its label below the axis.
    pub label: String,
    /// Its values.
    pub values: Vec<f64>,
    /// Its colour.
    pub colour: SeriesColour,
    /// The true value, if known.
    pub truth: Option<f64>,
}

/// Means with standard errors.
#[derive(Debug, Clone, PartialEq)]
pub struct Means {
    /// The label of the axis.
    pub x: String,
    /// Name, mean, standard error, and whether it is highlighted.
    pub lines: Vec<(String, f64, f64, bool)>,
}

/// A network of few nodes.
#[derive(Debug, Clone, PartialEq)]
pub struct Drawing {
    /// The names of the nodes.
    pub nodes: Vec<String>,
    /// Arcs from node to node, and whether they are highlighted.
    pub arcs: Vec<(usize, usize, bool)>,
}

/// Colours that are distinguishable with colour vision deficiency (Okabe and Ito).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SeriesColour {
    /// For `hier`.
    Blue,
    /// For `iid`.
    Orange,
    /// For `id`.
    Green,
    /// For everything else.
    Grey,
}

impl SeriesColour {
    /// The colour of a kind of parameters.
    pub fn of(parameters: &str) -> Self {
        match parameters {
            "hier" => Self::Blue,
            "iid" => Self::Orange,
            "id" => Self::Green,
            _ => Self::Grey,
        }
    }
}

/// The legend of box plots.
pub(super) const BOXES: &str =
    "Box: quartiles with median; whiskers: 1.5 box lengths; circles: beyond; diamond: mean.";

impl StudyFigure {
    /// A figure of box plots.
    pub fn boxes(name: &str, title: &str, rows: Vec<Vec<Panel>>) -> Self {
        Self { name: name.to_owned(), title: title.to_owned(), note: BOXES.to_owned(), rows, height: 270.0 }
    }
}

impl Group {
    /// A box without a known true value.
    pub fn new(label: impl Into<String>, values: Vec<f64>, colour: SeriesColour) -> Self {
        Self { label: label.into(), values, colour, truth: None }
    }
}

/// The five numbers of a box plot and the values beyond its whiskers.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Summary {
    pub(super) quartiles: [f64; 3],
    pub(super) whiskers: [f64; 2],
    /// Distinct values beyond the whiskers.
    pub(super) beyond: Vec<f64>,
    pub(super) mean: f64,
}

impl Summary {
    /// The summary of the values; `None` if there are none.
    pub(super) fn of(values: &[f64]) -> Option<Self> {
        let mut sorted: Vec<f64> = values.iter().copied().filter(|value| value.is_finite()).collect();
        sorted.sort_by(f64::total_cmp);
        let (&first, &last) = (sorted.first()?, sorted.last()?);
        let at = |share: f64| {
            let position = share * (sorted.len() - 1) as f64;
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a position in a list"
            )]
            let below = position.floor() as usize;
            let above = (below + 1).min(sorted.len() - 1);
            sorted[below] + (position - below as f64) * (sorted[above] - sorted[below])
        };
        let quartiles = [at(0.25), at(0.5), at(0.75)];
        let reach = 1.5 * (quartiles[2] - quartiles[0]);
        let inside = |value: &&f64| **value >= quartiles[0] - reach && **value <= quartiles[2] + reach;
        let lower = sorted.iter().find(inside).copied().unwrap_or(first);
        let upper = sorted.iter().rev().find(inside).copied().unwrap_or(last);
        let mut beyond: Vec<f64> =
            sorted.iter().copied().filter(|&value| value < lower || value > upper).collect();
        beyond.dedup();
        let mean = sorted.iter().sum::<f64>() / sorted.len() as f64;
        Some(Self { quartiles, whiskers: [lower, upper], beyond, mean })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn box_summaries_agree_with_hand_calculation() {
        let summary = Summary::of(&[1.0, 2.0, 3.0, 4.0, 100.0, 100.0]).expect("there are values");
        assert_eq!(summary.quartiles, [2.25, 3.5, 76.0]);
        assert_eq!((summary.whiskers, summary.beyond.len()), ([1.0, 100.0], 0));
        let summary = Summary::of(&[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 9.0, 9.0]).expect("there are values");
        assert_eq!((summary.quartiles[2], summary.whiskers, summary.beyond), (2.25, [0.0, 0.0], vec![9.0]));
        let summary = Summary::of(&[5.0, 0.0, 0.0, 0.0, 0.0, 0.0, 5.0, 0.0, 0.0]).expect("there are values");
        assert_eq!((summary.whiskers, summary.beyond), ([0.0, 0.0], vec![5.0]));
        assert_eq!(Summary::of(&[f64::NAN]), None);
    }
}
