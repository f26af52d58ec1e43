//! `kinfolk validate`: the held-out log-likelihood of hierarchical, pooled and separate tables.

use kinfolk::data::{DataSetId, RelatedData};
use kinfolk::validate::{
    Difference, MethodResult, PredictionQuality, Scheme, Structures, Validate, Validation, ValidationStop,
    Verdict, Weights,
};
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::predict::list;
use crate::args::{CommonArgs, StructuresName, ValidateArgs};
use crate::failure::Failure;
use crate::inputs::{find_variable, read_structure, structure_settings};
use crate::interrupt;
use crate::output;
use crate::progress::WorkWatcher;

/// A validation with its settings.
#[derive(Serialize)]
struct Validated {
    #[serde(flatten)]
    validation: Validation,
    settings: Map<String, Value>,
}

pub(crate) fn run(args: &mut ValidateArgs, common: &CommonArgs) -> Result<(), Failure> {
    if let Some(file) = &args.structure {
        let recorded = structure_settings(file)?;
        args.recorded.adopt(file, &recorded, &mut args.data, &mut args.score, common)?;
    }
    let args = &*args;
    args.check()?;
    let reading = super::read_data(&args.data, common)?;
    let data = &reading.data;
    let schema = data.schema();
    let score = args.score.choose(schema.data_sets().len())?;
    let estimators = args.estimators(schema.data_sets().len())?;
    let chosen = args.search.choose(schema)?;
    let given = args
        .structure
        .as_ref()
        .map(|text| read_structure(text, "--structure", &schema.names()))
        .transpose()?;
    let target = args.target.as_ref().map(|name| find_variable(schema, name, "--target")).transpose()?;
    let time_limit = chosen.time_limit;
    let search = chosen.search;
    let structures = match (&given, args.structures) {
        (Some(dag), _) => Structures::Given(dag),
        (None, Some(StructuresName::Own)) => Structures::Own(&search),
        (None, _) => Structures::Shared(score.score.as_ref(), &search),
    };
    let mut settings = Map::from_iter([("version".to_owned(), json!(env!("CARGO_PKG_VERSION")))]);
    if matches!(structures, Structures::Shared(..)) {
        settings.insert("score_name".to_owned(), json!(score.score.name()));
        settings.extend(score.settings);
    }
    settings.extend(estimators.settings());
    settings.extend(chosen.settings);
    settings.extend(args.data.settings()?);
    let validate = Validate {
        scheme: args.scheme(),
        structures,
        prior: estimators.prior,
        kin: estimators.kin.as_ref(),
        iss: estimators.iss,
        tune: args.tune,
        target,
        seed: args.search.seed,
        memory: Some(args.data.memory_bytes()),
    };
    if !common.quiet {
        note_small_data_sets(data, validate.scheme);
    }
    interrupt::listen();
    let watcher = WorkWatcher::new(time_limit, common.quiet);
    let validation = validate.run(data, &|progress| watcher.folds(progress));
    drop(watcher);
    let validated = Validated { validation: validation?, settings };
    if common.json { output::print_json(&validated) } else { output::print(&text(&validated)) }
}

/// Notes data sets with fewer rows than folds: some folds hold out none of their rows, or leave none to learn from.
fn note_small_data_sets(data: &RelatedData, scheme: Scheme) {
    let Scheme::Folds(folds) = scheme else { return };
    let names = data.schema().data_sets().iter().enumerate();
    let rows = names.map(|(index, name)| (name.clone(), data.rows(DataSetId::new(index))));
    let small: Vec<(String, u64)> = rows.filter(|(_, rows)| *rows < folds as u64).collect();
    match &small[..] {
        [] => {}
        [(name, rows)] => output::note(&format!(
            "note: `{name}` has {} for {folds} folds: some folds hold out none of it",
            output::plural(*rows, "row")
        )),
        several => {
            let names: Vec<String> = several.iter().map(|(name, _)| name.clone()).collect();
            output::note(&format!(
                "note: {} data sets have fewer rows than the {folds} folds: {}; some folds hold out none of them",
                several.len(),
                list(&names)
            ));
        }
    }
}

fn text(validated: &Validated) -> String {
    let Validated { validation, settings } = validated;
    let mut parts = vec![head(validation, settings)];
    if validation.folds_done == 0 {
        parts.push("No fold finished, so nothing is compared.".to_owned());
        return parts.join("\n\n");
    }
    parts.push(format!(
        "Log-likelihood of held-out rows, per row (natural logarithm, larger is better)\n{}",
        methods_table(validation)
    ));
    parts.push(format!(
        "Differences of it, per row, paired, ± standard error over rows (over data sets)\n{}",
        differences_table(validation)
    ));
    if let Some(target) = &validation.target {
        parts.push(format!("Prediction of `{target}` from all other columns\n{}", target_table(validation)));
    }
    parts.push(
        validation
            .differences
            .iter()
            .map(|difference| verdict(validation, difference))
            .collect::<Vec<_>>()
            .join("\n"),
    );
    parts.extend(validation.agreement.as_ref().map(|agreement| agreement.verdict.clone()));
    parts.extend(remarks(validation));
    parts.join("\n\n")
}

/// Remarks on the result.
fn remarks(validation: &Validation) -> Vec<String> {
    let mut remarks = Vec::new();
    if validation.methods.iter().any(|method| !method.applicable) {
        remarks.push("Separate tables cannot predict an unseen data set.".to_owned());
    }
    if validation.methods.iter().any(|method| method.method.has_iss()) {
        remarks.push(
            "pooled-iss and separate-iss have another prior than hierarchical tables; their differences include its effect.".to_owned(),
        );
    }
    if validation.methods[0].by_data_set.0.len() == 1 {
        remarks.push("There is only one data set: the three methods are the same.".to_owned());
    }
    let data_sets = validation.methods[0].by_data_set.0.len();
    if data_sets > 1 && !output::shows_data_sets(data_sets) {
        remarks.push("The numbers of each data set are in the output of --json.".to_owned());
    }
    remarks
}

fn head(validation: &Validation, settings: &Map<String, Value>) -> String {
    let rows: u64 = validation.structures.iter().map(|held| held.rows).sum();
    let held_out = match validation.scheme {
        Scheme::Folds(folds) => format!("{folds} folds of every data set, seed {}", validation.seed),
        Scheme::DataSets => "each data set in turn".to_owned(),
    };
    let number = |key: &str| settings.get(key).cloned().unwrap_or_default();
    let structure = match validation.structures_from {
        "given" => "given".to_owned(),
        "own" => {
            let own = if number("method") == "kin" { "kin" } else { "bhd" };
            let iss = if settings.contains_key("iss") { "; bdeu and bdeu-separate with iss" } else { "" };
            format!("learned in every fold: {own} of related, pooled and separate data sets{iss}")
        }
        _ => format!("learned in every fold with {}", number("score_name").as_str().unwrap_or_default()),
    };
    let mut lines = vec![
        format!("held out   {held_out}; {}", output::plural(rows, "row")),
        format!("structure  {structure}"),
        format!("tables     {}", tables_line(validation)),
    ];
    if let Some(filled_in) = &validation.filled_in {
        let text = output::missing_text(filled_in);
        lines.push(format!("missing    {text}; held-out rows count with their observed values"));
    }
    if validation.stop != ValidationStop::Complete {
        let why = if validation.stop == ValidationStop::TimeLimit {
            "STOPPED at --time-limit"
        } else {
            "INTERRUPTED"
        };
        let these = if validation.folds_done == 0 { "" } else { "; results are for these" };
        lines.push(format!(
            "warning    {why} with {} of {} folds done{these}",
            validation.folds_done, validation.folds
        ));
    }
    if validation.not_converged > 0 {
        lines.push(format!("warning    {} hierarchical fits did not converge", validation.not_converged));
    }
    lines.join("\n")
}

/// The prior weights of the tables, over the folds.
fn tables_line(validation: &Validation) -> String {
    let held = &validation.structures;
    let span = |of: fn(&Weights) -> Option<f64>| {
        let values = held.iter().filter_map(|held| of(&held.weights));
        match (values.clone().reduce(f64::min), values.reduce(f64::max)) {
            (Some(least), Some(most)) if least < most => Some(format!("{least} to {most}")),
            (Some(least), _) => Some(format!("{least}")),
            _ => None,
        }
    };
    let how = if validation.tuned { "; tuned in every fold on the training rows" } else { "" };
    let all = [
        ("hierarchical s", span(|weights| weights.s)),
        ("pooled s", span(|weights| weights.pooled_s)),
        ("separate s", span(|weights| weights.separate_s)),
        ("pooled-iss iss", span(|weights| weights.pooled_iss)),
        ("separate-iss iss", span(|weights| weights.separate_iss)),
    ];
    let weights = all.into_iter().filter_map(|(name, span)| Some(format!("{name} = {}", span?)));
    let mut parts: Vec<String> = weights.collect();
    if span(|weights| weights.s).is_none() {
        parts.insert(0, "kin, with s integrated out, for hierarchical, pooled and separate".to_owned());
    }
    format!("{}{how}", parts.join(", "))
}

/// The names of the data sets, if the table can show them.
fn columns(validation: &Validation) -> Vec<String> {
    let names = &validation.methods[0].by_data_set.0;
    if output::shows_data_sets(names.len()) {
        names.iter().map(|(name, _)| output::short_name(name)).collect()
    } else {
        Vec::new()
    }
}

fn number(value: Option<f64>) -> String {
    value.map_or_else(|| "-".to_owned(), |value| output::fixed(value, 4))
}

fn methods_table(validation: &Validation) -> String {
    let columns = columns(validation);
    let header = ["method", "total", "per row"].into_iter().map(str::to_owned).chain(columns.clone());
    let row = |method: &MethodResult| {
        let total = method.all.log_likelihood.map_or_else(|| "-".to_owned(), output::decimals);
        let each = method.by_data_set.0.iter().take(columns.len()).map(|(_, rows)| number(rows.per_row));
        [method.method.name().to_owned(), total, number(method.all.per_row)].into_iter().chain(each).collect()
    };
    output::table(header.collect(), validation.methods.iter().map(row).collect(), 1)
}

fn differences_table(validation: &Validation) -> String {
    let columns = columns(validation);
    let header = ["hierarchical minus", "per row"].into_iter().map(str::to_owned).chain(columns.clone());
    let row = |difference: &Difference| {
        let overall = format!(
            "{} ± {} ({})",
            number(difference.per_row),
            number(difference.se),
            number(difference.se_by_data_set)
        );
        let each = difference.by_data_set.0.iter().take(columns.len());
        let each = each.map(|(_, paired)| format!("{} ± {}", number(paired.per_row), number(paired.se)));
        [difference.minus.name().to_owned(), overall].into_iter().chain(each).collect()
    };
    output::table(header.collect(), validation.differences.iter().map(row).collect(), 1)
}

fn target_table(validation: &Validation) -> String {
    let header = ["method", "accuracy", "log-loss", "Brier"].map(str::to_owned).to_vec();
    let row = |(name, target): (&str, PredictionQuality)| {
        vec![name.to_owned(), number(target.accuracy), number(target.log_loss), number(target.brier)]
    };
    let methods = validation.methods.iter().filter_map(|method| Some((method.method.name(), method.target?)));
    output::table(header, methods.map(row).collect(), 1)
}

fn verdict(validation: &Validation, difference: &Difference) -> String {
    let over = match validation.scheme {
        Scheme::Folds(_) => "rows",
        Scheme::DataSets => "data sets",
    };
    let other = difference.minus.name();
    match difference.verdict {
        Verdict::Better => format!(
            "Hierarchical tables predict held-out rows better than {other} ones: by more than two standard errors over {over}."
        ),
        Verdict::Worse => format!(
            "Hierarchical tables predict held-out rows worse than {other} ones: by more than two standard errors over {over}."
        ),
        Verdict::Undecided => format!(
            "Between hierarchical and {other} tables the comparison is inconclusive: the difference is less than two standard errors over {over}."
        ),
    }
}
