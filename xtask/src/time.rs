//! The CPU time of searches of one file.

use std::error::Error;
use std::path::PathBuf;

use clap::Args;
use kinfolk::data::{ReadOptions, Source, parse_levels, read};
use kinfolk::score::{Bdeu, Bhd, Kin, Score};
use serde_json::json;

use crate::search::{Run, cpu_seconds, search, threads};

/// Arguments of `cargo xtask time`.
#[derive(Debug, Args)]
pub(crate) struct TimeArgs {
    /// A CSV file.
    file: PathBuf,
    /// The column with the data set of each row.
    #[arg(long)]
    group: Option<String>,
    /// Declared states, as JSON.
    #[arg(long)]
    levels: Option<PathBuf>,
    /// bdeu, bhd or kin.
    #[arg(long, default_value = "bdeu")]
    score: String,
    /// The number of searches.
    #[arg(long, default_value_t = 5)]
    repeat: usize,
    /// Threads to use.
    #[arg(long, default_value_t = 1)]
    threads: usize,
}

pub(crate) fn run(args: &TimeArgs) -> Result<(), Box<dyn Error>> {
    let mut options = ReadOptions { group: args.group.clone(), ..ReadOptions::default() };
    if let Some(file) = &args.levels {
        options.levels = parse_levels(&std::fs::read_to_string(file)?, &file.display().to_string())?;
    }
    let begun = cpu_seconds();
    let data = read(vec![Source::Path(args.file.clone())], &options)?.data;
    let reading = cpu_seconds() - begun;
    let score: Box<dyn Score> = match args.score.as_str() {
        "bdeu" => Box::new(Bdeu::default()),
        "bhd" => Box::new(Bhd::default()),
        "kin" => Box::new(Kin::default()),
        other => return Err(format!("no score is called {other}; bdeu, bhd or kin").into()),
    };
    let pool = threads(args.threads)?;
    let runs: Vec<Run> =
        (0..args.repeat.max(1)).map(|_| search(&data, score.as_ref(), &pool)).collect::<Result<_, _>>()?;
    let last = &runs[runs.len() - 1];
    let result = json!({
        "read_cpu_seconds": reading,
        "cpu_seconds": runs.iter().map(|run| run.cpu).collect::<Vec<_>>(),
        "wall_seconds": runs.iter().map(|run| run.wall).collect::<Vec<_>>(),
        "score": last.score,
        "arcs": last.arcs,
        "families": last.families,
    });
    #[expect(clippy::print_stdout, reason = "this is the output")]
    {
        println!("{result}");
    }
    Ok(())
}
