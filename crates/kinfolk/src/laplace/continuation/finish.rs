//! Computes the evidence at the centres, its derivatives in ln s, and the derivatives of the centres (docs/THEORY.md,
//! E33 to E35).

#![expect(
    clippy::inline_always,
    reason = "kernels must be compiled for the processor their caller is compiled for"
)]

use super::{CLOSE, Continuation, Evaluated};
use crate::laplace::tables::FamilyTables;
use crate::laplace::taylor::SIXTH;
use crate::special::lanes::{LANES, Lanes, ln_gammas_less_main_part};

impl Continuation {
    /// The estimated error of the evidence from the distance between evaluation and centre.
    #[inline(always)]
    pub(super) fn error(&self, tables: &FamilyTables) -> f64 {
        let (times, _) = tables.times.as_chunks::<LANES>();
        let mut errors = [0.0; LANES];
        for (left, times) in self.left.iter().zip(times) {
            for lane in 0..LANES {
                let (distance, times) = (left[lane].abs(), times[lane].abs());
                let error = 0.01 * (1.0 + 20.0 * distance) * distance * distance * distance;
                errors[lane] += if distance > CLOSE { times * error } else { 0.0 };
            }
        }
        errors.iter().sum()
    }

    /// The evidence at the centres, from the expansions around the last evaluations, and the derivatives of the centres in ln s.
    #[inline(always)]
    pub(super) fn finish(&mut self, tables: &FamilyTables, s: f64) -> Evaluated {
        let (times, _) = tables.times.as_chunks::<LANES>();
        let (alpha0, _) = tables.alpha0.as_chunks::<LANES>();
        let [mut values, mut variances, mut smooth] = [Lanes::default(); 3];
        let mut derivatives = [Lanes::default(); 4];
        for ((block, there), above_eight) in self.there.iter().enumerate().zip(tables.counts.above_eight()) {
            let (rises, left, mut z) = (self.rises[block], self.left[block], self.ln_centre[block]);
            let (times, alpha0) = (times[block], alpha0[block]);
            let gammas = ln_gammas_less_main_part(&there.d);
            for lane in 0..LANES {
                let left = left[lane];
                z[lane] += left;
                let bend = 0.5 * rises.second[lane]
                    + left * (SIXTH * rises.third[lane] + left * (SIXTH / 4.0 * rises.fourth[lane]));
                let risen = rises.value[lane] + left * (rises.first[lane] + left * bend);
                values[lane] += times[lane] * (risen + alpha0[lane] * z[lane] + gammas[lane]);
                derivatives[0][lane] += times[lane] * (there.slope[lane] - alpha0[lane]);
                derivatives[1][lane] += times[lane] * there.bend[lane];
                derivatives[2][lane] += times[lane] * (rises.third[lane] + left * rises.fourth[lane]);
                derivatives[3][lane] += times[lane] * rises.fourth[lane];
                smooth[lane] +=
                    if s * there.centre[lane] >= 1.0 { times[lane] * above_eight[lane] } else { 0.0 };
            }
            (self.ln_centre[block], self.centre[block]) = (z, there.centre);
        }
        let (multiplicity, _) = tables.multiplicity.as_chunks::<LANES>();
        for (block, (there, multiplicity)) in self.there.iter().zip(multiplicity).enumerate() {
            let (mut weights, mut pulls, mut masses) = ([0.0; LANES], [0.0; LANES], [0.0; LANES]);
            for lane in 0..LANES {
                masses[lane] = multiplicity[lane] * there.centre[lane];
                let share = masses[lane] * there.inverse_d[lane];
                weights[lane] = share * there.centre[lane];
                pulls[lane] = share * there.bend[lane];
            }
            (self.sums[0][block], self.sums[1][block], self.sums[2][block]) = (weights, pulls, masses);
        }
        self.list_all(tables);
        self.add_up(tables, 3);
        std::mem::swap(&mut self.slope, &mut self.slope_before);
        for (block, there) in self.there.iter().enumerate() {
            let (weights, pulls, times) = (self.sums[0][block], self.sums[1][block], times[block]);
            let masses = self.sums[2][block];
            let mut slope = Lanes::default();
            for lane in 0..LANES {
                let pull = pulls[lane] / weights[lane] * there.centre[lane];
                slope[lane] = (there.bend[lane] - pull) * there.inverse_d[lane];
                variances[lane] += times[lane] * there.bend[lane] * slope[lane];
                // The last step leaves the simplex to second order, and φ is not flat in that direction.
                values[lane] -= times[lane] * there.slope[lane] * (masses[lane] - 1.0);
            }
            self.slope[block] = slope;
        }
        let weights = self.sums[0].as_flattened();
        for (table, of_table) in tables.tables.iter().zip(self.of_tables.as_flattened_mut()) {
            *of_table = 1.0 / weights[table.cells.start];
        }
        let mut value = tables.constant + values.iter().sum::<f64>();
        for (four, tables) in self.of_tables.iter().zip(tables.tables.chunks(LANES)) {
            let gammas = ln_gammas_less_main_part(four);
            for (gamma, table) in gammas.iter().zip(tables) {
                value -= table.weight * gamma;
            }
        }
        let sum = |lanes: Lanes| lanes.iter().sum::<f64>();
        Evaluated {
            value,
            derivatives: derivatives.map(sum),
            variance: sum(variances),
            smooth: sum(smooth),
            error: 0.0,
            evaluations: 0,
            converged: true,
        }
    }
}
