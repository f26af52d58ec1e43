//! The options of the hierarchical prior.

use clap::Args;
use kinfolk::score::{NamedPrior, PriorSpec};

use super::choice::one_of;

/// Options that set the prior of the hierarchical model, for the score and for the tables.
#[derive(Debug, Args)]
#[command(next_help_heading = "Hierarchical prior (bhd)")]
pub(crate) struct PriorArgs {
    /// The concentration s of each data set's table around the centre. [default: 1]
    #[arg(long, allow_negative_numbers = true, value_name = "S", conflicts_with_all = ["s_total", "prior"])]
    pub(crate) s: Option<f64>,

    /// The concentration as a total, split evenly over the data sets.
    #[arg(long, allow_negative_numbers = true, value_name = "S", conflicts_with = "prior")]
    pub(crate) s_total: Option<f64>,

    /// The Dirichlet parameter of the centre's prior in every cell. [default: 1]
    #[arg(long, allow_negative_numbers = true, value_name = "A", conflicts_with_all = ["s0", "prior"])]
    pub(crate) alpha0: Option<f64>,

    /// The parameter of the centre's prior as a total, split evenly over the cells of a family.
    #[arg(long, allow_negative_numbers = true, value_name = "T", conflicts_with = "prior")]
    pub(crate) s0: Option<f64>,

    /// A named prior.
    #[arg(long, value_name = "NAME", value_parser = one_of::<NamedPrior>())]
    pub(crate) prior: Option<NamedPrior>,
}

impl PriorArgs {
    /// The specification of the prior.
    pub(crate) fn spec(&self) -> PriorSpec {
        let Self { s, s_total, alpha0, s0, prior } = *self;
        PriorSpec { s, s_total, alpha0, s0, prior }
    }
}
