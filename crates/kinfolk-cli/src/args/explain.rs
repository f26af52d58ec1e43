//! The arguments of `explain`.

use std::path::PathBuf;

use clap::Args;
use kinfolk::explain::ABSENT_ARCS;

use super::{DataArgs, RecordedArgs, ScoreArgs, SearchArgs};

/// Explain a network: evidence for each arc by data set, whether to pool, which data sets deviate.
#[derive(Debug, Args)]
#[command(mut_arg("score", |score| score.help("The score. [default: that of the network file, if it records one; otherwise kin, or bhd with an option of its prior]")))]
#[command(after_help = "Examples:\n  \
    kinfolk explain hospital-*.csv\n  \
    kinfolk explain hospital-*.csv --network network.json --json\n  \
    kinfolk explain all.csv --group hospital --structure '[age][cancer|age]' --left-out 20\n\n\
    Without --structure or --network, a network is learned first, as by `learn` with the same options. The settings \
    that a network file records are defaults. The verdict on pooling compares marginal \
    likelihoods, not values of bhd. An arc is reported as absent in a data set if the posterior probability of absence, given all \
    other data sets, exceeds 0.5; the prior probability of absence is 0.1.")]
pub(crate) struct ExplainArgs {
    #[command(flatten)]
    pub(crate) data: DataArgs,

    /// The structure: a modelstring such as '[A][B|A][C|A:B]', or a file with one, or the JSON of `learn`.
    #[arg(long, value_name = "MODELSTRING|FILE", help_heading = "Explanation")]
    pub(crate) structure: Option<String>,

    /// The network file to explain, as written by `learn --out` or `fit --out`.
    #[arg(long, value_name = "FILE", conflicts_with = "structure", help_heading = "Explanation")]
    pub(crate) network: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) recorded: RecordedArgs,

    /// The number of absent arcs to show, strongest first.
    #[arg(long, value_name = "K", default_value_t = ABSENT_ARCS, help_heading = "Explanation")]
    pub(crate) left_out: usize,

    /// The number of data sets and of differing edges to print; --json has all.
    #[arg(long, value_name = "N", default_value_t = 20, help_heading = "Explanation")]
    pub(crate) top: usize,

    /// Skip the searches for the best networks under pooled, separate and hierarchical scores.
    #[arg(long, help_heading = "Explanation")]
    pub(crate) no_rivals: bool,

    /// Skip the posterior probabilities of edges and directions, which are computed for up to 12 variables.
    #[arg(long, help_heading = "Explanation")]
    pub(crate) no_posterior: bool,

    #[command(flatten)]
    pub(crate) score: ScoreArgs,
    #[command(flatten)]
    pub(crate) search: SearchArgs,
}
