//! The figures of the kin study: SHD of every method in every regime, and the calibration of kin's relatedness
//! estimates.

use std::collections::BTreeMap;

use super::spec::{Boxes, Group, Means, Panel, Plot, SeriesColour, StudyFigure};
use crate::kin_table::{KinLine, KinTable};
use crate::methods::words;
use crate::rows::ReplicateRow;

/// The number of methods in the figure of regimes.
const SHOWN: usize = 12;

pub(super) fn figures(rows: &[ReplicateRow]) -> Vec<StudyFigure> {
    let table = KinTable::of(rows);
    let mut figures = vec![by_parameters(&table)];
    if let Some(regimes) = by_regime(&table) {
        figures.push(regimes);
    }
    figures.extend([identical(rows), reliability(rows), concentration(rows)]);
    figures
}

fn means(title: &str, lines: &[KinLine], place: usize, most: usize) -> Panel {
    let lines = lines.iter().take(most).filter_map(|line| {
        let mean = line.means.get(place).copied().flatten()?;
        Some((words(&line.method), mean.mean, mean.se, line.method == "kin"))
    });
    let means = Means { x: "mean SHD (CPDAG)".to_owned(), lines: lines.collect() };
    Panel { title: title.to_owned(), plot: Plot::Means(means) }
}

/// All methods, in the plain regime by parameters.
fn by_parameters(table: &KinTable) -> StudyFigure {
    let places: Vec<usize> = (0..table.columns.len())
        .filter(|&place| {
            let column = &table.columns[place];
            (column.regime == "plain" && !column.parameters.is_empty())
                || (column.regime == "all" && column.parameters.is_empty())
        })
        .collect();
    let panels = places
        .iter()
        .map(|&place| means(&table.columns[place].title(), &table.lines, place, usize::MAX))
        .collect::<Vec<_>>();
    StudyFigure {
        name: "methods".to_owned(),
        title: "Kin study: mean SHD of every method; less is better".to_owned(),
        note: "Dots: means; lines: two standard errors to either side.".to_owned(),
        rows: panels.chunks(2).map(<[Panel]>::to_vec).collect(),
        height: 440.0,
    }
}

/// The best methods in every other regime.
fn by_regime(table: &KinTable) -> Option<StudyFigure> {
    let others: Vec<Panel> = (0..table.columns.len())
        .filter(|&place| {
            let column = &table.columns[place];
            column.parameters.is_empty() && column.regime != "plain" && column.regime != "all"
        })
        .map(|place| means(&table.columns[place].title(), &table.lines, place, SHOWN))
        .collect();
    (!others.is_empty()).then(|| StudyFigure {
        name: "regimes".to_owned(),
        title: "Kin study: mean SHD in the other regimes, of the methods best on average; less is better"
            .to_owned(),
        note: "Dots: means; lines: two standard errors to either side.".to_owned(),
        rows: others.chunks(3).map(<[Panel]>::to_vec).collect(),
        height: 270.0,
    })
}

/// P(identical) with the known truth: 1 for id, 0 otherwise.
fn identical(rows: &[ReplicateRow]) -> StudyFigure {
    let panels = [20_usize, 100, 500, 2000].map(|n| {
        let groups = ["hier", "iid", "id"].map(|kind| {
            let chosen = rows.iter().filter(|row| {
                row.method == "kin" && row.regime == "plain" && row.rows == n && row.parameters == kind
            });
            let values = chosen.filter_map(|row| row.kin_identical).collect();
            Group {
                truth: Some(if kind == "id" { 1.0 } else { 0.0 }),
                ..Group::new(kind, values, SeriesColour::of(kind))
            }
        });
        let boxes = Boxes {
            x: "parameters".to_owned(),
            y: "P(identical), mean over true families".to_owned(),
            groups: groups.into(),
            log10: false,
        };
        Panel { title: format!("{n} rows per data set"), plot: Plot::Boxes(boxes) }
    });
    StudyFigure {
        height: 300.0,
        note: "Thick line: the truth. Box: quartiles with median; circles: beyond 1.5 box lengths; diamond: mean.".to_owned(),
        ..StudyFigure::boxes(
            "calibration_identical",
            "Kin study: does kin detect identical data sets?",
            vec![panels.into()],
        )
    }
}

/// Families by their P(identical), and the share of them that are identical. The grid has equal numbers of the three
/// kinds; those of `id` count twice, so that half of the problems are identical, as in kin's prior.
fn reliability(rows: &[ReplicateRow]) -> StudyFigure {
    let panels = [20_usize, 100, 500, 2000].map(|n| {
        let mut bins = [ProbabilityBin::default(); BINS];
        for row in rows.iter().filter(|row| row.method == "kin" && row.regime == "plain" && row.rows == n) {
            for share in row.kin_identical_by_family.split(';').filter_map(|text| text.parse().ok()) {
                ProbabilityBin::of(&mut bins, share).add(row.parameters == "id");
            }
        }
        let lines = bins.iter().enumerate().filter_map(|(place, bin)| {
            let (mean, se) = bin.share()?;
            let name = format!(
                "P {:.1} to {:.1}, {} families",
                place as f64 / BINS as f64,
                (place + 1) as f64 / BINS as f64,
                bin.identical + bin.other
            );
            Some((name, mean, se, false))
        });
        let x = "share that are identical".to_owned();
        Panel {
            title: format!("{n} rows per data set"),
            plot: Plot::Means(Means { x, lines: lines.collect() }),
        }
    });
    let panels: Vec<Panel> = panels.into();
    StudyFigure {
        name: "reliability".to_owned(),
        title: "Kin study: share of identical families by P(identical)".to_owned(),
        note: "Dots: shares, lines: two standard errors as if families were independent. Identical problems count twice: half of all."
            .to_owned(),
        rows: panels.chunks(2).map(<[Panel]>::to_vec).collect(),
        height: 270.0,
    }
}

/// The number of bins of probabilities.
const BINS: usize = 10;

/// Families whose P(identical) is in one bin.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct ProbabilityBin {
    identical: usize,
    other: usize,
}

impl ProbabilityBin {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a probability")]
    fn of(bins: &mut [Self; BINS], share: f64) -> &mut Self {
        &mut bins[((share * BINS as f64) as usize).min(BINS - 1)]
    }

    fn add(&mut self, identical: bool) {
        *(if identical { &mut self.identical } else { &mut self.other }) += 1;
    }

    /// The share of identical families and its standard error; `None` for an empty bin.
    fn share(self) -> Option<(f64, f64)> {
        let (identical, other) = (2.0 * self.identical as f64, self.other as f64);
        let share = identical / (identical + other);
        let spread = share * (1.0 - share) / (self.identical + self.other) as f64;
        share.is_finite().then(|| (share, spread.sqrt()))
    }
}

/// The posterior mean of s against the true concentration.
fn concentration(rows: &[ReplicateRow]) -> StudyFigure {
    let panels =
        [("joint", "tables drawn per joint cell"), ("configuration", "tables drawn per configuration")];
    let panels = panels.map(|(level, title)| {
        let mut groups: BTreeMap<u64, Vec<f64>> = BTreeMap::new();
        for row in rows.iter().filter(|row| {
            let kin = row.method == "kin" && row.parameters == "hier" && row.level == level;
            kin && row.rows >= 100 && row.scenario == "a"
        }) {
            let Some(s) = row.kin_s else { continue };
            groups.entry(row.concentration.to_bits()).or_default().push(s.log10());
        }
        let groups = groups.into_iter().map(|(bits, values)| {
            let truth = f64::from_bits(bits);
            Group { truth: Some(truth.log10()), ..Group::new(truth.to_string(), values, SeriesColour::Blue) }
        });
        let boxes = Boxes {
            x: "true concentration".to_owned(),
            y: "posterior mean of s".to_owned(),
            groups: groups.collect(),
            log10: true,
        };
        Panel { title: title.to_owned(), plot: Plot::Boxes(boxes) }
    });
    StudyFigure {
        note: "hier, 100 rows or more; thick line: the truth. For tables per joint cell, that within each configuration is lower.".to_owned(),
        ..StudyFigure::boxes("calibration_s", "Kin study: does kin estimate how closely the data sets are related?", vec![panels.into()])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_are_counted_where_their_probability_lies() {
        let mut bins = [ProbabilityBin::default(); BINS];
        for (share, identical) in [(0.0, false), (0.05, false), (0.45, true), (0.41, false), (1.0, true)] {
            ProbabilityBin::of(&mut bins, share).add(identical);
        }
        assert_eq!((bins[0].other, bins[0].share()), (2, Some((0.0, 0.0))));
        assert_eq!(bins[4].share().map(|(share, _)| share), Some(2.0 / 3.0));
        assert_eq!((bins[9].identical, bins[5].share()), (1, None));
    }
}
