//! What the families of a group share: masks or binary counts for bitmaps, a row index for histograms.

use std::sync::atomic::Ordering;

use super::MemoryTally;
use super::plan::{CountingMethod, FamilyPlan};
use crate::counts::batch::BatchGroup;
use crate::counts::kernels::bitmap::{BinaryExtensions, Bitmaps, Masks, Parallelism};
use crate::counts::kernels::histogram::{Digit, RowIndex};
use crate::data::VariableId;

/// The shared part of a group, as far as the methods of its families need it.
pub(super) struct Shared<'a> {
    /// Used instead of masks if all columns are binary and there is a single data set.
    pub(super) binary: Option<BinaryExtensions<'a>>,
    pub(super) masks: Option<Masks>,
    pub(super) index: Option<RowIndex>,
}

impl Shared<'_> {
    /// Returns the memory of the masks for reuse.
    pub(super) fn give_back(self, old: &mut Vec<Masks>) {
        if let Some(extensions) = self.binary {
            extensions.give_back(old);
        }
        old.extend(self.masks);
    }
}

fn has_method(plans: &[FamilyPlan], method: CountingMethod) -> bool {
    plans.iter().any(|plan| plan.method == method)
}

/// Whether a group needs a row index. Families within the shared columns can be counted from masks as well, if there are any.
fn needs_index(plans: &[FamilyPlan]) -> bool {
    has_method(plans, CountingMethod::Histogram)
        || has_method(plans, CountingMethod::Shared) && !has_method(plans, CountingMethod::Bitmap)
}

impl MemoryTally<'_> {
    /// The bitmaps, if a group needs masks of the shared columns.
    fn needed_bitmaps(&self, plans: &[FamilyPlan]) -> Option<&Bitmaps> {
        self.bitmaps.as_ref().filter(|_| has_method(plans, CountingMethod::Bitmap))
    }

    /// The memory of a group's shared part, in bytes.
    pub(super) fn shared_bytes(&self, group: &BatchGroup, plans: &[FamilyPlan]) -> usize {
        let masks = self.needed_bitmaps(plans);
        let masks = masks.map_or(0, |bitmaps| self.cells(&group.base) * bitmaps.len() * size_of::<u64>());
        masks + usize::from(needs_index(plans)) * self.data.stored_rows() * size_of::<u32>()
    }

    /// Computes the shared part of a group, in the memory of old masks.
    pub(super) fn share(
        &self,
        group: &BatchGroup,
        plans: &[FamilyPlan],
        parallelism: Parallelism,
        old: &mut Vec<Masks>,
    ) -> Shared<'_> {
        let bitmaps = self.needed_bitmaps(plans);
        let mut counted = plans.iter().filter(|plan| plan.method == CountingMethod::Bitmap);
        let is_binary =
            group.base.iter().all(|&v| self.states(v) == 2) && counted.all(|plan| plan.states == 2);
        let cache = bitmaps.zip(self.binary_cache.as_ref()).filter(|_| is_binary);
        let binary = cache.map(|(bitmaps, cache)| {
            BinaryExtensions::new(bitmaps, cache, &group.base, plans.len(), parallelism, old)
        });
        let masks = bitmaps
            .filter(|_| binary.is_none())
            .map(|bitmaps| Masks::new(old.pop().unwrap_or_default(), bitmaps, &group.base, parallelism));
        let index = needs_index(plans).then(|| self.row_index(&group.base));
        let scans = binary.as_ref().map_or(0, |extensions| extensions.scans)
            + masks.as_ref().map_or(0, Masks::scans)
            + index.as_ref().map_or(0, |_| group.base.len() as u64);
        self.scans.fetch_add(scans, Ordering::Relaxed);
        Shared { binary, masks, index }
    }

    /// The cell of every row in some columns.
    fn row_index(&self, columns: &[VariableId]) -> RowIndex {
        let digit = |&variable: &VariableId| Digit::Column(self.data.column(variable), self.states(variable));
        let digits: Vec<Digit<'_>> = columns.iter().map(digit).collect();
        RowIndex::new(self.data.stored_rows(), &digits)
    }
}
