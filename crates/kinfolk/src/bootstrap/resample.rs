//! Resampling of one replicate: random numbers depend only on the seed and the replicate's number.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Binomial, Distribution, Hypergeometric};

use crate::data::{DataSetId, RelatedData};

fn numbers(seed: u64, replicate: u64) -> ChaCha8Rng {
    let mut numbers = ChaCha8Rng::seed_from_u64(seed);
    numbers.set_stream(replicate);
    numbers
}

/// Bootstrap weights of the stored rows: each data set draws as many rows as it has, counted with
/// multiplicity.
pub(super) fn row_weights(data: &RelatedData, seed: u64, replicate: u64) -> Vec<u64> {
    let mut numbers = numbers(seed, replicate);
    let mut drawn = vec![0; data.stored_rows()];
    for data_set in (0..data.schema().data_sets().len()).map(DataSetId::new) {
        let stored = data.rows_of(data_set);
        if data.weights().is_none() {
            for _ in stored.clone() {
                drawn[numbers.random_range(stored.clone())] += 1;
            }
            continue;
        }
        // A multinomial draw as a sequence of binomials, one per stored row. The cost does not depend on the
        // row's weight.
        let (mut draws, mut copies) = (data.rows(data_set), data.rows(data_set));
        for row in stored {
            let weight = data.weight(row);
            drawn[row] = binomial(&mut numbers, draws, weight, copies);
            draws -= drawn[row];
            copies -= weight;
        }
    }
    drawn
}

/// Weights of the stored rows that keep half of every data set's rows, rounded up, without replacement.
pub(super) fn half_weights(data: &RelatedData, seed: u64, replicate: u64) -> Vec<u64> {
    let mut numbers = numbers(seed, replicate);
    let mut drawn = vec![0; data.stored_rows()];
    for data_set in (0..data.schema().data_sets().len()).map(DataSetId::new) {
        let (mut left, mut draws) = (data.rows(data_set), data.rows(data_set).div_ceil(2));
        for row in data.rows_of(data_set) {
            let weight = data.weight(row);
            drawn[row] = if weight == 1 {
                u64::from(numbers.random_range(0..left) < draws)
            } else {
                hypergeometric(&mut numbers, left, weight, draws)
            };
            draws -= drawn[row];
            left -= weight;
        }
    }
    drawn
}

/// Draws how many of `draws` out of `left` rows, without replacement, are among `of` of them.
fn hypergeometric(numbers: &mut ChaCha8Rng, left: u64, of: u64, draws: u64) -> u64 {
    if draws == 0 || of == 0 {
        return 0;
    }
    if of == left {
        return draws;
    }
    Hypergeometric::new(left, of, draws).expect("a part of the rows").sample(numbers)
}

/// Draws how many of `draws` fall on `of` of the `copies`.
fn binomial(numbers: &mut ChaCha8Rng, draws: u64, of: u64, copies: u64) -> u64 {
    if draws == 0 || of == 0 {
        return 0;
    }
    if of == copies {
        return draws;
    }
    let share = of as f64 / copies as f64;
    Binomial::new(draws, share).expect("a part of the copies is a share between 0 and 1").sample(numbers)
}

/// Resampled data sets: `count` indices drawn with replacement, in ascending order.
pub(super) fn data_sets(count: usize, seed: u64, replicate: u64) -> Vec<usize> {
    let mut numbers = numbers(seed, replicate);
    let mut drawn: Vec<usize> = (0..count).map(|_| numbers.random_range(0..count)).collect();
    drawn.sort_unstable();
    drawn
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Column, Schema, Variable};

    /// Two data sets with these weights and a single constant column.
    fn weighted(weights: Vec<u64>, second: usize) -> RelatedData {
        let variable = Variable { name: "v".to_owned(), states: vec!["0".to_owned()], constant: true };
        let mut column = Column::for_states(1, weights.len());
        weights.iter().for_each(|_| column.push(0));
        let schema = Schema::new(vec![variable], vec!["x".to_owned(), "y".to_owned()]);
        let starts = vec![0, second, weights.len()];
        RelatedData::new(schema, vec![column], starts, Some(weights))
    }

    #[test]
    fn every_data_set_draws_as_many_rows_as_it_has() {
        let weights = vec![1, 5_000_000_000_000, 3, 1, 40_000_000_000, 7, 1_000_000_000_000_000];
        let data = weighted(weights.clone(), 3);
        for replicate in 0..20 {
            let drawn = row_weights(&data, 1, replicate);
            for rows in [0..3, 3..7] {
                let sum = |of: &[u64]| of[rows.clone()].iter().sum::<u64>();
                assert_eq!(sum(&drawn), sum(&weights));
            }
        }
    }

    #[test]
    fn half_of_every_data_set_is_drawn_and_no_row_twice() {
        let weights = vec![1, 5_000, 3, 1, 40, 7, 1_000];
        let data = weighted(weights.clone(), 3);
        let mut first = 0;
        for replicate in 0..400 {
            let drawn = half_weights(&data, 1, replicate);
            for rows in [0..3, 3..7] {
                let sum = |of: &[u64]| of[rows.clone()].iter().sum::<u64>();
                assert_eq!(sum(&drawn), sum(&weights).div_ceil(2));
            }
            assert!(drawn.iter().zip(&weights).all(|(drawn, weight)| drawn <= weight));
            first += drawn[0];
        }
        // Four standard errors of a fair coin.
        assert!((160..=240).contains(&first), "{first}");
    }

    #[test]
    fn draws_have_the_mean_and_the_variance_of_a_multinomial() {
        let weights = vec![2, 30, 1, 400, 67, 1];
        let data = weighted(weights.clone(), 5);
        let replicates = 4000;
        let mut moments = [(0.0_f64, 0.0_f64); 5];
        for replicate in 0..replicates {
            let drawn = row_weights(&data, 7, replicate);
            for (sum, &count) in moments.iter_mut().zip(&drawn) {
                *sum = (sum.0 + count as f64, sum.1 + (count * count) as f64);
            }
        }
        for ((sum, squares), weight) in moments.into_iter().zip(weights) {
            let (mean, share) = (sum / replicates as f64, weight as f64 / 500.0);
            let variance = squares / replicates as f64 - mean * mean;
            let expected = 500.0 * share * (1.0 - share);
            // Five standard errors of a mean, and a wider margin for the variance.
            let error = (expected / replicates as f64).sqrt();
            assert!((mean - weight as f64).abs() < 5.0 * error, "{weight}: {mean}");
            assert!((variance / expected - 1.0).abs() < 0.2, "{weight}: {variance}, not {expected}");
        }
    }
}
