//! The CPU time of a search alone, data in memory: our side of every comparison.

use std::error::Error;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use kinfolk::counts::MemoryTally;
use kinfolk::data::{ReadOptions, Source, parse_levels, read};
use kinfolk::graph::Dag;
use kinfolk::score::{Bdeu, Bhd, Score, Scorer};
use kinfolk::search::{Constraints, HillClimb};
use rustix::time::{ClockId, clock_gettime};
use serde_json::json;

/// What to time.
#[derive(Debug, Args)]
pub(crate) struct TimeArgs {
    /// A CSV file.
    file: PathBuf,
    /// The column that says which data set a row belongs to.
    #[arg(long)]
    group: Option<String>,
    /// Declared states, as JSON.
    #[arg(long)]
    levels: Option<PathBuf>,
    /// bdeu or bhd.
    #[arg(long, default_value = "bdeu")]
    score: String,
    /// How often to search.
    #[arg(long, default_value_t = 5)]
    repeat: usize,
    /// Threads to use.
    #[arg(long, default_value_t = 1)]
    threads: usize,
}

/// CPU seconds of this process so far, all threads together.
pub(crate) fn cpu_seconds() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
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
        other => return Err(format!("no score is called {other}; bdeu or bhd").into()),
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(args.threads).build()?;
    let (mut cpu, mut wall) = (Vec::new(), Vec::new());
    let mut found = None;
    for _ in 0..args.repeat.max(1) {
        let (begun, started) = (cpu_seconds(), Instant::now());
        let climb = pool.install(|| {
            let tally = if score.is_pooled() { MemoryTally::pooled(&data) } else { MemoryTally::new(&data) };
            let mut scorer = Scorer::new(&tally, score.as_ref());
            let search = HillClimb::new(Constraints::none(data.schema()));
            let start = Dag::empty(data.schema().variables().len());
            let climb = search.run(&mut scorer, start, &mut |_| ControlFlow::Continue(()));
            climb.map(|climb| (climb, scorer.scored()))
        })?;
        cpu.push(cpu_seconds() - begun);
        wall.push(started.elapsed().as_secs_f64());
        found = Some(climb);
    }
    let (climb, families) = found.ok_or("nothing was timed")?;
    let result = json!({
        "read_cpu_seconds": reading,
        "cpu_seconds": cpu,
        "wall_seconds": wall,
        "score": climb.score,
        "arcs": climb.dag.arc_count(),
        "families": families,
    });
    #[expect(clippy::print_stdout, reason = "this is the output")]
    {
        println!("{result}");
    }
    Ok(())
}
