//! `cargo xtask bench`: all measurements of one run, including those of other programs, and the page written from them.

mod counting;
mod data;
mod family;
mod figure;
mod goals;
mod peers;
mod process;
mod related;
mod report;
mod scaling;
mod statistics;
mod versus;

use std::error::Error;
use std::path::PathBuf;
use std::{env, fs};

use clap::Args;
use rayon::ThreadPool;

use crate::search::threads;
pub(crate) use data::Recipe;
use peers::Environment;

/// Arguments of `cargo xtask bench`.
#[derive(Debug, Args)]
pub(crate) struct BenchArgs {
    /// Fewer repeats, and no peer that would take longer than a minute: about a quarter of an hour.
    #[arg(long)]
    quick: bool,
    /// The page to write; its figure is written next to it.
    #[arg(long, default_value = "docs/performance.md")]
    out: PathBuf,
}

/// Settings and tools of one run.
struct Bench {
    quick: bool,
    /// The number of measurements per median.
    repeats: usize,
    /// Searches that would take a peer longer, in seconds, are skipped.
    patience: f64,
    /// The folder of the data.
    folder: PathBuf,
    peers: Environment,
    one_thread: ThreadPool,
}

/// All measurements.
struct Results {
    searches: Vec<versus::PeerComparison>,
    more_searches: Vec<versus::PeerComparison>,
    related: Vec<related::ScoreTimes>,
    families: family::Families,
    counting: counting::Counting,
    memory: Vec<process::Memory>,
    reading: Vec<process::ReadingTime>,
    threads: Vec<process::Threads>,
    large: Vec<scaling::Large>,
    growth: Vec<scaling::Growth>,
}

pub(crate) fn run(args: &BenchArgs) -> Result<(), Box<dyn Error>> {
    let folder = env::current_exe()?.ancestors().nth(2).ok_or("no target folder")?.join("bench");
    let data = folder.join(data::folder_name());
    fs::create_dir_all(&data)?;
    // Fail now rather than after all measurements.
    if let Some(parent) = args.out.parent() {
        fs::create_dir_all(parent)?;
    }
    say("preparing the peers");
    let bench = Bench {
        quick: args.quick,
        repeats: if args.quick { 5 } else { 9 },
        patience: if args.quick { 60.0 } else { 600.0 },
        peers: Environment::new(&folder)?,
        folder: data,
        one_thread: threads(1)?,
    };
    let machine = report::MachineInfo::here(&bench)?;
    let results = Results {
        searches: versus::measure(&bench)?,
        more_searches: versus::measure_more(&bench)?,
        related: related::measure(&bench)?,
        families: family::measure(&bench)?,
        counting: counting::measure(&bench)?,
        memory: process::memory(&bench)?,
        reading: process::reading(&bench)?,
        threads: process::threads(&bench)?,
        growth: scaling::growth(&bench)?,
        large: scaling::large(&bench)?,
    };
    let figure = args.out.with_extension("svg");
    fs::write(&args.out, report::write(&machine, &results, &bench, &figure)?)?;
    figure::draw(&figure, &results)?;
    say(&format!("wrote {} and {}", args.out.display(), figure.display()));
    if results.searches.iter().chain(&results.more_searches).all(versus::PeerComparison::agree) {
        Ok(())
    } else {
        Err("a peer and kinfolk do not agree on the score of the same network".into())
    }
}

/// Prints progress.
fn say(what: &str) {
    #[expect(clippy::print_stderr, reason = "a benchmark takes minutes, and this is its progress")]
    {
        eprintln!("bench: {what}");
    }
}
