//! The figures of the study of missing values: SHD of every treatment, and how well values are filled in.

use super::spec::{Means, Panel, Plot, StudyFigure};
use crate::missing::{MissingCell, MissingTable};

/// Name, mean, standard error, and whether it stands out.
type Line = (String, f64, f64, bool);

const NOTE: &str = "Dots: means of paired differences; lines: two standard errors to either side.";

pub(super) fn figures(table: &MissingTable) -> Vec<StudyFigure> {
    let figure = |name: &str, title: &str, x: &str, lines: &dyn Fn(&MissingCell) -> Vec<Line>| {
        let panels: Vec<Panel> = table
            .cells
            .iter()
            .map(|cell| Panel {
                title: cell.title(),
                plot: Plot::Means(Means { x: x.to_owned(), lines: lines(cell) }),
            })
            .collect();
        StudyFigure {
            name: name.to_owned(),
            title: title.to_owned(),
            note: NOTE.to_owned(),
            rows: panels.chunks(3).map(<[Panel]>::to_vec).collect(),
            height: 190.0,
        }
    };
    let shd = |cell: &MissingCell| {
        let line = |(treatment, above): &(String, crate::kin_table::Mean)| {
            (treatment.clone(), above.mean, above.se, treatment == "impute")
        };
        cell.above_complete.iter().map(line).collect()
    };
    let accuracy = |cell: &MissingCell| {
        let gain =
            cell.accuracy.iter().map(|gain| ("impute".to_owned(), 100.0 * gain.mean, 100.0 * gain.se, true));
        gain.collect()
    };
    vec![
        figure(
            "shd",
            "Missing values: SHD above that on complete data; less is better",
            "SHD above complete data",
            &shd,
        ),
        figure(
            "accuracy",
            "Missing values: accuracy of filled-in values above that of pooled EM",
            "percentage points above pooled EM",
            &accuracy,
        ),
    ]
}
