//! Means over the versions of completed data; complete data are one version.

use super::result::PoolingNode;
use crate::counts::{Counts, Family, Tally, TallyError};
use crate::learned::ByDataSet;
use crate::missing::of_version;
use crate::score::Evidences;

/// The counts of one or several versions: a table has the data sets of the first version, then those of the second, and so on.
#[derive(Clone, Copy)]
pub(super) struct Versions<'a> {
    pub(super) tally: &'a dyn Tally,
    pub(super) number: usize,
}

impl Versions<'_> {
    /// The tables of some families, each by version.
    pub(super) fn counts(&self, families: &[Family]) -> Result<Vec<Vec<Counts>>, TallyError> {
        let counts = self.tally.tally_many(families)?;
        Ok(counts.into_iter().map(|counts| self.split(counts)).collect())
    }

    fn split(&self, counts: Counts) -> Vec<Counts> {
        if self.number == 1 {
            return vec![counts];
        }
        let data_sets = counts.data_sets() / self.number;
        (0..self.number).map(|version| of_version(&counts, version, data_sets)).collect()
    }
}

/// The mean of some numbers; a single one is returned as it is.
pub(super) fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let number = values.len() as f64;
    values.reduce(|sum, value| sum + value).map_or(f64::NAN, |sum| sum / number)
}

/// The mean of lists of one length, place by place.
pub(super) fn means(lists: &[Vec<f64>]) -> Vec<f64> {
    (0..lists[0].len()).map(|place| mean(lists.iter().map(|list| list[place]))).collect()
}

impl PoolingNode {
    /// The mean over the versions.
    pub(super) fn mean(mut all: Vec<Self>) -> Self {
        let of = |value: fn(&Self) -> f64| mean(all.iter().map(value));
        let by_data_set =
            all[0].by_data_set.0.iter().enumerate().map(|(index, (name, _))| {
                (name.clone(), mean(all.iter().map(|one| one.by_data_set.0[index].1)))
            });
        let evidences: Vec<Evidences> = all.iter().map(|one| one.evidence).collect();
        let merged = Self {
            node: String::new(),
            parents: Vec::new(),
            pooled: of(|one| one.pooled),
            separate: of(|one| one.separate),
            hierarchical: of(|one| one.hierarchical),
            evidence: Evidences::mean(&evidences).expect("there are versions"),
            p_identical: of(|one| one.p_identical),
            pooled_share: of(|one| one.pooled_share),
            s_mean: of(|one| one.s_mean),
            tau: of(|one| one.tau),
            divergence: of(|one| one.divergence),
            total_variation: of(|one| one.total_variation),
            by_data_set: ByDataSet(by_data_set.collect()),
            converged: all.iter().all(|one| one.converged),
        };
        let first = all.swap_remove(0);
        Self { node: first.node, parents: first.parents, ..merged }
    }
}
