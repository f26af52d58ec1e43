//! The baseline K2 without pooling: the sum of the data sets' own K2 scores (α = 1 in every cell).

use kinfolk::counts::Counts;
use kinfolk::score::{FamilyScore, Score};
use kinfolk::special::ln_rising;

/// The sum of the data sets' own K2 scores.
#[derive(Debug, Clone, Copy)]
pub(crate) struct K2Separate;

impl Score for K2Separate {
    fn name(&self) -> &'static str {
        "k2-separate"
    }

    fn family_score(&self, counts: &Counts) -> FamilyScore {
        let states = counts.states() as f64;
        let mut terms = vec![0.0; counts.data_sets()];
        let mut rows = vec![0_u64; counts.data_sets()];
        for configuration in counts.configurations() {
            for entry in configuration.cells().flat_map(|cell| cell.entries) {
                terms[entry.data_set] += ln_rising(1.0, entry.count);
                rows[entry.data_set] += entry.count;
            }
            for (term, rows) in terms.iter_mut().zip(&mut rows) {
                *term -= ln_rising(states, std::mem::take(rows));
            }
        }
        let total = terms.iter().sum();
        FamilyScore { total, by_data_set: Some(terms), fit: None, kin: None, structure_prior: None }
    }

    fn is_score_equivalent(&self) -> bool {
        false
    }

    fn is_pooled(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use kinfolk::score::K2;

    use super::*;

    #[test]
    fn it_is_the_sum_of_k2_over_the_data_sets() {
        let tables = [vec![vec![3, 1, 0], vec![0, 0, 7]], vec![vec![0, 0, 0], vec![2, 5, 1]]];
        let alone: Vec<f64> = tables
            .iter()
            .map(|table| K2.family_score(&Counts::from_table(std::slice::from_ref(table))).total)
            .collect();
        let together = K2Separate.family_score(&Counts::from_table(&tables));
        let terms = together.by_data_set.expect("terms by data set");
        assert!(terms.iter().zip(&alone).all(|(term, alone)| (term - alone).abs() < 1e-12));
        assert!((together.total - alone.iter().sum::<f64>()).abs() < 1e-12);
    }
}
