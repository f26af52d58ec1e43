//! The tally over rows in memory: which of the three ways of counting each family takes, and what groups of them share.

mod awake;
mod batch;
mod indices;
mod one;
mod room;

use std::mem;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use self::awake::Batches;
use self::indices::Indices;
use self::room::{Room, Rooms};
use super::batch::{Batch, Group, Member};
use super::binary::{Extensions, Remembered};
use super::bitmaps::Bitmaps;
use super::masks::{Among, Masks, Threads};
use super::ways::{Base, Extension, Kind, Way};
use super::{Change, Family, Tally, TallyError, Visit, sparse};
use crate::data::{DataSetId, RelatedData, Schema, VariableId};

/// A table of this many counts, 64 KB, is counted densely however few the rows: BHD searches of a thousand rows took up to a seventh less than with a
/// quarter of it.
const ALWAYS_DENSE: usize = 16384;

/// Up to this many counts per row a dense table is quicker than sorting the rows: BHD searches of four states took a tenth to a third less than with
/// half of it.
const DENSE_CELLS_PER_ROW: usize = 8;

/// What one tally may allocate unless told otherwise: 4 GiB.
const DEFAULT_MEMORY: usize = 4 << 30;

/// The cost of looking at one word of two bitmaps, in rows of a histogram (measured: `cargo bench`, group `kernels`).
const WORD_COST: f64 = 0.33;

/// The same of a word outside of whole blocks: data sets of 100 and 500 rows were measured to take 2.6 and 8.9 for 2 and 8 words.
const SINGLE_WORD_COST: f64 = 1.0;

/// The cost of beginning with the bitmaps of one data set, in rows of a histogram: what is left of the same measurements.
const DATA_SET_COST: f64 = 0.5;

/// The cost of whatever a score does with one cell, in rows of a histogram: at least a logarithm or two.
const CELL_COST: f64 = 50.0;

/// The cost of sorting one row, in rows of a histogram.
const SORT_COST: f64 = 20.0;

/// Bitmaps of a group's configurations may take this many words in all, 16 MB: beyond it they leave the caches.
const MOST_WORDS: usize = 2 << 20;

/// What the groups that are counted at the same time may share in all, as a part of the encoded rows: so little that memory is that of
/// the data, and enough for many groups. One group always is counted.
const SHARED_PART: usize = 20;

/// They may share so much however few the rows: 1 MB.
const SHARED_BYTES: usize = 1 << 20;

/// Batches cheaper than this, in rows of a histogram, are not worth waking another thread for: about 40 µs.
const WORTH_SHARING: f64 = 5e4;

/// Counts families of encoded rows.
///
/// Three kernels, chosen by a cost model: bitmaps, where the group's configurations times the new column's states are few; a
/// histogram over a shared index and one new column, about a nanosecond per row whatever the number of parents; and sorting,
/// where a dense table would be larger than a small multiple of the rows. Memory is bounded by the rows.
#[derive(Debug)]
pub struct MemoryTally<'a> {
    data: &'a RelatedData,
    data_sets: Vec<Range<usize>>,
    bitmaps: Option<Bitmaps>,
    /// By variable, side by side, since every family asks for some.
    kinds: Vec<Kind>,
    /// What was counted before, for binary columns of one data set.
    remembered: Option<Remembered>,
    memory: usize,
    /// How often all rows of each data set count.
    rows: Vec<u64>,
    /// How often all rows were looked at so far, for the record; it decides nothing.
    passes: AtomicU64,
    /// Memory for the next batch.
    rooms: Rooms,
    batches: Batches,
}

/// What the families of a group share, as far as their ways of counting need it.
struct Shared<'a> {
    /// In place of masks, if all columns are binary.
    binary: Option<Extensions<'a>>,
    masks: Option<Masks>,
    indices: Indices,
}

/// What may be kept beside the rows, for each of two purposes: what groups of families share, and what smaller families told.
fn spare_bytes(data: &RelatedData) -> usize {
    SHARED_BYTES.max(data.stored_rows() * data.schema().variables().len() / SHARED_PART)
}

/// Whether every row counts once and 32 bits can number them.
fn is_narrow(data: &RelatedData) -> bool {
    data.weights().is_none() && u32::try_from(data.stored_rows()).is_ok()
}

impl<'a> MemoryTally<'a> {
    /// A tally that keeps the data sets apart.
    pub fn new(data: &'a RelatedData) -> Self {
        let data_sets = (0..data.schema().data_sets().len()).map(|f| data.rows_of(DataSetId::new(f)));
        Self::over(data, data_sets.collect())
    }

    /// A tally that takes all rows as one data set, which is all that pooled scores need.
    pub fn pooled(data: &'a RelatedData) -> Self {
        Self::over(data, std::iter::once(0..data.stored_rows()).collect())
    }

    fn over(data: &'a RelatedData, data_sets: Vec<Range<usize>>) -> Self {
        // A bitmap cannot say how often a row counts.
        let bitmaps = data.weights().is_none().then(|| Bitmaps::new(data, &data_sets));
        let rows_in = |rows: &Range<usize>| match data.weights() {
            Some(weights) => weights[rows.clone()].iter().sum(),
            None => rows.len() as u64,
        };
        let rows = data_sets.iter().map(rows_in).collect();
        let kind = |variable: VariableId| Kind {
            states: data.schema().states(variable),
            packed: bitmaps.as_ref().is_some_and(|bitmaps| bitmaps.has(variable)),
        };
        let kinds: Vec<Kind> = data.schema().ids().map(kind).collect();
        let variables = kinds.len();
        let remembered = if is_narrow(data) && data_sets.len() == 1 {
            Remembered::new(variables, spare_bytes(data))
        } else {
            None
        };
        Self {
            data,
            data_sets,
            bitmaps,
            kinds,
            remembered,
            memory: DEFAULT_MEMORY,
            rows,
            passes: AtomicU64::new(0),
            rooms: Rooms::default(),
            batches: Batches::default(),
        }
    }

    /// Limits what counting one family may allocate, in bytes.
    #[must_use]
    pub fn with_memory(self, memory: usize) -> Self {
        Self { memory, ..self }
    }

    /// What the families of a group have in common.
    fn base(&self, group: &Group) -> Base {
        Base {
            cells: self.cells(&group.base),
            possible: self.configurations(group.parents()),
            states: self.states(group.child()),
            packed: group.base.iter().all(|variable| self.kinds[variable.index()].packed),
        }
    }

    /// Plans how each family of a batch is counted, and says what all of them cost.
    fn plan_all(&self, batch: &Batch, extensions: &mut Vec<Extension>) -> Result<f64, TallyError> {
        extensions.clear();
        extensions.reserve(batch.len());
        let mut cost = 0.0;
        for group in batch.groups() {
            let base = self.base(group);
            let mut planned: Option<Extension> = None;
            for member in &batch.members()[group.members.clone()] {
                let extension = match planned {
                    Some(planned) if self.is_alike(planned.change, member.change) => {
                        Extension { change: member.change, ..planned }
                    }
                    _ => self.plan(group, &base, *member)?,
                };
                cost += extension.cost;
                planned = Some(extension);
                extensions.push(extension);
            }
        }
        Ok(cost)
    }

    /// How a family is counted; an error if that needs too much memory.
    fn plan(&self, group: &Group, base: &Base, member: Member) -> Result<Extension, TallyError> {
        let rows = self.data.stored_rows();
        let Member { group: index, change } = member;
        let parents = change.number_of(group.parents());
        let states = match change {
            Change::With(added) => self.states(added),
            Change::Keep | Change::Without(_) => 1,
        };
        let counted = base.possible * states as f64;
        let table = counted * (base.states * self.data_sets.len()) as f64;
        let possible = match change {
            Change::Keep | Change::With(_) => counted,
            Change::Without(parent) => {
                let others = group.parents().iter().filter(|&&other| other != parent);
                others.map(|&other| self.states(other) as f64).product()
            }
        };
        let dense_limit = ALWAYS_DENSE.max(rows.saturating_mul(DENSE_CELLS_PER_ROW)).min(u32::MAX as usize);
        // As it is counted, and in the family's own order; what follows from the base is summed up in between.
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "what is larger is not taken"
        )]
        let dense_bytes = (table as usize)
            .saturating_mul(size_of::<u64>() * if matches!(change, Change::With(_)) { 2 } else { 3 });
        let sparse_bytes = rows.saturating_mul(sparse::BYTES_PER_ROW);
        let may_be_dense = table <= dense_limit as f64;
        // Where there is no room for a dense table there may be for the rows.
        let dense = may_be_dense && dense_bytes <= self.memory;
        let needed = if may_be_dense { dense_bytes.min(sparse_bytes) } else { sparse_bytes };
        if needed > self.memory {
            return Err(TallyError::TooLarge {
                child: self.data.schema().variable(group.child()).name.clone(),
                parents,
                rows,
                needed: needed.div_ceil(1_000_000),
                limit: self.memory / 1_000_000,
            });
        }
        let mut extension = Extension {
            group: index,
            change,
            way: match change {
                _ if !dense => Way::Sort,
                Change::With(_) => Way::Histogram,
                Change::Keep | Change::Without(_) => Way::Within,
            },
            base: base.cells,
            states,
            possible,
            cost: CELL_COST * table.min(rows as f64)
                + if dense { rows as f64 } else { SORT_COST * rows as f64 },
        };
        if let (true, true, Some(bitmaps)) = (dense, base.packed, &self.bitmaps) {
            let pairs = ((base.cells - 1) * (states - 1)) as f64;
            let single = bitmaps.single_words();
            let once = WORD_COST * (bitmaps.len() - single) as f64
                + SINGLE_WORD_COST * single as f64
                + DATA_SET_COST * self.data_sets.len() as f64;
            let fits = base.cells.saturating_mul(bitmaps.len()) <= MOST_WORDS;
            match change {
                _ if parents == 0 => {
                    (extension.way, extension.cost) = (Way::Known, CELL_COST * table);
                }
                Change::With(added)
                    if fits && pairs * once < rows as f64 && self.kinds[added.index()].packed =>
                {
                    (extension.way, extension.cost) = (Way::Bitmaps, pairs * once + CELL_COST * table);
                }
                _ => {}
            }
        }
        Ok(extension)
    }

    /// Whether all that follows for one of two families of a group follows for the other.
    fn is_alike(&self, one: Change, other: Change) -> bool {
        match (one, other) {
            (Change::With(a), Change::With(b)) => self.kinds[a.index()] == self.kinds[b.index()],
            _ => false,
        }
    }

    /// The number of states of a variable.
    fn states(&self, variable: VariableId) -> usize {
        self.kinds[variable.index()].states
    }

    /// The cells of some columns together; the largest number there is, if there are more.
    fn cells(&self, variables: &[VariableId]) -> usize {
        variables.iter().map(|&variable| self.states(variable)).fold(1, usize::saturating_mul)
    }

    /// The possible configurations of some parents.
    fn configurations(&self, parents: &[VariableId]) -> f64 {
        parents.iter().map(|&parent| self.states(parent) as f64).product()
    }

    /// The bitmaps, if a group's families need masks of the shared columns.
    fn needed_bitmaps(&self, extensions: &[Extension]) -> Option<&Bitmaps> {
        let met = extensions.iter().any(|extension| extension.way == Way::Bitmaps);
        self.bitmaps.as_ref().filter(|_| met)
    }

    /// The bytes that what a group shares will take.
    fn shared_bytes(&self, group: &Group, extensions: &[Extension]) -> usize {
        let masks = self.needed_bitmaps(extensions);
        let masks = masks.map_or(0, |bitmaps| self.cells(&group.base) * bitmaps.len() * size_of::<u64>());
        masks + self.needed_indices(&group.base, extensions).bytes(self.data.stored_rows())
    }

    /// Keeps memory for the next batch, and notes what was done in it.
    fn give_back(&self, mut room: Room) {
        self.passes.fetch_add(mem::take(&mut room.scratch.passes), Ordering::Relaxed);
        self.rooms.give_back(room);
    }

    /// Works out what a group's families need, in used memory.
    fn share(
        &self,
        group: &Group,
        extensions: &[Extension],
        by: Threads,
        used: &mut Vec<Masks>,
    ) -> Shared<'_> {
        let masks = self.needed_bitmaps(extensions);
        let mut counted = extensions.iter().filter(|extension| extension.way == Way::Bitmaps);
        let is_binary =
            group.base.iter().all(|&v| self.states(v) == 2) && counted.all(|extension| extension.states == 2);
        let remembered = masks.zip(self.remembered.as_ref()).filter(|_| is_binary);
        let binary = remembered.map(|(bitmaps, remembered)| {
            Extensions::new(bitmaps, remembered, &group.base, extensions.len(), by, used)
        });
        let masks = masks
            .filter(|_| binary.is_none())
            .map(|bitmaps| Masks::new(used.pop().unwrap_or_default(), bitmaps, Among::All, &group.base, by));
        let indices = self.indices(&group.base, extensions);
        let passes = binary.as_ref().map_or(0, |extensions| extensions.passes)
            + masks.as_ref().map_or(0, Masks::passes)
            + indices.passes;
        self.passes.fetch_add(passes, Ordering::Relaxed);
        Shared { binary, masks, indices }
    }
}

impl Shared<'_> {
    /// Gives memory back, to be used again.
    fn give_back(self, used: &mut Vec<Masks>) {
        if let Some(extensions) = self.binary {
            extensions.give_back(used);
        }
        used.extend(self.masks);
    }
}

impl Tally for MemoryTally<'_> {
    fn schema(&self) -> &Schema {
        self.data.schema()
    }

    fn cost(&self, family: &Family) -> f64 {
        let possible = self.configurations(family.parents());
        let cells = possible * (self.states(family.child()) * self.data_sets.len()) as f64;
        let rows = self.data.stored_rows() as f64;
        // Dense tables are quick; a sparse one is sorted, and a score may have as many cells to fit as there are rows.
        if cells < rows { rows + 100.0 * cells } else { 100.0 * cells.min(10.0 * rows) }
    }

    fn rows_scanned(&self) -> u64 {
        self.passes.load(Ordering::Relaxed) * self.data.stored_rows() as u64
    }

    fn visit_many(&self, batch: &Batch, visit: Visit<'_>) -> Result<(), TallyError> {
        let batch = &*batch.lean();
        let mut room = self.rooms.take();
        let cost = self.plan_all(batch, &mut room.extensions)?;
        if cost < WORTH_SHARING || rayon::current_num_threads() == 1 {
            self.count_alone(batch, &mut room, visit);
        } else {
            // On one of the threads that share the work, if it is not there already.
            rayon::scope(|_| self.count_together(batch, &mut room, visit));
        }
        self.give_back(room);
        Ok(())
    }
}
