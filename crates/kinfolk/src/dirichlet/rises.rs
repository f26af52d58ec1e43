//! The data's share of the derivatives: Σ ψ(x + n) − ψ(x) and Σ ψ'(x + n) − ψ'(x) over the counts of one cell.

use super::cells::Repeated;
use super::gamma::{
    ASYMPTOTIC_FROM, FEW_TERMS_FROM, SUMMED_COUNTS, digamma_rise, digamma_series, trigamma_rise,
    trigamma_series,
};

/// Products of arguments are taken up to here before their logarithm is: far below overflow, whatever the next factor.
const LARGEST_PRODUCT: f64 = 1e200;

/// Both sums over a cell's counts, which come ascending and distinct, each with the number of times it occurs.
///
/// Counts up to eight are exact sums of reciprocals, and each count continues the sum of the one before. For larger ones the
/// series hold, and the logarithms are taken of products: one or two for the whole cell.
pub(super) fn rises(x: f64, counts: &[Repeated]) -> (f64, f64) {
    if x >= ASYMPTOTIC_FROM {
        // Large x would cancel; these do not.
        return counts.iter().fold((0.0, 0.0), |(first, second), repeated| {
            let times = repeated.times as f64;
            (
                first + times * digamma_rise(x, repeated.count),
                second + times * trigamma_rise(x, repeated.count),
            )
        });
    }
    let (mut first, mut second) = (0.0, 0.0);
    let (mut sum1, mut sum2, mut summed) = (0.0, 0.0, 0_u64);
    let small = counts.partition_point(|repeated| repeated.count <= SUMMED_COUNTS);
    for repeated in &counts[..small] {
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
    let large = &counts[small..];
    if large.is_empty() {
        return (first, second);
    }
    // ψ and ψ' at x itself, once for all large counts: shifted to where the series hold.
    let mut base = x + summed as f64;
    while base < ASYMPTOTIC_FROM {
        let inverse = 1.0 / base;
        sum1 += inverse;
        sum2 += inverse * inverse;
        base += 1.0;
    }
    let (base_digamma, base_trigamma) = (digamma_series(base) - sum1, trigamma_series(base) + sum2);
    let (mut product, mut total) = (1.0, 0.0);
    for repeated in large {
        let times = repeated.times as f64;
        let top = x + repeated.count as f64;
        if repeated.times == 1 {
            product *= top;
            if product > LARGEST_PRODUCT {
                first += f64::ln(product);
                product = 1.0;
            }
        } else {
            first += times * top.ln();
        }
        let (below_ln, trigamma) = both_series(top);
        first -= times * below_ln;
        second += times * trigamma;
        total += times;
    }
    (first + f64::ln(product) - total * base_digamma, second - total * base_trigamma)
}

/// ln y − ψ(y) and ψ'(y) for y above eight, from one reciprocal.
fn both_series(y: f64) -> (f64, f64) {
    let inverse = 1.0 / y;
    let square = inverse * inverse;
    // B₂/2, B₄/4 … and B₂, B₄ …; seven terms leave 1e-15 at nine.
    let (digamma, trigamma) = if y < FEW_TERMS_FROM {
        (
            1.0 / 12.0
                - square
                    * (1.0 / 120.0
                        - square
                            * (1.0 / 252.0
                                - square
                                    * (1.0 / 240.0
                                        - square
                                            * (1.0 / 132.0
                                                - square * (691.0 / 32760.0 - square * (1.0 / 12.0)))))),
            1.0 / 6.0
                - square
                    * (1.0 / 30.0
                        - square
                            * (1.0 / 42.0
                                - square
                                    * (1.0 / 30.0
                                        - square
                                            * (5.0 / 66.0
                                                - square * (691.0 / 2730.0 - square * (7.0 / 6.0)))))),
        )
    } else {
        (
            1.0 / 12.0 - square * (1.0 / 120.0 - square * (1.0 / 252.0)),
            1.0 / 6.0 - square * (1.0 / 30.0 - square * (1.0 / 42.0)),
        )
    };
    (0.5 * inverse + square * digamma, inverse + square * (0.5 + inverse * trigamma))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sums_equal_those_of_single_differences() {
        let counts: Vec<Repeated> =
            [(1, 3), (2, 1), (5, 2), (8, 1), (9, 1), (17, 2), (40, 1), (1000, 1), (1_000_000_007, 1)]
                .map(|(count, times)| Repeated { count, times })
                .to_vec();
        for x in [1e-8, 1e-3, 0.4, 1.0, 3.3, 9.9, 10.0, 57.0, 1e6] {
            for part in [&counts[..], &counts[..4], &counts[4..], &counts[5..6], &[]] {
                let single = |rise: fn(f64, u64) -> f64| {
                    part.iter().map(|repeated| repeated.times as f64 * rise(x, repeated.count)).sum::<f64>()
                };
                let (first, second) = rises(x, part);
                let (expected1, expected2) = (single(digamma_rise), single(trigamma_rise));
                assert!((first - expected1).abs() <= 1e-13 * expected1.abs(), "{x}: {first} not {expected1}");
                assert!(
                    (second - expected2).abs() <= 1e-13 * expected2.abs(),
                    "{x}: {second} not {expected2}"
                );
            }
        }
    }
}
