//! What is asked of a network.

use std::path::PathBuf;

use clap::Args;
use kinfolk::estimate::{Network, Relative};
use kinfolk::infer::{Given, Limits, find_relative, find_state, find_variable};

use crate::failure::Failure;

/// Ask a network for probabilities, given evidence.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    kinfolk query network.json --target cancer\n  \
    kinfolk query network.json --target cancer --evidence smoking=yes --evidence age=47\n  \
    kinfolk query network.json --target cancer --do smoking=no --data-set north --data-set new\n  \
    kinfolk query network.json --target cancer --target xray --joint --json\n  \
    kinfolk query network.json --mpe --evidence xray=positive\n\n\
    VARIABLE=STATE is split at the first `=` before which a variable is named. Where states are intervals, a number stands for the \
    one that it is in. Every data set answers from its own tables; `pooled` are those of all rows together, `new` those of a data \
    set never seen. Logarithms are natural.")]
pub(crate) struct QueryArgs {
    /// The network file, as written by `kinfolk learn --out` or `kinfolk fit --out`.
    #[arg(value_name = "NETWORK")]
    pub(crate) network: PathBuf,

    /// The variable to tell the probabilities of. May be repeated.
    #[arg(long = "target", value_name = "VARIABLE")]
    pub(crate) targets: Vec<String>,

    /// What was observed. May be repeated.
    #[arg(long, value_name = "VARIABLE=STATE")]
    pub(crate) evidence: Vec<String>,

    /// What is set by intervention: the arcs into the variable are cut, so that it tells nothing about its causes. May be repeated.
    #[arg(long = "do", value_name = "VARIABLE=STATE")]
    pub(crate) set: Vec<String>,

    /// Who answers: a data set, `pooled`, `new`, or `all` of them. May be repeated. [default: all]
    #[arg(long = "data-set", value_name = "NAME")]
    pub(crate) data_sets: Vec<String>,

    /// Also the joint distribution of the targets.
    #[arg(long)]
    pub(crate) joint: bool,

    /// Also the most probable explanation: the likeliest states of everything that is not given, together.
    #[arg(long)]
    pub(crate) mpe: bool,

    #[command(flatten)]
    pub(crate) limits: LimitArgs,
}

/// How much exact answers may cost.
#[derive(Debug, Args)]
pub(crate) struct LimitArgs {
    /// The most cells that the tables of one question may have, 8 bytes each.
    #[arg(long, value_name = "N", default_value_t = 134_217_728)]
    pub(crate) most_cells: u64,
}

impl LimitArgs {
    pub(crate) fn limits(&self) -> Limits {
        Limits { most_cells: self.most_cells as f64 }
    }
}

impl QueryArgs {
    /// What is observed and set.
    pub(crate) fn given(&self, network: &Network) -> Result<Given, Failure> {
        let mut given = Given::nothing(network);
        for text in &self.evidence {
            let (variable, state) = split(network, text, "--evidence")?;
            let id = find_variable(network, variable)?;
            given.observe(network, id, find_state(network, id, state)?)?;
        }
        for text in &self.set {
            let (variable, state) = split(network, text, "--do")?;
            let id = find_variable(network, variable)?;
            given.set(network, id, find_state(network, id, state)?)?;
        }
        Ok(given)
    }

    /// Who answers.
    pub(crate) fn relatives(&self, network: &Network) -> Result<Vec<Relative>, Failure> {
        if self.data_sets.is_empty() {
            return Ok(network.relatives().collect());
        }
        let mut relatives = Vec::new();
        for name in &self.data_sets {
            match find_relative(network, name) {
                Ok(relative) => relatives.push(relative),
                Err(_) if name == "all" => relatives.extend(network.relatives()),
                Err(error) => return Err(error.into()),
            }
        }
        Ok(relatives)
    }
}

/// Splits `VARIABLE=STATE` at the first `=` before which a variable is named; at the first of all if there is none.
fn split<'a>(network: &Network, text: &'a str, flag: &str) -> Result<(&'a str, &'a str), Failure> {
    let named = |at: &usize| network.schema().find(&text[..*at]).is_some();
    let signs = || text.match_indices('=').map(|(at, _)| at);
    let at = signs().find(named).or_else(|| signs().next());
    at.map(|at| (&text[..at], &text[at + 1..]))
        .ok_or_else(|| Failure::Call(format!("{flag} takes VARIABLE=STATE, and `{text}` has no `=`")))
}
