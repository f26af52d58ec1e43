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
    /// The bits of a score or of what it is at most, in pieces of which each has as many as all before it and [`FIRST`] more. Memory of a new piece need
    /// not be touched before something is kept there, so that this is shared by all threads, too: it takes longer than to write.
    bits: Vec<Box<[AtomicU64]>>,
}

/// How many slots the first piece has.
const FIRST: usize = 1 << 10;

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

    /// Forgets all of them, but keeps their memory.
    pub(super) fn clear(&mut self) {
        self.kinds.clear();
    }

    /// Adds empty ones until there are so many.
    pub(super) fn grow(&mut self, length: usize) {
        self.kinds.resize_with(length, || AtomicU8::new(EMPTY));
        while length > (FIRST << self.bits.len()) - FIRST {
            // Zeros come with the memory, and the compiler sees that to take them for these writes nothing, if it is told to look closely.
            self.bits.push(vec![0; FIRST << self.bits.len()].into_iter().map(AtomicU64::new).collect());
        }
    }

    fn bits(&self, place: usize) -> &AtomicU64 {
        let (piece, within) = piece(place);
        &self.bits[piece][within]
    }

    /// What is kept at a place.
    pub(super) fn get(&self, place: usize) -> Slot {
        let total = || f64::from_bits(self.bits(place).load(Ordering::Relaxed));
        match self.kinds[place].load(Ordering::Relaxed) {
            EMPTY => Slot::Empty,
            ASKED => Slot::Asked,
            AT_MOST => Slot::AtMost(total()),
            kind => Slot::Scored(Known { total: total(), converged: kind == SCORED }),
        }
    }

    /// Keeps something at a place, instead of what was there.
    pub(super) fn set(&self, place: usize, slot: Slot) {
        let kind = match slot {
            Slot::Empty => EMPTY,
            Slot::Asked => ASKED,
            Slot::AtMost(total) => {
                self.bits(place).store(total.to_bits(), Ordering::Relaxed);
                AT_MOST
            }
            Slot::Scored(Known { total, converged }) => {
                self.bits(place).store(total.to_bits(), Ordering::Relaxed);
                if converged { SCORED } else { NOT_CONVERGED }
            }
        };
        self.kinds[place].store(kind, Ordering::Relaxed);
    }
}

/// The piece in which a place is, and which of its places that is.
fn piece(place: usize) -> (usize, usize) {
    let number = place + FIRST;
    let piece = number.ilog2() - FIRST.ilog2();
    (piece as usize, number - (FIRST << piece))
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

    #[test]
    fn every_place_has_a_slot_of_its_own_in_all_pieces() {
        let mut slots = Slots::default();
        let length = 5 * FIRST;
        // Up to the last of a piece, and one more.
        for length in [1, FIRST, FIRST + 1, 3 * FIRST, length] {
            slots.grow(length);
        }
        #[expect(clippy::cast_precision_loss, reason = "they are small")]
        let slot = |place: usize| Slot::AtMost(place as f64);
        (0..length).for_each(|place| slots.set(place, slot(place)));
        assert!((0..length).all(|place| slots.get(place) == slot(place)));
        assert_eq!((slots.len(), slots.bits.len()), (length, 3));
        slots.clear();
        slots.grow(2);
        assert_eq!(slots.get(1), Slot::Empty);
    }
}
