//! Discretisation of numeric columns: user rules and the choice of cut points.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::error::DataError;
use super::hartemink::FIRST_BINS;
use super::levels::{number, spell};

/// The largest number of bins, equal to the default limit on a column's states.
const MAX_BINS: usize = 50;

/// The columns a rule applies to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DiscretizationTarget {
    /// Every numeric column without its own rule or declared levels.
    All,
    /// The column of this name.
    Column(String),
}

impl DiscretizationTarget {
    pub(super) fn column(&self) -> Option<&str> {
        match self {
            Self::All => None,
            Self::Column(name) => Some(name),
        }
    }
}

/// The method of choosing cut points. Bins are closed on the right.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Discretization {
    /// This many bins with about equal numbers of rows, cut at quantiles.
    Quantile(usize),
    /// This many bins of equal width between the smallest and the largest value.
    Width(usize),
    /// This many bins, joined from more bins of about equal numbers of rows so that the column keeps as much as possible of
    /// its mutual information with all other columns, over the rows of all data sets together.
    Hartemink(usize),
    /// The given cut points.
    Cuts(Vec<f64>),
}

impl Discretization {
    /// Refuses an invalid number of bins or invalid cut points.
    pub(super) fn check(&self) -> Result<(), String> {
        match self {
            Self::Hartemink(bins) if !(2..FIRST_BINS).contains(bins) => {
                Err(format!("the number of bins must be from 2 to {}, not {bins}", FIRST_BINS - 1))
            }
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

    /// The requested number of bins.
    pub(super) fn bins(&self) -> usize {
        match self {
            Self::Quantile(bins) | Self::Width(bins) | Self::Hartemink(bins) => *bins,
            Self::Cuts(cuts) => cuts.len() + 1,
        }
    }
}

impl fmt::Display for Discretization {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Quantile(bins) => write!(f, "quantile:{bins}"),
            Self::Width(bins) => write!(f, "width:{bins}"),
            Self::Hartemink(bins) => write!(f, "hartemink:{bins}"),
            Self::Cuts(cuts) => {
                let cuts: Vec<String> = cuts.iter().map(|&cut| spell(cut)).collect();
                write!(f, "cuts:{}", cuts.join(","))
            }
        }
    }
}

/// One discretisation rule: `COLUMN=quantile:4`, `COLUMN=width:5`, `COLUMN=hartemink:3` or `COLUMN=cuts:0,1.5,3`; `all` as
/// column applies to all.
#[derive(Debug, Clone, PartialEq)]
pub struct DiscretizationRule {
    /// The columns it applies to.
    pub target: DiscretizationTarget,
    /// The method of choosing cut points.
    pub method: Discretization,
}

impl fmt::Display for DiscretizationRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.target.column().unwrap_or("all"), self.method)
    }
}

impl FromStr for DiscretizationRule {
    type Err = DataError;

    /// The column's name ends at the last `=` followed by a method, so the name may contain `=`.
    fn from_str(text: &str) -> Result<Self, DataError> {
        let refuse = |reason: String| DataError::Rule { rule: text.to_owned(), reason };
        let (column, method, argument) = text
            .rmatch_indices('=')
            .find_map(|(at, _)| {
                let (method, argument) = text[at + 1..].split_once(':')?;
                let method = method.trim();
                matches!(method, "quantile" | "width" | "hartemink" | "cuts").then_some((
                    text[..at].trim(),
                    method,
                    argument,
                ))
            })
            .ok_or_else(|| {
                refuse(
                    "write COLUMN=quantile:4, COLUMN=width:5, COLUMN=hartemink:3 or COLUMN=cuts:0,1.5,3, or all for the column"
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
            "hartemink" => Discretization::Hartemink(bins()?),
            _ => {
                let cut = |cut: &str| {
                    number(cut.trim())
                        .ok_or_else(|| refuse(format!("the cut `{}` is not a finite number", cut.trim())))
                };
                Discretization::Cuts(argument.split(',').map(cut).collect::<Result<_, _>>()?)
            }
        };
        method.check().map_err(refuse)?;
        let target = if column == "all" {
            DiscretizationTarget::All
        } else {
            DiscretizationTarget::Column(column.to_owned())
        };
        Ok(Self { target, method })
    }
}

/// The distinct values of a column in increasing order, each with its number of rows.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct SortedValues(Vec<(f64, u64)>);

impl SortedValues {
    /// Sorts the values and merges equal ones; values without rows are dropped.
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

    /// The number of distinct values.
    pub(super) fn distinct(&self) -> usize {
        self.0.len()
    }

    /// The value at a position in the sorted rows.
    fn at(&self, cumulative: &[u64], position: u64) -> f64 {
        self.0[cumulative.partition_point(|&rows| rows <= position)].0
    }

    /// The cut points at the quantiles 1/k … (k-1)/k, without those that would make a bin empty.
    fn cuts_at_quantiles(&self, bins: usize) -> Vec<f64> {
        let cuts = without_empty_bins(self.quantiles(bins), self);
        cuts.into_iter().map(|cut| self.shorten(cut, (f64::NEG_INFINITY, f64::INFINITY))).collect()
    }

    /// A cut point of many digits becomes the nearest one of fewer digits that is in the interval and separates the same values.
    fn shorten(&self, cut: f64, (from, to): (f64, f64)) -> f64 {
        /// Cut points of so many significant digits are readable.
        const DIGITS: usize = 4;
        let next = self.0.partition_point(|&(value, _)| value <= cut);
        let low = self.0[..next].last().map_or(from, |&(value, _)| value.max(from));
        let high = self.0.get(next).map_or(to, |&(value, _)| value.min(to));
        let rounded = |digits: usize| -> f64 { format!("{cut:.digits$e}").parse().unwrap_or(cut) };
        // The last one has all digits.
        (DIGITS - 1..17).map(rounded).find(|&short| low <= short && short < high).unwrap_or(cut)
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

/// Rounds to 15 significant digits, which removes rounding noise such as 0.30000000000000004 for 0.3.
fn tidy(value: f64) -> f64 {
    format!("{value:.14e}").parse().unwrap_or(value)
}

/// The bins of one column: `cuts.len() + 1` of them, closed on the right.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Bins {
    /// The cut points, increasing.
    pub(super) cuts: Vec<f64>,
    /// The bin labels: `<=0`, `(0,1.5]`, `>1.5`.
    pub(super) labels: Vec<String>,
}

impl Bins {
    /// Chooses the cut points for the values. Quantile and width methods give no bins if there are no values.
    pub(super) fn choose(method: &Discretization, sample: &SortedValues) -> Self {
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
            Discretization::Width(bins) => {
                let width = (high - low) / *bins as f64;
                let cuts = equal_widths(low, high, *bins);
                cuts.into_iter()
                    .map(|cut| sample.shorten(cut, (cut - width / 100.0, cut + width / 100.0)))
                    .collect()
            }
            Discretization::Hartemink(_) => Self::first(sample).cuts,
            _ => sample.cuts_at_quantiles(method.bins()),
        };
        Self::at(cuts, sample)
    }

    /// The many bins that Hartemink's method starts with: one per value if there are few.
    pub(super) fn first(sample: &SortedValues) -> Self {
        let cuts = if sample.distinct() <= FIRST_BINS {
            let values: Vec<f64> = sample.0.iter().map(|&(value, _)| value).collect();
            values[..values.len().saturating_sub(1)].to_vec()
        } else {
            sample.cuts_at_quantiles(FIRST_BINS)
        };
        Self::at(cuts, sample)
    }

    /// The bins between some cut points.
    pub(super) fn at(cuts: Vec<f64>, sample: &SortedValues) -> Self {
        let ends = sample.0.first().zip(sample.0.last());
        let labels = match ends {
            _ if !cuts.is_empty() => label(&cuts),
            Some((low, high)) if low.0 == high.0 => vec![spell(low.0)],
            Some((low, high)) => vec![format!("[{},{}]", spell(low.0), spell(high.0))],
            None => Vec::new(),
        };
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
        // low + share · (high - low) could overflow.
        tidy((1.0 - share) * low + share * high).clamp(low, high)
    };
    let mut cuts: Vec<f64> = (1..bins).map(cut).collect();
    cuts.dedup();
    cuts
}

/// Drops cut points that would make a bin empty.
fn without_empty_bins(cuts: Vec<f64>, sample: &SortedValues) -> Vec<f64> {
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
