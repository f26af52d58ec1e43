//! The arguments of `sample`.

use std::path::PathBuf;

use clap::Args;
use kinfolk::data::DataSetId;
use kinfolk::estimate::{Network, Relative};

use super::ALL;
use super::simulate::parse_rows;
use crate::failure::Failure;

/// Draw random rows from a network.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    kinfolk sample network.json --rows 1000 > rows.csv\n  \
    kinfolk sample network.json --rows 500 --data-set hospital-1 --seed 7\n  \
    kinfolk sample network.json --rows 500 --data-set all --group hospital --out all.csv\n  \
    kinfolk sample network.json --rows 500 --data-set all --out drawn/\n\n\
    The same seed gives the same rows. A smaller sample is a prefix of a larger one. The rows of a data set do not depend on which \
    other data sets are sampled.")]
pub(crate) struct SampleArgs {
    /// The network file, as written by `learn --out`, `fit --out` or `simulate`.
    #[arg(value_name = "NETWORK")]
    pub(crate) network: PathBuf,

    /// The number of rows. With --data-set all: per data set, or a comma-separated list with one number for each.
    #[arg(long, value_name = "ROWS")]
    pub(crate) rows: String,

    /// The tables to sample from: a data set, `new` (an unseen data set), `pooled` (all rows together) or `all` (every data set).
    #[arg(long, value_name = "NAME", default_value = "new")]
    pub(crate) data_set: String,

    /// With --data-set all and a single output: the name of the column for the data set of each row. [default: data_set]
    #[arg(long, value_name = "COLUMN")]
    pub(crate) group: Option<String>,

    /// The random seed.
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub(crate) seed: u64,

    /// Write to this file instead of standard output. With --data-set all, a folder receives one file per data set.
    #[arg(long, value_name = "FILE|DIR", help_heading = "Output")]
    pub(crate) out: Option<PathBuf>,

    /// Overwrite existing files.
    #[arg(long, help_heading = "Output")]
    pub(crate) force: bool,
}

/// The tables to sample from, and the number of rows from each.
pub(crate) struct ChosenDraws {
    pub(crate) draws: Vec<(Relative, usize)>,
    /// Whether the user chose `all`.
    pub(crate) all: bool,
}

impl SampleArgs {
    /// Resolves the options against this network.
    pub(crate) fn choose(&self, network: &Network) -> Result<ChosenDraws, Failure> {
        let names = network.schema().data_sets();
        let all = network.find_relative(&self.data_set).is_none() && self.data_set == ALL;
        let relatives: Vec<Relative> = if all {
            (0..names.len()).map(|index| Relative::DataSet(DataSetId::new(index))).collect()
        } else {
            vec![network.find_relative(&self.data_set).ok_or_else(|| {
                Failure::Call(format!(
                    "--data-set: there is no data set `{}`; there are {}, and new, pooled and all",
                    self.data_set,
                    names.join(", ")
                ))
            })?]
        };
        if self.group.is_some() && !all {
            return Err(Failure::Call("--group belongs to --data-set all; leave it out".to_owned()));
        }
        let rows = parse_rows(&self.rows, Some(relatives.len()), "--data-set")?;
        if rows.contains(&0) {
            return Err(Failure::Call("--rows: draw at least one row".to_owned()));
        }
        Ok(ChosenDraws { draws: relatives.into_iter().zip(rows).collect(), all })
    }

    /// The name of the data-set column, which must not be a variable.
    pub(crate) fn group_column(&self, network: &Network) -> Result<&str, Failure> {
        let group = self.group.as_deref().unwrap_or("data_set");
        if network.schema().find(group).is_some() {
            return Err(Failure::Call(format!(
                "`{group}` is a variable of the network; choose another name for the data-set column with --group"
            )));
        }
        Ok(group)
    }
}
