//! Which score, and its prior.

use clap::{Args, ValueEnum};
use kinfolk::dirichlet::{Centre, Prior};
use kinfolk::score::{
    Aic, Bdeu, BdeuSeparate, Bdj, Bds, Bhd, Bic, ImaginarySampleSize, K2, LogLikelihood, Score,
};
use serde_json::{Map, Value, json};

use crate::failure::Failure;

/// Options that choose a score and its prior.
#[derive(Debug, Args)]
#[command(next_help_heading = "Score")]
pub(crate) struct ScoreArgs {
    /// The score.
    #[arg(long, value_enum, default_value_t = ScoreName::Bhd, value_name = "NAME")]
    pub(crate) score: ScoreName,

    /// bhd: the concentration of each data set's table around the centre, per data set. [default: 1]
    #[arg(long, allow_negative_numbers = true, value_name = "S", conflicts_with_all = ["s_total", "prior"])]
    pub(crate) s: Option<f64>,

    /// bhd: the same as a total, split evenly over the data sets.
    #[arg(long, allow_negative_numbers = true, value_name = "S", conflicts_with = "prior")]
    pub(crate) s_total: Option<f64>,

    /// bhd: the weight of the centre's prior in every cell. [default: 1]
    #[arg(long, allow_negative_numbers = true, value_name = "A", conflicts_with_all = ["s0", "prior"])]
    pub(crate) alpha0: Option<f64>,

    /// bhd: the same as a total, spread evenly over the cells of a family.
    #[arg(long, allow_negative_numbers = true, value_name = "T", conflicts_with = "prior")]
    pub(crate) s0: Option<f64>,

    /// bhd: a named prior.
    #[arg(long, value_enum, value_name = "NAME")]
    pub(crate) prior: Option<PriorName>,

    /// bdeu, bds, bdeu-separate: the imaginary sample size. [default: 1]
    #[arg(long, allow_negative_numbers = true, value_name = "ROWS")]
    pub(crate) iss: Option<f64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ScoreName {
    /// Bayesian hierarchical Dirichlet: data sets are relatives.
    Bhd,
    /// Bayesian Dirichlet equivalent uniform, all rows pooled.
    Bdeu,
    /// BDeu of each data set alone, added up: no pooling.
    BdeuSeparate,
    /// Bayesian information criterion, pooled.
    Bic,
    /// Akaike information criterion, pooled.
    Aic,
    /// Log-likelihood, pooled; never penalises an arc.
    Loglik,
    /// K2: a uniform prior in every configuration, pooled.
    K2,
    /// Bayesian Dirichlet sparse, pooled.
    Bds,
    /// Bayesian Dirichlet with Jeffreys' prior, pooled.
    Bdj,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PriorName {
    /// s = 1 per data set, alpha0 = 1 per cell.
    Default,
    /// What the paper's runs used: s-total = 1, alpha0 = 1 per cell.
    Paper,
}

/// A score ready to use, and what it was made of.
pub(crate) struct ChosenScore {
    pub(crate) score: Box<dyn Score>,
    pub(crate) settings: Map<String, Value>,
}

impl ScoreArgs {
    /// Makes the score for this many data sets.
    pub(crate) fn choose(&self, data_sets: usize) -> Result<ChosenScore, Failure> {
        let iss = ImaginarySampleSize::new(self.iss.unwrap_or(1.0))?;
        let mut settings = Map::new();
        let score: Box<dyn Score> = match self.score {
            ScoreName::Bhd => {
                let prior = self.hierarchical_prior(data_sets)?;
                settings.insert("s".to_owned(), json!(prior.s()));
                match prior.centre() {
                    Centre::PerCell(alpha0) => settings.insert("alpha0".to_owned(), json!(alpha0)),
                    Centre::Total(total) => settings.insert("s0".to_owned(), json!(total)),
                };
                Box::new(Bhd { prior })
            }
            ScoreName::Bdeu => Box::new(Bdeu { iss }),
            ScoreName::BdeuSeparate => Box::new(BdeuSeparate { iss }),
            ScoreName::Bds => Box::new(Bds { iss }),
            ScoreName::Bic => Box::new(Bic),
            ScoreName::Aic => Box::new(Aic),
            ScoreName::Loglik => Box::new(LogLikelihood),
            ScoreName::K2 => Box::new(K2),
            ScoreName::Bdj => Box::new(Bdj),
        };
        if self.takes_sample_size() {
            settings.insert("iss".to_owned(), json!(iss.get()));
        }
        Ok(ChosenScore { score, settings })
    }

    fn hierarchical_prior(&self, data_sets: usize) -> Result<Prior, Failure> {
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

    fn takes_sample_size(&self) -> bool {
        matches!(self.score, ScoreName::Bdeu | ScoreName::Bds | ScoreName::BdeuSeparate)
    }

    /// Refuses options that belong to another score; this needs no data.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        let name =
            self.score.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default();
        let hierarchical = [
            ("--s", self.s.is_some()),
            ("--s-total", self.s_total.is_some()),
            ("--alpha0", self.alpha0.is_some()),
            ("--s0", self.s0.is_some()),
            ("--prior", self.prior.is_some()),
        ];
        if let Some((flag, _)) = hierarchical.iter().find(|(_, given)| *given && self.score != ScoreName::Bhd)
        {
            return Err(Failure::Call(format!(
                "{flag} belongs to --score bhd and means nothing to {name}; leave it out"
            )));
        }
        if self.iss.is_some() && !self.takes_sample_size() {
            return Err(Failure::Call(format!(
                "--iss belongs to --score bdeu, bds and bdeu-separate and means nothing to {name}; leave it out"
            )));
        }
        Ok(())
    }
}
