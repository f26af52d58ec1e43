//! The arguments of `query`.

use std::path::PathBuf;

use clap::Args;
use kinfolk::estimate::{Network, Relative};
use kinfolk::infer::{Given, Limits, find_relative, find_state, find_variable};

use super::ALL;
use super::intervals::IntervalArgs;
use crate::failure::Failure;

/// Compute probabilities from a network, given evidence or interventions.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    kinfolk query network.json --target cancer\n  \
    kinfolk query network.json --target cancer --evidence smoking=yes --evidence age=47\n  \
    kinfolk query network.json --target cancer --do smoking=no --data-set north --data-set new\n  \
    kinfolk query network.json --target cancer --target xray --joint --json\n  \
    kinfolk query network.json --target cancer --evidence smoking=yes --intervals 0.9\n  \
    kinfolk query network.json --mpe --evidence xray=positive\n\n\
    VARIABLE=STATE is split at the first `=` that follows the name of a variable. Where states are intervals, a number selects the \
    interval that contains it. Results are given for each data set's own tables, for `pooled` (all rows together) and for `new` (an \
    unseen data set). --intervals draws the tables 1,000 times from their posterior. Logarithms are natural.")]
pub(crate) struct QueryArgs {
    /// The network file, as written by `kinfolk learn --out` or `kinfolk fit --out`.
    #[arg(value_name = "NETWORK")]
    pub(crate) network: PathBuf,

    /// The variable whose distribution is computed. May be repeated.
    #[arg(long = "target", value_name = "VARIABLE")]
    pub(crate) targets: Vec<String>,

    /// An observed value. May be repeated.
    #[arg(long, value_name = "VARIABLE=STATE")]
    pub(crate) evidence: Vec<String>,

    /// An intervention: sets the variable and removes the arcs into it, so that it carries no information on its causes. May be repeated.
    #[arg(long = "do", value_name = "VARIABLE=STATE")]
    pub(crate) set: Vec<String>,

    /// The tables to use: a data set, `pooled`, `new` or `all`. May be repeated. [default: all]
    #[arg(long = "data-set", value_name = "NAME")]
    pub(crate) data_sets: Vec<String>,

    /// The number of data sets to print, unless --data-set names them; --json has all.
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(crate) top: usize,

    /// Also compute the joint distribution of the targets.
    #[arg(long)]
    pub(crate) joint: bool,

    #[command(flatten)]
    pub(crate) intervals: IntervalArgs,

    /// Also compute the most probable explanation: the most probable joint state of all other variables.
    #[arg(long)]
    pub(crate) mpe: bool,

    #[command(flatten)]
    pub(crate) limits: LimitArgs,
}

/// The limit on the size of exact inference.
#[derive(Debug, Args)]
pub(crate) struct LimitArgs {
    /// The maximum number of table cells per query, at 8 bytes each.
    #[arg(long, value_name = "N", default_value_t = Limits::MOST_CELLS)]
    pub(crate) most_cells: u64,
}

impl LimitArgs {
    pub(crate) fn limits(&self) -> Limits {
        Limits { most_cells: self.most_cells as f64 }
    }
}

impl QueryArgs {
    /// The evidence and the interventions.
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

    /// The tables to use.
    pub(crate) fn relatives(&self, network: &Network) -> Result<Vec<Relative>, Failure> {
        if self.data_sets.is_empty() {
            return Ok(network.relatives().collect());
        }
        let mut relatives = Vec::new();
        for name in &self.data_sets {
            match find_relative(network, name) {
                Ok(relative) => relatives.push(relative),
                Err(_) if name == ALL => relatives.extend(network.relatives()),
                Err(error) => return Err(error.into()),
            }
        }
        Ok(relatives)
    }
}

/// Splits `VARIABLE=STATE` at the first `=` that follows the name of a variable, or else at the first `=`.
fn split<'a>(network: &Network, text: &'a str, flag: &str) -> Result<(&'a str, &'a str), Failure> {
    let named = |at: &usize| network.schema().find(&text[..*at]).is_some();
    let signs = || text.match_indices('=').map(|(at, _)| at);
    let at = signs().find(named).or_else(|| signs().next());
    at.map(|at| (&text[..at], &text[at + 1..]))
        .ok_or_else(|| Failure::Call(format!("{flag} takes VARIABLE=STATE, but `{text}` has no `=`")))
}
