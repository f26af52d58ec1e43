//! Where what is known of each family is kept.

use rustc_hash::FxHashMap;

use crate::counts::Family;

/// Numbers for families, from zero in the order in which they come.
///
/// Families of one child are asked for together, so that each child has a map of its own, which is small and stays in the caches. Few parents,
/// as nearly always, are told by one number, which is hashed and compared sooner than a list and takes less room.
#[derive(Debug, Default)]
pub(super) struct Places {
    /// By child, then by the number that tells its parents.
    few: Vec<FxHashMap<u64, usize>>,
    /// Families whose parents no number tells.
    many: FxHashMap<Family, usize>,
    len: usize,
}

impl Places {
    /// No families yet, of so many variables.
    pub(super) fn new(variables: usize) -> Self {
        Self { few: vec![FxHashMap::default(); variables], ..Self::default() }
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

    /// The places of some families.
    pub(super) fn of_all(&mut self, families: &[Family]) -> Vec<usize> {
        for same in families.chunk_by(|a, b| a.child() == b.child()) {
            // Many families of a child of which few were asked for are new, and a map need not grow again and again for them.
            let few = &mut self.few[same[0].child().index()];
            if few.len() < same.len() / 4 {
                few.reserve(same.len());
            }
        }
        families.iter().map(|family| self.of(family)).collect()
    }

    /// The place of a family; one that is new gets the next.
    fn of(&mut self, family: &Family) -> usize {
        let next = self.len;
        let place = match number(family, self.few.len()) {
            Some(number) => *self.few[family.child().index()].entry(number).or_insert(next),
            None => *self.many.entry(family.clone()).or_insert(next),
        };
        self.len += usize::from(place == next);
        place
    }
}

/// The parents as the digits of a number, which differs from that of any other parents; nothing if it would be too large.
fn number(family: &Family, variables: usize) -> Option<u64> {
    let base = variables as u64 + 1;
    // No digit is zero, so that lists of different lengths differ.
    let digits = family.parents().iter().map(|&parent| u64::from(parent.0) + 1);
    let mut number: u64 = 0;
    for digit in digits {
        number = number.checked_mul(base)?.checked_add(digit)?;
    }
    Some(number)
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
            for _ in 0..2 {
                for (expected, family) in families.iter().enumerate() {
                    assert_eq!(places.of(family), expected, "{family:?}");
                }
            }
            assert_eq!(places.len(), families.len());
            places.clear();
            assert_eq!((places.len(), places.of(&families[families.len() - 1])), (0, 0));
        }
    }
}
