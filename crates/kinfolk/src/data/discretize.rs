//! Numeric columns into bins: the rules a user gives, and the cut points they lead to.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::error::DataError;
use super::levels::{number, spell};

/// The most bins that may be asked for; as many as the states a column may have by default.
const MAX_BINS: usize = 50;

/// Which columns a rule is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// Every numeric column without a rule or declared levels of its own.
    All,
    /// The column of that name.
    Column(String),
}

impl Target {
    pub(super) fn column(&self) -> Option<&str> {
        match self {
            Self::All => None,
            Self::Column(name) => Some(name),
        }
    }
}

/// How the cut points of a numeric column are chosen. Bins are closed on the right.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Discretization {
    /// Cut at the quantiles that make this many bins of about equal numbers of rows.
    Quantile(usize),
    /// This many bins of equal width between the smallest and the largest value.
    Width(usize),
    /// These cut points.
    Cuts(Vec<f64>),
}

impl Discretization {
    /// What is wrong with the bins or cuts asked for, if anything.
    pub(super) fn check(&self) -> Result<(), String> {
        match self {
            Self::Quantile(bins) | Self::Width(bins) if !(2..=MAX_BINS).contains(bins) => {
                Err(format!("the number of bins must be from 2 to {MAX_BINS}, not {bins}"))
            }
            Self::Cuts(cuts) if cuts.is_empty() => Err("give at least one cut".to_owned()),
            Self::Cuts(cuts) if !cuts.iter().all(|cut| cut.is_finite()) => {
                Err("every cut must be a finite number".to_owned())
            }
            Self::Cuts(cuts) if !cuts.is_sorted_by(|a, b| a < b) => {
                Err("the cuts must increase, each one above the one before".to_owned())
            }
            _ => Ok(()),
        }
    }

    /// How many bins were asked for.
    pub(super) fn bins(&self) -> usize {
        match self {
            Self::Quantile(bins) | Self::Width(bins) => *bins,
            Self::Cuts(cuts) => cuts.len() + 1,
        }
    }
}

impl fmt::Display for Discretization {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Quantile(bins) => write!(f, "quantile:{bins}"),
            Self::Width(bins) => write!(f, "width:{bins}"),
            Self::Cuts(cuts) => {
                let cuts: Vec<String> = cuts.iter().map(|&cut| spell(cut)).collect();
                write!(f, "cuts:{}", cuts.join(","))
            }
        }
    }
}

/// One discretisation rule, spelt `COLUMN=quantile:4`, `COLUMN=width:5`, `COLUMN=cuts:0,1.5,3`, or with `all` for the column.
#[derive(Debug, Clone, PartialEq)]
pub struct Rule {
    /// Which columns.
    pub target: Target,
    /// How.
    pub method: Discretization,
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.target.column().unwrap_or("all"), self.method)
    }
}

impl FromStr for Rule {
    type Err = DataError;

    /// The column ends at the last `=` that a method follows, so its name may itself contain one.
    fn from_str(text: &str) -> Result<Self, DataError> {
        let refuse = |reason: String| DataError::Rule { rule: text.to_owned(), reason };
        let (column, method, argument) = text
            .rmatch_indices('=')
            .find_map(|(at, _)| {
                let (method, argument) = text[at + 1..].split_once(':')?;
                let method = method.trim();
                matches!(method, "quantile" | "width" | "cuts").then_some((
                    text[..at].trim(),
                    method,
                    argument,
                ))
            })
            .ok_or_else(|| {
                refuse(
                    "write COLUMN=quantile:4, COLUMN=width:5 or COLUMN=cuts:0,1.5,3, or all for the column"
                        .to_owned(),
                )
            })?;
        if column.is_empty() {
            return Err(refuse("the column is not named; write its name, or all, before the =".to_owned()));
        }
        let bins = || {
            let bins = argument.trim().parse();
            bins.map_err(|_| {
                refuse(format!("`{}` is not a number of bins from 2 to {MAX_BINS}", argument.trim()))
            })
        };
        let method = match method {
            "quantile" => Discretization::Quantile(bins()?),
            "width" => Discretization::Width(bins()?),
            _ => {
                let cut = |cut: &str| {
                    number(cut.trim())
                        .ok_or_else(|| refuse(format!("the cut `{}` is not a finite number", cut.trim())))
                };
                Discretization::Cuts(argument.split(',').map(cut).collect::<Result<_, _>>()?)
            }
        };
        method.check().map_err(refuse)?;
        let target = if column == "all" { Target::All } else { Target::Column(column.to_owned()) };
        Ok(Self { target, method })
    }
}

/// The distinct values of a column in increasing order, each with the number of rows that have it.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Sample(Vec<(f64, u64)>);

impl Sample {
    /// Sorts the values and adds up the rows of equal ones; values without a row are left out.
    pub(super) fn new(mut values: Vec<(f64, u64)>) -> Self {
        values.retain(|&(_, rows)| rows > 0);
        values.sort_by(|a, b| a.0.total_cmp(&b.0));
        values.dedup_by(|later, first| {
            let equal = later.0 == first.0;
            if equal {
                first.1 += later.1;
            }
            equal
        });
        Self(values)
    }

    /// How many distinct values there are.
    pub(super) fn distinct(&self) -> usize {
        self.0.len()
    }

    /// The value at a position of the sorted rows.
    fn at(&self, cumulative: &[u64], position: u64) -> f64 {
        self.0[cumulative.partition_point(|&rows| rows <= position)].0
    }

    /// The quantiles 1/k … (k-1)/k: type 7 of Hyndman and Fan (1996), doi:10.1080/00031305.1996.10473566.
    fn quantiles(&self, bins: usize) -> Vec<f64> {
        let cumulative: Vec<u64> = self
            .0
            .iter()
            .scan(0, |sum, &(_, rows)| {
                *sum += rows;
                Some(*sum)
            })
            .collect();
        let last = u128::from(cumulative[cumulative.len() - 1] - 1);
        let quantile = |index: usize| {
            let (scaled, bins) = (last * index as u128, bins as u128);
            let position =
                u64::try_from(scaled / bins).expect("a fraction of the rows is not more than the rows");
            let fraction = (scaled % bins) as f64 / bins as f64;
            let low = self.at(&cumulative, position);
            if fraction == 0.0 {
                return low;
            }
            let high = self.at(&cumulative, position + 1);
            if low == high { low } else { tidy((1.0 - fraction) * low + fraction * high).clamp(low, high) }
        };
        (1..bins).map(quantile).collect()
    }
}

/// Fifteen significant digits: drops the noise of the last bit, which makes 0.30000000000000004 of 0.3.
fn tidy(value: f64) -> f64 {
    format!("{value:.14e}").parse().unwrap_or(value)
}

/// The bins of one column: `cuts.len() + 1` of them, closed on the right.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Bins {
    /// The cut points, increasing.
    pub(super) cuts: Vec<f64>,
    /// The bins' names: `<=0`, `(0,1.5]`, `>1.5`.
    pub(super) labels: Vec<String>,
}

impl Bins {
    /// Chooses the cut points for a sample. There are no bins at all if quantiles or widths are asked of no value.
    pub(super) fn choose(method: &Discretization, sample: &Sample) -> Self {
        if let Discretization::Cuts(cuts) = method {
            return Self { labels: label(cuts), cuts: cuts.iter().map(|cut| cut + 0.0).collect() };
        }
        let (Some(&(low, _)), Some(&(high, _))) = (sample.0.first(), sample.0.last()) else {
            return Self { cuts: Vec::new(), labels: Vec::new() };
        };
        if low == high {
            return Self { cuts: Vec::new(), labels: vec![spell(low)] };
        }
        let cuts = match method {
            Discretization::Quantile(bins) => without_empty_bins(sample.quantiles(*bins), sample),
            _ => equal_widths(low, high, method.bins()),
        };
        let labels =
            if cuts.is_empty() { vec![format!("[{},{}]", spell(low), spell(high))] } else { label(&cuts) };
        Self { cuts, labels }
    }

    /// The bin of a value.
    pub(super) fn of(&self, value: f64) -> usize {
        self.cuts.partition_point(|&cut| cut < value)
    }
}

fn equal_widths(low: f64, high: f64, bins: usize) -> Vec<f64> {
    let cut = |index: usize| {
        let share = index as f64 / bins as f64;
        // Not low + share · (high - low), which can overflow.
        tidy((1.0 - share) * low + share * high).clamp(low, high)
    };
    let mut cuts: Vec<f64> = (1..bins).map(cut).collect();
    cuts.dedup();
    cuts
}

/// Keeps the cuts that have a value between them and the one kept before, and some value above.
fn without_empty_bins(cuts: Vec<f64>, sample: &Sample) -> Vec<f64> {
    let below_or_at = |cut: f64| sample.0.partition_point(|&(value, _)| value <= cut);
    let mut kept = Vec::new();
    let mut values = 0;
    for cut in cuts {
        let upto = below_or_at(cut);
        if upto > values && upto < sample.0.len() {
            kept.push(cut);
            values = upto;
        }
    }
    kept
}

fn label(cuts: &[f64]) -> Vec<String> {
    let ends: Vec<String> = cuts.iter().map(|&cut| spell(cut)).collect();
    let mut labels = vec![format!("<={}", ends[0])];
    labels.extend(ends.windows(2).map(|pair| format!("({},{}]", pair[0], pair[1])));
    labels.push(format!(">{}", ends[ends.len() - 1]));
    labels
}
