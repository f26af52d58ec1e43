//! `kinfolk reproduce`: runs the experiments of the paper.

use std::fs;
use std::ops::ControlFlow;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use kinfolk_study::experiment::{Experiment, ExperimentOutcome, Settings, results};
use kinfolk_study::report;
use kinfolk_study::verdict::Supported;
use serde::Serialize;

use crate::args::{CommonArgs, ReproduceArgs};
use crate::failure::Failure;
use crate::interrupt;
use crate::output;

/// The state of an experiment.
#[derive(Serialize)]
struct Reproduced {
    study: &'static str,
    results: String,
    replicates: usize,
    finished: usize,
    complete: bool,
    claims: usize,
    supported: usize,
    mixed: usize,
}

/// Steps of the progress bar.
const STEPS: u64 = 10_000;

pub(crate) fn run(args: &ReproduceArgs, common: &CommonArgs) -> Result<(), Failure> {
    if args.report.is_some() && !args.has_document() {
        return Err(Failure::Call(
            "--report: this experiment has no document of its own; use `reproduce all`, or one of kin, searching and calibration"
                .to_owned(),
        ));
    }
    interrupt::listen();
    let mut all = Vec::new();
    for experiment in args.experiments() {
        let reproduced = one(experiment, args, common)?;
        let complete = reproduced.complete || args.figures_only;
        all.push(reproduced);
        if !complete {
            break;
        }
    }
    if let Some(folder) = &args.report {
        fs::create_dir_all(folder)
            .map_err(|reason| Failure::File { file: format!("--report: {}", folder.display()), reason })?;
        report::write(&args.experiments(), &|experiment| args.folder(experiment), folder)?;
    }
    if common.json {
        return output::print_json(&all);
    }
    let lines = all.iter().map(|done| {
        let more = if done.complete { "" } else { "; UNFINISHED: the same command continues" };
        let replicates = output::plural(done.finished as u64, "replicate");
        format!(
            "{}  {replicates} of {} in {}{more}; of {} claims {} hold, {} are mixed",
            done.study, done.replicates, done.results, done.claims, done.supported, done.mixed
        )
    });
    output::print(&lines.collect::<Vec<_>>().join("\n"))
}

fn one(experiment: Experiment, args: &ReproduceArgs, common: &CommonArgs) -> Result<Reproduced, Failure> {
    let folder = args.folder(experiment);
    let results = results(&folder);
    let outcome = if args.figures_only {
        if !results.exists() {
            return Err(Failure::Call(format!(
                "--figures-only: there are no results in {}; run the experiment first",
                results.display()
            )));
        }
        experiment.kept(&folder, args.scale.into(), args.seed)?
    } else {
        fs::create_dir_all(&folder)
            .map_err(|reason| Failure::File { file: format!("--out: {}", folder.display()), reason })?;
        learn(experiment, args, common)?
    };
    let verdicts = experiment.conclude(&folder)?;
    let count = |wanted| verdicts.iter().filter(|verdict| verdict.supported == wanted).count();
    Ok(Reproduced {
        study: experiment.name(),
        results: results.display().to_string(),
        replicates: outcome.replicates,
        finished: outcome.finished,
        complete: outcome.complete,
        claims: verdicts.len(),
        supported: count(Supported::Yes),
        mixed: count(Supported::Mixed),
    })
}

fn learn(
    experiment: Experiment,
    args: &ReproduceArgs,
    common: &CommonArgs,
) -> Result<ExperimentOutcome, Failure> {
    let bar = progress_bar(experiment, common.quiet);
    let settings =
        Settings { scale: args.scale.into(), seed: args.seed, threads: rayon::current_num_threads() };
    let outcome = experiment.run(&args.folder(experiment), settings, &mut |progress| {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of few steps")]
        bar.set_position((progress.share * STEPS as f64) as u64);
        bar.set_message(format!("{} of {} replicates", progress.done, progress.of));
        if interrupt::requested() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    bar.finish_and_clear();
    Ok(outcome)
}

fn progress_bar(experiment: Experiment, quiet: bool) -> ProgressBar {
    let bar = if quiet { ProgressBar::hidden() } else { ProgressBar::new(STEPS) };
    let template = format!("{} {{bar:40}} {{percent}}%, {{msg}}, {{eta}} left", experiment.name());
    if let Ok(style) = ProgressStyle::with_template(&template) {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(500));
    bar
}
