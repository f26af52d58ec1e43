//! BDeu without pooling: scores each data set separately and sums the scores.

use super::bd_terms::sum_over_data_sets;
use super::{FamilyScore, ImaginarySampleSize, Score};
use crate::counts::Counts;

/// The sum of the data sets' own BDeu scores: the opposite of pooling the rows.
#[derive(Debug, Clone, Copy, Default)]
pub struct BdeuSeparate {
    /// The imaginary sample size in each data set.
    pub iss: ImaginarySampleSize,
}

impl Score for BdeuSeparate {
    fn name(&self) -> &'static str {
        "bdeu-separate"
    }

    fn family_score(&self, counts: &Counts) -> FamilyScore {
        let alpha = self.iss.get() / counts.possible_cells();
        let cells = vec![alpha; counts.observed_cells()];
        let configurations = vec![alpha * counts.states() as f64; counts.observed_configurations()];
        sum_over_data_sets(counts, &cells, &configurations)
    }

    fn is_score_equivalent(&self) -> bool {
        true
    }

    fn is_pooled(&self) -> bool {
        false
    }
}
