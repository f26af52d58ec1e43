//! The arguments of `posterior`.

use std::path::PathBuf;

use clap::Args;
use kinfolk::choice::NamedChoice;
use kinfolk::explain::ABSENT_ARCS;
use kinfolk::posterior::PosteriorMethod;

use super::choice::one_of;
use super::search::ConstraintArgs;
use super::{DataArgs, RecordedArgs, ScoreArgs, whole_number};

/// Compute the probability of every arc and edge, given the data.
#[derive(Debug, Args)]
#[command(mut_arg("score", |score| score.help("The score. [default: that of the network file, if it records one; otherwise kin, or bhd with an option of its prior]")))]
#[command(after_help = "Examples:\n  \
    kinfolk posterior hospital-*.csv\n  \
    kinfolk posterior all.csv --group hospital --max-parents 3 --json\n  \
    kinfolk posterior hospital-*.csv --network network.json --query 'age ~> cancer' --query 'mb(cancer)'\n  \
    kinfolk posterior all.csv --group hospital --method mcmc --chains 8 --time-limit 60 --resume chains.jsonl\n\n\
    The probability of an edge is that of an arc in either direction. For up to 12 variables the probabilities are exact sums over \
    all networks, with a prior uniform over networks. For more, Markov chains over variable orders run until they agree; their prior is \
    uniform over orders, so that a network counts once for every order that it is consistent with. The probabilities are conditional on the model \
    of the score: kin allows for data sets that differ; a pooled score does not, and its probabilities are then too extreme. The settings \
    that a network file records are defaults. Ctrl-C stops the chains and reports their samples so far.\n\n\
    Queries: 'A -> B' an arc, 'A -- B' an edge, 'A ~> B' a directed path, 'A in mb(B)' membership in the Markov blanket of B, 'mb(B)' \
    all variables in it. Chains answer paths and Markov blankets from networks sampled given the \
    orders, and all queries with a Monte Carlo standard error.")]
pub(crate) struct PosteriorArgs {
    #[command(flatten)]
    pub(crate) data: DataArgs,

    /// The method of computation.
    #[arg(long, value_parser = one_of::<PosteriorMethod>(), value_name = "NAME", default_value = PosteriorMethod::default().name(), help_heading = "Posterior")]
    pub(crate) method: PosteriorMethod,

    /// mcmc: the number of Markov chains, at least 2.
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = whole_number, help_heading = "Posterior")]
    pub(crate) chains: usize,

    /// The minimum probability of an edge in the averaged network.
    #[arg(
        long,
        value_name = "P",
        default_value_t = 0.5,
        allow_negative_numbers = true,
        help_heading = "Posterior"
    )]
    pub(crate) threshold: f64,

    /// Stop after this many seconds. Chains report their samples so far; scoring and exact sums end without a result.
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, help_heading = "Posterior")]
    pub(crate) time_limit: Option<f64>,

    /// The probability of this feature: 'A -> B', 'A -- B', 'A ~> B', 'A in mb(B)' or 'mb(B)'. May be given more than once.
    #[arg(long = "query", value_name = "FEATURE", help_heading = "Posterior")]
    pub(crate) queries: Vec<String>,

    /// Also list the arcs of this structure and the most probable edges that it lacks: a modelstring such as '[A][B|A][C|A:B]', or a
    /// file with one, or the JSON of `learn`.
    #[arg(long, value_name = "MODELSTRING|FILE", help_heading = "Posterior")]
    pub(crate) structure: Option<String>,

    /// The same for a network file, as written by `learn --out` or `fit --out`.
    #[arg(long, value_name = "FILE", conflicts_with = "structure", help_heading = "Posterior")]
    pub(crate) network: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) recorded: RecordedArgs,

    /// The number of absent edges to list, the most probable first.
    #[arg(long, value_name = "K", default_value_t = ABSENT_ARCS, help_heading = "Posterior")]
    pub(crate) left_out: usize,

    /// mcmc: a file that keeps all samples, created if needed. The same command continues from it.
    #[arg(long, value_name = "FILE", help_heading = "Posterior")]
    pub(crate) resume: Option<PathBuf>,

    /// mcmc: the random seed of the chains.
    #[arg(long, value_name = "S", default_value_t = 0, help_heading = "Posterior")]
    pub(crate) seed: u64,

    /// Also write the result to this file, as JSON.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) out: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) score: ScoreArgs,
    #[command(flatten)]
    pub(crate) constraints: ConstraintArgs,
}
