//! How the structure is searched for, and under which constraints.

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

/// What the network may and must contain.
#[derive(Debug, Args)]
#[command(next_help_heading = "Search")]
pub(crate) struct ConstraintArgs {
    /// The most parents a node may have. [default: no limit]
    #[arg(long, value_name = "N")]
    pub(crate) max_parents: Option<usize>,

    /// Arcs that must be there: a file of `from,to`, as CSV with that header or as JSON.
    #[arg(long, value_name = "FILE")]
    pub(crate) whitelist: Option<PathBuf>,

    /// Arcs that must not be there: a file like that of --whitelist.
    #[arg(long, value_name = "FILE")]
    pub(crate) blacklist: Option<PathBuf>,

    /// Tiers, earliest first: one line of comma-separated columns each, or a JSON list of lists. No arc leads to an earlier tier;
    /// columns in no tier are free.
    #[arg(long, value_name = "FILE")]
    pub(crate) tiers: Option<PathBuf>,
}

/// Options of the search.
#[derive(Debug, Args)]
#[command(next_help_heading = "Search")]
pub(crate) struct SearchArgs {
    /// The search; --escapes, --tabu, --restarts and --perturb refine it.
    #[arg(long, value_name = "NAME", default_value = SearchMethod::default().name(), value_parser = one_of::<SearchMethod>())]
    pub(crate) search: SearchMethod,

    #[command(flatten)]
    pub(crate) constraints: ConstraintArgs,

    /// Where to start: a modelstring, a file with one, or the JSON of an earlier `learn`. [default: no arcs]
    #[arg(long, value_name = "MODELSTRING|FILE")]
    pub(crate) start: Option<String>,

    /// The most moves, escapes and restarts included. [default: no limit]
    #[arg(long, value_name = "N")]
    pub(crate) max_steps: Option<usize>,

    /// Stop after this many seconds with what was found so far.
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    pub(crate) time_limit: Option<f64>,

    /// Tabu search: make up to this many moves that gain nothing before a better network is found, never back to one of the last that
    /// many networks; the best one met is the result. [default: 10 with --search tabu, 0 otherwise]
    #[arg(long, value_name = "L")]
    pub(crate) tabu: Option<usize>,

    /// Reverse arcs with re-selection of both endpoints' parents, after every move and, at an optimum, in equivalent networks drawn at
    /// random, until this many of these in a row led to no higher score. [default: 20 with --search auto, 0 otherwise]
    #[arg(long, value_name = "N")]
    pub(crate) escapes: Option<usize>,

    /// How often to perturb the best network and climb again. [default: 0]
    #[arg(long, value_name = "K")]
    pub(crate) restarts: Option<usize>,

    /// Random moves in each perturbation. [default: 1]
    #[arg(long, value_name = "M")]
    pub(crate) perturb: Option<usize>,

    /// How many family scores to remember, 20 to 60 bytes each; fewer take less memory and may take more time. [default: 2000000]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole_number)]
    pub(crate) keep_scores: Option<usize>,

    /// The seed of whatever is random: the escapes, the perturbations and, in `validate`, the folds, in `bootstrap`, what is drawn.
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub(crate) seed: u64,
}

/// A search ready to run, and what is to be recorded of it.
pub(crate) struct ChosenSearch {
    pub(crate) search: Search,
    pub(crate) time_limit: Option<Duration>,
    pub(crate) settings: Map<String, Value>,
}

impl SearchArgs {
    /// What was asked for, without the files of constraints and the start.
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

    /// Refuses what is wrong whatever the data are.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        Ok(self.spec().check()?)
    }

    /// Reads the constraint files and checks everything against the variables.
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
    /// Reads the files of constraints.
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

    /// The rules, checked against the variables, and what is to be recorded of them.
    pub(crate) fn choose(&self, schema: &Schema) -> Result<(Constraints, Map<String, Value>), Failure> {
        let rules = self.rules(schema)?;
        let settings = rules.settings(schema);
        Ok((Constraints::new(schema, &rules)?, settings))
    }
}

/// A number of seconds as a limit.
pub(crate) fn time_limit(seconds: Option<f64>) -> Result<Option<Duration>, Failure> {
    let mut spec = SearchSpec::default();
    spec.time_limit = seconds;
    Ok(spec.time_limit()?)
}
