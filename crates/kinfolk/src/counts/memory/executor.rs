//! Runs a planned batch on one thread or on all of them.

use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use super::scratch::Scratch;
use super::shared::Shared;
use super::{MemoryTally, count_family, spare_bytes};
use crate::counts::Visit;
use crate::counts::batch::{Batch, BatchGroup};
use crate::counts::kernels::bitmap::{Masks, Parallelism};

/// Batches that cost less, in rows of a histogram, are counted by one thread: waking another takes about as long, 40 µs.
const LEAST_SHARED_COST: f64 = 5e4;

/// A thread takes this part of its share of the remaining families: many at first, so that threads seldom contend, and single ones at the
/// end, so that all threads finish at about the same time.
const PARTS: usize = 4;

/// The stack size of a thread: that of a typical main thread.
const STACK_BYTES: usize = 8 << 20;

/// A pool with this many threads for all computations, or one thread per core for 0. The front ends build it.
pub fn thread_pool(threads: usize) -> rayon::ThreadPoolBuilder {
    rayon::ThreadPoolBuilder::new().num_threads(threads).stack_size(STACK_BYTES)
}

impl MemoryTally<'_> {
    /// Counts a batch of a known cost.
    pub(super) fn execute(&self, batch: &Batch, cost: f64, scratch: &mut Scratch, visit: Visit<'_>) {
        if cost < LEAST_SHARED_COST || rayon::current_num_threads() == 1 {
            self.count_serially(batch, scratch, visit);
        } else {
            // Moves to a thread of the pool, if the current one is not part of it.
            rayon::scope(|_| self.count_in_parallel(batch, scratch, visit));
        }
    }

    /// Counts all families on the current thread, group by group.
    fn count_serially(&self, batch: &Batch, scratch: &mut Scratch, visit: Visit<'_>) {
        let Scratch { plans, masks, family } = scratch;
        for group in batch.groups() {
            let plans = &plans[group.members.clone()];
            let shared = self.share(group, plans, Parallelism::Serial, masks);
            for (index, plan) in group.members.clone().zip(plans) {
                self.count(&group.base, plan, &shared, family);
                visit(index, &family.counts);
            }
            shared.give_back(masks);
        }
    }

    /// Counts all families on all threads of the pool, of which the current one is part.
    fn count_in_parallel(&self, batch: &Batch, scratch: &mut Scratch, visit: Visit<'_>) {
        let Scratch { plans, masks, .. } = scratch;
        let (groups, plans) = (batch.groups(), &*plans);
        let share = |group: &BatchGroup, parallelism, masks: &mut Vec<Masks>| {
            self.share(group, &plans[group.members.clone()], parallelism, masks)
        };
        let count = |index: usize, shared: &Shared<'_>, scratch: &mut count_family::Scratch| {
            let plan = &plans[index];
            self.count(&groups[plan.group].base, plan, shared, scratch);
            visit(index, &scratch.counts);
        };
        // As many groups at a time as fit into the spare memory.
        let most = spare_bytes(self.data);
        let size = |group: &BatchGroup| self.shared_bytes(group, &plans[group.members.clone()]);
        let mut next = 0;
        while next < groups.len() {
            let together = next..next + how_many_fit(groups[next..].iter().map(size), most);
            let mut shared: Vec<Shared<'_>> = match &groups[together.clone()] {
                [group] => vec![share(group, Parallelism::Parallel, masks)],
                groups => groups
                    .par_iter()
                    .map(|group| share(group, Parallelism::Serial, &mut Vec::new()))
                    .collect(),
            };
            let families = groups[next].members.start..groups[together.end - 1].members.end;
            let untaken = AtomicUsize::new(families.start);
            let threads = rayon::current_num_threads().min(families.len());
            let part = |first: usize| ((families.end - first) / (threads * PARTS)).max(1);
            let taken = |first: usize| (first < families.end).then(|| first + part(first));
            let work = || {
                let mut scratch = self.scratch.take();
                while let Ok(first) = untaken.fetch_update(Ordering::Relaxed, Ordering::Relaxed, taken) {
                    for index in first..first + part(first) {
                        count(index, &shared[plans[index].group - next], &mut scratch.family);
                    }
                }
                self.give_back(scratch);
            };
            rayon::scope(|scope| {
                (1..threads).for_each(|_| scope.spawn(|_| work()));
                work();
            });
            if let (1, Some(shared)) = (together.len(), shared.pop()) {
                shared.give_back(masks);
            }
            next = together.end;
        }
    }
}

/// How many of the first sizes add up to at most `most`; at least one.
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
    fn as_many_groups_as_fit_into_memory_are_counted_together() {
        let of = |sizes: &[usize]| how_many_fit(sizes.iter().copied(), 10);
        assert_eq!(of(&[4, 6, 1]), 2);
        assert_eq!(of(&[4, 7]), 1);
        assert_eq!(of(&[11, 0]), 1);
        assert_eq!(of(&[0, 0, 0]), 3);
    }
}
