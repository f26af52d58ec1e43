//! The arguments of `simulate`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use kinfolk::choice::NamedChoice;
use kinfolk::simulate::{Design, GENERATOR, Level, Parameters, Removed, Scenario};
use serde_json::{Map, Value, json};

use super::choice::one_of;
use crate::failure::Failure;

/// Simulate a random network with related data sets.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    kinfolk simulate --nodes 10 --arcs 12 --data-sets 5 --rows 500 --seed 1 --out made\n  \
    kinfolk simulate --nodes 8 --arcs 10 --states 2-4 --rows 1000,200,50 --parameters iid --out made\n  \
    kinfolk simulate --nodes 10 --arcs 15 --data-sets 10 --rows 100 --scenario b --altered 2 --removed 0.1 --out made\n\n\
    The folder receives data_001.csv, data_002.csv, …; truth.json, the true network with the structure and tables of each data set, \
    for sample and compare; and levels.json, the states of every variable, for --levels, because the rows may not show all states.")]
pub(crate) struct SimulateArgs {
    /// The number of variables.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    nodes: u32,

    /// The number of arcs. They are drawn uniformly among those that agree with a random order of the variables; with --max-parents,
    /// one at a time, leaving out variables that have as many parents.
    #[arg(long, value_name = "A")]
    arcs: usize,

    /// The number of states: one value for all variables (3), or several to draw from for each variable (2-5 or 2,3,5).
    #[arg(long, value_name = "STATES", default_value = "2")]
    states: String,

    /// The maximum number of parents of a variable.
    #[arg(long, value_name = "K")]
    max_parents: Option<usize>,

    /// The number of data sets; not needed if --rows lists them.
    #[arg(long, value_name = "F", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    data_sets: Option<u32>,

    /// The rows of each data set: one number for all (500), or one for each (1000,200,50).
    #[arg(long, value_name = "ROWS")]
    rows: String,

    /// How the probability tables of the data sets are related.
    #[arg(long, value_parser = one_of::<Parameters>(), default_value = Parameters::Hier.name(), value_name = "NAME", help_heading = "Probabilities")]
    parameters: Parameters,

    /// The level at which tables are drawn from a Dirichlet distribution.
    #[arg(long, value_parser = one_of::<Level>(), default_value = Level::Joint.name(), value_name = "NAME", help_heading = "Probabilities")]
    level: Level,

    /// The concentration of the data sets' tables, in imaginary rows.
    #[arg(long, allow_negative_numbers = true, default_value_t = 10.0, help_heading = "Probabilities")]
    s: f64,

    /// hier: the Dirichlet parameter of the centre in every cell. [default: 1]
    #[arg(long, allow_negative_numbers = true, value_name = "A0", help_heading = "Probabilities")]
    alpha0: Option<f64>,

    /// Whether all data sets have the same structure.
    #[arg(long, value_enum, default_value_t = ScenarioName::A, value_name = "NAME", help_heading = "Structures")]
    scenario: ScenarioName,

    /// Scenario b: the number of data sets that lose arcs, drawn independently for each.
    #[arg(long, value_name = "N_F", help_heading = "Structures")]
    altered: Option<usize>,

    /// Scenario b: the number of arcs that each of them loses (2), or the probability of losing each arc (0.1).
    #[arg(long, value_name = "N_A|P", allow_negative_numbers = true, help_heading = "Structures")]
    removed: Option<String>,

    /// The random seed. The same options and seed write the same bytes on every machine.
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,

    /// The number of the replicate: an independent random stream of this seed.
    #[arg(long, value_name = "R", default_value_t = 0)]
    replicate: u64,

    /// The folder to write to; created if it does not exist.
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub(crate) out: PathBuf,

    /// Overwrite existing files.
    #[arg(long, help_heading = "Output")]
    pub(crate) force: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ScenarioName {
    /// All data sets have the same structure.
    A,
    /// Some data sets lose arcs.
    B,
}

impl SimulateArgs {
    /// The design, not yet checked.
    pub(crate) fn design(&self) -> Result<Design, Failure> {
        if self.alpha0.is_some() && self.parameters != Parameters::Hier {
            return Err(Failure::Call("--alpha0 belongs to --parameters hier; leave it out".to_owned()));
        }
        Ok(Design {
            nodes: self.nodes as usize,
            arcs: self.arcs,
            max_parents: self.max_parents,
            states: parse_states(&self.states)?,
            rows: parse_rows(&self.rows, self.data_sets.map(|data_sets| data_sets as usize), "--data-sets")?,
            parameters: self.parameters,
            level: self.level,
            s: self.s,
            alpha0: self.alpha0.unwrap_or(1.0),
            scenario: self.scenario()?,
        })
    }

    fn scenario(&self) -> Result<Scenario, Failure> {
        match (self.scenario, self.altered, &self.removed) {
            (ScenarioName::A, None, None) => Ok(Scenario::A),
            (ScenarioName::A, ..) => Err(Failure::Call(
                "--altered and --removed belong to --scenario b; add it or leave them out".to_owned(),
            )),
            (ScenarioName::B, Some(altered), Some(removed)) => {
                Ok(Scenario::B { altered, removed: parse_removed(removed)? })
            }
            (ScenarioName::B, ..) => Err(Failure::Call(
                "--scenario b needs --altered (the number of data sets that lose arcs) and --removed (the number of arcs)"
                    .to_owned(),
            )),
        }
    }

    /// Seed and replicate.
    pub(crate) fn randomness(&self) -> (u64, u64) {
        (self.seed, self.replicate)
    }

    /// The settings that the result records.
    pub(crate) fn settings(&self, design: &Design) -> Map<String, Value> {
        let mut settings = Map::from_iter(
            [
                ("version", json!(env!("CARGO_PKG_VERSION"))),
                ("generator", json!(GENERATOR)),
                ("seed", json!(self.seed)),
                ("replicate", json!(self.replicate)),
                ("data_sets", json!(design.data_sets())),
            ]
            .map(|(key, value)| (key.to_owned(), value)),
        );
        if let Value::Object(design) = json!(design) {
            settings.extend(design);
        }
        settings
    }
}

/// Parses numbers of rows: one for all data sets, or one for each.
pub(super) fn parse_rows(text: &str, data_sets: Option<usize>, flag: &str) -> Result<Vec<usize>, Failure> {
    let numbers: Vec<usize> = text
        .split(',')
        .map(|part| parse_number(part, "--rows", "500 or 1000,200,50"))
        .collect::<Result<_, _>>()?;
    match (numbers.as_slice(), data_sets) {
        (&[rows], Some(data_sets)) => Ok(vec![rows; data_sets]),
        (&[_], None) => {
            Err(Failure::Call(format!("the number of data sets is missing: give it with {flag}")))
        }
        (list, Some(data_sets)) if list.len() != data_sets => Err(Failure::Call(format!(
            "--rows lists {} data sets, but there are {data_sets}; give one number for all, or one for each",
            list.len()
        ))),
        _ => Ok(numbers),
    }
}

fn parse_number(text: &str, flag: &str, example: &str) -> Result<usize, Failure> {
    text.trim()
        .parse()
        .map_err(|_| Failure::Call(format!("{flag}: `{text}` is not a whole number; for instance {example}")))
}

fn parse_states(text: &str) -> Result<Vec<usize>, Failure> {
    let number = |part: &str| parse_number(part, "--states", "3, 2-5 or 2,3,5");
    let mut states = Vec::new();
    for part in text.split(',') {
        match part.split_once('-') {
            Some((low, high)) => {
                let (low, high) = (number(low)?, number(high)?);
                if low > high || high - low > 1000 {
                    return Err(Failure::Call(format!(
                        "--states: {low}-{high} is not a valid range; it must ascend and span at most 1000, for instance 2-5"
                    )));
                }
                states.extend(low..=high);
            }
            None => states.push(number(part)?),
        }
    }
    Ok(states)
}

/// Parses a whole number as a number of arcs, and any other number as a probability.
fn parse_removed(text: &str) -> Result<Removed, Failure> {
    let parsed = if text.bytes().all(|byte| byte.is_ascii_digit()) {
        text.parse().ok().map(Removed::Arcs)
    } else {
        text.parse().ok().map(Removed::Probability)
    };
    parsed.ok_or_else(|| {
        Failure::Call(format!(
            "--removed: `{text}` is neither a number of arcs (such as 2) nor a probability (such as 0.1)"
        ))
    })
}
