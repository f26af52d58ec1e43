//! The arguments of `reproduce`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use kinfolk_study::experiment::Experiment;
use kinfolk_study::grids::{Scale, Study};

/// Reproduce the experiments of the paper.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    kinfolk reproduce study1 --out study1                  every setting, few replicates: minutes\n  \
    kinfolk reproduce study1 --scale paper --out study1    all 81,000 problems\n  \
    kinfolk reproduce all --scale paper --out paper\n  \
    kinfolk reproduce all --out paper --figures-only --report docs\n\n\
    The folder receives results.csv, with one row per replicate and method, appended as the run proceeds. verdict.json and figures/ \
    (SVG and PNG) are derived from it. After Ctrl-C or a crash, the same command continues where it stopped. The random numbers of \
    a replicate depend only on the seed and the number of the replicate.")]
pub(crate) struct ReproduceArgs {
    /// The experiment.
    #[arg(value_enum, value_name = "NAME")]
    pub(crate) name: ExperimentName,

    /// The folder for the results; created if it does not exist.
    #[arg(long, value_name = "DIR")]
    pub(crate) out: PathBuf,

    /// The number of replicates.
    #[arg(long, value_enum, value_name = "SCALE", default_value_t = ScaleName::Quick)]
    pub(crate) scale: ScaleName,

    /// Run nothing; regenerate verdicts and figures from the results in the folder.
    #[arg(long)]
    pub(crate) figures_only: bool,

    /// Write the documents made from the results to this folder: with `kin` choosing-a-score.md; with `searching` and `calibration` the
    /// measured parts of searching.md and resampling.md; with `all` these and replication.md.
    #[arg(long, value_name = "DIR")]
    pub(crate) report: Option<PathBuf>,

    /// The random seed.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExperimentName {
    /// The numerical example: scores, steps, tables, new data.
    Example,
    /// The example with other values of s and s0.
    Sensitivity,
    /// The time to compute one score, by parents, states, data sets and rows.
    Complexity,
    /// Simulation study 1: variables, data sets, states, rows.
    Study1,
    /// Simulation study 2: many data sets.
    Study2,
    /// Simulation study 3: many variables.
    Study3,
    /// Simulation study 4: data sets of different sizes.
    Study4,
    /// Beyond the paper: kin against all other scores, for several relations between the data sets.
    Kin,
    /// Beyond the paper: treatments of missing values, for several reasons why values are missing.
    Missing,
    /// Beyond the paper: every search by several scores, against the optimum or the best known network.
    Searching,
    /// Beyond the paper: probabilities of edges, by posterior and by resampling, against the true networks.
    Calibration,
    /// All experiments, each in its own subfolder.
    All,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ScaleName {
    /// Every setting, few replicates: minutes.
    Quick,
    /// The full number of replicates.
    Paper,
}

impl ReproduceArgs {
    /// The requested experiments.
    pub(crate) fn experiments(&self) -> Vec<Experiment> {
        let one = match self.name {
            ExperimentName::Example => Experiment::Example,
            ExperimentName::Sensitivity => Experiment::Sensitivity,
            ExperimentName::Complexity => Experiment::Complexity,
            ExperimentName::Study1 => Experiment::Study(Study::One),
            ExperimentName::Study2 => Experiment::Study(Study::Two),
            ExperimentName::Study3 => Experiment::Study(Study::Three),
            ExperimentName::Study4 => Experiment::Study(Study::Four),
            ExperimentName::Kin => Experiment::Study(Study::Kin),
            ExperimentName::Missing => Experiment::Missing,
            ExperimentName::Searching => Experiment::Searching,
            ExperimentName::Calibration => Experiment::Calibration,
            ExperimentName::All => return Experiment::ALL.to_vec(),
        };
        vec![one]
    }

    /// Whether there is a document made from the results alone.
    pub(crate) fn has_document(&self) -> bool {
        use ExperimentName::{All, Calibration, Kin, Searching};
        matches!(self.name, All | Kin | Searching | Calibration)
    }

    /// The folder of an experiment.
    pub(crate) fn folder(&self, experiment: Experiment) -> PathBuf {
        if self.name == ExperimentName::All { self.out.join(experiment.name()) } else { self.out.clone() }
    }
}

impl From<ScaleName> for Scale {
    fn from(name: ScaleName) -> Self {
        match name {
            ScaleName::Quick => Self::Quick,
            ScaleName::Paper => Self::Paper,
        }
    }
}
