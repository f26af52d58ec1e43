//! The arguments of `predict`.

use std::path::PathBuf;

use clap::Args;
use kinfolk::choice::NamedChoice;
use kinfolk::data::{NewRowsOptions, ReadLimits, Unseen, missing_texts};
use serde_json::{Map, Value};

use super::choice::one_of;
use super::data::{parse_delimiter, split_lists};
use super::intervals::IntervalArgs;
use super::query::LimitArgs;
use crate::failure::Failure;

/// Predict a variable in the rows of files.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    kinfolk predict network.json north.csv --target cancer --json\n  \
    kinfolk predict network.json visits.csv --group hospital --target cancer --out predicted.csv\n  \
    kinfolk predict network.json elsewhere.csv --target cancer --data-set pooled --unseen missing\n\n\
    A data set is matched to the network by file name or group. Rows of a known data set are predicted from its own tables, other \
    rows from the tables for an unseen data set. Missing values and variables without a column are summed out. Numbers are assigned \
    to the network's intervals. Rows with an observed target measure the quality of the predictions; the baseline always predicts \
    the target's pooled distribution. The Brier score is the sum over the states of (probability - outcome)², averaged over the rows \
    (0 to 2, smaller is better). AUC is the area under the ROC curve, averaged over the states, each against the others. Without \
    --group, the rows are grouped by the column that the network was learned with, if the files have it. --intervals repeats the \
    prediction of every distinct row with 1,000 draws of the tables from their posterior.")]
pub(crate) struct PredictArgs {
    /// The network file, as written by `kinfolk learn --out` or `kinfolk fit --out`.
    #[arg(value_name = "NETWORK")]
    pub(crate) network: PathBuf,

    /// CSV or TSV files, plain or .gz, one data set each; `-` is standard input.
    #[arg(required = true, value_name = "FILES")]
    pub(crate) files: Vec<PathBuf>,

    /// The variable to predict.
    #[arg(long, value_name = "VARIABLE")]
    pub(crate) target: String,

    /// Use these tables for all rows: those of a data set, `pooled` or `new`.
    #[arg(long, value_name = "NAME")]
    pub(crate) data_set: Option<String>,

    /// The column of row weights, used in the metrics.
    #[arg(long, value_name = "COLUMN")]
    pub(crate) weight: Option<String>,

    #[command(flatten)]
    pub(crate) rows: NewRowsArgs,

    /// Also write the predictions to this CSV file, one line per row.
    #[arg(long, value_name = "FILE.csv")]
    pub(crate) out: Option<PathBuf>,

    /// The number of predictions and of data sets to print; --json and --out have all.
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(crate) top: usize,

    #[command(flatten)]
    pub(crate) intervals: IntervalArgs,

    #[command(flatten)]
    pub(crate) limits: LimitArgs,
}

/// How the rows of further files are read.
#[derive(Debug, Args)]
pub(crate) struct NewRowsArgs {
    /// The column that names the data set of each row.
    #[arg(long, value_name = "COLUMN")]
    pub(crate) group: Option<String>,

    /// Values that mean "missing", besides the empty cell. [default: as the network was learned]
    #[arg(long, value_name = "VALUE,…", allow_hyphen_values = true)]
    pub(crate) na: Option<Vec<String>>,

    /// How to handle values that are not states of the network.
    #[arg(long, value_parser = one_of::<Unseen>(), default_value = Unseen::default().name())]
    pub(crate) unseen: Unseen,

    /// The character that separates cells. [default: detected from the file]
    #[arg(long, value_name = "CHARACTER")]
    pub(crate) delimiter: Option<String>,

    /// Limits on each file: the size of a cell and of a decompressed file in MB, and the number of columns.
    /// [default: cell=1,columns=100000,expanded=100000]
    #[arg(long, value_name = "NAME=N,…")]
    pub(crate) limits: Option<ReadLimits>,
}

impl NewRowsArgs {
    /// The options for reading rows; the network's settings supply the defaults.
    pub(crate) fn options(&self, settings: &Map<String, Value>) -> Result<NewRowsOptions, Failure> {
        let recorded = NewRowsOptions::recorded(settings);
        let given = self.na.as_ref().map(|lists| split_lists(lists, "--na")).transpose()?.map(missing_texts);
        Ok(NewRowsOptions {
            group: self.group.clone(),
            weight: None,
            na: given.unwrap_or(recorded.na),
            unseen: self.unseen,
            delimiter: self.delimiter.as_deref().map(parse_delimiter).transpose()?,
            limits: self.limits.unwrap_or_default(),
            keep_text: false,
        })
    }
}
