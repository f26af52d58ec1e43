//! `kinfolk posterior`: the probability of every arc and edge.

use kinfolk::posterior::{NamedPosterior, PosteriorOptions, arc_posterior};
use kinfolk::score::{Halt, Scorer};
use serde_json::{Map, json};

use crate::args::{CommonArgs, PosteriorArgs, time_limit};
use crate::failure::Failure;
use crate::interrupt;
use crate::out_file::OutFile;
use crate::output;
use crate::progress::WorkWatcher;

pub(crate) fn run(args: &PosteriorArgs, common: &CommonArgs) -> Result<(), Failure> {
    args.score.check()?;
    let time_limit = time_limit(args.time_limit)?;
    if !(0.0..=1.0).contains(&args.threshold) {
        return Err(Failure::Call(format!(
            "--threshold takes a probability from 0 to 1, not {}",
            args.threshold
        )));
    }
    let out = args.out.as_ref().map(|file| OutFile::check(file, &args.data.files)).transpose()?;
    let reading = super::read_data(&args.data, common)?;
    let data = &reading.data;
    let schema = data.schema();
    let score = args.score.choose(schema.data_sets().len())?;
    let (constraints, recorded) = args.constraints.choose(schema)?;
    let mut options = PosteriorOptions::new(constraints);
    options.method = args.method.into();
    (options.chains, options.seed) = (args.chains, args.seed);
    let mut settings = Map::from_iter([("version".to_owned(), json!(env!("CARGO_PKG_VERSION")))]);
    settings.extend(score.settings);
    settings.extend(recorded);
    settings.insert("posterior_method".to_owned(), json!(options.method));
    settings.insert("tolerance".to_owned(), json!(options.tolerance));
    settings.insert("time_limit".to_owned(), json!(args.time_limit));
    settings.insert("seed".to_owned(), json!(args.seed));
    settings.extend(args.data.settings());
    let tally = super::tally_for(data, score.score.as_ref(), &args.data);
    let mut scorer = Scorer::new(&tally, score.score.as_ref());
    interrupt::listen();
    let watcher = WorkWatcher::new(time_limit, common.quiet);
    let posterior = arc_posterior(&mut scorer, &options, &mut |event| watcher.posterior(event));
    drop(watcher);
    let posterior = posterior?;
    let result = NamedPosterior::new(
        &scorer,
        data.schema(),
        &posterior,
        &options.constraints,
        args.threshold,
        settings,
    );
    let written = out.map_or(Ok(()), |file| file.write_json(&super::WithProvenance::of(&result, data)));
    // Printed even if the file could not be written after all: the work is not lost.
    if common.json {
        output::print_json(&result)?;
    } else {
        output::print(&text(&result))?;
    }
    written
}

fn text(result: &NamedPosterior) -> String {
    let number = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), output::decimals);
    let method = match (result.chains, result.sweeps) {
        (Some(chains), Some(sweeps)) => format!(
            "mcmc, {} of {}: R-hat {}, effective sample size {}, chains differ by at most {}",
            output::plural(chains as u64, "chain"),
            output::plural(sweeps as u64, "sweep"),
            number(result.rhat),
            result.ess.map_or_else(|| "-".to_owned(), |ess| output::fixed(ess, 0)),
            number(result.difference),
        ),
        _ => format!("exact, {} summed", output::plural(result.parent_sets as u64, "parent set")),
    };
    let mut lines = vec![
        format!("score     {}", output::score_line(&result.score_name, &result.settings)),
        format!("method    {method}"),
        format!("averaged  {}", result.structure),
    ];
    if !result.converged {
        let why = match result.halted {
            Some(Halt::TimeLimit) => "STOPPED at --time-limit",
            Some(Halt::Interrupted) => "INTERRUPTED",
            None => "STOPPED at the limit on sweeps",
        };
        lines.push(format!(
            "warning   {why} before the chains agreed: the numbers may be off by the difference above"
        ));
    }
    lines.extend(result.caution.map(|caution| format!("caution   {caution}")));
    if !result.left_out.is_empty() {
        let pairs: Vec<String> = result.left_out.iter().map(|[a, b]| format!("{a} – {b}")).collect();
        lines.push(format!(
            "left out  {}: each direction closes a cycle or violates a constraint",
            pairs.join(", ")
        ));
    }
    [lines.join("\n"), edges_table(result)].join("\n\n")
}

/// The edges, the most probable first, with the probability of either direction.
fn edges_table(result: &NamedPosterior) -> String {
    /// More edges than these do not fit a screen.
    const SHOWN: usize = 40;
    /// Less probable edges are not worth a line.
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
