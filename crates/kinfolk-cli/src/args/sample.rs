//! What is to be drawn from a network.

use std::path::PathBuf;

use clap::Args;
use kinfolk::data::DataSetId;
use kinfolk::estimate::{Network, Relative};

use super::simulate::parse_rows;
use crate::failure::Failure;

/// Draw rows from the tables of a network.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    kinfolk sample network.json --rows 1000 > rows.csv\n  \
    kinfolk sample network.json --rows 500 --data-set hospital-1 --seed 7\n  \
    kinfolk sample network.json --rows 500 --data-set all --group hospital --out all.csv\n  \
    kinfolk sample network.json --rows 500 --data-set all --out drawn/\n\n\
    The same seed gives the same rows; fewer rows are the first of more, and those of a data set do not depend on who else is drawn.")]
pub(crate) struct SampleArgs {
    /// A network file: what `learn --out`, `fit --out` or `simulate` wrote.
    #[arg(value_name = "NETWORK")]
    pub(crate) network: PathBuf,

    /// How many rows; with --data-set all for each data set, or a list with one number for each.
    #[arg(long, value_name = "ROWS")]
    pub(crate) rows: String,

    /// Whose tables to draw from: a data set's name; new, a data set never seen; pooled, all rows together; all, every data set.
    #[arg(long, value_name = "NAME", default_value = "new")]
    pub(crate) data_set: String,

    /// all: the name of the column that says which data set a row belongs to, if there is one file for all; `data_set` if not given.
    #[arg(long, value_name = "COLUMN")]
    pub(crate) group: Option<String>,

    /// The seed.
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub(crate) seed: u64,

    /// Write to this file instead of standard output; with --data-set all and a folder, one file per data set.
    #[arg(long, value_name = "FILE|DIR", help_heading = "Output")]
    pub(crate) out: Option<PathBuf>,

    /// Replace files that are there already.
    #[arg(long, help_heading = "Output")]
    pub(crate) force: bool,
}

/// Who is drawn from, and how many rows each.
pub(crate) struct ChosenDraws {
    pub(crate) draws: Vec<(Relative, usize)>,
    /// Whether every data set was asked for.
    pub(crate) all: bool,
}

impl SampleArgs {
    /// What is to be drawn from this network.
    pub(crate) fn choose(&self, network: &Network) -> Result<ChosenDraws, Failure> {
        let names = network.schema().data_sets();
        let all = network.find_relative(&self.data_set).is_none() && self.data_set == "all";
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
            return Err(Failure::Call("--rows: at least one row must be drawn".to_owned()));
        }
        Ok(ChosenDraws { draws: relatives.into_iter().zip(rows).collect(), all })
    }

    /// The column for the names of the data sets, which must not be a variable.
    pub(crate) fn group_column(&self, network: &Network) -> Result<&str, Failure> {
        let group = self.group.as_deref().unwrap_or("data_set");
        if network.schema().find(group).is_some() {
            return Err(Failure::Call(format!(
                "`{group}` is a variable of the network; name another column for the data sets with --group"
            )));
        }
        Ok(group)
    }
}
