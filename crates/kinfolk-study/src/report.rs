//! Generates docs/replication.md, the verdicts on the paper's claims, and the measured parts of docs/choosing-a-score.md,
//! docs/searching.md and docs/resampling.md.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use crate::choosing::choosing;
use crate::experiment::{Experiment, ExperimentOutcome, results};
use crate::grids::{Scale, Study};
use crate::methods::words;
use crate::paired::{MeanDifference, difference, pairs};
use crate::rows::ReplicateRow;
use crate::run::RunError;
use crate::store::{StoreError, read, write_file};
use crate::verdict::{ClaimVerdict, Supported};

/// Writes the documents of some experiments and their figures into a folder; `results_in` has the folder of each
/// experiment, and those without results are skipped. `replication.md` needs all experiments.
pub fn write(
    experiments: &[Experiment],
    results_in: &dyn Fn(Experiment) -> PathBuf,
    folder: &Path,
) -> Result<(), RunError> {
    let save = |name: &str, text: &str| write_file(&folder.join(name), text);
    let mut concluded = Vec::new();
    for &experiment in experiments {
        let of = results_in(experiment);
        if results(&of).exists() {
            let kept = experiment.kept(&of, Scale::Paper, 0)?;
            concluded.push(Concluded { experiment, kept, verdicts: experiment.conclude(&of)? });
        }
    }
    if experiments.len() == Experiment::ALL.len() {
        let path = results(&results_in(Experiment::Study(Study::One)));
        let first: Vec<ReplicateRow> = if path.exists() { read(&path)? } else { Vec::new() };
        save("replication.md", &replication(&concluded, &first))?;
    }
    for one in &concluded {
        let of = results_in(one.experiment);
        match one.experiment {
            Experiment::Study(Study::Kin) | Experiment::Searching | Experiment::Calibration => {
                let (file, name) = (one.document(), one.experiment.name());
                let measured = match one.experiment {
                    Experiment::Study(_) => choosing(&read(&results(&of))?, one.kept),
                    _ => one.measured() + &fs::read_to_string(of.join("table.md")).unwrap_or_default(),
                };
                let path = folder.join(file);
                let old = fs::read_to_string(&path).unwrap_or_default();
                let Some(text) = with_measured(&old, name, &measured) else {
                    return Err(StoreError::Foreign { file: path }.into());
                };
                save(file, &text)?;
            }
            _ => {}
        }
        for (experiment, figure) in SHOWN.iter().filter(|(name, _)| *name == one.experiment.name()) {
            let from = of.join("figures").join(format!("{figure}.svg"));
            if let Ok(text) = fs::read_to_string(&from) {
                save(&format!("{experiment}-{figure}.svg"), &text)?;
            }
        }
    }
    Ok(())
}

/// The figures that documents show.
const SHOWN: [(&str, &str); 6] = [
    ("study1", "shd"),
    ("study1", "readings"),
    ("kin", "methods"),
    ("kin", "reliability"),
    ("kin", "calibration_s"),
    ("calibration", "reliability"),
];

/// A document with the measured part between its two comments replaced; an empty one gets both. `None` if it lacks them.
fn with_measured(document: &str, name: &str, measured: &str) -> Option<String> {
    let [begin, end] = ["begin", "end"].map(|edge| format!("<!-- {edge} {name} -->"));
    if document.is_empty() {
        return Some(format!("{begin}\n{measured}{end}\n"));
    }
    let (before, rest) = document.split_once(&begin)?;
    let (_, after) = rest.split_once(&end)?;
    Some(format!("{before}{begin}\n{measured}{end}{after}"))
}

/// An experiment with its state and its verdicts.
struct Concluded {
    experiment: Experiment,
    kept: ExperimentOutcome,
    verdicts: Vec<ClaimVerdict>,
}

impl Concluded {
    /// The document with the table of a study that is part of a longer text.
    fn document(&self) -> &'static str {
        match self.experiment {
            Experiment::Searching => "searching.md",
            Experiment::Calibration => "resampling.md",
            _ => "choosing-a-score.md",
        }
    }

    /// What the table of such a study is based on, and what it must show.
    fn measured(&self) -> String {
        let name = self.experiment.name();
        let mut text = format!(
            "Made by `kinfolk reproduce {name} --scale paper --out DIR --report docs` from {} of {} simulated problems; do not edit.\n\n\
             | claim | holds | number |\n|---|---|---|\n",
            self.kept.finished, self.kept.replicates
        );
        for verdict in &self.verdicts {
            let holds = word(verdict.supported);
            let _ = writeln!(text, "| {} | {holds} | {} |", verdict.claim, number(verdict.value));
        }
        text.push('\n');
        text
    }
}

fn word(supported: Supported) -> &'static str {
    match supported {
        Supported::Yes => "yes",
        Supported::No => "**no**",
        Supported::Mixed => "mixed",
    }
}

/// The part of an experiment on which the numbers are based.
fn share(experiment: Experiment, kept: ExperimentOutcome) -> String {
    match experiment {
        Experiment::Example | Experiment::Sensitivity => String::new(),
        _ => format!(": {} of the {} problems of `--scale paper`", kept.finished, kept.replicates),
    }
}

/// A number with an appropriate number of digits.
fn number(value: f64) -> String {
    match value.abs() {
        _ if value.is_nan() => "–".to_owned(),
        size if size == 0.0 || size.fract() == 0.0 && size < 1e6 => format!("{value:.0}"),
        size if size < 0.1 => format!("{value:.4}"),
        _ => format!("{value:.2}"),
    }
}

fn heading(experiment: Experiment) -> &'static str {
    match experiment {
        Experiment::Example => "The numerical example",
        Experiment::Sensitivity => "Other hyperparameters",
        Experiment::Complexity => "Computing time",
        Experiment::Missing => "Beyond the paper: missing values",
        Experiment::Searching => "Beyond the paper: searches",
        Experiment::Calibration => "Beyond the paper: calibration",
        Experiment::Study(Study::One) => "Study 1: variables, data sets, states, rows",
        Experiment::Study(Study::Two) => "Study 2: many data sets",
        Experiment::Study(Study::Three) => "Study 3: many variables",
        Experiment::Study(Study::Four) => "Study 4: data sets of different sizes",
        Experiment::Study(Study::Kin) => "Beyond the paper: kin",
    }
}

/// The known reasons why claims do not hold.
const WHY: &str = "\n## Where claims do not hold\n\n\
    - **The example with fresh data.** The paper has one draw. In other draws of 1,000 rows BHD rarely finds the exact network; with \
    10,000 rows it nearly always does, and pooled scores never do.\n\
    - **Computing time.** The paper's law describes its algorithm. The cost of this fit depends on the observed cells, not the possible \
    ones, so the numbers of parents and states hardly matter. The rows do, because counting them takes most of the time.\n\
    - **Missing arcs.** In these runs they cost both scores about the same, so the gain is no larger in (b); see the table of losses. The \
    paper's altered structures are not published.\n\
    - **The same s for BHD and BDeu.** BHD is better for every s tried, under both readings, on average over hier, iid and id.\n\
    - **Identical data sets.** BHD with s = 1/F loses when there are few rows, but not when there are many; see the table by rows.\n\
    - **Undecided claims.** Studies 2 to 4 have one structure for each setting and sparsity, so their standard errors are based on few \
    clusters; more replicates of the same structures would not change that.\n";

fn replication(concluded: &[Concluded], first: &[ReplicateRow]) -> String {
    let beyond =
        [Experiment::Study(Study::Kin), Experiment::Missing, Experiment::Searching, Experiment::Calibration];
    let paper = || concluded.iter().filter(|one| !beyond.contains(&one.experiment));
    let count = |wanted: Supported| {
        paper().flat_map(|one| &one.verdicts).filter(|verdict| verdict.supported == wanted).count()
    };
    let mut text = format!(
        "# The paper's claims, one by one\n\n\
         Made by `kinfolk reproduce all --out DIR --report docs`; do not edit. The experiments of Azzimonti, Corani and Scutari (2022) were \
         repeated with kinfolk, and every claim made in the paper's text was tested on the new results: {} hold, {} do not, \
         {} are undecided or hold in part.\n\n\
         A claim holds if its number supports it by more than two standard errors; \"mixed\" means undecided. Standard \
         errors treat the problems of one structure as one cluster. BHD has the paper's prior (s = 1 split over the data sets, α0 = 1 in \
         every cell) unless stated otherwise. Gains are pooled BDeu minus BHD: positive favours BHD. SHD is between CPDAGs.\n",
        count(Supported::Yes),
        count(Supported::No),
        count(Supported::Mixed),
    );
    text += WHY;
    for Concluded { experiment, kept, verdicts } in paper() {
        let _ = write!(
            text,
            "\n## {}\n\n`kinfolk reproduce {}`{}\n\n| claim | holds | number | SE | what it is | figure |\n|---|---|---|---|---|---|\n",
            heading(*experiment),
            experiment.name(),
            share(*experiment, *kept)
        );
        for verdict in verdicts {
            let _ = writeln!(
                text,
                "| {} | {} | {} | {} | {} | `{}` |",
                verdict.claim,
                word(verdict.supported),
                number(verdict.value),
                number(verdict.se),
                verdict.measured,
                verdict.figure
            );
        }
        if *experiment == Experiment::Study(Study::One) {
            text += "\n![gain in SHD by scenario and parameters](study1-shd.svg)\n";
            text += &readings(first);
            text += &losses(first);
            text += &by_rows(first);
        }
    }
    text
}

/// The gains for both readings of both ambiguous passages, and which of them give the paper's ordering.
fn readings(rows: &[ReplicateRow]) -> String {
    let mut text = "\n### Two ambiguous passages\n\n\
        The imaginary sample size of BHD may be split over the data sets or apply to each of them; the tables of a simulated data set may \
        be drawn over the joint cells of a node and its parents, or in every configuration. Gains in SHD in scenario (a), on the same \
        structures; the paper's ordering is hier above iid, and id below zero:\n\n\
        | s of BHD | tables drawn | hier | iid | id | the paper's ordering |\n|---|---|---|---|---|---|\n"
        .to_owned();
    for (method, s) in [("bhd_paper", "split"), ("bhd_s1", "each")] {
        let pairs = pairs(rows, "bdeu_1", method);
        for level in ["joint", "configuration"] {
            let gain = |kind: &'static str| {
                difference(
                    &pairs,
                    |row| row.shd_cpdag as f64,
                    |row| {
                        row.level == level
                            && row.scenario == "a"
                            && row.structure == 0
                            && row.parameter_set < 2
                            && row.parameters == kind
                    },
                )
            };
            let (hier, iid, id) = (gain("hier"), gain("iid"), gain("id"));
            let cell = |value: &MeanDifference| format!("{:.2} ± {:.2}", value.mean, value.se);
            let order = match (hier.mean > iid.mean, id.mean < 0.0) {
                (true, true) => "yes",
                (true, false) => "no: id is not negative",
                (false, true) => "no: iid gains more than hier",
                (false, false) => "no, neither",
            };
            let _ = writeln!(
                text,
                "| {s} | {level} | {} | {} | {} | {order} |",
                cell(&hier),
                cell(&iid),
                cell(&id)
            );
        }
    }
    text + "\n![gains under both readings](study1-readings.svg)\n"
}

/// The losses of both scores when arcs are missing in some data sets: the gain can be larger there only if pooling
/// loses more.
fn losses(rows: &[ReplicateRow]) -> String {
    let mut text = "\n### The effect of missing arcs on each score\n\n\
        Mean SHD (CPDAG) to the common structure, on the same structures and parameter sets. The gain is larger in (b) only if missing arcs \
        hurt pooled BDeu more than BHD:\n\n\
        | tables | method | (a) | (b), 1 arc in 1 data set | 2 arcs in 2 data sets |\n|---|---|---|---|---|\n"
        .to_owned();
    for kind in ["hier", "iid", "id"] {
        for method in ["bdeu_1", "bhd_paper", "kin"] {
            let mean = |altered: usize, by: f64| {
                let chosen = rows.iter().filter(|row| {
                    let of = row.method == method && row.parameters == kind && row.level == "joint";
                    of && row.altered == altered && row.by == by
                });
                let values: Vec<f64> = chosen.map(|row| row.shd_cpdag as f64).collect();
                values.iter().sum::<f64>() / values.len() as f64
            };
            let _ = writeln!(
                text,
                "| {kind} | {} | {:.2} | {:.2} | {:.2} |",
                words(method),
                mean(0, 0.0),
                mean(1, 1.0),
                mean(2, 2.0)
            );
        }
    }
    text
}

/// The gain of each hierarchical score by the rows of a data set: where BHD loses, and whether the model or its prior
/// is the cause.
fn by_rows(rows: &[ReplicateRow]) -> String {
    let sizes: BTreeSet<usize> = rows.iter().map(|row| row.rows).collect();
    let mut text = "\n### Where BHD loses\n\n\
        Mean SHD (CPDAG) of pooled BDeu minus that of each score in scenario (a), by the rows of each data set. A loss that vanishes with more \
        rows is due to the prior, not the model: s = 1/F assumes that the data sets differ about as much as possible, and a few rows \
        cannot correct that.\n\n| tables | score |"
        .to_owned();
    sizes.iter().for_each(|size| text += &format!(" {size} rows |"));
    text += "\n|---|---|";
    sizes.iter().for_each(|_| text += "---|");
    text.push('\n');
    for kind in ["hier", "iid", "id"] {
        for method in ["bhd_paper", "bhd_s1", "kin"] {
            let pairs = pairs(rows, "bdeu_1", method);
            let _ = write!(text, "| {kind} | {} |", words(method));
            for &size in &sizes {
                let gain = difference(
                    &pairs,
                    |row| row.shd_cpdag as f64,
                    |row| {
                        row.level == "joint"
                            && row.scenario == "a"
                            && row.parameters == kind
                            && row.rows == size
                    },
                );
                let _ = write!(text, " {} |", gain.signed());
            }
            text.push('\n');
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_measured_part_of_a_document_is_replaced() {
        let old = "Text.\n<!-- begin searching -->\nold\n<!-- end searching -->\nMore.\n";
        let new = with_measured(old, "searching", "new\n").expect("it has both comments");
        assert_eq!(new, old.replace("old", "new"));
        assert_eq!(with_measured(&new, "searching", "new\n"), Some(new.clone()));
        assert_eq!(with_measured("Something else.", "searching", "new"), None);
        assert_eq!(with_measured(old, "calibration", "new"), None);
        let alone = with_measured("", "searching", "new\n").expect("an empty file");
        assert_eq!(alone, "<!-- begin searching -->\nnew\n<!-- end searching -->\n");
    }
}
