//! Generates the measured part of docs/choosing-a-score.md from the rows of the kin study.

use std::fmt::Write as _;

use crate::experiment::ExperimentOutcome;
use crate::kin_table::{KinLine, KinTable, RegimeColumn, WITHIN};
use crate::methods::words;
use crate::rows::ReplicateRow;
use crate::verdict::Supported;

/// Generates that part as Markdown.
pub(crate) fn choosing(rows: &[ReplicateRow], kept: ExperimentOutcome) -> String {
    let table = KinTable::of(rows);
    let mut text = format!(
        "Made by `kinfolk reproduce kin --scale paper --out DIR --report docs` from {} of {} simulated problems, about equally many of each \
         kind; do not edit. Each was learned with {} methods by the default search. Smaller SHD (between CPDAGs) is better, differences are \
         paired, ± is one standard error. No score has information about a problem beyond its rows.\n\n",
        kept.finished,
        kept.replicates,
        table.lines.len(),
    );
    text += &in_short(&table);
    text += &failing(&table);
    text += "\n### On average\n\n| method | mean SHD | minus kin, paired |\n|---|---|---|\n";
    for line in &table.lines {
        let mean = line.means[0].map_or(f64::NAN, |mean| mean.mean);
        let behind = &line.behind_kin[0];
        let _ = writeln!(text, "| {} | {mean:.2} | {} |", words(&line.method), behind.signed());
    }
    text += "\n![mean SHD of every method](kin-methods.svg)\n\n### Regime by regime\n\n\
        `plain` has ten variables with 12 arcs, 2 to 25 data sets of 20 to 2000 rows and 2, 3 or 5 states; the others change one thing. \
        `hier`: tables around a common centre; `iid`: nothing in common; `id`: the same tables. Bold: the best of all methods.\n\n";
    text += &table.markdown();
    text + &calibration(rows)
}

/// The summary of the table: by whole regime, and by the parts of a regime, which users cannot tell apart beforehand.
fn in_short(table: &KinTable) -> String {
    let of = |whole: bool| {
        let columns = table.columns.iter().enumerate();
        columns.filter(move |(_, column)| {
            column.regime != "all" && !column.is_failing() && column.parameters.is_empty() == whole
        })
    };
    let close = |place: usize| table.outsider(place).is_some_and(|(_, behind)| behind.mean <= WITHIN);
    let (wholes, parts) = (of(true).count(), of(false).count());
    let mut text = format!(
        "**In short:** against every score that is not a variant of itself, kin is best or within {WITHIN} SHD of the best in {} of {wholes} \
         regimes. Split further by the relation between the data sets' tables, which is unknown in practice, that holds in {} of {parts} \
         parts.\n",
        of(true).filter(|(place, _)| close(*place)).count(),
        of(false).filter(|(place, _)| close(*place)).count(),
    );
    let far: Vec<(usize, &RegimeColumn)> = of(false).filter(|(place, _)| !close(*place)).collect();
    if !far.is_empty() {
        text += "Another score has the smaller mean by more than that in:\n\n";
    }
    for (place, column) in far {
        let Some((line, behind)) = table.outsider(place) else { continue };
        let clear = if behind.mean - 2.0 * behind.se > WITHIN {
            "beyond doubt"
        } else {
            "within two standard errors of no difference, or of a difference that small"
        };
        let (mean, se) = (behind.mean, behind.se);
        let _ = writeln!(
            text,
            "- {}: {} by {mean:.2} ± {se:.2} SHD ({clear})",
            column.title(),
            words(&line.method)
        );
    }
    text += "\nThe minimum over many methods on the same problems is biased downwards, so the comparison is conservative for kin.\n";
    let variants: Vec<String> = of(false)
        .filter(|(_, column)| column.rival.starts_with("kin") && column.supported() != Supported::Yes)
        .map(|(_, column)| {
            let behind = &column.behind;
            format!("{} ({} by {:.2} ± {:.2})", column.title(), words(&column.rival), behind.mean, behind.se)
        })
        .collect();
    if !variants.is_empty() {
        let _ = writeln!(
            text,
            "A variant of kin has the smaller mean by more than {WITHIN} in: {}.",
            variants.join("; ")
        );
    }
    text
}

/// The problems on which kin is known to fail, with the best other method.
fn failing(table: &KinTable) -> String {
    if !table.columns.iter().any(RegimeColumn::is_failing) {
        return String::new();
    }
    let mut text = "\n### Where kin fails\n\n\
        These problems violate the assumptions of kin, and are not among \"all problems\" below:\n\n\
        | problems | relation | number | kin | best other | its SHD | kin minus it |\n|---|---|---|---|---|---|---|\n"
        .to_owned();
    let columns = table.columns.iter().enumerate();
    for (place, column) in columns.filter(|(_, column)| column.is_failing() && !column.parameters.is_empty())
    {
        let kin = table.lines.iter().find(|line| line.method == "kin");
        let (Some((line, behind)), Some(kin)) = (table.outsider(place), kin) else { continue };
        let mean = |line: &KinLine| line.means[place].map_or(f64::NAN, |mean| mean.mean);
        let _ = writeln!(
            text,
            "| {} | {} | {} | {:.2} | {} | {:.2} | {} |",
            column.regime,
            column.parameters,
            column.replicates,
            mean(kin),
            words(&line.method),
            mean(line),
            behind.signed()
        );
    }
    text + "\nCopies: kin overstates the evidence of repeated rows, oversampled classes or resampled rows, and learns too many arcs, as K2 \
        does for the same reason (a separate prior for each configuration). Remove duplicates; the separate scores are robust. \
        `kinfolk bootstrap` repeats no row by default ([Resampling](resampling.md)). Selection: kin reports the dependence that selection \
        makes within each data set; pooling averages it out. Rare events: binary events of which most occur in one of a hundred rows.\n"
}

/// Whether kin estimates the relatedness of the data sets correctly.
fn calibration(rows: &[ReplicateRow]) -> String {
    let mut text = String::new();
    text += "\n### Does kin estimate how closely the data sets are related?\n\n\
        P(identical) and the posterior mean of s, averaged over the true families:\n\n\
        | rows per data set | P(identical): hier | iid | id | s: hier, true 10 per joint table |\n|---|---|---|---|---|\n";
    for n in [20_usize, 100, 500, 2000] {
        let of = |kind: &'static str| {
            rows.iter().filter(move |row| {
                row.method == "kin" && row.regime == "plain" && row.rows == n && row.parameters == kind
            })
        };
        let mean = |values: Vec<f64>| values.iter().sum::<f64>() / values.len() as f64;
        let identical = |kind| mean(of(kind).filter_map(|row| row.kin_identical).collect());
        let s = mean(of("hier").filter_map(|row| row.kin_s.map(f64::ln)).collect()).exp();
        let _ = writeln!(
            text,
            "| {n} | {:.2} | {:.2} | {:.2} | {s:.1} |",
            identical("hier"),
            identical("iid"),
            identical("id")
        );
    }
    text += "\nThe grid of s reaches 10,000, where data sets are practically identical. The posterior of identical data sets is \
        therefore split between the pooled hypothesis and the largest s: read P(identical) together with the posterior of s. If tables \
        are drawn over joint cells, the concentration within each configuration is lower than that of the whole table.\n";
    text += &trusted(rows);
    text += "\n![P(identical) of families, and the share that are identical](kin-reliability.svg)\n";
    text + "\n![posterior mean of s against the truth](kin-calibration_s.svg)\n"
}

/// The share of identical families among those with P(identical) above 0.9, and below 0.1. Families of `id` count
/// twice, so that half of all are identical.
fn trusted(rows: &[ReplicateRow]) -> String {
    let share = |sure: fn(f64) -> bool| {
        let (mut identical, mut other) = (0.0, 0.0);
        for row in rows.iter().filter(|row| row.method == "kin" && row.regime == "plain") {
            let families = row.kin_identical_by_family.split(';').filter_map(|text| text.parse().ok());
            let count = families.filter(|&share| sure(share)).count() as f64;
            if row.parameters == "id" { identical += 2.0 * count } else { other += count }
        }
        identical / (identical + other)
    };
    format!(
        "\nIs P(identical) calibrated? Where half of the families are identical, {:.0} % of those above 0.9 are, and {:.0} % of those below 0.1: \
         a high value is reliable, a low one is not. P(identical) is here the weight of the pooled half (`pooled_share` in results), whose \
         prior, BDeu's, prefers extreme tables. `p_identical`, which `score`, `fit` and `explain` report, averages over two priors and is calibrated.\n",
        100.0 * share(|p| p > 0.9),
        100.0 * share(|p| p < 0.1),
    )
}
