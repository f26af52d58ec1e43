//! `kinfolk describe`: what was understood of the files.

use kinfolk::data::{Description, Kind, MISSING_LABEL, VariableDescription};

use crate::args::{CommonArgs, DescribeArgs};
use crate::failure::Failure;
use crate::output::{self, plural};

/// States are listed up to here; the JSON has them all.
const STATES_SHOWN: usize = 8;

pub(crate) fn run(args: &DescribeArgs, common: &CommonArgs) -> Result<(), Failure> {
    let description = kinfolk::data::describe(args.data.sources()?, &args.data.options()?)?;
    if common.json { output::print_json(&description) } else { output::print(&text(&description)) }
}

/// How much to say about states that differ between the data sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Detail {
    /// One sentence for each column.
    Full,
    /// One sentence for all columns, if they are many.
    Short,
}

/// More columns whose states differ than these get one sentence where brevity is asked for.
const DIFFERING_SHOWN: usize = 8;

/// In a sentence about states that differ, data sets are listed up to here.
const LACKING_SHOWN: usize = 4;

/// What a reader of any result should know about the data: one sentence each.
pub(crate) fn remarks(description: &Description, detail: Detail) -> Vec<String> {
    let mut remarks: Vec<String> = description.notes.iter().map(ToString::to_string).collect();
    for data_set in &description.data_sets {
        if data_set.dropped_rows > 0 {
            let rows = plural(data_set.dropped_rows, "row");
            remarks.push(format!("{rows} with missing values left out of {}", data_set.name));
        }
        if data_set.empty {
            remarks.push(format!("{} has no rows", data_set.name));
        }
    }
    for variable in &description.variables {
        if let Kind::Discretized { method, cuts } = &variable.kind {
            let cuts: Vec<String> = cuts.iter().map(ToString::to_string).collect();
            remarks.push(format!("column `{}` is cut at {} ({method})", variable.name, cuts.join(", ")));
        }
    }
    let variables = description.variables.iter();
    let differing: Vec<String> =
        variables.filter_map(|variable| differing_levels(description, variable)).collect();
    if detail == Detail::Short && differing.len() > DIFFERING_SHOWN {
        let columns = plural(differing.len() as u64, "column");
        remarks.push(format!(
            "the states of {columns} differ between the data sets; `kinfolk describe` says how"
        ));
    } else {
        remarks.extend(differing);
    }
    remarks
}

/// Which data sets lack which states of a variable.
fn differing_levels(description: &Description, variable: &VariableDescription) -> Option<String> {
    let nowhere = |state: &String| variable.absent.iter().all(|absent| absent.contains(state));
    let mut lacking: Vec<String> = description
        .data_sets
        .iter()
        .zip(&variable.absent)
        .filter(|(data_set, _)| !data_set.empty)
        .map(|(data_set, absent)| {
            // A data set without missing values lacks nothing, and what no data set has is no difference.
            let real = absent.iter().filter(|state| *state != MISSING_LABEL && !nowhere(state)).cloned();
            (&data_set.name, real.collect::<Vec<_>>())
        })
        .filter(|(_, absent)| !absent.is_empty())
        .map(|(name, absent)| format!("{name} has no {}", shortened(&absent)))
        .collect();
    let name = &variable.name;
    let more = lacking.len().saturating_sub(LACKING_SHOWN);
    if more > 1 {
        lacking.truncate(LACKING_SHOWN);
        lacking.push(format!("and {more} more data sets"));
    }
    (!lacking.is_empty()).then(|| format!("the states of column `{name}` differ: {}", lacking.join("; ")))
}

fn text(description: &Description) -> String {
    let mut parts = vec![format!(
        "{}, {}",
        plural(description.data_sets.len() as u64, "data set"),
        plural(description.variables.len() as u64, "variable")
    )];
    parts.push(data_sets_table(description));
    parts.push(variables_table(description));
    if description.variables.iter().any(|variable| variable.missing.iter().any(|&count| count > 0)) {
        parts.push(missing_table(description));
    }
    let remarks = remarks(description, Detail::Full);
    if !remarks.is_empty() {
        parts.push(remarks.iter().map(|remark| format!("note: {remark}")).collect::<Vec<_>>().join("\n"));
    }
    parts.join("\n\n")
}

fn data_sets_table(description: &Description) -> String {
    let header = ["data set", "read from", "rows"].map(str::to_owned).to_vec();
    let rows = description
        .data_sets
        .iter()
        .map(|data_set| vec![data_set.name.clone(), data_set.sources.join(", "), data_set.rows.to_string()]);
    output::table(header, rows.collect(), 2)
}

fn variables_table(description: &Description) -> String {
    let header = ["variable", "kind", "states", "in this order"].map(str::to_owned).to_vec();
    let rows = description.variables.iter().map(|variable| {
        let kind = match &variable.kind {
            Kind::Categorical => "as found".to_owned(),
            Kind::Declared => "declared".to_owned(),
            Kind::Discretized { method, .. } => method.to_string(),
        };
        let constant = if variable.constant { ", constant" } else { "" };
        vec![
            variable.name.clone(),
            format!("{kind}{constant}"),
            variable.states.len().to_string(),
            shortened(&variable.states),
        ]
    });
    output::table(header, rows.collect(), 4)
}

/// By data set where they fit side by side, and together.
fn missing_table(description: &Description) -> String {
    let each = output::has_room_for(description.data_sets.len());
    let mut header = vec!["missing values in".to_owned()];
    if each {
        header.extend(description.data_sets.iter().map(|data_set| output::short_name(&data_set.name)));
    }
    header.push("together".to_owned());
    let rows =
        description.variables.iter().filter(|variable| variable.missing.iter().any(|&count| count > 0));
    let rows = rows.map(|variable| {
        let mut row = vec![variable.name.clone()];
        if each {
            row.extend(variable.missing.iter().map(ToString::to_string));
        }
        row.push(variable.missing.iter().sum::<u64>().to_string());
        row
    });
    output::table(header, rows.collect(), 1)
}

/// Some states by name and the number of the others.
fn shortened(states: &[String]) -> String {
    let shown: Vec<&str> = states.iter().take(STATES_SHOWN).map(String::as_str).collect();
    let more = states.len().saturating_sub(STATES_SHOWN);
    if more == 0 { shown.join(" | ") } else { format!("{} | and {more} more", shown.join(" | ")) }
}
