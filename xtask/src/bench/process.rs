//! Measurements of whole processes: peak memory, reading, and two threads against one.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use std::{env, thread};

use kinfolk::data::{ReadOptions, RelatedData, Source, read};
use kinfolk::score::{Bdeu, Bhd, Kin, Score};

use super::data::{Labels, Recipe, write_csv};
use super::peers::{Peer, succeed};
use super::statistics::{median, median_ratio};
use super::{Bench, say};
use crate::search::{cpu_seconds, search, threads as pool_of};

/// The interval at which a child's memory is read. The kernel records the peak, so only growth in the last interval is
/// missed.
const POLL_INTERVAL: Duration = Duration::from_millis(1);

/// The peak memory of `kinfolk learn`.
pub(crate) struct Memory {
    pub(crate) score: &'static str,
    pub(crate) data_sets: usize,
    /// Bytes at the peak of a plain climb, the program itself included.
    pub(crate) peak: f64,
    /// Bytes at the peak of the default search, which scores and caches more families.
    pub(crate) peak_default: f64,
    /// Bytes of the encoded rows.
    pub(crate) encoded: f64,
    /// Bytes of the score cache, from its number of families.
    pub(crate) cache: f64,
}

/// Reading a file.
pub(crate) struct ReadingTime {
    pub(crate) labels: &'static str,
    /// CPU seconds of kinfolk.
    pub(crate) ours: f64,
    /// CPU seconds of pyarrow.
    pub(crate) theirs: f64,
}

/// A search on one thread and on two.
pub(crate) struct Threads {
    pub(crate) score: &'static str,
    pub(crate) recipe: Recipe,
    /// Elapsed seconds with one thread.
    pub(crate) one: f64,
    /// Elapsed seconds with two.
    pub(crate) two: f64,
    /// The ratio of the two.
    pub(crate) ratio: f64,
    /// The speed-up of two independent searches at the same time, the most that the machine allows.
    pub(crate) apart: f64,
}

pub(crate) fn memory(bench: &Bench) -> Result<Vec<Memory>, Box<dyn Error>> {
    say("peak memory of kinfolk learn");
    let program = build_program()?;
    let measure = |data_sets: usize, score: &dyn Score| -> Result<Memory, Box<dyn Error>> {
        let data = Recipe::binary(200, data_sets, 100_000 / data_sets).make();
        let file = bench.folder.join(format!("memory_{data_sets}.csv"));
        write_csv(&data, Labels::Letters, &file)?;
        let group: &[&str] = if data_sets > 1 { &["--group", "set"] } else { &[] };
        let peak_of = |method: &str| {
            let mut command = Command::new(&program);
            command.args(["learn", "--quiet", "--json", "--search", method, "--score", score.name()]);
            peak(command.args(group).arg(&file))
        };
        Ok(Memory {
            score: score.name(),
            data_sets,
            peak: peak_of("climb")?,
            peak_default: peak_of("auto")?,
            encoded: encoded_bytes(&data),
            cache: cache_bytes(search(&data, score, &bench.one_thread)?.families),
        })
    };
    Ok(vec![
        measure(1, &Bdeu::default())?,
        // A pooled score of data sets that differ learns many arcs and caches many families.
        measure(10, &Bdeu::default())?,
        measure(10, &Bhd::default())?,
        measure(10, &Kin::default())?,
    ])
}

/// Builds the command line program and returns its path.
fn build_program() -> Result<PathBuf, Box<dyn Error>> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    succeed(Command::new(cargo).args(["build", "--release", "--quiet", "--package", "kinfolk-cli"]))?;
    Ok(env::current_exe()?.with_file_name("kinfolk"))
}

/// The peak memory of a command, in bytes.
fn peak(command: &mut Command) -> Result<f64, Box<dyn Error>> {
    let mut child = command.stdout(Stdio::null()).spawn()?;
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0.0;
    while child.try_wait()?.is_none() {
        if let Some(now) = high_water_mark(Path::new(&status)) {
            peak = now;
        }
        thread::sleep(POLL_INTERVAL);
    }
    let ended = child.wait()?;
    if ended.success() { Ok(peak) } else { Err(format!("{command:?}: {ended}").into()) }
}

/// `VmHWM` of a process, in bytes; `None` once it has ended.
fn high_water_mark(status: &Path) -> Option<f64> {
    let text = fs::read_to_string(status).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: f64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024.0)
}

/// One byte per value: no variable here has more than 256 states.
fn encoded_bytes(data: &RelatedData) -> f64 {
    (data.schema().variables().len() * data.stored_rows()) as f64
}

/// The least memory of a cached score, in bytes. (Of one with 223,682 scores it was 22, by a heap profiler.)
const BYTES_OF_SCORE: usize = 20;

fn cache_bytes(families: usize) -> f64 {
    (BYTES_OF_SCORE * families) as f64
}

pub(crate) fn reading(bench: &Bench) -> Result<Vec<ReadingTime>, Box<dyn Error>> {
    let mut readings = Vec::new();
    for (labels, name) in [(Labels::Letters, "letters"), (Labels::Digits, "digits")] {
        say(&format!("reading {name}: kinfolk and pyarrow"));
        let file = bench.folder.join(format!("reading_{name}.csv"));
        write_csv(&Recipe::binary(200, 1, 100_000).make(), labels, &file)?;
        let mut arrow = bench.peers.start(Peer::Pyarrow, &file)?;
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        for _ in 0..bench.repeats {
            let begun = cpu_seconds();
            let sources = vec![Source::Path(file.clone())];
            bench.one_thread.install(|| read(sources, &ReadOptions::default()).map(drop))?;
            ours.push(cpu_seconds() - begun);
            theirs.push(arrow.work()?.cpu);
        }
        readings.push(ReadingTime { labels: name, ours: median(ours), theirs: median(theirs) });
    }
    Ok(readings)
}

pub(crate) fn threads(bench: &Bench) -> Result<Vec<Threads>, Box<dyn Error>> {
    say("two threads against one");
    let bdeu = longer_than_a_second(bench, &Bdeu::default(), 1)?;
    Ok(vec![bdeu, longer_than_a_second(bench, &Bhd::default(), 10)?])
}

/// Elapsed seconds of two simultaneous searches, each on its own thread.
fn two_apart(data: &RelatedData, score: &dyn Score) -> Result<f64, Box<dyn Error>> {
    let pools = [pool_of(1)?, pool_of(1)?];
    let started = Instant::now();
    let searched = thread::scope(|scope| {
        let both = pools.each_ref().map(|pool| {
            scope.spawn(|| search(data, score, pool).map(drop).map_err(|error| error.to_string()))
        });
        both.map(|search| search.join().expect("a search does not panic"))
    });
    searched.into_iter().collect::<Result<(), String>>()?;
    Ok(started.elapsed().as_secs_f64())
}

/// Enlarges a search of 1e5 rows until it lasts longer than a second on one thread, then measures it on one and on two.
fn longer_than_a_second(
    bench: &Bench,
    score: &dyn Score,
    data_sets: usize,
) -> Result<Threads, Box<dyn Error>> {
    let two_threads = pool_of(2)?;
    let mut variables = 100;
    loop {
        let recipe = Recipe::binary(variables, data_sets, 100_000 / data_sets);
        let data = recipe.make();
        if search(&data, score, &bench.one_thread)?.wall <= 1.2 && variables < 1000 {
            variables += 100;
            continue;
        }
        let (mut one, mut two, mut apart) = (Vec::new(), Vec::new(), Vec::new());
        // The gain depends on other load on both processors and is measured more often.
        for _ in 0..=2 * bench.repeats {
            one.push(search(&data, score, &bench.one_thread)?.wall);
            two.push(search(&data, score, &two_threads)?.wall);
            apart.push(two_apart(&data, score)? / 2.0);
        }
        let (ratio, apart) = (median_ratio(&one, &two), median_ratio(&one, &apart));
        return Ok(Threads { score: score.name(), recipe, one: median(one), two: median(two), ratio, apart });
    }
}
