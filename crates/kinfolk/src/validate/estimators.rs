//! The estimators of tables that a validation compares, as options request them.

use serde_json::{Map, Value, json};

use crate::estimate::TableMethod;
use crate::score::{ImaginarySampleSize, Kin, NamedChoice, OptionError, PriorSpec, ScoreSpec};
use crate::variational::Prior;

/// The estimator of the tables of related data sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RelatedMethod {
    /// With a fixed concentration s.
    Hierarchical,
    /// With a concentration that is integrated out for each family.
    Kin,
}

impl NamedChoice for RelatedMethod {
    fn all() -> impl Iterator<Item = Self> {
        [Self::Hierarchical, Self::Kin].into_iter()
    }

    fn name(self) -> &'static str {
        match self {
            Self::Hierarchical => TableMethod::Hierarchical.name(),
            Self::Kin => TableMethod::Kin.name(),
        }
    }

    fn about(self) -> &'static str {
        match self {
            Self::Hierarchical => TableMethod::Hierarchical.about(),
            Self::Kin => TableMethod::Kin.about(),
        }
    }
}

/// The estimators that are compared: fields of [`super::Validate`].
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Estimators {
    /// The prior of hierarchical tables.
    pub prior: Prior,
    /// The model of kin, if it estimates the tables of related data sets.
    pub kin: Option<Kin>,
    /// The imaginary sample size of the pooled and separate rivals with the usual prior, if they are compared.
    pub iss: Option<ImaginarySampleSize>,
}

impl Estimators {
    /// Chooses the estimators for this many data sets. Without a `method`, an option of the hierarchical prior selects hierarchical
    /// tables and kin is the default. The iss rivals are compared on request (`iss_rivals`), if an imaginary sample size is given,
    /// and if kin, which has no weight to tune, is to be compared with tuned weights (`tune`).
    pub fn choose(
        spec: &ScoreSpec,
        data_sets: usize,
        method: Option<RelatedMethod>,
        (iss_rivals, tune): (bool, bool),
    ) -> Result<Self, OptionError> {
        spec.check_beside_tables()?;
        let by_prior = spec.prior.given().map(|_| RelatedMethod::Hierarchical);
        let is_kin = method.or(by_prior).unwrap_or(RelatedMethod::Kin) == RelatedMethod::Kin;
        let compares_iss = iss_rivals || spec.iss.is_some() || (tune && is_kin);
        Ok(Self {
            prior: spec.prior.build(data_sets)?,
            kin: is_kin.then(|| spec.kin.build()).transpose()?,
            iss: compares_iss.then(|| spec.iss()).transpose()?,
        })
    }

    /// The settings to record.
    pub fn settings(&self) -> Map<String, Value> {
        let method = if self.kin.is_some() { RelatedMethod::Kin } else { RelatedMethod::Hierarchical };
        let mut settings = Map::from_iter([("method".to_owned(), json!(method.name()))]);
        if self.kin.is_none() {
            settings.extend(PriorSpec::settings(self.prior));
        }
        settings.extend(self.iss.map(|iss| ("iss".to_owned(), json!(iss.get()))));
        settings
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kin_is_the_default_and_an_option_of_the_prior_selects_hierarchical() {
        let chosen = |s: Option<f64>, method| {
            let mut spec = ScoreSpec::default();
            spec.prior.s = s;
            Estimators::choose(&spec, 3, method, (false, false)).unwrap()
        };
        assert!(chosen(None, None).kin.is_some());
        assert!(chosen(Some(2.0), None).kin.is_none());
        assert!(chosen(Some(2.0), Some(RelatedMethod::Kin)).kin.is_some());
        assert_eq!(chosen(Some(2.0), None).settings()["s"], json!(2.0));
        assert_eq!(chosen(None, None).settings(), Map::from_iter([("method".to_owned(), json!("kin"))]));
    }

    #[test]
    fn iss_rivals_are_compared_on_request_with_iss_and_when_kin_is_tuned() {
        let compares = |iss: Option<f64>, method, rivals, tune| {
            let spec = ScoreSpec { iss, ..ScoreSpec::default() };
            Estimators::choose(&spec, 3, method, (rivals, tune)).unwrap().iss.map(ImaginarySampleSize::get)
        };
        assert_eq!(compares(None, None, false, false), None);
        assert_eq!(compares(None, None, true, false), Some(1.0));
        assert_eq!(compares(Some(4.0), None, false, false), Some(4.0));
        assert_eq!(compares(None, None, false, true), Some(1.0));
        assert_eq!(compares(None, Some(RelatedMethod::Hierarchical), false, true), None);
    }
}
