//! Which rows are held out together, and the data that are left to learn from.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{Scheme, ValidateError};
use crate::data::{DataSetId, RelatedData};

/// Rows are dealt to the folds one by one; more than these would take too long.
const MOST_ROWS: u64 = 1 << 33;

/// A stored row that is held out, or part of its multiplicity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct HeldOut {
    pub(super) row: usize,
    pub(super) rows: u64,
}

/// What is held out at once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Split {
    /// The data set left out, if it is a whole one.
    pub(super) data_set: Option<DataSetId>,
    /// The rows held out, in their order.
    pub(super) held_out: Vec<HeldOut>,
}

impl Split {
    /// How many rows are held out, multiplicities counted.
    pub(super) fn rows(&self) -> u64 {
        self.held_out.iter().map(|held_out| held_out.rows).sum()
    }

    /// The rows that are left.
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

/// Deals the rows of every data set evenly to the folds, at random. A row of weight three is dealt three times, as if it were stored
/// three times: were it kept together, or its weight split evenly, held-out rows would be too unlike or too like those learned from.
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
    // Where the rows that cannot be shared evenly go next, so that the folds of all data sets together are even too.
    let mut next = 0;
    for data_set in data_sets {
        let mut left = data.rows(data_set);
        let mut room = vec![left / folds as u64; folds];
        for _ in 0..left % folds as u64 {
            room[next] += 1;
            next = (next + 1) % folds;
        }
        for row in data.rows_of(data_set) {
            for _ in 0..data.weight(row) {
                let fold = draw(&room, random.random_range(0..left));
                room[fold] -= 1;
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

/// The fold in whose room a number below the sum of all rooms falls.
fn draw(room: &[u64], mut number: u64) -> usize {
    for (fold, &places) in room.iter().enumerate() {
        if number < places {
            return fold;
        }
        number -= places;
    }
    unreachable!("the number is below the sum of all rooms")
}
