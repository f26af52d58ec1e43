//! A batch of families in groups around one family each, which have one parent more than it, one fewer or the same: what they share is
//! worked out once.

use std::borrow::Cow;
use std::ops::Range;

use smallvec::SmallVec;

use super::Family;
use crate::data::VariableId;

/// Few columns, as nearly always, are kept in place.
pub(super) type Columns = SmallVec<[VariableId; 8]>;

/// What becomes of a family's parents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// They stay.
    Keep,
    /// One joins them.
    With(VariableId),
    /// One leaves them.
    Without(VariableId),
}

impl Change {
    /// How many parents there are afterwards.
    pub(crate) fn number_of(self, parents: &[VariableId]) -> usize {
        match self {
            Self::Keep => parents.len(),
            Self::With(_) => parents.len() + 1,
            Self::Without(_) => parents.len() - 1,
        }
    }
}

/// Families to be counted together, in an order of their own.
///
/// Searches ask for a family with each of many parents more; told so, nobody has to write all of them down and find out again what they
/// have in common.
#[derive(Debug, Clone, Default)]
pub struct Batch {
    groups: Vec<Group>,
    members: Vec<Member>,
    /// Whether there is a group of which no family has a parent more than the base, which has some.
    unextended: bool,
}

/// Consecutive families around one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Group {
    pub(super) members: Range<usize>,
    /// The parents they share, ascending, and after them the child.
    pub(super) base: Columns,
}

/// One of a batch's families.
#[derive(Debug, Clone, Copy)]
pub(super) struct Member {
    pub(super) group: usize,
    pub(super) change: Change,
}

impl Batch {
    /// Some families, of which neighbours that share all parents but one make a group.
    pub fn of(families: &[Family]) -> Self {
        let mut batch = Self::with_capacity(families.len());
        families.iter().for_each(|family| batch.push(family));
        batch
    }

    /// No families yet, but room for so many.
    pub fn with_capacity(families: usize) -> Self {
        Self { members: Vec::with_capacity(families), ..Self::default() }
    }

    /// Forgets all families, to be used again.
    pub fn clear(&mut self) {
        self.groups.clear();
        self.members.clear();
        self.unextended = false;
    }

    /// Adds what some changes make of a family.
    ///
    /// # Panics
    /// If a change adds a parent that is there, or the child, or takes one away that is not there.
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
            Member { group, change }
        }));
        let mut base = Columns::from_slice(family.parents());
        base.push(child);
        self.groups.push(Group { members: first..self.members.len(), base });
        self.unextended |= self.is_last_within();
    }

    /// How many families there are.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// A family.
    pub fn family(&self, index: usize) -> Family {
        let Member { group, change } = self.members[index];
        self.groups[group].family().changed(change)
    }

    /// How many parents a family has.
    pub fn parent_count(&self, index: usize) -> usize {
        let Member { group, change } = self.members[index];
        change.number_of(self.groups[group].parents())
    }

    /// The children of all families, in order.
    pub(crate) fn children(&self) -> impl Iterator<Item = VariableId> + '_ {
        self.groups.iter().flat_map(|group| std::iter::repeat_n(group.child(), group.members.len()))
    }

    /// What families have in common that are of one group and add columns of as many states to it: the group and these states.
    pub(crate) fn kind(&self, index: usize, states: impl Fn(VariableId) -> usize) -> Option<(usize, usize)> {
        let Member { group, change } = self.members[index];
        match change {
            Change::With(added) => Some((group, states(added))),
            Change::Keep | Change::Without(_) => None,
        }
    }

    /// All families, in order.
    pub fn families(&self) -> impl Iterator<Item = Family> + '_ {
        (0..self.len()).map(|index| self.family(index))
    }

    pub(super) fn groups(&self) -> &[Group] {
        &self.groups
    }

    pub(super) fn members(&self) -> &[Member] {
        &self.members
    }

    /// The families around which the others are, each with what becomes of its parents.
    pub(crate) fn changes(
        &self,
    ) -> impl Iterator<Item = (Family, impl ExactSizeIterator<Item = Change> + '_)> + '_ {
        self.groups.iter().map(|group| {
            (group.family(), self.members[group.members.clone()].iter().map(|member| member.change))
        })
    }

    /// The same families, grouped so that to count them takes no more than it must: for a group of which no family has a parent more than the
    /// base, that would be counted, which is more than most of them need.
    pub(super) fn lean(&self) -> Cow<'_, Self> {
        if self.unextended { Cow::Owned(self.some(0..self.len())) } else { Cow::Borrowed(self) }
    }

    /// Some of the families, whose positions ascend, grouped in that way.
    #[must_use]
    pub(crate) fn some(&self, positions: impl Iterator<Item = usize>) -> Self {
        let mut batch = Self::with_capacity(positions.size_hint().0);
        let mut copied = None;
        for position in positions {
            let Member { group, change } = self.members[position];
            let base = &self.groups[group].base;
            if copied != Some(group) && batch.groups.last().is_none_or(|last| last.base != *base) {
                batch.divide_last_unless_extended();
                let start = batch.members.len();
                batch.groups.push(Group { members: start..start, base: base.clone() });
            }
            copied = Some(group);
            let last = batch.groups.len() - 1;
            batch.members.push(Member { group: last, change });
            batch.groups[last].members.end += 1;
        }
        batch.divide_last_unless_extended();
        batch
    }

    /// Adds a family to the last group, or begins another one.
    fn push(&mut self, family: &Family) {
        if let Some(group) = self.groups.len().checked_sub(1)
            && let Some(change) = self.joins_last(family)
        {
            self.groups[group].members.end += 1;
            self.members.push(Member { group, change });
            return;
        }
        // Alone so far: all parents but the last are as good a base as any.
        let (change, shared) = match family.parents().split_last() {
            Some((&last, others)) => (Change::With(last), others),
            None => (Change::Keep, family.parents()),
        };
        let mut base = Columns::from_slice(shared);
        base.push(family.child());
        let (group, index) = (self.groups.len(), self.members.len());
        self.groups.push(Group { members: index..index + 1, base });
        self.members.push(Member { group, change });
    }

    /// What a family is to the last group, if it may join it. The second family of a group decides what the base is.
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

    /// Whether no family of the last group has a parent more than its base, and the base has some.
    fn is_last_within(&self) -> bool {
        self.groups.last().is_some_and(|group| {
            !group.parents().is_empty()
                && !self.members[group.members.clone()]
                    .iter()
                    .any(|member| matches!(member.change, Change::With(_)))
        })
    }

    /// Makes other groups of the last one, if it has no family with a parent more than its base.
    fn divide_last_unless_extended(&mut self) {
        if !self.is_last_within() {
            return;
        }
        if let Some(Group { members, base }) = self.groups.pop() {
            let group = Group { members: 0..0, base };
            let changes: SmallVec<[Change; 8]> =
                self.members.drain(members).map(|member| member.change).collect();
            changes.iter().for_each(|&change| self.push(&group.family().changed(change)));
        }
    }
}

impl Group {
    pub(super) fn child(&self) -> VariableId {
        self.base[self.base.len() - 1]
    }

    /// The shared parents.
    pub(super) fn parents(&self) -> &[VariableId] {
        &self.base[..self.base.len() - 1]
    }

    fn family(&self) -> Family {
        Family::from_ascending(self.child(), self.parents())
    }

    /// What makes a family of the same child out of the base, if one change does.
    fn change_to(&self, family: &Family) -> Option<Change> {
        let (shared, parents) = (self.parents(), family.parents());
        if parents.len() == shared.len() + 1 {
            only_new(parents, shared).map(|place| Change::With(parents[place]))
        } else if parents.len() + 1 == shared.len() {
            only_new(shared, parents).map(|place| Change::Without(shared[place]))
        } else {
            (parents == shared).then_some(Change::Keep)
        }
    }
}

/// The place of the only column that an ordered list has more than another one.
pub(super) fn only_new(more: &[VariableId], fewer: &[VariableId]) -> Option<usize> {
    if more.len() != fewer.len() + 1 {
        return None;
    }
    let place = more.iter().zip(fewer).take_while(|(a, b)| a == b).count();
    (more[place + 1..] == fewer[place..]).then_some(place)
}

/// What two ascending lists have in common.
fn common(a: &[VariableId], b: &[VariableId]) -> Columns {
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
    fn what_is_around_a_family_is_the_same_families_in_any_grouping() {
        let centre = family(4, &[1, 7, 9]);
        let mut batch = Batch::default();
        batch.around(&centre, [with(0), with(8), Change::Keep, without(7), with(3)]);
        assert!(!batch.unextended);
        batch.around(&centre, [Change::Keep, without(9), without(1)]);
        batch.around(&family(2, &[]), [Change::Keep]);
        assert!(
            batch.unextended,
            "a group would be counted with more parents than most of its families have"
        );
        let all: Vec<Family> = batch.families().collect();
        assert_eq!(all[3], family(4, &[1, 9]));
        assert_eq!(all[6], family(4, &[1, 7]));
        // Whatever is taken out of it is the same, and lean.
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
    fn a_parent_does_not_join_twice() {
        Batch::default().around(&family(4, &[1, 7]), [with(7)]);
    }
}
