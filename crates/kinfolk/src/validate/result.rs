//! What a validation found: numbers with names, put together from the rows of all splits.

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::held_out::{BRIER, HIT, LOG_LIKELIHOOD, LOG_LOSS, MEASURES, Measures};
use super::moments::{Moments, clustered_error};
use super::tune::Weights;
use super::work::Finished;
use super::{Method, Scheme, Structures, Validate};
use crate::data::Schema;
use crate::score::Halt;

/// How many standard errors a difference must be from zero to count.
const ENOUGH_ERRORS: f64 = 2.0;

/// Things by name, in a given order.
#[derive(Debug, Clone, PartialEq)]
pub struct Named<T>(pub Vec<(String, T)>);

impl<T: Serialize> Serialize for Named<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in &self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

/// Whether a validation came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stop {
    /// Every row was held out once.
    Complete,
    /// The time was up; the numbers are those of the splits done by then.
    TimeLimit,
    /// Somebody asked to stop; the numbers are those of the splits done by then.
    Interrupted,
}

impl From<Halt> for Stop {
    fn from(halt: Halt) -> Self {
        match halt {
            Halt::TimeLimit => Self::TimeLimit,
            Halt::Interrupted => Self::Interrupted,
        }
    }
}

/// What a validation found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Validation {
    /// What was held out at a time.
    pub scheme: Scheme,
    /// How many parts were held out in turn: folds, or data sets.
    pub folds: usize,
    /// How many of them were done.
    pub folds_done: usize,
    /// Whether that is all.
    pub stop: Stop,
    /// The seed by which rows were dealt to folds.
    pub seed: u64,
    /// Where the structures came from: `given`, `shared` by the methods, or each method's `own`.
    pub structures_from: &'static str,
    /// Whether the weights of the tables' priors were chosen from the rows that were not held out; they stand beside the structures.
    pub tuned: bool,
    /// The variable predicted from all others.
    pub target: Option<String>,
    /// Each method's numbers, in the order of [`Method::ALL`].
    pub methods: Vec<MethodResult>,
    /// Hierarchical minus each of the others, paired by row.
    pub differences: Vec<Difference>,
    /// The structures by split.
    pub structures: Vec<Held>,
    /// How many hierarchical fits, in searches and tables, did not reach their maximum.
    pub not_converged: usize,
}

/// One split that was done.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Held {
    /// Its number, from 1.
    pub fold: usize,
    /// The data set left out, if it was a whole one.
    pub held_out: Option<String>,
    /// How many rows were held out.
    pub rows: u64,
    /// What the priors of the tables weighed.
    #[serde(flatten)]
    pub weights: Weights,
    /// The structure of the hierarchical tables, as a modelstring.
    pub hierarchical: String,
    /// That of the pooled table.
    pub pooled: String,
    /// That of the separate tables.
    pub separate: String,
}

/// The log-likelihood of some held-out rows, a natural logarithm.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct HeldOutRows {
    /// How many rows were held out and judged.
    pub rows: u64,
    /// Their log-likelihood in total; nothing without rows.
    pub log_likelihood: Option<f64>,
    /// The same per row.
    pub per_row: Option<f64>,
}

/// How well a target was predicted, means over held-out rows.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Prediction {
    /// The share of rows whose state was the most probable one.
    pub accuracy: Option<f64>,
    /// −ln P(the state that was), smaller is better.
    pub log_loss: Option<f64>,
    /// Σ over the states of (P(state) − 1 if it was that one)², from 0 to 2, smaller is better.
    pub brier: Option<f64>,
}

/// What one method says of held-out rows; a method that says nothing of a new data set has no numbers.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MethodResult {
    /// The method.
    pub method: Method,
    /// Whether it can say something in this scheme.
    pub applicable: bool,
    /// All rows together.
    #[serde(flatten)]
    pub all: HeldOutRows,
    /// The same by data set.
    pub by_data_set: Named<HeldOutRows>,
    /// The prediction of the target, if there is one.
    pub target: Option<Prediction>,
    /// The same by data set.
    pub target_by_data_set: Option<Named<Prediction>>,
}

/// A mean of paired differences.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Paired {
    /// The mean difference per row.
    pub per_row: Option<f64>,
    /// Its standard error over rows.
    pub se: Option<f64>,
}

/// What a difference amounts to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// More than two standard errors above zero.
    Better,
    /// More than two standard errors below zero.
    Worse,
    /// Neither.
    Undecided,
}

/// Paired differences in the prediction of the target.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct PredictionDifference {
    /// In accuracy: above zero is better.
    pub accuracy: Paired,
    /// In log-loss: below zero is better.
    pub log_loss: Paired,
    /// In the Brier score: below zero is better.
    pub brier: Paired,
}

/// One method's held-out log-likelihood minus another's, paired by row.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Difference {
    /// The method.
    pub method: Method,
    /// The one subtracted.
    pub minus: Method,
    /// The mean difference per row; above zero `method` is better.
    pub per_row: Option<f64>,
    /// Its standard error with rows as independent draws.
    pub se: Option<f64>,
    /// Its standard error with data sets as independent draws; nothing with fewer than two.
    pub se_by_data_set: Option<f64>,
    /// Judged by `se` for folds, and by `se_by_data_set` for whole data sets.
    pub verdict: Verdict,
    /// The same by data set.
    pub by_data_set: Named<Paired>,
    /// Differences in the prediction of the target, if there is one.
    pub target: Option<PredictionDifference>,
}

/// Moments of every measure.
type Spread = [Moments; MEASURES];

/// What held-out rows add up to.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Sums {
    /// By method.
    methods: [Spread; 3],
    /// Hierarchical minus pooled, hierarchical minus separate.
    differences: [Spread; 2],
}

impl Sums {
    /// Takes in a row, of which each method may have said something.
    pub(super) fn add(&mut self, measures: &[Option<Measures>; 3], rows: u64) {
        for (spread, values) in self.methods.iter_mut().zip(measures) {
            add(spread, *values, rows);
        }
        for (spread, values) in self.differences.iter_mut().zip(&measures[1..]) {
            let paired = measures[0].zip(*values);
            let minus =
                |(of, other): (Measures, Measures)| std::array::from_fn(|index| of[index] - other[index]);
            add(spread, paired.map(minus), rows);
        }
    }

    /// The log-likelihood in total, by method; 0 where there is none.
    pub(super) fn log_likelihoods(&self) -> [f64; 3] {
        self.methods.map(|spread| spread[LOG_LIKELIHOOD].total().unwrap_or(0.0))
    }

    fn merge(&mut self, other: &Self) {
        let spreads = self.methods.iter_mut().chain(&mut self.differences);
        for (spread, other) in spreads.zip(other.methods.iter().chain(&other.differences)) {
            spread.iter_mut().zip(other).for_each(|(moments, other)| moments.merge(other));
        }
    }
}

fn add(spread: &mut Spread, values: Option<Measures>, rows: u64) {
    for (moments, value) in spread.iter_mut().zip(values.into_iter().flatten()) {
        moments.add(value, rows);
    }
}

/// Puts the splits together, in their order, so that rounding does not depend on who was done first.
pub(super) fn assemble(
    settings: &Validate<'_>,
    schema: &Schema,
    folds: usize,
    finished: Vec<Finished>,
    stop: Stop,
) -> Validation {
    let mut by_data_set = vec![Sums::default(); schema.data_sets().len()];
    for finished in &finished {
        by_data_set.iter_mut().zip(&finished.sums).for_each(|(sums, of_split)| sums.merge(of_split));
    }
    let mut all = Sums::default();
    by_data_set.iter().for_each(|sums| all.merge(sums));
    let report = Report { settings, schema, by_data_set, all };
    Validation {
        scheme: settings.scheme,
        folds,
        folds_done: finished.len(),
        stop,
        seed: settings.seed,
        structures_from: match settings.structures {
            Structures::Given(_) => "given",
            Structures::Shared(..) => "shared",
            Structures::Own(_) => "own",
        },
        tuned: settings.tune,
        target: settings.target.map(|target| schema.variable(target).name.clone()),
        methods: (0..3).map(|index| report.method(index)).collect(),
        differences: (0..2).filter_map(|index| report.difference(index)).collect(),
        not_converged: finished.iter().map(|finished| finished.not_converged).sum(),
        structures: finished.into_iter().map(|finished| finished.held).collect(),
    }
}

struct Report<'a> {
    settings: &'a Validate<'a>,
    schema: &'a Schema,
    by_data_set: Vec<Sums>,
    all: Sums,
}

impl Report<'_> {
    fn applicable(&self, method: Method) -> bool {
        method != Method::Separate || self.settings.scheme != Scheme::DataSets
    }

    fn named<T>(&self, of: impl Fn(&Sums) -> T) -> Named<T> {
        Named(self.schema.data_sets().iter().cloned().zip(self.by_data_set.iter().map(of)).collect())
    }

    fn method(&self, index: usize) -> MethodResult {
        let method = Method::ALL[index];
        let target = self.settings.target;
        MethodResult {
            method,
            applicable: self.applicable(method),
            all: held_out_rows(&self.all.methods[index]),
            by_data_set: self.named(|sums| held_out_rows(&sums.methods[index])),
            target: target.map(|_| prediction(&self.all.methods[index])),
            target_by_data_set: target.map(|_| self.named(|sums| prediction(&sums.methods[index]))),
        }
    }

    /// Nothing if the other method has nothing to say.
    fn difference(&self, index: usize) -> Option<Difference> {
        let minus = Method::ALL[index + 1];
        let all = &self.all.differences[index];
        let overall = paired(&all[LOG_LIKELIHOOD]);
        let groups: Vec<Moments> =
            self.by_data_set.iter().map(|sums| sums.differences[index][LOG_LIKELIHOOD]).collect();
        let se_by_data_set = clustered_error(&groups);
        let judged_by = match self.settings.scheme {
            Scheme::Folds(_) => overall.se,
            Scheme::DataSets => se_by_data_set,
        };
        self.applicable(minus).then(|| Difference {
            method: Method::Hierarchical,
            minus,
            per_row: overall.per_row,
            se: overall.se,
            se_by_data_set,
            verdict: verdict(overall.per_row, judged_by),
            by_data_set: self.named(|sums| paired(&sums.differences[index][LOG_LIKELIHOOD])),
            target: self.settings.target.map(|_| PredictionDifference {
                accuracy: paired(&all[HIT]),
                log_loss: paired(&all[LOG_LOSS]),
                brier: paired(&all[BRIER]),
            }),
        })
    }
}

fn verdict(difference: Option<f64>, error: Option<f64>) -> Verdict {
    match difference.zip(error) {
        Some((difference, error)) if difference > ENOUGH_ERRORS * error => Verdict::Better,
        Some((difference, error)) if difference < -ENOUGH_ERRORS * error => Verdict::Worse,
        _ => Verdict::Undecided,
    }
}

fn held_out_rows(spread: &Spread) -> HeldOutRows {
    let moments = spread[LOG_LIKELIHOOD];
    HeldOutRows { rows: moments.rows, log_likelihood: moments.total(), per_row: moments.mean() }
}

fn prediction(spread: &Spread) -> Prediction {
    Prediction {
        accuracy: spread[HIT].mean(),
        log_loss: spread[LOG_LOSS].mean(),
        brier: spread[BRIER].mean(),
    }
}

fn paired(moments: &Moments) -> Paired {
    Paired { per_row: moments.mean(), se: moments.standard_error() }
}
