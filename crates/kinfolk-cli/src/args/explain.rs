//! The arguments of `explain`.

use std::path::PathBuf;

use clap::Args;

use super::{DataArgs, ScoreArgs, SearchArgs};

/// Say why a network is what it is: arcs by data set, whether to pool, which data sets are odd.
#[derive(Debug, Args)]
#[command(mut_arg("score", |score| score.help("The score. [default: kin for a network learned now; bhd for one that is given, or with an option of its prior]")))]
#[command(after_help = "Examples:\n  \
    kinfolk explain hospital-*.csv\n  \
    kinfolk explain hospital-*.csv --network network.json --json\n  \
    kinfolk explain all.csv --group hospital --structure '[age][cancer|age]' --left-out 20\n\n\
    Without --structure or --network a network is learned first, as by `learn` with the same options. Without --score the arcs of a \
    network that is given are judged by bhd, which is a sum over the data sets. Whether to pool is decided \
    by evidences that can be compared, not by the value of BHD. An arc is called absent in a data set if that has, given all other \
    data sets, a probability above one half, when one in ten is expected to be absent.")]
pub(crate) struct ExplainArgs {
    #[command(flatten)]
    pub(crate) data: DataArgs,

    /// The structure: a modelstring such as '[A][B|A][C|A:B]', or a file with one, or the JSON of `learn`.
    #[arg(long, value_name = "MODELSTRING|FILE", help_heading = "Explanation")]
    pub(crate) structure: Option<String>,

    /// A network file, as `learn --out` and `fit --out` write them: its structure is explained.
    #[arg(long, value_name = "FILE", conflicts_with = "structure", help_heading = "Explanation")]
    pub(crate) network: Option<PathBuf>,

    /// How many of the arcs that the network has not are shown, the strongest first.
    #[arg(long, value_name = "K", default_value_t = 10, help_heading = "Explanation")]
    pub(crate) left_out: usize,

    /// Do not search for the networks that pooled, separate and hierarchical scores would prefer.
    #[arg(long, help_heading = "Explanation")]
    pub(crate) no_rivals: bool,

    #[command(flatten)]
    pub(crate) score: ScoreArgs,
    #[command(flatten)]
    pub(crate) search: SearchArgs,
}
