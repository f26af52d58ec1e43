//! The prior of the hierarchical model.

use clap::{Args, ValueEnum};
use kinfolk::variational::{Centre, Prior};
use serde_json::{Map, Value, json};

use crate::failure::Failure;

/// Options that set the prior of the hierarchical model, for the score and for the tables.
#[derive(Debug, Args)]
#[command(next_help_heading = "Hierarchical prior (bhd)")]
pub(crate) struct PriorArgs {
    /// The concentration of each data set's table around the centre, per data set. [default: 1]
    #[arg(long, allow_negative_numbers = true, value_name = "S", conflicts_with_all = ["s_total", "prior"])]
    pub(crate) s: Option<f64>,

    /// The same as a total, split evenly over the data sets.
    #[arg(long, allow_negative_numbers = true, value_name = "S", conflicts_with = "prior")]
    pub(crate) s_total: Option<f64>,

    /// The weight of the centre's prior in every cell. [default: 1]
    #[arg(long, allow_negative_numbers = true, value_name = "A", conflicts_with_all = ["s0", "prior"])]
    pub(crate) alpha0: Option<f64>,

    /// The same as a total, spread evenly over the cells of a family.
    #[arg(long, allow_negative_numbers = true, value_name = "T", conflicts_with = "prior")]
    pub(crate) s0: Option<f64>,

    /// A named prior.
    #[arg(long, value_enum, value_name = "NAME")]
    pub(crate) prior: Option<PriorName>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PriorName {
    /// s = 1 per data set, alpha0 = 1 per cell.
    Default,
    /// What the paper's runs used: s-total = 1, alpha0 = 1 per cell.
    Paper,
}

impl PriorArgs {
    /// The prior for this many data sets.
    pub(crate) fn choose(&self, data_sets: usize) -> Result<Prior, Failure> {
        let split = |total: f64| total / data_sets as f64;
        let s = match (self.s, self.s_total, self.prior) {
            (_, _, Some(PriorName::Paper)) => split(1.0),
            (Some(s), _, _) => s,
            (None, Some(total), _) => split(total),
            (None, None, _) => 1.0,
        };
        let centre = match (self.alpha0, self.s0) {
            (None, Some(total)) => Centre::Total(total),
            (alpha0, _) => Centre::PerCell(alpha0.unwrap_or(1.0)),
        };
        Ok(Prior::new(s, centre)?)
    }

    /// The first of its options that was given, if any.
    pub(crate) fn given(&self) -> Option<&'static str> {
        let options = [
            ("--s", self.s.is_some()),
            ("--s-total", self.s_total.is_some()),
            ("--alpha0", self.alpha0.is_some()),
            ("--s0", self.s0.is_some()),
            ("--prior", self.prior.is_some()),
        ];
        options.iter().find(|(_, given)| *given).map(|(flag, _)| *flag)
    }
}

/// A prior for the record of a result.
pub(crate) fn prior_settings(prior: Prior) -> Map<String, Value> {
    let (key, weight) = match prior.centre() {
        Centre::PerCell(alpha0) => ("alpha0", alpha0),
        Centre::Total(total) => ("s0", total),
    };
    Map::from_iter([("s".to_owned(), json!(prior.s())), (key.to_owned(), json!(weight))])
}
