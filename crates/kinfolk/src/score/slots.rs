//! What is kept of each family, to be written by whichever thread works on it.

use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

use super::Known;

/// What is kept of a family.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Slot {
    /// Nothing.
    Empty,
    /// Nothing yet: it is being worked out.
    Asked,
    /// What its score is at most.
    AtMost(f64),
    /// Its score.
    Scored(Known),
}

/// Slots by the places of their families, 9 bytes each, as numbers that threads may write.
///
/// Each is written by one thread at a time, and read by others only after all threads have come together again: which write comes first
/// decides nothing.
#[derive(Debug, Default)]
pub(super) struct Slots {
    kinds: Vec<AtomicU8>,
    /// The bits of a score or of what it is at most.
    bits: Vec<AtomicU64>,
}

const EMPTY: u8 = 0;
const ASKED: u8 = 1;
const AT_MOST: u8 = 2;
const SCORED: u8 = 3;
const NOT_CONVERGED: u8 = 4;

impl Slots {
    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.kinds.len()
    }

    /// Forgets all of them.
    pub(super) fn clear(&mut self) {
        self.kinds.clear();
        self.bits.clear();
    }

    /// Adds empty ones until there are so many.
    pub(super) fn grow(&mut self, length: usize) {
        self.kinds.resize_with(length, || AtomicU8::new(EMPTY));
        self.bits.resize_with(length, || AtomicU64::new(0));
    }

    /// What is kept at a place.
    pub(super) fn get(&self, place: usize) -> Slot {
        let total = || f64::from_bits(self.bits[place].load(Ordering::Relaxed));
        match self.kinds[place].load(Ordering::Relaxed) {
            EMPTY => Slot::Empty,
            ASKED => Slot::Asked,
            AT_MOST => Slot::AtMost(total()),
            kind => Slot::Scored(Known { total: total(), converged: kind == SCORED }),
        }
    }

    /// Keeps something at a place, instead of what was there.
    pub(super) fn set(&self, place: usize, slot: Slot) {
        let (kind, total) = match slot {
            Slot::Empty => (EMPTY, 0.0),
            Slot::Asked => (ASKED, 0.0),
            Slot::AtMost(total) => (AT_MOST, total),
            Slot::Scored(Known { total, converged }) => {
                (if converged { SCORED } else { NOT_CONVERGED }, total)
            }
        };
        self.bits[place].store(total.to_bits(), Ordering::Relaxed);
        self.kinds[place].store(kind, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_comes_back_to_the_bit() {
        let mut slots = Slots::default();
        slots.grow(6);
        let all = [
            Slot::Asked,
            Slot::AtMost(f64::INFINITY),
            Slot::Scored(Known { total: -0.1, converged: true }),
            Slot::Scored(Known { total: -0.0, converged: false }),
            Slot::Empty,
        ];
        all.iter().enumerate().for_each(|(place, &slot)| slots.set(place, slot));
        slots.grow(7);
        let kept: Vec<Slot> = (0..7).map(|place| slots.get(place)).collect();
        assert_eq!(kept, [&all[..], &[Slot::Empty, Slot::Empty]].concat());
    }
}
