//! Merges cells with equal counts, which have the same κ, and stores each once with its multiplicity.

use crate::counts::Counts;

/// Cells with a larger count are rarely equal: looking for equal ones would cost more than it saves.
const LARGEST_MERGED: u64 = 64;

/// Cells grouped by their counts, whichever data sets these are in.
///
/// A cell enters the elbo only through a sum over the data sets, so cells whose counts agree as a multiset have the same κ
/// at the maximum. All never-seen cells become one, and in a sparse table so do nearly all cells seen once: the cost of a
/// fit depends on the distinct observed cells, never on r^(1 + parents).
#[derive(Debug, Default)]
pub(crate) struct MergedCells {
    /// The number of cells in each merged cell.
    pub(crate) multiplicity: Vec<f64>,
    /// The start of each merged cell's counts, and the end.
    starts: Vec<usize>,
    counts: Vec<u64>,
    /// The merged cell of each observed cell, in the order of `Counts::cells`.
    pub(crate) merged_of: Vec<usize>,
    /// The merged cell of the never-seen cells, if there are any.
    pub(crate) unseen: Option<usize>,
    /// The number of possible cells.
    pub(crate) possible: f64,
    /// The rows of each data set that has any.
    pub(crate) rows: Vec<u64>,
    /// The number of data sets, empty ones included.
    pub(crate) data_sets: f64,
    /// Finds merged cells by their counts while the table is being built.
    index: CellIndex,
}

impl MergedCells {
    pub(crate) fn new(counts: &Counts) -> Self {
        let mut merged = Self::default();
        merged.refill(counts);
        merged
    }

    /// Merges the cells of another table into the same memory.
    pub(crate) fn refill(&mut self, counts: &Counts) {
        let cells = counts.cells().map(|cell| cell.entries.iter().map(|entry| entry.count));
        self.merge(counts, counts.possible_cells(), cells);
    }

    /// The table of the parents alone: a cell for every configuration.
    pub(crate) fn of_configurations(counts: &Counts) -> Self {
        let mut rows = vec![0; counts.data_sets()];
        let configurations = counts.configurations().map(|configuration| {
            for entry in configuration.cells().flat_map(|cell| cell.entries) {
                rows[entry.data_set] += entry.count;
            }
            let counts: Vec<u64> = rows.iter().copied().filter(|&count| count > 0).collect();
            rows.fill(0);
            counts.into_iter()
        });
        let mut merged = Self::default();
        merged.merge(counts, counts.possible_configurations(), configurations);
        merged
    }

    /// Merges observed cells, each given by its non-zero counts, and the never-seen ones among the possible.
    fn merge<Cell: Iterator<Item = u64>>(
        &mut self,
        counts: &Counts,
        possible: f64,
        observed: impl ExactSizeIterator<Item = Cell>,
    ) {
        let cells = observed.len() + 1;
        let never_seen = possible - observed.len() as f64;
        self.multiplicity.clear();
        self.starts.clear();
        self.starts.push(0);
        self.counts.clear();
        self.counts.reserve(counts.entries());
        self.merged_of.clear();
        self.unseen = None;
        self.possible = possible;
        self.rows.clear();
        self.rows.extend(counts.rows().iter().filter(|&&rows| rows > 0));
        self.data_sets = counts.data_sets() as f64;
        self.index.reset(cells);
        for cell in observed {
            // Appended after the last merged cell, and removed again if an equal one exists.
            let start = self.counts.len();
            self.counts.extend(cell);
            let next = self.multiplicity.len();
            if self.counts[start..].iter().any(|&count| count > LARGEST_MERGED) {
                self.push(1.0);
                self.merged_of.push(next);
                continue;
            }
            let (starts, counts) = (&self.starts, &self.counts);
            let index = self.index.find_or_insert(hash(&counts[start..]), next, |index| {
                same_multiset(&counts[starts[index]..starts[index + 1]], &counts[start..])
            });
            if index < next {
                self.counts.truncate(start);
                self.multiplicity[index] += 1.0;
            } else {
                self.push(1.0);
            }
            self.merged_of.push(index);
        }
        if never_seen > 0.0 {
            self.unseen = Some(self.len());
            self.push(never_seen);
        }
    }

    /// Adds a merged cell that consists of the counts appended since the last one.
    fn push(&mut self, multiplicity: f64) {
        self.multiplicity.push(multiplicity);
        self.starts.push(self.counts.len());
    }

    /// The number of merged cells.
    pub(crate) fn len(&self) -> usize {
        self.multiplicity.len()
    }

    /// The non-zero counts of a merged cell, in no particular order.
    pub(crate) fn counts(&self, index: usize) -> &[u64] {
        &self.counts[self.starts[index]..self.starts[index + 1]]
    }
}

/// Merged cells by the hash of their counts: open addressing, at most half full.
#[derive(Debug, Default)]
struct CellIndex {
    slots: Vec<(u64, usize)>,
}

impl CellIndex {
    const FREE: usize = usize::MAX;

    /// Removes all cells and reserves slots for `cells`.
    fn reset(&mut self, cells: usize) {
        self.slots.clear();
        self.slots.resize((2 * cells).next_power_of_two(), (0, Self::FREE));
    }

    /// The equal cell with this hash, or `next`, which is inserted.
    fn find_or_insert(&mut self, hash: u64, next: usize, same: impl Fn(usize) -> bool) -> usize {
        let mask = self.slots.len() - 1;
        #[expect(clippy::cast_possible_truncation, reason = "any part of a hash is one")]
        let mut place = hash as usize & mask;
        loop {
            let slot = &mut self.slots[place];
            if slot.1 == Self::FREE {
                *slot = (hash, next);
                return next;
            }
            if slot.0 == hash && same(slot.1) {
                return slot.1;
            }
            place = (place + 1) & mask;
        }
    }
}

/// A hash independent of order: the sum of the hashes of the counts.
fn hash(counts: &[u64]) -> u64 {
    counts.iter().fold(0, |sum: u64, &count| {
        // Two rounds of multiplying and folding, as in splitmix64.
        let mixed = (count ^ count >> 30).wrapping_add(1).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        sum.wrapping_add((mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb) >> 3)
    })
}

fn same_multiset(a: &[u64], b: &[u64]) -> bool {
    a == b || {
        let sorted = |counts: &[u64]| {
            let mut counts = counts.to_vec();
            counts.sort_unstable();
            counts
        };
        a.len() == b.len() && sorted(a) == sorted(b)
    }
}
