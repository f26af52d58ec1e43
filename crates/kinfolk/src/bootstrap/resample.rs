//! The draws of one replicate, from the seed and its number alone.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::data::{DataSetId, RelatedData};

fn numbers(seed: u64, replicate: u64) -> ChaCha8Rng {
    let mut numbers = ChaCha8Rng::seed_from_u64(seed);
    numbers.set_stream(replicate);
    numbers
}

/// How often every stored row was drawn: within each data set as many rows as it has, multiplicities counted.
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
        // Where the copies of each stored row end.
        let ends: Vec<u64> = stored
            .clone()
            .scan(0, |end, row| {
                *end += data.weight(row);
                Some(*end)
            })
            .collect();
        let rows = data.rows(data_set);
        for _ in 0..rows {
            let copy = numbers.random_range(0..rows);
            drawn[stored.start + ends.partition_point(|&end| end <= copy)] += 1;
        }
    }
    drawn
}

/// Which data sets were drawn: as many as there are, ascending.
pub(super) fn data_sets(count: usize, seed: u64, replicate: u64) -> Vec<usize> {
    let mut numbers = numbers(seed, replicate);
    let mut drawn: Vec<usize> = (0..count).map(|_| numbers.random_range(0..count)).collect();
    drawn.sort_unstable();
    drawn
}
