//! Batches of families, grouped around base families from which they differ by at most one parent, so that the work on
//! a base is done once per group.

use std::borrow::Cow;
use std::ops::Range;

use smallvec::SmallVec;

use super::Family;
use crate::data::VariableId;

/// A short list of columns, stored inline up to eight.
pub(super) type FamilyColumns = SmallVec<[VariableId; 8]>;

/// A change of a family's parents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// No change.
    Keep,
    /// Adds a parent.
    With(VariableId),
    /// Removes a parent.
    Without(VariableId),
}

impl Change {
    /// The number of parents after the change.
    pub(crate) fn number_of(self, parents: &[VariableId]) -> usize {
        match self {
            Self::Keep => parents.len(),
            Self::With(_) => parents.len() + 1,
            Self::Without(_) => parents.len() - 1,
        }
    }
}

/// An ordered list of families to be counted together.
///
/// A search needs all one-parent extensions of a family. A batch stores them as one base and a list of changes, so that
/// neither the scorer nor the tally has to build every family and find their common parents.
#[derive(Debug, Clone, Default)]
pub struct Batch {
    groups: Vec<BatchGroup>,
    members: Vec<BatchMember>,
    /// Whether some group has a base with parents and no member that extends it; see `regrouped`.
    unextended: bool,
}

/// Consecutive families that differ from a base family by at most one parent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct BatchGroup {
    pub(super) members: Range<usize>,
    /// The parents of the base family, ascending, followed by the child.
    pub(super) base: FamilyColumns,
}

/// One family of a batch.
#[derive(Debug, Clone, Copy)]
pub(super) struct BatchMember {
    pub(super) group: usize,
    pub(super) change: Change,
}

impl Batch {
    /// A batch of the given families; consecutive families that share all parents but one form a group.
    pub fn of(families: &[Family]) -> Self {
        let mut batch = Self::with_capacity(families.len());
        families.iter().for_each(|family| batch.push(family));
        batch
    }

    /// An empty batch with capacity for a number of families.
    pub fn with_capacity(families: usize) -> Self {
        Self { members: Vec::with_capacity(families), ..Self::default() }
    }

    /// Removes all families and keeps the allocated memory.
    pub fn clear(&mut self) {
        self.groups.clear();
        self.members.clear();
        self.unextended = false;
    }

    /// Appends the families that result from changing `family`, as one group.
    ///
    /// # Panics
    /// If a change adds the child or an existing parent, or removes a variable that is not a parent.
    pub fn around(&mut self, family: &Family, changes: impl IntoIterator<Item = Change>) {
        let first = self.members.len();
        let group = self.groups.len();
        let child = family.child();
        self.members.extend(changes.into_iter().map(|change| {
            let is_possible = match change {
                Change::Keep => true,
                Change::With(more) => more != child && !family.parents().contains(&more),
                Change::Without(parent) => family.parents().contains(&parent),
            };
            assert!(is_possible, "{change:?} cannot change {family:?}");
            BatchMember { group, change }
        }));
        let mut base = FamilyColumns::from_slice(family.parents());
        base.push(child);
        self.groups.push(BatchGroup { members: first..self.members.len(), base });
        self.unextended |= self.is_last_unextended();
    }

    /// The number of families.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Whether the batch has no families.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// The family at a position.
    pub fn family(&self, index: usize) -> Family {
        let BatchMember { group, change } = self.members[index];
        self.groups[group].family().changed(change)
    }

    /// The number of parents of the family at a position.
    pub fn parent_count(&self, index: usize) -> usize {
        let BatchMember { group, change } = self.members[index];
        change.number_of(self.groups[group].parents())
    }

    /// The child of every family, in order.
    pub(crate) fn children(&self) -> impl Iterator<Item = VariableId> + '_ {
        self.groups.iter().flat_map(|group| std::iter::repeat_n(group.child(), group.members.len()))
    }

    /// The group of a family and the number of states of the parent that it adds. Families for which both are equal have tables of the
    /// same shape. Nothing for families that add no parent.
    pub(crate) fn kind(&self, index: usize, states: impl Fn(VariableId) -> usize) -> Option<(usize, usize)> {
        let BatchMember { group, change } = self.members[index];
        match change {
            Change::With(added) => Some((group, states(added))),
            Change::Keep | Change::Without(_) => None,
        }
    }

    /// All families, in order.
    pub fn families(&self) -> impl Iterator<Item = Family> + '_ {
        (0..self.len()).map(|index| self.family(index))
    }

    pub(super) fn groups(&self) -> &[BatchGroup] {
        &self.groups
    }

    pub(super) fn members(&self) -> &[BatchMember] {
        &self.members
    }

    /// The base family of every group with its changes.
    pub(crate) fn changes(
        &self,
    ) -> impl Iterator<Item = (Family, impl ExactSizeIterator<Item = Change> + '_)> + '_ {
        self.groups.iter().map(|group| {
            (group.family(), self.members[group.members.clone()].iter().map(|member| member.change))
        })
    }

    /// The same families, regrouped where a group has only its base and families with fewer parents: counting the base
    /// would cost more than most of its members need.
    pub(super) fn regrouped(&self) -> Cow<'_, Self> {
        if self.unextended { Cow::Owned(self.some(0..self.len())) } else { Cow::Borrowed(self) }
    }

    /// The families at ascending positions, regrouped as by `regrouped`.
    #[must_use]
    pub(crate) fn some(&self, positions: impl Iterator<Item = usize>) -> Self {
        let mut batch = Self::with_capacity(positions.size_hint().0);
        let mut copied = None;
        for position in positions {
            let BatchMember { group, change } = self.members[position];
            let base = &self.groups[group].base;
            if copied != Some(group) && batch.groups.last().is_none_or(|last| last.base != *base) {
                batch.split_last_unless_extended();
                let start = batch.members.len();
                batch.groups.push(BatchGroup { members: start..start, base: base.clone() });
            }
            copied = Some(group);
            let last = batch.groups.len() - 1;
            batch.members.push(BatchMember { group: last, change });
            batch.groups[last].members.end += 1;
        }
        batch.split_last_unless_extended();
        batch
    }

    /// Appends a family to the last group, or to a new one.
    fn push(&mut self, family: &Family) {
        if let Some(group) = self.groups.len().checked_sub(1)
            && let Some(change) = self.joins_last(family)
        {
            self.groups[group].members.end += 1;
            self.members.push(BatchMember { group, change });
            return;
        }
        // The next family decides what the base is; until then, drop the last parent.
        let (change, shared) = match family.parents().split_last() {
            Some((&last, others)) => (Change::With(last), others),
            None => (Change::Keep, family.parents()),
        };
        let mut base = FamilyColumns::from_slice(shared);
        base.push(family.child());
        let (group, index) = (self.groups.len(), self.members.len());
        self.groups.push(BatchGroup { members: index..index + 1, base });
        self.members.push(BatchMember { group, change });
    }

    /// The change by which a family joins the last group, if it can. The second family of a group determines the base.
    fn joins_last(&mut self, family: &Family) -> Option<Change> {
        let group = self.groups.last()?;
        if group.child() != family.child() {
            return None;
        }
        if group.members.len() > 1 {
            return group.change_to(family);
        }
        let first = self.family(group.members.start);
        if first.parents().len() != family.parents().len() {
            return None;
        }
        let mut base = common(first.parents(), family.parents());
        if base.len() + 1 != family.parents().len() {
            return None;
        }
        base.push(family.child());
        let (place, group) = (group.members.start, self.groups.len() - 1);
        self.groups[group].base = base;
        let change = |family: &Family| self.groups[group].change_to(family);
        let (change_of_first, change) = (change(&first)?, change(family)?);
        self.members[place].change = change_of_first;
        Some(change)
    }

    /// Whether the base of the last group has parents and no member of the group extends it.
    fn is_last_unextended(&self) -> bool {
        self.groups.last().is_some_and(|group| {
            !group.parents().is_empty()
                && !self.members[group.members.clone()]
                    .iter()
                    .any(|member| matches!(member.change, Change::With(_)))
        })
    }

    /// Splits the last group if no member extends its base.
    fn split_last_unless_extended(&mut self) {
        if !self.is_last_unextended() {
            return;
        }
        if let Some(BatchGroup { members, base }) = self.groups.pop() {
            let group = BatchGroup { members: 0..0, base };
            let changes: SmallVec<[Change; 8]> =
                self.members.drain(members).map(|member| member.change).collect();
            changes.iter().for_each(|&change| self.push(&group.family().changed(change)));
        }
    }
}

impl BatchGroup {
    pub(super) fn child(&self) -> VariableId {
        self.base[self.base.len() - 1]
    }

    /// The parents of the base family.
    pub(super) fn parents(&self) -> &[VariableId] {
        &self.base[..self.base.len() - 1]
    }

    fn family(&self) -> Family {
        Family::from_ascending(self.child(), self.parents())
    }

    /// The single change that turns the base into a family of the same child, if there is one.
    fn change_to(&self, family: &Family) -> Option<Change> {
        let (shared, parents) = (self.parents(), family.parents());
        if parents.len() == shared.len() + 1 {
            single_addition(parents, shared).map(|place| Change::With(parents[place]))
        } else if parents.len() + 1 == shared.len() {
            single_addition(shared, parents).map(|place| Change::Without(shared[place]))
        } else {
            (parents == shared).then_some(Change::Keep)
        }
    }
}

/// The position of the only element of an ascending list `more` that `fewer` lacks, if the lists differ in nothing else.
pub(super) fn single_addition(more: &[VariableId], fewer: &[VariableId]) -> Option<usize> {
    if more.len() != fewer.len() + 1 {
        return None;
    }
    let place = more.iter().zip(fewer).take_while(|(a, b)| a == b).count();
    (more[place + 1..] == fewer[place..]).then_some(place)
}

/// The intersection of two ascending lists.
fn common(a: &[VariableId], b: &[VariableId]) -> FamilyColumns {
    a.iter().copied().filter(|variable| b.binary_search(variable).is_ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn family(child: usize, parents: &[usize]) -> Family {
        Family::new(VariableId::new(child), parents.iter().map(|&parent| VariableId::new(parent)))
    }

    fn ids(indices: &[usize]) -> Vec<VariableId> {
        indices.iter().map(|&index| VariableId::new(index)).collect()
    }

    fn with(index: usize) -> Change {
        Change::With(VariableId::new(index))
    }

    fn without(index: usize) -> Change {
        Change::Without(VariableId::new(index))
    }

    /// The members and the bases of all groups.
    fn groups(batch: &Batch) -> Vec<(Range<usize>, Vec<VariableId>)> {
        batch.groups.iter().map(|group| (group.members.clone(), group.base.to_vec())).collect()
    }

    #[test]
    fn the_extensions_of_one_family_are_one_group() {
        let families = [
            family(4, &[1, 7]),
            family(4, &[2, 7]),
            family(4, &[7, 9]),
            family(4, &[7]),
            family(4, &[]),
            family(5, &[1]),
            family(5, &[]),
            family(4, &[0, 1]),
        ];
        let batch = Batch::of(&families);
        assert_eq!(
            groups(&batch),
            [(0..5, ids(&[7, 4])), (5..6, ids(&[5])), (6..7, ids(&[5])), (7..8, ids(&[0, 4])),]
        );
        let changes: Vec<Change> = batch.members.iter().map(|member| member.change).collect();
        assert_eq!(
            changes,
            [with(1), with(2), with(9), Change::Keep, without(7), with(1), Change::Keep, with(1)]
        );
        assert!(batch.families().eq(families.iter().cloned()));
        let parents: Vec<usize> = (0..batch.len()).map(|index| batch.parent_count(index)).collect();
        assert_eq!(parents, [2, 2, 2, 1, 0, 1, 0, 2]);
    }

    #[test]
    fn changes_of_a_family_give_the_same_families_in_any_grouping() {
        let centre = family(4, &[1, 7, 9]);
        let mut batch = Batch::default();
        batch.around(&centre, [with(0), with(8), Change::Keep, without(7), with(3)]);
        assert!(!batch.unextended);
        batch.around(&centre, [Change::Keep, without(9), without(1)]);
        batch.around(&family(2, &[]), [Change::Keep]);
        assert!(batch.unextended, "the base of a group has more parents than most of its families");
        let all: Vec<Family> = batch.families().collect();
        assert_eq!(all[3], family(4, &[1, 9]));
        assert_eq!(all[6], family(4, &[1, 7]));
        // Every subset has the same families, and no group whose base is larger than needed.
        for chosen in 0..1_usize << all.len() {
            let positions: Vec<usize> = (0..all.len()).filter(|bit| chosen >> bit & 1 == 1).collect();
            let some = batch.some(positions.iter().copied());
            assert!(some.families().eq(positions.iter().map(|&position| all[position].clone())));
            assert!(!some.unextended);
            for group in &some.groups {
                let mut changes = some.members[group.members.clone()].iter().map(|member| member.change);
                let is_extended = changes.clone().any(|change| matches!(change, Change::With(_)));
                assert!(is_extended || group.parents().is_empty() && changes.all(|c| c == Change::Keep));
            }
            let numbers = some
                .groups
                .iter()
                .enumerate()
                .flat_map(|(index, group)| std::iter::repeat_n(index, group.members.len()));
            assert!(numbers.eq(some.members.iter().map(|member| member.group)));
        }
    }

    #[test]
    #[should_panic(expected = "cannot change")]
    fn a_parent_cannot_be_added_twice() {
        Batch::default().around(&family(4, &[1, 7]), [with(7)]);
    }
}
