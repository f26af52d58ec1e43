//! Instruction counts of fixed searches, which do not depend on other load on the machine.

use std::env;
use std::error::Error;
use std::process::Command;

use clap::Args;
use kinfolk::score::{Bdeu, Bhd, Kin, Score};

use crate::bench::Recipe;
use crate::search::{climb, threads};

/// The searches: score, number of variables, number of data sets, rows of each data set.
const SEARCHES: [(&str, usize, usize, usize); 7] = [
    ("bdeu", 50, 1, 10_000),
    ("bdeu", 20, 10, 100),
    ("bhd", 20, 10, 100),
    ("bdeu", 20, 10, 1_000),
    ("bhd", 20, 10, 1_000),
    ("kin", 20, 10, 100),
    ("kin", 20, 10, 1_000),
];

/// Arguments of `cargo xtask instructions`.
#[derive(Debug, Args)]
pub(crate) struct InstructionsArgs {
    /// Run the search at this position; set in the process that callgrind counts.
    #[arg(long, hide = true)]
    inside: Option<usize>,
    /// Only make the data, whose instructions are subtracted.
    #[arg(long, hide = true)]
    data_only: bool,
}

pub(crate) fn run(args: &InstructionsArgs) -> Result<(), Box<dyn Error>> {
    if let Some(position) = args.inside {
        return inside(position, args.data_only);
    }
    for (position, (score, variables, data_sets, rows)) in SEARCHES.iter().enumerate() {
        let (whole, families) = counted(position, false)?;
        let (data, _) = counted(position, true)?;
        let search = whole - data;
        #[expect(clippy::print_stdout, reason = "this is the output")]
        {
            println!(
                "{score:4}  {variables} variables, {data_sets} × {rows} rows: {search} instructions, {families} families, {} each",
                search / families.max(1)
            );
        }
    }
    Ok(())
}

/// Makes the data of one search, runs it, and prints the number of families requested.
fn inside(position: usize, data_only: bool) -> Result<(), Box<dyn Error>> {
    let &(score, variables, data_sets, rows) = SEARCHES.get(position).ok_or("no such search")?;
    let data = Recipe::binary(variables, data_sets, rows).make();
    let pool = threads(1)?;
    let score: &dyn Score = match score {
        "bhd" => &Bhd::default(),
        "kin" => &Kin::default(),
        _ => &Bdeu::default(),
    };
    let families = if data_only { 0 } else { climb(&data, score, &pool, 0)?.1 };
    #[expect(clippy::print_stdout, reason = "this is what the counting process reads")]
    {
        println!("{families}");
    }
    Ok(())
}

/// The instructions of one such process and the families it requested.
fn counted(position: usize, data_only: bool) -> Result<(u64, u64), Box<dyn Error>> {
    let mut command = Command::new("valgrind");
    command.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]);
    command.arg(env::current_exe()?).args(["instructions", "--inside", &position.to_string()]);
    if data_only {
        command.arg("--data-only");
    }
    let output = command.output().map_err(|error| format!("valgrind could not be started: {error}"))?;
    if !output.status.success() {
        return Err(format!("valgrind failed: {}", String::from_utf8_lossy(&output.stderr)).into());
    }
    let told = String::from_utf8_lossy(&output.stderr);
    let collected =
        told.lines().find_map(|line| line.split_once("Collected :")).ok_or("valgrind counted nothing")?;
    Ok((collected.1.trim().parse()?, String::from_utf8(output.stdout)?.trim().parse()?))
}
