//! Generates docs/replication.md, the verdicts on the paper's claims, and docs/choosing-a-score.md.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use crate::choosing::choosing;
use crate::experiment::{Experiment, ExperimentOutcome, results};
use crate::grids::{Scale, Study};
use crate::methods::words;
use crate::paired::{MeanDifference, difference, pairs};
use crate::rows::ReplicateRow;
use crate::run::RunError;
use crate::store::{StoreError, read, write_file};
use crate::verdict::{ClaimVerdict, Supported};

/// Writes `replication.md`, `choosing-a-score.md` and the figures that they show into a folder, from the folders that
/// `reproduce all` has made; experiments without results are left out.
pub fn write(all: &Path, folder: &Path) -> Result<(), RunError> {
    let save = |name: &str, text: &str| write_file(&folder.join(name), text);
    let mut verdicts = Vec::new();
    for experiment in Experiment::ALL {
        let of = all.join(experiment.name());
        if results(&of).exists() {
            let kept = experiment.kept(&of, Scale::Paper, 0)?;
            verdicts.push(Concluded { experiment, kept, verdicts: experiment.conclude(&of)? });
        }
    }
    let rows_of = |study: Study| -> Result<Vec<ReplicateRow>, StoreError> {
        let path = results(&all.join(study.name()));
        if path.exists() { read(&path) } else { Ok(Vec::new()) }
    };
    let first = rows_of(Study::One)?;
    save("replication.md", &replication(&verdicts, &first))?;
    let kin = rows_of(Study::Kin)?;
    if !kin.is_empty() {
        let kept = Experiment::Study(Study::Kin).kept(&all.join("kin"), Scale::Paper, 0)?;
        save("choosing-a-score.md", &choosing(&kin, kept))?;
    }
    let shown = [
        ("study1", "shd"),
        ("study1", "readings"),
        ("kin", "methods"),
        ("kin", "reliability"),
        ("kin", "calibration_s"),
    ];
    for (experiment, figure) in shown {
        let from = all.join(experiment).join("figures").join(format!("{figure}.svg"));
        if let Ok(text) = fs::read_to_string(&from) {
            save(&format!("{experiment}-{figure}.svg"), &text)?;
        }
    }
    Ok(())
}

/// An experiment with how much of it was run, and what came out.
struct Concluded {
    experiment: Experiment,
    kept: ExperimentOutcome,
    verdicts: Vec<ClaimVerdict>,
}

fn word(supported: Supported) -> &'static str {
    match supported {
        Supported::Yes => "yes",
        Supported::No => "**no**",
        Supported::Mixed => "mixed",
    }
}

/// How much of an experiment the numbers come from.
fn share(experiment: Experiment, kept: ExperimentOutcome) -> String {
    match experiment {
        Experiment::Example | Experiment::Sensitivity => String::new(),
        _ => format!(": {} of the {} problems of `--scale paper`", kept.finished, kept.replicates),
    }
}

/// A number with as many digits as it deserves.
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
        Experiment::Study(Study::One) => "Study 1: variables, data sets, states, rows",
        Experiment::Study(Study::Two) => "Study 2: many data sets",
        Experiment::Study(Study::Three) => "Study 3: many variables",
        Experiment::Study(Study::Four) => "Study 4: data sets of different sizes",
        Experiment::Study(Study::Kin) => "Beyond the paper: kin",
    }
}

/// What is known of the reasons where claims do not hold.
const WHY: &str = "\n## Where claims do not hold\n\n\
    - **The example with fresh data.** The paper has one draw. At 1,000 rows its network is rarely found to the last arc in other draws; at \
    10,000 it nearly always is, and pooled scores never find it.\n\
    - **Computing time.** The paper's law is that of its algorithm. This fit costs what was observed, not what is possible, so parents and \
    states hardly matter, and rows do, because counting them is most of what is left.\n\
    - **Missing arcs.** In these runs they cost both scores alike, so that the gain is no larger in (b); see the table of losses. The paper's \
    altered structures are not published.\n\
    - **The same s for BHD and BDeu.** BHD is better for every s tried, under both readings; the average is over hier, iid and id alike.\n\
    - **Identical data sets.** BHD with s = 1/F loses where rows are few and no longer where they are many; see the table by rows.\n\
    - **Undecided ones.** Studies 2 to 4 have one structure for each setting and sparsity, so few clusters stand behind their standard errors; \
    more replicates of the same structures would not change that.\n";

fn replication(concluded: &[Concluded], first: &[ReplicateRow]) -> String {
    let paper = || concluded.iter().filter(|one| one.experiment != Experiment::Study(Study::Kin));
    let count = |wanted: Supported| {
        paper().flat_map(|one| &one.verdicts).filter(|verdict| verdict.supported == wanted).count()
    };
    let mut text = format!(
        "# The paper's claims, one by one\n\n\
         Made by `kinfolk reproduce all --out DIR --report docs`; do not edit. The experiments of Azzimonti, Corani and Scutari (2022) were \
         run again with kinfolk, and every claim that the paper makes in words was held against the new numbers: {} hold, {} do not, \
         {} are undecided or hold in part.\n\n\
         A claim holds if its number is more than two standard errors on its side; \"mixed\" means that they do not decide. Standard \
         errors count the problems of one structure as one cluster. BHD has the paper's prior (s = 1 split over the data sets, α0 = 1 in \
         every cell) unless said otherwise. Gains are pooled BDeu minus BHD, so that positive favours BHD. SHD is between CPDAGs.\n",
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

/// The gains under both readings of both ambiguous passages, and which give the paper's orderings.
fn readings(rows: &[ReplicateRow]) -> String {
    let mut text = "\n### Two passages that can be read in two ways\n\n\
        The imaginary sample size of BHD may be split over the data sets or belong to each of them; the tables of a made-up data set may \
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

/// What both scores lose when arcs are missing in some data sets: the gain can only be larger there if pooling loses more.
fn losses(rows: &[ReplicateRow]) -> String {
    let mut text = "\n### What missing arcs do to each score\n\n\
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

/// The gain of each hierarchical score by the rows of a data set: where BHD loses, and whether that is the model or its prior.
fn by_rows(rows: &[ReplicateRow]) -> String {
    let sizes: BTreeSet<usize> = rows.iter().map(|row| row.rows).collect();
    let mut text = "\n### Where BHD loses\n\n\
        Mean SHD (CPDAG) of pooled BDeu minus that of each score in scenario (a), by the rows of each data set. A loss that vanishes as rows \
        come is the prior's, not the model's: s = 1/F says beforehand that the data sets differ about as much as they can, and a few rows \
        cannot say otherwise.\n\n| tables | score |"
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
                let _ = write!(text, " {:+.2} ± {:.2} |", gain.mean, gain.se);
            }
            text.push('\n');
        }
    }
    text
}
