//! Counting binary columns of one data set: what earlier families told is remembered, and only what does not follow from it is counted.
//!
//! A search asks for all extensions of a family, adds one parent and asks for all extensions of the larger family. Of a candidate's rows in
//! the larger family's cells, those without the new parent are what is left of its rows in the smaller family's cells, and those with
//! it add up to the rows that candidate and new parent share, which the first extensions told: less than half is counted. Where the smaller
//! family was not extended, pairs alone tell something.

use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use smallvec::SmallVec;

use super::batch::{Columns, only_new};
use super::bitmaps::{Bitmaps, count_both};
use super::dense::{alternate, room_for};
use super::histogram::Cell;
use super::masks::{Among, Masks, Threads};
use super::subsets::Subsets;
use crate::data::VariableId;

/// A count that was not told; there are fewer rows.
const UNKNOWN: u32 = u32::MAX;

/// A count for each of a family's cells, which nearly always are few and then kept in place.
type ByCell = SmallVec<[u32; 16]>;

/// What was told before.
#[derive(Debug)]
pub(super) struct Remembered {
    /// How many rows have the second states of two variables, by the later one and then the earlier one.
    pairs: Vec<AtomicU32>,
    /// By child, of the family whose extensions were counted last.
    extended: Vec<Mutex<Option<Arc<Extended>>>>,
    /// How many more counts may be kept.
    room: AtomicUsize,
}

/// The counts of a family's extensions.
#[derive(Debug)]
struct Extended {
    /// The family's parents, ascending, and after them the child.
    base: Vec<VariableId>,
    /// The rows of each of its cells.
    rows: Vec<u32>,
    /// `ones[variable × cells + cell]`: how many of these have the second state of another variable.
    ones: Vec<AtomicU32>,
}

impl Remembered {
    /// Nothing yet of so many variables; nothing at all, if even their pairs take more than so many bytes.
    pub(super) fn new(variables: usize, bytes: usize) -> Option<Self> {
        let pairs = variables * variables.saturating_sub(1) / 2;
        let room = (bytes / size_of::<u32>()).checked_sub(pairs)?;
        Some(Self {
            pairs: unknown(pairs),
            extended: std::iter::repeat_with(Mutex::default).take(variables).collect(),
            room: AtomicUsize::new(room),
        })
    }

    /// How many rows have the second states of both.
    fn pair(&self, a: VariableId, b: VariableId) -> &AtomicU32 {
        let (earlier, later) = (a.min(b).index(), a.max(b).index());
        &self.pairs[later * (later - 1) / 2 + earlier]
    }

    /// The extensions of a child's family that were counted last.
    fn last(&self, child: VariableId) -> Option<Arc<Extended>> {
        self.extended[child.index()].lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Keeps the counts of another family's extensions, still unknown, in place of those of its child that were counted last.
    fn begin(&self, base: &[VariableId], rows: &[u32]) -> Option<Arc<Extended>> {
        let child = base[base.len() - 1];
        let mut last = self.extended[child.index()].lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(last) = last.take() {
            self.room.fetch_add(last.ones.len(), Ordering::Relaxed);
        }
        let size = self.extended.len() * rows.len();
        let room = |room: usize| room.checked_sub(size);
        self.room.fetch_update(Ordering::Relaxed, Ordering::Relaxed, room).ok()?;
        let extended = Extended { base: base.to_vec(), rows: rows.to_vec(), ones: unknown(size) };
        *last = Some(Arc::new(extended));
        last.clone()
    }
}

/// So many counts that were not told.
fn unknown(size: usize) -> Vec<AtomicU32> {
    std::iter::repeat_with(|| AtomicU32::new(UNKNOWN)).take(size).collect()
}

/// The count, if it was told; then so were those that were told before it.
fn told(count: &AtomicU32) -> Option<u32> {
    let count = count.load(Ordering::Acquire);
    (count != UNKNOWN).then_some(count)
}

/// Remembers a count.
fn tell(place: &AtomicU32, count: u32) {
    place.store(count, Ordering::Release);
}

/// What the extensions of one family share.
pub(super) struct Extensions<'a> {
    bitmaps: &'a Bitmaps,
    remembered: &'a Remembered,
    child: VariableId,
    /// The rows of each of the family's cells.
    pub(super) rows: ByCell,
    parts: Parts,
    /// Where counts are remembered.
    next: Option<Arc<Extended>>,
    /// How often all rows were looked at to work this out.
    pub(super) passes: u64,
}

/// What is counted of each extension.
enum Parts {
    /// A pair, since the family has no parents.
    Pairs,
    /// Half of the cells; the extensions of the family without one of its parents told about the others.
    Halves(Halves),
    /// All that pairs do not tell.
    Subsets(Subsets),
}

/// The cells of a family with parents, divided by one of them.
struct Halves {
    parent: VariableId,
    /// The other columns, the child's last.
    others: Columns,
    /// So many cells stay side by side for each state of the parent.
    run: usize,
    /// The cells where the parent has its second state, by those of the other columns.
    with: Masks,
    /// The cells where it has its first one; made when needed.
    without: OnceLock<Masks>,
    /// What is known of a candidate's rows in the cells of the other columns.
    before: Arc<Extended>,
}

/// Memory that a thread uses again.
#[derive(Debug, Default)]
pub(super) struct Workspace {
    with: Vec<u32>,
    without: Vec<u32>,
    ones: Vec<u32>,
}

impl<'a> Extensions<'a> {
    /// Works out what so many extensions share, in used memory; the base has the parents, ascending, and after them the child.
    pub(super) fn new(
        bitmaps: &'a Bitmaps,
        remembered: &'a Remembered,
        base: &[VariableId],
        extensions: usize,
        by: Threads,
        used: &mut Vec<Masks>,
    ) -> Self {
        let (&child, parents) = base.split_last().expect("the child is always part of the base");
        if parents.is_empty() {
            let in_child = u32::of(bitmaps.rows_in_states(child)[0]);
            let rows = ByCell::from_slice(&[u32::of(bitmaps.all_rows()) - in_child, in_child]);
            return Self { bitmaps, remembered, child, rows, parts: Parts::Pairs, next: None, passes: 0 };
        }
        let last = remembered.last(child);
        let mut rows = ByCell::from_elem(0, 1 << base.len());
        let before = last.as_ref().and_then(|last| only_new(base, &last.base).zip(Some(last)));
        let (parts, passes) = if let Some((place, before)) = before {
            let halves = Halves::new(bitmaps, base, place, before.clone(), by, used);
            let rows_with: ByCell = halves.with.counts.iter().map(|&count| u32::of(count)).collect();
            let left = |(all, some): (&u32, &u32)| all - some;
            let rows_without: ByCell = before.rows.iter().zip(&rows_with).map(left).collect();
            alternate(&mut rows, halves.run, &rows_without, &rows_with);
            let passes = halves.with.passes();
            (Parts::Halves(halves), passes)
        } else {
            let used = used.pop().unwrap_or_default();
            let subsets = Subsets::new(used, bitmaps, base);
            subsets.count_all(&mut rows, bitmaps);
            let passes = subsets.passes();
            (Parts::Subsets(subsets), passes)
        };
        let next = match last {
            Some(last) if last.base == base => Some(last),
            // A few families are no reason to forget many.
            _ if extensions * 4 >= remembered.extended.len() => remembered.begin(base, &rows),
            _ => None,
        };
        Self { bitmaps, remembered, child, rows, parts, next, passes }
    }

    /// Counts the extension of the base by one more column into a table in the family's own order; says how often all rows were looked at.
    pub(super) fn count(
        &self,
        added: VariableId,
        base: &[VariableId],
        ordered: &mut Vec<u32>,
        workspace: &mut Workspace,
    ) -> u64 {
        let passes = self.count_ones(added, workspace);
        let Workspace { without: zeros, ones, .. } = workspace;
        zeros.clear();
        zeros.extend(self.rows.iter().zip(&*ones).map(|(rows, ones)| rows - ones));
        // The added column has its place among the parents; for both states of it, so many cells stay side by side.
        let run = self.rows.len() >> base[..base.len() - 1].partition_point(|&parent| parent < added);
        alternate(room_for(ordered, zeros.len() + ones.len()), run, zeros, ones);
        passes
    }

    /// Gives memory back, to be used again.
    pub(super) fn give_back(self, used: &mut Vec<Masks>) {
        match self.parts {
            Parts::Pairs => {}
            Parts::Halves(Halves { with, without, .. }) => {
                used.push(with);
                used.extend(without.into_inner());
            }
            Parts::Subsets(subsets) => used.push(subsets.masks),
        }
    }

    /// How many rows have the second states of both; if that was not told, all of them are looked at once more.
    fn pair(&self, a: VariableId, b: VariableId, passes: &mut u64) -> u32 {
        let place = self.remembered.pair(a, b);
        told(place).unwrap_or_else(|| {
            *passes += 1;
            let both = u32::of(count_both(&self.bitmaps.of(a)[0], &self.bitmaps.of(b)[0]));
            tell(place, both);
            both
        })
    }

    /// Counts the rows of each cell that have the second state of a column; says how often all rows were looked at.
    fn count_ones(&self, added: VariableId, workspace: &mut Workspace) -> u64 {
        let mut passes = 0;
        let (bitmap, all) = (&self.bitmaps.of(added)[0], u32::of(self.bitmaps.rows_in_states(added)[0]));
        let Workspace { with, without, ones } = workspace;
        let ones = room_for(ones, self.rows.len());
        match &self.parts {
            Parts::Pairs => {
                let both = self.pair(added, self.child, &mut passes);
                ones.copy_from_slice(&[all - both, both]);
            }
            Parts::Halves(halves) => {
                let all_with = self.pair(added, halves.parent, &mut passes);
                passes += halves.with.count_with(with, bitmap, all_with);
                let counts = &halves.before.ones[added.index() * with.len()..][..with.len()];
                if told(&counts[0]).is_some() {
                    without.clear();
                    let left =
                        counts.iter().zip(&*with).map(|(count, with)| count.load(Ordering::Relaxed) - with);
                    without.extend(left);
                } else {
                    let masks = halves.without(self.bitmaps, &mut passes);
                    passes += masks.count_with(without, bitmap, all - all_with);
                }
                alternate(ones, halves.run, without, with);
            }
            Parts::Subsets(subsets) => {
                let pair = |column| self.pair(added, column, &mut passes);
                let counted = subsets.count_with(ones, with, bitmap, all, pair);
                passes += counted;
            }
        }
        if let Some(next) = &self.next {
            let counts = &next.ones[added.index() * ones.len()..][..ones.len()];
            // The first one last: who sees it sees all of them.
            counts.iter().zip(ones).rev().for_each(|(place, count)| tell(place, *count));
        }
        passes
    }
}

impl Halves {
    /// Divides by the parent in some place of the base.
    fn new(
        bitmaps: &Bitmaps,
        base: &[VariableId],
        place: usize,
        before: Arc<Extended>,
        by: Threads,
        used: &mut Vec<Masks>,
    ) -> Self {
        let parent = base[place];
        let others: Columns = base.iter().copied().filter(|&other| other != parent).collect();
        let used = used.pop().unwrap_or_default();
        let with = Masks::new(used, bitmaps, Among::With(parent), &others, by);
        let run = 1 << (others.len() - place);
        Self { parent, others, run, with, without: OnceLock::new(), before }
    }

    fn without(&self, bitmaps: &Bitmaps, passes: &mut u64) -> &Masks {
        self.without.get_or_init(|| {
            let among = Among::Without(self.parent);
            let masks = Masks::new(Masks::default(), bitmaps, among, &self.others, Threads::One);
            *passes += masks.passes();
            masks
        })
    }
}
