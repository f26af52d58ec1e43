//! A hash of encoded data, which identifies the data of a result.

use sha2::{Digest, Sha256};

use super::{Column, DataSetId, RelatedData};

impl RelatedData {
    /// `sha256:…` over the encoded data: variables, states, data sets, rows in order, weights, missing
    /// cells.
    ///
    /// The same rows give the same fingerprint whether they come from CSV, a compressed file, or memory.
    /// Codes are hashed in the narrowest of 1, 2 or 4 little-endian bytes that holds the variable's states.
    ///
    /// Complexity: one pass over the codes.
    pub fn fingerprint(&self) -> String {
        let mut hash = Sha256::new();
        hash.update(b"kinfolk data 1\n");
        let mut text = |part: &str| {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part.as_bytes());
        };
        for variable in self.schema().variables() {
            text(&variable.name);
            variable.states.iter().for_each(|state| text(state));
            text("");
        }
        for (index, name) in self.schema().data_sets().iter().enumerate() {
            text(name);
            text(&self.rows_of(DataSetId::new(index)).len().to_string());
        }
        for (id, variable) in self.schema().ids().zip(self.schema().variables()) {
            hash_codes(&mut hash, self.column(id), variable.states.len());
        }
        for weight in self.weights().into_iter().flatten() {
            hash.update(weight.to_le_bytes());
        }
        // Complete data have no masks, and their fingerprint does not depend on how missing values are treated.
        for (id, mask) in self.schema().ids().filter_map(|id| Some((id, self.mask(id)?))) {
            hash.update(b"missing");
            hash.update(id.0.to_le_bytes());
            mask.words().iter().for_each(|word| hash.update(word.to_le_bytes()));
        }
        hash.finalize().iter().fold("sha256:".to_owned(), |text, byte| text + &format!("{byte:02x}"))
    }
}

impl RelatedData {
    /// A hash of the variables and of the rows of one data set, whatever its name and the order of its rows. A row of weight w counts as
    /// w rows.
    pub fn data_set_fingerprint(&self, id: DataSetId) -> String {
        // The sum of the rows' hashes does not depend on their order; two of them make collisions by chance improbable.
        let mut sums = [0_u64; 2];
        for row in self.rows_of(id) {
            for (seed, sum) in sums.iter_mut().enumerate() {
                let mixed = self.schema().ids().fold(seed as u64, |hash, variable| {
                    let missing = self.is_missing(variable, row);
                    mix(hash ^ if missing { 0 } else { u64::from(self.column(variable).get(row)) + 1 })
                });
                *sum = sum.wrapping_add(mixed.wrapping_mul(self.weight(row)));
            }
        }
        let mut hash = Sha256::new();
        hash.update(b"kinfolk data set 1\n");
        for variable in self.schema().variables() {
            for part in std::iter::once(&variable.name).chain(&variable.states) {
                hash.update((part.len() as u64).to_le_bytes());
                hash.update(part.as_bytes());
            }
        }
        hash.update(self.rows(id).to_le_bytes());
        sums.iter().for_each(|sum| hash.update(sum.to_le_bytes()));
        hash.finalize().iter().fold("sha256:".to_owned(), |text, byte| text + &format!("{byte:02x}"))
    }
}

/// Mixes the bits of a number: the last step of SplitMix64 (Steele, Lea and Flood, 2014).
fn mix(number: u64) -> u64 {
    let number = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

#[expect(clippy::cast_possible_truncation, reason = "codes are below the number of states")]
fn hash_codes(hash: &mut Sha256, column: &Column, states: usize) {
    match (column, states) {
        (Column::U8(codes), 0..=0x100) => hash.update(codes),
        (_, 0..=0x100) => column.iter().for_each(|code| hash.update([code as u8])),
        (_, 0x101..=0x1_0000) => column.iter().for_each(|code| hash.update((code as u16).to_le_bytes())),
        _ => column.iter().for_each(|code| hash.update(code.to_le_bytes())),
    }
}
