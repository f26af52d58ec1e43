//! Metrics of predicted probabilities against known outcomes.

use serde::Serialize;

/// The number of bins of equal width in a reliability table.
const BINS: usize = 10;

/// The quality of predictions. An infinite value, such as the log loss of an outcome of probability zero, is null in JSON.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Metrics {
    /// The number of rows with a known outcome, counted with multiplicity.
    pub n: u64,
    /// The number of those rows whose other values have probability zero. They have no prediction and enter no metric below.
    pub impossible: u64,
    /// The mean of −ln P(outcome).
    pub log_loss: f64,
    /// The same for the baseline, the target's pooled marginal distribution.
    pub baseline_log_loss: f64,
    /// The share of rows whose most probable state is the outcome.
    pub accuracy: f64,
    /// The mean over rows of Σ (p − outcome)² over the target's states, from 0 to 2: Brier (1950),
    /// [doi:10.1175/1520-0493(1950)078<0001:VOFEIT>2.0.CO;2](https://doi.org/10.1175/1520-0493(1950)078%3C0001:VOFEIT%3E2.0.CO;2).
    pub brier: f64,
    /// The area under the ROC curve: for every state the probability that a row with that outcome has a higher predicted
    /// probability of it than a row with another outcome (ties count one half), averaged over the states that some rows have as
    /// their outcome and some have not. `None` if all rows have the same outcome.
    pub auc: Option<f64>,
    /// Agreement of predicted probabilities and observed frequencies.
    pub calibration: Calibration,
}

/// The reliability of the most probable state, binned by its predicted probability.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Calibration {
    /// The expected calibration error: the mean distance of predicted probability and observed frequency, weighted by rows.
    pub expected_error: f64,
    /// Ten bins of equal width, without the empty ones.
    pub bins: Vec<CalibrationBin>,
}

/// The rows whose most probable state has a probability above `from` and at most `to`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CalibrationBin {
    /// The lower end, exclusive.
    pub from: f64,
    /// The upper end, inclusive.
    pub to: f64,
    /// The number of rows.
    pub count: u64,
    /// The mean probability of the most probable state.
    pub mean_predicted: f64,
    /// The share of rows in which it is the outcome.
    pub observed_share: f64,
}

/// Accumulates predictions and outcomes.
#[derive(Debug, Clone, PartialEq)]
pub struct Evaluation {
    baseline: Vec<f64>,
    n: u64,
    impossible: u64,
    loss: f64,
    baseline_loss: f64,
    squares: f64,
    bins: [BinSums; BINS],
    /// The outcome and the multiplicity of every predicted row.
    outcomes: Vec<(usize, u64)>,
    /// Its probabilities, row by row.
    probabilities: Vec<f64>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct BinSums {
    count: u64,
    predicted: f64,
    hits: u64,
}

impl Evaluation {
    /// An empty evaluation; `baseline` is the distribution that predictions are compared with.
    pub fn new(baseline: Vec<f64>) -> Self {
        Self {
            baseline,
            n: 0,
            impossible: 0,
            loss: 0.0,
            baseline_loss: 0.0,
            squares: 0.0,
            bins: [BinSums::default(); BINS],
            outcomes: Vec::new(),
            probabilities: Vec::new(),
        }
    }

    /// Adds a row with multiplicity `weight`; an impossible row has no prediction.
    pub fn add(&mut self, probabilities: Option<&[f64]>, outcome: u32, weight: u64) {
        if weight == 0 {
            return;
        }
        self.n += weight;
        let Some(probabilities) = probabilities else {
            self.impossible += weight;
            return;
        };
        let outcome = outcome as usize;
        let times = weight as f64;
        self.outcomes.push((outcome, weight));
        self.probabilities.extend_from_slice(probabilities);
        self.loss -= times * probabilities[outcome].ln();
        self.baseline_loss -= times * self.baseline[outcome].ln();
        let square = |(state, p): (usize, &f64)| (p - f64::from(u8::from(state == outcome))).powi(2);
        self.squares += times * probabilities.iter().enumerate().map(square).sum::<f64>();
        let predicted = most_probable(probabilities);
        let bin = &mut self.bins[bin_of(probabilities[predicted])];
        bin.count += weight;
        bin.predicted += times * probabilities[predicted];
        bin.hits += if predicted == outcome { weight } else { 0 };
    }

    /// The metrics; `None` if no outcome is known or no row is possible.
    pub fn metrics(&self) -> Option<Metrics> {
        let counted = self.n - self.impossible;
        if counted == 0 {
            return None;
        }
        let mean = |sum: f64| sum / counted as f64;
        let bin = |(index, sums): (usize, &BinSums)| CalibrationBin {
            from: index as f64 / BINS as f64,
            to: (index + 1) as f64 / BINS as f64,
            count: sums.count,
            mean_predicted: sums.predicted / sums.count as f64,
            observed_share: sums.hits as f64 / sums.count as f64,
        };
        let bins: Vec<CalibrationBin> =
            self.bins.iter().enumerate().filter(|(_, sums)| sums.count > 0).map(bin).collect();
        let distance =
            |bin: &CalibrationBin| bin.count as f64 * (bin.mean_predicted - bin.observed_share).abs();
        Some(Metrics {
            n: self.n,
            impossible: self.impossible,
            log_loss: mean(self.loss),
            baseline_log_loss: mean(self.baseline_loss),
            accuracy: mean(self.bins.iter().map(|sums| sums.hits).sum::<u64>() as f64),
            brier: mean(self.squares),
            auc: self.auc(),
            calibration: Calibration { expected_error: mean(bins.iter().map(distance).sum()), bins },
        })
    }
}

impl Evaluation {
    /// The area under the ROC curve, averaged over the states.
    fn auc(&self) -> Option<f64> {
        let states = self.baseline.len();
        let areas: Vec<f64> = (0..states).filter_map(|state| self.auc_of(state, states)).collect();
        (!areas.is_empty()).then(|| areas.iter().sum::<f64>() / areas.len() as f64)
    }

    /// The area of one state against the others; `None` if all rows or no row have it as their outcome.
    fn auc_of(&self, state: usize, states: usize) -> Option<f64> {
        let predicted = self.probabilities.iter().skip(state).step_by(states);
        let mut rows: Vec<(f64, bool, f64)> = predicted
            .zip(&self.outcomes)
            .map(|(&probability, &(outcome, weight))| (probability, outcome == state, weight as f64))
            .collect();
        rows.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (mut below, mut with, mut area) = (0.0, 0.0, 0.0);
        for tied in rows.chunk_by(|a, b| a.0 == b.0) {
            let weight = |is_state: bool| -> f64 {
                tied.iter().filter(|row| row.1 == is_state).map(|row| row.2).sum()
            };
            let (own, other) = (weight(true), weight(false));
            area += own * (below + other / 2.0);
            below += other;
            with += own;
        }
        (with > 0.0 && below > 0.0).then(|| area / (with * below))
    }
}

/// The most probable state; the first one in case of ties.
pub fn most_probable(probabilities: &[f64]) -> usize {
    let mut best = 0;
    for (state, &probability) in probabilities.iter().enumerate() {
        if probability > probabilities[best] {
            best = state;
        }
    }
    best
}

/// The bin of a probability; bins are closed on the right.
fn bin_of(probability: f64) -> usize {
    let upper = |index: usize| (index + 1) as f64 / BINS as f64;
    (0..BINS).find(|&index| probability <= upper(index)).unwrap_or(BINS - 1)
}
