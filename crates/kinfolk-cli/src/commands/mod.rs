//! The commands, one file each.

mod compare;
mod demo;
mod describe;
mod fit;
mod learn;
mod pages;
mod score;
mod validate;

use kinfolk::counts::MemoryTally;
use kinfolk::data::{Reading, RelatedData, read};
use kinfolk::score::Score;

use crate::args::{Cli, Command, CommonArgs, DataArgs};
use crate::failure::Failure;
use crate::output;

/// Runs the command that was asked for.
pub(crate) fn run(cli: Cli) -> Result<(), Failure> {
    let Cli { command, common } = cli;
    rayon::ThreadPoolBuilder::new()
        .num_threads(common.threads.into())
        .build_global()
        .map_err(|error| Failure::Internal(format!("cannot start {} threads: {error}", common.threads)))?;
    match command {
        Command::Learn(args) => learn::run(&args, &common),
        Command::Score(args) => score::run(&args, &common),
        Command::Fit(args) => fit::run(&args, &common),
        Command::Validate(args) => validate::run(&args, &common),
        Command::Compare(args) => compare::run(&args, &common),
        Command::Describe(args) => describe::run(&args, &common),
        Command::Demo(_) => demo::run(&common),
        Command::Completions(args) => pages::completions(args.shell),
        Command::Man(args) => pages::manual(args.dir.as_deref()),
    }
}

/// Reads the data and says on standard error what a reader should know about them.
fn read_data(args: &DataArgs, common: &CommonArgs) -> Result<Reading, Failure> {
    let reading = read(args.sources()?, &args.options()?)?;
    if !common.quiet {
        for line in describe::remarks(&reading.description, describe::Detail::Short) {
            output::note(&format!("note: {line}"));
        }
    }
    Ok(reading)
}

/// The tally that a score needs: with the data sets apart or as one.
fn tally_for<'a>(data: &'a RelatedData, score: &dyn Score, args: &DataArgs) -> MemoryTally<'a> {
    let tally = if score.is_pooled() { MemoryTally::pooled(data) } else { MemoryTally::new(data) };
    tally.with_memory(args.memory_bytes())
}
