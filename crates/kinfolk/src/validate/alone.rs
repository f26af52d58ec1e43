//! The score of unrelated data sets under any model: the sum over each data set alone.

use crate::counts::Counts;
use crate::score::{FamilyScore, Score, StructurePrior};

/// Σ over the data sets of a score of each one alone.
pub(super) struct EachAlone<'a>(pub(super) &'a dyn Score);

impl Score for EachAlone<'_> {
    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn family_score(&self, counts: &Counts) -> FamilyScore {
        let of = |data_set| self.0.family_score(&counts.of_data_sets(&[data_set])).total;
        let by_data_set: Vec<f64> = (0..counts.data_sets()).map(of).collect();
        FamilyScore {
            total: by_data_set.iter().sum(),
            by_data_set: Some(by_data_set),
            fit: None,
            kin: None,
            structure_prior: None,
        }
    }

    fn structure_prior(&self) -> StructurePrior {
        self.0.structure_prior()
    }

    fn is_score_equivalent(&self) -> bool {
        self.0.is_score_equivalent()
    }

    fn is_pooled(&self) -> bool {
        false
    }
}
