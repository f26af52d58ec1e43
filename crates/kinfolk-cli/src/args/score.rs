//! Which score, and its prior.

use clap::{Args, ValueEnum};
use kinfolk::score::{
    Aic, Bdeu, BdeuSeparate, Bdj, Bds, Bhd, Bic, ImaginarySampleSize, K2, LogLikelihood, Score,
    StructurePrior, WithStructurePrior,
};
use serde_json::{Map, Value, json};

use super::kin::{KinArgs, kin_settings};
use super::prior::{PriorArgs, prior_settings};
use crate::failure::Failure;

/// Options that choose a score and its prior.
#[derive(Debug, Args)]
#[command(next_help_heading = "Score")]
pub(crate) struct ScoreArgs {
    /// The score. [default: kin; bhd if one of the options of its prior is given]
    #[arg(long, value_enum, value_name = "NAME")]
    pub(crate) score: Option<ScoreName>,

    #[command(flatten)]
    pub(crate) prior: PriorArgs,

    /// bdeu, bds, bdeu-separate: the imaginary sample size. [default: 1]
    #[arg(long, allow_negative_numbers = true, value_name = "ROWS")]
    pub(crate) iss: Option<f64>,

    #[command(flatten)]
    pub(crate) kin: KinArgs,

    /// What is believed of the number of parents before any data are seen. [default: size for kin, uniform otherwise]
    #[arg(long, value_enum, value_name = "NAME", help_heading = "Score")]
    pub(crate) structure_prior: Option<StructurePriorName>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum StructurePriorName {
    /// Every structure alike: nothing is added to the score.
    Uniform,
    /// Every number of parents alike, then every set of that many: fewer arcs.
    Size,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ScoreName {
    /// Bayesian hierarchical Dirichlet: data sets are relatives.
    Bhd,
    /// Hierarchical with s integrated out: how related the data sets are is learned, family by family.
    Kin,
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

/// A score ready to use, and what it was made of.
pub(crate) struct ChosenScore {
    pub(crate) score: Box<dyn Score>,
    pub(crate) settings: Map<String, Value>,
}

impl ScoreArgs {
    /// The score asked for; a prior of BHD alone asks for BHD.
    pub(crate) fn which(&self) -> ScoreName {
        self.score.unwrap_or(if self.prior.given().is_some() { ScoreName::Bhd } else { ScoreName::Kin })
    }

    /// Makes the score for this many data sets.
    pub(crate) fn choose(&self, data_sets: usize) -> Result<ChosenScore, Failure> {
        self.make(self.which(), data_sets)
    }

    /// The score asked for, and otherwise BHD: where a sum over the data sets is wanted, or rows are repeated.
    pub(crate) fn choose_or_bhd(&self, data_sets: usize) -> Result<ChosenScore, Failure> {
        self.make(self.which_or_bhd(), data_sets)
    }

    /// The name of the score that [`Self::choose_or_bhd`] makes.
    pub(crate) fn which_or_bhd(&self) -> ScoreName {
        let asked = self.score.is_some() || self.kin.given().is_some();
        if asked { self.which() } else { ScoreName::Bhd }
    }

    fn make(&self, name: ScoreName, data_sets: usize) -> Result<ChosenScore, Failure> {
        let iss = ImaginarySampleSize::new(self.iss.unwrap_or(1.0))?;
        let mut settings = Map::new();
        let score: Box<dyn Score> = match name {
            ScoreName::Bhd => {
                let prior = self.prior.choose(data_sets)?;
                settings.extend(prior_settings(prior));
                Box::new(Bhd { prior })
            }
            ScoreName::Kin => {
                let kin = self.kin.choose()?;
                settings.extend(kin_settings(&kin));
                Box::new(kin)
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
        if Self::takes_sample_size(name) {
            settings.insert("iss".to_owned(), json!(iss.get()));
        }
        let structure_prior = match self.structure_prior {
            None => score.structure_prior(),
            Some(StructurePriorName::Uniform) => StructurePrior::Uniform,
            Some(StructurePriorName::Size) => StructurePrior::Size,
        };
        settings.insert("structure_prior".to_owned(), json!(structure_prior));
        let score = Box::new(WithStructurePrior { score, structure_prior });
        Ok(ChosenScore { score, settings })
    }

    fn takes_sample_size(name: ScoreName) -> bool {
        matches!(name, ScoreName::Bdeu | ScoreName::Bds | ScoreName::BdeuSeparate)
    }

    /// Refuses options that belong to another score; this needs no data.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        let name = self.name();
        if let Some(flag) = self.prior.given().filter(|_| self.which() != ScoreName::Bhd) {
            return Err(Failure::Call(format!(
                "{flag} belongs to --score bhd and means nothing to {name}; leave it out"
            )));
        }
        self.check_kin()?;
        if self.iss.is_some() && !Self::takes_sample_size(self.which()) {
            return Err(Failure::Call(format!(
                "--iss belongs to --score bdeu, bds and bdeu-separate and means nothing to {name}; leave it out"
            )));
        }
        Ok(())
    }

    /// Refuses options of `kin` with another score.
    pub(crate) fn check_kin(&self) -> Result<(), Failure> {
        match self.kin.given().filter(|_| self.which() != ScoreName::Kin) {
            None => Ok(()),
            Some(flag) => Err(Failure::Call(format!(
                "{flag} belongs to --score kin and means nothing to {}; leave it out",
                self.name()
            ))),
        }
    }

    fn name(&self) -> String {
        self.which().to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
    }
}
