//! The numbers of rows that a group's families are counted by: one of the shared columns alone, and one for every place of an added column
//! in whose order families are counted at once.

use super::{MemoryTally, spare_bytes};
use crate::counts::index::{Digit, Index};
use crate::counts::ways::{Extension, Way};
use crate::data::VariableId;

/// The cost of putting one count where it belongs, in rows of a histogram: about what tables of 10^5 cells took more than counting them.
const PUT_COST: f64 = 2.0;

/// The cost of appending a digit to the number of one row, in rows of a histogram: an estimate, several rows being done in one instruction.
const DIGIT_COST: f64 = 0.2;

/// Tables of several data sets with up to this many counts, 32 KB, stay in the first-level cache.
const NEAR: usize = 1 << 13;

/// The cost of counting one row into a larger one, in rows of a histogram more: the rows of one data set come one after the other and
/// find its counts farther apart than in a table of its own. A row took 1.06 ns with 10 data sets and 10^4 counts, 0.5 with a tenth of them.
const FAR_COST: f64 = 1.0;

/// Numbers in the order of a group's families may take this many times what groups may share: a fifth of the encoded rows, or 4 MB.
const ORDERED_TIMES: usize = 4;

/// The place of an added column in a family.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    /// How many of the shared parents come before it.
    pub(super) before: usize,
    /// Its states.
    pub(super) states: usize,
}

/// What is needed.
#[derive(Default)]
pub(super) struct Needed {
    /// Whether the number of a row in the shared columns alone is.
    alone: bool,
    /// The places in whose order families are counted at once.
    places: Vec<Place>,
}

/// What a group has.
#[derive(Default)]
pub(super) struct Indices {
    /// By the shared columns alone.
    pub(super) alone: Option<Index>,
    /// In the order of families with an added column in some place, all data sets of a cell side by side.
    ordered: Vec<(Place, Index)>,
    /// How often all rows were looked at to number them: once for every digit.
    pub(super) passes: u64,
}

impl Needed {
    /// The bytes they will take at most, for so many rows.
    pub(super) fn bytes(&self, rows: usize) -> usize {
        (usize::from(self.alone) + self.places.len()) * rows * size_of::<u32>()
    }
}

impl Indices {
    /// In the order of families with an added column in a place.
    pub(super) fn of(&self, place: Place) -> Option<&Index> {
        self.ordered.iter().find(|(other, _)| *other == place).map(|(_, index)| index)
    }
}

/// Where an added column has its place among the shared parents, which the child follows.
pub(super) fn place(base: &[VariableId], added: VariableId, states: usize) -> Place {
    Place { before: base[..base.len() - 1].partition_point(|&parent| parent < added), states }
}

impl MemoryTally<'_> {
    /// Which numbers of rows a group's families need. What lies within the shared columns follows from masks, if there are any.
    pub(super) fn needed_indices(&self, base: &[VariableId], extensions: &[Extension]) -> Needed {
        let mut places: Vec<(Place, usize)> = Vec::new();
        for extension in extensions.iter().filter(|extension| extension.way == Way::Histogram) {
            let added = extension.added().expect("a histogram is one of an added column");
            let place = place(base, added, extension.states);
            match places.iter_mut().find(|(other, _)| *other == place) {
                Some((_, families)) => *families += 1,
                None => places.push((place, 1)),
            }
        }
        let take = |way: Way| extensions.iter().any(|extension| extension.way == way);
        let within = take(Way::Within) && !take(Way::Bitmaps);
        let all = places.len();
        places.retain(|&(place, families)| self.is_worth_its_order(base, place, families));
        let bytes = self.data.stored_rows().max(1) * size_of::<u32>();
        places.truncate(ORDERED_TIMES * spare_bytes(self.data) / bytes);
        Needed {
            alone: within || places.len() < all,
            places: places.into_iter().map(|(place, _)| place).collect(),
        }
    }

    /// Whether to number the rows in the order of so many families takes less than to put each of their tables in order.
    fn is_worth_its_order(&self, base: &[VariableId], place: Place, families: usize) -> bool {
        let data_sets = self.data_sets.len();
        let counts = self.cells(base) * place.states * data_sets;
        let rows = self.data.stored_rows() as f64;
        let spared = match data_sets {
            // That is the order of the shared columns alone.
            1 if place.before == 0 => 0.0,
            1 => PUT_COST * counts as f64,
            _ => PUT_COST * counts as f64 - if counts > NEAR { FAR_COST * rows } else { 0.0 },
        };
        spared * families as f64 > DIGIT_COST * rows * (base.len() + 2) as f64
    }

    /// Numbers the rows as a group's families need it.
    pub(super) fn indices(&self, base: &[VariableId], extensions: &[Extension]) -> Indices {
        let Needed { alone, places } = self.needed_indices(base, extensions);
        let digits = |variables: &[VariableId]| -> Vec<Digit<'_>> {
            let column = |&v: &VariableId| Digit::Column(self.data.column(v), self.data.schema().states(v));
            variables.iter().map(column).collect()
        };
        let rows = self.data.stored_rows();
        let ordered = |place: Place| {
            let (slow, fast) = base.split_at(place.before);
            let mut all = digits(slow);
            all.push(Digit::Room(place.states));
            all.extend(digits(fast));
            all.push(Digit::DataSet(&self.data_sets));
            (place, Index::new(rows, &all))
        };
        // One more digit for the added column, and one for the data sets.
        let passes = usize::from(alone) * base.len() + places.len() * (base.len() + 2);
        Indices {
            alone: alone.then(|| Index::new(rows, &digits(base))),
            ordered: places.into_iter().map(ordered).collect(),
            passes: passes as u64,
        }
    }
}
