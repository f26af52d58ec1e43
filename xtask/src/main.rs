//! Development tasks: `cargo xtask time` times one search, `cargo xtask instructions` counts the instructions of fixed searches,
//! `cargo xtask bench` runs all benchmarks and writes docs/performance.md.

mod bench;
mod instructions;
mod search;
mod time;

use clap::{Parser, Subcommand};

/// Development tasks of kinfolk.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Read a file, search it repeatedly and print the CPU seconds of each search as JSON.
    Time(time::TimeArgs),
    /// Count the instructions of fixed searches with callgrind, independently of other load on the machine.
    Instructions(instructions::InstructionsArgs),
    /// Run all benchmarks, including those of other programs, and write docs/performance.md and its figure.
    Bench(bench::BenchArgs),
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    match Cli::parse().command {
        Command::Time(args) => time::run(&args),
        Command::Instructions(args) => instructions::run(&args),
        Command::Bench(args) => bench::run(&args),
    }
}
