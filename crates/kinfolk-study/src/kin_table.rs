//! The table of the kin study: mean SHD of every method in every regime, and kin's distance from the best method.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::Serialize;

use crate::grids_kin::FAILING;
use crate::methods::words;
use crate::paired::{MeanDifference, difference, pairs};
use crate::rows::ReplicateRow;
use crate::verdict::{ClaimVerdict, Supported};

/// The tolerated difference between kin and the best method, in SHD.
pub const WITHIN: f64 = 0.2;

/// A regime, or a part of it with one kind of parameters.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RegimeColumn {
    /// The regime; `all` for everything.
    pub regime: String,
    /// `hier`, `iid` or `id`; empty for all of them.
    pub parameters: String,
    /// The number of replicates.
    pub replicates: usize,
    /// The method with the smallest mean SHD.
    pub best: String,
    /// The mean SHD of kin minus that of the best other method, paired.
    pub behind: MeanDifference,
    /// That method.
    pub rival: String,
}

/// A mean with its standard error.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Mean {
    /// The mean.
    pub mean: f64,
    /// Its standard error.
    pub se: f64,
}

/// One method.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct KinLine {
    /// Its name in results.
    pub method: String,
    /// Its mean SHD in every column.
    pub means: Vec<Option<Mean>>,
    /// Its mean SHD minus that of kin, paired: positive if kin is better.
    pub behind_kin: Vec<MeanDifference>,
}

/// All methods in all regimes, by increasing overall mean.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct KinTable {
    /// The regimes.
    pub columns: Vec<RegimeColumn>,
    /// The methods.
    pub lines: Vec<KinLine>,
}

impl RegimeColumn {
    /// Its title.
    pub fn title(&self) -> String {
        match (self.regime.as_str(), self.parameters.as_str()) {
            ("all", "") => "all problems".to_owned(),
            (regime, "") => regime.to_owned(),
            (regime, parameters) => format!("{regime}, {parameters}"),
        }
    }

    /// Whether its problems are those on which kin is known to fail.
    pub fn is_failing(&self) -> bool {
        FAILING.contains(&self.regime.as_str())
    }

    /// Whether a row belongs to it; problems on which kin is known to fail are not among "all".
    fn holds(&self, row: &ReplicateRow) -> bool {
        let everywhere = self.regime == "all" && !FAILING.contains(&row.regime.as_str());
        (everywhere || self.regime == row.regime)
            && (self.parameters.is_empty() || self.parameters == row.parameters)
    }

    /// Whether kin is best here, or within the tolerance of the best.
    pub fn supported(&self) -> Supported {
        // Without a standard error, nothing counts against kin.
        if self.behind.mean <= WITHIN {
            Supported::Yes
        } else if self.behind.mean - 2.0 * self.behind.se > WITHIN {
            Supported::No
        } else {
            Supported::Mixed
        }
    }
}

impl Mean {
    /// The mean of independent values; `None` if there are none.
    pub(crate) fn of(values: &[f64]) -> Option<Self> {
        let n = values.len() as f64;
        if values.is_empty() {
            return None;
        }
        let mean = values.iter().sum::<f64>() / n;
        let spread: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        Some(Self { mean, se: (spread / (n - 1.0) / n).sqrt() })
    }

    /// Its difference from the mean of other independent values.
    pub(crate) fn minus(self, other: Self) -> Self {
        Self { mean: self.mean - other.mean, se: self.se.hypot(other.se) }
    }
}

fn columns(rows: &[ReplicateRow]) -> Vec<RegimeColumn> {
    // Regimes in the order of their replicates.
    let mut regimes: BTreeMap<&str, u64> = BTreeMap::new();
    for row in rows {
        let first = regimes.entry(&row.regime).or_insert(row.replicate);
        *first = row.replicate.min(*first);
    }
    let mut regimes: Vec<(u64, &str)> = regimes.into_iter().map(|(regime, first)| (first, regime)).collect();
    regimes.sort_unstable();
    let mut columns = Vec::new();
    for regime in std::iter::once("all").chain(regimes.into_iter().map(|(_, regime)| regime)) {
        for parameters in ["", "hier", "iid", "id"] {
            let column = RegimeColumn {
                regime: regime.to_owned(),
                parameters: parameters.to_owned(),
                replicates: 0,
                best: String::new(),
                behind: MeanDifference::unknown(),
                rival: String::new(),
            };
            if rows.iter().any(|row| column.holds(row)) {
                columns.push(column);
            }
        }
    }
    columns
}

impl KinTable {
    /// Builds the table.
    pub fn of(rows: &[ReplicateRow]) -> Self {
        let mut columns = columns(rows);
        let mut names: Vec<&str> = rows.iter().map(|row| row.method.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        let shd = |row: &ReplicateRow| row.shd_cpdag as f64;
        let mut lines: Vec<KinLine> = names
            .into_iter()
            .map(|method| {
                let own: Vec<&ReplicateRow> = rows.iter().filter(|row| row.method == method).collect();
                let paired = pairs(rows, method, "kin");
                let means = columns.iter().map(|column| {
                    let values: Vec<f64> =
                        own.iter().filter(|row| column.holds(row)).map(|row| shd(row)).collect();
                    Mean::of(&values)
                });
                let behind = columns.iter().map(|column| difference(&paired, shd, |row| column.holds(row)));
                KinLine { method: method.to_owned(), means: means.collect(), behind_kin: behind.collect() }
            })
            .collect();
        let average =
            |line: &KinLine| line.means.first().copied().flatten().map_or(f64::INFINITY, |m| m.mean);
        lines.sort_by(|a, b| average(a).total_cmp(&average(b)));
        for (place, column) in columns.iter_mut().enumerate() {
            let at = |line: &&KinLine| line.means[place].map_or(f64::INFINITY, |mean| mean.mean);
            let by = |a: &&KinLine, b: &&KinLine| at(a).total_cmp(&at(b));
            column.best = lines.iter().min_by(by).map_or(String::new(), |line| line.method.clone());
            if let Some(rival) = lines.iter().filter(|line| line.method != "kin").min_by(by) {
                column.rival.clone_from(&rival.method);
                column.behind = rival.behind_kin[place].negated();
                column.replicates = column.behind.replicates;
            }
        }
        Self { columns, lines }
    }

    /// The best method of a column that is not a variant of kin, and the mean SHD of kin minus its own.
    pub fn outsider(&self, place: usize) -> Option<(&KinLine, MeanDifference)> {
        let outside = self.lines.iter().filter(|line| !line.method.starts_with("kin"));
        let known = outside.filter_map(|line| line.means[place].map(|mean| (mean.mean, line)));
        let (_, best) = known.min_by(|a, b| a.0.total_cmp(&b.0))?;
        Some((best, best.behind_kin[place].negated()))
    }

    /// Whether kin is best or within the tolerance, by regime.
    pub fn verdicts(&self) -> Vec<ClaimVerdict> {
        let columns = self.columns.iter().filter(|column| {
            !column.is_failing() && (column.regime == "all" || !column.parameters.is_empty())
        });
        columns
            .map(|column| ClaimVerdict {
                claim: format!("{}: kin is best, or within {WITHIN} SHD of the best", column.title()),
                study: "kin".to_owned(),
                supported: column.supported(),
                value: column.behind.mean,
                se: column.behind.se,
                measured: format!(
                    "mean SHD of kin minus that of the best other method ({})",
                    words(&column.rival)
                ),
                figure: if column.regime == "plain" || column.regime == "all" {
                    "methods"
                } else {
                    "regimes"
                }
                .to_owned(),
            })
            .collect()
    }

    /// The table as Markdown: one row per regime, one column per method.
    pub fn markdown(&self) -> String {
        let shown = [
            "kin",
            "kin_related",
            "kin_joint",
            "bhd_s5_size",
            "bhd_s5",
            "bhd_s1",
            "bhd_paper",
            "separate_k2_size",
            "separate_5",
            "k2_size",
            "bdeu_1_size",
            "bdeu_1",
            "bic",
        ];
        let lines: Vec<&KinLine> =
            shown.iter().filter_map(|name| self.lines.iter().find(|line| line.method == *name)).collect();
        let mut text = "| regime | problems |".to_owned();
        for line in &lines {
            let _ = write!(text, " {} |", words(&line.method));
        }
        text += " best other | kin minus it |\n|---|---|";
        lines.iter().for_each(|_| text += "---|");
        text += "---|---|\n";
        for (place, column) in self.columns.iter().enumerate() {
            let _ = write!(text, "| {} | {} |", column.title(), column.replicates);
            for line in &lines {
                let mean = line.means[place].map_or("–".to_owned(), |mean| format!("{:.2}", mean.mean));
                let bold = if line.method == column.best { "**" } else { "" };
                let _ = write!(text, " {bold}{mean}{bold} |");
            }
            let _ = writeln!(text, " {} | {} |", words(&column.rival), column.behind.signed());
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(replicate: u64, method: &str, shd: usize) -> ReplicateRow {
        ReplicateRow {
            replicate,
            structure: replicate,
            method: method.to_owned(),
            regime: "plain".to_owned(),
            parameters: "hier".to_owned(),
            shd_cpdag: shd,
            ..ReplicateRow::default()
        }
    }

    #[test]
    fn kin_is_compared_with_the_best_other_method_of_each_regime() {
        let mut rows = Vec::new();
        for replicate in 0..10 {
            rows.extend([row(replicate, "kin", 3), row(replicate, "bdeu_1", 5), row(replicate, "bhd_s5", 2)]);
        }
        let table = KinTable::of(&rows);
        assert_eq!(table.columns.len(), 4);
        let plain = &table.columns[3];
        assert_eq!((plain.title().as_str(), plain.rival.as_str()), ("plain, hier", "bhd_s5"));
        assert_eq!((plain.behind.mean, plain.best.as_str()), (1.0, "bhd_s5"));
        assert_eq!(plain.supported(), Supported::No);
        assert_eq!(
            table.outsider(3).map(|(line, behind)| (line.method.as_str(), behind.mean)),
            Some(("bhd_s5", 1.0))
        );
        rows.retain(|row| row.method != "bhd_s5");
        let table = KinTable::of(&rows);
        assert_eq!((table.columns[3].behind.mean, table.columns[3].supported()), (-2.0, Supported::Yes));
        assert!(table.markdown().contains("| plain, hier | 10 | **3.00** | 5.00 |"), "{}", table.markdown());
    }
}
