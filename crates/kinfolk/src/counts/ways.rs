//! How each family of a batch is counted, and what that follows from.

use super::Change;
use crate::data::VariableId;

/// How one family is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// A child without parents whose bitmaps were counted when they were made.
    Known,
    /// A child whose parents all are among the shared ones: the counts of the shared columns are summed.
    Within,
    Bitmaps,
    Histogram,
    Sort,
}

/// What matters of a column for how it is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Kind {
    pub(super) states: usize,
    /// Whether it has bitmaps.
    pub(super) packed: bool,
}

/// What follows from a group's base for all of its families.
pub(super) struct Base {
    /// Cells of the shared columns.
    pub(super) cells: usize,
    /// Possible configurations of the shared parents.
    pub(super) possible: f64,
    /// States of the child.
    pub(super) states: usize,
    /// Whether all shared columns have bitmaps.
    pub(super) packed: bool,
}

/// What a family adds to its group, and what follows for counting it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Extension {
    /// Which group.
    pub(super) group: usize,
    /// What makes the family out of the base.
    pub(super) change: Change,
    pub(super) way: Way,
    /// Cells of the shared columns.
    pub(super) base: usize,
    /// States of the added column, 1 if there is none.
    pub(super) states: usize,
    /// Possible configurations of all parents.
    pub(super) possible: f64,
    /// What counting and scoring cost, in rows of a histogram.
    pub(super) cost: f64,
}

impl Extension {
    /// The column that is added to the shared ones.
    pub(super) fn added(&self) -> Option<VariableId> {
        match self.change {
            Change::With(added) => Some(added),
            Change::Keep | Change::Without(_) => None,
        }
    }
}
