//! Credible intervals of queries and predictions, by drawing the tables.
//!
//! Every row of a table has a Dirichlet distribution ([`crate::estimate::Concentration`]). A query is answered with [`DRAWS`]
//! networks whose tables are drawn from these distributions, and the quantiles of the answers are the ends of the intervals
//! (docs/THEORY.md, E63). The draws of a node and a relative do not depend on the query, the other data sets or the number of threads.

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::data::{NewRows, VariableId};
use crate::estimate::{CredibleMass, Network, Relative};
use crate::infer::{
    Answer, DrawnTables, InferError, Inference, Limits, Named, Predictions, Predictor, Question,
};
use crate::simulate::random::{Purpose, RandomNumbers};

/// The number of drawn networks. The probability beyond either end of a 0.9 interval then has a standard error of 0.007.
pub const DRAWS: usize = 1000;

/// The most probabilities that are kept at once, 8 bytes each.
const MOST_KEPT: usize = 1 << 22;

/// The smallest shape of a gamma variate whose logarithm is finite.
const SMALLEST_SHAPE: f64 = 1e-300;

impl Answer {
    /// Adds the credible intervals of the targets' probabilities to the answer of this question. A relative whose tables do not
    /// record how certain they are has none.
    pub fn with_intervals(
        mut self,
        network: &Network,
        question: &Question,
        mass: CredibleMass,
    ) -> Result<Self, InferError> {
        let mut known = false;
        let mut found: Vec<Named<Option<Named<[f64; 2]>>>> =
            self.targets.iter().map(|_| Named(Vec::new())).collect();
        for (name, _) in &self.data_sets.0 {
            let relative = network.find_relative(name).expect("the answer is of this network");
            let draws = is_known(network, relative).then(|| posteriors(network, relative, question));
            let draws = draws.transpose()?;
            known |= draws.is_some();
            for (at, (found, target)) in found.iter_mut().zip(&self.targets).enumerate() {
                let (_, estimates) = target
                    .data_sets
                    .0
                    .iter()
                    .find(|(other, _)| other == name)
                    .expect("every relative answers");
                let intervals = draws.as_ref().and_then(|draws| {
                    let ends = (0..estimates.0.len()).map(|state| {
                        let values = draws.iter().map(|draw| draw[at][state]).collect();
                        let (name, estimate) = &estimates.0[state];
                        Some((name.clone(), interval(values, *estimate, mass)?))
                    });
                    ends.collect::<Option<Vec<_>>>().map(Named)
                });
                found.0.push((name.clone(), intervals));
            }
        }
        if !known && !self.targets.is_empty() {
            return Err(InferError::NoCertainty);
        }
        for (target, intervals) in self.targets.iter_mut().zip(found) {
            target.intervals = Some(intervals);
        }
        self.interval_mass = Some(mass);
        Ok(self)
    }
}

/// The posteriors of the question's targets in every drawn network in which the evidence is possible.
fn posteriors(
    network: &Network,
    relative: Relative,
    question: &Question,
) -> Result<Vec<Vec<Vec<f64>>>, InferError> {
    let inference = Inference::new(network, relative).with_limits(question.limits);
    let answer = |draw: usize| {
        let tables = |node: VariableId| drawn_logs(network, relative, node, draw);
        match inference.with_tables(DrawnTables(&tables)).posteriors(&question.targets, &question.given) {
            Err(InferError::Impossible { .. }) => Ok(None),
            found => found.map(Some),
        }
    };
    let all = (0..DRAWS).into_par_iter().map(answer).collect::<Result<Vec<_>, _>>()?;
    Ok(all.into_iter().flatten().collect())
}

impl Predictions {
    /// Adds the credible interval of every predicted probability. The arguments are those of [`crate::infer::predict`], whose result
    /// this is.
    pub fn with_intervals(
        mut self,
        network: &Network,
        target: VariableId,
        rows: &NewRows,
        forced: Option<Relative>,
        limits: Limits,
        mass: CredibleMass,
    ) -> Result<Self, InferError> {
        // Rows with equal values and tables have equal intervals.
        let mut places: FxHashMap<(Relative, Vec<Option<u32>>), Vec<usize>> = FxHashMap::default();
        let mut asked: Vec<(Relative, Vec<Vec<Option<u32>>>)> = Vec::new();
        for (place, mut row) in rows.iter().enumerate() {
            if self.rows[place].probabilities.is_none() {
                continue;
            }
            let relative = forced.unwrap_or_else(|| row.known.map_or(Relative::New, Relative::DataSet));
            row.values[target.index()] = None;
            let known = places.entry((relative, row.values.clone())).or_default();
            if known.is_empty() {
                let at = asked.iter().position(|(other, _)| *other == relative).unwrap_or_else(|| {
                    asked.push((relative, Vec::new()));
                    asked.len() - 1
                });
                asked[at].1.push(row.values);
            }
            known.push(place);
        }
        if !asked.is_empty() && asked.iter().all(|(relative, _)| !is_known(network, *relative)) {
            return Err(InferError::NoCertainty);
        }
        let states = network.schema().states(target);
        for (relative, rows) in asked.into_iter().filter(|(relative, _)| is_known(network, *relative)) {
            let mut base = Predictor::new(network, relative, target).with_limits(limits);
            for block in rows.chunks((MOST_KEPT / (DRAWS * states)).max(1)) {
                // The elimination orders, once for all draws.
                block.iter().try_for_each(|row| base.probabilities(row).map(drop))?;
                let draws = (0..DRAWS).into_par_iter();
                let draws = draws.map(|draw| predicted(network, relative, &base, block, draw, states));
                let draws = draws.collect::<Result<Vec<Vec<f64>>, _>>()?;
                for (at, row) in block.iter().enumerate() {
                    for &place in &places[&(relative, row.clone())] {
                        let prediction = &mut self.rows[place];
                        let estimates = prediction.probabilities.as_ref().expect("it has probabilities");
                        let ends = estimates.0.iter().enumerate().map(|(state, (name, estimate))| {
                            let values = draws.iter().map(|draw| draw[at * states + state]);
                            let values = values.filter(|value| !value.is_nan()).collect();
                            Some((name.clone(), interval(values, *estimate, mass)?))
                        });
                        prediction.intervals = ends.collect::<Option<_>>().map(Named);
                    }
                }
            }
        }
        self.interval_mass = Some(mass);
        Ok(self)
    }
}

/// The target's probabilities in every row by one drawn network; NaN where the row is impossible.
fn predicted(
    network: &Network,
    relative: Relative,
    base: &Predictor<'_>,
    rows: &[Vec<Option<u32>>],
    draw: usize,
    states: usize,
) -> Result<Vec<f64>, InferError> {
    let tables = |node: VariableId| drawn_logs(network, relative, node, draw);
    let mut predictor = base.with_tables(DrawnTables(&tables));
    let mut all = Vec::with_capacity(rows.len() * states);
    for row in rows {
        match predictor.probabilities(row) {
            Ok(probabilities) => all.extend(probabilities),
            Err(InferError::Impossible { .. }) => all.resize(all.len() + states, f64::NAN),
            Err(error) => return Err(error),
        }
    }
    Ok(all)
}

/// Whether all tables of a relative record how certain they are.
fn is_known(network: &Network, relative: Relative) -> bool {
    let has = |node| {
        let concentration = network.tables(node).concentration.as_ref();
        concentration.is_some_and(|of| of.of_relative(relative).is_some())
    };
    network.schema().ids().all(has)
}

/// The logarithms of a node's table in one draw.
fn drawn_logs(network: &Network, relative: Relative, node: VariableId, draw: usize) -> Vec<f64> {
    let concentration = network.tables(node).concentration.as_ref().expect("it was checked");
    let concentrations = concentration.of_relative(relative).expect("it was checked");
    let data_sets = network.schema().data_sets().len();
    let place = match relative {
        Relative::DataSet(id) => id.index(),
        Relative::Pooled => data_sets,
        Relative::New => data_sets + 1,
    };
    let mut numbers = RandomNumbers::of(0, draw as u64, Purpose::Posterior, place, node.index());
    let table = network.table_of(node, relative);
    let mut logs = Vec::with_capacity(table.values().len());
    for (row, concentration) in table.rows().zip(concentrations) {
        let first = logs.len();
        logs.extend(row.iter().map(|probability| {
            // A state with probability 0 has it in every draw.
            if *probability > 0.0 {
                numbers.ln_gamma((concentration * probability).max(SMALLEST_SHAPE))
            } else {
                f64::NEG_INFINITY
            }
        }));
        let most = logs[first..].iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = logs[first..].iter().map(|log| libm::exp(log - most)).sum();
        let total = most + libm::log(sum);
        logs[first..].iter_mut().for_each(|log| *log -= total);
    }
    logs
}

/// The interval between the quantiles of the values, widened to contain the estimate; `None` without values.
fn interval(mut values: Vec<f64>, estimate: f64, mass: CredibleMass) -> Option<[f64; 2]> {
    if values.is_empty() {
        return None;
    }
    values.sort_unstable_by(f64::total_cmp);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a share of the number of values"
    )]
    let outside = (mass.tail() * values.len() as f64) as usize;
    Some([values[outside].min(estimate), values[values.len() - 1 - outside].max(estimate)])
}
