//! Which cells of simulated data are removed.

use kinfolk::data::{CellMask, DataSetId, RelatedData, VariableId};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// How much likelier a cell is removed if the state that decides is the first one.
const ODDS: f64 = 4.0;
/// The columns that some data sets lack.
const ABSENT_COLUMNS: usize = 2;
/// The share of data sets that lack each of them.
const ABSENT_SHARE: f64 = 0.3;

/// Why cells are missing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Mechanism {
    /// Every cell with this probability, completely at random.
    Random(f64),
    /// This share of all cells, all of them in every second column: a cell is removed four times as often if the column before it, which
    /// is complete, has its first state.
    GivenOthers(f64),
    /// Two columns, each in 30 % of the data sets.
    AbsentColumns,
    /// This share of the cells: a cell is removed four times as often if it has its own first state.
    NotAtRandom(f64),
}

impl Mechanism {
    /// Its name in results.
    pub fn name(self) -> String {
        let percent = |share: f64| (100.0 * share).round();
        match self {
            Self::Random(share) => format!("{} % at random", percent(share)),
            Self::GivenOthers(share) => format!("{} % given others", percent(share)),
            Self::AbsentColumns => "absent columns".to_owned(),
            Self::NotAtRandom(share) => format!("{} % not at random", percent(share)),
        }
    }

    /// The data without the removed cells; each replicate of a seed has random numbers of its own.
    pub fn remove(self, data: &RelatedData, seed: u64, replicate: u64) -> RelatedData {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        random.set_stream(replicate);
        let rows = data.stored_rows();
        let masks: Vec<Option<CellMask>> = match self {
            Self::Random(share) => {
                let mut mask = |_| CellMask::new((0..rows).map(|_| random.random::<f64>() < share));
                data.schema().ids().map(&mut mask).collect()
            }
            Self::GivenOthers(share) => {
                // Every second column, so twice the share in each of them.
                let columns = data.schema().ids();
                columns
                    .map(|id| match id.index() % 2 {
                        0 => None,
                        _ => by_state(data, VariableId::new(id.index() - 1), 2.0 * share, &mut random),
                    })
                    .collect()
            }
            Self::NotAtRandom(share) => {
                data.schema().ids().map(|id| by_state(data, id, share, &mut random)).collect()
            }
            Self::AbsentColumns => {
                let data_sets = data.schema().data_sets().len();
                #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of few")]
                let lacking = ((ABSENT_SHARE * data_sets as f64).round() as usize).max(1);
                let columns = chosen(&mut random, data.schema().variables().len(), ABSENT_COLUMNS);
                let mut mask = |id: VariableId| {
                    if !columns.contains(&id.index()) {
                        return None;
                    }
                    let without = chosen(&mut random, data_sets, lacking);
                    let ranges: Vec<_> =
                        without.into_iter().map(|f| data.rows_of(DataSetId::new(f))).collect();
                    CellMask::new((0..rows).map(|row| ranges.iter().any(|range| range.contains(&row))))
                };
                data.schema().ids().map(&mut mask).collect()
            }
        };
        data.clone().with_missing(masks)
    }
}

/// Removes this share of a column's cells, with odds that depend on the state of the deciding column.
fn by_state(
    data: &RelatedData,
    decides: VariableId,
    share: f64,
    random: &mut ChaCha8Rng,
) -> Option<CellMask> {
    let column = data.column(decides);
    let first = column.iter().filter(|&code| code == 0).count() as f64;
    let rows = data.stored_rows() as f64;
    let often = (share * rows * ODDS / (ODDS * first + (rows - first))).min(0.95);
    let seldom = if rows > first { ((share * rows - often * first) / (rows - first)).min(0.95) } else { 0.0 };
    CellMask::new(column.iter().map(|code| random.random::<f64>() < if code == 0 { often } else { seldom }))
}

/// Some numbers below a limit, chosen at random.
fn chosen(random: &mut ChaCha8Rng, limit: usize, number: usize) -> Vec<usize> {
    let mut left: Vec<usize> = (0..limit).collect();
    (0..number.min(limit)).map(|_| left.swap_remove(random.random_range(0..left.len()))).collect()
}

/// The share of removed cells.
pub(super) fn share(data: &RelatedData) -> f64 {
    let removed =
        data.schema().ids().map(|id| (0..data.stored_rows()).filter(|&row| data.is_missing(id, row)).count());
    removed.sum::<usize>() as f64 / (data.stored_rows() * data.schema().variables().len()) as f64
}

#[cfg(test)]
mod tests {
    use kinfolk::simulate::{Streams, simulate};

    use super::*;
    use crate::missing::grid::design;

    #[test]
    fn mechanisms_remove_the_share_they_name_where_they_should() {
        let design = design(kinfolk::simulate::Parameters::Hier, 8, 300);
        let data = simulate(&design, 1, Streams::from(3)).expect("a possible design").data;
        for (mechanism, expected) in [
            (Mechanism::Random(0.2), 0.2),
            (Mechanism::GivenOthers(0.2), 0.2),
            (Mechanism::NotAtRandom(0.2), 0.2),
            // Two of ten columns in two of eight data sets.
            (Mechanism::AbsentColumns, 0.05),
        ] {
            let removed = mechanism.remove(&data, 1, 3);
            // Four standard deviations of 24,000 cells.
            assert!((share(&removed) - expected).abs() < 0.011, "{mechanism:?}: {}", share(&removed));
            assert_eq!(removed, mechanism.remove(&data, 1, 3));
            assert_ne!(removed, mechanism.remove(&data, 1, 4));
        }
        let given = Mechanism::GivenOthers(0.2).remove(&data, 1, 3);
        assert!(given.schema().ids().all(|id| given.mask(id).is_some() == (id.index() % 2 == 1)));
        let absent = Mechanism::AbsentColumns.remove(&data, 1, 3);
        let lacks = |id| (0..8).filter(|&f| absent.lacks(id, DataSetId::new(f))).count();
        assert_eq!(absent.schema().ids().map(lacks).sum::<usize>(), 4);
    }
}
