//! Remarks on the data for readers of a result, one sentence each.

use std::fmt;

use super::description::{Description, Note, VariableDescription, VariableKind};
use super::missing::MISSING_LABEL;
use crate::remedy::{Actionable, Remedy};

/// The limit on listed states.
const STATES_SHOWN: usize = 8;

/// The level of detail on states that differ between data sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// One sentence per column.
    Full,
    /// One sentence for all columns, if there are many.
    Short,
}

/// With [`Detail::Short`], more differing columns than this share one sentence.
const DIFFERING_SHOWN: usize = 8;

/// The limit on data sets listed in a sentence on differing states.
const LACKING_SHOWN: usize = 4;

/// A sentence about the data, without a full stop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remark {
    text: String,
    remedies: Vec<Remedy>,
    is_warning: bool,
}

impl Remark {
    /// Whether results may be worse than they need be.
    pub fn is_warning(&self) -> bool {
        self.is_warning
    }
}

impl From<String> for Remark {
    fn from(text: String) -> Self {
        Self { text, remedies: Vec::new(), is_warning: false }
    }
}

impl From<&Note> for Remark {
    fn from(note: &Note) -> Self {
        Self { text: note.to_string(), remedies: note.remedies(), is_warning: note.is_warning() }
    }
}

impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Actionable for Remark {
    fn remedies(&self) -> Vec<Remedy> {
        self.remedies.clone()
    }
}

impl Description {
    /// The remarks that every reader of a result needs, one sentence each.
    pub fn remarks(&self, detail: Detail) -> Vec<Remark> {
        let mut remarks: Vec<Remark> = self.notes.iter().map(Remark::from).collect();
        for data_set in &self.data_sets {
            if data_set.dropped_rows > 0 {
                let rows = plural(data_set.dropped_rows, "row");
                remarks.push(format!("{rows} with missing values left out of {}", data_set.name).into());
            }
            if data_set.empty {
                remarks.push(format!("{} has no rows", data_set.name).into());
            }
        }
        for variable in &self.variables {
            if let VariableKind::Discretized { method, cuts } = &variable.kind {
                let cuts: Vec<String> = cuts.iter().map(ToString::to_string).collect();
                let cuts = cuts.join(", ");
                remarks.push(format!("column `{}` is cut at {cuts} ({method})", variable.name).into());
            }
        }
        let variables = self.variables.iter();
        let differing: Vec<String> =
            variables.filter_map(|variable| differing_levels(self, variable)).collect();
        if detail == Detail::Short && differing.len() > DIFFERING_SHOWN {
            let columns = plural(differing.len() as u64, "column");
            let text = format!("the states of {columns} differ between the data sets");
            remarks.push(Remark { text, remedies: vec![Remedy::Describe], is_warning: false });
        } else {
            remarks.extend(differing.into_iter().map(Remark::from));
        }
        remarks
    }
}

/// Names the data sets that lack states of a variable.
fn differing_levels(description: &Description, variable: &VariableDescription) -> Option<String> {
    let nowhere = |state: &String| variable.absent.iter().all(|absent| absent.contains(state));
    let mut lacking: Vec<String> = description
        .data_sets
        .iter()
        .zip(&variable.absent)
        .filter(|(data_set, _)| !data_set.empty)
        .map(|(data_set, absent)| {
            // Having no missing values is not a lack, and a state absent from all data sets is not a
            // difference.
            let real = absent.iter().filter(|state| *state != MISSING_LABEL && !nowhere(state)).cloned();
            (&data_set.name, real.collect::<Vec<_>>())
        })
        .filter(|(_, absent)| !absent.is_empty())
        .map(|(name, absent)| format!("{name} has no {}", shorten_states(&absent)))
        .collect();
    let name = &variable.name;
    let more = lacking.len().saturating_sub(LACKING_SHOWN);
    if more > 1 {
        lacking.truncate(LACKING_SHOWN);
        lacking.push(format!("and {more} more data sets"));
    }
    (!lacking.is_empty()).then(|| format!("the states of column `{name}` differ: {}", lacking.join("; ")))
}

/// The first states by name, and the number of the others.
pub fn shorten_states(states: &[String]) -> String {
    let shown: Vec<&str> = states.iter().take(STATES_SHOWN).map(String::as_str).collect();
    let more = states.len().saturating_sub(STATES_SHOWN);
    if more == 0 { shown.join(" | ") } else { format!("{} | and {more} more", shown.join(" | ")) }
}

fn plural(count: u64, word: &str) -> String {
    if count == 1 { format!("1 {word}") } else { format!("{count} {word}s") }
}
