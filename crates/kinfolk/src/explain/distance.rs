//! Distances between the data sets' conditional probability tables and their common centre, for one family.

use rayon::prelude::*;

use super::chance::{self, ChanceRange, RELATIVES, Relatives};
use crate::counts::Counts;
use crate::data::VariableId;
use crate::laplace::Cells;
use crate::score::Kin;

/// Families whose relatives are kept in memory at once.
const PORTION: usize = 16;

/// Heterogeneity of the data sets in one family.
pub(super) struct Heterogeneity {
    /// The posterior probability that the data sets are identical.
    pub(super) identical: f64,
    /// The posterior geometric mean of s, given that they are related.
    pub(super) s_mean: f64,
    /// Σ over configurations of (rows of f there / rows of f) · KL(its table, the centre), by data set.
    pub(super) divergence: Vec<f64>,
    /// As `divergence`, with total variation.
    pub(super) total_variation: Vec<f64>,
    /// Whether all centre fits converged.
    pub(super) converged: bool,
}

/// The tables of one configuration under [`Kin`], from which the table of any data set follows.
pub(super) struct Model<'a> {
    /// The grid of s with the probability of every point.
    pub(super) s: &'a [f64],
    weights: &'a [f64],
    identical: f64,
    /// The centre at every s.
    pub(super) centres: Vec<Vec<f64>>,
    /// The table of all rows together.
    pub(super) pooled: Vec<f64>,
    /// The centre averaged over s and over the hypothesis that the data sets are identical.
    centre: Vec<f64>,
}

impl Model<'_> {
    /// Kullback–Leibler divergence and total variation between the posterior mean table of a data set with these counts and the centre.
    pub(super) fn distance(&self, counts: &[u64]) -> (f64, f64) {
        let seen = counts.iter().sum::<u64>() as f64;
        let mut table = vec![0.0; counts.len()];
        for ((&s, probability), centre) in self.s.iter().zip(self.weights).zip(&self.centres) {
            for ((value, centre), &count) in table.iter_mut().zip(centre).zip(counts) {
                *value += probability * (s * centre + count as f64) / (s + seen);
            }
        }
        let (mut divergence, mut total_variation) = (0.0, 0.0);
        for ((table, &pooled), centre) in table.iter().zip(&self.pooled).zip(&self.centre) {
            let table = self.identical * pooled + (1.0 - self.identical) * table;
            divergence += table * (table / centre).ln();
            total_variation += 0.5 * (table - centre).abs();
        }
        (divergence, total_variation)
    }
}

impl Heterogeneity {
    /// Compares the posterior mean tables under [`Kin`], which shrink to the centre where rows are few, with
    /// the centre itself (docs/THEORY.md, E47). Configurations not observed in a data set do not contribute
    /// to its distance. Also returns the distances of the simulated relatives of every data set, if there are any.
    ///
    /// Complexity: one evaluation of kin, then the states of every observed configuration for every s and
    /// data set, once and for every relative.
    pub(super) fn of(counts: &Counts, child: VariableId, grid: &Kin) -> (Self, Vec<Vec<f64>>) {
        let kin = Kin { pooled_half: true, cells: Cells::Row, ..grid.clone() };
        let posterior = kin.posterior(counts);
        let (states, identical) = (counts.states(), posterior.identical);
        let alpha = Kin::pooled().get() / counts.possible_cells();
        let rows = counts.rows();
        let mut divergence = vec![0.0; counts.data_sets()];
        let mut total_variation = divergence.clone();
        let simulated = if chance::is_simulated(counts) { counts.data_sets() } else { 0 };
        let mut relatives: Vec<Relatives> =
            (0..simulated).map(|data_set| Relatives::new(data_set, child, identical, &posterior.s)).collect();
        for (index, configuration) in counts.configurations().enumerate() {
            let mut own = vec![vec![0_u64; states]; counts.data_sets()];
            for cell in configuration.cells() {
                cell.entries.iter().for_each(|entry| own[entry.data_set][cell.state] = entry.count);
            }
            let pooled: Vec<f64> = (0..states)
                .map(|state| alpha + own.iter().map(|counts| counts[state]).sum::<u64>() as f64)
                .collect();
            let all: f64 = pooled.iter().sum();
            let pooled: Vec<f64> = pooled.into_iter().map(|count| count / all).collect();
            let mean = posterior.mean_centre(states, (index, &configuration));
            let mixed = |pooled: f64, related: f64| identical * pooled + (1.0 - identical) * related;
            let model = Model {
                s: kin.grid.values(),
                weights: &posterior.s,
                identical,
                centres: (0..kin.grid.values().len())
                    .map(|point| posterior.centre(states, point, (index, &configuration)))
                    .collect(),
                centre: pooled.iter().zip(&mean).map(|(&pooled, &mean)| mixed(pooled, mean)).collect(),
                pooled,
            };
            for (data_set, counts) in own.iter().enumerate() {
                let seen = counts.iter().sum::<u64>();
                if seen == 0 {
                    continue;
                }
                let share = seen as f64 / rows[data_set] as f64;
                let (far, apart) = model.distance(counts);
                divergence[data_set] += share * far;
                total_variation[data_set] += share * apart;
                if let Some(relatives) = relatives.get_mut(data_set) {
                    relatives.add(&model, seen, rows[data_set]);
                }
            }
        }
        let heterogeneity = Self {
            identical,
            s_mean: posterior.s_mean(&kin),
            divergence: divergence.into_iter().map(|value| value.max(0.0)).collect(),
            total_variation,
            converged: posterior.evidence.converged,
        };
        (heterogeneity, relatives.into_iter().map(|relatives| relatives.distances).collect())
    }

    /// The heterogeneity of all families by version, and the range of the summed distances of every data set's relatives, as means over
    /// the versions. `go_on` is called between portions of the work with the number of families done.
    pub(super) fn of_all<E>(
        counts: &[Vec<Counts>],
        children: &[VariableId],
        grid: &Kin,
        mut go_on: impl FnMut(usize) -> Result<(), E>,
    ) -> Result<(Vec<Vec<Self>>, Vec<ChanceRange>), E> {
        let first = counts.first().map(|versions| &versions[0]);
        let simulated = first.filter(|counts| chance::is_simulated(counts)).map_or(0, Counts::data_sets);
        let mut sums = vec![vec![0.0; RELATIVES]; simulated];
        let mut all = Vec::with_capacity(counts.len());
        for (counts, children) in counts.chunks(PORTION).zip(children.chunks(PORTION)) {
            go_on(all.len())?;
            let found: Vec<Vec<(Self, Vec<Vec<f64>>)>> = counts
                .par_iter()
                .zip(children)
                .map(|(versions, &child)| {
                    versions.iter().map(|counts| Self::of(counts, child, grid)).collect()
                })
                .collect();
            for versions in found {
                let share = 1.0 / versions.len() as f64;
                let mut own = Vec::with_capacity(versions.len());
                for (heterogeneity, relatives) in versions {
                    own.push(heterogeneity);
                    for (sums, distances) in sums.iter_mut().zip(relatives) {
                        sums.iter_mut().zip(distances).for_each(|(sum, distance)| *sum += share * distance);
                    }
                }
                all.push(own);
            }
        }
        Ok((all, chance::ranges(&sums)))
    }

    /// The mean of a quantity given per data set, weighted by rows.
    pub(super) fn over_rows(values: &[f64], rows: &[u64]) -> f64 {
        let all = rows.iter().sum::<u64>() as f64;
        values.iter().zip(rows).map(|(value, &rows)| value * rows as f64).sum::<f64>() / all.max(1.0)
    }
}
