//! Posterior tables under the `kin` model, averaged over the concentration s and over related or identical data sets.

use super::{DenseCounts, NodeTables, Pooling, Table};
use crate::counts::Counts;
use crate::score::Kin;

/// The tables of one node (docs/THEORY.md, E38). An unobserved configuration has uniform probabilities.
pub(super) fn node_tables(counts: &Counts, full: &DenseCounts, kin: &Kin) -> NodeTables {
    let posterior = kin.posterior(counts);
    let states = counts.states();
    let alpha = Kin::pooled().get() / full.cells() as f64;
    let pooled = full.conditional(&full.pooled(), |_| alpha);
    // The contribution of the identical model to every table.
    let share = |table: &Table| {
        let values = table.values().iter().map(|value| posterior.identical * value).collect();
        Table::new(states, values)
    };
    let related = 1.0 - posterior.identical;
    let mut new = share(&pooled);
    let mut by_data_set = vec![new.clone(); counts.data_sets()];
    let mut kappa = Table::filled(full.configurations, states, 1.0 / states as f64);
    let mut seen = vec![false; full.configurations];
    // The weight of the data set's own rows in every row of its table; the common centre has the remaining weight.
    let mut own = vec![vec![0.0; full.configurations]; counts.data_sets()];
    for (index, configuration) in counts.configurations().enumerate() {
        let row = DenseCounts::row_of(&configuration);
        seen[row] = true;
        let cells = row * states..(row + 1) * states;
        let centre = posterior.mean_centre(states, (index, &configuration));
        for (value, centre) in new.values_mut()[cells.clone()].iter_mut().zip(&centre) {
            *value += related * centre;
        }
        kappa.values_mut()[cells.clone()].copy_from_slice(&centre);
        for (grid_point, (&s, probability)) in kin.grid.values().iter().zip(&posterior.s).enumerate() {
            let centre = posterior.centre(states, grid_point, (index, &configuration));
            let weight = s * centre.iter().sum::<f64>();
            for ((table, own), counts) in by_data_set.iter_mut().zip(&mut own).zip(&full.by_data_set) {
                let counts = &counts[cells.clone()];
                let rows = counts.iter().sum::<u64>() as f64;
                let total = weight + rows;
                own[row] += related * probability * rows / total;
                let values = table.values_mut()[cells.clone()].iter_mut();
                for ((value, centre), &count) in values.zip(&centre).zip(counts) {
                    *value += related * probability * (s * centre + count as f64) / total;
                }
            }
        }
    }
    for row in (0..full.configurations).filter(|&row| !seen[row]) {
        for table in by_data_set.iter_mut().chain([&mut new]) {
            table.values_mut()[row * states..(row + 1) * states].fill(1.0 / states as f64);
        }
    }
    let own_of_joint = |&rows: &u64| -> f64 {
        let grid = kin.grid.values().iter().zip(&posterior.s);
        grid.map(|(s, probability)| related * probability * rows as f64 / (s + rows as f64)).sum()
    };
    let rest = |own: f64| (1.0 - own).max(0.0);
    let pooling = Pooling {
        tau: None,
        kappa,
        shrinkage: Some(counts.rows().iter().map(|rows| rest(own_of_joint(rows))).collect()),
        shrinkage_by_configuration: Some(
            own.into_iter().map(|own| own.into_iter().map(rest).collect()).collect(),
        ),
        iterations: posterior.evidence.evaluations,
        converged: posterior.evidence.converged,
        kin: Some(posterior.kinship(kin, counts)),
    };
    NodeTables { by_data_set, pooled, new, rows: Some(full.rows()), pooling: Some(pooling) }
}
