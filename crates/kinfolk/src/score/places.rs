//! Where what is known of each family is kept.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::counts::{Batch, Change, Family};
use crate::data::VariableId;

/// Numbers for families, from zero in the order in which they come.
///
/// Families of one child are asked for together, so that each child keeps its own, which are few and stay in the caches. Where a family is
/// asked for with each of many parents more, there is a row for all of them, and nobody has to look for any; other families are
/// looked up. Few parents, as nearly always, are told by one number, which is hashed and compared sooner than a list and takes less room.
#[derive(Debug)]
pub(super) struct Places {
    children: Vec<OfChild>,
    /// Those of all rows, one row after the other, so that they take one piece of memory.
    in_rows: Vec<u32>,
    /// Families whose parents no number tells, since they have more of them than this.
    many: FxHashMap<Family, u32>,
    most: usize,
    len: usize,
}

/// The families of one child. All rows that have room for a family know its place, as soon as it has one.
#[derive(Debug, Clone, Default)]
struct OfChild {
    rows: Vec<Row>,
    /// Those for which no row had room, by the number that tells their parents.
    few: FxHashMap<u64, u32>,
}

/// The families with one parent more than some.
#[derive(Debug, Clone)]
struct Row {
    /// Those some parents, ascending.
    base: SmallVec<[VariableId; 6]>,
    /// Where its places begin, by the further parent.
    start: usize,
}

/// The place of a family that was not asked for.
const NOWHERE: u32 = u32::MAX;

/// A row is made for at least this part of all variables, so that it takes no more room than to look them up would.
const ROW_PART: usize = 4;

/// A child has so many rows at the most: a climb seldom makes more, and a longer search would take longer to look at all of them than to look
/// up what it asks for.
const MOST_ROWS: usize = 16;

/// Where a row has room for what a change makes of a family.
struct Cover {
    change: Change,
    row: usize,
    /// The further parent.
    more: VariableId,
}

impl Places {
    /// The most families that can have a place.
    pub(super) const MOST: usize = NOWHERE as usize;

    /// No families yet, of so many variables.
    pub(super) fn new(variables: usize) -> Self {
        let base = variables as u64 + 1;
        let most = (1..u64::BITS).take_while(|&digits| base.checked_pow(digits).is_some()).count();
        let children = vec![OfChild::default(); variables];
        Self { children, in_rows: Vec::new(), many: FxHashMap::default(), most, len: 0 }
    }

    /// How many families have a place.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Forgets all of them.
    pub(super) fn clear(&mut self) {
        self.children.fill_with(OfChild::default);
        self.in_rows.clear();
        self.many.clear();
        self.len = 0;
    }

    /// The places of some families; those that are new get the next.
    pub(super) fn of_all(&mut self, batch: &Batch) -> Vec<usize> {
        let mut places = Vec::with_capacity(batch.len());
        let variables = self.children.len();
        for (family, changes) in batch.changes() {
            let parents = family.parents();
            let child = &mut self.children[family.child().index()];
            let digits = Digits::new(parents, variables);
            let has_numbers = parents.len() < self.most;
            let covers = child.covers(parents);
            let own = child.rows.iter().position(|row| *row.base == *parents).or_else(|| {
                let is_worth_it = child.rows.len() < MOST_ROWS && changes.len() * ROW_PART >= variables;
                let has_row = has_numbers && is_worth_it;
                has_row.then(|| child.add_row(parents, &covers, variables, &mut self.in_rows))
            });
            places.extend(changes.map(|change| {
                let next = u32::try_from(self.len).expect("families are forgotten before there are so many");
                let place = match (own, change) {
                    (Some(row), Change::With(more)) => {
                        let place = &mut self.in_rows[child.rows[row].start + more.index()];
                        if *place == NOWHERE {
                            *place = next;
                        }
                        *place
                    }
                    _ => match covers.iter().find(|cover| cover.change == change) {
                        Some(cover) => {
                            let place = self.in_rows[child.rows[cover.row].start + cover.more.index()];
                            let place = if place == NOWHERE { next } else { place };
                            child.tell(change, place, &covers, &mut self.in_rows);
                            place
                        }
                        None if change.number_of(parents) <= self.most => {
                            *child.few.entry(digits.changed(change)).or_insert(next)
                        }
                        None => *self.many.entry(family.changed(change)).or_insert(next),
                    },
                };
                self.len += usize::from(place == next);
                place as usize
            }));
            // What its own row has learnt others have room for, too.
            for cover in &covers {
                if let (Some(row), Change::With(more)) = (own, cover.change) {
                    let place = self.in_rows[child.rows[row].start + more.index()];
                    self.in_rows[child.rows[cover.row].start + cover.more.index()] = place;
                }
            }
        }
        places
    }
}

impl OfChild {
    /// Makes a row for the families with one parent more than some, which knows those that have a place, here or in others that cover
    /// them, and says which it is.
    fn add_row(
        &mut self,
        base: &[VariableId],
        covers: &[Cover],
        variables: usize,
        in_rows: &mut Vec<u32>,
    ) -> usize {
        let start = in_rows.len();
        in_rows.resize(start + variables, NOWHERE);
        let (others, places) = in_rows.split_at_mut(start);
        for cover in covers {
            if let Change::With(more) = cover.change {
                places[more.index()] = others[self.rows[cover.row].start + cover.more.index()];
            }
        }
        #[expect(
            clippy::iter_over_hash_type,
            reason = "each has its own place, so that their order is of no matter"
        )]
        for (&number, &place) in &self.few {
            if let Some(more) = Digits::only_more(number, base, variables) {
                places[more.index()] = place;
            }
        }
        self.rows.push(Row { base: SmallVec::from_slice(base), start });
        self.rows.len() - 1
    }

    /// Tells all rows that have room for what a change makes of a family where that is.
    fn tell(&self, change: Change, place: u32, covers: &[Cover], in_rows: &mut [u32]) {
        for cover in covers.iter().filter(|cover| cover.change == change) {
            in_rows[self.rows[cover.row].start + cover.more.index()] = place;
        }
    }

    /// Which rows have room for what some change makes of these parents, apart from those that share all of them.
    fn covers(&self, parents: &[VariableId]) -> SmallVec<[Cover; 8]> {
        let mut covers = SmallVec::new();
        for (row, Row { base, .. }) in self.rows.iter().enumerate() {
            let mut add = |change, more| covers.push(Cover { change, row, more });
            let missing = |of: &[VariableId], from: &[VariableId]| -> SmallVec<[VariableId; 6]> {
                of.iter().copied().filter(|variable| from.binary_search(variable).is_err()).collect()
            };
            if base.len() == parents.len() {
                if let ([more], [other]) = (&*missing(base, parents), &*missing(parents, base)) {
                    add(Change::With(*more), *other);
                }
            } else if base.len() + 1 == parents.len() {
                if let [more] = *missing(parents, base) {
                    add(Change::Keep, more);
                }
            } else if base.len() + 2 == parents.len()
                && let [one, other] = *missing(parents, base)
            {
                add(Change::Without(one), other);
                add(Change::Without(other), one);
            }
        }
        covers
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

    /// The parent that a number tells beside some others, if it tells all of these and one more.
    fn only_more(mut number: u64, others: &[VariableId], variables: usize) -> Option<VariableId> {
        let base = variables as u64 + 1;
        let mut more = None;
        let mut left = others;
        while number > 0 {
            // The last one first.
            let told = number % base - 1;
            number /= base;
            match left.split_last() {
                Some((&last, before)) if u64::from(last.0) == told => left = before,
                _ if more.is_none() => more = Some(VariableId::new(usize::try_from(told).ok()?)),
                _ => return None,
            }
        }
        more.filter(|_| left.is_empty())
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
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

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

    #[test]
    fn of_no_variables_there_are_no_families() {
        let mut places = Places::new(0);
        assert_eq!((places.of_all(&Batch::default()), places.len()), (Vec::new(), 0));
    }

    #[test]
    fn families_keep_their_places_whatever_they_are_asked_for_with() {
        let mut random = ChaCha8Rng::seed_from_u64(1);
        for variables in [2, 5, 9, 40_000] {
            let mut places = Places::new(variables);
            let mut known: FxHashMap<Family, usize> = FxHashMap::default();
            let some: Vec<VariableId> = (0..variables.min(9)).map(VariableId::new).collect();
            for _ in 0..2_000 {
                let mut batch = Batch::default();
                for _ in 0..random.random_range(1..4) {
                    let child = some[random.random_range(0..some.len().min(3))];
                    let others: Vec<VariableId> = some.iter().copied().filter(|&v| v != child).collect();
                    let (parents, rest): (Vec<VariableId>, Vec<VariableId>) =
                        others.iter().partition(|_| random.random_range(0..3) == 0);
                    let all = parents
                        .iter()
                        .map(|&v| Change::Without(v))
                        .chain(rest.iter().map(|&v| Change::With(v)));
                    let share = random.random_range(0.0..1.0);
                    let changes: Vec<Change> =
                        all.chain([Change::Keep]).filter(|_| random.random_range(0.0..1.0) < share).collect();
                    batch.around(&Family::new(child, parents), changes);
                }
                let found = places.of_all(&batch);
                for (family, place) in batch.families().zip(found) {
                    let next = known.len();
                    assert_eq!(place, *known.entry(family).or_insert(next));
                }
                assert_eq!(places.len(), known.len());
            }
            // Some by rows and some by number, and of so many variables some by neither.
            let rows = places.children.iter().map(|child| child.rows.len()).max();
            assert_eq!(rows > Some(3), (5..10).contains(&variables), "{variables}: {rows:?}");
            assert!(places.children.iter().any(|child| !child.few.is_empty()), "{variables}");
            assert_eq!(places.many.is_empty(), variables < 10);
        }
    }
}
