//! Specification of the estimator: a method by name, its options, and the default method for each score.

use std::fmt::{self, Display};

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::Method;
use crate::score::{
    ImaginarySampleSize, KinSpec, NamedChoice, OptionError, PriorSpec, ScoreName, ScoreSpec,
    sample_size_settings,
};

/// An estimation method by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum TableMethod {
    /// [`Method::Hierarchical`].
    Hierarchical,
    /// [`Method::Kin`].
    Kin,
    /// [`Method::Bayes`].
    Bayes,
    /// [`Method::MaximumLikelihood`].
    Mle,
}

impl NamedChoice for TableMethod {
    fn all() -> impl Iterator<Item = Self> {
        [Self::Hierarchical, Self::Kin, Self::Bayes, Self::Mle].into_iter()
    }

    fn name(self) -> &'static str {
        match self {
            Self::Hierarchical => "hierarchical",
            Self::Kin => "kin",
            Self::Bayes => "bayes",
            Self::Mle => "mle",
        }
    }

    fn about(self) -> &'static str {
        match self {
            Self::Hierarchical => "Each data set shrunk towards the common centre, with a fixed s",
            Self::Kin => {
                "Each data set shrunk towards the common centre, with s integrated out for each family"
            }
            Self::Bayes => "Each data set alone, with a Dirichlet prior",
            Self::Mle => "Each data set alone: maximum likelihood",
        }
    }

    fn aliases(self) -> &'static [&'static str] {
        if self == Self::Mle { &["ml"] } else { &[] }
    }
}

impl TableMethod {
    /// The default method for a score: that of its own model, or the hierarchical method if the score has none.
    pub fn of_score(score: ScoreName) -> Self {
        if score == ScoreName::kin() { Self::Kin } else { Self::Hierarchical }
    }
}

impl Display for TableMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The requested tables. The default is the method of the default score.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct TableSpec {
    /// The method. If `None`, an option of the hierarchical prior selects the hierarchical method and an imaginary sample size
    /// the Bayesian one; otherwise [`Self::score`] determines it.
    pub method: Option<TableMethod>,
    /// The score that the structure was learned with; the default score if unknown.
    pub score: ScoreName,
    /// The prior of the hierarchical model.
    pub prior: PriorSpec,
    /// The model of `kin`.
    pub kin: KinSpec,
    /// The imaginary sample size; 1 by default.
    pub iss: Option<f64>,
}

impl TableSpec {
    /// The tables after a search with this score, which also supplies the options that belong to their method. Without a method, the
    /// score determines it.
    pub fn after_search(score: &ScoreSpec, method: Option<TableMethod>) -> Self {
        let method = method.unwrap_or_else(|| TableMethod::of_score(score.score()));
        let mut spec = Self { method: Some(method), score: score.score(), ..Self::default() };
        match method {
            TableMethod::Hierarchical => spec.prior = score.prior,
            TableMethod::Kin => spec.kin = score.kin.clone(),
            TableMethod::Bayes => spec.iss = score.iss,
            TableMethod::Mle => {}
        }
        spec
    }

    /// Takes options that were not given from recorded settings. If another method was requested, only the score is
    /// taken.
    #[must_use]
    pub fn or_recorded(mut self, recorded: &Self) -> Self {
        self.score = recorded.score;
        let asks = self.method.is_some()
            || self.prior.given().is_some()
            || self.kin.given().is_some()
            || self.iss.is_some();
        if asks && self.chosen() != recorded.chosen() {
            return self;
        }
        self.method = Some(recorded.chosen());
        self.prior = self.prior.or_recorded(&recorded.prior);
        self.kin = self.kin.or_recorded(&recorded.kin);
        self.iss = self.iss.or(recorded.iss);
        self
    }

    /// The selected method.
    pub fn chosen(&self) -> TableMethod {
        self.method.unwrap_or_else(|| match (self.prior.given(), self.kin.given(), self.iss) {
            (Some(_), _, _) => TableMethod::Hierarchical,
            (None, Some(_), _) => TableMethod::Kin,
            (None, None, Some(_)) => TableMethod::Bayes,
            (None, None, None) => TableMethod::of_score(self.score),
        })
    }

    /// Rejects options of another method. This needs no data.
    pub fn check(&self) -> Result<(), OptionError> {
        let chosen = self.chosen();
        let given = [
            (self.prior.given(), TableMethod::Hierarchical),
            (self.iss.map(|_| "iss"), TableMethod::Bayes),
            (self.kin.given(), TableMethod::Kin),
        ];
        for (option, owner) in given {
            if let Some(option) = option.filter(|_| owner != chosen) {
                let owners = vec![owner.name()];
                return Err(OptionError::Foreign { option, of: "method", owners, chosen: chosen.name() });
            }
        }
        Ok(())
    }

    /// The method for this number of data sets, and its settings for the result.
    pub fn build(&self, data_sets: usize) -> Result<(Method, Map<String, Value>), OptionError> {
        let chosen = self.chosen();
        let (method, settings) = match chosen {
            TableMethod::Hierarchical => {
                let prior = self.prior.build(data_sets)?;
                (Method::Hierarchical(prior), PriorSpec::settings(prior))
            }
            TableMethod::Kin => {
                let kin = self.kin.build()?;
                let settings = KinSpec::settings(&kin);
                (Method::Kin(kin), settings)
            }
            TableMethod::Bayes => {
                let iss =
                    self.iss.map_or_else(|| Ok(ImaginarySampleSize::default()), ImaginarySampleSize::new)?;
                (Method::Bayes(iss), sample_size_settings(iss))
            }
            TableMethod::Mle => (Method::MaximumLikelihood, Map::new()),
        };
        let mut all = Map::from_iter([("method".to_owned(), json!(chosen))]);
        all.extend(settings);
        Ok((method, all))
    }
}
