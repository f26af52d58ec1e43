//! The commands, one file each, and their common parts.

mod bootstrap;
mod compare;
mod convert;
mod demo;
mod describe;
mod explain;
mod fit;
mod found;
mod impute;
mod learn;
mod new_rows;
mod pages;
mod posterior;
mod predict;
mod query;
mod report;
mod reproduce;
mod sample;
mod score;
mod shown;
mod simulate;
mod solve;
mod validate;

use kinfolk::counts::{MemoryTally, thread_pool};
use kinfolk::data::{Detail, Phase, Reading, RelatedData, read_observed};
use kinfolk::estimate::RESERVED_NAMES;
use kinfolk::formats::Provenance;
use kinfolk::missing::FillIn;
use kinfolk::remedy::Actionable;
use kinfolk::score::Score;
use serde::Serialize;

use crate::args::{ALL, Cli, Command, CommonArgs, DataArgs, ScoreArgs};
use crate::failure::Failure;
use crate::output;
use crate::timing::Stopwatch;
use crate::wording::Flags;

/// Runs the command on a worker of the thread pool, so that the calling thread is not woken for every batch of work.
pub(crate) fn run(cli: Cli) -> Result<(), Failure> {
    let Cli { command, common } = cli;
    thread_pool(common.threads.into()).build_global().map_err(|error| {
        let threads = common.threads;
        Failure::Call(format!("cannot start {threads} threads ({error}); use fewer with --threads"))
    })?;
    rayon::scope(|_| dispatch(command, &common))
}

fn dispatch(command: Command, common: &CommonArgs) -> Result<(), Failure> {
    match command {
        Command::Learn(args) => learn::run(&args, common),
        Command::Score(mut args) => score::run(&mut args, common),
        Command::Solve(args) => solve::run(&args, common),
        Command::Fit(mut args) => fit::run(&mut args, common),
        Command::Query(args) => query::run(&args, common),
        Command::Predict(args) => predict::run(&args, common),
        Command::Impute(args) => impute::run(&args, common),
        Command::Validate(mut args) => validate::run(&mut args, common),
        Command::Explain(mut args) => explain::run(&mut args, common),
        Command::Bootstrap(mut args) => bootstrap::run(&mut args, common),
        Command::Posterior(mut args) => posterior::run(&mut args, common),
        Command::Report(mut args) => report::run(&mut args, common),
        Command::Compare(args) => compare::run(&args, common),
        Command::Convert(args) => convert::run(&args, common),
        Command::Describe(args) => describe::run(&args, common),
        Command::Simulate(args) => simulate::run(&args, common),
        Command::Sample(args) => sample::run(&args, common),
        Command::Demo(_) => demo::run(common),
        Command::Reproduce(args) => reproduce::run(&args, common),
        Command::Completions(args) => pages::completions(args.shell),
        Command::Man(args) => pages::manual(args.dir.as_deref()),
        Command::Licences => pages::licences(),
    }
}

/// Reads the data and prints notes about them on standard error.
fn read_data(args: &DataArgs, common: &CommonArgs) -> Result<Reading, Failure> {
    read_data_timed(args, common, &mut Stopwatch::start())
}

/// As [`read_data`], with the time it takes.
fn read_data_timed(args: &DataArgs, common: &CommonArgs, watch: &mut Stopwatch) -> Result<Reading, Failure> {
    let reading = read_observed(args.sources()?, &args.options()?, &mut |phase| {
        watch.lap(match phase {
            Phase::Read => "read",
            Phase::Encoded => "encode",
        });
    })?;
    if !common.quiet {
        let is_reserved = |name: &&String| name.as_str() == ALL || RESERVED_NAMES.contains(&name.as_str());
        for name in reading.data.schema().data_sets().iter().filter(is_reserved) {
            output::note(&format!(
                "note: a data set is called `{name}`: `--data-set {name}` selects it, not the tables that the name otherwise stands for; \
                 rename its file, or its name in the group column, to keep both"
            ));
        }
        for remark in reading.description.remarks(Detail::Short) {
            let kind = if remark.is_warning() { "warning" } else { "note" };
            output::note(&format!("{kind}: {}", remark.message(&Flags)));
        }
    }
    Ok(reading)
}

/// The tally that a score needs: by data set, or pooled.
fn tally_for<'a>(data: &'a RelatedData, score: &dyn Score, args: &DataArgs) -> MemoryTally<'a> {
    let tally = MemoryTally::by_data_set_or_pooled(data, score.is_pooled());
    tally.with_memory(args.memory_bytes())
}

/// How missing values are filled in for a given structure, by the tables of a score.
fn fill_in(
    score: &ScoreArgs,
    built: &dyn Score,
    seed: u64,
    (args, data): (&DataArgs, &RelatedData),
) -> Result<FillIn, Failure> {
    let data_sets = data.schema().data_sets().len();
    Ok(FillIn::for_score(&score.spec()?, built, data_sets, seed, Some(args.memory_bytes()))?)
}

/// The provenance of a result, for its file. Printed results have none, so that they do not depend on the command line.
fn provenance(data: &RelatedData) -> Provenance {
    Provenance::of(data, command_that_matters())
}

/// A result with its provenance, as in its file.
#[derive(Serialize)]
struct WithProvenance<'a, T: Serialize> {
    #[serde(flatten)]
    result: &'a T,
    provenance: Provenance,
}

impl<'a, T: Serialize> WithProvenance<'a, T> {
    fn of(result: &'a T, data: &RelatedData) -> Self {
        Self { result, provenance: provenance(data) }
    }
}

/// The provenance of a page, which depends on all options.
fn page_provenance(data: &RelatedData) -> Provenance {
    Provenance::of(data, command_without(&["--threads"]))
}

/// The command line to record: without the program's name and options that do not change the result.
fn command_that_matters() -> Vec<String> {
    command_without(&[
        "--threads",
        "--out",
        "--report",
        "--title",
        "--figures",
        "--explain",
        "--bootstrap",
        "--resume",
    ])
}

/// The command line without the program's name, these options with their values, and options that only change the
/// output.
fn command_without(options: &[&str]) -> Vec<String> {
    let is_given =
        |argument: &str, flag: &str| argument.strip_prefix(flag).is_some_and(|rest| rest.starts_with('='));
    let mut arguments = std::env::args_os().skip(1).map(|argument| argument.to_string_lossy().into_owned());
    let mut kept = Vec::new();
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--json" | "--quiet" | "-q" | "--timing" | "--force" => {}
            flag if options.contains(&flag) => drop(arguments.next()),
            other if options.iter().any(|flag| is_given(other, flag)) => {}
            _ => kept.push(argument),
        }
    }
    kept
}
