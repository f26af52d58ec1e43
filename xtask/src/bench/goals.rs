//! The performance goals of the project, and whether this run meets them.

use super::peers::Peer;
use super::process::Memory;
use super::report::{bytes, number, title};
use super::statistics::median;
use super::{Results, related, versus};

/// BDeu searches of variables with two to four states: times faster than pybnesian, at least.
const LEAST_SPEEDUP_MIXED: f64 = 15.0;

/// BDeu searches of binary variables: times faster than pybnesian, at least.
const LEAST_SPEEDUP_BINARY: f64 = 50.0;

/// BHD's time divided by BDeu's on the same related data, at most, by the number of rows in all data sets together.
const MOST_BHD_OVER_BDEU: [(usize, f64); 2] = [(10_000, 2.5), (1_000, 6.0)];

/// kin's time divided by BHD's on the same related data, at most.
const MOST_KIN_OVER_BHD: f64 = 6.0;

/// Peak memory divided by the baseline, at most.
const MOST_OVER_BASELINE: f64 = 1.3;

/// Peak memory in bytes of a plain climb with N = 200 and 1e5 rows, by score and number of data sets, as the page of commit 49e29a4a3689
/// reports it.
const BASELINE_MEMORY: [(&str, usize, f64); 4] =
    [("bdeu", 1, 37e6), ("bdeu", 10, 44e6), ("bhd", 10, 39e6), ("kin", 10, 41e6)];

/// One goal.
pub(crate) struct Goal {
    pub(crate) what: String,
    pub(crate) target: String,
    pub(crate) measured: String,
    pub(crate) verdict: GoalVerdict,
}

/// Whether a goal is met.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum GoalVerdict {
    Met,
    NotMet,
    /// This run did not measure it.
    NotMeasured,
}

impl Goal {
    fn new(what: &str, target: String, measured: String, met: bool) -> Self {
        let verdict = if met { GoalVerdict::Met } else { GoalVerdict::NotMet };
        Self { what: what.to_owned(), target, measured, verdict }
    }

    fn not_measured(what: &str, target: String, reason: &str) -> Self {
        Self { what: what.to_owned(), target, measured: reason.to_owned(), verdict: GoalVerdict::NotMeasured }
    }
}

/// All goals, grouped by subject.
pub(crate) fn goals(results: &Results) -> Vec<Vec<Goal>> {
    vec![against_the_peers(results), between_scores(results), memory(results)]
}

fn against_the_peers(results: &Results) -> Vec<Goal> {
    let search = format!("BDeu search (`--escapes {}`)", versus::ESCAPES);
    vec![
        speedup(
            results,
            &format!(
                "{search}, mixed arity (37 variables of 2–4 states, 20,000 rows): times faster than pybnesian"
            ),
            false,
            LEAST_SPEEDUP_MIXED,
        ),
        speedup(
            results,
            &format!("{search}, binary (50–200 variables, 1e4–1e5 rows): times faster than pybnesian"),
            true,
            LEAST_SPEEDUP_BINARY,
        ),
    ]
}

/// How many times faster than pybnesian the searches of binary or of mixed data are; the slowest one decides.
fn speedup(results: &Results, what: &str, binary: bool, least: f64) -> Goal {
    let peer = Peer::Pybnesian;
    let searches =
        || results.searches.iter().chain(&results.more_searches).filter(|search| search.binary == binary);
    let ratios: Vec<f64> = searches().filter_map(|search| search.ratio_further(peer)).collect();
    let plain: Vec<f64> = searches().filter_map(|search| search.ratio(peer)).collect();
    let target = format!("at least {}×", number(least));
    if ratios.is_empty() {
        return Goal::not_measured(what, target, "pybnesian would have taken too long");
    }
    let mut text = range(&ratios, "×");
    if ratios.len() > 1 {
        text += &format!(", median {}× of {}", number(median(ratios.clone())), ratios.len());
    }
    text += &format!("; a plain climb {}", range(&plain, "×"));
    Goal::new(what, target, text, smallest(&ratios) >= least)
}

fn between_scores(results: &Results) -> Vec<Goal> {
    let in_words = |problems: &[&related::ScoreTimes], ratio: fn(&related::ScoreTimes) -> f64| {
        let one = |c: &&related::ScoreTimes| {
            format!("{}× (N = {}, {} rows)", number(ratio(c)), c.recipe.variables, thousands(c.recipe.rows()))
        };
        problems.iter().map(one).collect::<Vec<_>>().join(", ")
    };
    let mut goals: Vec<Goal> = MOST_BHD_OVER_BDEU
        .iter()
        .map(|&(rows, most)| {
            let problems: Vec<_> = results.related.iter().filter(|c| c.recipe.rows() == rows).collect();
            Goal::new(
                &format!("BHD search against BDeu search, {} rows in 10 data sets, binary", thousands(rows)),
                format!("at most {}×", number(most)),
                in_words(&problems, related::ScoreTimes::ratio),
                problems.iter().all(|c| c.ratio() <= most),
            )
        })
        .collect();
    let problems: Vec<_> = results.related.iter().collect();
    goals.push(Goal::new(
        "kin search against BHD search, 10 data sets, binary",
        format!("at most {}×", number(MOST_KIN_OVER_BHD)),
        in_words(&problems, related::ScoreTimes::kin_ratio),
        problems.iter().all(|c| c.kin_ratio() <= MOST_KIN_OVER_BHD),
    ));
    goals
}

fn memory(results: &Results) -> Vec<Goal> {
    let goal = |&(score, data_sets, baseline): &(&str, usize, f64)| {
        let what = format!(
            "Peak memory of `kinfolk learn --search climb --score {score}` ({}), N = 200 binary, 1e5 rows, F = {data_sets}",
            title(score)
        );
        let most = MOST_OVER_BASELINE * baseline;
        let target = format!("at most {}", bytes(most));
        let is_this = |memory: &&Memory| memory.score == score && memory.data_sets == data_sets;
        match results.memory.iter().find(is_this) {
            Some(memory) => Goal::new(&what, target, bytes(memory.peak), memory.peak <= most),
            None => Goal::not_measured(&what, target, "not run"),
        }
    };
    BASELINE_MEMORY.iter().map(goal).collect()
}

fn smallest(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::INFINITY, f64::min)
}

/// The smallest and the largest value as text.
pub(crate) fn range(values: &[f64], unit: &str) -> String {
    let (low, high) = (number(smallest(values)), number(values.iter().copied().fold(0.0, f64::max)));
    if low == high { format!("{low}{unit}") } else { format!("{low} to {high}{unit}") }
}

/// A whole number with commas between groups of three digits.
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
