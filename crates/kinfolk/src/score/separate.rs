//! No pooling: each data set scored alone and the scores added.

use super::{FamilyScore, ImaginarySampleSize, Score};
use crate::counts::Counts;
use crate::dirichlet::{CANCELS_FROM, SUMMED_COUNTS, ln_gammas, ln_rising};

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
    let mut terms = Terms::new(counts);
    let mut rows = vec![0_u64; counts.data_sets()];
    for (position, observed) in counts.configurations().enumerate() {
        for (index, observed) in observed.cell_range().zip(observed.cells()) {
            let alpha = cell(index);
            for entry in observed.entries {
                terms.add(1.0, alpha, entry.count, entry.data_set);
                rows[entry.data_set] += entry.count;
            }
        }
        let alpha = configuration(position);
        for entry in observed.cells().flat_map(|cell| cell.entries) {
            // Each data set's rows are taken once, at its first entry.
            let count = std::mem::take(&mut rows[entry.data_set]);
            if count > 0 {
                terms.add(-1.0, alpha, count, entry.data_set);
            }
        }
    }
    let by_data_set = terms.sum();
    let total = by_data_set.iter().sum();
    FamilyScore { by_data_set: Some(by_data_set), ..FamilyScore::pooled(total) }
}

/// Terms ± lnΓ(α + n) ∓ lnΓ(α) by data set: those of small counts at once, the others a whole column at a time.
struct Terms {
    by_data_set: Vec<f64>,
    /// Arguments of lnΓ, with the sign and the data set of each.
    arguments: Vec<f64>,
    owners: Vec<(f64, usize)>,
    /// The last α met and where its lnΓ will be: terms of one cell come together.
    last: Option<(f64, usize)>,
    alphas: Vec<f64>,
    alpha_of: Vec<usize>,
}

impl Terms {
    fn new(counts: &Counts) -> Self {
        // Every entry is a term, and at most as many are the rows of a data set in a configuration.
        let entries = 2 * counts.entries();
        Self {
            by_data_set: vec![0.0; counts.data_sets()],
            arguments: Vec::with_capacity(entries),
            owners: Vec::with_capacity(entries),
            last: None,
            alphas: Vec::with_capacity(2 * counts.observed_cells()),
            alpha_of: Vec::with_capacity(entries),
        }
    }

    fn add(&mut self, sign: f64, alpha: f64, count: u64, data_set: usize) {
        if count <= SUMMED_COUNTS || alpha > CANCELS_FROM {
            self.by_data_set[data_set] += sign * ln_rising(alpha, count);
            return;
        }
        let slot = match self.last {
            Some((last, slot)) if last == alpha => slot,
            _ => {
                self.alphas.push(alpha);
                self.alphas.len() - 1
            }
        };
        self.last = Some((alpha, slot));
        self.arguments.push(alpha + count as f64);
        self.owners.push((sign, data_set));
        self.alpha_of.push(slot);
    }

    fn sum(mut self) -> Vec<f64> {
        let mut tops = vec![0.0; self.arguments.len()];
        let mut bottoms = vec![0.0; self.alphas.len()];
        ln_gammas(&self.arguments, &mut tops);
        ln_gammas(&self.alphas, &mut bottoms);
        for ((top, &alpha), &(sign, data_set)) in tops.iter().zip(&self.alpha_of).zip(&self.owners) {
            self.by_data_set[data_set] += sign * (top - bottoms[alpha]);
        }
        self.by_data_set
    }
}
