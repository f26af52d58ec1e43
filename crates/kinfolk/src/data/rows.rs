//! Assigns rows to data sets, with their multiplicities and storage order, and draws one row of every subject.

use rustc_hash::FxHashMap;
use sha2::{Digest, Sha256};

use super::error::DataError;
use super::levels::{number, state_code, union};
use super::missing::MissingTest;
use super::options::Missing;
use super::raw::{Files, RawColumn};
use crate::remedy::Setting;

/// The largest total weight: 2^53, up to which counts are exact as floats.
const MAX_WEIGHT: u64 = 1 << 53;

/// The rows of all files, concatenated.
#[derive(Debug, Clone)]
pub(super) struct Rows {
    /// The names of the data sets.
    pub(super) data_sets: Vec<String>,
    data_set_of: Vec<u32>,
    /// The multiplicity of each row, if there is a weight column.
    weights: Option<Vec<u64>>,
    /// Whether each row is dropped because of a missing value; empty if none is.
    dropped: Vec<bool>,
    /// Whether each row is dropped because its data set is missing; empty if none is.
    without_group: Vec<bool>,
}

impl Rows {
    /// One data set per file, with the given names.
    pub(super) fn by_file(names: Vec<String>, files: &Files) -> Self {
        let mut data_set_of = Vec::new();
        for (index, range) in files.ranges().enumerate() {
            data_set_of.resize(range.end, state_code(index));
        }
        Self { data_sets: names, data_set_of, weights: None, dropped: Vec::new(), without_group: Vec::new() }
    }

    /// One data set per value of a column, in natural order. Rows without a value are refused or dropped.
    pub(super) fn by_group(
        group: &RawColumn,
        files: &Files,
        missing: &MissingTest<'_>,
        treatment: Missing,
    ) -> Result<Self, DataError> {
        if treatment != Missing::DropRows {
            refuse_missing(Setting::Group, group, files, missing)?;
        }
        let is_missing = missing.codes(group);
        let known: Vec<bool> = is_missing.iter().map(|missing| !missing).collect();
        let levels = union(&group.dictionary, &known);
        if levels.states.is_empty() {
            return Err(DataError::NoGroup { column: group.name.clone() });
        }
        let mut without_group = Vec::new();
        if is_missing.contains(&true) {
            without_group = group.codes.iter().map(|code| is_missing[code as usize]).collect();
        }
        let data_set_of = group.codes.iter().map(|code| levels.of_code[code as usize].unwrap_or(0)).collect();
        Ok(Self { data_sets: levels.states, data_set_of, weights: None, dropped: Vec::new(), without_group })
    }

    /// Reads the rows' multiplicities from a column.
    pub(super) fn weigh(
        &mut self,
        column: &RawColumn,
        files: &Files,
        missing: &MissingTest<'_>,
    ) -> Result<(), DataError> {
        refuse_missing(Setting::Weight, column, files, missing)?;
        let of_code: Vec<Option<u64>> = column.dictionary.iter().map(|text| parse_weight(text)).collect();
        let mut weights = Vec::with_capacity(self.len());
        let mut total: u64 = 0;
        for (row, code) in column.codes.iter().enumerate() {
            let Some(weight) = of_code[code as usize] else {
                let (file, row) = files.locate(row);
                let value = column.dictionary[code as usize].clone();
                return Err(DataError::Weight { file, row, column: column.name.clone(), value });
            };
            total += weight;
            if total > MAX_WEIGHT {
                return Err(DataError::TotalWeight { column: column.name.clone() });
            }
            weights.push(weight);
        }
        self.weights = Some(weights);
        Ok(())
    }

    /// Drops rows; `incomplete` is empty or has one entry per row.
    pub(super) fn drop_rows(&mut self, incomplete: Vec<bool>) {
        self.dropped = incomplete;
    }

    /// Drops the rows whose code in a column is missing, besides those already dropped.
    pub(super) fn drop_without(&mut self, missing: &[bool], column: &RawColumn) {
        if missing.contains(&true) {
            self.dropped.resize(self.len(), false);
            for (dropped, code) in self.dropped.iter_mut().zip(column.codes.iter()) {
                *dropped |= missing[code as usize];
            }
        }
    }

    /// Keeps one row of every subject of a data set, chosen at random among those that are not dropped; the others get
    /// weight 0, so that they still declare their states. A subject of two data sets counts once in each.
    ///
    /// The choice depends on the seed, the data set, the subject and the order of the subject's rows, and on nothing
    /// else: other subjects and the chosen columns do not change it.
    pub(super) fn draw_one_per_subject(&mut self, id: &RawColumn, seed: u64) -> Drawn {
        // Numbers of equal value are one subject.
        let subjects = union(&id.dictionary, &vec![true; id.dictionary.len()]);
        let mut rows_of: FxHashMap<(u32, u32), Vec<usize>> = FxHashMap::default();
        for (row, code) in id.codes.iter().enumerate().filter(|&(row, _)| !self.is_dropped(row)) {
            let subject = subjects.of_code[code as usize].expect("every text is a subject");
            rows_of.entry((self.data_set_of[row], subject)).or_default().push(row);
        }
        let mut weights = vec![0; self.len()];
        let mut drawn = Drawn { subjects: rows_of.len() as u64, ..Drawn::default() };
        let mut data_sets_of: FxHashMap<u32, u64> = FxHashMap::default();
        #[expect(
            clippy::iter_over_hash_type,
            reason = "every subject is drawn for itself, and sums have no order"
        )]
        for ((data_set, subject), rows) in rows_of {
            let mut hash = Sha256::new();
            hash.update(seed.to_le_bytes());
            for text in [&self.data_sets[data_set as usize], &subjects.states[subject as usize]] {
                hash.update((text.len() as u64).to_le_bytes());
                hash.update(text.as_bytes());
            }
            let bytes = hash.finalize();
            let number = bytes[..8].iter().fold(0_u64, |number, &byte| number << 8 | u64::from(byte));
            let chosen = number % rows.len() as u64;
            let chosen = usize::try_from(chosen).expect("it is less than the number of rows");
            weights[rows[chosen]] = 1;
            drawn.rows += rows.len() as u64;
            *data_sets_of.entry(subject).or_default() += 1;
        }
        drawn.in_several = data_sets_of.values().filter(|&&data_sets| data_sets > 1).count() as u64;
        self.weights = Some(weights);
        drawn
    }

    /// The number of rows, including those not counted.
    pub(super) fn len(&self) -> usize {
        self.data_set_of.len()
    }

    /// The data set of a row.
    pub(super) fn data_set(&self, row: usize) -> usize {
        self.data_set_of[row] as usize
    }

    /// The multiplicity of a row, ignoring whether it is dropped.
    pub(super) fn weight(&self, row: usize) -> u64 {
        self.weights.as_ref().map_or(1, |weights| weights[row])
    }

    /// Whether any row is dropped.
    pub(super) fn any_dropped(&self) -> bool {
        !self.dropped.is_empty() || !self.without_group.is_empty()
    }

    /// Whether a row is dropped. A row of weight zero never is: it declares its states.
    pub(super) fn is_dropped(&self, row: usize) -> bool {
        let says = |drop: &[bool]| drop.get(row).copied().unwrap_or(false);
        self.any_dropped() && (says(&self.dropped) || says(&self.without_group))
    }

    /// The number of rows dropped because their data set is missing, counted with multiplicity.
    pub(super) fn without_group(&self) -> u64 {
        let rows = (0..self.without_group.len()).filter(|&row| self.without_group[row]);
        rows.map(|row| self.weight(row)).sum()
    }

    /// The number of dropped rows by data set, counted with multiplicity.
    pub(super) fn dropped_by_data_set(&self) -> Vec<u64> {
        let mut counts = vec![0; self.data_sets.len()];
        for row in (0..self.dropped.len()).filter(|&row| self.dropped[row]) {
            counts[self.data_set(row)] += self.weight(row);
        }
        counts
    }

    /// The number of rows by data set, counted with multiplicity, including dropped ones of known data sets.
    pub(super) fn rows_by_data_set(&self) -> Vec<u64> {
        let mut counts = vec![0; self.data_sets.len()];
        for row in (0..self.len()).filter(|&row| !self.without_group.get(row).copied().unwrap_or(false)) {
            counts[self.data_set(row)] += self.weight(row);
        }
        counts
    }

    /// The counted rows, grouped by data set.
    pub(super) fn order(&self) -> RowOrder {
        let counts = |row: usize| self.weight(row) > 0 && !self.is_dropped(row);
        let mut starts = vec![0; self.data_sets.len() + 1];
        for row in (0..self.len()).filter(|&row| counts(row)) {
            starts[self.data_set(row) + 1] += 1;
        }
        for data_set in 0..self.data_sets.len() {
            starts[data_set + 1] += starts[data_set];
        }
        let mut next = starts.clone();
        let mut rows = vec![0; starts[self.data_sets.len()]];
        for row in (0..self.len()).filter(|&row| counts(row)) {
            let place = &mut next[self.data_set(row)];
            rows[*place] = row;
            *place += 1;
        }
        let weights: Vec<u64> = match &self.weights {
            None => Vec::new(),
            Some(weights) => rows.iter().map(|&row| weights[row]).collect(),
        };
        let weights = weights.iter().any(|&weight| weight != 1).then_some(weights);
        let is_as_read = rows.len() == self.len() && rows.is_sorted();
        RowOrder { rows, is_as_read, starts, weights }
    }
}

/// What was drawn of the rows of all subjects.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Drawn {
    /// The rows drawn from.
    pub(super) rows: u64,
    /// The subjects; one of two data sets counts twice.
    pub(super) subjects: u64,
    /// The subjects of more than one data set.
    pub(super) in_several: u64,
}

/// The counted rows, in storage order.
#[derive(Debug)]
pub(super) struct RowOrder {
    /// Their positions among all rows.
    pub(super) rows: Vec<usize>,
    /// Whether all rows are counted and stored in file order.
    pub(super) is_as_read: bool,
    /// The first position of each data set, then the number of rows.
    pub(super) starts: Vec<usize>,
    /// Their multiplicities, if not all are one.
    pub(super) weights: Option<Vec<u64>>,
}

/// Parses a nonnegative integer, spelt `3` or `3.0`.
fn parse_weight(text: &str) -> Option<u64> {
    let value = if let Ok(value) = text.parse::<u64>() {
        value
    } else {
        let value = number(text)?;
        if value.fract() != 0.0 || !(0.0..=MAX_WEIGHT as f64).contains(&value) {
            return None;
        }
        format!("{value}").parse().ok()?
    };
    (value <= MAX_WEIGHT).then_some(value)
}

/// Refuses a column with a missing cell and reports the first one.
pub(super) fn refuse_missing(
    setting: Setting,
    column: &RawColumn,
    files: &Files,
    missing: &MissingTest<'_>,
) -> Result<(), DataError> {
    let codes = missing.codes(column);
    let Some(row) = column.codes.iter().position(|code| codes[code as usize]) else { return Ok(()) };
    let value = column.dictionary[column.codes.get(row) as usize].clone();
    let (file, row) = files.locate(row);
    Err(DataError::RoleMissing { setting, file, row, column: column.name.clone(), value })
}
