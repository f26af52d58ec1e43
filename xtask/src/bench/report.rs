//! Writes docs/performance.md: the goals, the machine and the commit, and the tables of measurements.

use std::error::Error;
use std::fmt::{self, Write};
use std::fs;
use std::path::Path;
use std::process::Command;

use super::counting::OFTEN;
use super::goals::{GoalVerdict, goals, range, thousands};
use super::peers::Peer;
use super::statistics::median;
use super::versus::PeerComparison;
use super::{Bench, Results};
use crate::search::Run;

/// The machine and the versions that the numbers depend on.
pub(crate) struct MachineInfo {
    processor: String,
    cores: usize,
    /// The load average over the last minute when the run began.
    load: String,
    rustc: String,
    peers: String,
    commit: String,
}

impl MachineInfo {
    pub(crate) fn here(bench: &Bench) -> Result<Self, Box<dyn Error>> {
        let cpu = fs::read_to_string("/proc/cpuinfo")?;
        let field = |name: &str| {
            let value =
                cpu.lines().find(|line| line.starts_with(name)).and_then(|line| line.split(':').nth(1));
            value.map_or("unknown", str::trim).to_owned()
        };
        let wide =
            ["avx2", "avx512f"].into_iter().filter(|flag| field("flags").split(' ').any(|f| f == *flag));
        let wide: Vec<&str> = wide.collect();
        // A changed document does not change what is measured.
        let changed =
            !output("git", &["status", "--porcelain", "--", "crates", "xtask", "Cargo.toml", "Cargo.lock"])?
                .is_empty();
        let commit = output("git", &["rev-parse", "--short=12", "HEAD"])?;
        Ok(Self {
            processor: format!(
                "{} (family {}, model {}; {})",
                field("model name"),
                field("cpu family"),
                field("model\t"),
                if wide.is_empty() { "neither AVX2 nor AVX-512".to_owned() } else { wide.join(", ") }
            ),
            cores: std::thread::available_parallelism()?.get(),
            load: fs::read_to_string("/proc/loadavg")?.split(' ').next().unwrap_or("unknown").to_owned(),
            rustc: output("rustc", &["--version"])?,
            peers: bench.peers.versions()?,
            commit: if changed { format!("{commit}, with changes not committed") } else { commit },
        })
    }
}

fn output(program: &str, args: &[&str]) -> Result<String, Box<dyn Error>> {
    Ok(String::from_utf8(Command::new(program).args(args).output()?.stdout)?.trim().to_owned())
}

/// The whole page as Markdown.
pub(crate) fn write(
    machine: &MachineInfo,
    results: &Results,
    bench: &Bench,
    figure: &Path,
) -> Result<String, fmt::Error> {
    let mut page = String::new();
    let figure = figure.file_name().unwrap_or_default().display().to_string();
    let sections = [
        introduction(bench),
        goal_table(results),
        Ok(format!("![CPU seconds of a search: against the peers, and as rows grow]({figure})")),
        machine_table(machine),
        search_table(results),
        related_table(results),
        family_table(results),
        counting_table(results, bench),
        process_table(results),
        growth_table(results),
    ];
    for section in sections {
        page += section?.trim_end();
        page += "\n\n";
    }
    Ok(page.trim_end().to_owned() + "\n")
}

fn introduction(bench: &Bench) -> Result<String, fmt::Error> {
    let mut text = String::from("# Performance\n\n");
    let command = if bench.quick { "cargo xtask bench --quick" } else { "cargo xtask bench" };
    writeln!(
        text,
        "Written by `{command}`, which makes the data from a fixed seed, installs the peers from PyPI into a virtual\n\
         environment of its own, runs all programs in turns on the same rows, and measures CPU seconds of one core (searches only,\n\
         data in memory). Unless stated otherwise, a number is a median of {} repeats, more for short searches and for two threads, and\n\
         a ratio between searches is the median of the ratios of single turns; peak memory and the searches among 1,000 variables\n\
         were measured once. Ratios carry over to other machines; seconds do not.\n",
        bench.repeats
    )?;
    Ok(text)
}

fn goal_table(results: &Results) -> Result<String, fmt::Error> {
    let groups = goals(results);
    let all = || groups.iter().flatten();
    let count = |verdict: GoalVerdict| all().filter(|goal| goal.verdict == verdict).count();
    let mut text =
        format!("## Goals\n\n{} met, {} not met", count(GoalVerdict::Met), count(GoalVerdict::NotMet));
    let open = count(GoalVerdict::NotMeasured);
    if open > 0 {
        write!(text, ", {open} not measured in this run")?;
    }
    text += ".\n\n| | what | goal | measured | |\n|---|---|---|---|---|\n";
    for (number, group) in (1..).zip(&groups) {
        for goal in group {
            let verdict = match goal.verdict {
                GoalVerdict::Met => "met",
                GoalVerdict::NotMet => "**NOT MET**",
                GoalVerdict::NotMeasured => "not measured",
            };
            writeln!(text, "| {number} | {} | {} | {} | {verdict} |", goal.what, goal.target, goal.measured)?;
        }
    }
    Ok(text)
}

fn machine_table(machine: &MachineInfo) -> Result<String, fmt::Error> {
    let mut text = String::from("## Machine and versions\n\n| | |\n|---|---|\n");
    writeln!(text, "| processor | {}, {} cores |", machine.processor, machine.cores)?;
    writeln!(text, "| load when the run began | {} |", machine.load)?;
    writeln!(text, "| compiler | {} |", machine.rustc)?;
    writeln!(text, "| peers | {} |", machine.peers)?;
    writeln!(text, "| commit | {} |", machine.commit)?;
    Ok(text)
}

fn search_table(results: &Results) -> Result<String, fmt::Error> {
    let mut text = String::from(
        "## Searches against the peers\n\n\
         Hill-climbing from the empty graph, BDeu with an imaginary sample size of 1, no limit on parents. *mixed*: 37 variables of\n\
         2–4 states, 46 arcs; *synN*: N binary variables, 1.2 N arcs. A dash: the peer would have taken too long. pyAgrum's BDeu\n\
         has another imaginary sample size, so its networks are not compared. Scores of both networks are kinfolk's; the programs break\n\
         ties between equally good arcs differently and then follow different paths, so that a plain climb (the first columns) ends\n\
         higher or lower by chance. With `--escapes 20` the search also reverses arcs and re-selects the parents of both endpoints; the\n\
         goals refer to it. Its ratio, too, is that to pybnesian.\n\n\
         | data | kinfolk | pybnesian | ratio | pyAgrum | ratio | score of kinfolk's network | of pybnesian's | better | with escapes | ratio | its score | arcs | repeats |\n\
         |---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n",
    );
    for search in &results.searches {
        let time = |peer| search.by(peer).map_or("–".to_owned(), |measured| seconds(measured.cpu));
        let ratio = |peer| times_faster(search.ratio(peer));
        let theirs = search.by(Peer::Pybnesian);
        let times = [Peer::Pybnesian, Peer::Pyagrum].map(|peer| search.by(peer).map_or(0, |m| m.repeats));
        let repeats = format!("{}, {}, {}", search.repeats, times[0], times[1]);
        let better = search.lead(&search.run, Peer::Pybnesian).map_or("–", |lead| match lead {
            0.0 => "same",
            lead if lead > 0.0 => "kinfolk",
            _ => "pybnesian",
        });
        writeln!(
            text,
            "| {} | {} | {} | **{}** | {} | {} | {:.3} | {} | {better} | {} | {} | {:.3} | {}, {} | {repeats} |",
            search.name,
            seconds(search.cpu),
            time(Peer::Pybnesian),
            ratio(Peer::Pybnesian),
            time(Peer::Pyagrum),
            ratio(Peer::Pyagrum),
            search.run.score,
            theirs.map_or("–".to_owned(), |theirs| format!("{:.3}", theirs.our_score)),
            seconds(search.further.cpu),
            times_faster(search.ratio_further(Peer::Pybnesian)),
            search.further.score,
            search.run.arcs,
            theirs.map_or("–".to_owned(), |theirs| theirs.arcs.to_string()),
        )?;
    }
    text += &more_searches(&results.more_searches);
    let all = || results.searches.iter().chain(&results.more_searches);
    writeln!(
        text,
        "\nBoth programs give the same network the same score: the largest relative difference is {:.0e}. kinfolk's search with\n\
         escapes ends at least as high as pybnesian's on {} of {} data sets, its plain climb on {}.",
        all().map(PeerComparison::disagreement).fold(0.0, f64::max),
        at_least_as_high(all(), |search| &search.further),
        all().filter(|search| search.by(Peer::Pybnesian).is_some()).count(),
        at_least_as_high(all(), |search| &search.run),
    )?;
    Ok(text)
}

/// On how many data sets kinfolk's network scores at least as high as pybnesian's.
fn at_least_as_high<'a>(
    searches: impl Iterator<Item = &'a PeerComparison>,
    run: fn(&PeerComparison) -> &Run,
) -> usize {
    searches
        .filter_map(|search| search.lead(run(search), Peer::Pybnesian))
        .filter(|lead| *lead >= 0.0)
        .count()
}

/// How many times faster, as a cell of a table.
fn times_faster(ratio: Option<f64>) -> String {
    ratio.map_or("–".to_owned(), |ratio| format!("{}×", number(ratio)))
}

/// The comparison of scores over further draws of the smallest problem.
fn more_searches(searches: &[PeerComparison]) -> String {
    let peer = Peer::Pybnesian;
    let ratios: Vec<f64> = searches.iter().filter_map(|search| search.ratio(peer)).collect();
    let further: Vec<f64> = searches.iter().filter_map(|search| search.ratio_further(peer)).collect();
    if ratios.len() < 2 {
        return String::new();
    }
    let leads = |run: fn(&PeerComparison) -> &Run| -> String {
        let leads: Vec<f64> = searches.iter().filter_map(|search| search.lead(run(search), peer)).collect();
        let count = |is: fn(&f64) -> bool| leads.iter().filter(|lead| is(lead)).count();
        let n = leads.len() as f64;
        let mean = leads.iter().sum::<f64>() / n;
        let variance = leads.iter().map(|lead| (lead - mean) * (lead - mean)).sum::<f64>() / (n - 1.0);
        format!(
            "higher in {}, the same in {}, lower in {} (mean of kinfolk's less pybnesian's {}, standard error {})",
            count(|lead| *lead > 0.0),
            count(|lead| *lead == 0.0),
            count(|lead| *lead < 0.0),
            number(mean),
            number((variance / n).sqrt()),
        )
    };
    format!(
        "\nIn {} others like syn50 1e4 kinfolk's plain climb was {} as fast as pybnesian\n\
         (median {}×). Its score was\n{};\nthat of its search with escapes, {} as fast as the same climbs of pybnesian,\n{}.\n",
        ratios.len(),
        range(&ratios, "×"),
        number(median(ratios.clone())),
        leads(|search| &search.run),
        range(&further, "×"),
        leads(|search| &search.further),
    )
}

fn related_table(results: &Results) -> Result<String, fmt::Error> {
    let mut text = String::from(
        "## BHD against our own BDeu, kin against BHD\n\n\
         Related binary data: 10 data sets whose joint tables are drawn around a common one, θ ~ Dir(10·a), a ~ Dir(1, …), in several\n\
         problems of each kind, because scores climb to different networks and each problem has a ratio of its own. Times are means over\n\
         problems of such medians, ratios those of the means, and beside them the smallest and the largest of single problems; then BHD's\n\
         ratio per family. BHD and kin fit only families that may be the best move; the others are counted and bounded.\n\n\
         | N | rows | problems | BDeu | BHD | ratio | of single ones | per family | families (BDeu, BHD) | kin | against BHD | of single ones |\n\
         |---|---|---|---|---|---|---|---|---|---|---|---|\n",
    );
    for c in &results.related {
        writeln!(
            text,
            "| {} | 10 × {} | {} | {} | {} | **{}×** | {} | {}× | {}, {} | {} | **{}×** | {} |",
            c.recipe.variables,
            thousands(c.recipe.rows_per_data_set),
            c.problems,
            seconds(c.bdeu.cpu()),
            seconds(c.bhd.cpu()),
            number(c.ratio()),
            range(&c.bhd.ratios(&c.bdeu), "×"),
            number(c.ratio_per_family()),
            thousands(c.bdeu.families()),
            thousands(c.bhd.families()),
            seconds(c.kin.cpu()),
            number(c.kin_ratio()),
            range(&c.kin.ratios(&c.bhd), "×"),
        )?;
    }
    Ok(text)
}

fn family_table(results: &Results) -> Result<String, fmt::Error> {
    let mut text = String::from(
        "## One BHD family\n\nThe time of the score alone, for given counts of 10 data sets with 5,000 rows each.\n\n\
         | observed cells | possible cells | time | per observed cell |\n|---|---|---|---|\n",
    );
    let families = &results.families;
    for point in families.by_observed.iter().chain(families.by_possible.iter().skip(1)) {
        let per_cell = seconds(point.seconds / point.observed as f64);
        let possible = if point.possible < 1e6 {
            format!("{:.0}", point.possible)
        } else {
            format!("{:.1e}", point.possible)
        };
        writeln!(
            text,
            "| {} | {possible} | {} | {per_cell} |",
            thousands(point.observed),
            seconds(point.seconds)
        )?;
    }
    writeln!(
        text,
        "\nA power law through these points has the exponent {:.2} in the observed cells and {:.2} in the possible cells.",
        families.observed_exponent(),
        families.possible_exponent()
    )?;
    Ok(text)
}

fn counting_table(results: &Results, bench: &Bench) -> Result<String, fmt::Error> {
    let counting = &results.counting;
    let mut text = format!(
        "## Counting\n\nBatches of 64 families (16 of 1e6 rows) that differ in one parent, rows of evenly distributed states, one data set; the\n\
         time to make the tables is included. Times are the minimum of {} repeats, because other load on the machine only adds time, and\n\
         the median.\n\n\
         | kernel | states | parents | rows | ns per row | median |\n|---|---|---|---|---|---|\n",
        OFTEN * bench.repeats
    );
    let rows = counting
        .bitmaps
        .iter()
        .map(|p| ("bitmaps", p))
        .chain(counting.histograms.iter().map(|p| ("histogram", p)));
    for (kernel, point) in rows {
        let (time, median) = (number(point.nanoseconds), number(point.median));
        writeln!(
            text,
            "| {kernel} | {} | {} | {:.0e} | {time} | {median} |",
            point.states, point.parents, point.rows as f64
        )?;
    }
    writeln!(
        text,
        "\nThe cost model that chooses between them (`counts/memory/plan.rs`) has one row of a histogram as its unit. Measured here: a word of two\n\
         bitmaps costs {} (`WORD_COST`), a separate data set of 500 rows {} more than the same rows as a part of a larger one\n\
         (8 words at `SINGLE_WORD_COST` less `WORD_COST`, and `DATA_SET_COST`). The constants are a compromise between processors with and\n\
         without an instruction that counts the bits of wide registers.",
        number(counting.word_cost),
        number(counting.data_set_cost)
    )?;
    Ok(text)
}

fn process_table(results: &Results) -> Result<String, fmt::Error> {
    let mut text = String::from(
        "## Memory, reading, threads\n\n| peak memory, N = 200, 1e5 rows | whole process, plain climb | encoded data | score cache | whole process, default search |\n\
         |---|---|---|---|---|\n",
    );
    for memory in &results.memory {
        let (peak, encoded, cache) = (bytes(memory.peak), bytes(memory.encoded), bytes(memory.cache));
        let (score, data_sets) = (title(memory.score), memory.data_sets);
        let default = bytes(memory.peak_default);
        writeln!(text, "| {score}, F = {data_sets} | {peak} | {encoded} | {cache} | {default} |")?;
    }
    text += "\n| reading 100,000 × 200 | kinfolk | pyarrow, one thread |\n|---|---|---|\n";
    for reading in &results.reading {
        writeln!(text, "| {} | {} | {} |", reading.labels, seconds(reading.ours), seconds(reading.theirs))?;
    }
    text += "\nThe last column is the speed-up of two independent searches at the same time, the most that the machine allows.\n\n\
             | search, elapsed time | one thread | two threads | ratio | two searches at once |\n|---|---|---|---|---|\n";
    for threads in &results.threads {
        let (n, one, two) = (threads.recipe.variables, seconds(threads.one), seconds(threads.two));
        let (ratio, apart) = (threads.ratio, threads.apart);
        let name = title(threads.score);
        writeln!(text, "| {name}, N = {n}, 1e5 rows | {one} | {two} | {ratio:.2}× | {apart:.2}× |")?;
    }
    Ok(text)
}

fn growth_table(results: &Results) -> Result<String, fmt::Error> {
    let mut text = String::from(
        "## How time grows\n\nThe exponent b of a power law a·x^b, least squares of logarithms; medians of 3, one thread. Rows are added\n\
         to the same network; other quantities change it. Parents are counted and scored one family at a\n\
         time, where the number of cells doubles with each, so that no power law is expected.\n\n\
         | against | score | exponent | measured | at |\n|---|---|---|---|---|\n",
    );
    for growth in &results.growth {
        let points: Vec<String> =
            growth.points.iter().map(|(x, y)| format!("{x}: {}", seconds(*y))).collect();
        let (score, exponent) = (title(growth.score), growth.exponent());
        writeln!(
            text,
            "| {} | {score} | **{exponent:.2}** | {} | {} |",
            growth.what,
            points.join(", "),
            growth.at
        )?;
    }
    for large in &results.large {
        writeln!(
            text,
            "\n1,000 variables, 1e5 rows in {} data set(s), {}: {} of CPU time, {} families, {} arcs.",
            large.recipe.data_sets,
            title(large.score),
            seconds(large.run.cpu),
            thousands(large.run.families),
            thousands(large.run.arcs),
        )?;
    }
    Ok(text)
}

/// A score's name as it is written in text.
pub(crate) fn title(score: &str) -> &str {
    match score {
        "bdeu" => "BDeu",
        "bhd" => "BHD",
        other => other,
    }
}

/// Two significant digits below ten, whole numbers from there on.
pub(crate) fn number(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return format!("{value}");
    }
    #[expect(clippy::cast_possible_truncation, reason = "the logarithm of a double is small")]
    let magnitude = value.abs().log10().floor() as i32;
    let decimals = usize::try_from(1 - magnitude).unwrap_or(0);
    let text = format!("{value:.decimals$}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

/// Seconds in a unit that suits them.
pub(crate) fn seconds(value: f64) -> String {
    let (scaled, unit) = match value {
        v if v >= 1.0 => (v, "s"),
        v if v >= 1e-3 => (v * 1e3, "ms"),
        v if v >= 1e-6 => (v * 1e6, "µs"),
        v => (v * 1e9, "ns"),
    };
    format!("{} {unit}", number(scaled))
}

/// Bytes in MB.
pub(crate) fn bytes(value: f64) -> String {
    format!("{} MB", number(value / 1e6))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_two_digits() {
        assert_eq!(
            [0.0123, 0.5, 4.0, 4.26, 31.4, 1234.5].map(number),
            ["0.012", "0.50", "4", "4.3", "31", "1234"]
        );
        assert_eq!([1.5, 0.0042, 3.2e-7].map(seconds), ["1.5 s", "4.2 ms", "320 ns"]);
    }
}
