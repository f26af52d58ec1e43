//! The options of the structure search and of its constraints.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use kinfolk::data::Schema;
use kinfolk::score::NamedChoice;
use kinfolk::search::{Constraints, Rules, Search, SearchMethod, SearchSpec};
use serde_json::{Map, Value};

use super::choice::one_of;
use super::whole_number;
use crate::failure::Failure;
use crate::inputs::{read_arcs, read_structure, read_tiers};

/// Constraints on the network.
#[derive(Debug, Args)]
#[command(next_help_heading = "Search")]
pub(crate) struct ConstraintArgs {
    /// The maximum number of parents of a node. [default: no limit]
    #[arg(long, value_name = "N")]
    pub(crate) max_parents: Option<usize>,

    /// Required arcs: a CSV file with the header `from,to`, or JSON.
    #[arg(long, value_name = "FILE")]
    pub(crate) whitelist: Option<PathBuf>,

    /// Forbidden arcs: a file in the format of --whitelist.
    #[arg(long, value_name = "FILE")]
    pub(crate) blacklist: Option<PathBuf>,

    /// Tiers of variables, earliest first: one line of comma-separated columns per tier, or a JSON list of lists. No arc leads to an
    /// earlier tier. Columns in no tier are unconstrained.
    #[arg(long, value_name = "FILE")]
    pub(crate) tiers: Option<PathBuf>,
}

/// Options of the search.
#[derive(Debug, Args)]
#[command(next_help_heading = "Search")]
pub(crate) struct SearchArgs {
    /// The search algorithm; --escapes, --tabu, --restarts and --perturb refine it.
    #[arg(long, value_name = "NAME", default_value = SearchMethod::default().name(), value_parser = one_of::<SearchMethod>())]
    pub(crate) search: SearchMethod,

    #[command(flatten)]
    pub(crate) constraints: ConstraintArgs,

    /// The initial network: a modelstring, a file with one, or the JSON of an earlier `learn`. [default: no arcs]
    #[arg(long, value_name = "MODELSTRING|FILE")]
    pub(crate) start: Option<String>,

    /// The maximum number of moves, including those of escapes and restarts. [default: no limit]
    #[arg(long, value_name = "N")]
    pub(crate) max_steps: Option<usize>,

    /// Stop after this many seconds and return the best network so far.
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    pub(crate) time_limit: Option<f64>,

    /// Tabu search: allow up to L consecutive moves that do not raise the best score, and never return to one of the last L networks.
    /// The result is the best network visited. [default: 10 with --search tabu, 0 otherwise]
    #[arg(long, value_name = "L")]
    pub(crate) tabu: Option<usize>,

    /// Try edge reversals that re-select the parents of both endpoints, after every move and, at a local optimum, in random equivalent
    /// networks. Stop after N consecutive equivalent networks without a higher score. [default: 20 with --search auto, order or
    /// exact, 0 otherwise]
    #[arg(long, value_name = "N")]
    pub(crate) escapes: Option<usize>,

    /// The number of restarts, each from a random perturbation of the best network. [default: with --search auto 10 for up to 60
    /// variables, fewer for more; with --search order 10, or until --time-limit; 0 otherwise]
    #[arg(long, value_name = "K")]
    pub(crate) restarts: Option<usize>,

    /// The number of random moves in each perturbation. [default: with --search auto 4 for up to 12 variables, 10 for more;
    /// with --search order 4 variables that are moved in the order; 1 otherwise]
    #[arg(long, value_name = "M")]
    pub(crate) perturb: Option<usize>,

    /// The number of family scores to cache, at 40 to 60 bytes each. A smaller cache saves memory and may cost time. [default: 2000000]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole_number)]
    pub(crate) keep_scores: Option<usize>,

    /// The random seed: for escapes and perturbations, for the folds of `validate` and the resamples of `bootstrap`.
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub(crate) seed: u64,
}

/// A search ready to run, with the settings that results record.
pub(crate) struct ChosenSearch {
    pub(crate) search: Search,
    pub(crate) time_limit: Option<Duration>,
    pub(crate) settings: Map<String, Value>,
}

impl SearchArgs {
    /// The specification, without the constraint files and the initial network.
    fn spec(&self) -> SearchSpec {
        let mut spec = SearchSpec::default();
        spec.method = self.search;
        spec.max_steps = self.max_steps;
        spec.time_limit = self.time_limit;
        spec.tabu = self.tabu;
        spec.escapes = self.escapes;
        spec.restarts = self.restarts;
        spec.perturb = self.perturb;
        spec.keep_scores = self.keep_scores;
        spec.seed = self.seed;
        spec
    }

    /// Rejects invalid options; needs no data.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        Ok(self.spec().check()?)
    }

    /// Reads the constraint files and checks all options against the variables.
    pub(crate) fn choose(&self, schema: &Schema) -> Result<ChosenSearch, Failure> {
        let mut spec = self.spec();
        spec.rules = self.constraints.rules(schema)?;
        spec.start =
            self.start.as_ref().map(|text| read_structure(text, "--start", &schema.names())).transpose()?;
        let search = spec.prepare(schema)?;
        Ok(ChosenSearch { time_limit: spec.time_limit()?, settings: spec.settings(schema, &search), search })
    }
}

impl ConstraintArgs {
    /// Reads the constraint files.
    fn rules(&self, schema: &Schema) -> Result<Rules, Failure> {
        let arcs = |file: &Option<PathBuf>, flag| {
            file.as_ref().map_or(Ok(Vec::new()), |file| read_arcs(file, flag, schema))
        };
        Ok(Rules {
            max_parents: self.max_parents,
            required: arcs(&self.whitelist, "--whitelist")?,
            forbidden: arcs(&self.blacklist, "--blacklist")?,
            tiers: self.tiers.as_ref().map_or(Ok(Vec::new()), |file| read_tiers(file, schema))?,
        })
    }

    /// The constraints, checked against the variables, and the settings that results record.
    pub(crate) fn choose(&self, schema: &Schema) -> Result<(Constraints, Map<String, Value>), Failure> {
        let rules = self.rules(schema)?;
        let settings = rules.settings(schema);
        Ok((Constraints::new(schema, &rules)?, settings))
    }
}

/// Checks a time limit in seconds and converts it.
pub(crate) fn time_limit(seconds: Option<f64>) -> Result<Option<Duration>, Failure> {
    let mut spec = SearchSpec::default();
    spec.time_limit = seconds;
    Ok(spec.time_limit()?)
}
