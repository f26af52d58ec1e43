//! The data's share of the derivatives: Σ ψ(x + n) − ψ(x) and Σ ψ'(x + n) − ψ'(x) over the counts of every cell.

use super::cells::{MergedCells, Repeated};
use super::columns::{digammas, large_digammas};
use super::gamma::{CANCELS_FROM, digamma_rise, trigamma_rise};

/// Both sums for every merged cell.
#[derive(Debug, Default)]
pub(super) struct Rises {
    /// Σ ψ(x + n) − ψ(x).
    pub(super) first: Vec<f64>,
    /// Σ ψ'(x + n) − ψ'(x).
    pub(super) second: Vec<f64>,
    scratch: [Vec<f64>; 5],
}

impl Rises {
    /// Works out both sums at the arguments `xs`, one per merged cell.
    ///
    /// Counts up to eight are exact sums of reciprocals, and each count continues the sum of the one before; larger ones take
    /// the series, a whole column at a time.
    pub(super) fn evaluate(&mut self, cells: &MergedCells, xs: &[f64]) {
        let [tops, top1, top2, own1, own2] = &mut self.scratch;
        let entries = cells.large.len();
        for column in [&mut *tops, &mut *top1, &mut *top2] {
            column.resize(entries, 0.0);
        }
        for column in [&mut *own1, &mut *own2, &mut self.first, &mut self.second] {
            column.resize(xs.len(), 0.0);
        }
        for (bounds, x) in cells.large_starts.windows(2).zip(xs) {
            for (top, count) in tops[bounds[0]..bounds[1]].iter_mut().zip(&cells.large[bounds[0]..bounds[1]])
            {
                *top = x + count;
            }
        }
        large_digammas(tops, top1, top2);
        if entries > 0 {
            digammas(xs, own1, own2);
        }
        for (index, &x) in xs.iter().enumerate() {
            let (small, large) = cells.small_and_large(index);
            let (mut first, mut second) = small_sums(x, small);
            if x >= CANCELS_FROM {
                for repeated in large {
                    let times = repeated.times as f64;
                    first += times * digamma_rise(x, repeated.count);
                    second += times * trigamma_rise(x, repeated.count);
                }
            } else {
                let from = cells.large_starts[index];
                for (entry, repeated) in (from..).zip(large) {
                    let times = repeated.times as f64;
                    first += times * (top1[entry] - own1[index]);
                    second += times * (top2[entry] - own2[index]);
                }
            }
            (self.first[index], self.second[index]) = (first, second);
        }
    }
}

/// The sums over small counts, which come ascending.
fn small_sums(x: f64, counts: &[Repeated]) -> (f64, f64) {
    let (mut first, mut second) = (0.0, 0.0);
    let (mut sum1, mut sum2, mut summed) = (0.0, 0.0, 0_u64);
    for repeated in counts {
        while summed < repeated.count {
            let inverse = 1.0 / (x + summed as f64);
            sum1 += inverse;
            sum2 += inverse * inverse;
            summed += 1;
        }
        let times = repeated.times as f64;
        first += times * sum1;
        second -= times * sum2;
    }
    (first, second)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counts::Counts;

    #[test]
    fn the_sums_equal_those_of_single_differences() {
        let cell = |counts: [u64; 9]| counts.map(|count| vec![vec![count, 1]]).to_vec();
        let columns = [
            [1, 1, 1, 2, 5, 5, 8, 9, 9],
            [0, 0, 17, 40, 40, 40, 1000, 1_000_000_007, 0],
            [0, 0, 0, 0, 0, 0, 0, 0, 3],
        ];
        for column in columns {
            let cells = MergedCells::new(&Counts::from_table(&cell(column)));
            let counts: Vec<u64> = column.into_iter().filter(|&count| count > 0).collect();
            for x in [1e-8, 1e-3, 0.4, 1.0, 3.3, 9.9, 10.0, 57.0, 1e6] {
                let mut rises = Rises::default();
                rises.evaluate(&cells, &vec![x; cells.len()]);
                let sum = |rise: fn(f64, u64) -> f64| counts.iter().map(|&count| rise(x, count)).sum::<f64>();
                let (expected1, expected2) = (sum(digamma_rise), sum(trigamma_rise));
                assert!((rises.first[0] - expected1).abs() <= 1e-13 * expected1.abs(), "{x}: first");
                assert!((rises.second[0] - expected2).abs() <= 1e-12 * expected2.abs(), "{x}: second");
            }
        }
    }
}
