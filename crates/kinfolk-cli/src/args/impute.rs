//! The arguments of `impute`.

use std::path::PathBuf;

use clap::Args;
use kinfolk::impute::Fill;

use super::predict::NewRowsArgs;
use super::query::LimitArgs;
use crate::failure::Failure;

/// Fill in the missing values of files from a network.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    kinfolk impute north.csv south.csv --network network.json --out completed\n  \
    kinfolk impute visits.csv --network network.json --group hospital --versions 20 --seed 1 --out completed\n  \
    kinfolk impute north.csv --network network.json --most-probable --out completed\n\n\
    A data set is matched to the network by file name or group. Values of a known data set are filled in from its own tables, others \
    from the tables for an unseen data set. All missing values of a row are drawn together from their exact posterior given its \
    observed values. Several versions differ as much as the missing values are uncertain given the network: analyse each, then combine \
    the results (multiple imputation). The folder receives the completed files, with several versions in folders `version-1`, \
    `version-2`, …, and `imputed.csv`, which lists every value filled in with its probability. Observed cells and other columns keep \
    their text; a column that a file lacks is added. The folder is written whole or not at all, and the input files are not changed.")]
pub(crate) struct ImputeArgs {
    /// CSV or TSV files, plain or .gz, one data set each; `-` is standard input.
    #[arg(required = true, value_name = "FILES")]
    pub(crate) files: Vec<PathBuf>,

    /// The network file, as written by `kinfolk learn --out` or `kinfolk fit --out`.
    #[arg(long, value_name = "FILE")]
    pub(crate) network: PathBuf,

    /// The folder to write to; it must not exist, or be empty.
    #[arg(long, value_name = "DIR")]
    pub(crate) out: PathBuf,

    /// The number of completed versions.
    #[arg(long, value_name = "M", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) versions: u32,

    /// Fill in each missing value's own most probable state instead of drawing.
    #[arg(long)]
    pub(crate) most_probable: bool,

    /// Write the network's state in every cell of its variables: intervals instead of numbers in discretised columns.
    #[arg(long)]
    pub(crate) states: bool,

    /// The random seed.
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub(crate) seed: u64,

    /// Use these tables for all rows: those of a data set, `pooled` or `new`.
    #[arg(long, value_name = "NAME")]
    pub(crate) data_set: Option<String>,

    #[command(flatten)]
    pub(crate) rows: NewRowsArgs,

    #[command(flatten)]
    pub(crate) limits: LimitArgs,
}

impl ImputeArgs {
    /// How values are chosen; one version if each is the most probable.
    pub(crate) fn fill(&self) -> Result<Fill, Failure> {
        match (self.most_probable, self.versions) {
            (false, _) => Ok(Fill::Draw),
            (true, 1) => Ok(Fill::MostProbable),
            (true, _) => Err(Failure::Call(
                "--versions: the most probable values are the same in every version; leave out --versions or --most-probable"
                    .to_owned(),
            )),
        }
    }
}
