//! What `kinfolk report` takes: data to learn from, a network file, or both.

use std::path::PathBuf;

use clap::{ArgMatches, Args, Command, FromArgMatches, ValueEnum};

use super::{DataArgs, LearnMethod, ScoreArgs, SearchArgs};

/// Write a page that shows a network, learned now or before.
#[derive(Debug, Args)]
#[command(mut_arg("score", |score| score.help("The score. [default: kin for a network learned now; bhd for one that is given, or with an option of its prior]")))]
#[command(after_help = "Examples:\n  \
    kinfolk report hospital-*.csv --out network.html\n  \
    kinfolk report all.csv --group hospital --restarts 10 --out network.html --figures figures\n  \
    kinfolk report hospital-*.csv --explain full --bootstrap sure.json --out network.html\n  \
    kinfolk report hospital-*.csv --network network.json --out network.html\n  \
    kinfolk report hospital-*.csv --structure '[age][cancer|age]' --out network.html\n  \
    kinfolk report --network network.json --out network.html\n\n\
    With data and --structure or --network that network is shown, and nothing is searched for; without --score it is judged by bhd, \
    which is a sum over the data sets. The tables of a network file are shown if it was made from the same data, and estimated \
    otherwise. A network file without data has its page too, but that cannot say whether to pool them. \
    The page is one file that needs no other and no connection: send it, open it in any browser, print it.")]
pub(crate) struct ReportArgs {
    #[command(flatten)]
    pub(crate) data: OptionalData,
    #[command(flatten)]
    pub(crate) score: ScoreArgs,
    #[command(flatten)]
    pub(crate) search: SearchArgs,

    /// How the probability tables of the network are estimated, with the prior of the score. [default: kin with --score kin,
    /// otherwise hierarchical]
    #[arg(long, value_name = "NAME", help_heading = "Tables", value_parser = super::fit::learn_methods())]
    pub(crate) method: Option<LearnMethod>,

    /// Show this network file, as `learn --out` and `fit --out` write it, instead of learning; with the data files or alone.
    #[arg(long, value_name = "FILE")]
    pub(crate) network: Option<PathBuf>,

    /// Show this structure instead of learning: a modelstring such as '[A][B|A][C|A:B]', or a file with one, or the JSON of `learn`.
    #[arg(long, value_name = "MODELSTRING|FILE", conflicts_with = "network")]
    pub(crate) structure: Option<String>,

    #[command(flatten)]
    pub(crate) shown: ShownArgs,
    #[command(flatten)]
    pub(crate) page: PageArgs,

    /// The page: one HTML file that needs no other.
    #[arg(long, value_name = "FILE", required = true, help_heading = "Output")]
    pub(crate) out: PathBuf,
}

/// What a page shows beside the network, its evidence and its tables.
#[derive(Debug, Args)]
pub(crate) struct ShownArgs {
    /// How much the page says about pooling, odd data sets and arcs left out, as `kinfolk explain` does. [default: brief]
    #[arg(long, value_enum, value_name = "NAME", help_heading = "Page")]
    pub(crate) explain: Option<Depth>,

    /// Show how sure the arcs are: the JSON of `kinfolk bootstrap` from the same data. Arcs are then as wide as they are sure.
    #[arg(long, value_name = "FILE", help_heading = "Page")]
    pub(crate) bootstrap: Option<PathBuf>,
}

/// How much is found out for a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Depth {
    /// What `explain --no-rivals` finds out.
    Brief,
    /// Also the networks that pooled, separate and hierarchical scores would prefer: three more searches.
    Full,
    /// Nothing.
    None,
}

/// How a page is made.
#[derive(Debug, Args)]
pub(crate) struct PageArgs {
    /// The title of the page. [default: the names of the data sets]
    #[arg(long, value_name = "TEXT", help_heading = "Output")]
    pub(crate) title: Option<String>,

    /// Also write the figures into this folder: the network and, if it is known by data set, the
    /// evidence, each as SVG and PNG.
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub(crate) figures: Option<PathBuf>,
}

/// The options of the data, where files may be left out if a network is given.
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
