//! Words of bitmaps that begin where a line of the cache does, so that no wide register is filled from two lines.

use std::ops::{Deref, DerefMut};

/// The bytes of a line.
const LINE: usize = 64;

/// As many words more make sure that one of the first begins a line.
const SPARE: usize = LINE / size_of::<u64>() - 1;

/// Some words, the first of which begins a line.
#[derive(Debug, Default)]
pub(super) struct Words {
    memory: Vec<u64>,
    start: usize,
    len: usize,
}

impl Words {
    /// So many zeros.
    pub(super) fn zeros(len: usize) -> Self {
        let mut words = Self { memory: vec![0; len + SPARE], start: 0, len };
        words.align();
        words
    }

    /// Makes them so many, whatever is in them.
    pub(super) fn resize(&mut self, len: usize) {
        self.memory.resize(len + SPARE, 0);
        self.len = len;
        self.align();
    }

    /// How many words of memory there are.
    pub(super) fn capacity(&self) -> usize {
        self.memory.capacity()
    }

    /// Begins a line; it matters to nothing but time.
    fn align(&mut self) {
        self.start = self.memory.as_ptr().align_offset(LINE).min(SPARE);
    }
}

impl Deref for Words {
    type Target = [u64];

    fn deref(&self) -> &[u64] {
        &self.memory[self.start..self.start + self.len]
    }
}

impl DerefMut for Words {
    fn deref_mut(&mut self) -> &mut [u64] {
        &mut self.memory[self.start..self.start + self.len]
    }
}

#[cfg(test)]
impl FromIterator<u64> for Words {
    fn from_iter<I: IntoIterator<Item = u64>>(words: I) -> Self {
        let listed: Vec<u64> = words.into_iter().collect();
        let mut words = Self::zeros(listed.len());
        words.copy_from_slice(&listed);
        words
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_begin_a_line_however_many_they_are() {
        let mut words = Words::default();
        assert!(words.is_empty());
        for len in [0, 1, 7, 8, 1000, 3, 100_000] {
            let zeros = Words::zeros(len);
            assert!(zeros.len() == len && zeros.iter().all(|&word| word == 0));
            words.resize(len);
            words.fill(5);
            for words in [&zeros, &words] {
                assert_eq!((words.len(), words.as_ptr().align_offset(LINE)), (len, 0));
            }
        }
    }
}
