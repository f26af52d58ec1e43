//! `kinfolk predict`: the distribution of a variable in every row, and the quality of the predictions.

use kinfolk::data::{Missing, NewRows, NewRowsOptions, ReadOptions, read};
use kinfolk::formats::NetworkFile;
use kinfolk::infer::{AllMetrics, Metrics, Predictions, find_relative, find_variable, predict};

use super::new_rows::read_new_rows;
use crate::args::{CommonArgs, PredictArgs, sources};
use crate::failure::Failure;
use crate::inputs::read_network;
use crate::out_file::OutFile;
use crate::output;

/// The number of names listed in a note.
const NAMED: usize = 5;

pub(crate) fn run(args: &PredictArgs, common: &CommonArgs) -> Result<(), Failure> {
    let mut inputs = args.files.clone();
    inputs.push(args.network.clone());
    let out = args.out.as_ref().map(|file| OutFile::check(file, &inputs)).transpose()?;
    let file = read_network(&args.network)?;
    let network = &file.network;
    let target = find_variable(network, &args.target)?;
    let forced = args.data_set.as_ref().map(|name| find_relative(network, name)).transpose()?;
    let options = NewRowsOptions { weight: args.weight.clone(), ..args.rows.options(&file.settings)? };
    let rows = read_new_rows(&args.files, &file, &options, forced, common)?;
    let limits = args.limits.limits();
    let mut predictions = predict(network, target, &rows, forced, limits)?;
    if let Some(mass) = args.intervals.intervals {
        predictions = predictions.with_intervals(network, target, &rows, forced, limits, mass)?;
    }
    predictions.in_sample = in_sample(args, &file, &rows)?;
    if !common.quiet {
        notes(&predictions, &rows);
    }
    let written = out.map_or(Ok(()), |out| out.write(&csv_text(&predictions)?));
    if common.json {
        output::print_json(&predictions)?;
    } else {
        output::print(&text(&predictions, args.top))?;
    }
    written
}

/// The data sets of which the network was learned from these very rows.
fn in_sample(args: &PredictArgs, file: &NetworkFile, rows: &NewRows) -> Result<Vec<String>, Failure> {
    let Some(provenance) = &file.provenance else { return Ok(Vec::new()) };
    let schema = file.network.schema();
    let reads_once = args.files.iter().any(|file| file.as_os_str() == "-");
    // The network may have seen only some of the rows: one of each subject, or the complete ones.
    let recorded = ReadOptions::from_record(&file.settings).unwrap_or_default();
    if recorded.id.is_some() && !reads_once {
        let again = read(sources(&args.files)?, &recorded);
        let known = again.ok().filter(|again| again.data.schema().variables() == schema.variables());
        return Ok(known.map_or_else(Vec::new, |known| provenance.seen_in(&known.data)));
    }
    Ok(provenance.seen_in(&rows.known_rows(schema, recorded.missing != Missing::DropRows)))
}

fn notes(predictions: &Predictions, rows: &NewRows) {
    for (file, columns) in &rows.absent {
        let columns: Vec<String> =
            columns.iter().filter(|&name| *name != predictions.target).cloned().collect();
        if !columns.is_empty() {
            output::note(&format!("note: {file} has no column {}: summed out in every row", list(&columns)));
        }
    }
    if !predictions.unknown_data_sets.is_empty() {
        let names = list(&predictions.unknown_data_sets);
        output::note(&format!(
            "note: not in the network: {names}; predicted from the tables for an unseen data set (`new`)"
        ));
    }
    if let Some(first) = predictions.unseen.first() {
        let count = predictions.unseen.len() as u64;
        output::note(&format!(
            "note: {} that the network does not have as a state, treated as missing; the first is in {first}",
            output::plural(count, "value")
        ));
    }
    let impossible = predictions.rows.iter().filter(|row| row.probabilities.is_none()).count();
    if impossible > 0 {
        output::note(&format!(
            "note: {} with values that have probability 0 together: no prediction there",
            output::plural(impossible as u64, "row")
        ));
    }
}

pub(super) fn list(names: &[String]) -> String {
    let text = names.iter().take(NAMED).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    if names.len() > NAMED { format!("{text} and {} more", names.len() - NAMED) } else { text }
}

/// A warning if the network was learned from the rows that it predicts.
fn in_sample_text(predictions: &Predictions) -> Option<String> {
    let seen = &predictions.in_sample;
    if seen.is_empty() {
        return None;
    }
    let all = predictions.rows.iter().all(|row| seen.contains(&row.data_set));
    let of = if all { String::new() } else { format!(" of {}", list(seen)) };
    Some(format!(
        "in-sample: the network was learned from these rows{of};\non new rows expect worse metrics: `kinfolk validate --target {}`",
        predictions.target
    ))
}

fn text(predictions: &Predictions, top: usize) -> String {
    let head = format!(
        "target   {}, predicted in {}",
        predictions.target,
        output::plural(predictions.rows.len() as u64, "row")
    );
    let mut parts = vec![head, rows_table(predictions, top)];
    match &predictions.metrics {
        None => parts.push("metrics  none: no row has a value of the target".to_owned()),
        Some(metrics) => {
            parts.push(metrics_table(metrics, top));
            parts.extend(in_sample_text(predictions));
            parts.push(calibration_table(&metrics.overall));
        }
    }
    parts.join("\n\n")
}

/// The first predictions, with the probability of the predicted state.
fn rows_table(predictions: &Predictions, top: usize) -> String {
    let known = predictions.rows.iter().any(|row| row.actual.is_some());
    let mut header = ["data set", "row", "predicted", "probability"].map(str::to_owned).to_vec();
    let intervals = predictions.interval_mass;
    header.extend(intervals.map(|_| "interval".to_owned()));
    header.extend(known.then(|| "actual".to_owned()));
    let rows = predictions.rows.iter().take(top).map(|row| {
        let predicted = row.predicted.clone().unwrap_or_else(|| "-".to_owned());
        let probabilities = row.probabilities.iter().flat_map(|all| &all.0);
        let probability = probabilities.map(|(_, value)| *value).fold(f64::NEG_INFINITY, f64::max);
        let mut cells = vec![
            output::short_name(&row.data_set),
            row.row.to_string(),
            predicted,
            output::decimals(probability),
        ];
        cells.extend(intervals.map(|_| {
            let found = row.intervals.iter().flat_map(|all| &all.0);
            let own = found.clone().find(|(state, _)| Some(state) == row.predicted.as_ref());
            own.map_or_else(|| "-".to_owned(), |(_, ends)| output::interval(*ends))
        }));
        cells.extend(known.then(|| row.actual.clone().unwrap_or_else(|| "-".to_owned())));
        cells
    });
    let labels = header.len() - usize::from(known);
    let mut table = output::table(header, rows.collect(), labels);
    let more = predictions.rows.len().saturating_sub(top);
    if more > 0 {
        table =
            format!("{table}\n… and {}: --top N, --out FILE.csv or --json", output::plural_more(more, "row"));
    }
    match intervals {
        None => table,
        Some(mass) => format!("{table}\n{}", output::interval_legend(mass)),
    }
}

fn metrics_table(metrics: &AllMetrics, top: usize) -> String {
    let header = ["data set", "rows", "log-loss", "baseline", "accuracy", "Brier", "AUC", "calibration"]
        .map(str::to_owned);
    let row = |name: &str, metrics: &Metrics| {
        let mut cells = vec![output::short_name(name), metrics.n.to_string()];
        cells.extend(
            [
                metrics.log_loss,
                metrics.baseline_log_loss,
                metrics.accuracy,
                metrics.brier,
                metrics.auc.unwrap_or(f64::NAN),
                metrics.calibration.expected_error,
            ]
            .map(|value| output::fixed(value, 4)),
        );
        cells
    };
    let mut rows: Vec<Vec<String>> =
        metrics.data_sets.0.iter().take(top).map(|(name, metrics)| row(name, metrics)).collect();
    let more = match metrics.data_sets.0.len().saturating_sub(top) {
        0 => String::new(),
        more => format!("\n… and {}: --top N or --json", output::plural_more(more, "data set")),
    };
    rows.push(row("(all)", &metrics.overall));
    format!(
        "{}{more}\n\
         log-loss: mean of -ln P(outcome); baseline: the same for the target's pooled\n\
         distribution; Brier: mean of the sum over states of (probability - outcome)²,\n\
         0 to 2; AUC: area under the ROC curve, mean over the states; calibration: mean\n\
         difference of predicted probability and observed share",
        output::table(header.into(), rows, 1)
    )
}

fn calibration_table(metrics: &Metrics) -> String {
    let header = ["most probable state", "rows", "mean predicted", "observed"].map(str::to_owned);
    let rows = metrics.calibration.bins.iter().map(|bin| {
        vec![
            format!("({:.1}, {:.1}]", bin.from, bin.to),
            bin.count.to_string(),
            output::fixed(bin.mean_predicted, 4),
            output::fixed(bin.observed_share, 4),
        ]
    });
    output::table(header.into(), rows.collect(), 1)
}

/// One line per row.
fn csv_text(predictions: &Predictions) -> Result<String, Failure> {
    let fail = |error: &dyn std::fmt::Display| Failure::Internal(error.to_string());
    let mut writer = csv::Writer::from_writer(Vec::new());
    let mut header: Vec<String> =
        ["file", "data_set", "row", "tables", "actual", "predicted"].map(str::to_owned).into();
    let states: Vec<&String> = predictions.baseline.0.iter().map(|(state, _)| state).collect();
    header.extend(states.iter().map(|state| format!("P({state})")));
    let intervals = predictions.interval_mass.is_some();
    if intervals {
        header
            .extend(states.iter().flat_map(|state| [format!("P({state}) low"), format!("P({state}) high")]));
    }
    writer.write_record(&header).map_err(|error| fail(&error))?;
    for row in &predictions.rows {
        let mut cells = vec![row.file.clone(), row.data_set.clone(), row.row.to_string(), row.tables.clone()];
        cells.push(row.actual.clone().unwrap_or_default());
        cells.push(row.predicted.clone().unwrap_or_default());
        match &row.probabilities {
            Some(probabilities) => cells.extend(probabilities.0.iter().map(|(_, value)| value.to_string())),
            None => cells.extend(states.iter().map(|_| String::new())),
        }
        if intervals {
            match &row.intervals {
                Some(found) => cells.extend(found.0.iter().flat_map(|(_, ends)| ends).map(f64::to_string)),
                None => cells.extend(states.iter().flat_map(|_| [String::new(), String::new()])),
            }
        }
        writer.write_record(&cells).map_err(|error| fail(&error))?;
    }
    let bytes = writer.into_inner().map_err(|error| fail(&error))?;
    String::from_utf8(bytes).map_err(|error| fail(&error))
}
