//! Counting a planned batch of families, by one thread or by all of them.

use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use super::one::Scratch;
use super::room::Room;
use super::{MemoryTally, Shared, spare_bytes};
use crate::counts::masks::Threads;
use crate::counts::plan::Group;
use crate::counts::{Family, Visit};

/// Every thread takes its share of a batch in about so many parts, so that all of them end at about the same time.
const PARTS: usize = 16;

impl MemoryTally<'_> {
    /// Counts all families by the thread that asks, one group after the other.
    pub(super) fn count_alone(&self, families: &[Family], room: &mut Room, visit: Visit<'_>) {
        let Room { groups, extensions, masks, scratch } = room;
        for group in &*groups {
            let extensions = &extensions[group.families.clone()];
            let shared = self.share(group, extensions, Threads::One, masks);
            for (index, extension) in group.families.clone().zip(extensions) {
                self.count(&families[index], &group.base, extension, &shared, scratch);
                visit(index, &scratch.counts);
            }
            shared.give_back(masks);
        }
    }

    /// Counts all families by all threads.
    pub(super) fn count_together(&self, families: &[Family], room: &Room, visit: Visit<'_>) {
        let Room { groups, extensions, .. } = room;
        let share =
            |group: &Group, by| self.share(group, &extensions[group.families.clone()], by, &mut Vec::new());
        let count = |index: usize, shared: &Shared<'_>, scratch: &mut Scratch| {
            let extension = &extensions[index];
            self.count(&families[index], &groups[extension.group].base, extension, shared, scratch);
            visit(index, &scratch.counts);
        };
        // What groups share is kept for as many of them at a time as memory is meant for.
        let most = spare_bytes(self.data);
        let size = |group: &Group| self.shared_bytes(group, &extensions[group.families.clone()]);
        let mut next = 0;
        while next < groups.len() {
            let mut bytes = 0;
            let together = groups[next..].iter().take_while(|group| {
                let room = bytes < most;
                bytes += size(group);
                room
            });
            let together = next..next + together.count();
            let shared: Vec<Shared<'_>> = match &groups[together.clone()] {
                [group] => vec![share(group, Threads::All)],
                groups => groups.par_iter().map(|group| share(group, Threads::One)).collect(),
            };
            let families = groups[next].families.start..groups[together.end - 1].families.end;
            let untaken = AtomicUsize::new(families.start);
            let threads = rayon::current_num_threads().min(families.len());
            let part = families.len().div_ceil(threads * PARTS);
            (0..threads).into_par_iter().with_max_len(1).for_each(|_| {
                let mut room = self.rooms.take();
                loop {
                    let first = untaken.fetch_add(part, Ordering::Relaxed);
                    if first >= families.end {
                        break;
                    }
                    for index in first..families.end.min(first + part) {
                        count(index, &shared[extensions[index].group - next], &mut room.scratch);
                    }
                }
                self.rooms.give_back(room);
            });
            next = together.end;
        }
    }
}
