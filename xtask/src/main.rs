//! Work on kinfolk itself: `cargo xtask time` measures one search, `cargo xtask instructions` counts what searches execute,
//! `cargo xtask bench` measures everything against the peers.

mod bench;
mod instructions;
mod search;
mod time;

use clap::{Parser, Subcommand};

/// Work on kinfolk itself.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Read a file, then search it again and again and print the CPU seconds of each search as JSON.
    Time(time::TimeArgs),
    /// Count the instructions of fixed searches with callgrind, which no other work on the machine can disturb.
    Instructions(instructions::InstructionsArgs),
    /// Measure everything, side by side with the peers, and write docs/performance.md and its figure.
    Bench(bench::BenchArgs),
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    match Cli::parse().command {
        Command::Time(args) => time::run(&args),
        Command::Instructions(args) => instructions::run(&args),
        Command::Bench(args) => bench::run(&args),
    }
}
