//! Memory that is kept between two batches, so that a few families do not ask for it anew.

use std::sync::{Mutex, PoisonError};

use super::one::Scratch;
use crate::counts::masks::Masks;
use crate::counts::ways::Extension;

/// Families whose plan is kept room for: 64 kB. Where there are more, asking for memory takes little beside counting them.
const MOST_FAMILIES: usize = 1024;

/// Words of masks whose memory is kept, 128 kB: those of 8 configurations of 1e5 rows.
const MOST_WORDS: usize = 1 << 14;

/// Masks that are kept: those with a parent's state and those without it.
const MOST_MASKS: usize = 2;

/// What a thread needs for a batch of families.
#[derive(Debug, Default)]
pub(super) struct Room {
    /// What each family adds to its group.
    pub(super) extensions: Vec<Extension>,
    /// Masks of groups that were counted, to be overwritten.
    pub(super) masks: Vec<Masks>,
    pub(super) scratch: Scratch,
}

/// As many as were needed at the same time.
#[derive(Debug, Default)]
pub(super) struct Rooms(Mutex<Vec<Room>>);

impl Rooms {
    /// One that was used, if there is one.
    pub(super) fn take(&self) -> Room {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default()
    }

    /// Keeps what is not too large.
    pub(super) fn give_back(&self, mut room: Room) {
        if room.extensions.capacity() > MOST_FAMILIES {
            room.extensions = Vec::new();
        }
        room.masks.retain(|masks| masks.capacity() <= MOST_WORDS);
        room.masks.truncate(MOST_MASKS);
        if !room.scratch.is_small() {
            room.scratch = Scratch::default();
        }
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(room);
    }
}
