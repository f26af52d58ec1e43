//! A batch of families in groups that share all their columns but one, so that the shared part is worked out once; families that
//! lie within the shared part follow from it.

use std::ops::Range;

use smallvec::SmallVec;

use super::Family;
use crate::data::VariableId;

/// Few columns, as nearly always, are kept in place.
pub(super) type Columns = SmallVec<[VariableId; 8]>;

/// Consecutive families with one child whose parents are a common base and one more each, or some of the base.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Group {
    /// Which families of the batch.
    pub(super) families: Range<usize>,
    /// The parents they share, ascending, and after them the child.
    pub(super) base: Columns,
}

/// Splits a batch into groups, in used memory. Searches ask for the extensions of one family after the other, so neighbours are enough.
pub(super) fn group(groups: &mut Vec<Group>, families: &[Family]) {
    groups.clear();
    for (index, family) in families.iter().enumerate() {
        if groups.last_mut().is_some_and(|group| group.takes(families, index)) {
            continue;
        }
        // Alone so far: all parents but the last are as good a base as any.
        let parents = family.parents();
        let mut base = Columns::from_slice(&parents[..parents.len().saturating_sub(1)]);
        base.push(family.child());
        groups.push(Group { families: index..index + 1, base });
    }
}

impl Group {
    /// Takes the next family of the batch in, if it shares all but one of its parents or has no others than the shared ones.
    fn takes(&mut self, families: &[Family], next: usize) -> bool {
        let (first, family) = (&families[self.families.start], &families[next]);
        if first.child() != family.child() {
            return false;
        }
        if first.parents().len() != family.parents().len() {
            if self.families.len() == 1 || !contains(&self.base[..self.base.len() - 1], family.parents()) {
                return false;
            }
        } else if self.families.len() == 1 {
            // The second family of a group decides what the base is.
            let mut base = common(first.parents(), family.parents());
            if base.len() + 1 != family.parents().len() {
                return false;
            }
            base.push(family.child());
            self.base = base;
        } else if !contains(family.parents(), &self.base[..self.base.len() - 1]) {
            return false;
        }
        self.families.end = next + 1;
        true
    }
}

/// The parent that a family adds to the base of its group; nothing if it lies within the base.
pub(super) fn added(base: &[VariableId], family: &Family) -> Option<VariableId> {
    let shared = &base[..base.len() - 1];
    if family.parents().len() <= shared.len() {
        return None;
    }
    let different = family.parents().iter().zip(shared).find(|(parent, shared)| parent != shared);
    different.map(|(parent, _)| parent).or(family.parents().get(shared.len())).copied()
}

/// What two ascending lists have in common.
fn common(a: &[VariableId], b: &[VariableId]) -> Columns {
    a.iter().copied().filter(|variable| b.binary_search(variable).is_ok()).collect()
}

/// Whether an ascending list contains all of another.
fn contains(all: &[VariableId], some: &[VariableId]) -> bool {
    let mut all = all.iter();
    some.iter().all(|variable| all.any(|other| other == variable))
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

    #[test]
    fn the_extensions_of_one_family_are_one_group() {
        let batch = [
            family(4, &[1, 7]),
            family(4, &[2, 7]),
            family(4, &[7, 9]),
            family(4, &[7]),
            family(5, &[1]),
            family(5, &[]),
            family(4, &[0, 1]),
        ];
        let mut groups = Vec::new();
        group(&mut groups, &batch);
        let base = |index: usize| groups[index].base.to_vec();
        assert_eq!(
            groups.iter().map(|group| group.families.clone()).collect::<Vec<_>>(),
            [0..4, 4..5, 5..6, 6..7]
        );
        assert_eq!(base(0), ids(&[7, 4]));
        let added: Vec<_> = batch[..4].iter().map(|family| added(&base(0), family)).collect();
        assert_eq!(
            added,
            [Some(VariableId::new(1)), Some(VariableId::new(2)), Some(VariableId::new(9)), None]
        );
        assert_eq!((base(1), base(2), base(3)), (ids(&[5]), ids(&[5]), ids(&[0, 4])));
        assert_eq!(super::added(&base(2), &batch[5]), None);
        assert_eq!(super::added(&base(3), &batch[6]), Some(VariableId::new(1)));
    }
}
