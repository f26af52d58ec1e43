//! The options that choose how probability tables are estimated.

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use kinfolk::estimate::{TableMethod, TableSpec};
use kinfolk::formats::{Recorded, Taken};
use kinfolk::score::NamedChoice;

use super::choice::{listed, one_of};
use super::kin::KinArgs;
use super::prior::PriorArgs;
use crate::failure::Failure;

/// Options that choose a method of estimation.
#[derive(Debug, Args)]
#[command(next_help_heading = "Tables")]
pub(crate) struct MethodArgs {
    /// The estimator of the tables. [default: that of the file of --structure; otherwise hierarchical if an option of
    /// its prior is given, bayes if --iss is given, and kin if neither is]
    #[arg(long, value_name = "NAME", value_parser = one_of::<TableMethod>())]
    pub(crate) method: Option<TableMethod>,

    #[command(flatten)]
    pub(crate) prior: PriorArgs,

    /// bayes: the imaginary sample size. [default: 1]
    #[arg(long, allow_negative_numbers = true, value_name = "ROWS", help_heading = "Tables")]
    pub(crate) iss: Option<f64>,

    #[command(flatten)]
    pub(crate) kin: KinArgs,

    /// The settings of a network file, for options that are not given.
    #[arg(skip)]
    pub(crate) recorded: Recorded,
}

impl MethodArgs {
    /// The specification of the tables, completed by that of the network file, and the settings taken from it.
    pub(crate) fn completed(&self) -> Result<(TableSpec, Vec<Taken>), Failure> {
        let mut spec = TableSpec::default();
        spec.method = self.method;
        spec.prior = self.prior.spec();
        spec.kin = self.kin.spec();
        spec.iss = self.iss;
        Ok(self.recorded.complete_tables(spec)?)
    }
}

/// The tables that `learn` estimates at its end; they use the options of the score.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LearnMethod {
    /// By this method.
    Tables(TableMethod),
    /// No tables: the structure alone.
    None,
}

/// The methods of tables, or none.
pub(super) fn learn_methods() -> impl TypedValueParser<Value = LearnMethod> {
    let none = PossibleValue::new("none").help("No tables: the structure alone");
    PossibleValuesParser::new(listed::<TableMethod>().chain([none]))
        .map(|name: String| TableMethod::from_name(&name).map_or(LearnMethod::None, LearnMethod::Tables))
}
