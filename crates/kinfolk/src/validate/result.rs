//! Result types of a validation, and their assembly from the finished splits.

use serde::Serialize;

use super::agreement::Agreement;
use super::held_out::{BRIER, HIT, LOG_LIKELIHOOD, LOG_LOSS, MEASURES, Measures};
use super::moments::{Moments, clustered_error};
use super::tune::Weights;
use super::work::SplitResult;
use super::{ComparedMethod, METHODS, Scheme, Structures, Validate};
use crate::data::{RelatedData, Schema};
use crate::infer::Named;
use crate::learned::FilledIn;
use crate::score::{Evidences, Halt};

/// The number of standard errors from zero at which a difference is significant.
const ENOUGH_ERRORS: f64 = 2.0;

/// Why a validation ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ValidationStop {
    /// All splits finished: every row was held out once.
    Complete,
    /// The time limit was reached; the numbers cover the finished splits.
    TimeLimit,
    /// The caller interrupted it; the numbers cover the finished splits.
    Interrupted,
}

impl From<Halt> for ValidationStop {
    fn from(halt: Halt) -> Self {
        match halt {
            Halt::TimeLimit => Self::TimeLimit,
            Halt::Interrupted => Self::Interrupted,
        }
    }
}

/// The result of a validation.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Validation {
    /// The cross-validation scheme.
    pub scheme: Scheme,
    /// The number of splits: folds, or data sets.
    pub folds: usize,
    /// The number of finished splits.
    pub folds_done: usize,
    /// Why the validation ended.
    pub stop: ValidationStop,
    /// The seed of the assignment of rows to folds.
    pub seed: u64,
    /// The source of the structures: `given`, `shared` by the methods, or each method's `own`.
    pub structures_from: &'static str,
    /// Whether the tables' prior weights were tuned on the training rows; `structures` lists them.
    pub tuned: bool,
    /// The predicted target variable.
    pub target: Option<String>,
    /// The results of the compared methods, in the order of [`ComparedMethod::ALL`].
    pub methods: Vec<MethodResult>,
    /// Hierarchical minus each of the other methods, paired by row.
    pub differences: Vec<Difference>,
    /// Whether the evidence of all rows leads to the same conclusion; `None` with fewer than two data sets or
    /// without a finished split.
    pub agreement: Option<Agreement>,
    /// The structures by split.
    pub structures: Vec<FinishedSplit>,
    /// The number of hierarchical fits, in searches and tables, that did not converge.
    pub not_converged: usize,
    /// The missing values of all rows, if there are any. Training rows were filled in; held-out rows count with their observed values.
    #[serde(rename = "missing", skip_serializing_if = "Option::is_none")]
    pub filled_in: Option<FilledIn>,
}

/// A finished split.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FinishedSplit {
    /// The split's number, from 1.
    pub fold: usize,
    /// The data set left out, in [`Scheme::DataSets`].
    pub held_out: Option<String>,
    /// The number of held-out rows.
    pub rows: u64,
    /// The prior weights of the tables.
    #[serde(flatten)]
    pub weights: Weights,
    /// The structure of the hierarchical tables, as a modelstring.
    pub hierarchical: String,
    /// The structure of the pooled table.
    pub pooled: String,
    /// The structure of the separate tables.
    pub separate: String,
    /// The structure of the pooled-iss table, if it is compared.
    pub pooled_iss_structure: Option<String>,
    /// The structure of the separate-iss tables, if they are compared.
    pub separate_iss_structure: Option<String>,
}

/// The log-likelihood of held-out rows (natural logarithm).
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct HeldOutRows {
    /// The number of rows held out and scored.
    pub rows: u64,
    /// Their total log-likelihood; `None` without rows.
    pub log_likelihood: Option<f64>,
    /// The mean log-likelihood per row.
    pub per_row: Option<f64>,
}

/// Prediction quality for the target, averaged over held-out rows.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct PredictionQuality {
    /// The share of rows whose most probable state is the true one.
    pub accuracy: Option<f64>,
    /// −ln P(true state); smaller is better.
    pub log_loss: Option<f64>,
    /// Σ over the states of (P(state) − [state is true])², from 0 to 2; smaller is better.
    pub brier: Option<f64>,
}

/// The held-out results of one method; no numbers if the method does not apply to a new data set.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct MethodResult {
    /// The method.
    pub method: ComparedMethod,
    /// Whether the method applies in this scheme.
    pub applicable: bool,
    /// All rows together.
    #[serde(flatten)]
    pub all: HeldOutRows,
    /// The same by data set.
    pub by_data_set: Named<HeldOutRows>,
    /// The prediction of the target, if there is one.
    pub target: Option<PredictionQuality>,
    /// The same by data set.
    pub target_by_data_set: Option<Named<PredictionQuality>>,
}

/// A mean of paired differences.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Paired {
    /// The mean difference per row.
    pub per_row: Option<f64>,
    /// Its standard error over rows.
    pub se: Option<f64>,
}

/// The significance of a difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// More than two standard errors above zero.
    Better,
    /// More than two standard errors below zero.
    Worse,
    /// Within two standard errors of zero.
    Undecided,
}

/// Paired differences in the prediction of the target.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct PredictionDifference {
    /// Difference in accuracy: positive is better.
    pub accuracy: Paired,
    /// Difference in log-loss: negative is better.
    pub log_loss: Paired,
    /// Difference in the Brier score: negative is better.
    pub brier: Paired,
}

/// One method's held-out log-likelihood minus another's, paired by row.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Difference {
    /// The minuend.
    pub method: ComparedMethod,
    /// The subtrahend.
    pub minus: ComparedMethod,
    /// The mean difference per row; positive if `method` is better.
    pub per_row: Option<f64>,
    /// Its standard error with rows as independent draws.
    pub se: Option<f64>,
    /// Its standard error with data sets as independent draws; `None` for fewer than two.
    pub se_by_data_set: Option<f64>,
    /// Based on `se` for folds, and on `se_by_data_set` for whole data sets.
    pub verdict: Verdict,
    /// The same by data set.
    pub by_data_set: Named<Paired>,
    /// Differences in the prediction of the target, if there is one.
    pub target: Option<PredictionDifference>,
}

/// Moments of every measure.
type Spread = [Moments; MEASURES];

/// Accumulated measures of held-out rows.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Sums {
    /// By method.
    methods: [Spread; METHODS],
    /// Hierarchical minus each of the other methods.
    differences: [Spread; METHODS - 1],
}

impl Sums {
    /// Adds a row with the measures of each applicable method.
    pub(super) fn add(&mut self, measures: &[Option<Measures>; METHODS], rows: u64) {
        for (spread, values) in self.methods.iter_mut().zip(measures) {
            add(spread, *values, rows);
        }
        for (spread, values) in self.differences.iter_mut().zip(&measures[1..]) {
            let paired = measures[0].zip(*values);
            let minus = |(of, other): (Measures, Measures)| {
                std::array::from_fn(|index| Some(of[index]? - other[index]?))
            };
            add(spread, paired.map(minus), rows);
        }
    }

    /// The total log-likelihood by method; 0 for a method that does not apply.
    pub(super) fn log_likelihoods(&self) -> [f64; METHODS] {
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
        if let Some(value) = value {
            moments.add(value, rows);
        }
    }
}

/// Merges the splits in their order, so that rounding does not depend on the order of completion.
pub(super) fn assemble(
    settings: &Validate<'_>,
    data: &RelatedData,
    folds: usize,
    finished: Vec<SplitResult>,
    stop: ValidationStop,
) -> Validation {
    let schema = data.schema();
    let mut by_data_set = vec![Sums::default(); schema.data_sets().len()];
    for finished in &finished {
        by_data_set.iter_mut().zip(&finished.sums).for_each(|(sums, of_split)| sums.merge(of_split));
    }
    let mut all = Sums::default();
    by_data_set.iter().for_each(|sums| all.merge(sums));
    let report = ResultBuilder { settings, schema, by_data_set, all };
    let compared: Vec<usize> =
        (0..METHODS).filter(|&index| settings.compares(ComparedMethod::ALL[index])).collect();
    let differences: Vec<Difference> =
        compared[1..].iter().filter_map(|&index| report.difference(index - 1)).collect();
    let data_sets = schema.data_sets().len();
    let agreement = Evidences::mean(&finished.iter().map(|finished| finished.evidence).collect::<Vec<_>>())
        .and_then(|evidence| Agreement::of(evidence, data_sets, settings.scheme, &differences));
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
        methods: compared.iter().map(|&index| report.method(index)).collect(),
        differences,
        agreement,
        not_converged: finished.iter().map(|finished| finished.not_converged).sum(),
        structures: finished.into_iter().map(|finished| finished.held).collect(),
        filled_in: (!data.is_complete()).then(|| FilledIn::for_structure(data)),
    }
}

struct ResultBuilder<'a> {
    settings: &'a Validate<'a>,
    schema: &'a Schema,
    by_data_set: Vec<Sums>,
    all: Sums,
}

impl ResultBuilder<'_> {
    fn applicable(&self, method: ComparedMethod) -> bool {
        !method.is_separate() || self.settings.scheme != Scheme::DataSets
    }

    fn named<T>(&self, of: impl Fn(&Sums) -> T) -> Named<T> {
        Named(self.schema.data_sets().iter().cloned().zip(self.by_data_set.iter().map(of)).collect())
    }

    fn method(&self, index: usize) -> MethodResult {
        let method = ComparedMethod::ALL[index];
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

    /// The difference from another method; `None` if that method does not apply.
    fn difference(&self, index: usize) -> Option<Difference> {
        let minus = ComparedMethod::ALL[index + 1];
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
            method: ComparedMethod::Hierarchical,
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

fn prediction(spread: &Spread) -> PredictionQuality {
    PredictionQuality {
        accuracy: spread[HIT].mean(),
        log_loss: spread[LOG_LOSS].mean(),
        brier: spread[BRIER].mean(),
    }
}

fn paired(moments: &Moments) -> Paired {
    Paired { per_row: moments.mean(), se: moments.standard_error() }
}
