//! Options that scores and tables share: the hierarchical prior, the model of kin, and their validation.

use serde_json::{Map, Value, json};
use thiserror::Error;

use super::{Grid, GridError, Kin, SampleSizeError, StructurePrior};
use crate::choice::named_choice;
use crate::laplace::Cells;
use crate::remedy::{Actionable, Neutral, Wording};
use crate::variational::{Centre, Prior, PriorError};

named_choice!(StructurePrior {
    Uniform: "uniform", "Uniform over structures: nothing is added to the score";
    Size: "size", "Uniform over the number of parents, then over sets of that size: favours fewer arcs";
});

named_choice!(Cells {
    Row: "row", "One centre for each configuration of the parents";
    Joint: "joint", "One centre over the joint cells of child and parents, as in bhd";
});

/// Options that contradict each other, belong to another choice, or have invalid values.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum OptionError {
    /// An option that does not belong to the chosen score or method.
    #[error("{}", self.problem(&Neutral))]
    Foreign {
        /// The option's name.
        option: &'static str,
        /// The kind of choice: `score` or `method`.
        of: &'static str,
        /// The choices that take the option.
        owners: Vec<&'static str>,
        /// The choice that does not.
        chosen: &'static str,
    },
    /// Two options that set the same quantity.
    #[error("{}", self.problem(&Neutral))]
    Twice(&'static str, &'static str),
    /// An option in addition to a named prior.
    #[error("{}", self.problem(&Neutral))]
    BesideNamedPrior(&'static str),
    /// An invalid prior.
    #[error(transparent)]
    Prior(#[from] PriorError),
    /// An invalid grid.
    #[error(transparent)]
    Grid(#[from] GridError),
    /// An invalid sample size.
    #[error(transparent)]
    SampleSize(#[from] SampleSizeError),
}

impl Actionable for OptionError {
    fn problem(&self, words: &dyn Wording) -> String {
        let name = |option: &str| words.option(option, "");
        match self {
            Self::Foreign { option, of, owners, chosen } => format!(
                "{} belongs to {} {} and does not apply to {chosen}; leave it out",
                name(option),
                name(of),
                listed(owners)
            ),
            Self::Twice(one, other) => {
                format!("{} and {} set the same quantity; give only one of them", name(one), name(other))
            }
            Self::BesideNamedPrior(option) => format!(
                "{} sets the whole prior, so {} cannot be given as well; leave one of them out",
                name("prior"),
                name(option)
            ),
            Self::Prior(error) => error.message(words),
            Self::Grid(error) => error.message(words),
            Self::SampleSize(error) => error.message(words),
        }
    }
}

/// The names as part of a sentence: `a, b and c`.
fn listed(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [only] => (*only).to_owned(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// The first option that was given, if any.
fn first_given<const N: usize>(options: [(&'static str, bool); N]) -> Option<&'static str> {
    options.into_iter().find(|(_, given)| *given).map(|(option, _)| option)
}

/// A prior of the hierarchical model by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NamedPrior {
    /// s = 1 per data set, α0 = 1 per cell.
    Default,
    /// The prior of the paper's experiments: a total s of 1, split over the data sets, and α0 = 1 per cell.
    Paper,
}

named_choice!(NamedPrior {
    Default: "default", "s = 1 per data set, alpha0 = 1 per cell";
    Paper: "paper", "The prior of the paper: s-total = 1, alpha0 = 1 per cell";
});

/// The prior of the hierarchical model, as options.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct PriorSpec {
    /// The concentration of each data set's table around the centre, per data set; 1 if not given.
    pub s: Option<f64>,
    /// The same as a total, split evenly over the data sets.
    pub s_total: Option<f64>,
    /// The weight of the centre's prior in every cell; 1 if not given.
    pub alpha0: Option<f64>,
    /// The same as a total, spread evenly over the cells of a family.
    pub s0: Option<f64>,
    /// A named prior; excludes the other options.
    pub prior: Option<NamedPrior>,
}

impl PriorSpec {
    /// The first of its options that was given, if any.
    pub fn given(&self) -> Option<&'static str> {
        first_given([
            ("s", self.s.is_some()),
            ("s_total", self.s_total.is_some()),
            ("alpha0", self.alpha0.is_some()),
            ("s0", self.s0.is_some()),
            ("prior", self.prior.is_some()),
        ])
    }

    /// Takes options that were not given from recorded settings. A named prior is complete.
    #[must_use]
    pub fn or_recorded(mut self, recorded: &Self) -> Self {
        if self.prior.is_some() {
            return self;
        }
        if self.s.is_none() && self.s_total.is_none() {
            (self.s, self.s_total) = (recorded.s, recorded.s_total);
        }
        if self.alpha0.is_none() && self.s0.is_none() {
            (self.alpha0, self.s0) = (recorded.alpha0, recorded.s0);
        }
        self
    }

    /// The prior for this many data sets.
    pub fn build(&self, data_sets: usize) -> Result<Prior, OptionError> {
        if self.s.is_some() && self.s_total.is_some() {
            return Err(OptionError::Twice("s", "s_total"));
        }
        if self.alpha0.is_some() && self.s0.is_some() {
            return Err(OptionError::Twice("alpha0", "s0"));
        }
        let alone = Self { prior: None, ..*self };
        if let (Some(_), Some(option)) = (self.prior, alone.given()) {
            return Err(OptionError::BesideNamedPrior(option));
        }
        let split = |total: f64| total / data_sets as f64;
        let s = match (self.prior, self.s, self.s_total) {
            (Some(NamedPrior::Paper), _, _) => split(1.0),
            (_, Some(s), _) => s,
            (_, None, Some(total)) => split(total),
            (_, None, None) => 1.0,
        };
        let centre = match (self.alpha0, self.s0) {
            (None, Some(total)) => Centre::Total(total),
            (alpha0, _) => Centre::PerCell(alpha0.unwrap_or(1.0)),
        };
        Ok(Prior::new(s, centre)?)
    }

    /// The prior as recorded in results.
    pub fn settings(prior: Prior) -> Map<String, Value> {
        let (key, weight) = match prior.centre() {
            Centre::PerCell(alpha0) => ("alpha0", alpha0),
            Centre::Total(total) => ("s0", total),
        };
        Map::from_iter([("s".to_owned(), json!(prior.s())), (key.to_owned(), json!(weight))])
    }
}

/// The model of kin, as options.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct KinSpec {
    /// The values of s; the default grid if not given.
    pub grid: Option<Vec<f64>>,
    /// Whether identical data sets have prior probability one half; true if not given.
    pub pooled_half: Option<bool>,
    /// The cells over which a centre is defined; one centre per configuration if not given.
    pub cells: Option<Cells>,
}

impl KinSpec {
    /// The first of its options that was given, if any.
    pub fn given(&self) -> Option<&'static str> {
        first_given([
            ("kin_grid", self.grid.is_some()),
            ("pooled_half", self.pooled_half.is_some()),
            ("kin_cells", self.cells.is_some()),
        ])
    }

    /// Takes options that were not given from recorded settings.
    #[must_use]
    pub fn or_recorded(self, recorded: &Self) -> Self {
        Self {
            grid: self.grid.or_else(|| recorded.grid.clone()),
            pooled_half: self.pooled_half.or(recorded.pooled_half),
            cells: self.cells.or(recorded.cells),
        }
    }

    /// The validated model.
    pub fn build(&self) -> Result<Kin, OptionError> {
        let grid = self.grid.clone().map_or_else(|| Ok(Grid::default()), Grid::new)?;
        Ok(Kin { grid, pooled_half: self.pooled_half.unwrap_or(true), cells: self.cells.unwrap_or_default() })
    }

    /// The model as recorded in results.
    pub fn settings(kin: &Kin) -> Map<String, Value> {
        Map::from_iter([
            ("kin_grid".to_owned(), json!(kin.grid)),
            ("pooled_half".to_owned(), json!(kin.pooled_half)),
            ("kin_cells".to_owned(), json!(kin.cells)),
        ])
    }
}
