//! Posterior tables under the `kin` model, averaged over the concentration s and over related or identical data sets.

use std::slice;

use super::{
    Concentration, DenseCounts, NodeTables, Pooling, Purpose, SecondMoment, Table, related_row, squares,
};
use crate::counts::{Configuration, Counts};
use crate::laplace::Cells;
use crate::score::Kin;
use crate::special::trigamma_rise;

/// Values of s with a smaller probability do not count in the variance of a row.
const NEGLIGIBLE: f64 = 1e-4;

/// The prior of a centre in every cell (docs/THEORY.md, E33).
const CENTRE_PRIOR: f64 = 1.0;

/// The tables of one node (docs/THEORY.md, E38). An unobserved configuration has uniform probabilities.
pub(super) fn node_tables(counts: &Counts, full: &DenseCounts, kin: &Kin, purpose: Purpose) -> NodeTables {
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
    // The second moments of the related part of every row; the last list is that of a new data set.
    let mut moments = vec![vec![SecondMoment::default(); full.configurations]; counts.data_sets() + 1];
    let none = vec![0; states];
    let likely: f64 = posterior.s.iter().filter(|&&probability| probability >= NEGLIGIBLE).sum();
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
            if *probability >= NEGLIGIBLE {
                let counts = full.by_data_set.iter().map(|counts| &counts[cells.clone()]);
                let counts = counts.chain([&none[..]]);
                let certainty = centre_concentration(&configuration, s, &centre);
                for (moment, counts) in moments.iter_mut().zip(counts) {
                    moment[row].add(probability / likely, moment_around(s, &centre, counts, certainty));
                }
            }
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
        // The prior alone: a uniform centre, and for joint cells an equal share of it for every configuration.
        let even = vec![
            if kin.cells == Cells::Row { 1.0 } else { 1.0 / full.configurations as f64 }
                / states as f64;
            states
        ];
        for (&s, probability) in kin.grid.values().iter().zip(&posterior.s).filter(|(_, p)| **p >= NEGLIGIBLE)
        {
            let prior = moment_around(s, &even, &none, CENTRE_PRIOR * states as f64);
            moments.iter_mut().for_each(|moment| moment[row].add(probability / likely, prior));
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
        kin: Some(match purpose {
            Purpose::Result => posterior.kinship(kin, counts),
            Purpose::Prediction => posterior.kinship_without_identity(kin),
        }),
    };
    let tables = [&by_data_set[..], slice::from_ref(&pooled), slice::from_ref(&new)];
    let concentration = Some(concentration(full, posterior.identical, &moments, tables));
    NodeTables { by_data_set, pooled, new, rows: Some(full.rows()), pooling: Some(pooling), concentration }
}

/// The concentrations from the second moments of the related part of every row, by data set and of a new one, and those of the
/// identical part: of the pooled table with its prior. `tables` are those of the data sets, pooled and new.
fn concentration(
    full: &DenseCounts,
    identical: f64,
    moments: &[Vec<SecondMoment>],
    tables: [&[Table]; 3],
) -> Concentration {
    let [by_data_set, [pooled], [new]] = tables else { unreachable!("one pooled and one new table") };
    let prior = Kin::pooled().get() / full.configurations as f64;
    let rows = full.pooled_rows();
    let pooled_moments = rows.iter().zip(pooled.rows());
    let pooled_moments: Vec<SecondMoment> = pooled_moments
        .map(|(&rows, row)| SecondMoment::of_dirichlet(rows as f64 + prior, squares(row)))
        .collect();
    let mixed = |(table, moments): (&Table, &Vec<SecondMoment>)| -> Vec<f64> {
        let row = |(row, (moment, pooled)): (&[f64], (&SecondMoment, &SecondMoment))| {
            let mut all = SecondMoment::default();
            all.add(identical, *pooled);
            all.add(1.0 - identical, *moment);
            all.concentration(row)
        };
        table.rows().zip(moments.iter().zip(&pooled_moments)).map(row).collect()
    };
    Concentration {
        by_data_set: by_data_set.iter().zip(moments).map(mixed).collect(),
        new: moments.last().map(|of| mixed((new, of))),
        pooled: pooled_moments.iter().zip(pooled.rows()).map(|(of, row)| of.concentration(row)).collect(),
    }
}

/// A row given s and the mode of its centre, whose sum is the configuration's share.
fn moment_around(s: f64, centre: &[f64], counts: &[u64], certainty: f64) -> SecondMoment {
    let share: f64 = centre.iter().sum();
    let rows = counts.iter().sum::<u64>() as f64;
    let mean =
        centre.iter().zip(counts).map(|(centre, &count)| (s * centre + count as f64) / (s * share + rows));
    let mean: Vec<f64> = mean.collect();
    let centre: Vec<f64> = centre.iter().map(|centre| centre / share).collect();
    related_row(s * share, rows, &mean, &centre, certainty)
}

/// The concentration D of a centre's posterior given s, by Laplace's method (docs/THEORY.md, E33): d_c are the parameters of a
/// Dirichlet distribution.
fn centre_concentration(configuration: &Configuration<'_>, s: f64, centre: &[f64]) -> f64 {
    let share: f64 = centre.iter().sum();
    let mut d = vec![CENTRE_PRIOR; centre.len()];
    for cell in configuration.cells() {
        let x = s * centre[cell.state];
        let rise: f64 = cell.entries.iter().map(|entry| trigamma_rise(x, entry.count)).sum();
        d[cell.state] -= x * x * rise;
    }
    let terms = d.iter().zip(centre).map(|(d, centre)| (centre / share).powi(2) / d);
    1.0 / terms.sum::<f64>()
}
