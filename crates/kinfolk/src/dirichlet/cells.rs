//! The cells of a family merged: those that must have the same κ are kept once, with their multiplicity.

use std::hash::BuildHasher;

use rustc_hash::{FxBuildHasher, FxHashMap};

use super::gamma::SUMMED_COUNTS;
use crate::counts::Counts;

/// A count that occurs in one cell, and in how many data sets it does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Repeated {
    pub(super) count: u64,
    pub(super) times: u64,
}

/// Cells with the same counts, whichever data sets they are in.
///
/// A cell enters the bound only through a sum over the data sets, so cells whose counts agree as a multiset have the same κ
/// at the maximum. All never-seen cells become one, and in a sparse table so do nearly all cells seen once: the cost of a
/// fit depends on the distinct observed cells, never on r^(1 + parents).
#[derive(Debug)]
pub(super) struct MergedCells {
    /// How many cells each merged one stands for.
    pub(super) multiplicity: Vec<f64>,
    /// Where the counts of each merged cell start, and the end.
    starts: Vec<usize>,
    repeated: Vec<Repeated>,
    /// The counts above [`SUMMED_COUNTS`], cell by cell, and where those of each merged cell start, and the end.
    pub(super) large: Vec<f64>,
    pub(super) large_starts: Vec<usize>,
    /// Which merged cell each observed cell belongs to, in the order of `Counts::cells`.
    pub(super) merged_of: Vec<usize>,
    /// The merged cell of the never-seen cells, if there are any.
    pub(super) unseen: Option<usize>,
    /// The number of possible cells.
    pub(super) possible: f64,
    /// The rows of each data set, those without rows left out.
    pub(super) rows: Vec<u64>,
    /// The number of data sets, empty ones included.
    pub(super) data_sets: f64,
}

impl MergedCells {
    pub(super) fn new(counts: &Counts) -> Self {
        let cells = counts.cells().map(|cell| cell.entries.iter().map(|entry| entry.count));
        Self::merge(counts, counts.possible_cells(), cells)
    }

    /// The table of the parents alone: a cell for every configuration.
    pub(super) fn of_configurations(counts: &Counts) -> Self {
        let mut rows = vec![0; counts.data_sets()];
        let configurations = counts.configurations().map(|configuration| {
            for entry in configuration.cells().flat_map(|cell| cell.entries) {
                rows[entry.data_set] += entry.count;
            }
            let counts: Vec<u64> = rows.iter().copied().filter(|&count| count > 0).collect();
            rows.fill(0);
            counts.into_iter()
        });
        Self::merge(counts, counts.possible_configurations(), configurations)
    }

    /// Merges observed cells, each given by its non-zero counts, and the never-seen ones among the possible.
    fn merge<Cell: Iterator<Item = u64>>(
        counts: &Counts,
        possible: f64,
        observed: impl ExactSizeIterator<Item = Cell>,
    ) -> Self {
        let cells = observed.len() + 1;
        let starts = || {
            let mut starts = Vec::with_capacity(cells + 1);
            starts.push(0);
            starts
        };
        let mut merged = Self {
            multiplicity: Vec::with_capacity(cells),
            starts: starts(),
            repeated: Vec::with_capacity(counts.entries()),
            large: Vec::with_capacity(counts.entries()),
            large_starts: starts(),
            merged_of: Vec::with_capacity(observed.len()),
            unseen: None,
            possible,
            rows: counts.rows().iter().copied().filter(|&rows| rows > 0).collect(),
            data_sets: counts.data_sets() as f64,
        };
        let never_seen = possible - observed.len() as f64;
        // By hash of the counts: two patterns of one hash are simply not merged.
        let mut known: FxHashMap<u64, usize> = FxHashMap::default();
        known.reserve(observed.len());
        let mut sorted = Vec::with_capacity(counts.data_sets());
        let mut pattern: Vec<Repeated> = Vec::with_capacity(counts.data_sets());
        for cell in observed {
            sorted.clear();
            sorted.extend(cell);
            sorted.sort_unstable();
            pattern.clear();
            for &count in &sorted {
                match pattern.last_mut() {
                    Some(last) if last.count == count => last.times += 1,
                    _ => pattern.push(Repeated { count, times: 1 }),
                }
            }
            let next = merged.len();
            let index = *known.entry(FxBuildHasher.hash_one(&pattern)).or_insert(next);
            let index = if index < next && merged.counts(index) == pattern {
                merged.multiplicity[index] += 1.0;
                index
            } else {
                merged.push(1.0, &pattern)
            };
            merged.merged_of.push(index);
        }
        if never_seen > 0.0 {
            merged.unseen = Some(merged.push(never_seen, &[]));
        }
        merged
    }

    fn push(&mut self, multiplicity: f64, pattern: &[Repeated]) -> usize {
        self.multiplicity.push(multiplicity);
        self.repeated.extend_from_slice(pattern);
        self.starts.push(self.repeated.len());
        let small = pattern.partition_point(|repeated| repeated.count <= SUMMED_COUNTS);
        self.large.extend(pattern[small..].iter().map(|repeated| repeated.count as f64));
        self.large_starts.push(self.large.len());
        self.multiplicity.len() - 1
    }

    /// The number of merged cells.
    pub(super) fn len(&self) -> usize {
        self.multiplicity.len()
    }

    /// The non-zero counts of a merged cell, ascending.
    pub(super) fn counts(&self, index: usize) -> &[Repeated] {
        &self.repeated[self.starts[index]..self.starts[index + 1]]
    }

    /// Those of them up to [`SUMMED_COUNTS`], and those above.
    pub(super) fn small_and_large(&self, index: usize) -> (&[Repeated], &[Repeated]) {
        let large = self.large_starts[index + 1] - self.large_starts[index];
        let counts = self.counts(index);
        counts.split_at(counts.len() - large)
    }
}
