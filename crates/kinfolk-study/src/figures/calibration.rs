//! The figures of the study of calibration: the share of true edges by stated probability.

use super::spec::{Means, Panel, Plot, StudyFigure};
use crate::calibration::{BINS, CalibrationLine, CalibrationTable, Scheme};

/// The panels: variables, score and scheme.
const SHOWN: [[(usize, &str, Scheme); 2]; 4] = [
    [(8, "kin", Scheme::Exact), (20, "kin", Scheme::Mcmc)],
    [(8, "bhd", Scheme::Exact), (8, "bdeu", Scheme::Exact)],
    [(8, "kin", Scheme::HalfRows), (8, "bhd", Scheme::HalfRows)],
    [(8, "kin", Scheme::Rows), (8, "kin", Scheme::DataSets)],
];

pub(super) fn figures(table: &CalibrationTable) -> Vec<StudyFigure> {
    let rows: Vec<Vec<Panel>> = SHOWN
        .iter()
        .map(|row| {
            row.iter()
                .filter_map(|&(nodes, score, scheme)| table.line(nodes, score, scheme).map(panel))
                .collect()
        })
        .filter(|row: &Vec<Panel>| !row.is_empty())
        .collect();
    if rows.is_empty() {
        return Vec::new();
    }
    vec![StudyFigure {
        name: "reliability".to_owned(),
        title: "Share of true edges among those with a stated probability".to_owned(),
        note: "Dots: shares; lines: two standard errors as if edges were independent. Orange: the mean stated probability is further away."
            .to_owned(),
        rows,
        height: 270.0,
    }]
}

fn panel(line: &CalibrationLine) -> Panel {
    let lines = line.bins.iter().enumerate().filter_map(|(place, bin)| {
        let (share, se) = bin.share()?;
        let name = format!(
            "P {:.1} to {:.1}, {} edges",
            place as f64 / BINS as f64,
            (place + 1) as f64 / BINS as f64,
            bin.edges
        );
        let stated = bin.stated / bin.edges as f64;
        // A share of 0 or 1 has no spread of its own: one edge more or less is allowed.
        let allowed = (2.0 * se).max(1.0 / bin.edges as f64);
        Some((name, share, se, (share - stated).abs() > allowed))
    });
    let means = Means { x: "share of true edges".to_owned(), lines: lines.collect() };
    Panel {
        title: format!("{}, {}, {} variables, ECE {:.3}", line.score, line.scheme, line.nodes, line.error),
        plot: Plot::Means(means),
    }
}
