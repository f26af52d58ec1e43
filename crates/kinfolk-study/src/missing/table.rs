//! The table of the study of missing values: paired differences from complete data and from pooled EM, and what they must be.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::Serialize;

use super::{MissingRow, Treatment};
use crate::kin_table::Mean;
use crate::verdict::{ClaimVerdict, Supported};

/// One setting of the study.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MissingCell {
    /// `hier`, `iid` or `id`.
    pub parameters: String,
    /// Which cells were removed.
    pub mechanism: String,
    /// Data sets.
    pub data_sets: usize,
    /// Rows of each.
    pub rows: usize,
    /// Replicates.
    pub replicates: usize,
    /// The mean SHD on complete data.
    pub complete: Option<Mean>,
    /// For every other treatment, its SHD minus that on complete data.
    pub above_complete: Vec<(String, Mean)>,
    /// The SHD of `impute` minus that of `drop-rows`.
    pub above_drop_rows: Option<Mean>,
    /// The accuracy of filled-in values minus that of pooled EM.
    pub accuracy: Option<Mean>,
    /// Their log-loss minus that of pooled EM.
    pub log_loss: Option<Mean>,
    /// The accuracy of values filled in from the true network minus that of pooled EM: about the most that is attainable.
    pub attainable: Option<Mean>,
    /// Rounds of structural EM.
    pub rounds: Option<Mean>,
    /// The time of `impute` as a multiple of the search on complete data.
    pub time: Option<Mean>,
}

/// All settings, in the order of the study.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MissingTable {
    /// The settings.
    pub cells: Vec<MissingCell>,
}

/// The most SHD above complete data that structural EM may have: mechanism, rows of a data set, limit; for eight data sets of `hier`.
const LIMITS: [(&str, usize, f64); 6] = [
    ("5 % at random", 100, 0.3),
    ("20 % at random", 100, 0.5),
    ("20 % given others", 100, 1.0),
    ("40 % at random", 100, 2.5),
    ("40 % at random", 300, 1.5),
    ("absent columns", 100, 0.5),
];

/// How much more accurate than pooled EM filled-in values must be where data sets differ.
const MORE_ACCURATE: f64 = 0.05;

impl MissingCell {
    /// Its name in words.
    pub fn title(&self) -> String {
        format!("{}, {}, {} × {} rows", self.mechanism, self.parameters, self.data_sets, self.rows)
    }

    /// The SHD of a treatment above that on complete data.
    fn above(&self, treatment: Treatment) -> Option<Mean> {
        self.above_complete.iter().find(|(name, _)| name == treatment.name()).map(|&(_, mean)| mean)
    }

    fn of(rows: &[&MissingRow]) -> Self {
        let mut by_replicate: BTreeMap<u64, BTreeMap<&str, &MissingRow>> = BTreeMap::new();
        for row in rows {
            by_replicate.entry(row.replicate).or_default().insert(&row.treatment, row);
        }
        let paired = |of: &dyn Fn(&BTreeMap<&str, &MissingRow>) -> Option<f64>| {
            Mean::of(&by_replicate.values().filter_map(of).collect::<Vec<f64>>())
        };
        let shd = |treatment: Treatment| {
            move |all: &BTreeMap<&str, &MissingRow>| Some(all.get(treatment.name())?.shd_cpdag as f64)
        };
        let minus =
            |one: Treatment, other: Treatment| paired(&move |all| Some(shd(one)(all)? - shd(other)(all)?));
        let quality = |treatment: Treatment, of: fn(&MissingRow) -> Option<f64>| {
            paired(&move |all| {
                Some(of(all.get(treatment.name())?)? - of(all.get(Treatment::PooledEm.name())?)?)
            })
        };
        Self {
            parameters: rows[0].parameters.clone(),
            mechanism: rows[0].mechanism.clone(),
            data_sets: rows[0].data_sets,
            rows: rows[0].rows,
            replicates: by_replicate.len(),
            complete: paired(&shd(Treatment::Complete)),
            above_complete: Treatment::LEARNING
                .iter()
                .filter_map(|&one| Some((one.name().to_owned(), minus(one, Treatment::Complete)?)))
                .collect(),
            above_drop_rows: minus(Treatment::Impute, Treatment::DropRows),
            accuracy: quality(Treatment::Impute, |row| row.accuracy),
            log_loss: quality(Treatment::Impute, |row| row.log_loss),
            attainable: quality(Treatment::TrueModel, |row| row.accuracy),
            rounds: paired(&|all| Some(all.get(Treatment::Impute.name())?.rounds as f64)),
            time: paired(&|all| {
                Some(
                    all.get(Treatment::Impute.name())?.seconds / all.get(Treatment::Complete.name())?.seconds,
                )
            }),
        }
    }
}

impl MissingTable {
    /// The table of some rows.
    pub fn of(rows: &[MissingRow]) -> Self {
        let mut cells: BTreeMap<u64, Vec<&MissingRow>> = BTreeMap::new();
        for row in rows {
            // Replicates of a setting follow each other.
            cells.entry(row.replicate - row.parameter_set).or_default().push(row);
        }
        Self { cells: cells.values().map(|rows| MissingCell::of(rows)).collect() }
    }

    /// The table as Markdown.
    pub fn markdown(&self) -> String {
        let mut text = "| tables | data sets × rows | missing | replicates | complete |".to_owned();
        let names = Treatment::LEARNING.map(Treatment::name);
        names.iter().for_each(|name| text += &format!(" {name} |"));
        text += " accuracy, points | of the true model | log-loss |\n|---|---|---|---|---|";
        text += &"---|".repeat(names.len() + 3);
        text.push('\n');
        for cell in &self.cells {
            let _ = write!(
                text,
                "| {} | {} × {} | {} | {} | {} |",
                cell.parameters,
                cell.data_sets,
                cell.rows,
                cell.mechanism,
                cell.replicates,
                number(cell.complete, 1.0, 2)
            );
            for name in names {
                let mean = cell.above_complete.iter().find(|(other, _)| other == name).map(|&(_, mean)| mean);
                let _ = write!(text, " {} |", number(mean, 1.0, 2));
            }
            let _ = writeln!(
                text,
                " {} | {} | {} |",
                number(cell.accuracy, 100.0, 1),
                number(cell.attainable, 100.0, 1),
                number(cell.log_loss, 1.0, 4)
            );
        }
        text
    }

    /// Whether the study shows what it must.
    pub fn verdicts(&self) -> Vec<ClaimVerdict> {
        let mut verdicts = Vec::new();
        for cell in &self.cells {
            let limits = LIMITS.iter().filter(|&&(mechanism, rows, _)| {
                cell.parameters == "hier"
                    && cell.data_sets == 8
                    && mechanism == cell.mechanism
                    && rows == cell.rows
            });
            for &(_, _, limit) in limits {
                verdicts.extend(cell.above(Treatment::Impute).map(|above| {
                    let claim = format!("at most {limit} SHD above complete data: {}", cell.title());
                    at_most(claim, above, limit, "SHD of impute minus that on complete data", "shd")
                }));
            }
            verdicts.extend(cell.above_drop_rows.map(|above| {
                let claim = format!("not worse than dropping rows: {}", cell.title());
                at_most(claim, above, 0.0, "SHD of impute minus that of drop-rows", "shd")
            }));
            let measured = "accuracy of impute minus that of pooled EM";
            if cell.parameters == "id" {
                verdicts.extend(cell.log_loss.map(|above| {
                    let claim =
                        format!("log-loss of filled-in values no worse than pooled EM's: {}", cell.title());
                    at_most(claim, above, 0.0, "log-loss of impute minus that of pooled EM", "accuracy")
                }));
            } else {
                verdicts.extend(cell.accuracy.map(|above| {
                    let claim =
                        format!("filled-in values 5 points more accurate than pooled EM's: {}", cell.title());
                    let short = Mean { mean: MORE_ACCURATE - above.mean, se: above.se };
                    let verdict = at_most(claim, short, 0.0, measured, "accuracy");
                    ClaimVerdict { value: above.mean, ..verdict }
                }));
            }
        }
        verdicts
    }
}

/// A claim that a mean is at most a limit: it fails if the mean is more than two standard errors above.
fn at_most(claim: String, mean: Mean, limit: f64, measured: &str, figure: &str) -> ClaimVerdict {
    let supported = if mean.mean <= limit {
        Supported::Yes
    } else if mean.mean - 2.0 * mean.se > limit {
        Supported::No
    } else {
        Supported::Mixed
    };
    ClaimVerdict {
        claim,
        study: "missing".to_owned(),
        supported,
        value: mean.mean,
        se: mean.se,
        measured: measured.to_owned(),
        figure: figure.to_owned(),
    }
}

/// A mean with its standard error, both times a factor.
fn number(mean: Option<Mean>, factor: f64, digits: usize) -> String {
    mean.map_or_else(
        || "–".to_owned(),
        |mean| format!("{:.digits$} ± {:.digits$}", factor * mean.mean, factor * mean.se),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_paired_and_held_against_their_limits() {
        let row = |replicate: u64, treatment: &str, shd: usize, accuracy: Option<f64>| MissingRow {
            replicate,
            parameter_set: replicate,
            parameters: "hier".to_owned(),
            mechanism: "20 % at random".to_owned(),
            data_sets: 8,
            rows: 100,
            treatment: treatment.to_owned(),
            shd_cpdag: shd,
            accuracy,
            seconds: 1.0,
            ..MissingRow::default()
        };
        let mut rows = Vec::new();
        for (replicate, complete, impute, dropped) in [(0, 1, 1, 5), (1, 4, 5, 9), (2, 0, 0, 7)] {
            rows.push(row(replicate, "complete", complete, None));
            rows.push(row(replicate, "impute", impute, Some(0.75)));
            rows.push(row(replicate, "drop-rows", dropped, None));
            rows.push(row(replicate, "pooled-em", 9, Some(0.625)));
        }
        let table = MissingTable::of(&rows);
        let cell = &table.cells[0];
        let above = cell.above(Treatment::Impute).expect("it has rows");
        // Differences 0, 1, 0: mean 1/3, variance 1/3, standard error √(1/9).
        assert!((above.mean - 1.0 / 3.0).abs() < 1e-12 && (above.se - 1.0 / 3.0).abs() < 1e-12);
        assert_eq!((cell.replicates, cell.accuracy.map(|mean| mean.mean)), (3, Some(0.125)));
        let verdicts = table.verdicts();
        assert_eq!(verdicts.len(), 3);
        assert!(verdicts.iter().all(|verdict| verdict.supported == Supported::Yes));
        assert!(table.markdown().contains("| hier | 8 × 100 | 20 % at random | 3 | 1.67 ± 1.20 |"));
    }
}
