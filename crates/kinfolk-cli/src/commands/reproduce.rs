//! `kinfolk reproduce`: the experiments of the paper, run again.

use std::collections::BTreeMap;
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use kinfolk_study::grids::{Scale, Study};
use kinfolk_study::run::run as run_study;
use kinfolk_study::store::{Store, read};
use kinfolk_study::verdict::verdicts;
use serde::Serialize;

use crate::args::{CommonArgs, ReproduceArgs};
use crate::failure::Failure;
use crate::interrupt;
use crate::output;

/// What became of an experiment.
#[derive(Serialize)]
struct Reproduced {
    study: &'static str,
    results: String,
    replicates: usize,
    finished: usize,
    complete: bool,
}

/// Steps of the bar.
const STEPS: u64 = 10_000;

pub(crate) fn run(args: &ReproduceArgs, common: &CommonArgs) -> Result<(), Failure> {
    interrupt::listen();
    let mut all = Vec::new();
    for study in args.studies() {
        let reproduced = one(study, args, common)?;
        let complete = reproduced.complete;
        all.push(reproduced);
        if !complete {
            break;
        }
    }
    if common.json {
        return output::print_json(&all);
    }
    let lines = all.iter().map(|done| {
        let more = if done.complete { "" } else { "; INTERRUPTED: the same command continues" };
        let replicates = output::plural(done.finished as u64, "replicate");
        format!("{}  {replicates} of {} in {}{more}", done.study, done.replicates, done.results)
    });
    output::print(&lines.collect::<Vec<_>>().join("\n"))
}

fn one(study: Study, args: &ReproduceArgs, common: &CommonArgs) -> Result<Reproduced, Failure> {
    let folder = args.folder(study);
    fs::create_dir_all(&folder)
        .map_err(|reason| Failure::File { file: format!("--out: {}", folder.display()), reason })?;
    let results = folder.join("results.csv");
    let replicates = study.replicates(args.scale.into());
    if args.figures_only && !results.exists() {
        return Err(Failure::Call(format!(
            "--figures-only: there are no results in {}; run the experiment first",
            results.display()
        )));
    }
    let mut store = open(&results, study, args.seed)?;
    let bar = progress_bar(study, common.quiet);
    let threads = rayon::current_num_threads();
    let mut finished = 0;
    let complete = run_study(&replicates, &mut store, args.seed, threads, &mut |progress| {
        finished = progress.done;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of few steps")]
        bar.set_position((progress.share * STEPS as f64) as u64);
        bar.set_message(format!("{} of {} replicates", progress.done, progress.of));
        if args.figures_only || interrupt::requested() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    })?;
    bar.finish_and_clear();
    if complete {
        store.finish()?;
    }
    let verdicts = verdicts(study.name(), &read(&results)?);
    write(&folder.join("verdict.json"), &output::json_text(&verdicts)?)?;
    let results = results.display().to_string();
    Ok(Reproduced { study: study.name(), results, replicates: replicates.len(), finished, complete })
}

/// Results of the quick scale are part of the full one: either continues the other, and nothing finished is lost.
fn open(results: &Path, study: Study, seed: u64) -> Result<Store, Failure> {
    let all = study.replicates(Scale::Paper);
    let methods: BTreeMap<u64, usize> =
        all.iter().map(|replicate| (replicate.number, replicate.methods.len())).collect();
    Ok(Store::open(results, study.name(), seed, |number| {
        methods.get(&number).copied().unwrap_or(usize::MAX)
    })?)
}

fn write(file: &Path, text: &str) -> Result<(), Failure> {
    fs::write(file, text).map_err(|reason| Failure::File { file: file.display().to_string(), reason })
}

fn progress_bar(study: Study, quiet: bool) -> ProgressBar {
    let bar = if quiet { ProgressBar::hidden() } else { ProgressBar::new(STEPS) };
    let template = format!("{} {{bar:40}} {{percent}}%, {{msg}}, {{eta}} left", study.name());
    if let Ok(style) = ProgressStyle::with_template(&template) {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(500));
    bar
}
