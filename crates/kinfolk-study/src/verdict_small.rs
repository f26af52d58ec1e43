//! Tests the paper's claims about its example, its hyperparameters and its computing time.

use crate::complexity::ComplexityRow;
use crate::example::ExampleRow;
use crate::kin_table::Mean;
use crate::least_squares::{self, Law};
use crate::sensitivity::{SensitivityRow, VALUES};
use crate::verdict::{ClaimVerdict, Supported};

fn decide(yes: bool) -> Supported {
    if yes { Supported::Yes } else { Supported::No }
}

fn verdict(
    study: &str,
    claim: &str,
    supported: Supported,
    (value, se): (f64, f64),
    measured: &str,
    figure: &str,
) -> ClaimVerdict {
    ClaimVerdict {
        claim: claim.to_owned(),
        study: study.to_owned(),
        supported,
        value,
        se,
        measured: measured.to_owned(),
        figure: figure.to_owned(),
    }
}

/// The mean of independent draws; NaN if there are none.
fn mean(values: &[f64]) -> Mean {
    Mean::of(values).unwrap_or(Mean { mean: f64::NAN, se: f64::NAN })
}

/// Claims about the numerical example.
pub fn example(rows: &[ExampleRow]) -> Vec<ClaimVerdict> {
    let add = |claim: &str, supported, value: (f64, f64), measured: &str| {
        verdict("example", claim, supported, value, measured, "steps")
    };
    let part = |name: &'static str| rows.iter().filter(move |row| row.part == name);
    let steps = part("step").filter(|row| row.step != Some(0) && row.value == 1.0).count();
    let farthest = |name: &'static str| {
        let gaps = part(name).filter_map(|row| row.printed.map(|printed| (row.value - printed).abs()));
        gaps.fold(0.0, f64::max)
    };
    let exact = f64::NAN;
    let mut verdicts = vec![
        add(
            "the true network is found in the paper's five steps (reconstructed data)",
            decide(steps == 5),
            (steps as f64, exact),
            "steps that are the printed ones, of 5",
        ),
        add(
            "the score table is as printed (data set 2)",
            decide(farthest("score") < 0.0006),
            (farthest("score"), exact),
            "largest difference of the 30 node scores",
        ),
        add(
            "the estimated tables are as printed (reconstructed data)",
            decide(farthest("table") < 0.0051),
            (farthest("table"), exact),
            "largest difference of the 22 probabilities, which are printed to two decimals",
        ),
    ];
    for (n, printed) in crate::printed::ERRORS {
        let errors: Vec<f64> = part("error").filter(|row| row.rows == n).map(|row| row.value).collect();
        let (least, most) = errors.iter().fold((f64::INFINITY, 0.0_f64), |(a, b), &e| (a.min(e), b.max(e)));
        let error = mean(&errors);
        verdicts.push(add(
            &format!("the mean absolute error of the tables is about {printed} with {n} rows"),
            // Printed to three decimals.
            decide(printed + 0.0005 >= least && printed - 0.0005 <= most),
            (error.mean, error.se),
            &format!("mean over fresh draws, which lie between {least:.4} and {most:.4}"),
        ));
        let share = |method: &'static str, holds: fn(&ExampleRow) -> bool| {
            let found: Vec<f64> = part("learned")
                .filter(|row| row.rows == n && row.replicate > 0 && row.method == method)
                .map(|row| f64::from(u8::from(holds(row))))
                .collect();
            mean(&found)
        };
        let whole = share("bhd", |row| row.value == 0.0);
        verdicts.push(add(
            &format!("BHD finds the true network in fresh data of {n} rows"),
            if whole.mean > 0.9 { Supported::Yes } else { decide(whole.mean > 0.5) },
            (whole.mean, whole.se),
            "share of draws with SHD 0 (CPDAG)",
        ));
        for method in ["bdeu", "bic"] {
            let fails = share(method, |row| row.value > 0.0);
            let unlinked = share(method, |row| row.linked == Some(false));
            let upper = method.to_uppercase().replace("BDEU", "BDeu");
            verdicts.push(add(
                &format!("pooled {upper} does not find the network with {n} rows"),
                decide(fails.mean > 0.95),
                (fails.mean, fails.se),
                "share of draws with SHD above 0 (CPDAG)",
            ));
            verdicts.push(add(
                &format!("pooled {upper} sees no link between X1 and X2 with {n} rows"),
                if unlinked.mean > 0.95 {
                    Supported::Yes
                } else if unlinked.mean < 0.05 {
                    Supported::No
                } else {
                    Supported::Mixed
                },
                (unlinked.mean, unlinked.se),
                "share of draws without it",
            ));
        }
    }
    verdicts
}

/// Claims about other hyperparameters.
pub fn sensitivity(rows: &[SensitivityRow]) -> Vec<ClaimVerdict> {
    let mut verdicts = Vec::new();
    for (reading, words) in [("split", "s split over the data sets"), ("each", "s in every data set")] {
        for (spread, total) in [("total", "s0 in all"), ("cell", "s0 in every cell")] {
            let chosen: Vec<&SensitivityRow> =
                rows.iter().filter(|row| row.reading == reading && row.spread == spread).collect();
            let arcs: Vec<usize> = VALUES
                .iter()
                .filter_map(|s| chosen.iter().find(|row| row.s == *s && row.s0 == 1.0).map(|row| row.arcs))
                .collect();
            let (first, last) = (arcs.first().copied().unwrap_or(0), arcs.last().copied().unwrap_or(0));
            let rises = arcs.windows(2).all(|pair| pair[0] <= pair[1]) && first < last;
            verdicts.push(verdict(
                "sensitivity",
                &format!("networks grow denser with s ({words}, {total})"),
                decide(rises),
                (last as f64 - first as f64, f64::NAN),
                &format!("arcs at s = 100 minus at s = 0.1; arcs by s: {arcs:?}"),
                "networks",
            ));
            let same = VALUES.iter().filter(|s| {
                let mut found = chosen.iter().filter(|row| row.s == **s).map(|row| &row.structure);
                let first = found.next();
                found.all(|structure| Some(structure) == first)
            });
            let same = same.count();
            verdicts.push(verdict(
                "sensitivity",
                &format!("the network does not depend on s0 ({words}, {total})"),
                if same == VALUES.len() {
                    Supported::Yes
                } else if same == 0 {
                    Supported::No
                } else {
                    Supported::Mixed
                },
                (same as f64, f64::NAN),
                "values of s, of 5, with one network for every s0",
                "networks",
            ));
        }
    }
    verdicts
}

/// The paper's law: ln time = β0 + β1·1\[iid\] + β2·ln F + β3·(1 + parents)·ln r.
pub fn law(rows: &[ComplexityRow], seconds: impl Fn(&ComplexityRow) -> f64) -> Option<Law> {
    let line = |row: &ComplexityRow| {
        let iid = f64::from(u8::from(row.parameters == "iid"));
        vec![1.0, iid, (row.data_sets as f64).ln(), (1 + row.parents) as f64 * (row.states as f64).ln()]
    };
    let y: Vec<f64> = rows.iter().map(|row| seconds(row).ln()).collect();
    least_squares::fit(&rows.iter().map(line).collect::<Vec<_>>(), &y)
}

/// Claims about computing time. The law describes the paper's algorithm; kinfolk's need not follow it.
pub fn complexity(rows: &[ComplexityRow]) -> Vec<ClaimVerdict> {
    let Some(law) = law(rows, ComplexityRow::seconds) else { return Vec::new() };
    let add = |claim: &str, supported, value: (f64, f64), measured: &str| {
        verdict("complexity", claim, supported, value, measured, "time")
    };
    let at = |chosen: &dyn Fn(&ComplexityRow) -> bool| {
        mean(&rows.iter().filter(|row| chosen(row)).map(|row| row.seconds().ln()).collect::<Vec<_>>())
    };
    let ends = |value: &dyn Fn(&ComplexityRow) -> usize| {
        let (least, most) = (rows.iter().map(value).min(), rows.iter().map(value).max());
        at(&|row| Some(value(row)) == most).minus(at(&|row| Some(value(row)) == least))
    };
    let (parents, sets, n) = (ends(&|row| row.parents), ends(&|row| row.data_sets), ends(&|row| row.rows));
    let larger = parents.minus(sets);
    let growth = |kind: &'static str| {
        at(&|row| row.parameters == kind && row.parents == 4)
            .minus(at(&|row| row.parameters == kind && row.parents == 2))
    };
    let flat = growth("hier").minus(growth("iid"));
    vec![
        add(
            "log time is linear in the parents, with a slope that grows with log r",
            decide(law.r_squared > 0.9 && law.coefficients[3] > 1.0),
            (law.r_squared, f64::NAN),
            "R² of the paper's law on our times, which depend on the observed cells, so that the law does not hold",
        ),
        add(
            "data sets matter less than parents",
            decide(larger.mean > 2.0 * larger.se),
            (larger.mean, larger.se),
            "ln time from least to most parents, minus that from fewest to most data sets",
        ),
        add(
            "rows hardly matter",
            decide(n.mean.abs() < 0.3),
            (n.mean, n.se),
            "ln time at the most rows minus at the fewest; counting the rows takes most of our time",
        ),
        add(
            "β3, of (1 + parents)·ln r, is 1.15",
            decide((law.coefficients[3] - 1.15).abs() < 0.15),
            (law.coefficients[3], law.errors[3]),
            "β3 of our times",
        ),
        add(
            "β2, of ln F, is 0.71",
            decide((law.coefficients[2] - 0.71).abs() < 0.15),
            (law.coefficients[2], law.errors[2]),
            "β2 of our times",
        ),
        add(
            "β1, of iid, is −0.84",
            decide((law.coefficients[1] + 0.84).abs() < 0.15),
            (law.coefficients[1], law.errors[1]),
            "β1 of our times",
        ),
        add(
            "with iid data and few parents, fixed costs dominate",
            decide(flat.mean > 2.0 * flat.se),
            (flat.mean, flat.se),
            "ln time from 2 to 4 parents in hier, minus the same in iid",
        ),
    ]
}
