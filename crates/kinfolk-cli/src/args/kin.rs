//! The options of the `kin` score and of tables estimated under its model.

use clap::Args;
use kinfolk::score::{Cells, KinSpec};

use super::choice::one_of;

/// Options of `kin`, for the score and for the tables.
#[derive(Debug, Args)]
#[command(next_help_heading = "Concentration s integrated out (kin)")]
pub(crate) struct KinArgs {
    /// The grid of s over which kin integrates, with a prior that is uniform in ln s. [default: 0.1,0.25,0.5,1,2,5,10,20,50,200,1000,10000]
    #[arg(long, value_name = "S,S,…", value_delimiter = ',', allow_negative_numbers = true)]
    pub(crate) kin_grid: Option<Vec<f64>>,

    /// Exclude the hypothesis that the data sets are identical.
    #[arg(long)]
    pub(crate) no_pooled_half: bool,

    /// What the common centre describes: the distribution of each parent configuration (row), or of the whole table (joint).
    /// [default: row]
    #[arg(long, value_name = "NAME", value_parser = one_of::<Cells>())]
    pub(crate) kin_cells: Option<Cells>,
}

impl KinArgs {
    /// The specification of kin.
    pub(crate) fn spec(&self) -> KinSpec {
        KinSpec {
            grid: self.kin_grid.clone(),
            pooled_half: self.no_pooled_half.then_some(false),
            cells: self.kin_cells,
        }
    }
}
