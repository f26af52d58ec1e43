//! The command line: every command, flag and help text.

mod bootstrap;
mod choice;
mod convert;
mod data;
mod explain;
mod fit;
mod kin;
mod posterior;
mod predict;
mod prior;
mod query;
mod report;
mod reproduce;
mod sample;
mod score;
mod search;
mod simulate;
mod validate;

use clap::{Args, Parser, Subcommand};
use clap_complete::Shell;
use std::num::{IntErrorKind, ParseIntError};
use std::path::PathBuf;

pub(crate) use bootstrap::BootstrapArgs;
pub(crate) use convert::{ConvertArgs, FileFormat};
pub(crate) use data::{DataArgs, sources};
pub(crate) use explain::ExplainArgs;
pub(crate) use fit::{LearnMethod, MethodArgs};
pub(crate) use posterior::PosteriorArgs;
pub(crate) use predict::PredictArgs;
pub(crate) use query::QueryArgs;
pub(crate) use report::{Depth, ReportArgs, ShownArgs};
pub(crate) use reproduce::{ExperimentName, ReproduceArgs};
pub(crate) use sample::SampleArgs;
pub(crate) use score::ScoreArgs;
pub(crate) use search::{SearchArgs, time_limit};
pub(crate) use simulate::SimulateArgs;
pub(crate) use validate::{StructuresName, ValidateArgs};

/// Learn one Bayesian network from several related data sets.
///
/// Each data set has its own probabilities, drawn around a common centre; the structure is shared. The data are CSV files, one per
/// data set, or one file with a column that says which data set a row belongs to.
#[derive(Debug, Parser)]
#[command(
    name = "kinfolk",
    version,
    propagate_version = true,
    after_help = "Examples:\n  \
        kinfolk demo                                   the paper's example, built in\n  \
        kinfolk describe hospital-*.csv                what kinfolk understands of the files\n  \
        kinfolk learn hospital-*.csv                   one network from all hospitals\n  \
        kinfolk learn all.csv --group hospital --json  the same from one file, as JSON\n\n\
        Exit codes: 0 done, 1 internal error, 2 the input or the call is wrong."
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,

    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

/// A number of things.
pub(crate) fn whole_number(text: &str) -> Result<usize, String> {
    text.parse().map_err(|error: ParseIntError| match error.kind() {
        IntErrorKind::PosOverflow => format!("no more than {} is possible", usize::MAX),
        _ => "a whole number is needed, 0 or more, such as 1000".to_owned(),
    })
}

/// Options of every command.
#[derive(Debug, Args)]
pub(crate) struct CommonArgs {
    /// Print the result as JSON on standard output, and nothing else there.
    #[arg(long, global = true)]
    pub(crate) json: bool,

    /// No notes and no progress on standard error; errors are still shown.
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,

    /// How many threads to use, up to 1024; 0 takes all cores. The answer is the same for any number.
    #[arg(long, global = true, value_name = "N", default_value_t = 0, allow_negative_numbers = true, value_parser = clap::value_parser!(u16).range(..=1024))]
    pub(crate) threads: u16,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Learn the structure that the data sets share.
    Learn(Box<LearnArgs>),
    /// Score a given structure.
    Score(Box<ScoreCommandArgs>),
    /// Estimate the probability tables of a given structure, for every data set.
    Fit(Box<FitArgs>),
    /// Ask a network for probabilities, given evidence.
    Query(Box<QueryArgs>),
    /// Predict a variable in the rows of files.
    Predict(Box<PredictArgs>),
    /// Hold rows out, learn from the others, and see how well the held-out rows are predicted.
    Validate(Box<ValidateArgs>),
    /// Say why a network is what it is: arcs by data set, whether to pool, which data sets are odd.
    Explain(Box<ExplainArgs>),
    /// Learn again from resampled data, and see how sure the arcs are.
    Bootstrap(Box<BootstrapArgs>),
    /// Compute the probability of every arc and edge, given the data.
    Posterior(Box<PosteriorArgs>),
    /// Write a page that shows a network, learned now or before.
    Report(Box<ReportArgs>),
    /// Compare a learned structure with a true one.
    Compare(CompareArgs),
    /// Write a network in another file format.
    Convert(ConvertArgs),
    /// Say what is understood of the files, without learning anything.
    Describe(Box<DescribeArgs>),
    /// Make up a network, related tables and data sets.
    Simulate(Box<SimulateArgs>),
    /// Draw rows from the tables of a network.
    Sample(Box<SampleArgs>),
    /// Run the paper's numerical example from built-in counts.
    Demo(DemoArgs),
    /// Run the experiments of the paper again.
    Reproduce(ReproduceArgs),
    /// Print a completion script for a shell.
    Completions(CompletionsArgs),
    /// Print the manual page, or write the pages of all commands to a folder.
    Man(ManArgs),
}

/// Learn the structure that the data sets share.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    kinfolk learn hospital-*.csv\n  \
    kinfolk learn all.csv --group hospital --score bdeu --iss 10\n  \
    kinfolk learn sites.csv.gz --group site --discretize all=quantile:4 --missing level\n  \
    kinfolk learn a.csv b.csv --max-parents 3 --blacklist never.csv --tiers order.txt\n  \
    kinfolk learn a.csv b.csv --restarts 20 --perturb 5 --seed 1 --time-limit 600 --out network.json\n\n\
    Ctrl-C stops the search and prints what was found so far, marked as interrupted; a second one quits.")]
pub(crate) struct LearnArgs {
    #[command(flatten)]
    pub(crate) data: DataArgs,
    #[command(flatten)]
    pub(crate) score: ScoreArgs,
    #[command(flatten)]
    pub(crate) search: SearchArgs,

    /// How the probability tables of the network are estimated, with the prior of the score. [default: kin with --score kin,
    /// hierarchical otherwise]
    #[arg(long, value_name = "NAME", help_heading = "Tables", value_parser = fit::learn_methods())]
    pub(crate) method: Option<LearnMethod>,

    /// Also write the result, tables included, to this file: the network file that query, predict, sample and convert read.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) out: Option<PathBuf>,

    /// Also write a page that shows the network with its evidence and tables: one HTML file that needs no other.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) report: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) shown: ShownArgs,

    /// Also say how long each phase took and what was done in it; the result then differs from run to run.
    ///
    /// Seconds are on the wall and of all cores. Families scored and bounded count what the search asked for and what is told of its result (so
    /// they are more than those of the search alone); cache hits are those asked for again. Fits and Newton steps are those of BHD's centre. Rows
    /// scanned are told as often as they were looked at: in columns of few states once for every two states that are met, sixty-four rows in one
    /// instruction, otherwise once for a family; the number of threads changes it a little. Peak memory is in bytes in the JSON, that of the whole process.
    #[arg(long, help_heading = "Output")]
    pub(crate) timing: bool,
}

/// Score a given structure.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    kinfolk score a.csv b.csv --structure '[smoking][cancer|smoking]'\n  \
    kinfolk score all.csv --group site --structure network.json --score bdeu-separate --json")]
pub(crate) struct ScoreCommandArgs {
    #[command(flatten)]
    pub(crate) data: DataArgs,
    #[command(flatten)]
    pub(crate) score: ScoreArgs,

    /// The structure: a modelstring such as '[A][B|A][C|A:B]', or a file with one, or the JSON of `learn`.
    #[arg(long, value_name = "MODELSTRING|FILE")]
    pub(crate) structure: String,

    /// Also say how long each phase took and what was done in it; the result then differs from run to run. What is counted: see `learn --help`.
    #[arg(long, help_heading = "Output")]
    pub(crate) timing: bool,
}

/// Estimate the probability tables of a given structure, for every data set.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    kinfolk fit hospital-*.csv --structure network.json\n  \
    kinfolk fit all.csv --group hospital --structure '[age][cancer|age]' --method bayes --iss 10 --json\n\n\
    Hierarchical tables draw each data set towards what all have in common, the more the fewer rows it has; `new` is the table \
    for a data set never seen, `pooled` that of all rows together.")]
pub(crate) struct FitArgs {
    #[command(flatten)]
    pub(crate) data: DataArgs,
    #[command(flatten)]
    pub(crate) method: MethodArgs,

    /// The structure: a modelstring such as '[A][B|A][C|A:B]', or a file with one, or the JSON of `learn`.
    #[arg(long, value_name = "MODELSTRING|FILE")]
    pub(crate) structure: String,

    /// Also write the network to this file, which query, predict, sample and convert read.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) out: Option<PathBuf>,
}

/// Compare a learned structure with a true one.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    kinfolk compare '[A][B|A]' '[B][A|B]'\n  \
    kinfolk compare learned.json truth.txt --json\n\n\
    SHD counts the node pairs whose state differs: on the equivalence classes (CPDAGs), on the arcs as they are (DAGs), and on \
    adjacencies alone (skeletons). TP, FP, FN count arcs; a reversed arc is one FP and one FN.")]
pub(crate) struct CompareArgs {
    /// The learned structure: a modelstring, or a file with one, or the JSON of `learn`.
    #[arg(value_name = "LEARNED")]
    pub(crate) learned: String,
    /// The structure it is measured against.
    #[arg(value_name = "TRUE")]
    pub(crate) truth: String,
}

/// Say what is understood of the files, without learning anything.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    kinfolk describe hospital-*.csv\n  \
    kinfolk describe all.csv --group hospital --discretize age=quantile:4 --missing level --json")]
pub(crate) struct DescribeArgs {
    #[command(flatten)]
    pub(crate) data: DataArgs,
}

/// Run the paper's numerical example from built-in counts.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  kinfolk demo")]
pub(crate) struct DemoArgs {}

/// Print a completion script for a shell.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  kinfolk completions bash > ~/.local/share/bash-completion/completions/kinfolk"
)]
pub(crate) struct CompletionsArgs {
    /// The shell.
    pub(crate) shell: Shell,
}

/// Print the manual page, or write the pages of all commands to a folder.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  kinfolk man | man -l -\n  kinfolk man --dir ~/.local/share/man/man1")]
pub(crate) struct ManArgs {
    /// Write one page per command into this folder.
    #[arg(long, value_name = "DIR")]
    pub(crate) dir: Option<PathBuf>,
}
