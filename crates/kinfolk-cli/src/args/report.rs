//! The arguments of `report`: data files, a network file, or both.

use std::path::PathBuf;

use clap::{ArgMatches, Args, Command, FromArgMatches, ValueEnum};

use super::{DataArgs, LearnMethod, RecordedArgs, ScoreArgs, SearchArgs};

/// Write an HTML report on a network, learned now or read from a file.
#[derive(Debug, Args)]
#[command(mut_arg("score", |score| score.help("The score. [default: that of the network file, if it records one; otherwise kin, or bhd with an option of its prior]")))]
#[command(after_help = "Examples:\n  \
    kinfolk report hospital-*.csv --out network.html\n  \
    kinfolk report all.csv --group hospital --restarts 10 --out network.html --figures figures\n  \
    kinfolk report hospital-*.csv --explain full --bootstrap sure.json --out network.html\n  \
    kinfolk report hospital-*.csv --network network.json --out network.html\n  \
    kinfolk report hospital-*.csv --structure '[age][cancer|age]' --out network.html\n  \
    kinfolk report --network network.json --out network.html\n\n\
    With --structure or --network, nothing is learned: the report shows the given network. The settings that a \
    network file records are defaults. The tables of a network file are shown if it was learned from the same \
    data, and estimated otherwise. A report on a network file without data has no verdict on pooling. The report is one \
    self-contained HTML file that works offline in any browser.")]
pub(crate) struct ReportArgs {
    #[command(flatten)]
    pub(crate) data: OptionalData,
    #[command(flatten)]
    pub(crate) score: ScoreArgs,
    #[command(flatten)]
    pub(crate) search: SearchArgs,

    /// The estimator of the probability tables; it uses the prior of the score. [default: kin with --score kin,
    /// otherwise hierarchical]
    #[arg(long, value_name = "NAME", help_heading = "Tables", value_parser = super::fit::learn_methods())]
    pub(crate) method: Option<LearnMethod>,

    /// Show this network file instead of learning, with or without data files. `learn --out` and `fit --out` write network files.
    #[arg(long, value_name = "FILE")]
    pub(crate) network: Option<PathBuf>,

    /// Show this structure instead of learning: a modelstring such as '[A][B|A][C|A:B]', or a file with one, or the JSON of `learn`.
    #[arg(long, value_name = "MODELSTRING|FILE", conflicts_with = "network")]
    pub(crate) structure: Option<String>,

    #[command(flatten)]
    pub(crate) recorded: RecordedArgs,

    #[command(flatten)]
    pub(crate) shown: ShownArgs,
    #[command(flatten)]
    pub(crate) page: PageArgs,

    /// The HTML file to write.
    #[arg(long, value_name = "FILE", required = true, help_heading = "Output")]
    pub(crate) out: PathBuf,
}

/// Optional contents of the report.
#[derive(Debug, Args)]
pub(crate) struct ShownArgs {
    /// The extent of the explanation: pooling, deviating data sets, absent arcs, as in `kinfolk explain`. [default: brief]
    #[arg(long, value_enum, value_name = "NAME", help_heading = "Page")]
    pub(crate) explain: Option<Depth>,

    /// Show the stability of arcs, from the JSON of `kinfolk bootstrap` on the same data; arc widths then show strength.
    #[arg(long, value_name = "FILE", help_heading = "Page")]
    pub(crate) bootstrap: Option<PathBuf>,
}

/// The extent of the explanation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Depth {
    /// The content of `explain --no-rivals`.
    Brief,
    /// Also the best networks under pooled, separate and hierarchical scores: three more searches.
    Full,
    /// No explanation.
    None,
}

/// Options for writing the report.
#[derive(Debug, Args)]
pub(crate) struct PageArgs {
    /// The title of the page. [default: the names of the data sets]
    #[arg(long, value_name = "TEXT", help_heading = "Output")]
    pub(crate) title: Option<String>,

    /// Also write the figures to this folder, as SVG and PNG: the network and, if the score gives it by data set, the evidence.
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub(crate) figures: Option<PathBuf>,
}

/// The data options; the files are optional if a network is given.
#[derive(Debug)]
pub(crate) struct OptionalData(pub(crate) DataArgs);

impl FromArgMatches for OptionalData {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        DataArgs::from_arg_matches(matches).map(Self)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        self.0.update_from_arg_matches(matches)
    }
}

impl Args for OptionalData {
    fn augment_args(command: Command) -> Command {
        let command = DataArgs::augment_args(command);
        command.mut_arg("files", |files| files.required(false).required_unless_present("network"))
    }

    fn augment_args_for_update(command: Command) -> Command {
        DataArgs::augment_args_for_update(command)
    }
}
