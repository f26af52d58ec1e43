//! Reads the JSON of `bootstrap` and matches its strengths to the network of a page.

use kinfolk::formats::Provenance;
use kinfolk::graph::modelstring::{self, ModelstringError};
use kinfolk::remedy::{Actionable, Neutral, Remedy, Verb, Wording};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};
use thiserror::Error;

use crate::report::Report;
use crate::sharing::command_without_folders;

/// What a page shows of a bootstrap.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Strengths {
    /// Every pair of nodes that some replicate linked; the others have strength 0.
    pub arcs: Vec<PairStrength>,
    /// The strength above which edges are taken to be there.
    pub threshold: f64,
    /// The network of those edges, as a modelstring.
    pub averaged: String,
    /// Replicates that are done.
    pub replicates: u64,
    /// What was drawn: `rows` or `data-sets`.
    #[serde(default)]
    pub by: Option<String>,
    /// The seed.
    #[serde(default)]
    pub seed: Option<u64>,
    /// The score that the replicates were learned with.
    #[serde(default, rename(deserialize = "settings"), deserialize_with = "score_name")]
    pub score_name: Option<String>,
    /// The fingerprint of the data that were resampled.
    #[serde(default)]
    pub data_hash: Option<String>,
    /// How it was made, if its file says so.
    #[serde(default)]
    pub provenance: Option<Provenance>,
    /// What is learned without each data set, if that was asked for.
    #[serde(default)]
    pub leave_one_out: Option<Vec<WithoutOne>>,
}

/// How sure an edge and its direction are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PairStrength {
    /// Where it starts.
    pub from: String,
    /// Where it ends.
    pub to: String,
    /// The share of replicates that have the edge, in either direction.
    pub strength: f64,
    /// The share of those in which it goes this way.
    pub direction: f64,
}

/// What is learned without one data set, beside what is learned from all.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WithoutOne {
    /// The data set left out.
    pub data_set: String,
    /// The structural Hamming distance between the two, between CPDAGs.
    pub shd: usize,
    /// Arcs whose edge stays, in either direction.
    pub kept: Vec<Ends>,
    /// Those of them that go the other way without it; nothing in files of earlier versions, which called them lost and gained.
    #[serde(default)]
    pub reversed: Option<Vec<Ends>>,
    /// Arcs whose edge needs this data set.
    pub lost: Vec<Ends>,
    /// Arcs whose edge is there only without it.
    pub gained: Vec<Ends>,
}

/// An arc by the names of its ends.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ends {
    /// Where it starts.
    pub from: String,
    /// Where it ends.
    pub to: String,
}

/// Why strengths cannot be read, or do not belong to a network.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum StrengthsError {
    /// They are something else.
    #[error("{}", other_json(.0, &Neutral))]
    Format(String),
    /// They are those of nothing.
    #[error("has no finished replicate, so it has no strengths")]
    NoReplicate,
    /// They are about other variables.
    #[error("does not match the variables of this network: {0}")]
    Variables(#[from] ModelstringError),
    /// They are about the same variables in other data.
    #[error(
        "was made from other data than this network (its data are {found}, these are {expected}); bootstrap the same files in the same order, with the same options of the data"
    )]
    OtherData {
        /// The fingerprint of the network's data.
        expected: String,
        /// That of the strengths' data.
        found: String,
    },
    /// They do not say what they are about.
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

    /// Refuses strengths over other variables or, where the network's data are known, from other data.
    pub fn check(&self, names: &[String], data_hash: Option<&str>) -> Result<(), StrengthsError> {
        // It has every variable: what is not about these variables is found out here.
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
    /// Adds strengths of a bootstrap of the same data. An arc that no replicate has gets strength 0. Resamples that were learned with
    /// another score say nothing of this network's arcs, so they give them no strength.
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

    /// The scores of the resamples and of the network, if they are known and differ: then the strengths are those of another score.
    pub fn other_score(&self) -> Option<(&str, &str)> {
        let resampled = self.bootstrap.as_ref()?.score_name.as_deref()?;
        let judged = self.search.as_ref().map(|search| search.score_name.as_str());
        let own = self.learned_with.as_deref().or(judged)?;
        (resampled != own).then_some((resampled, own))
    }
}
