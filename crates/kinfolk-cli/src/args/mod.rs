//! The command line: every command, flag and help text.

mod bootstrap;
mod choice;
mod convert;
mod data;
mod explain;
mod fit;
mod impute;
mod intervals;
mod kin;
mod posterior;
mod predict;
mod prior;
mod query;
mod recorded;
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
pub(crate) use impute::ImputeArgs;
pub(crate) use posterior::PosteriorArgs;
pub(crate) use predict::PredictArgs;
pub(crate) use query::QueryArgs;
pub(crate) use recorded::RecordedArgs;
pub(crate) use report::{Depth, ReportArgs, ShownArgs};
pub(crate) use reproduce::ReproduceArgs;
pub(crate) use sample::SampleArgs;
pub(crate) use score::ScoreArgs;
pub(crate) use search::{SearchArgs, time_limit};
pub(crate) use simulate::SimulateArgs;
pub(crate) use validate::{StructuresName, ValidateArgs};

/// The value of `--data-set` that selects every data set.
pub(crate) const ALL: &str = "all";

/// Learn one Bayesian network from several related data sets.
///
/// All data sets share one structure. Each has its own probability tables, which vary around a common centre. The data are CSV files,
/// one per data set, or one file with a column that names the data set of each row.
#[derive(Debug, Parser)]
#[command(
    name = "kinfolk",
    version,
    propagate_version = true,
    after_help = "Examples:\n  \
        kinfolk demo                                   the paper's example, built in\n  \
        kinfolk describe hospital-*.csv                how kinfolk reads the files\n  \
        kinfolk learn hospital-*.csv                   one network from all hospitals\n  \
        kinfolk learn all.csv --group hospital --json  the same from one file, as JSON\n\n\
        Exit codes: 0 success, 1 internal error, 2 invalid input or arguments, 130 interrupted without a result."
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,

    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

/// Parses a count: a whole number, 0 or more.
pub(crate) fn whole_number(text: &str) -> Result<usize, String> {
    text.parse().map_err(|error: ParseIntError| match error.kind() {
        IntErrorKind::PosOverflow => format!("the maximum is {}", usize::MAX),
        _ => "expected a whole number, 0 or more, such as 1000".to_owned(),
    })
}

/// Options of every command.
#[derive(Debug, Args)]
pub(crate) struct CommonArgs {
    /// Print the result as JSON; standard output then holds nothing else.
    #[arg(long, global = true)]
    pub(crate) json: bool,

    /// Suppress notes and progress on standard error; errors are still shown.
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,

    /// Number of threads, up to 1024; 0 uses all cores. The result does not depend on it.
    #[arg(long, global = true, value_name = "N", default_value_t = 0, allow_negative_numbers = true, value_parser = clap::value_parser!(u16).range(..=1024))]
    pub(crate) threads: u16,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Learn the structure that the data sets share.
    Learn(Box<LearnArgs>),
    /// Score a given structure.
    Score(Box<ScoreCommandArgs>),
    /// Find the network with the highest score among local scores in a .jkl file.
    Solve(SolveArgs),
    /// Estimate the probability tables of a given structure, for every data set.
    Fit(Box<FitArgs>),
    /// Compute probabilities from a network, given evidence or interventions.
    Query(Box<QueryArgs>),
    /// Predict a variable in the rows of files.
    Predict(Box<PredictArgs>),
    /// Fill in the missing values of files from a network.
    Impute(Box<ImputeArgs>),
    /// Cross-validate: measure how well held-out rows are predicted.
    Validate(Box<ValidateArgs>),
    /// Explain a network: evidence for each arc by data set, whether to pool, which data sets deviate.
    Explain(Box<ExplainArgs>),
    /// Measure the stability of arcs by learning from resampled data.
    Bootstrap(Box<BootstrapArgs>),
    /// Compute the probability of every arc and edge, given the data.
    Posterior(Box<PosteriorArgs>),
    /// Write an HTML report on a network, learned now or read from a file.
    Report(Box<ReportArgs>),
    /// Compare a learned structure with a true one.
    Compare(CompareArgs),
    /// Write a network in another file format.
    Convert(ConvertArgs),
    /// Show the contents of the files and how they are read: data sets, columns, problems, suspicions, and a command to learn with.
    Describe(Box<DescribeArgs>),
    /// Simulate a random network with related data sets.
    Simulate(Box<SimulateArgs>),
    /// Draw random rows from a network.
    Sample(Box<SampleArgs>),
    /// Run the paper's numerical example from built-in counts.
    Demo(DemoArgs),
    /// Reproduce the experiments of the paper.
    Reproduce(ReproduceArgs),
    /// Print a shell completion script.
    Completions(CompletionsArgs),
    /// Print the manual page, or write one page per command to a folder.
    Man(ManArgs),
    /// Print the licences of this program and of the fonts inside it.
    #[command(after_help = "Example:\n  kinfolk licences")]
    Licences,
}

/// Learn the structure that the data sets share.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    kinfolk learn hospital-*.csv\n  \
    kinfolk learn all.csv --group hospital --score bdeu --iss 10\n  \
    kinfolk learn sites.csv.gz --group site --discretize all=quantile:4 --missing level\n  \
    kinfolk learn a.csv b.csv --max-parents 3 --blacklist never.csv --tiers order.txt\n  \
    kinfolk learn a.csv b.csv --restarts 20 --perturb 5 --seed 1 --time-limit 600 --out network.json\n\n\
    Ctrl-C stops the search and prints the best network so far, marked as interrupted; a second Ctrl-C quits.")]
pub(crate) struct LearnArgs {
    #[command(flatten)]
    pub(crate) data: DataArgs,
    #[command(flatten)]
    pub(crate) score: ScoreArgs,
    #[command(flatten)]
    pub(crate) search: SearchArgs,

    /// The estimator of the probability tables; it uses the prior of the score. [default: kin with --score kin,
    /// hierarchical otherwise]
    #[arg(long, value_name = "NAME", help_heading = "Tables", value_parser = fit::learn_methods())]
    pub(crate) method: Option<LearnMethod>,

    /// Also write the result with its tables to this network file, which query, predict, sample and convert read.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) out: Option<PathBuf>,

    /// Also write an HTML report on the network, its evidence and its tables, as one self-contained file.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) report: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) shown: ShownArgs,

    /// Also report the time and the work of each phase. The output then differs between runs.
    ///
    /// Times are wall-clock seconds and CPU seconds over all cores. The numbers of families scored and bounded include those needed to
    /// report the result, so they exceed those of the search alone. A cache hit is a family requested again. Fits and Newton steps are
    /// those of BHD's centre. Rows scanned counts each row as often as it is read: once per pair of states in columns with few states
    /// (64 rows per instruction), otherwise once per family; it varies slightly with the number of threads. Peak memory is that of
    /// the whole process; the JSON gives it in bytes.
    #[arg(long, help_heading = "Output")]
    pub(crate) timing: bool,
}

/// Score a given structure.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    kinfolk score a.csv b.csv --structure '[smoking][cancer|smoking]'\n  \
    kinfolk score all.csv --group site --structure network.json --score bdeu-separate --json\n  \
    kinfolk score all.csv --group site --jkl scores.jkl --max-parents 3    all local scores, for `kinfolk solve` or GOBNILP")]
pub(crate) struct ScoreCommandArgs {
    #[command(flatten)]
    pub(crate) data: DataArgs,
    #[command(flatten)]
    pub(crate) score: ScoreArgs,

    /// The structure: a modelstring such as '[A][B|A][C|A:B]', or a file with one, or the JSON of `learn`.
    #[arg(long, value_name = "MODELSTRING|FILE", required_unless_present = "jkl", conflicts_with = "jkl")]
    pub(crate) structure: Option<String>,

    /// Instead of a structure: write the local scores to this file, in the .jkl format of GOBNILP and blip. For every variable it has
    /// the parent sets that score higher than each of their subsets; variables are column numbers from 0.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) jkl: Option<PathBuf>,

    /// With --jkl: the maximum number of parents. [default: no limit]
    #[arg(long, value_name = "N", requires = "jkl")]
    pub(crate) max_parents: Option<usize>,

    #[command(flatten)]
    pub(crate) recorded: RecordedArgs,

    /// Also report the time and the work of each phase. The output then differs between runs. `learn --help` defines the counters.
    #[arg(long, help_heading = "Output")]
    pub(crate) timing: bool,
}

/// Find the network with the highest score among local scores in a .jkl file.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    kinfolk score all.csv --group site --jkl scores.jkl\n  \
    kinfolk solve scores.jkl\n\n\
    The file has the format of GOBNILP and blip: candidate parent sets of every variable with their scores. The result is optimal \
    among the networks that consist of these sets. At most 30 variables; memory is 9 bytes times 2 to their number.")]
pub(crate) struct SolveArgs {
    /// The .jkl file.
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
}

/// Estimate the probability tables of a given structure, for every data set.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    kinfolk fit hospital-*.csv --structure network.json\n  \
    kinfolk fit all.csv --group hospital --structure '[age][cancer|age]' --method bayes --iss 10 --json\n\n\
    Hierarchical tables shrink each data set's probabilities towards the common centre; the fewer rows a data set has, the stronger \
    the shrinkage. `new` is the table for an unseen data set, `pooled` that of all rows together.")]
pub(crate) struct FitArgs {
    #[command(flatten)]
    pub(crate) data: DataArgs,
    #[command(flatten)]
    pub(crate) method: MethodArgs,

    /// The structure: a modelstring such as '[A][B|A][C|A:B]', or a file with one, or the JSON of `learn`.
    #[arg(long, value_name = "MODELSTRING|FILE")]
    pub(crate) structure: String,

    #[command(flatten)]
    pub(crate) recorded: RecordedArgs,

    #[command(flatten)]
    pub(crate) intervals: intervals::IntervalArgs,

    /// The number of data sets to print; --json has all.
    #[arg(long, value_name = "N", default_value_t = 20, help_heading = "Tables")]
    pub(crate) top: usize,

    /// Also write the network to this file, which query, predict, sample and convert read.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) out: Option<PathBuf>,
}

/// Compare a learned structure with a true one.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    kinfolk compare '[A][B|A]' '[B][A|B]'\n  \
    kinfolk compare learned.json truth.txt --json\n\n\
    SHD (structural Hamming distance) counts the node pairs that differ: between equivalence classes (CPDAGs), between the directed \
    graphs (DAGs), and between adjacencies alone (skeletons). TP, FP and FN count arcs; a reversed arc is one FP and one FN.")]
pub(crate) struct CompareArgs {
    /// The learned structure: a modelstring, or a file with one, or the JSON of `learn`.
    #[arg(value_name = "LEARNED")]
    pub(crate) learned: String,
    /// The true structure, in the same form.
    #[arg(value_name = "TRUE")]
    pub(crate) truth: String,
}

/// Show how the files are read (data sets, columns, states) without learning anything.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    kinfolk describe hospital-*.csv\n  \
    kinfolk describe all.csv --group hospital --discretize age=quantile:4 --missing level --json")]
pub(crate) struct DescribeArgs {
    #[command(flatten)]
    pub(crate) data: DataArgs,

    /// The number of data sets to show in every table. The JSON has all.
    #[arg(long, value_name = "N", default_value_t = 8)]
    pub(crate) top: usize,
}

/// Run the paper's numerical example from built-in counts.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  kinfolk demo")]
pub(crate) struct DemoArgs {}

/// Print a shell completion script.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  kinfolk completions bash > ~/.local/share/bash-completion/completions/kinfolk"
)]
pub(crate) struct CompletionsArgs {
    /// The shell.
    pub(crate) shell: Shell,
}

/// Print the manual page, or write one page per command to a folder.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  kinfolk man | man -l -\n  kinfolk man --dir ~/.local/share/man/man1")]
pub(crate) struct ManArgs {
    /// Write one page per command to this folder.
    #[arg(long, value_name = "DIR")]
    pub(crate) dir: Option<PathBuf>,
}
