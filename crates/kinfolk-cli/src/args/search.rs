//! How the structure is searched for, and under which constraints.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use kinfolk::data::Schema;
use kinfolk::graph::{Dag, modelstring};
use kinfolk::search::{Constraints, HillClimb, Rules};
use serde_json::{Map, Value, json};

use super::whole_number;
use crate::failure::Failure;
use crate::inputs::{read_arcs, read_structure, read_tiers};

/// Options of the search.
#[derive(Debug, Args)]
#[command(next_help_heading = "Search")]
pub(crate) struct SearchArgs {
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

    /// Where to start: a modelstring, a file with one, or the JSON of an earlier `learn`. [default: no arcs]
    #[arg(long, value_name = "MODELSTRING|FILE")]
    pub(crate) start: Option<String>,

    /// The most moves, escapes and restarts included. [default: no limit]
    #[arg(long, value_name = "N")]
    pub(crate) max_steps: Option<usize>,

    /// Stop after this many seconds with what was found so far.
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    pub(crate) time_limit: Option<f64>,

    /// Go past optima: make up to this many moves that gain nothing before a better network is found, never back to one of as many
    /// networks before (tabu search); the best one met counts. [default: stop at the first optimum]
    #[arg(long, value_name = "L", default_value_t = 0, hide_default_value = true)]
    pub(crate) tabu: usize,

    /// Turn arcs round together with what their ends then need, after every move and, at an optimum, in equivalent networks drawn at
    /// random, until this many of these in a row led no higher. Mostly ends higher than a plain climb. [default: single moves only, stop
    /// at the first optimum]
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub(crate) escapes: usize,

    /// How often to perturb the best network and climb again.
    #[arg(long, value_name = "K", default_value_t = 0)]
    pub(crate) restarts: usize,

    /// Random moves in each perturbation.
    #[arg(long, value_name = "M", default_value_t = 1)]
    pub(crate) perturb: usize,

    /// How many family scores to remember, 20 to 60 bytes each; fewer take less memory and may take more time. [default: 2000000]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole_number)]
    pub(crate) keep_scores: Option<usize>,

    /// The seed of whatever is random: the escapes, the perturbations and, in `validate`, the folds, in `bootstrap`, what is drawn.
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub(crate) seed: u64,
}

/// A search ready to run.
pub(crate) struct ChosenSearch {
    pub(crate) climb: HillClimb,
    pub(crate) start: Dag,
    pub(crate) time_limit: Option<Duration>,
    pub(crate) settings: Map<String, Value>,
}

impl SearchArgs {
    /// Refuses what is wrong whatever the data are.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        if self.restarts > 0 && self.perturb == 0 {
            return Err(Failure::Call(
                "--perturb 0 would climb the same network again; give --restarts at least --perturb 1"
                    .to_owned(),
            ));
        }
        self.time_limit.map(parse_time_limit).transpose().map(drop)
    }

    /// Reads the constraint files and checks everything against the variables.
    pub(crate) fn choose(&self, schema: &Schema) -> Result<ChosenSearch, Failure> {
        let arcs = |file: &Option<PathBuf>, flag| {
            file.as_ref().map_or(Ok(Vec::new()), |file| read_arcs(file, flag, schema))
        };
        let rules = Rules {
            max_parents: self.max_parents,
            required: arcs(&self.whitelist, "--whitelist")?,
            forbidden: arcs(&self.blacklist, "--blacklist")?,
            tiers: self.tiers.as_ref().map_or(Ok(Vec::new()), |file| read_tiers(file, schema))?,
        };
        let constraints = Constraints::new(schema, &rules)?;
        let start = match &self.start {
            Some(text) => read_structure(text, "--start", &schema.names())?,
            None => Dag::empty(schema.variables().len()),
        };
        let start = constraints.start(&start)?;
        let time_limit = self.time_limit.map(parse_time_limit).transpose()?.flatten();
        let names = |arcs: &[(kinfolk::data::VariableId, kinfolk::data::VariableId)]| {
            let name = |id| schema.variable(id).name.clone();
            arcs.iter().map(|&(from, to)| json!([name(from), name(to)])).collect::<Vec<_>>()
        };
        let tiers: Vec<Vec<&str>> = rules
            .tiers
            .iter()
            .map(|tier| tier.iter().map(|&id| schema.variable(id).name.as_str()).collect())
            .collect();
        let settings = json!({
            "max_parents": self.max_parents,
            "whitelist": names(&rules.required),
            "blacklist": names(&rules.forbidden),
            "tiers": tiers,
            "start": modelstring::format(&start, &schema.names()),
            "max_steps": self.max_steps,
            "time_limit": self.time_limit,
            "tabu": self.tabu,
            "escapes": self.escapes,
            "restarts": self.restarts,
            "perturb": self.perturb,
            "keep_scores": self.keep_scores,
            "seed": self.seed,
        });
        let Value::Object(settings) = settings else { unreachable!("the settings are an object") };
        let climb = HillClimb {
            constraints,
            max_steps: self.max_steps,
            tabu: self.tabu,
            escapes: self.escapes,
            restarts: self.restarts,
            perturb: self.perturb,
            seed: self.seed,
        };
        Ok(ChosenSearch { climb, start, time_limit, settings })
    }
}

/// A number of seconds; so many that no clock counts them are no limit.
fn parse_time_limit(seconds: f64) -> Result<Option<Duration>, Failure> {
    if seconds >= 0.0 {
        Ok(Duration::try_from_secs_f64(seconds).ok())
    } else {
        Err(Failure::Call(format!("--time-limit takes a number of seconds from 0 on, not {seconds}")))
    }
}
