//! How the data are read.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use kinfolk::data::{DiscretizationRule, Missing, ReadOptions, Source, parse_levels};

use serde_json::{Map, Value, json};

use super::whole_number;
use crate::failure::Failure;
use crate::inputs::read_text;

/// Options that say how files become data sets.
#[derive(Debug, Args)]
#[command(next_help_heading = "Data")]
pub(crate) struct DataArgs {
    /// CSV or TSV files, plain or .gz, one data set each; `-` is standard input.
    #[arg(required = true, value_name = "FILES")]
    pub(crate) files: Vec<PathBuf>,

    /// The column that says which data set a row belongs to.
    #[arg(long, value_name = "COLUMN")]
    pub(crate) group: Option<String>,

    /// The column of row multiplicities: whole numbers; 0 only declares the row's states.
    #[arg(long, value_name = "COLUMN")]
    pub(crate) weight: Option<String>,

    /// Use only these columns; a name with a comma goes into double quotes, as in CSV.
    #[arg(long, value_name = "COLUMN,…")]
    pub(crate) columns: Option<Vec<String>>,

    /// Leave these columns out; a name with a comma goes into double quotes, as in CSV.
    #[arg(long, value_name = "COLUMN,…")]
    pub(crate) ignore: Vec<String>,

    /// Keep only the columns that all files have, instead of refusing files that differ.
    #[arg(long)]
    pub(crate) common_columns: bool,

    /// Declared states, as JSON: {"column": ["state", …], …}. Other columns take the union of what the data sets hold.
    #[arg(long, value_name = "FILE")]
    pub(crate) levels: Option<PathBuf>,

    /// Cut a numeric column into bins, the same in every data set: COLUMN=quantile:4, COLUMN=width:5 or COLUMN=cuts:0,1.5,3;
    /// `all=…` for every numeric column. May be repeated.
    #[arg(long, value_name = "COLUMN=RULE")]
    pub(crate) discretize: Vec<String>,

    /// Cells that mean "missing"; the empty cell always does. [default: NA,NaN,?]
    #[arg(long, value_name = "VALUE,…", allow_hyphen_values = true)]
    pub(crate) na: Option<Vec<String>>,

    /// What to do with missing values.
    #[arg(long, value_enum, default_value_t = MissingName::Refuse)]
    pub(crate) missing: MissingName,

    /// The most distinct values of a column that is neither discretised nor declared.
    #[arg(long, value_name = "N", default_value_t = 50)]
    pub(crate) max_states: usize,

    /// What separates the cells; found out from the file if not given.
    #[arg(long, value_name = "CHARACTER")]
    pub(crate) delimiter: Option<String>,

    /// The most memory that counting one family may take, in MB; the data themselves and what scores keep come on top.
    #[arg(long, value_name = "MB", default_value_t = 4096, allow_negative_numbers = true, value_parser = whole_number)]
    pub(crate) memory: usize,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum MissingName {
    /// Say where they are and stop.
    Refuse,
    /// Leave out every row that has one.
    DropRows,
    /// Missing is a state of its own.
    Level,
}

impl DataArgs {
    /// Where the bytes come from.
    pub(crate) fn sources(&self) -> Result<Vec<Source>, Failure> {
        sources(&self.files)
    }

    /// How they are to be read.
    pub(crate) fn options(&self) -> Result<ReadOptions, Failure> {
        let defaults = ReadOptions::default();
        let levels = match &self.levels {
            Some(file) => parse_levels(&read_text(file)?, &file.display().to_string())?,
            None => defaults.levels,
        };
        let rules = self.discretize.iter().map(|rule| rule.parse::<DiscretizationRule>());
        Ok(ReadOptions {
            group: self.group.clone(),
            weight: self.weight.clone(),
            columns: self.columns.as_deref().map(|lists| split_lists(lists, "--columns")).transpose()?,
            ignore: split_lists(&self.ignore, "--ignore")?,
            common_columns: self.common_columns,
            levels,
            discretize: rules.collect::<Result<_, _>>()?,
            na: self.na.as_deref().map_or(Ok(defaults.na), |lists| split_lists(lists, "--na"))?,
            missing: match self.missing {
                MissingName::Refuse => Missing::Refuse,
                MissingName::DropRows => Missing::DropRows,
                MissingName::Level => Missing::Level,
            },
            max_states: self.max_states,
            delimiter: self.delimiter.as_deref().map(parse_delimiter).transpose()?,
        })
    }

    /// What the reading was told, for the record of a result.
    pub(crate) fn settings(&self) -> Map<String, Value> {
        let files: Vec<String> = self.files.iter().map(|file| file.display().to_string()).collect();
        let missing = self.missing.to_possible_value().map(|value| value.get_name().to_owned());
        Map::from_iter(
            [
                ("files", json!(files)),
                ("group", json!(self.group)),
                ("weight", json!(self.weight)),
                ("columns", json!(self.columns)),
                ("ignore", json!(self.ignore)),
                ("common_columns", json!(self.common_columns)),
                ("levels", json!(self.levels)),
                ("discretize", json!(self.discretize)),
                ("na", json!(self.na.clone().unwrap_or_else(|| ReadOptions::default().na))),
                ("missing", json!(missing)),
                ("max_states", json!(self.max_states)),
                ("memory", json!(self.memory)),
                ("delimiter", json!(self.delimiter)),
            ]
            .map(|(key, value)| (key.to_owned(), value)),
        )
    }

    /// The memory limit in bytes.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.memory.saturating_mul(1_000_000)
    }
}

/// Where the bytes of some files come from; `-` is standard input.
pub(crate) fn sources(files: &[PathBuf]) -> Result<Vec<Source>, Failure> {
    if files.iter().filter(|file| file.as_os_str() == "-").count() > 1 {
        return Err(Failure::Call("`-` (standard input) can be given only once".to_owned()));
    }
    let source = |file: &PathBuf| {
        if file.as_os_str() == "-" { Source::stdin() } else { Source::Path(file.clone()) }
    };
    Ok(files.iter().map(source).collect())
}

/// The parts of comma-separated lists, quoted as in CSV where a part has a comma of its own.
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
    match text {
        "\\t" | "tab" => Ok(b'\t'),
        _ if text.len() == 1 => Ok(text.as_bytes()[0]),
        _ => Err(Failure::Call(format!(
            "--delimiter takes one character (or `tab`), not `{text}`; for instance --delimiter ';'"
        ))),
    }
}
