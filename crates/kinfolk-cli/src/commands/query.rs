//! `kinfolk query`: probabilities of variables given evidence, for every data set side by side.

use kinfolk::infer::{Answer, Named, Question, find_variable};

use crate::args::{CommonArgs, QueryArgs};
use crate::failure::Failure;
use crate::inputs::read_network;
use crate::output;

pub(crate) fn run(args: &QueryArgs, common: &CommonArgs) -> Result<(), Failure> {
    if args.targets.is_empty() && !args.mpe && args.evidence.is_empty() {
        return Err(Failure::Call(
            "nothing to compute; give a --target, or --mpe for the most probable explanation".to_owned(),
        ));
    }
    if args.joint && args.targets.is_empty() {
        return Err(Failure::Call("--joint needs at least one --target".to_owned()));
    }
    let network = read_network(&args.network)?.network;
    let mut targets = Vec::new();
    for name in &args.targets {
        let target = find_variable(&network, name)?;
        if targets.contains(&target) {
            return Err(Failure::Call(format!("--target {name} is given twice")));
        }
        targets.push(target);
    }
    let mut relatives = args.relatives(&network)?;
    // The text shows the first data sets, the pooled and the new one.
    let data_sets = network.schema().data_sets().len();
    let hidden =
        if common.json || !args.data_sets.is_empty() { 0 } else { data_sets.saturating_sub(args.top) };
    if hidden > 0 {
        relatives.drain(data_sets - hidden..data_sets);
    }
    let question = Question {
        targets,
        given: args.given(&network)?,
        relatives,
        joint: args.joint,
        explanation: args.mpe,
        limits: args.limits.limits(),
    };
    let mut answer = question.ask(&network)?;
    if let Some(mass) = args.intervals.intervals {
        answer = answer.with_intervals(&network, &question, mass)?;
    }
    if common.json {
        return output::print_json(&answer);
    }
    let mut text = text(&answer);
    if hidden > 0 {
        text += &format!(
            "\n… and {}: --top N, --data-set NAME or --json",
            output::plural_more(hidden, "data set")
        );
    }
    output::print(&text)
}

fn text(answer: &Answer) -> String {
    let mut parts = Vec::new();
    let condition = condition(answer);
    if !condition.is_empty() {
        parts.push(format!("given  {condition}"));
    }
    if !answer.targets.is_empty() || answer.explanation.is_none() {
        parts.push(probabilities(answer));
    }
    if let Some(joint) = &answer.joint {
        let lines = joint.iter().map(|row| {
            let states = row.states.0.iter().map(|(_, state)| state.clone()).collect();
            (states, values(&row.data_sets, probability))
        });
        let names: Vec<String> = answer.targets.iter().map(|target| target.target.clone()).collect();
        parts.push(format!("P({})\n{}", names.join(", "), side_by_side(names, lines.collect())));
    }
    if let Some(explanation) = &answer.explanation {
        let names: Vec<&String> = explanation
            .0
            .first()
            .map_or(Vec::new(), |(_, first)| first.assignment.0.iter().map(|(name, _)| name).collect());
        let mut lines: Vec<AnswerLine> = names
            .iter()
            .enumerate()
            .map(|(at, name)| {
                let states = explanation.0.iter();
                let states =
                    states.map(|(relative, found)| (relative.clone(), found.assignment.0[at].1.clone()));
                (vec![(*name).clone()], states.collect())
            })
            .collect();
        let logs = explanation.0.iter();
        let logs = logs.map(|(relative, found)| (relative.clone(), output::decimals(found.log_probability)));
        lines.push((vec!["ln P".to_owned()], logs.collect()));
        parts.push(format!(
            "most probable explanation, and ln P of it together with the evidence\n{}",
            side_by_side(vec!["variable".to_owned()], lines)
        ));
    }
    parts.join("\n\n")
}

/// Labels, and a cell for each relative.
type AnswerLine = (Vec<String>, Vec<(String, String)>);

/// The evidence and interventions as text.
fn condition(answer: &Answer) -> String {
    let observed = answer.evidence.0.iter().map(|(name, state)| format!("{name} = {state}"));
    let set = answer.set.0.iter().map(|(name, state)| format!("do({name} = {state})"));
    observed.chain(set).collect::<Vec<_>>().join(", ")
}

/// The targets' states with their probabilities, and the log probability of the evidence.
fn probabilities(answer: &Answer) -> String {
    let mut lines: Vec<AnswerLine> = Vec::new();
    for target in &answer.targets {
        let states = target.data_sets.0.first().map_or(0, |(_, states)| states.0.len());
        for at in 0..states {
            let cell =
                |(relative, values): &(String, Named<f64>)| (relative.clone(), probability(values.0[at].1));
            let state = target.data_sets.0[0].1.0[at].0.clone();
            let name = if at == 0 { target.target.clone() } else { String::new() };
            lines.push((vec![name, state], target.data_sets.0.iter().map(cell).collect()));
            if let Some(intervals) = &target.intervals {
                let cell = |(relative, found): &(String, Option<Named<[f64; 2]>>)| {
                    let ends = found.as_ref().map(|found| found.0[at].1);
                    (relative.clone(), ends.map_or_else(|| "-".to_owned(), output::interval))
                };
                lines.push((vec![String::new(); 2], intervals.0.iter().map(cell).collect()));
            }
        }
    }
    if !answer.evidence.0.is_empty() {
        let logs = values(&answer.log_probability_of_evidence, |log| {
            log.map_or_else(|| "too large".to_owned(), output::decimals)
        });
        lines.push((vec!["ln P(evidence)".to_owned(), String::new()], logs));
    }
    let table = side_by_side(vec!["variable".to_owned(), "state".to_owned()], lines);
    match answer.interval_mass {
        None => table,
        Some(mass) => format!("{table}\n{}", output::interval_legend(mass)),
    }
}

fn values<T: Copy>(named: &Named<T>, show: impl Fn(T) -> String) -> Vec<(String, String)> {
    named.0.iter().map(|(relative, value)| (relative.clone(), show(*value))).collect()
}

/// Six decimals: posteriors are often near 0 or 1.
fn probability(value: f64) -> String {
    output::fixed(value, 6)
}

/// One column per relative, or one line per relative if there are too many.
fn side_by_side(mut header: Vec<String>, lines: Vec<AnswerLine>) -> String {
    let labels = header.len();
    let relatives: Vec<String> =
        lines.first().map_or(Vec::new(), |(_, cells)| cells.iter().map(|(name, _)| name.clone()).collect());
    if relatives.len() <= 1 || output::shows_data_sets(relatives.len()) {
        header.extend(relatives.iter().map(|name| output::short_name(name)));
        let rows = lines.into_iter().map(|(mut labels, cells)| {
            labels.extend(cells.into_iter().map(|(_, cell)| cell));
            labels
        });
        return output::table(header, rows.collect(), labels);
    }
    header.insert(0, "data set".to_owned());
    header.push(String::new());
    let mut rows = Vec::new();
    for (at, relative) in relatives.iter().enumerate() {
        for (labels, cells) in &lines {
            let mut row = vec![output::short_name(relative)];
            row.extend(labels.iter().cloned());
            row.push(cells[at].1.clone());
            rows.push(row);
        }
    }
    output::table(header, rows, labels + 1)
}
