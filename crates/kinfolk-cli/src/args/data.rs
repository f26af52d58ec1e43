//! The options for reading data files.

use std::path::PathBuf;

use clap::Args;
use kinfolk::counts::DEFAULT_MEMORY_MB;
use kinfolk::data::{
    DiscretizationRule, Missing, ReadLimits, ReadOptions, Source, missing_texts, named_delimiter,
    parse_levels,
};
use kinfolk::formats::{Recorded, Taken};
use serde_json::{Map, Value, json};

use super::choice::one_of;
use super::whole_number;
use crate::failure::Failure;
use crate::inputs::read_text;

/// Options for reading files into data sets.
#[derive(Debug, Args)]
#[command(next_help_heading = "Data")]
pub(crate) struct DataArgs {
    /// CSV or TSV files, plain or .gz, one data set each; `-` is standard input.
    #[arg(required = true, value_name = "FILES")]
    pub(crate) files: Vec<PathBuf>,

    /// The column that names the data set of each row.
    #[arg(long, value_name = "COLUMN")]
    pub(crate) group: Option<String>,

    /// The column of row weights: whole numbers. A row of weight 0 only declares its states.
    #[arg(long, value_name = "COLUMN")]
    pub(crate) weight: Option<String>,

    /// The column that names the subject of each row. Of the rows of one subject in a data set, one is drawn at random, so that
    /// a subject counts once.
    #[arg(long, value_name = "COLUMN")]
    pub(crate) id: Option<String>,

    /// The seed of the draw for --id; another one draws other rows. [default: 1]
    #[arg(long, value_name = "N")]
    pub(crate) id_seed: Option<u64>,

    /// Use only these columns. Quote a name that contains a comma, as in CSV.
    #[arg(long, value_name = "COLUMN,…")]
    pub(crate) columns: Option<Vec<String>>,

    /// Ignore these columns. Quote a name that contains a comma, as in CSV.
    #[arg(long, value_name = "COLUMN,…")]
    pub(crate) ignore: Vec<String>,

    /// Use the columns that all files have in common. By default, files with different columns are an error.
    #[arg(long)]
    pub(crate) common_columns: bool,

    /// Declared states, as JSON: {"column": ["state", …], …}. The states of other columns are the values found in any data set.
    #[arg(long, value_name = "FILE")]
    pub(crate) levels: Option<PathBuf>,

    /// Discretise a numeric column into the same bins in every data set: COLUMN=quantile:4, COLUMN=width:5,
    /// COLUMN=cuts:0,1.5,3, or COLUMN=hartemink:3, which joins bins so that the mutual information with the other columns is kept.
    /// `all=…` applies to every numeric column. May be repeated.
    #[arg(long, value_name = "COLUMN=RULE")]
    pub(crate) discretize: Vec<String>,

    /// Values that mean "missing", besides the empty cell; COLUMN=VALUE holds for one column only and is added to the default.
    /// [default: NA,NaN,?]
    #[arg(long, value_name = "VALUE,…", allow_hyphen_values = true)]
    pub(crate) na: Option<Vec<String>>,

    /// How to handle missing values. [default: refuse]
    #[arg(long, value_parser = one_of::<Missing>(), value_name = "MISSING")]
    pub(crate) missing: Option<Missing>,

    /// The maximum number of distinct values in a column that is neither discretised nor declared. [default: 50]
    #[arg(long, value_name = "N")]
    pub(crate) max_states: Option<usize>,

    /// The character that separates cells. [default: detected from the file]
    #[arg(long, value_name = "CHARACTER")]
    pub(crate) delimiter: Option<String>,

    /// Limits on each file: the size of a cell and of a decompressed file in MB, and the number of columns.
    /// [default: cell=1,columns=100000,expanded=100000]
    #[arg(long, value_name = "NAME=N,…")]
    pub(crate) limits: Option<ReadLimits>,

    /// The memory limit for counting one family, in MB. It excludes the data themselves and the cached scores.
    #[arg(long, value_name = "MB", default_value_t = DEFAULT_MEMORY_MB, allow_negative_numbers = true, value_parser = whole_number)]
    pub(crate) memory: usize,

    /// The settings of a network file, for options that are not given.
    #[arg(skip)]
    pub(crate) recorded: Recorded,
}

impl DataArgs {
    /// The sources to read from.
    pub(crate) fn sources(&self) -> Result<Vec<Source>, Failure> {
        sources(&self.files)
    }

    /// The options of the reader, completed by those of the network file.
    pub(crate) fn options(&self) -> Result<ReadOptions, Failure> {
        Ok(self.completed()?.0)
    }

    /// The options of the reader, and the settings taken from the network file.
    pub(crate) fn completed(&self) -> Result<(ReadOptions, Vec<Taken>), Failure> {
        let is_given = |option: &str| match option {
            "group" => self.group.is_some(),
            "weight" => self.weight.is_some(),
            "id" => self.id.is_some(),
            "id_seed" => self.id_seed.is_some(),
            "columns" => self.columns.is_some(),
            "ignore" => !self.ignore.is_empty(),
            "common_columns" => self.common_columns,
            "levels" => self.levels.is_some(),
            "discretize" => !self.discretize.is_empty(),
            "na" => self.na.is_some(),
            "missing" => self.missing.is_some(),
            "max_states" => self.max_states.is_some(),
            "delimiter" => self.delimiter.is_some(),
            _ => false,
        };
        Ok(self.recorded.complete_reading(self.asked()?, &is_given)?)
    }

    /// The options on the command line.
    fn asked(&self) -> Result<ReadOptions, Failure> {
        let defaults = ReadOptions::default();
        let levels = match &self.levels {
            Some(file) => parse_levels(&read_text(file)?, &file.display().to_string())?,
            None => defaults.levels,
        };
        let rules = self.discretize.iter().map(|rule| rule.parse::<DiscretizationRule>());
        Ok(ReadOptions {
            group: self.group.clone(),
            weight: self.weight.clone(),
            id: self.id.clone(),
            id_seed: self.id_seed.unwrap_or(defaults.id_seed),
            columns: self.columns.as_deref().map(|lists| split_lists(lists, "--columns")).transpose()?,
            ignore: split_lists(&self.ignore, "--ignore")?,
            common_columns: self.common_columns,
            levels,
            discretize: rules.collect::<Result<_, _>>()?,
            na: self.missing_texts()?,
            missing: self.missing.unwrap_or(defaults.missing),
            max_states: self.max_states.unwrap_or(defaults.max_states),
            delimiter: self.delimiter.as_deref().map(parse_delimiter).transpose()?,
            limits: self.limits.unwrap_or_default(),
        })
    }

    /// The texts that mean "missing".
    fn missing_texts(&self) -> Result<Vec<String>, Failure> {
        let Some(lists) = &self.na else { return Ok(ReadOptions::default().na) };
        Ok(missing_texts(split_lists(lists, "--na")?))
    }

    /// The options as recorded in results.
    pub(crate) fn settings(&self) -> Result<Map<String, Value>, Failure> {
        let files: Vec<String> = self.files.iter().map(|file| file.display().to_string()).collect();
        let mut settings = Map::from_iter([("files".to_owned(), json!(files))]);
        settings.extend(self.options()?.record());
        settings.insert("memory".to_owned(), json!(self.memory));
        Ok(settings)
    }

    /// The memory limit in bytes.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.memory.saturating_mul(1_000_000)
    }
}

/// The sources of the given files; `-` is standard input.
pub(crate) fn sources(files: &[PathBuf]) -> Result<Vec<Source>, Failure> {
    if files.iter().filter(|file| file.as_os_str() == "-").count() > 1 {
        return Err(Failure::Call("`-` (standard input) may be given only once".to_owned()));
    }
    let source = |file: &PathBuf| {
        if file.as_os_str() == "-" { Source::stdin() } else { Source::Path(file.clone()) }
    };
    Ok(files.iter().map(source).collect())
}

/// Splits comma-separated lists; parts that contain a comma are quoted as in CSV.
pub(super) fn split_lists(lists: &[String], flag: &str) -> Result<Vec<String>, Failure> {
    let mut parts = Vec::new();
    for list in lists {
        if !list.contains('"') {
            parts.extend(list.split(',').map(str::to_owned));
            continue;
        }
        let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(list.as_bytes());
        for record in reader.records() {
            let record = record.map_err(|error| Failure::Call(format!("{flag}: {error}")))?;
            parts.extend(record.iter().map(str::to_owned));
        }
    }
    Ok(parts)
}

pub(super) fn parse_delimiter(text: &str) -> Result<u8, Failure> {
    named_delimiter(text).ok_or_else(|| {
        Failure::Call(format!(
            "--delimiter takes one character (or `tab`), not `{text}`; for instance --delimiter ';'"
        ))
    })
}
