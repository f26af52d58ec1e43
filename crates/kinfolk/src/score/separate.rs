//! No pooling: each data set scored alone and the scores added.

use super::{FamilyScore, ImaginarySampleSize, Score};
use crate::counts::Counts;
use crate::dirichlet::Rising;

/// The sum over the data sets of each one's own BDeu: the other extreme from pooling the rows.
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
        sum_over_data_sets(counts, |_| alpha, |_| alpha * counts.states() as f64)
    }

    fn is_score_equivalent(&self) -> bool {
        true
    }

    fn is_pooled(&self) -> bool {
        false
    }
}

/// Eq. (bd) of \[ACS22\] in every data set, added up: `cell` is the Dirichlet parameter of an observed cell (by its position in
/// [`Counts::cells`]), `configuration` that of an observed configuration (by its position).
pub(super) fn sum_over_data_sets(
    counts: &Counts,
    cell: impl Fn(usize) -> f64,
    configuration: impl Fn(usize) -> f64,
) -> FamilyScore {
    let mut by_data_set = vec![0.0; counts.data_sets()];
    let mut rows = vec![0_u64; counts.data_sets()];
    for (position, observed) in counts.configurations().enumerate() {
        for (index, observed) in observed.cell_range().zip(observed.cells()) {
            let alpha = Rising::for_many(cell(index));
            for entry in observed.entries {
                by_data_set[entry.data_set] += alpha.ln(entry.count);
                rows[entry.data_set] += entry.count;
            }
        }
        let alpha = Rising::for_many(configuration(position));
        for entry in observed.cells().flat_map(|cell| cell.entries) {
            // Each data set's rows are taken once, at its first entry.
            let count = std::mem::take(&mut rows[entry.data_set]);
            if count > 0 {
                by_data_set[entry.data_set] -= alpha.ln(count);
            }
        }
    }
    FamilyScore { total: by_data_set.iter().sum(), by_data_set: Some(by_data_set), fit: None }
}
