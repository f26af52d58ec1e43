//! The similarity of pairs of data sets, and a hierarchical clustering of them.

use rayon::prelude::*;
use serde::Serialize;

use super::versions::means;
use crate::counts::Counts;
use crate::score::one_table;

/// More data sets than these are not compared by pairs, of which there would be too many to compute and to read.
pub const COMPARED_UP_TO: usize = 200;

/// The similarity of all pairs of data sets.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Similarity {
    /// For every pair (first < second, by the first, then the second), the log evidence that two data sets have one table per family
    /// rather than one each, summed over the families (natural logarithm).
    pub total: Vec<f64>,
    /// The same by family, in column order.
    pub nodes: Vec<Vec<f64>>,
    /// The data sets in the order of the leaves of the tree.
    pub order: Vec<usize>,
    /// The steps of the tree: average linkage on `total`.
    pub merges: Vec<Merge>,
}

/// One step of the tree. Numbers below the number of data sets are data sets, others the results of earlier steps.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Merge {
    /// One group.
    pub first: usize,
    /// The other.
    pub second: usize,
    /// Their similarity: the mean of `total` over the pairs between them.
    pub similarity: f64,
}

impl Similarity {
    /// Compares all pairs in all families, whose tables are given by version. Both hypotheses mix the priors of K2 and BDeu in equal
    /// parts. `None` for more than [`COMPARED_UP_TO`] data sets.
    ///
    /// Complexity: two closed-form scores per family and pair.
    pub(super) fn of(counts: &[Vec<Counts>]) -> Option<Self> {
        let data_sets = counts.first().map_or(0, |versions| versions[0].data_sets());
        if data_sets > COMPARED_UP_TO {
            return None;
        }
        let pairs: Vec<(usize, usize)> =
            (0..data_sets).flat_map(|a| (a + 1..data_sets).map(move |b| (a, b))).collect();
        let of_version = |counts: &Counts| -> Vec<f64> {
            let own: Vec<f64> = (0..data_sets).map(|one| one_table(&counts.of_data_sets(&[one]))).collect();
            let pair = |&(a, b): &(usize, usize)| one_table(&counts.of_data_sets(&[a, b])) - own[a] - own[b];
            pairs.iter().map(pair).collect()
        };
        let nodes: Vec<Vec<f64>> = counts
            .par_iter()
            .map(|versions| means(&versions.iter().map(of_version).collect::<Vec<_>>()))
            .collect();
        let total: Vec<f64> =
            (0..pairs.len()).map(|pair| nodes.iter().map(|values| values[pair]).sum()).collect();
        let (order, merges) = join(data_sets, &pairs, &total);
        Some(Self { total, nodes, order, merges })
    }
}

/// Repeatedly joins the most similar groups; ties go to the first. Returns the leaves in tree order and the steps.
fn join(count: usize, pairs: &[(usize, usize)], total: &[f64]) -> (Vec<usize>, Vec<Merge>) {
    let mut between = vec![vec![0.0; count]; count];
    for (&(a, b), &value) in pairs.iter().zip(total) {
        (between[a][b], between[b][a]) = (value, value);
    }
    let mut groups: Vec<(usize, Vec<usize>)> = (0..count).map(|one| (one, vec![one])).collect();
    let mut merges = Vec::new();
    while groups.len() > 1 {
        let mean = |a: &[usize], b: &[usize]| {
            let sum: f64 =
                a.iter().flat_map(|&a| b.iter().map(move |&b| (a, b))).map(|(a, b)| between[a][b]).sum();
            sum / (a.len() * b.len()) as f64
        };
        let mut best = (0, 1, f64::NEG_INFINITY);
        for first in 0..groups.len() {
            for second in first + 1..groups.len() {
                let value = mean(&groups[first].1, &groups[second].1);
                if value > best.2 {
                    best = (first, second, value);
                }
            }
        }
        let (number, members) = groups.remove(best.1);
        merges.push(Merge { first: groups[best.0].0, second: number, similarity: best.2 });
        groups[best.0].0 = count + merges.len() - 1;
        groups[best.0].1.extend(members);
    }
    (groups.pop().map(|(_, members)| members).unwrap_or_default(), merges)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_alike_are_joined_first() {
        let pairs = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)];
        // 0 and 2 are the most similar, then 1 and 3; the mean between the two groups is −5.
        let (order, merges) = join(4, &pairs, &[-4.0, 9.0, -6.0, -5.0, 3.0, -5.0]);
        assert_eq!(order, [0, 2, 1, 3]);
        let steps: Vec<(usize, usize)> = merges.iter().map(|merge| (merge.first, merge.second)).collect();
        assert_eq!(steps, [(0, 2), (1, 3), (4, 5)]);
        assert!((merges[2].similarity + 5.0).abs() < 1e-12);
    }
}
