//! What was aimed at, what was measured, and whether the one meets the other.

use super::counting::Point;
use super::peers::Peer;
use super::report::{bytes, number, seconds, title};
use super::statistics::median;
use super::{Results, family, related, versus};
use crate::search::Run;

/// One goal.
pub(crate) struct Goal {
    pub(crate) what: String,
    pub(crate) target: String,
    pub(crate) measured: String,
    pub(crate) verdict: Verdict,
}

/// What came of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    Met,
    NotMet,
    /// This run did not measure it.
    NotMeasured,
}

impl Goal {
    fn new(what: &str, target: &str, measured: String, met: bool) -> Self {
        let verdict = if met { Verdict::Met } else { Verdict::NotMet };
        Self { what: what.to_owned(), target: target.to_owned(), measured, verdict }
    }

    fn not_measured(what: &str, target: &str, why: &str) -> Self {
        let (what, target, measured) = (what.to_owned(), target.to_owned(), why.to_owned());
        Self { what, target, measured, verdict: Verdict::NotMeasured }
    }
}

/// All goals, in groups that belong together.
pub(crate) fn goals(results: &Results) -> Vec<Vec<Goal>> {
    vec![
        against_the_peers(results),
        against_ourselves(results),
        one_family(results),
        counting(results),
        memory(results),
        scale(results),
        reading(results),
        threads(results),
    ]
}

/// One search is held against all that is asked: it is to be as fast and to end as high.
fn against_the_peers(results: &Results) -> Vec<Goal> {
    let everywhere = || results.searches.iter().chain(&results.more_searches);
    let peer = Peer::Pybnesian;
    let speed = |what: &str, binary: bool, least: f64| {
        let searches = || everywhere().filter(|search| search.binary == binary);
        let ratios: Vec<f64> = searches().filter_map(|search| search.ratio_further(peer)).collect();
        let plain: Vec<f64> = searches().filter_map(|search| search.ratio(peer)).collect();
        let target = format!("at least {}×", number(least));
        if ratios.is_empty() {
            return Goal::not_measured(what, &target, "pybnesian would have taken too long");
        }
        let mut text = range(&ratios, "×");
        if ratios.len() > 1 {
            text += &format!(", {}× in the middle of {}", number(median(ratios.clone())), ratios.len());
        }
        text += &format!("; a plain climb {}", range(&plain, "×"));
        Goal::new(what, &target, text, smallest(&ratios) >= least)
    };
    let good = |run: fn(&versus::Comparison) -> &Run| -> Vec<bool> {
        everywhere().filter_map(|search| search.as_good_as(run(search), peer)).collect()
    };
    let (plain, further) = (good(|search| &search.run), good(|search| &search.further));
    let count = |good: &[bool]| good.iter().filter(|&&good| good).count();
    let worst = everywhere().map(versus::Comparison::disagreement).fold(0.0, f64::max);
    let search = format!("BDeu search (`--escapes {}`)", versus::ESCAPES);
    vec![
        speed(
            &format!(
                "{search}, mixed arity (37 variables of 2–4 states, 20,000 rows): times faster than pybnesian"
            ),
            false,
            4.0,
        ),
        speed(
            &format!("{search}, binary (50–200 variables, 1e4–1e5 rows): times faster than pybnesian"),
            true,
            30.0,
        ),
        Goal::new(
            "Final score of the same search the same as pybnesian's or better",
            "on every data set",
            format!("on {} of {}; of a plain climb on {}", count(&further), further.len(), count(&plain)),
            !further.is_empty() && count(&further) == further.len(),
        ),
        Goal::new(
            "Both give the same network the same score",
            "1e-6, relative",
            format!("{worst:.0e}"),
            everywhere().all(versus::Comparison::agree),
        ),
    ]
}

fn against_ourselves(results: &Results) -> Vec<Goal> {
    let ratio = |rows: usize, most: f64| {
        let these = results.related.iter().filter(|c| c.recipe.rows() == rows);
        let listed: Vec<&related::Comparison> = these.collect();
        let in_words = |c: &&related::Comparison| {
            format!("{}× (N = {}, {} problems together)", number(c.ratio()), c.recipe.variables, c.problems)
        };
        let text: Vec<String> = listed.iter().map(in_words).collect();
        Goal::new(
            &format!("BHD search against our BDeu search, {} rows in 10 data sets, binary", thousands(rows)),
            &format!("at most {}×", number(most)),
            text.join(", "),
            listed.iter().all(|c| c.ratio() <= most),
        )
    };
    let mut goals = vec![ratio(10_000, 2.5), ratio(1_000, 5.0)];
    let small = results.related.iter().find(|c| c.recipe.variables == 10 && c.recipe.rows() == 10_000);
    if let Some(small) = small {
        goals.push(Goal::new(
            "BHD search, N = 10, 10 data sets of 1,000 rows, binary",
            "at most 5 ms",
            format!("{} (mean of {} problems)", seconds(small.bhd.cpu()), small.problems),
            small.bhd.cpu() <= 5e-3,
        ));
        goals.push(Goal::new(
            "kin search against BHD search, N = 10, 10 data sets of 1,000 rows, binary",
            "at most 3×",
            format!("{}× ({} problems together)", number(small.kin_ratio()), small.problems),
            small.kin_ratio() <= 3.0,
        ));
    }
    goals
}

fn one_family(results: &Results) -> Vec<Goal> {
    let families = &results.families;
    let within = |cells: usize, is_met: fn(f64) -> bool, target: &str| {
        let what = format!(
            "One BHD family of {} observed cells, 10 data sets of {} rows",
            thousands(cells),
            thousands(family::ROWS)
        );
        match families.of(cells) {
            Some(point) => Goal::new(&what, target, seconds(point.seconds), is_met(point.seconds)),
            None => Goal::not_measured(&what, target, "not all cells were observed"),
        }
    };
    let (observed, possible) = (families.observed_exponent(), families.possible_exponent());
    vec![
        within(512, |seconds| seconds <= 1e-3, "at most 1 ms"),
        within(8192, |seconds| seconds < 10e-3, "below 10 ms"),
        Goal::new(
            "The same against observed cells (32 to 8,192): exponent",
            "linear: at most 1.1",
            format!("{observed:.2}"),
            observed <= 1.1,
        ),
        Goal::new(
            "The same against possible cells (512 to 8.6e9, 512 observed): exponent",
            "flat: within ±0.05",
            format!("{possible:.2}"),
            possible.abs() <= 0.05,
        ),
    ]
}

fn counting(results: &Results) -> Vec<Goal> {
    let counting = &results.counting;
    let mut goals = Vec::new();
    for point in &counting.bitmaps {
        let most = 2.0 * point.floor.unwrap_or(0.0);
        let parents = if point.parents == 1 { "parent" } else { "parents" };
        goals.push(Goal::new(
            &format!("Counting by bitmaps, {} binary {parents}, per row (least)", point.parents),
            &format!("at most {} ns", number(most)),
            format!("{} ns", number(point.nanoseconds)),
            point.nanoseconds <= most,
        ));
    }
    let times = counting.histograms.iter().map(|point| {
        let Point { nanoseconds, states, rows, .. } = *point;
        let fewer = if point.has_rows_for_all_cells() { "" } else { ", fewer than cells" };
        format!("{} ({states} states, {rows:.0e} rows{fewer})", number(nanoseconds), rows = rows as f64)
    });
    goals.push(Goal::new(
        "Counting by a shared index and one new column, ns per row (least)",
        "at most 1, any arity",
        times.collect::<Vec<_>>().join(", "),
        counting.histograms.iter().all(|point| point.nanoseconds <= 1.0),
    ));
    goals
}

fn memory(results: &Results) -> Vec<Goal> {
    let mut goals = Vec::new();
    for memory in &results.memory {
        let allowed = 2.0 * memory.encoded + memory.cache;
        let (score, data_sets) = (memory.score, memory.data_sets);
        goals.push(Goal::new(
            &format!(
                "Peak memory of `kinfolk learn --score {score}`, N = 200 binary, 1e5 rows, F = {data_sets}"
            ),
            "below 100 MB",
            bytes(memory.peak),
            memory.peak < 100e6,
        ));
        goals.push(Goal::new(
            &format!(
                "The same ({}, F = {data_sets}) against twice the encoded data and the score cache",
                title(score)
            ),
            &format!("at most {}", bytes(allowed)),
            bytes(memory.peak),
            memory.peak <= allowed,
        ));
    }
    let bounded = results.memory.iter().all(|memory| memory.has_cache_option);
    let offered = if bounded { "`learn --keep-scores`" } else { "no such option" };
    goals.push(Goal::new(
        "The score cache has a bound that the user can set",
        "yes",
        offered.to_owned(),
        bounded,
    ));
    goals
}

fn scale(results: &Results) -> Vec<Goal> {
    let what = "1,000 binary variables, 1e5 rows, no limit on parents";
    let large = results.large.iter().map(|large| {
        let what = format!("{what}, {} with F = {}", title(large.score), large.recipe.data_sets);
        Goal::new(&what, "finishes", seconds(large.run.cpu), large.run.arcs > 0)
    });
    large.collect()
}

fn reading(results: &Results) -> Vec<Goal> {
    let goal = |reading: &super::process::Reading| {
        let ratio = reading.theirs / reading.ours;
        Goal::new(
            &format!(
                "Reading a CSV of 100,000 × 200 {}: times faster than pyarrow on one thread",
                reading.labels
            ),
            "at least 1×",
            format!("{}×", number(ratio)),
            ratio >= 1.0,
        )
    };
    results.reading.iter().map(goal).collect()
}

fn threads(results: &Results) -> Vec<Goal> {
    let goal = |threads: &super::process::Threads| {
        let ratio = threads.ratio;
        let what = format!(
            "Two threads against one, {}, N = {}, 1e5 rows, {} on one",
            title(threads.score),
            threads.recipe.variables,
            seconds(threads.one)
        );
        Goal::new(&what, "at least 1.7×", format!("{}×", number(ratio)), ratio >= 1.7)
    };
    results.threads.iter().map(goal).collect()
}

fn smallest(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::INFINITY, f64::min)
}

/// The smallest and the largest.
pub(crate) fn range(values: &[f64], unit: &str) -> String {
    let (low, high) = (number(smallest(values)), number(values.iter().copied().fold(0.0, f64::max)));
    if low == high { format!("{low}{unit}") } else { format!("{low} to {high}{unit}") }
}

/// A whole number with commas.
pub(crate) fn thousands(value: usize) -> String {
    let digits = value.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
