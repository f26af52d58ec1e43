//! Selects a score: validates its name and options, builds it, and records its settings. The only place that does so.

use std::fmt::{self, Debug, Display};

use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};

use super::options::{KinSpec, OptionError, PriorSpec};
use super::{
    Aic, Bdeu, BdeuSeparate, Bdj, Bds, Bhd, Bic, ImaginarySampleSize, K2, Kin, LogLikelihood, Score,
    StructurePrior, WithStructurePrior,
};
use crate::choice::NamedChoice;
use crate::variational::Prior;

/// All scores, in the order in which help pages list them. A new score is a new row.
static SCORES: [ScoreEntry; 10] = [
    ScoreEntry {
        name: "bhd",
        about: "Bayesian hierarchical Dirichlet: related data sets, with a fixed s",
        options: Options::Prior,
        build: |parts| Box::new(Bhd { prior: parts.prior }),
    },
    ScoreEntry {
        name: "kin",
        about: "Hierarchical with s integrated out: learns for each family how closely the data sets are related",
        options: Options::Kin,
        build: |parts| Box::new(parts.kin),
    },
    ScoreEntry {
        name: "bdeu",
        about: "Bayesian Dirichlet equivalent uniform, all rows pooled",
        options: Options::SampleSize,
        build: |parts| Box::new(Bdeu { iss: parts.iss }),
    },
    ScoreEntry {
        name: "bdeu-separate",
        about: "Sum of the BDeu scores of the data sets: no pooling",
        options: Options::SampleSize,
        build: |parts| Box::new(BdeuSeparate { iss: parts.iss }),
    },
    ScoreEntry {
        name: "bic",
        about: "Bayesian information criterion, pooled",
        options: Options::None,
        build: |_| Box::new(Bic),
    },
    ScoreEntry {
        name: "aic",
        about: "Akaike information criterion, pooled",
        options: Options::None,
        build: |_| Box::new(Aic),
    },
    ScoreEntry {
        name: "loglik",
        about: "Log-likelihood, pooled; never penalises an arc",
        options: Options::None,
        build: |_| Box::new(LogLikelihood),
    },
    ScoreEntry {
        name: "k2",
        about: "K2: a uniform prior in every configuration, pooled",
        options: Options::None,
        build: |_| Box::new(K2),
    },
    ScoreEntry {
        name: "bds",
        about: "Bayesian Dirichlet sparse, pooled",
        options: Options::SampleSize,
        build: |parts| Box::new(Bds { iss: parts.iss }),
    },
    ScoreEntry {
        name: "bdj",
        about: "Bayesian Dirichlet with Jeffreys' prior, pooled",
        options: Options::None,
        build: |_| Box::new(Bdj),
    },
];

/// One score: its name, help text, options and constructor.
struct ScoreEntry {
    name: &'static str,
    about: &'static str,
    options: Options,
    build: fn(Parts) -> Box<dyn Score>,
}

/// The options that a score takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Options {
    /// None.
    None,
    /// The prior of the hierarchical model: [`PriorSpec`].
    Prior,
    /// The model with s integrated out: [`KinSpec`].
    Kin,
    /// The imaginary sample size.
    SampleSize,
}

/// The validated parts of which scores are built.
struct Parts {
    prior: Prior,
    kin: Kin,
    iss: ImaginarySampleSize,
}

/// A score by name.
#[derive(Clone, Copy)]
pub struct ScoreName(&'static ScoreEntry);

impl ScoreName {
    /// BHD, a sum over the data sets.
    pub fn bhd() -> Self {
        Self::known("bhd")
    }

    /// Kin, the default.
    pub fn kin() -> Self {
        Self::known("kin")
    }

    fn known(name: &str) -> Self {
        Self::from_name(name).expect("the table of scores has it")
    }
}

impl NamedChoice for ScoreName {
    fn all() -> impl Iterator<Item = Self> {
        SCORES.iter().map(Self)
    }

    fn name(self) -> &'static str {
        self.0.name
    }

    fn about(self) -> &'static str {
        self.0.about
    }
}

impl Default for ScoreName {
    /// The score used if none is named.
    fn default() -> Self {
        Self::kin()
    }
}

impl PartialEq for ScoreName {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl Eq for ScoreName {}

impl Debug for ScoreName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Display for ScoreName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Serialize for ScoreName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// A score as requested by name and options; by default `kin` with its default settings.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct ScoreSpec {
    /// Its name. If not given: `bhd` if an option of the hierarchical prior is given, otherwise `kin`.
    pub name: Option<ScoreName>,
    /// The prior of the hierarchical model.
    pub prior: PriorSpec,
    /// The model of `kin`.
    pub kin: KinSpec,
    /// The imaginary sample size; 1 if not given.
    pub iss: Option<f64>,
    /// The prior on structures; the score's own if not given.
    pub structure_prior: Option<StructurePrior>,
}

/// A score that is ready to use, with the settings to record in results.
pub struct BuiltScore {
    /// The score.
    pub score: Box<dyn Score>,
    /// Its settings.
    pub settings: Map<String, Value>,
}

impl BuiltScore {
    /// The settings to record: the version, the score's name and its own settings.
    pub fn record(&self) -> Map<String, Value> {
        let mut record = Map::from_iter([
            ("version".to_owned(), json!(env!("CARGO_PKG_VERSION"))),
            ("score_name".to_owned(), json!(self.score.name())),
        ]);
        record.extend(self.settings.clone());
        record
    }
}

impl ScoreSpec {
    /// The score of this name with its default settings.
    pub fn named(name: ScoreName) -> Self {
        Self { name: Some(name), ..Self::default() }
    }

    /// The requested score.
    pub fn score(&self) -> ScoreName {
        self.name.unwrap_or_else(|| {
            if self.prior.given().is_some() { ScoreName::bhd() } else { ScoreName::default() }
        })
    }

    /// Takes options that were not given from recorded settings, unless another score was requested.
    #[must_use]
    pub fn or_recorded(mut self, recorded: &Self) -> Self {
        let by_option =
            self.prior.given().map(|_| ScoreName::bhd()).or(self.kin.given().map(|_| ScoreName::kin()));
        if self.name.or(by_option).is_some_and(|asked| asked != recorded.score()) {
            return self;
        }
        self.name = Some(recorded.score());
        self.prior = self.prior.or_recorded(&recorded.prior);
        self.kin = self.kin.or_recorded(&recorded.kin);
        self.iss = self.iss.or(recorded.iss);
        self.structure_prior = self.structure_prior.or(recorded.structure_prior);
        self
    }

    /// Rejects options that belong to another score; needs no data.
    pub fn check(&self) -> Result<(), OptionError> {
        self.check_owner(Options::Prior, self.prior.given())?;
        self.check_beside_tables()?;
        self.check_owner(Options::SampleSize, self.iss.map(|_| "iss"))
    }

    /// The same check for commands that also estimate hierarchical, pooled and separate tables: their priors are valid
    /// with any score.
    pub fn check_beside_tables(&self) -> Result<(), OptionError> {
        self.check_owner(Options::Kin, self.kin.given())
    }

    fn check_owner(&self, options: Options, given: Option<&'static str>) -> Result<(), OptionError> {
        let score = self.score();
        match given.filter(|_| score.0.options != options) {
            None => Ok(()),
            Some(option) => {
                let owners = SCORES.iter().filter(|row| row.options == options).map(|row| row.name).collect();
                Err(OptionError::Foreign { option, of: "score", owners, chosen: score.name() })
            }
        }
    }

    /// The validated imaginary sample size.
    pub fn iss(&self) -> Result<ImaginarySampleSize, OptionError> {
        Ok(self.iss.map_or_else(|| Ok(ImaginarySampleSize::default()), ImaginarySampleSize::new)?)
    }

    /// Builds the score for this many data sets.
    pub fn build(&self, data_sets: usize) -> Result<BuiltScore, OptionError> {
        let row = self.score().0;
        let (prior, kin, iss) = (self.prior.build(data_sets)?, self.kin.build()?, self.iss()?);
        let mut settings = match row.options {
            Options::None => Map::new(),
            Options::Prior => PriorSpec::settings(prior),
            Options::Kin => KinSpec::settings(&kin),
            Options::SampleSize => sample_size_settings(iss),
        };
        let score = (row.build)(Parts { prior, kin, iss });
        let structure_prior = self.structure_prior.unwrap_or_else(|| score.structure_prior());
        settings.insert("structure_prior".to_owned(), json!(structure_prior));
        Ok(BuiltScore { score: Box::new(WithStructurePrior { score, structure_prior }), settings })
    }
}

/// An imaginary sample size as recorded in results.
pub(crate) fn sample_size_settings(iss: ImaginarySampleSize) -> Map<String, Value> {
    Map::from_iter([("iss".to_owned(), json!(iss.get()))])
}
