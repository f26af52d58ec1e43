//! Splits of the data into held-out and training rows.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{Scheme, ValidateError};
use crate::data::{DataSetId, RelatedData};

/// The largest number of rows: rows are assigned one by one, and more would take too long.
const MOST_ROWS: u64 = 1 << 33;

/// A held-out stored row, with the held-out part of its multiplicity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct HeldOut {
    pub(super) row: usize,
    pub(super) rows: u64,
}

/// One split: the rows held out together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Split {
    /// The data set left out, in [`Scheme::DataSets`].
    pub(super) data_set: Option<DataSetId>,
    /// The held-out rows, in ascending order.
    pub(super) held_out: Vec<HeldOut>,
}

impl Split {
    /// The number of held-out rows, counted with multiplicity.
    pub(super) fn rows(&self) -> u64 {
        self.held_out.iter().map(|held_out| held_out.rows).sum()
    }

    /// The training rows.
    pub(super) fn training(&self, data: &RelatedData) -> RelatedData {
        if let Some(data_set) = self.data_set {
            return data.without(data_set);
        }
        let mut left: Vec<u64> = (0..data.stored_rows()).map(|row| data.weight(row)).collect();
        for held_out in &self.held_out {
            left[held_out.row] -= held_out.rows;
        }
        data.reweighted(&left)
    }
}

/// All splits of a scheme: every row is held out exactly once.
pub(super) fn splits(data: &RelatedData, scheme: Scheme, seed: u64) -> Result<Vec<Split>, ValidateError> {
    let data_sets = data.schema().data_sets().len();
    match scheme {
        Scheme::DataSets if data_sets < 2 => Err(ValidateError::OneDataSet),
        Scheme::DataSets => Ok((0..data_sets).map(DataSetId::new).map(|id| whole(data, id)).collect()),
        Scheme::Folds(folds) => deal(data, folds, seed),
    }
}

fn whole(data: &RelatedData, data_set: DataSetId) -> Split {
    let held_out = data.rows_of(data_set).map(|row| HeldOut { row, rows: data.weight(row) });
    Split { data_set: Some(data_set), held_out: held_out.collect() }
}

/// Assigns the rows of every data set at random to balanced folds. A row of weight three is assigned three
/// times, as if it were stored three times. Keeping it together would make held-out and training rows too
/// different; splitting its weight evenly would make them too similar.
fn deal(data: &RelatedData, folds: usize, seed: u64) -> Result<Vec<Split>, ValidateError> {
    let data_sets = (0..data.schema().data_sets().len()).map(DataSetId::new);
    let rows: u64 = data_sets.clone().map(|id| data.rows(id)).sum();
    if folds < 2 || folds as u64 > rows {
        return Err(ValidateError::Folds { folds, rows });
    }
    if rows > MOST_ROWS {
        return Err(ValidateError::TooManyRows { rows });
    }
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut splits = vec![Split { data_set: None, held_out: Vec::new() }; folds];
    // The fold that receives the next remainder row, so that the folds are balanced over all data sets
    // together.
    let mut next = 0;
    for data_set in data_sets {
        let mut left = data.rows(data_set);
        let mut capacity = vec![left / folds as u64; folds];
        for _ in 0..left % folds as u64 {
            capacity[next] += 1;
            next = (next + 1) % folds;
        }
        for row in data.rows_of(data_set) {
            for _ in 0..data.weight(row) {
                let fold = draw(&capacity, random.random_range(0..left));
                capacity[fold] -= 1;
                left -= 1;
                match splits[fold].held_out.last_mut() {
                    Some(last) if last.row == row => last.rows += 1,
                    _ => splits[fold].held_out.push(HeldOut { row, rows: 1 }),
                }
            }
        }
    }
    Ok(splits)
}

/// The fold that contains position `number` when the folds' remaining capacities are laid end to end.
fn draw(capacity: &[u64], mut number: u64) -> usize {
    for (fold, &free) in capacity.iter().enumerate() {
        if number < free {
            return fold;
        }
        number -= free;
    }
    unreachable!("the number is below the total capacity")
}
