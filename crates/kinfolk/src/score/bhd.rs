//! The Bayesian hierarchical Dirichlet score.

use super::ceiling::{separate_likelihood, with_room};
use super::joint_ceiling::joint_dirichlet;
use super::separate::sum_over_data_sets;
use super::{FamilyScore, FitSummary, Score};
use crate::counts::Counts;
use crate::variational::{Prior, with_solution};

/// Up to this s what no Dirichlet prior can exceed is close to what the best one has.
const CLOSE_UP_TO: f64 = 2.0;

/// From here on the likelihood of each data set's own shares is the lower one, and the terms of the other would round more than there is room
/// for.
const WORTH_UP_TO: f64 = 64.0;

/// BHD (\[ACS22\] Eq. bhd): every data set's rows under a Dirichlet around the fitted centre κ̂, added up.
///
/// It is a sum over data sets, whose terms are the evidence that each gives to the family, and it is not
/// score-equivalent. Cost: one fit, then linear in the observed cells and the data sets that saw them.
#[derive(Debug, Clone, Copy, Default)]
pub struct Bhd {
    /// s per data set and the centre's prior.
    pub prior: Prior,
}

impl Score for Bhd {
    fn name(&self) -> &'static str {
        "bhd"
    }

    fn family_score(&self, counts: &Counts) -> FamilyScore {
        with_solution(counts, self.prior, |solution| {
            let s = self.prior.s();
            let cells: Vec<f64> = (0..counts.observed_cells()).map(|cell| s * solution.kappa(cell)).collect();
            // A configuration has its observed cells and those of its states that were never seen.
            let unseen = s * solution.kappa_unseen();
            let configurations: Vec<f64> = counts
                .configurations()
                .map(|configuration| {
                    let seen = configuration.cell_range();
                    cells[seen.clone()].iter().sum::<f64>() + (counts.states() - seen.len()) as f64 * unseen
                })
                .collect();
            let score = sum_over_data_sets(counts, &cells, &configurations);
            let summary = FitSummary {
                tau: solution.tau(),
                iterations: solution.iterations(),
                converged: solution.converged(),
            };
            FamilyScore { fit: Some(summary), ..score }
        })
    }

    fn ceiling(&self, counts: &Counts) -> f64 {
        let s = self.prior.s();
        let joint = if s <= WORTH_UP_TO { joint_dirichlet(counts, s) } else { f64::INFINITY };
        // Where s is small the other is never lower by much.
        let ceiling = if s <= CLOSE_UP_TO { joint } else { joint.min(separate_likelihood(counts)) };
        with_room(ceiling, counts)
    }

    fn has_ceiling(&self) -> bool {
        true
    }

    fn is_score_equivalent(&self) -> bool {
        false
    }

    fn is_pooled(&self) -> bool {
        false
    }
}
