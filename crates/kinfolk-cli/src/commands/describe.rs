//! `kinfolk describe`: shows the data sets and columns as stored and as read, problems, suspicions, and a command to
//! learn with.

use kinfolk::data::{
    ColumnInDataSet, ColumnProfile, Description, Detail, Inspection, Missing, ReadOptions, VariableKind,
    shorten_states, split_missing_text,
};
use kinfolk::remedy::Actionable;
use serde_json::{Value, json};

use crate::args::{CommonArgs, DescribeArgs};
use crate::failure::Failure;
use crate::output::{self, plural};
use crate::wording::{Flags, list_item, quote};

pub(crate) fn run(args: &DescribeArgs, common: &CommonArgs) -> Result<(), Failure> {
    let found = kinfolk::data::describe(args.data.sources()?, &args.data.options()?)?;
    let command = command(args, &found.advised);
    if common.json {
        output::print_json(&json(&found, &command))
    } else {
        output::print(&text(args, &found, &command))
    }
}

fn json(found: &Inspection, command: &[String]) -> Value {
    let mut all = json!(found.description);
    let problems: Vec<String> = found.problems.iter().map(|problem| problem.message(&Flags)).collect();
    all["columns"] = json!(found.columns);
    all["problems"] = json!(problems);
    all["suspicions"] = json!(found.suspicions);
    all["needs_correction"] = json!(found.needs_correction());
    all["command"] = json!(command.join(" "));
    all
}

fn text(args: &DescribeArgs, found: &Inspection, command: &[String]) -> String {
    let description = &found.description;
    let mut parts = vec![format!(
        "{}, {}",
        plural(description.data_sets.len() as u64, "data set"),
        plural(description.variables.len() as u64, "variable")
    )];
    parts.push(data_sets_table(description, args.top));
    parts.push(variables_table(description));
    parts.push(
        "The columns by data set: the share of each value in percent, or the range of numbers; `rows` have a value".to_owned(),
    );
    parts.extend(found.columns.iter().map(|column| column_table(column, args.top)));
    let remarks = description.remarks(Detail::Full);
    let notes = remarks.iter().map(|remark| {
        let kind = if remark.is_warning() { "warning" } else { "note" };
        format!("{kind}: {}", remark.message(&Flags))
    });
    let alone = (description.data_sets.len() == 1 && args.data.group.is_none()).then(|| {
        "note: there is one data set; if a column identifies the data set of each row, name it with --group"
            .to_owned()
    });
    let problems = found.problems.iter().map(|problem| format!("problem: {}", problem.message(&Flags)));
    let suspicions = found.suspicions.iter().map(|one| format!("suspicion: {}", one.message(&Flags)));
    for lines in [notes.chain(alone).collect::<Vec<_>>(), problems.collect(), suspicions.collect()] {
        if !lines.is_empty() {
            parts.push(lines.join("\n"));
        }
    }
    let first = if found.needs_correction() { "Correct the files, then learn" } else { "Learn" };
    parts.push(format!("{first} with:\n{}", wrap(command)));
    parts.join("\n\n")
}

/// The lines of a table for the first data sets, and how to show the others.
fn first_lines(rows: Vec<Vec<String>>, top: usize) -> (Vec<Vec<String>>, String) {
    let more = rows.len().saturating_sub(top);
    let note = if more > 0 {
        format!("\n… and {more} more data sets (--top {})", rows.len())
    } else {
        String::new()
    };
    (rows.into_iter().take(top).collect(), note)
}

fn data_sets_table(description: &Description, top: usize) -> String {
    let header = ["data set", "read from", "rows"].map(str::to_owned).to_vec();
    let rows = description
        .data_sets
        .iter()
        .map(|data_set| vec![data_set.name.clone(), data_set.sources.join(", "), data_set.rows.to_string()]);
    let (rows, more) = first_lines(rows.collect(), top);
    output::table(header, rows, 2) + &more
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

/// One column in every data set.
fn column_table(column: &ColumnProfile, top: usize) -> String {
    let values = column.values.as_deref().filter(|_| !column.is_quantity()).unwrap_or_default();
    let mut header = vec![format!("`{}` in", column.name), "rows".to_owned(), "missing".to_owned()];
    let width = output::width();
    let mut used: usize = 4 + 20 + header.iter().map(|cell| cell.chars().count() + 2).sum::<usize>();
    let shown = values
        .iter()
        .take_while(|value| {
            used += output::short_name(value).chars().count().max(3) + 2;
            used <= width
        })
        .count();
    let more = values.len() - shown;
    if column.is_quantity() {
        header.extend(["min", "median", "max"].map(str::to_owned));
    } else if values.is_empty() {
        header.push(format!("{} distinct values", column.distinct));
    }
    header.extend(values[..shown].iter().map(|value| output::short_name(value)));
    if more > 0 {
        header.push(format!("{more} more"));
    }
    let rows = column.data_sets.iter().map(|one| {
        let mut row = vec![output::short_name(&one.data_set), one.rows.to_string(), one.missing.to_string()];
        row.extend(cells(column, one, shown, more));
        row
    });
    let (rows, rest) = first_lines(rows.collect(), top);
    output::table(header, rows, 1) + &rest
}

fn cells(column: &ColumnProfile, one: &ColumnInDataSet, shown: usize, more: usize) -> Vec<String> {
    if column.is_quantity() {
        let number = |value: f64| format!("{}", (value * 1e4).round() / 1e4);
        return match one.numbers {
            Some(numbers) => [numbers.min, numbers.median, numbers.max].map(number).to_vec(),
            None => vec!["-".to_owned(); 3],
        };
    }
    let Some(shares) = &one.shares else { return vec![String::new()] };
    let percent = |share: f64| if one.rows == 0 { "-".to_owned() } else { output::fixed(100.0 * share, 0) };
    let mut cells: Vec<String> = shares[..shown].iter().map(|&share| percent(share)).collect();
    if more > 0 {
        cells.push(percent(shares[shown..].iter().sum()));
    }
    cells
}

/// The command that reads the files with these options; each part stays on one line.
fn command(args: &DescribeArgs, options: &ReadOptions) -> Vec<String> {
    let data = &args.data;
    let files: Vec<String> = data.files.iter().map(|file| quote(&file.to_string_lossy())).collect();
    let mut parts = vec![format!("kinfolk learn {}", files.join(" "))];
    let mut add = |flag: &str, value: Option<String>| {
        if let Some(value) = value {
            parts.push(format!("{flag} {}", quote(&value)));
        }
    };
    let list = |names: &[String]| {
        let items: Vec<String> = names.iter().map(|name| list_item(name)).collect();
        (!items.is_empty()).then(|| items.join(","))
    };
    add("--group", options.group.clone());
    add("--weight", options.weight.clone());
    add("--id", options.id.clone());
    if options.id.is_some() && options.id_seed != ReadOptions::default().id_seed {
        add("--id-seed", Some(options.id_seed.to_string()));
    }
    add("--columns", options.columns.as_deref().and_then(list));
    add("--ignore", list(&options.ignore));
    add("--levels", data.levels.as_ref().map(|file| file.to_string_lossy().into_owned()));
    for rule in &options.discretize {
        add("--discretize", Some(rule.to_string()));
    }
    let defaults = ReadOptions::default().na;
    let own: Vec<String> = match options.na.strip_prefix(defaults.as_slice()) {
        Some(own) if own.iter().all(|entry| split_missing_text(entry).0.is_some()) => own.to_vec(),
        _ => options.na.iter().filter(|text| !text.is_empty()).cloned().collect(),
    };
    add("--na", list(&own));
    add("--delimiter", data.delimiter.clone());
    if options.max_states != ReadOptions::default().max_states {
        add("--max-states", Some(options.max_states.to_string()));
    }
    if options.missing != Missing::default() {
        add("--missing", json!(options.missing).as_str().map(str::to_owned));
    }
    if options.common_columns {
        parts.push("--common-columns".to_owned());
    }
    parts
}

/// Wraps a command to the width of the terminal, with shell continuation lines.
fn wrap(parts: &[String]) -> String {
    let mut lines: Vec<String> = Vec::new();
    for part in parts {
        match lines.last_mut() {
            Some(line) if line.chars().count() + part.chars().count() + 3 <= output::width() => {
                line.push(' ');
                line.push_str(part);
            }
            Some(_) => lines.push(format!("  {part}")),
            None => lines.push(part.clone()),
        }
    }
    lines.join(" \\\n")
}
