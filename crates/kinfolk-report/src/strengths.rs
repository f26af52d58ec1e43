//! Reads the JSON of `bootstrap` and matches its strengths to the network of a page.

use kinfolk::formats::Provenance;
use kinfolk::graph::modelstring::{self, ModelstringError};
use kinfolk::remedy::{Actionable, Neutral, Remedy, Verb, Wording};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};
use thiserror::Error;

use crate::report::Report;
use crate::sharing::command_without_folders;

/// The contents of a bootstrap that a page shows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Strengths {
    /// Every pair of nodes that is linked in some replicate; the others have strength 0.
    pub arcs: Vec<PairStrength>,
    /// The strength above which edges are significant.
    pub threshold: f64,
    /// The network of those edges, as a modelstring.
    pub averaged: String,
    /// The number of finished replicates.
    pub replicates: u64,
    /// The unit of resampling, such as `rows` or `data-sets`.
    #[serde(default)]
    pub by: Option<String>,
    /// The seed.
    #[serde(default)]
    pub seed: Option<u64>,
    /// The score of the replicates.
    #[serde(default, rename(deserialize = "settings"), deserialize_with = "score_name")]
    pub score_name: Option<String>,
    /// The fingerprint of the data that were resampled.
    #[serde(default)]
    pub data_hash: Option<String>,
    /// Its provenance, if its file records it.
    #[serde(default)]
    pub provenance: Option<Provenance>,
    /// The networks learned without each data set, if requested.
    #[serde(default)]
    pub leave_one_out: Option<Vec<WithoutOne>>,
}

/// The strength of an edge and of its direction.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PairStrength {
    /// The tail of the arc.
    pub from: String,
    /// The head of the arc.
    pub to: String,
    /// The share of replicates that contain the edge, in either direction.
    pub strength: f64,
    /// The share of those in which it has this direction.
    pub direction: f64,
}

/// The network learned without one data set, compared with that of all.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WithoutOne {
    /// The data set left out.
    pub data_set: String,
    /// The structural Hamming distance between the two, between CPDAGs.
    pub shd: usize,
    /// Arcs whose edge stays, in either direction.
    pub kept: Vec<Ends>,
    /// Those of them whose direction is reversed; `None` in files of earlier versions, which listed them as lost and
    /// gained.
    #[serde(default)]
    pub reversed: Option<Vec<Ends>>,
    /// Arcs whose edge is absent without this data set.
    pub lost: Vec<Ends>,
    /// Arcs whose edge is present only without it.
    pub gained: Vec<Ends>,
}

/// An arc by the names of its endpoints.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ends {
    /// The tail of the arc.
    pub from: String,
    /// The head of the arc.
    pub to: String,
}

/// Why strengths cannot be read, or do not belong to a network.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum StrengthsError {
    /// The text is not a bootstrap result.
    #[error("{}", other_json(.0, &Neutral))]
    Format(String),
    /// No replicate has finished.
    #[error("has no finished replicate, so it has no strengths")]
    NoReplicate,
    /// They refer to other variables.
    #[error("does not match the variables of this network: {0}")]
    Variables(#[from] ModelstringError),
    /// They refer to the same variables in other data.
    #[error(
        "was made from other data than this network (its data are {found}, these are {expected}); bootstrap the same files in the same order, with the same options of the data"
    )]
    OtherData {
        /// The fingerprint of the network's data.
        expected: String,
        /// The fingerprint of the strengths' data.
        found: String,
    },
    /// They do not record their data.
    #[error("does not record its data (`data_hash`); run it again with this version of kinfolk")]
    UnknownData,
}

impl Actionable for StrengthsError {
    fn problem(&self, words: &dyn Wording) -> String {
        if let Self::Format(reason) = self { other_json(reason, words) } else { self.to_string() }
    }

    fn remedies(&self) -> Vec<Remedy> {
        match self {
            Self::Format(_) => vec![Remedy::GiveBootstrapResult],
            Self::NoReplicate => vec![Remedy::AllowMoreTime, Remedy::ResumeBootstrap],
            Self::Variables(_) | Self::OtherData { .. } | Self::UnknownData => Vec::new(),
        }
    }
}

fn other_json(reason: &str, words: &dyn Wording) -> String {
    format!("is not the JSON of {} ({reason})", words.verb(Verb::Bootstrap))
}

/// The score's name among the settings of a bootstrap.
fn score_name<'a, D: Deserializer<'a>>(deserializer: D) -> Result<Option<String>, D::Error> {
    let settings = Map::deserialize(deserializer)?;
    Ok(settings.get("score_name").and_then(Value::as_str).map(str::to_owned))
}

impl Strengths {
    /// Reads the JSON of `bootstrap`.
    pub fn from_json(text: &str) -> Result<Self, StrengthsError> {
        let wrong = |error: serde_json::Error| StrengthsError::Format(error.to_string());
        let document: Value = serde_json::from_str(text).map_err(wrong)?;
        if document["replicates"] == 0 {
            return Err(StrengthsError::NoReplicate);
        }
        serde_json::from_value(document).map_err(wrong)
    }

    /// Rejects strengths of other variables or, if the network's data are known, of other data.
    pub fn check(&self, names: &[String], data_hash: Option<&str>) -> Result<(), StrengthsError> {
        // The averaged network has every variable, so other variables are detected here.
        modelstring::parse(&self.averaged, names)?;
        match (data_hash, &self.data_hash) {
            (Some(_), None) => Err(StrengthsError::UnknownData),
            (Some(expected), Some(found)) if expected != found => {
                Err(StrengthsError::OtherData { expected: expected.to_owned(), found: found.clone() })
            }
            _ => Ok(()),
        }
    }
}

impl Report {
    /// Adds the strengths of a bootstrap of the same data. An arc that no replicate contains gets strength 0. Resamples
    /// learned with another score are uninformative about this network's arcs, so these get no strength.
    pub fn with_strengths(mut self, strengths: &Strengths) -> Result<Self, StrengthsError> {
        let names: Vec<String> = self.variables.iter().map(|variable| variable.name.clone()).collect();
        let data = self.provenance.as_ref().and_then(|provenance| provenance.data_hash.as_deref());
        strengths.check(&names, data)?;
        self.bootstrap = Some(Strengths {
            provenance: strengths.provenance.clone().map(command_without_folders),
            ..strengths.clone()
        });
        if self.other_score().is_some() {
            return Ok(self);
        }
        for arc in &mut self.arcs {
            let (from, to) = (&names[arc.from], &names[arc.to]);
            let found = strengths.arcs.iter().find_map(|pair| {
                if (&pair.from, &pair.to) == (from, to) {
                    return Some((pair.strength, pair.direction));
                }
                ((&pair.to, &pair.from) == (from, to)).then_some((pair.strength, 1.0 - pair.direction))
            });
            arc.strength = Some(found.map_or(0.0, |(strength, _)| strength));
            arc.direction = found.map(|(_, direction)| direction);
        }
        Ok(self)
    }

    /// The scores of the resamples and of the network, if both are known and differ.
    pub fn other_score(&self) -> Option<(&str, &str)> {
        let resampled = self.bootstrap.as_ref()?.score_name.as_deref()?;
        let judged = self.search.as_ref().map(|search| search.score_name.as_str());
        let own = self.learned_with.as_deref().or(judged)?;
        (resampled != own).then_some((resampled, own))
    }
}
