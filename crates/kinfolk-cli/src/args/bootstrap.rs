//! The arguments of `bootstrap`.

use std::path::PathBuf;

use clap::Args;
use clap::builder::BoolishValueParser;
use kinfolk::bootstrap::By;
use kinfolk::choice::NamedChoice;

use super::choice::one_of;
use super::{DataArgs, RecordedArgs, ScoreArgs, SearchArgs};

/// Measure the stability of arcs by learning from resampled data.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    kinfolk bootstrap hospital-*.csv\n  \
    kinfolk bootstrap hospital-*.csv -R 1000 --by data-sets --leave-one-out=no --json\n  \
    kinfolk bootstrap all.csv --group hospital -R 500 --resume replicates.jsonl --out sure.json\n\n\
    The strength of an edge is the share of replicates that contain it in either direction; its direction is the share of those in \
    which it points this way. The averaged network has the edges above a threshold fitted to the strengths. --resume writes every \
    finished search to a file: after Ctrl-C or a crash, the same command continues, and a larger -R adds replicates. Repeated \
    rows (--by rows) bias kin; docs/resampling.md compares the units.")]
pub(crate) struct BootstrapArgs {
    #[command(flatten)]
    pub(crate) data: DataArgs,

    /// A network file whose recorded settings (of the data and the score) are the defaults. The search starts without it.
    #[arg(long, value_name = "FILE", help_heading = "Bootstrap")]
    pub(crate) network: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) recorded: RecordedArgs,

    /// The number of replicates.
    #[arg(short = 'R', long, value_name = "N", default_value_t = 200, help_heading = "Bootstrap")]
    pub(crate) replicates: u64,

    /// The unit of resampling.
    #[arg(long, value_parser = one_of::<By>(), value_name = "NAME", default_value = By::default().name(), help_heading = "Bootstrap")]
    pub(crate) by: By,

    /// Also learn without each data set in turn and report which arcs remain: one more search per data set. [default: yes, if there are
    /// several]
    #[arg(long, value_name = "yes|no", num_args = 0..=1, require_equals = true, default_missing_value = "yes",
        value_parser = BoolishValueParser::new(), help_heading = "Bootstrap")]
    pub(crate) leave_one_out: Option<bool>,

    /// The number of left-out data sets to print, those that change most first; --json has all.
    #[arg(long, value_name = "N", default_value_t = 20, help_heading = "Bootstrap")]
    pub(crate) top: usize,

    /// Append every finished search to this file, and continue from those it holds.
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
