//! BHD, the Bayesian hierarchical Dirichlet score: fits the centre, then sums Eq. (bd) over the data sets (`bd_terms`).

use super::bd_terms::sum_over_data_sets;
use super::upper_bound::{joint_dirichlet, separate_likelihood, with_rounding};
use super::{FamilyScore, FitSummary, Score, UpperBounds};
use crate::counts::Counts;
use crate::variational::{Prior, with_fit};

/// Up to this s the maximised likelihood is never much below the Dirichlet bound, and is not computed.
const DIRICHLET_ONLY_UP_TO: f64 = 2.0;

/// Above this s the maximised likelihood is the lower of the two bounds, and rounding of the Dirichlet bound would
/// exceed its margin.
const DIRICHLET_UP_TO: f64 = 64.0;

/// BHD (\[ACS22\] Eq. bhd): the sum over data sets of the log probability of their rows under a Dirichlet around the
/// fitted centre κ̂.
///
/// Its terms are the evidence that each data set gives for the family. It is not score-equivalent. Cost: one fit, then
/// linear in the observed cells and the data sets in which they occur.
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
        with_fit(counts, self.prior, |fit| {
            let s = self.prior.s();
            let cells: Vec<f64> = (0..counts.observed_cells()).map(|cell| s * fit.kappa(cell)).collect();
            // A configuration's parameter is the sum over its observed cells and its unseen states.
            let unseen = s * fit.kappa_unseen();
            let configurations: Vec<f64> = counts
                .configurations()
                .map(|configuration| {
                    let seen = configuration.cell_range();
                    cells[seen.clone()].iter().sum::<f64>() + (counts.states() - seen.len()) as f64 * unseen
                })
                .collect();
            let score = sum_over_data_sets(counts, &cells, &configurations);
            let summary =
                FitSummary { tau: fit.tau(), iterations: fit.iterations(), converged: fit.converged() };
            FamilyScore { fit: Some(summary), ..score }
        })
    }

    fn upper_bounds(&self) -> Option<&dyn UpperBounds> {
        Some(self)
    }

    fn is_score_equivalent(&self) -> bool {
        false
    }

    fn is_pooled(&self) -> bool {
        false
    }
}

impl UpperBounds for Bhd {
    fn upper_bound(&self, counts: &Counts) -> f64 {
        let s = self.prior.s();
        let joint = if s <= DIRICHLET_UP_TO { joint_dirichlet(counts, s) } else { f64::INFINITY };
        let bound = if s <= DIRICHLET_ONLY_UP_TO { joint } else { joint.min(separate_likelihood(counts)) };
        with_rounding(bound, counts)
    }
}
