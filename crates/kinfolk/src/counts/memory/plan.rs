//! Chooses a kernel for every family of a batch, by a cost model in units of one row of a histogram.

use super::MemoryTally;
use crate::counts::batch::{Batch, BatchGroup, BatchMember};
use crate::counts::kernels::sort;
use crate::counts::{Change, TallyError};
use crate::data::VariableId;

/// Tables of up to this many counts, 64 KB, are dense for any number of rows: BHD searches of a thousand rows took up to a seventh less time
/// than with a quarter of it.
const ALWAYS_DENSE: usize = 16384;

/// Tables of up to this many counts per row are dense: BHD searches of four states took a tenth to a third less time than with half of it.
const DENSE_CELLS_PER_ROW: usize = 8;

/// The cost of one word of two bitmaps (measured: `cargo bench`, group `kernels`).
const WORD_COST: f64 = 0.33;

/// The cost of a word outside of whole blocks: data sets of 100 and 500 rows took 2.6 and 8.9 for 2 and 8 words.
const SINGLE_WORD_COST: f64 = 1.0;

/// The fixed cost of the bitmaps of one data set: the intercept of the same measurements.
const DATA_SET_COST: f64 = 0.5;

/// The cost of scoring one cell: at least a logarithm or two.
const CELL_COST: f64 = 50.0;

/// The cost of sorting one row.
const SORT_COST: f64 = 20.0;

/// The masks of a group may take this many words, 16 MB; more do not fit into the caches.
const MOST_MASK_WORDS: usize = 2 << 20;

/// How one family is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CountingMethod {
    /// A child with bitmaps and without parents: the counts of its states are known.
    Known,
    /// All parents are shared: the table of the shared columns, summed over a parent if one is removed.
    Shared,
    /// Masks of the shared columns and the bitmaps of the added column.
    Bitmap,
    /// A row index of the shared columns and the codes of the added column.
    Histogram,
    /// Sorting all rows.
    Sort,
}

/// The properties of a column that planning uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ColumnShape {
    pub(super) states: usize,
    pub(super) has_bitmaps: bool,
}

/// The properties of a group's base that planning uses.
struct BaseShape {
    /// Cells of the shared columns.
    cells: usize,
    /// Possible configurations of the shared parents.
    possible: f64,
    /// States of the child.
    states: usize,
    /// Whether all shared columns have bitmaps.
    has_bitmaps: bool,
}

/// How one family of a batch is counted.
#[derive(Debug, Clone, Copy)]
pub(super) struct FamilyPlan {
    /// The position of its group.
    pub(super) group: usize,
    /// The change of the group's base.
    pub(super) change: Change,
    pub(super) method: CountingMethod,
    /// Cells of the shared columns.
    pub(super) base_cells: usize,
    /// States of the added column; 1 if there is none.
    pub(super) states: usize,
    /// Possible configurations of all parents.
    pub(super) possible: f64,
    /// The cost of counting and scoring.
    pub(super) cost: f64,
}

impl FamilyPlan {
    /// The column that is added to the shared ones.
    pub(super) fn added(&self) -> Option<VariableId> {
        match self.change {
            Change::With(added) => Some(added),
            Change::Keep | Change::Without(_) => None,
        }
    }
}

impl MemoryTally<'_> {
    /// Plans all families of a batch and returns their total cost.
    pub(super) fn plan_all(&self, batch: &Batch, plans: &mut Vec<FamilyPlan>) -> Result<f64, TallyError> {
        plans.clear();
        plans.reserve(batch.len());
        let mut cost = 0.0;
        for group in batch.groups() {
            let base = self.base_shape(group);
            let mut last: Option<FamilyPlan> = None;
            for member in &batch.members()[group.members.clone()] {
                let plan = match last {
                    Some(last) if self.has_same_plan(last.change, member.change) => {
                        FamilyPlan { change: member.change, ..last }
                    }
                    _ => self.plan(group, &base, *member)?,
                };
                cost += plan.cost;
                last = Some(plan);
                plans.push(plan);
            }
        }
        Ok(cost)
    }

    fn base_shape(&self, group: &BatchGroup) -> BaseShape {
        BaseShape {
            cells: self.cells(&group.base),
            possible: self.configurations(group.parents()),
            states: self.states(group.child()),
            has_bitmaps: group.base.iter().all(|variable| self.columns[variable.index()].has_bitmaps),
        }
    }

    /// Whether two families of a group add columns of the same shape.
    fn has_same_plan(&self, one: Change, other: Change) -> bool {
        match (one, other) {
            (Change::With(a), Change::With(b)) => self.columns[a.index()] == self.columns[b.index()],
            _ => false,
        }
    }

    /// Plans one family; an error if it needs too much memory.
    fn plan(
        &self,
        group: &BatchGroup,
        base: &BaseShape,
        member: BatchMember,
    ) -> Result<FamilyPlan, TallyError> {
        let rows = self.data.stored_rows();
        let BatchMember { group: index, change } = member;
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
        let is_dense = self.is_dense(group, change, table)?;
        let mut plan = FamilyPlan {
            group: index,
            change,
            method: match change {
                _ if !is_dense => CountingMethod::Sort,
                Change::With(_) => CountingMethod::Histogram,
                Change::Keep | Change::Without(_) => CountingMethod::Shared,
            },
            base_cells: base.cells,
            states,
            possible,
            cost: CELL_COST * table.min(rows as f64)
                + if is_dense { rows as f64 } else { SORT_COST * rows as f64 },
        };
        if let (true, true, Some(bitmaps)) = (is_dense, base.has_bitmaps, &self.bitmaps) {
            let pairs = ((base.cells - 1) * (states - 1)) as f64;
            let single = bitmaps.single_words();
            let pair_cost = WORD_COST * (bitmaps.len() - single) as f64
                + SINGLE_WORD_COST * single as f64
                + DATA_SET_COST * self.data_sets.len() as f64;
            let fits = base.cells.saturating_mul(bitmaps.len()) <= MOST_MASK_WORDS;
            match change {
                _ if change.number_of(group.parents()) == 0 => {
                    (plan.method, plan.cost) = (CountingMethod::Known, CELL_COST * table);
                }
                Change::With(added)
                    if fits && pairs * pair_cost < rows as f64 && self.columns[added.index()].has_bitmaps =>
                {
                    (plan.method, plan.cost) =
                        (CountingMethod::Bitmap, pairs * pair_cost + CELL_COST * table);
                }
                _ => {}
            }
        }
        Ok(plan)
    }

    /// Whether a family whose table has a number of counts is counted densely; an error if neither a dense table nor sorting fits into the
    /// memory limit.
    fn is_dense(&self, group: &BatchGroup, change: Change, table: f64) -> Result<bool, TallyError> {
        let rows = self.data.stored_rows();
        let dense_limit = ALWAYS_DENSE.max(rows.saturating_mul(DENSE_CELLS_PER_ROW)).min(u32::MAX as usize);
        // The table as it is counted and in the family's own order; a marginal table needs a third copy.
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "the product saturates, and larger tables are not counted densely"
        )]
        let dense_bytes = (table as usize)
            .saturating_mul(size_of::<u64>() * if matches!(change, Change::With(_)) { 2 } else { 3 });
        let sort_bytes = rows.saturating_mul(sort::BYTES_PER_ROW);
        let may_be_dense = table <= dense_limit as f64;
        let needed = if may_be_dense { dense_bytes.min(sort_bytes) } else { sort_bytes };
        if needed > self.memory {
            return Err(TallyError::TooLarge {
                child: self.data.schema().variable(group.child()).name.clone(),
                parents: change.number_of(group.parents()),
                rows,
                needed: needed.div_ceil(1_000_000),
                limit: self.memory / 1_000_000,
            });
        }
        Ok(may_be_dense && dense_bytes <= self.memory)
    }
}
