//! The settings of the `kin` score and of tables under its model.

use clap::{Args, ValueEnum};
use kinfolk::laplace::Cells;
use kinfolk::score::{Grid, Kin};
use serde_json::{Map, Value, json};

use crate::failure::Failure;

/// Options of `kin`, for the score and for the tables.
#[derive(Debug, Args)]
#[command(next_help_heading = "Unknown closeness (kin)")]
pub(crate) struct KinArgs {
    /// The values of s over which kin integrates, evenly in ln s. [default: 0.1,0.25,0.5,1,2,5,10,20,50,200,1000,10000]
    #[arg(long, value_name = "S,S,…", value_delimiter = ',', allow_negative_numbers = true)]
    pub(crate) kin_grid: Option<Vec<f64>>,

    /// Do not consider that the data sets may be identical.
    #[arg(long)]
    pub(crate) no_pooled_half: bool,

    /// What the data sets' tables are drawn around. [default: row]
    #[arg(long, value_enum, value_name = "NAME")]
    pub(crate) kin_cells: Option<CellsName>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CellsName {
    /// A centre in every configuration of the parents.
    Row,
    /// One centre over the joint cells of child and parents, as in the model of bhd.
    Joint,
}

impl KinArgs {
    /// The settings, checked.
    pub(crate) fn choose(&self) -> Result<Kin, Failure> {
        let grid = self.kin_grid.clone().map_or_else(|| Ok(Grid::default()), Grid::new)?;
        let cells = match self.kin_cells {
            None | Some(CellsName::Row) => Cells::Row,
            Some(CellsName::Joint) => Cells::Joint,
        };
        Ok(Kin { grid, pooled_half: !self.no_pooled_half, cells })
    }

    /// The first of its options that was given, if any.
    pub(crate) fn given(&self) -> Option<&'static str> {
        let options = [
            ("--kin-grid", self.kin_grid.is_some()),
            ("--no-pooled-half", self.no_pooled_half),
            ("--kin-cells", self.kin_cells.is_some()),
        ];
        options.iter().find(|(_, given)| *given).map(|(flag, _)| *flag)
    }
}

/// The settings for the record of a result.
pub(crate) fn kin_settings(kin: &Kin) -> Map<String, Value> {
    Map::from_iter([
        ("kin_grid".to_owned(), json!(kin.grid)),
        ("pooled_half".to_owned(), json!(kin.pooled_half)),
        ("kin_cells".to_owned(), json!(kin.cells)),
    ])
}
