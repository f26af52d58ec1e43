//! Paired differences between two methods on the same replicates, with cluster-robust standard errors.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::rows::ReplicateRow;

/// A mean difference and its standard error.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MeanDifference {
    /// The mean over all replicates.
    pub mean: f64,
    /// Its standard error; the replicates of one structure are one cluster, because they are correlated.
    pub se: f64,
    /// The number of replicates.
    pub replicates: usize,
    /// The contribution of each cluster to the error of the mean, so that common parts of two means cancel in their
    /// difference.
    #[serde(skip)]
    shares: BTreeMap<Cluster, f64>,
    /// The correction for few clusters, G/(G − 1).
    #[serde(skip)]
    correction: f64,
}

impl MeanDifference {
    /// No data yet.
    pub fn unknown() -> Self {
        Self::new(f64::NAN, 0, BTreeMap::new(), f64::NAN)
    }

    /// The signed mean and its standard error with two decimals; a dash for what too few replicates leave unknown.
    pub(crate) fn signed(&self) -> String {
        let number = |value: f64, text: String| if value.is_finite() { text } else { "–".to_owned() };
        // Adding zero turns a negative zero into a positive one.
        let [mean, se] = [self.mean, self.se].map(|value| (value * 100.0).round() / 100.0 + 0.0);
        let (mean, se) = (number(mean, format!("{mean:+.2}")), number(se, format!("{se:.2}")));
        format!("{mean} ± {se}")
    }

    fn new(mean: f64, replicates: usize, shares: BTreeMap<Cluster, f64>, correction: f64) -> Self {
        let spread: f64 = shares.values().map(|share| share * share).sum();
        Self { mean, se: (correction * spread).sqrt(), replicates, shares, correction }
    }

    /// The difference of two means, over different replicates or structures. Common structures are treated as paired.
    #[must_use]
    pub fn minus(&self, other: &Self) -> Self {
        let mut shares = self.shares.clone();
        for (cluster, share) in &other.shares {
            *shares.entry(cluster.clone()).or_default() -= share;
        }
        // The larger of the two corrections; unknown if either is.
        let unknown = self.correction.is_nan() || other.correction.is_nan();
        let correction = if unknown { f64::NAN } else { self.correction.max(other.correction) };
        Self::new(self.mean - other.mean, self.replicates + other.replicates, shares, correction)
    }

    /// The difference with the opposite sign.
    #[must_use]
    pub fn negated(&self) -> Self {
        let shares = self.shares.iter().map(|(cluster, share)| (cluster.clone(), -share)).collect();
        Self::new(-self.mean, self.replicates, shares, self.correction)
    }
}

/// One replicate with the results of two methods.
#[derive(Debug, Clone, Copy)]
pub struct PairedReplicate<'a> {
    /// The method expected to be worse, for instance pooled BDeu.
    pub first: &'a ReplicateRow,
    /// The method expected to be better, for instance BHD.
    pub second: &'a ReplicateRow,
}

/// All replicates with results of both methods.
pub fn pairs<'a>(rows: &'a [ReplicateRow], first: &str, second: &str) -> Vec<PairedReplicate<'a>> {
    let of = |method: &str| -> BTreeMap<u64, &'a ReplicateRow> {
        rows.iter().filter(|row| row.method == method).map(|row| (row.replicate, row)).collect()
    };
    let second = of(second);
    let both = of(first).into_iter().filter_map(|(replicate, first)| {
        second.get(&replicate).map(|second| PairedReplicate { first, second })
    });
    both.collect()
}

/// The key of a structure within a study.
type Cluster = (usize, usize, String, u64, u64);

fn cluster(row: &ReplicateRow) -> Cluster {
    (row.nodes, row.data_sets, row.states.clone(), row.sparsity.to_bits(), row.structure)
}

/// The mean of `first − second` of a quantity over the chosen pairs: positive if it is smaller for the second method.
///
/// The standard error of a mean is cluster-robust: `√(G/(G−1) · Σ_g (Σ_{i∈g} (d_i − d̄))²) / n`, with the G structures
/// as clusters. With fewer than two clusters it is unknown (NaN).
pub fn difference(
    pairs: &[PairedReplicate<'_>],
    quantity: impl Fn(&ReplicateRow) -> f64,
    chosen: impl Fn(&ReplicateRow) -> bool,
) -> MeanDifference {
    let mut clusters: BTreeMap<Cluster, (f64, usize)> = BTreeMap::new();
    for pair in pairs.iter().filter(|pair| chosen(pair.first)) {
        let entry = clusters.entry(cluster(pair.first)).or_default();
        entry.0 += quantity(pair.first) - quantity(pair.second);
        entry.1 += 1;
    }
    let replicates: usize = clusters.values().map(|(_, count)| count).sum();
    let mean = clusters.values().map(|(sum, _)| sum).sum::<f64>() / replicates as f64;
    let groups = clusters.len() as f64;
    let correction = if groups < 2.0 { f64::NAN } else { groups / (groups - 1.0) };
    let share = |(sum, count): (f64, usize)| (sum - mean * count as f64) / replicates as f64;
    let shares = clusters.into_iter().map(|(cluster, sums)| (cluster, share(sums))).collect();
    MeanDifference::new(mean, replicates, shares, correction)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(replicate: u64, method: &str, structure: u64, shd: usize) -> ReplicateRow {
        ReplicateRow {
            replicate,
            method: method.to_owned(),
            structure,
            shd_cpdag: shd,
            ..ReplicateRow::default()
        }
    }

    #[test]
    fn a_small_negative_mean_has_no_minus_and_an_unknown_error_is_a_dash() {
        let one = MeanDifference::new(-0.001, 1, BTreeMap::new(), f64::NAN);
        assert_eq!(one.signed(), "+0.00 ± –");
        assert_eq!(MeanDifference::unknown().signed(), "– ± –");
        let two = MeanDifference::new(-1.5, 2, BTreeMap::new(), 1.0);
        assert_eq!(two.signed(), "-1.50 ± 0.00");
    }

    #[test]
    fn pairs_are_of_the_same_replicate_and_differences_by_hand() {
        let mut rows = Vec::new();
        // Differences 3 and 1 in structure 0, 0 and 4 in structure 1: mean 2, cluster sums about it 0 and 0.
        for (replicate, structure, first, second) in [(0, 0, 5, 2), (1, 0, 4, 3), (2, 1, 1, 1), (3, 1, 6, 2)]
        {
            rows.push(row(replicate, "worse", structure, first));
            rows.push(row(replicate, "better", structure, second));
        }
        rows.push(row(4, "worse", 0, 100));
        let pairs = pairs(&rows, "worse", "better");
        assert_eq!(pairs.len(), 4);
        let shd = |row: &ReplicateRow| row.shd_cpdag as f64;
        let all = difference(&pairs, shd, |_| true);
        assert_eq!((all.mean, all.se, all.replicates), (2.0, 0.0, 4));
        // Each structure is a cluster of one replicate: differences 3 and 0.
        let some = difference(&pairs, shd, |row| row.replicate % 2 == 0);
        assert_eq!((some.mean, some.se, some.replicates), (1.5, 1.5, 2));
        assert!(difference(&pairs, shd, |row| row.structure == 0).se.is_nan());
    }

    #[test]
    fn common_parts_of_two_means_cancel_in_their_difference() {
        let mut rows = Vec::new();
        // Structures differ by 10, but in each the second half gains 2 more than the first.
        for (replicate, structure, gain) in [(0, 0, 1), (1, 0, 3), (2, 1, 11), (3, 1, 13)] {
            rows.push(row(replicate, "worse", structure, gain));
            rows.push(row(replicate, "better", structure, 0));
        }
        let pairs = pairs(&rows, "worse", "better");
        let half = |odd: u64| difference(&pairs, |row| row.shd_cpdag as f64, |row| row.replicate % 2 == odd);
        let more = half(1).minus(&half(0));
        assert_eq!((more.mean, more.se, half(1).se), (2.0, 0.0, 5.0));
        assert_eq!((more.negated().mean, more.negated().se), (-2.0, 0.0));
        assert!(more.minus(&MeanDifference::unknown()).se.is_nan());
    }
}
