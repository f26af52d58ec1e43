//! How probability tables are estimated.

use clap::{Args, ValueEnum};
use kinfolk::estimate::Method;
use kinfolk::score::ImaginarySampleSize;
use serde_json::{Map, Value, json};

use super::prior::{PriorArgs, prior_settings};
use crate::failure::Failure;

/// Options that choose a method of estimation.
#[derive(Debug, Args)]
#[command(next_help_heading = "Tables")]
pub(crate) struct MethodArgs {
    /// How probabilities are estimated.
    #[arg(long, value_enum, default_value_t = MethodName::Hierarchical, value_name = "NAME")]
    pub(crate) method: MethodName,

    #[command(flatten)]
    pub(crate) prior: PriorArgs,

    /// bayes: the imaginary sample size. [default: 1]
    #[arg(long, allow_negative_numbers = true, value_name = "ROWS", help_heading = "Tables")]
    pub(crate) iss: Option<f64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum MethodName {
    /// Each data set drawn towards the common centre.
    Hierarchical,
    /// Each data set alone, with an imaginary sample.
    Bayes,
    /// Each data set alone: maximum likelihood.
    #[value(alias = "ml")]
    Mle,
}

impl MethodArgs {
    /// The method for this many data sets, with what is to be recorded of it.
    pub(crate) fn choose(&self, data_sets: usize) -> Result<(Method, Map<String, Value>), Failure> {
        let mut settings = Map::from_iter([("method".to_owned(), json!(self.name()))]);
        let method = match self.method {
            MethodName::Hierarchical => {
                let prior = self.prior.choose(data_sets)?;
                settings.extend(prior_settings(prior));
                Method::Hierarchical(prior)
            }
            MethodName::Bayes => {
                let iss = ImaginarySampleSize::new(self.iss.unwrap_or(1.0))?;
                settings.insert("iss".to_owned(), json!(iss.get()));
                Method::Bayes(iss)
            }
            MethodName::Mle => Method::MaximumLikelihood,
        };
        Ok((method, settings))
    }

    /// Refuses options that belong to another method; this needs no data.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        let foreign = match self.method {
            MethodName::Hierarchical => self.iss.map(|_| ("--iss", "bayes")),
            MethodName::Bayes => self.prior.given().map(|flag| (flag, "hierarchical")),
            MethodName::Mle => {
                let iss = self.iss.map(|_| ("--iss", "bayes"));
                self.prior.given().map(|flag| (flag, "hierarchical")).or(iss)
            }
        };
        foreign.map_or(Ok(()), |(flag, owner)| {
            let name = self.name();
            Err(Failure::Call(format!(
                "{flag} belongs to --method {owner} and means nothing to {name}; leave it out"
            )))
        })
    }

    fn name(&self) -> String {
        self.method.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
    }
}
