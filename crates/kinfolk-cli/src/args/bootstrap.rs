//! The arguments of `bootstrap`.

use std::path::PathBuf;

use clap::builder::BoolishValueParser;
use clap::{Args, ValueEnum};
use kinfolk::bootstrap::By;

use super::{DataArgs, ScoreArgs, SearchArgs};

/// Learn again from resampled data, and see how sure the arcs are.
#[derive(Debug, Args)]
#[command(mut_arg("score", |score| score.help("The score. [default: bhd; kin if one of its options is given]")))]
#[command(after_help = "Examples:\n  \
    kinfolk bootstrap hospital-*.csv\n  \
    kinfolk bootstrap hospital-*.csv -R 1000 --by data-sets --leave-one-out=no --json\n  \
    kinfolk bootstrap all.csv --group hospital -R 500 --resume replicates.jsonl --out sure.json\n\n\
    Strength is the share of replicates that have an edge, direction the share of those in which it goes this way. The averaged network \
    has the edges above a threshold fitted to the strengths. With --resume every finished search is kept at once: after Ctrl-C, \
    or anything worse, the same command continues, and a larger -R adds to what there is. --seed decides what is drawn. The score is bhd \
    unless another is named: resamples have repeated rows, which look like certainty to kin.")]
pub(crate) struct BootstrapArgs {
    #[command(flatten)]
    pub(crate) data: DataArgs,

    /// How many replicates.
    #[arg(short = 'R', long, value_name = "N", default_value_t = 200, help_heading = "Bootstrap")]
    pub(crate) replicates: u64,

    /// What is drawn again.
    #[arg(long, value_enum, value_name = "NAME", default_value_t = ByName::Rows, help_heading = "Bootstrap")]
    pub(crate) by: ByName,

    /// Also learn without each data set, and say which arcs stay: one more search per data set. [default: yes, if there are several]
    #[arg(long, value_name = "yes|no", num_args = 0..=1, require_equals = true, default_missing_value = "yes",
        value_parser = BoolishValueParser::new(), help_heading = "Bootstrap")]
    pub(crate) leave_one_out: Option<bool>,

    /// Keep every finished search in this file, and continue from what it holds.
    #[arg(long, value_name = "FILE", help_heading = "Bootstrap")]
    pub(crate) resume: Option<PathBuf>,

    /// Also write the result to this file, as JSON.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) out: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) score: ScoreArgs,
    #[command(flatten)]
    pub(crate) search: SearchArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ByName {
    /// Rows, within every data set: would further rows of these data sets give the same arcs?
    Rows,
    /// Whole data sets: would further data sets?
    DataSets,
}

impl From<ByName> for By {
    fn from(name: ByName) -> Self {
        match name {
            ByName::Rows => Self::Rows,
            ByName::DataSets => Self::DataSets,
        }
    }
}
