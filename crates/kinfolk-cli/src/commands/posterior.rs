//! `kinfolk posterior`: the probability of every arc and edge.

use std::ops::ControlFlow;

use kinfolk::posterior::{
    EdgeProbability, FeatureQuery, FinishedSweeps, NamedPosterior, NetworkArc, NetworkPosterior,
    PosteriorEvent, PosteriorOptions, PosteriorSummary, ResumeFile, resumed_posterior,
};
use kinfolk::score::{Halt, Scorer};
use serde_json::json;

use crate::args::{CommonArgs, PosteriorArgs, time_limit};
use crate::failure::Failure;
use crate::inputs::{given_structure, structure_settings};
use crate::interrupt;
use crate::out_file::{OutFile, check_apart};
use crate::output;
use crate::progress::WorkWatcher;

pub(crate) fn run(args: &mut PosteriorArgs, common: &CommonArgs) -> Result<(), Failure> {
    let network = args.network.as_ref().map(|file| file.display().to_string());
    if let Some(file) = network.or_else(|| args.structure.clone()) {
        let recorded = structure_settings(&file)?;
        args.recorded.adopt(&file, &recorded, &mut args.data, &mut args.score, common)?;
    }
    let args = &*args;
    args.score.check()?;
    let time_limit = time_limit(args.time_limit)?;
    if !(0.0..=1.0).contains(&args.threshold) {
        return Err(Failure::Call(format!(
            "--threshold takes a probability from 0 to 1, not {}",
            args.threshold
        )));
    }
    check_apart([("--out", args.out.as_deref()), ("--resume", args.resume.as_deref())])?;
    if let Some(file) = &args.resume {
        OutFile::check_named("--resume", file, &args.data.files)?;
    }
    let out = args.out.as_ref().map(|file| OutFile::check(file, &args.data.files)).transpose()?;
    let reading = super::read_data(&args.data, common)?;
    let data = &reading.data;
    let schema = data.schema();
    let score = args.score.choose(schema.data_sets().len())?;
    let (constraints, recorded) = args.constraints.choose(schema)?;
    let given = given_structure(args.structure.as_deref(), args.network.as_deref(), &schema.names())?;
    let parsed = args.queries.iter().map(|query| FeatureQuery::parse(query, schema));
    let queries: Vec<FeatureQuery> = parsed.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect();
    let mut options = PosteriorOptions::new(constraints);
    options.features = queries.iter().map(|query| query.feature).collect();
    options.method = args.method;
    (options.chains, options.seed) = (args.chains, args.seed);
    let mut settings = score.record();
    settings.extend(recorded);
    settings.insert("posterior_method".to_owned(), json!(options.method));
    settings.insert("tolerance".to_owned(), json!(options.tolerance));
    settings.insert("time_limit".to_owned(), json!(args.time_limit));
    settings.insert("seed".to_owned(), json!(args.seed));
    settings.extend(args.data.settings()?);
    let opened: Option<(ResumeFile<FinishedSweeps>, Vec<FinishedSweeps>)> = args
        .resume
        .as_ref()
        .map(|file| ResumeFile::open(file, &settings, &data.fingerprint()))
        .transpose()?;
    let tally = super::tally_for(data, score.score.as_ref(), &args.data);
    let mut scorer = Scorer::new(&tally, score.score.as_ref());
    interrupt::listen();
    let watcher = WorkWatcher::new(time_limit, common.quiet);
    let (mut file, done) = opened.unzip();
    let mut kept = Ok(());
    let posterior = resumed_posterior(&mut scorer, &options, done.as_deref(), &mut |event| {
        if let (PosteriorEvent::Sampling { finished, .. }, Some(file)) = (event, &mut file) {
            kept = finished.iter().try_for_each(|record| file.append(record));
        }
        // Stop if samples cannot be saved.
        if kept.is_err() { ControlFlow::Break(Halt::Interrupted) } else { watcher.posterior(event) }
    });
    drop(watcher);
    let posterior = posterior?;
    kept?;
    let mut result = NamedPosterior::new(
        &scorer,
        data.schema(),
        &posterior,
        &options.constraints,
        args.threshold,
        settings,
    )
    .with_answers(&queries, &posterior);
    if let Some(dag) = given {
        let network = NetworkPosterior::new(&scorer, data.schema(), &posterior, &dag, args.left_out);
        result = result.with_network(network);
    }
    let written = out.map_or(Ok(()), |file| file.write_json(&super::WithProvenance::of(&result, data)));
    // Printed even if the file could not be written, so that the result is not lost.
    if common.json {
        output::print_json(&result)?;
    } else {
        output::print(&text(&result))?;
    }
    written
}

/// The method and its diagnostics, one labelled line each.
pub(crate) fn summary_lines(summary: &PosteriorSummary) -> Vec<String> {
    let number = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), output::decimals);
    let method = match (summary.chains, summary.sweeps) {
        (Some(chains), Some(sweeps)) => format!(
            "mcmc, {} of {}: R-hat {}, effective sample size {}, chains differ by at most {}",
            output::plural(chains as u64, "chain"),
            output::plural(sweeps as u64, "sweep"),
            number(summary.rhat),
            summary.ess.map_or_else(|| "-".to_owned(), |ess| output::fixed(ess, 0)),
            number(summary.difference),
        ),
        _ => format!("exact, {} summed", output::plural(summary.parent_sets as u64, "parent set")),
    };
    let mut lines = vec![format!("method    {method}")];
    if !summary.converged {
        let why = match summary.halted {
            Some(Halt::TimeLimit) => "STOPPED at --time-limit",
            Some(Halt::Interrupted) => "INTERRUPTED",
            None => "STOPPED at the limit on sweeps",
        };
        lines.push(format!(
            "warning   {why} before the chains agreed: the numbers may be off by the difference above"
        ));
    }
    lines.extend(summary.caution.map(|caution| format!("caution   {caution}")));
    lines
}

fn text(result: &NamedPosterior) -> String {
    let mut lines = vec![
        format!("score     {}", output::score_line(&result.score_name, &result.settings)),
        format!("averaged  {}", result.structure),
    ];
    lines.splice(1..1, summary_lines(&result.summary));
    if !result.left_out.is_empty() {
        let pairs: Vec<String> = result.left_out.iter().map(|[a, b]| format!("{a} – {b}")).collect();
        lines.push(format!(
            "left out  {}: each direction closes a cycle or violates a constraint",
            pairs.join(", ")
        ));
    }
    let mut parts = vec![lines.join("\n")];
    parts.extend(result.network.as_ref().map(network_text));
    if !result.queries.is_empty() {
        parts.push(queries_table(result));
    }
    parts.push(edges_table(result));
    parts.join("\n\n")
}

/// The arcs of the given network, and the most probable edges that it lacks.
pub(crate) fn network_text(network: &NetworkPosterior) -> String {
    let header = ["from", "to", "edge", "this direction", "reversed"].map(str::to_owned).to_vec();
    let row = |arc: &NetworkArc| {
        let [edge, forward, back] = [arc.edge, arc.arc, arc.reversed].map(output::decimals);
        vec![arc.from.clone(), arc.to.clone(), edge, forward, back]
    };
    let arcs = match network.arcs.len() {
        0 => "The network has no arc.".to_owned(),
        _ => format!(
            "Posterior probability of the network's edges, and of each direction\n{}",
            output::table(header, network.arcs.iter().map(row).collect(), 2)
        ),
    };
    let header = ["between", "and", "edge"].map(str::to_owned).to_vec();
    let row = |edge: &EdgeProbability| {
        let [a, b] = edge.between.clone();
        vec![a, b, output::decimals(edge.probability)]
    };
    if network.left_out.is_empty() {
        return arcs;
    }
    format!(
        "{arcs}\n\nMost probable edges that the network lacks\n{}",
        output::table(header, network.left_out.iter().map(row).collect(), 2)
    )
}

/// The answers to the queries.
fn queries_table(result: &NamedPosterior) -> String {
    let header = ["feature", "probability", "standard error"].map(str::to_owned).to_vec();
    let rows = result.queries.iter().map(|answer| {
        let error = answer.standard_error.map_or_else(|| "exact".to_owned(), output::decimals);
        vec![answer.query.clone(), output::decimals(answer.probability), error]
    });
    format!("Queries\n{}", output::table(header, rows.collect(), 1))
}

/// The edges, the most probable first, with the probability of either direction.
fn edges_table(result: &NamedPosterior) -> String {
    /// The number of edges that fit on a screen.
    const SHOWN: usize = 40;
    /// The smallest probability of an edge that is listed.
    const LEAST: f64 = 0.01;
    let arc = |from: &str, to: &str| {
        let found = result.arcs.iter().find(|arc| arc.from == from && arc.to == to);
        found.map_or(0.0, |arc| arc.probability)
    };
    let header = ["from", "to", "edge", "this direction", "reversed"].map(str::to_owned).to_vec();
    let probable = result.edges.iter().filter(|edge| edge.probability >= LEAST);
    let rows: Vec<Vec<String>> = probable
        .clone()
        .take(SHOWN)
        .map(|edge| {
            let [a, b] = &edge.between;
            let (from, to) = if arc(b, a) > arc(a, b) { (b, a) } else { (a, b) };
            let [edge, forward, back] =
                [edge.probability, arc(from, to), arc(to, from)].map(output::decimals);
            vec![from.clone(), to.clone(), edge, forward, back]
        })
        .collect();
    if rows.is_empty() {
        return format!("No edge has a probability of {LEAST} or more.");
    }
    let more = match probable.count().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!("\n{} more in the output of --json.", output::plural(more as u64, "edge")),
    };
    format!(
        "Edges with a probability of at least {LEAST}: of the edge, and of its arc in either direction\n{}{more}",
        output::table(header, rows, 2)
    )
}
