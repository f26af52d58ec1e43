//! `kinfolk describe`: the data sets, columns and states as read from the files.

use kinfolk::data::{Description, Detail, VariableKind, shorten_states};
use kinfolk::remedy::Actionable;

use crate::args::{CommonArgs, DescribeArgs};
use crate::failure::Failure;
use crate::output::{self, plural};
use crate::wording::Flags;

pub(crate) fn run(args: &DescribeArgs, common: &CommonArgs) -> Result<(), Failure> {
    let description = kinfolk::data::describe(args.data.sources()?, &args.data.options()?)?;
    if common.json { output::print_json(&description) } else { output::print(&text(&description)) }
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
    let remarks = description.remarks(Detail::Full);
    if !remarks.is_empty() {
        let notes = remarks.iter().map(|remark| format!("note: {}", remark.message(&Flags)));
        parts.push(notes.collect::<Vec<_>>().join("\n"));
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
            VariableKind::Categorical => "as found".to_owned(),
            VariableKind::Declared => "declared".to_owned(),
            VariableKind::Discretized { method, .. } => method.to_string(),
        };
        let constant = if variable.constant { ", constant" } else { "" };
        vec![
            variable.name.clone(),
            format!("{kind}{constant}"),
            variable.states.len().to_string(),
            shorten_states(&variable.states),
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
