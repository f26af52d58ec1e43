//! The table of the study of calibration: Brier scores, calibration errors, and the difference of chains from exact sums.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use serde::Serialize;

use super::{CalibrationRow, SCORES, Scheme, numbers};
use crate::kin_table::Mean;
use crate::verdict::{ClaimVerdict, Supported};

/// The number of bins of stated probabilities.
pub const BINS: usize = 10;

/// The largest expected calibration error of posterior probabilities by kin.
const MOST_ERROR: f64 = 0.03;
/// The largest mean difference between the arc probabilities of chains and exact sums.
const MOST_DIFFERENCE: f64 = 0.01;

/// The relations between the data sets.
const PARAMETERS: [&str; 3] = ["hier", "iid", "id"];

/// The edges whose stated probability is in one bin.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct StatedBin {
    /// The sum of the stated probabilities.
    pub stated: f64,
    /// The number of these edges that the true networks have.
    pub present: usize,
    /// The number of edges.
    pub edges: usize,
}

/// One scheme by one score on all problems of one size.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CalibrationLine {
    /// Variables.
    pub nodes: usize,
    /// The score.
    pub score: String,
    /// The scheme.
    pub scheme: String,
    /// Problems.
    pub problems: usize,
    /// The mean squared difference between the stated probability and 1 or 0.
    pub brier: f64,
    /// The expected calibration error.
    pub error: f64,
    /// The same among the problems with `hier`, `iid` and `id`.
    pub error_by_parameters: [f64; 3],
    /// The mean absolute difference of arc probabilities from the exact ones, for chains.
    pub from_exact: Option<Mean>,
    /// The problems in which the chains did not agree within their tolerance.
    pub not_converged: usize,
    /// The edges by stated probability.
    pub bins: [StatedBin; BINS],
}

/// All schemes on all problems.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CalibrationTable {
    /// By number of variables, score and scheme.
    pub lines: Vec<CalibrationLine>,
}

impl StatedBin {
    /// All edges of some rows, by stated probability.
    fn of<'a>(rows: impl Iterator<Item = &'a CalibrationRow>) -> [Self; BINS] {
        let mut bins = [Self::default(); BINS];
        for (stated, present) in rows.flat_map(CalibrationRow::cases) {
            let above = (1..BINS).filter(|&bound| stated * BINS as f64 >= bound as f64).count();
            let bin = &mut bins[above];
            bin.stated += stated;
            bin.present += usize::from(present);
            bin.edges += 1;
        }
        bins
    }

    /// The expected calibration error: the distance between stated probability and share of true edges, over all edges.
    fn error(bins: &[Self; BINS]) -> f64 {
        let edges: usize = bins.iter().map(|bin| bin.edges).sum();
        bins.iter().map(|bin| (bin.stated - bin.present as f64).abs()).sum::<f64>() / edges as f64
    }

    /// The share of true edges and its standard error as if edges were independent; `None` for an empty bin.
    pub fn share(&self) -> Option<(f64, f64)> {
        let (present, edges) = (self.present as f64, self.edges as f64);
        let share = present / edges;
        (self.edges > 0).then(|| (share, (share * (1.0 - share) / edges).sqrt()))
    }
}

impl CalibrationTable {
    /// The table of some rows.
    pub fn of(rows: &[CalibrationRow]) -> Self {
        let sizes: BTreeSet<usize> = rows.iter().map(|row| row.nodes).collect();
        let mut lines = Vec::new();
        for nodes in sizes {
            for score in SCORES {
                let own: Vec<&CalibrationRow> =
                    rows.iter().filter(|row| row.nodes == nodes && row.score == score).collect();
                lines.extend(Scheme::of(nodes).filter_map(|scheme| CalibrationLine::of(&own, scheme)));
            }
        }
        Self { lines }
    }

    /// The line of a scheme.
    pub fn line(&self, nodes: usize, score: &str, scheme: Scheme) -> Option<&CalibrationLine> {
        let is_it = |line: &&CalibrationLine| {
            line.nodes == nodes && line.score == score && line.scheme == scheme.name()
        };
        self.lines.iter().find(is_it)
    }

    /// The table as Markdown.
    pub fn markdown(&self) -> String {
        let mut text = "| variables | problems | score | scheme | Brier | ECE | ECE hier | iid | id |\n\
            |---|---|---|---|---|---|---|---|---|\n"
            .to_owned();
        for line in &self.lines {
            let scheme = Scheme::of(line.nodes).find(|scheme| scheme.name() == line.scheme);
            let [hier, iid, id] = line.error_by_parameters;
            let _ = writeln!(
                text,
                "| {} | {} | `{}` | {} | {:.3} | {:.3} | {hier:.3} | {iid:.3} | {id:.3} |",
                line.nodes,
                line.problems,
                line.score,
                scheme.map_or("", Scheme::words),
                line.brier,
                line.error,
            );
        }
        text
    }

    /// Whether posterior probabilities by kin are calibrated, and chains close to exact sums.
    pub fn verdicts(&self) -> Vec<ClaimVerdict> {
        let verdict = |claim: String, value: f64, se: f64, most: f64, measured: &str| ClaimVerdict {
            claim,
            study: "calibration".to_owned(),
            supported: if value <= most { Supported::Yes } else { Supported::No },
            value,
            se,
            measured: measured.to_owned(),
            figure: "reliability".to_owned(),
        };
        let mut verdicts = Vec::new();
        for line in &self.lines {
            let is_posterior = [Scheme::Exact.name(), Scheme::Mcmc.name()].contains(&line.scheme.as_str());
            if line.score == "kin" && is_posterior {
                for (parameters, error) in PARAMETERS.into_iter().zip(line.error_by_parameters) {
                    if error.is_nan() {
                        continue;
                    }
                    verdicts.push(verdict(
                        format!(
                            "{} variables, {parameters}: calibration error of kin's {} probabilities at most {MOST_ERROR}",
                            line.nodes, line.scheme
                        ),
                        error,
                        f64::NAN,
                        MOST_ERROR,
                        "expected calibration error of edges, ten bins",
                    ));
                }
            }
            verdicts.extend(line.from_exact.map(|apart| {
                verdict(
                    format!(
                        "{} variables, {}: arc probabilities of chains within {MOST_DIFFERENCE} of the exact ones on average",
                        line.nodes, line.score
                    ),
                    apart.mean,
                    apart.se,
                    MOST_DIFFERENCE,
                    "mean absolute difference of arc probabilities",
                )
            }));
        }
        verdicts
    }
}

impl CalibrationLine {
    /// The line of one scheme among the rows of one size and score; `None` if it has none.
    fn of(rows: &[&CalibrationRow], scheme: Scheme) -> Option<Self> {
        let of = |scheme: Scheme| -> BTreeMap<u64, &CalibrationRow> {
            let own = rows.iter().filter(|row| row.scheme == scheme.name());
            own.map(|&row| (row.replicate, row)).collect()
        };
        let (own, exact) = (of(scheme), of(Scheme::Exact));
        let first = own.values().next()?;
        let among = |parameters: &str| {
            StatedBin::error(&StatedBin::of(own.values().copied().filter(|row| row.parameters == parameters)))
        };
        let squares: Vec<f64> = own
            .values()
            .flat_map(|row| row.cases())
            .map(|(stated, present)| (stated - f64::from(u8::from(present))).powi(2))
            .collect();
        let apart: Vec<f64> = own
            .values()
            .filter_map(|row| {
                let pairs = numbers(&row.directions).zip(numbers(&exact.get(&row.replicate)?.directions));
                let apart: Vec<f64> = pairs.map(|(one, other)| (one - other).abs()).collect();
                Some(apart.iter().sum::<f64>() / apart.len() as f64)
            })
            .collect();
        let bins = StatedBin::of(own.values().copied());
        Some(Self {
            nodes: first.nodes,
            score: first.score.clone(),
            scheme: scheme.name().to_owned(),
            problems: own.len(),
            brier: squares.iter().sum::<f64>() / squares.len() as f64,
            error: StatedBin::error(&bins),
            error_by_parameters: PARAMETERS.map(among),
            from_exact: Mean::of(&apart).filter(|_| scheme == Scheme::Mcmc),
            not_converged: own.values().filter(|row| !row.converged).count(),
            bins,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stated_probabilities_are_held_against_the_true_edges() {
        let row =
            |replicate: u64, scheme: Scheme, edges: &str, directions: &str, present: &str| CalibrationRow {
                replicate,
                parameters: "hier".to_owned(),
                nodes: 8,
                score: "kin".to_owned(),
                scheme: scheme.name().to_owned(),
                edges: edges.to_owned(),
                directions: directions.to_owned(),
                present: present.to_owned(),
                converged: true,
                seconds: 2.0,
                ..CalibrationRow::default()
            };
        let rows = [
            row(0, Scheme::Exact, "0.9;0.2;0.2", "0.5;0.4", "100"),
            row(1, Scheme::Exact, "1.0;0.9;0.2", "0.1;0.9", "110"),
            row(0, Scheme::Mcmc, "0.9;0.2;0.2", "0.54;0.42", "100"),
        ];
        let table = CalibrationTable::of(&rows);
        let exact = table.line(8, "kin", Scheme::Exact).expect("it has rows");
        assert_eq!((exact.problems, exact.bins[2].edges, exact.bins[9].present), (2, 3, 3));
        // Bins 0.2 to 0.3: 0.6 stated, none there; 0.9 to 1: 2.8 stated, three there; six edges.
        assert!((exact.error - (0.6 + 0.2) / 6.0).abs() < 1e-12, "{}", exact.error);
        assert!((exact.brier - (2.0 * 0.01 + 3.0 * 0.04) / 6.0).abs() < 1e-12, "{}", exact.brier);
        let chains = table.line(8, "kin", Scheme::Mcmc).expect("it has rows");
        assert!((chains.from_exact.expect("exact ones are known").mean - 0.03).abs() < 1e-12);
        assert!(exact.from_exact.is_none() && exact.error_by_parameters[1].is_nan());
        let verdicts = table.verdicts();
        assert_eq!(verdicts.len(), 3);
        assert!(verdicts.iter().all(|verdict| verdict.supported == Supported::No));
        assert!(table.markdown().contains("| 8 | 2 | `kin` | exact posterior | 0.023 | 0.133 |"));
    }
}
