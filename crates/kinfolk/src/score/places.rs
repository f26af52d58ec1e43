//! Where what is known of each family is kept.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::counts::{Batch, Change, Family};
use crate::data::VariableId;

/// Numbers for families, from zero in the order in which they come.
///
/// Families of one child are asked for together, so that each child has a map of its own, which is small and stays in the caches. Few parents,
/// as nearly always, are told by one number, which is hashed and compared sooner than a list and takes less room.
#[derive(Debug, Default)]
pub(super) struct Places {
    /// By child, then by the number that tells its parents.
    few: Vec<FxHashMap<u64, usize>>,
    /// Families whose parents no number tells, since they have more of them than this.
    many: FxHashMap<Family, usize>,
    most: usize,
    len: usize,
}

impl Places {
    /// No families yet, of so many variables.
    pub(super) fn new(variables: usize) -> Self {
        let base = variables as u64 + 1;
        let most = (1..).take_while(|&digits| base.checked_pow(digits).is_some()).count();
        Self { few: vec![FxHashMap::default(); variables], most, ..Self::default() }
    }

    /// How many families have a place.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Forgets all of them.
    pub(super) fn clear(&mut self) {
        self.few.iter_mut().for_each(FxHashMap::clear);
        self.many.clear();
        self.len = 0;
    }

    /// The places of some families; those that are new get the next.
    pub(super) fn of_all(&mut self, batch: &Batch) -> Vec<usize> {
        let mut places = Vec::with_capacity(batch.len());
        for (family, changes) in batch.changes() {
            let child = family.child().index();
            // Many families of a child of which few were asked for are new, and a map need not grow again and again for them.
            let few = &mut self.few[child];
            if few.len() < changes.len() / 4 {
                few.reserve(changes.len());
            }
            let digits = Digits::new(family.parents(), self.few.len());
            places.extend(changes.map(|change| {
                let next = self.len;
                let place = if change.number_of(family.parents()) <= self.most {
                    *self.few[child].entry(digits.changed(change)).or_insert(next)
                } else {
                    *self.many.entry(family.changed(change)).or_insert(next)
                };
                self.len += usize::from(place == next);
                place
            }));
        }
        places
    }
}

/// Parents, ascending, as the digits of a number, which differs from that of any other parents, if it is not too large. No digit is zero, so that
/// lists of different lengths differ.
struct Digits<'a> {
    parents: &'a [VariableId],
    base: u64,
    /// For every place, the number of the parents before it, that of those from it on, and the power of the base that these are below.
    split: Split,
}

/// Few places, as nearly always, are kept in place.
type Split = SmallVec<[(u64, u64, u64); 8]>;

impl<'a> Digits<'a> {
    fn new(parents: &'a [VariableId], variables: usize) -> Self {
        let base = variables as u64 + 1;
        let mut split = Split::from_elem((0, 0, 1), parents.len() + 1);
        let (mut before, mut after, mut power) = (0_u64, 0_u64, 1_u64);
        for (place, &parent) in parents.iter().enumerate() {
            before = before.wrapping_mul(base).wrapping_add(digit(parent));
            split[place + 1].0 = before;
        }
        for (place, &parent) in parents.iter().enumerate().rev() {
            after = after.wrapping_add(digit(parent).wrapping_mul(power));
            power = power.wrapping_mul(base);
            (split[place].1, split[place].2) = (after, power);
        }
        Self { parents, base, split }
    }

    /// The number of the parents changed.
    fn changed(&self, change: Change) -> u64 {
        let place = |parent: VariableId| self.parents.iter().take_while(|&&other| other < parent).count();
        match change {
            Change::Keep => self.split[0].1,
            Change::With(parent) => {
                let (before, after, power) = self.split[place(parent)];
                let first = before.wrapping_mul(self.base).wrapping_add(digit(parent));
                first.wrapping_mul(power).wrapping_add(after)
            }
            Change::Without(parent) => {
                let place = place(parent);
                let (after, power) = (self.split[place + 1].1, self.split[place + 1].2);
                self.split[place].0.wrapping_mul(power).wrapping_add(after)
            }
        }
    }
}

fn digit(parent: VariableId) -> u64 {
    u64::from(parent.0) + 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::VariableId;

    #[test]
    fn every_family_has_a_place_of_its_own_and_keeps_it() {
        for variables in [1_usize, 3, 12, 70_000] {
            let of = |child: usize, parents: Vec<usize>| {
                Family::new(VariableId::new(child), parents.into_iter().map(VariableId::new))
            };
            let mut families = Vec::new();
            for child in 0..variables.min(12) {
                // Every set of the others, the last of the variables among them.
                let others: Vec<usize> = (0..variables.min(12))
                    .map(|v| if v == 11 { variables - 1 } else { v })
                    .filter(|&v| v != child)
                    .collect();
                for set in 0..1_usize << others.len() {
                    let parents = others.iter().enumerate().filter(|(bit, _)| set >> bit & 1 == 1);
                    families.push(of(child, parents.map(|(_, &other)| other).collect()));
                }
            }
            let mut places = Places::new(variables);
            let alone = |family: &Family| Batch::of(std::slice::from_ref(family));
            for _ in 0..2 {
                for (expected, family) in families.iter().enumerate() {
                    assert_eq!(places.of_all(&alone(family)), [expected], "{family:?}");
                }
            }
            assert_eq!(places.len(), families.len());
            // Those around a family are where they were, too.
            for family in &families {
                let others = (0..variables.min(12)).map(|v| if v == 11 { variables - 1 } else { v });
                let changes = others.map(VariableId::new).filter(|&v| v != family.child()).map(|other| {
                    if family.parents().contains(&other) {
                        Change::Without(other)
                    } else {
                        Change::With(other)
                    }
                });
                let mut around = Batch::default();
                around.around(family, changes.chain([Change::Keep]));
                let expected: Vec<usize> =
                    around.families().flat_map(|family| places.of_all(&alone(&family))).collect();
                assert_eq!(places.of_all(&around), expected, "around {family:?}");
            }
            assert_eq!(places.len(), families.len());
            places.clear();
            assert_eq!((places.len(), places.of_all(&alone(&families[families.len() - 1]))), (0, vec![0]));
        }
    }
}
