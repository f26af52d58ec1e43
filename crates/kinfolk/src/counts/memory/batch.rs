//! Counting a planned batch of families, by one thread or by all of them.

use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use super::one::Scratch;
use super::room::Room;
use super::{MemoryTally, Shared, spare_bytes};
use crate::counts::Visit;
use crate::counts::batch::{Batch, Group};
use crate::counts::masks::{Masks, Threads};

/// A thread takes so many times less than its share of what is left: at first many families, so that threads seldom meet, and at last
/// one by one, so that all of them end at about the same time.
const PARTS: usize = 4;

impl MemoryTally<'_> {
    /// Counts all families by the thread that asks, one group after the other.
    pub(super) fn count_alone(&self, batch: &Batch, room: &mut Room, visit: Visit<'_>) {
        let Room { extensions, masks, scratch } = room;
        for group in batch.groups() {
            let extensions = &extensions[group.members.clone()];
            let shared = self.share(group, extensions, Threads::One, masks);
            for (index, extension) in group.members.clone().zip(extensions) {
                self.count(&group.base, extension, &shared, scratch);
                visit(index, &scratch.counts);
            }
            shared.give_back(masks);
        }
    }

    /// Counts all families by all threads, of which this is one.
    pub(super) fn count_together(&self, batch: &Batch, room: &mut Room, visit: Visit<'_>) {
        let _asked = self.batches.begin();
        let Room { extensions, masks, .. } = room;
        let (groups, extensions) = (batch.groups(), &*extensions);
        let share = |group: &Group, by, masks: &mut Vec<Masks>| {
            self.share(group, &extensions[group.members.clone()], by, masks)
        };
        let count = |index: usize, shared: &Shared<'_>, scratch: &mut Scratch| {
            let extension = &extensions[index];
            self.count(&groups[extension.group].base, extension, shared, scratch);
            visit(index, &scratch.counts);
        };
        // What groups share is kept for as many of them at a time as memory is meant for.
        let most = spare_bytes(self.data);
        let size = |group: &Group| self.shared_bytes(group, &extensions[group.members.clone()]);
        let mut next = 0;
        while next < groups.len() {
            let together = next..next + how_many_fit(groups[next..].iter().map(size), most);
            let mut shared: Vec<Shared<'_>> = match &groups[together.clone()] {
                [group] => vec![share(group, Threads::All, masks)],
                groups => {
                    groups.par_iter().map(|group| share(group, Threads::One, &mut Vec::new())).collect()
                }
            };
            let families = groups[next].members.start..groups[together.end - 1].members.end;
            let untaken = AtomicUsize::new(families.start);
            let threads = rayon::current_num_threads().min(families.len());
            let part = |first: usize| ((families.end - first) / (threads * PARTS)).max(1);
            let taken = |first: usize| (first < families.end).then(|| first + part(first));
            let take_part = || {
                let mut room = self.rooms.take();
                while let Ok(first) = untaken.fetch_update(Ordering::Relaxed, Ordering::Relaxed, taken) {
                    for index in first..first + part(first) {
                        count(index, &shared[extensions[index].group - next], &mut room.scratch);
                    }
                }
                self.give_back(room);
            };
            rayon::scope(|scope| {
                (1..threads).for_each(|_| scope.spawn(|_| take_part()));
                take_part();
            });
            if let (1, Some(shared)) = (together.len(), shared.pop()) {
                shared.give_back(masks);
            }
            next = together.end;
        }
    }
}

/// How many of the first have no more than so many bytes together; one always is taken.
fn how_many_fit(sizes: impl Iterator<Item = usize>, most: usize) -> usize {
    let mut bytes = 0;
    let fitting = sizes.enumerate().take_while(|&(place, size)| {
        bytes += size;
        place == 0 || bytes <= most
    });
    fitting.count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_groups_as_there_is_memory_for_are_counted_together() {
        let of = |sizes: &[usize]| how_many_fit(sizes.iter().copied(), 10);
        assert_eq!(of(&[4, 6, 1]), 2);
        assert_eq!(of(&[4, 7]), 1);
        assert_eq!(of(&[11, 0]), 1);
        assert_eq!(of(&[0, 0, 0]), 3);
    }
}
