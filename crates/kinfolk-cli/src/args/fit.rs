//! How probability tables are estimated.

use clap::{Args, ValueEnum};
use kinfolk::estimate::Method;
use kinfolk::score::ImaginarySampleSize;
use serde_json::{Map, Value, json};

use super::ScoreArgs;
use super::kin::{KinArgs, kin_settings};
use super::prior::{PriorArgs, prior_settings};
use super::score::ScoreName;
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

    #[command(flatten)]
    pub(crate) kin: KinArgs,
}

/// A method ready to use, and what is to be recorded of it.
pub(crate) type ChosenMethod = (Method, Map<String, Value>);

/// How the tables at the end of `learn` are estimated; the score's own prior is theirs too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LearnMethod {
    /// Each data set drawn towards the common centre.
    Hierarchical,
    /// The same, as closely as the data of each family say.
    Kin,
    /// Each data set alone, with an imaginary sample.
    Bayes,
    /// Each data set alone: maximum likelihood.
    Mle,
    /// No tables: the structure alone.
    None,
}

impl LearnMethod {
    /// The method for this score and this many data sets, with what is to be recorded of it; nothing if no tables are wanted.
    pub(crate) fn choose(
        chosen: Option<Self>,
        (name, score): (ScoreName, &ScoreArgs),
        data_sets: usize,
    ) -> Result<Option<ChosenMethod>, Failure> {
        let own = if name == ScoreName::Kin { Self::Kin } else { Self::Hierarchical };
        let method = match chosen.unwrap_or(own) {
            Self::Kin => Method::Kin(score.kin.choose()?),
            Self::Hierarchical => Method::Hierarchical(score.prior.choose(data_sets)?),
            Self::Bayes => Method::Bayes(ImaginarySampleSize::new(score.iss.unwrap_or(1.0))?),
            Self::Mle => Method::MaximumLikelihood,
            Self::None => return Ok(None),
        };
        let settings = method_settings(&method);
        Ok(Some((method, settings)))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum MethodName {
    /// Each data set drawn towards the common centre.
    Hierarchical,
    /// The same, as closely as the data of each family say.
    Kin,
    /// Each data set alone, with an imaginary sample.
    Bayes,
    /// Each data set alone: maximum likelihood.
    #[value(alias = "ml")]
    Mle,
}

impl MethodArgs {
    /// The method for this many data sets, with what is to be recorded of it.
    pub(crate) fn choose(&self, data_sets: usize) -> Result<ChosenMethod, Failure> {
        let method = match self.method {
            MethodName::Kin => Method::Kin(self.kin.choose()?),
            MethodName::Hierarchical => Method::Hierarchical(self.prior.choose(data_sets)?),
            MethodName::Bayes => Method::Bayes(ImaginarySampleSize::new(self.iss.unwrap_or(1.0))?),
            MethodName::Mle => Method::MaximumLikelihood,
        };
        let settings = method_settings(&method);
        Ok((method, settings))
    }

    /// Refuses options that belong to another method; this needs no data.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        let given = [
            (self.prior.given(), MethodName::Hierarchical, "hierarchical"),
            (self.iss.map(|_| "--iss"), MethodName::Bayes, "bayes"),
            (self.kin.given(), MethodName::Kin, "kin"),
        ];
        let foreign = given
            .into_iter()
            .find_map(|(flag, owner, name)| flag.filter(|_| owner != self.method).map(|flag| (flag, name)));
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

/// A method for the record of a result.
fn method_settings(method: &Method) -> Map<String, Value> {
    let (name, settings) = match method {
        Method::Hierarchical(prior) => ("hierarchical", prior_settings(*prior)),
        Method::Kin(kin) => ("kin", kin_settings(kin)),
        Method::Bayes(iss) => ("bayes", Map::from_iter([("iss".to_owned(), json!(iss.get()))])),
        Method::MaximumLikelihood => ("mle", Map::new()),
    };
    let mut all = Map::from_iter([("method".to_owned(), json!(name))]);
    all.extend(settings);
    all
}
