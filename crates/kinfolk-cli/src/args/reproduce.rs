//! Which experiment to run again, how much of it, and where its results go.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use kinfolk_study::grids::{Scale, Study};

/// Run the experiments of the paper again.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    kinfolk reproduce study1 --out study1                  every setting, few replicates: minutes\n  \
    kinfolk reproduce study1 --scale paper --out study1    all 81,000 problems\n  \
    kinfolk reproduce all --scale paper --out paper\n\n\
    The folder gets results.csv, one row per replicate and method, written as the work goes on. Ctrl-C, or anything worse, loses \
    nothing: the same command continues. The random numbers of a replicate depend on the seed and its number alone.")]
pub(crate) struct ReproduceArgs {
    /// The experiment.
    #[arg(value_enum, value_name = "NAME")]
    pub(crate) name: ExperimentName,

    /// The folder for its results; it is made if it is not there.
    #[arg(long, value_name = "DIR")]
    pub(crate) out: PathBuf,

    /// How much of it.
    #[arg(long, value_enum, value_name = "SCALE", default_value_t = ScaleName::Quick)]
    pub(crate) scale: ScaleName,

    /// Learn nothing more: remake what is made from the results in the folder.
    #[arg(long)]
    pub(crate) figures_only: bool,

    /// The seed of all random numbers.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExperimentName {
    /// Simulation study 1: variables, data sets, states, rows.
    Study1,
    /// Simulation study 2: many data sets.
    Study2,
    /// Simulation study 3: many variables.
    Study3,
    /// Simulation study 4: data sets of different sizes.
    Study4,
    /// Beyond the paper: the kin score against everything, however the data sets are related.
    Kin,
    /// All of them, each in a folder of its own.
    All,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ScaleName {
    /// Every setting, few replicates: minutes.
    Quick,
    /// Everything.
    Paper,
}

impl ReproduceArgs {
    /// The studies asked for.
    pub(crate) fn studies(&self) -> Vec<Study> {
        match self.name {
            ExperimentName::Study1 => vec![Study::One],
            ExperimentName::Study2 => vec![Study::Two],
            ExperimentName::Study3 => vec![Study::Three],
            ExperimentName::Study4 => vec![Study::Four],
            ExperimentName::Kin => vec![Study::Kin],
            ExperimentName::All => Study::ALL.to_vec(),
        }
    }

    /// The folder of a study.
    pub(crate) fn folder(&self, study: Study) -> PathBuf {
        if self.name == ExperimentName::All { self.out.join(study.name()) } else { self.out.clone() }
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
