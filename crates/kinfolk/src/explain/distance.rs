//! Distances between the data sets' conditional probability tables and their common centre, for one family.

use crate::counts::Counts;
use crate::laplace::Cells;
use crate::score::Kin;

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

impl Heterogeneity {
    /// Compares the posterior mean tables under [`Kin`], which shrink to the centre where rows are few, with
    /// the centre itself (docs/THEORY.md, E47). Configurations not observed in a data set do not contribute
    /// to its distance.
    ///
    /// Complexity: one evaluation of kin, then the states of every observed configuration for every s and
    /// data set.
    pub(super) fn of(counts: &Counts, grid: &Kin) -> Self {
        let kin = Kin { pooled_half: true, cells: Cells::Row, ..grid.clone() };
        let posterior = kin.posterior(counts);
        let (states, identical) = (counts.states(), posterior.identical);
        let alpha = Kin::pooled().get() / counts.possible_cells();
        let rows = counts.rows();
        let mut divergence = vec![0.0; counts.data_sets()];
        let mut total_variation = divergence.clone();
        for (index, configuration) in counts.configurations().enumerate() {
            let mut own = vec![vec![0_u64; states]; counts.data_sets()];
            for cell in configuration.cells() {
                cell.entries.iter().for_each(|entry| own[entry.data_set][cell.state] = entry.count);
            }
            let pooled: Vec<f64> = (0..states)
                .map(|state| alpha + own.iter().map(|counts| counts[state]).sum::<u64>() as f64)
                .collect();
            let all: f64 = pooled.iter().sum();
            let mean = posterior.mean_centre(states, (index, &configuration));
            let mixed = |pooled: f64, related: f64| identical * pooled / all + (1.0 - identical) * related;
            let centre: Vec<f64> =
                pooled.iter().zip(&mean).map(|(&pooled, &mean)| mixed(pooled, mean)).collect();
            let centres: Vec<Vec<f64>> = (0..kin.grid.values().len())
                .map(|point| posterior.centre(states, point, (index, &configuration)))
                .collect();
            for (data_set, counts) in own.iter().enumerate() {
                let seen = counts.iter().sum::<u64>() as f64;
                if seen == 0.0 {
                    continue;
                }
                let mut table = vec![0.0; states];
                for ((&s, probability), centre) in kin.grid.values().iter().zip(&posterior.s).zip(&centres) {
                    for ((value, centre), &count) in table.iter_mut().zip(centre).zip(counts) {
                        *value += probability * (s * centre + count as f64) / (s + seen);
                    }
                }
                let share = seen / rows[data_set] as f64;
                for ((table, &pooled), centre) in table.iter().zip(&pooled).zip(&centre) {
                    let table = mixed(pooled, *table);
                    divergence[data_set] += share * table * (table / centre).ln();
                    total_variation[data_set] += share * 0.5 * (table - centre).abs();
                }
            }
        }
        Self {
            identical,
            s_mean: posterior.kinship(&kin).s_mean,
            divergence: divergence.into_iter().map(|value| value.max(0.0)).collect(),
            total_variation,
            converged: posterior.evidence.converged,
        }
    }

    /// The mean of a quantity given per data set, weighted by rows.
    pub(super) fn over_rows(values: &[f64], rows: &[u64]) -> f64 {
        let all = rows.iter().sum::<u64>() as f64;
        values.iter().zip(rows).map(|(value, &rows)| value * rows as f64).sum::<f64>() / all.max(1.0)
    }
}
