//! The table of the study of searches: hits, gaps, distances and times, by number of variables and score.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use serde::Serialize;

use super::{SCORES, SearchingRow, Way};
use crate::kin_table::Mean;
use crate::verdict::{ClaimVerdict, Supported};

/// Scores that differ by less are equal.
const TOLERANCE: f64 = 1e-6;

/// The largest mean SHD of the default search by kin, by number of variables, and the largest share of problems in which the truth may
/// score higher.
const LIMITS: [(usize, f64, f64); 2] = [(20, 0.6, 1.0 / 30.0), (50, 5.0, 1.0)];

/// One search by one score on all problems of one size.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SearchLine {
    /// Variables.
    pub nodes: usize,
    /// The score.
    pub score: String,
    /// The search.
    pub search: String,
    /// Problems.
    pub problems: usize,
    /// Whether the optimum of every problem is known; otherwise the best of all searches, or the true network if it scores higher, stands in
    /// for it.
    pub known: bool,
    /// The share of problems in which it finds the best network.
    pub hit: f64,
    /// The mean difference to the best score, in nats.
    pub gap: Option<Mean>,
    /// The mean SHD to the true network.
    pub shd: Option<Mean>,
    /// The mean of its SHD minus that of the best network.
    pub above_best: Option<Mean>,
    /// The problems in which the true network scores higher than the one found.
    pub truth_above: usize,
    /// Its time as a multiple of that of the plain climb.
    pub time: f64,
    /// The families that it scores, as a multiple of those of the plain climb.
    pub families: f64,
}

/// All searches on all problems.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SearchingTable {
    /// By number of variables, score and search.
    pub lines: Vec<SearchLine>,
}

impl SearchingTable {
    /// The table of some rows.
    pub fn of(rows: &[SearchingRow]) -> Self {
        let mut sizes: BTreeMap<usize, Vec<&SearchingRow>> = BTreeMap::new();
        rows.iter().for_each(|row| sizes.entry(row.nodes).or_default().push(row));
        let mut lines = Vec::new();
        for (nodes, rows) in sizes {
            for score in SCORES {
                let own: Vec<&SearchingRow> = rows.iter().copied().filter(|row| row.score == score).collect();
                lines.extend(Way::of(nodes).filter_map(|way| SearchLine::of(&own, way)));
            }
        }
        Self { lines }
    }

    /// The tables as Markdown, one for every number of variables.
    pub fn markdown(&self) -> String {
        let mut text = String::new();
        let sizes: BTreeSet<usize> = self.lines.iter().map(|line| line.nodes).collect();
        for nodes in sizes {
            let lines: Vec<&SearchLine> = self.lines.iter().filter(|line| line.nodes == nodes).collect();
            let known = if lines.iter().all(|line| line.known) { "optimum" } else { "best known network" };
            let _ = write!(
                text,
                "\n### {nodes} variables, {} problems, against the {known}\n\n| search |",
                lines[0].problems
            );
            for score in SCORES {
                let _ = write!(text, " {score}: hit | gap | SHD | truth above | time |");
            }
            text += "\n|---|";
            text += &"---|".repeat(5 * SCORES.len());
            text.push('\n');
            for way in Way::of(nodes) {
                let _ = write!(text, "| `{}` |", way.name());
                for score in SCORES {
                    match lines.iter().find(|line| line.score == score && line.search == way.name()) {
                        Some(line) => {
                            let [gap, shd] =
                                [line.gap, line.shd].map(|mean| mean.map_or(f64::NAN, |mean| mean.mean));
                            let (hit, above, time) = (line.hit, line.truth_above, line.time);
                            let _ = write!(text, " {hit:.2} | {gap:.1} | {shd:.2} | {above} | {time:.1} |");
                        }
                        None => text += " – | – | – | – | – |",
                    }
                }
                text.push('\n');
            }
        }
        text
    }

    /// Whether the default search by kin finds networks as good as it must.
    pub fn verdicts(&self) -> Vec<ClaimVerdict> {
        let mut verdicts = Vec::new();
        for (nodes, most, share) in LIMITS {
            let auto =
                |line: &&SearchLine| line.nodes == nodes && line.score == "kin" && line.search == "auto";
            let Some((line, shd)) =
                self.lines.iter().find(auto).and_then(|line| line.shd.map(|shd| (line, shd)))
            else {
                continue;
            };
            let verdict = |claim: String, holds: bool, value: f64, se: f64, measured: &str| ClaimVerdict {
                claim,
                study: "searching".to_owned(),
                supported: if holds { Supported::Yes } else { Supported::No },
                value,
                se,
                measured: measured.to_owned(),
                figure: "searches".to_owned(),
            };
            verdicts.push(verdict(
                format!("{nodes} variables: mean SHD of the default search by kin at most {most}"),
                shd.mean <= most,
                shd.mean,
                shd.se,
                "mean SHD between CPDAGs",
            ));
            if share < 1.0 {
                let above = line.truth_above as f64;
                verdicts.push(verdict(
                    format!(
                        "{nodes} variables: the truth scores higher than the result in at most one of thirty"
                    ),
                    above <= (share * line.problems as f64).max(1.0),
                    above,
                    f64::NAN,
                    "problems in which the truth scores higher",
                ));
            }
        }
        verdicts
    }
}

impl SearchLine {
    /// The line of one search among the rows of one size and score; `None` if it has none.
    fn of(rows: &[&SearchingRow], way: Way) -> Option<Self> {
        let mut problems: BTreeMap<u64, BTreeMap<&str, &SearchingRow>> = BTreeMap::new();
        for row in rows {
            problems.entry(row.replicate).or_default().insert(&row.search, row);
        }
        let found: Vec<Compared<'_>> =
            problems.values().filter_map(|problem| Compared::of(problem, way)).collect();
        let first = found.first()?;
        let mean = |of: &dyn Fn(&Compared<'_>) -> f64| Mean::of(&found.iter().map(of).collect::<Vec<f64>>());
        let sum = |of: &dyn Fn(&Compared<'_>) -> f64| found.iter().map(of).sum::<f64>();
        Some(Self {
            nodes: first.own.nodes,
            score: first.own.score.clone(),
            search: way.name().to_owned(),
            problems: found.len(),
            known: found.iter().all(|one| one.best.optimal),
            hit: sum(&|one| f64::from(u8::from(one.gap() < TOLERANCE))) / found.len() as f64,
            gap: mean(&|one| one.gap()),
            shd: mean(&|one| one.own.shd_cpdag as f64),
            above_best: mean(&|one| one.own.shd_cpdag as f64 - one.best.shd_cpdag as f64),
            truth_above: found.iter().filter(|one| one.own.truth > one.own.value + TOLERANCE).count(),
            time: sum(&|one| one.own.seconds) / sum(&|one| one.climb.seconds),
            families: sum(&|one| one.own.families as f64) / sum(&|one| one.climb.families as f64),
        })
    }
}

/// A search on one problem, with the plain climb and the best network found there.
struct Compared<'a> {
    own: &'a SearchingRow,
    climb: &'a SearchingRow,
    best: &'a SearchingRow,
}

impl<'a> Compared<'a> {
    fn of(problem: &BTreeMap<&str, &'a SearchingRow>, way: Way) -> Option<Self> {
        // The first of several equal ones; a proof of optimality counts more.
        let better = |one: &'a SearchingRow, other: &'a SearchingRow| {
            let gain = other.value - one.value;
            if gain > TOLERANCE || (gain.abs() <= TOLERANCE && other.optimal && !one.optimal) {
                other
            } else {
                one
            }
        };
        Some(Self {
            own: problem.get(way.name())?,
            climb: problem.get(Way::Climb.name())?,
            best: problem.values().copied().reduce(better)?,
        })
    }

    /// The difference to the best network known, which may be the true one.
    fn gap(&self) -> f64 {
        (self.best.value.max(self.own.truth) - self.own.value).max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn searches_are_held_against_the_best_network_of_their_problem() {
        let row = |replicate: u64, search: &str, value: f64, shd: usize, seconds: f64| SearchingRow {
            replicate,
            nodes: 20,
            score: "kin".to_owned(),
            search: search.to_owned(),
            value,
            truth: -95.0,
            shd_cpdag: shd,
            families: 100,
            seconds,
            ..SearchingRow::default()
        };
        let rows = [
            row(0, "climb", -100.0, 4, 1.0),
            row(0, "auto", -90.0, 1, 3.0),
            row(0, "order", -92.0, 3, 5.0),
            row(1, "climb", -100.0, 2, 1.0),
            row(1, "auto", -100.0, 2, 5.0),
        ];
        let table = SearchingTable::of(&rows);
        let line = |search: &str| table.lines.iter().find(|line| line.search == search).expect("it has rows");
        let climb = line("climb");
        // The true network of the second problem scores higher than all that were found.
        assert_eq!((climb.problems, climb.hit, climb.truth_above, climb.known), (2, 0.0, 2, false));
        assert_eq!(climb.gap.map(|gap| gap.mean), Some(7.5));
        assert_eq!(climb.above_best.map(|above| above.mean), Some(1.5));
        assert_eq!((line("auto").hit, line("auto").time, line("auto").truth_above), (0.5, 4.0, 1));
        assert_eq!(line("order").problems, 1);
        let verdicts: Vec<Supported> = table.verdicts().iter().map(|verdict| verdict.supported).collect();
        assert_eq!(verdicts, [Supported::No, Supported::Yes]);
        let text = table.markdown();
        assert!(text.contains("### 20 variables, 2 problems, against the best known network"), "{text}");
        assert!(text.contains("| `climb` | 0.00 | 7.5 | 3.00 | 2 | 1.0 | – |"), "{text}");
    }
}
