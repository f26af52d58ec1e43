//! `kinfolk bootstrap`: the stability of arcs under resampling.

use std::ops::ControlFlow;
use std::sync::Mutex;

use kinfolk::bootstrap::{Bootstrap, BootstrapStop, Bootstrapped, By, Directions, LeftOut, NamedArc};
use kinfolk::estimate::TableSpec;
use kinfolk::formats::Recorded;
use kinfolk::score::Halt;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::args::{BootstrapArgs, CommonArgs};
use crate::failure::Failure;
use crate::inputs::read_network;
use crate::interrupt;
use crate::out_file::{OutFile, check_apart};
use crate::output;
use crate::progress::WorkWatcher;

/// A bootstrap with its settings.
#[derive(Serialize)]
struct BootstrapResult {
    #[serde(flatten)]
    bootstrapped: Bootstrapped,
    settings: Map<String, Value>,
}

pub(crate) fn run(args: &mut BootstrapArgs, common: &CommonArgs) -> Result<(), Failure> {
    if let Some(file) = &args.network {
        let recorded = Recorded::new(read_network(file)?.settings);
        args.recorded.adopt(
            &file.display().to_string(),
            &recorded,
            &mut args.data,
            &mut args.score,
            common,
        )?;
    }
    let args = &*args;
    args.score.check()?;
    args.search.check()?;
    check_apart([("--out", args.out.as_deref()), ("--resume", args.resume.as_deref())])?;
    if let Some(file) = &args.resume {
        OutFile::check_named("--resume", file, &args.data.files)?;
    }
    let out = args.out.as_ref().map(|file| OutFile::check(file, &args.data.files)).transpose()?;
    let reading = super::read_data(&args.data, common)?;
    let data = &reading.data;
    let schema = data.schema();
    let score = args.score.choose(schema.data_sets().len())?;
    if args.by.overstates(args.score.spec()?.score()) && !common.quiet {
        output::note(
            "note: kin overstates the evidence of repeated rows, which resamples contain: strengths may be far too high; --by half-rows repeats none",
        );
    }
    let search = args.search.choose(schema)?;
    let mut settings = score.record();
    settings.extend(search.settings);
    settings.extend(args.data.settings()?);
    let bootstrap = Bootstrap {
        score: score.score.as_ref(),
        climb: search.search.climb,
        start: search.search.start,
        keep_scores: search.search.keep_scores,
        by: args.by,
        replicates: args.replicates,
        leave_one_out: args.leave_one_out,
        seed: args.search.seed,
        memory: Some(args.data.memory_bytes()),
        tables: TableSpec::after_search(&args.score.spec()?, None).build(schema.data_sets().len())?.0,
    };
    let opened = args.resume.as_ref().map(|file| bootstrap.by.resume(file, &settings, data));
    let (file, done) = opened.transpose()?.map_or((None, Vec::new()), |(file, done)| (Some(file), done));
    let file = Mutex::new((file, Ok(())));
    interrupt::listen();
    let watcher = WorkWatcher::new(search.time_limit, common.quiet);
    let bootstrapped = bootstrap.run(data, &done, &|progress| {
        let Ok(mut file) = file.lock() else { return ControlFlow::Break(Halt::Interrupted) };
        if let ((Some(open), kept @ Ok(())), Some(record)) = (&mut *file, progress.finished) {
            *kept = open.append(record);
        }
        // Stop if finished searches cannot be saved.
        if file.1.is_err() {
            ControlFlow::Break(Halt::Interrupted)
        } else {
            watcher.searches(progress.done, progress.of)
        }
    });
    drop(watcher);
    let kept = file.into_inner().map_or(Ok(()), |(_, kept)| kept);
    let result = BootstrapResult { bootstrapped: bootstrapped?, settings };
    kept?;
    let written = out.map_or(Ok(()), |file| {
        // As in a network file: only the file records its provenance.
        file.write_json(&super::WithProvenance::of(&result, data))
    });
    // Printed even if the file could not be written, so that the result is not lost.
    if common.json {
        output::print_json(&result)?;
    } else {
        output::print(&text(&result, args.resume.is_some(), args.top))?;
    }
    written
}

fn text(result: &BootstrapResult, resumes: bool, top: usize) -> String {
    let BootstrapResult { bootstrapped: found, settings } = result;
    let drawn = match found.by {
        By::Rows => "rows drawn within every data set, with replacement",
        By::HalfRows => "half of the rows of every data set drawn, without replacement",
        By::DataSets => "whole data sets drawn",
    };
    let mut lines = vec![
        format!(
            "drawn      {} of {}, seed {}: {drawn}",
            output::plural(found.replicates, "replicate"),
            found.replicates_asked,
            found.seed
        ),
        format!(
            "score      {}",
            output::score_line(settings["score_name"].as_str().unwrap_or_default(), settings)
        ),
    ];
    if let Some(filled_in) = &found.filled_in {
        lines.push(format!("missing    {}", output::missing_text(filled_in)));
    }
    if found.stop != BootstrapStop::Complete {
        let why =
            if found.stop == BootstrapStop::TimeLimit { "STOPPED at --time-limit" } else { "INTERRUPTED" };
        let how =
            if resumes { "the same command continues" } else { "--resume FILE saves finished replicates" };
        let these = if found.replicates == 0 { "" } else { "results are for the finished replicates; " };
        lines.push(format!("warning    {why}; {these}{how}"));
    }
    match (found.threshold, &found.averaged) {
        (Some(threshold), Some(averaged)) => {
            lines.push(format!(
                "threshold  {}, fitted to the strengths; averaged: the edges above it",
                output::decimals(threshold)
            ));
            lines.push(format!("averaged   {averaged}"));
        }
        _ if found.stop == BootstrapStop::TimeLimit => {
            lines.push("averaged   none: no replicate finished; give more time (--time-limit)".to_owned());
        }
        _ => lines.push("averaged   none: no replicate finished".to_owned()),
    }
    lines.extend(found.learned.as_ref().map(|learned| format!("learned    {learned}")));
    if !found.skipped.is_empty() {
        lines.push(format!(
            "skipped    {}: each direction closes a cycle or violates a constraint",
            arcs(&found.skipped)
        ));
    }
    let mut parts = vec![lines.join("\n"), arcs_table(found)];
    if found.directions == Directions::Cpdag {
        parts.push(
            "The score is the same for equivalent networks: an edge that the equivalence class leaves undirected counts half for each direction."
                .to_owned(),
        );
    }
    let left_out = found.leave_one_out.as_ref().filter(|left_out| !left_out.is_empty());
    parts.extend(left_out.map(|left_out| left_out_table(left_out, top)));
    parts.join("\n\n")
}

fn arcs(arcs: &[NamedArc]) -> String {
    if arcs.is_empty() {
        return "-".to_owned();
    }
    arcs.iter().map(|arc| format!("{} → {}", arc.from, arc.to)).collect::<Vec<_>>().join(", ")
}

fn arcs_table(found: &Bootstrapped) -> String {
    /// The number of pairs that fit on a screen.
    const SHOWN: usize = 40;
    if found.replicates == 0 {
        return "No replicate finished, so there are no strengths.".to_owned();
    }
    if found.arcs.is_empty() {
        return "No replicate has an arc.".to_owned();
    }
    let header = ["from", "to", "strength", "direction", "averaged"].map(str::to_owned).to_vec();
    let rows = found.arcs.iter().take(SHOWN).map(|arc| {
        let averaged = if arc.averaged { "yes" } else { "" };
        let (strength, direction) = (output::decimals(arc.strength), output::decimals(arc.direction));
        vec![arc.from.clone(), arc.to.clone(), strength, direction, averaged.to_owned()]
    });
    let table = output::table(header, rows.collect(), 2);
    let rest = match found.arcs.len().saturating_sub(SHOWN) {
        0 => String::new(),
        rest => format!("\n{} more in the output of --json.", output::plural(rest as u64, "weaker pair")),
    };
    format!(
        "Edges: the share of replicates that contain them (strength), and of these the share in this direction\n{table}{rest}"
    )
}

/// The networks without each data set, the most different ones first.
fn left_out_table(left_out: &[LeftOut], top: usize) -> String {
    let header = ["without", "kept", "SHD", "reversed", "lost", "gained"].map(str::to_owned).to_vec();
    let mut ordered: Vec<&LeftOut> = left_out.iter().collect();
    ordered.sort_by_key(|left_out| std::cmp::Reverse(left_out.shd));
    let rows = ordered.iter().take(top).map(|left_out| {
        let all = left_out.kept.len() + left_out.lost.len();
        vec![
            output::short_name(&left_out.data_set),
            format!("{} of {all}", left_out.kept.len()),
            left_out.shd.to_string(),
            arcs(&left_out.reversed),
            arcs(&left_out.lost),
            arcs(&left_out.gained),
        ]
    });
    let more = match ordered.len().saturating_sub(top) {
        0 => String::new(),
        more => format!("\n… and {}: --top N or --json", output::plural_more(more, "data set")),
    };
    format!(
        "Networks learned without each data set, compared with that of all (edges in either direction; reversed are kept, and with SHD 0 \
         the direction was open)\n{}{more}",
        output::table(header, rows.collect(), 6)
    )
}
