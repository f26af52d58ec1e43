//! Dictionary encoding of cells: one dictionary of texts per column, shared by all files, and one code per
//! cell.

use std::ops::Range;

use csv::ByteRecord;
use rustc_hash::{FxHashMap, FxHashSet};

use super::Column;
use super::coded::{CodedColumn, CodedTable};
use super::error::DataError;
use super::table::{Resumed, TextTable};

/// The code of a byte that has not occurred.
const NO_CODE: u32 = u32::MAX;

/// One column over all files, concatenated.
#[derive(Debug, Clone)]
pub(super) struct RawColumn {
    pub(super) name: String,
    /// The text of each code in order of first appearance, trimmed.
    pub(super) dictionary: Vec<String>,
    pub(super) codes: Column,
    /// The union of the states declared by dictionary-encoded tables, in table order; empty if none declares
    /// any.
    pub(super) categories: Vec<String>,
}

/// The origin of the concatenated rows.
#[derive(Debug, Clone, Default)]
pub(super) struct Files(Vec<RawFile>);

#[derive(Debug, Clone)]
struct RawFile {
    name: String,
    rows: Range<usize>,
    /// Runs of rows on consecutive lines: the first row and its line.
    runs: Vec<(usize, u64)>,
}

impl Files {
    /// The range of rows of each file.
    pub(super) fn ranges(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        self.0.iter().map(|file| file.rows.clone())
    }

    /// The file of a row, and the row's number in it.
    pub(super) fn locate(&self, row: usize) -> (String, u64) {
        let file = &self.0[self.0.partition_point(|file| file.rows.end <= row)];
        let (first, line) = file.runs[file.runs.partition_point(|&(first, _)| first <= row) - 1];
        (file.name.clone(), line + (row - first) as u64)
    }
}

/// A column while it is being read.
struct Reader {
    codes: Column,
    by_text: FxHashMap<Box<[u8]>, u32>,
    /// The codes of single-byte cells, the most common case in categorical data.
    by_byte: Box<[u32; 256]>,
    categories: Vec<String>,
}

impl Reader {
    fn new() -> Self {
        Self {
            codes: Column::default(),
            by_text: FxHashMap::default(),
            by_byte: Box::new([NO_CODE; 256]),
            categories: Vec::new(),
        }
    }

    /// Appends a cell; returns false if it is not UTF-8.
    #[inline]
    fn push(&mut self, cell: &[u8]) -> bool {
        if let &[byte] = cell {
            let code = self.by_byte[usize::from(byte)];
            if code != NO_CODE {
                self.codes.push(code);
                return true;
            }
        }
        self.push_text(cell.trim_ascii())
    }

    fn push_text(&mut self, text: &[u8]) -> bool {
        let code = match self.by_text.get(text) {
            Some(&code) => code,
            None if std::str::from_utf8(text).is_err() => return false,
            None => self.new_code(text),
        };
        self.codes.push(code);
        true
    }

    /// Assigns a code to a new text.
    fn new_code(&mut self, text: &[u8]) -> u32 {
        let code = u32::try_from(self.by_text.len()).ok().filter(|&code| code != NO_CODE);
        let code = code.expect("2^32 distinct texts do not fit in memory");
        self.by_text.insert(text.into(), code);
        if let &[byte] = text {
            self.by_byte[usize::from(byte)] = code;
        }
        code
    }

    /// Appends a dictionary-encoded column; texts that occur in no row get no code.
    fn append(&mut self, column: CodedColumn) {
        let mut new_code = vec![NO_CODE; column.texts.len() + 1];
        let mut distinct = column.codes.distinct(column.texts.len());
        if column.is_categorical {
            // Declared order gives later tables the same codes, so their rows need no recoding.
            distinct.sort_unstable();
            self.declare(&column.texts);
        }
        for code in distinct {
            let text = column.texts.get(code).map_or("", |text| text.trim_ascii());
            let known = self.by_text.get(text.as_bytes()).copied();
            new_code[code] = known.unwrap_or_else(|| self.new_code(text.as_bytes()));
        }
        let is_same = new_code.iter().zip(0..).all(|(&new, old)| new == old || new == NO_CODE)
            && column.codes.max().is_none_or(|code| code as usize <= column.texts.len());
        if is_same && self.codes.is_empty() {
            // The first table's codes are used unchanged.
            self.codes = column.codes;
            return;
        }
        // The common case of few texts: one branch-free loop.
        if let (Column::U8(to), Column::U8(from)) = (&mut self.codes, &column.codes)
            && let Some(narrow) = narrow(&new_code)
        {
            if is_same {
                to.extend_from_slice(from);
            } else {
                to.extend(from.iter().map(|&code| narrow[usize::from(code)]));
            }
            return;
        }
        for code in column.codes.iter() {
            self.codes.push(new_code[(code as usize).min(column.texts.len())]);
        }
    }

    /// Records the states that a table declares. Duplicates within one table are kept and refused later.
    fn declare(&mut self, texts: &[String]) {
        let known: FxHashSet<&str> = self.categories.iter().map(String::as_str).collect();
        let texts = texts.iter().map(|text| text.trim_ascii());
        let new: Vec<String> = texts.filter(|text| !known.contains(text)).map(str::to_owned).collect();
        self.categories.extend(new);
    }

    fn finish(self, name: String) -> RawColumn {
        let mut dictionary = vec![String::new(); self.by_text.len()];
        #[expect(clippy::iter_over_hash_type, reason = "every text goes to the place of its own code")]
        for (text, code) in self.by_text {
            dictionary[code as usize] =
                String::from_utf8(text.into_vec()).expect("checked when it was first read");
        }
        let mut codes = self.codes;
        codes.shrink_to_fit();
        RawColumn { name, dictionary, codes, categories: self.categories }
    }
}

/// The new code of every byte, the last entry for all codes not listed; `None` if a code does not fit in a
/// byte.
fn narrow(new_code: &[u32]) -> Option<[u8; 256]> {
    let other = *new_code.last()?;
    let mut narrow = [0; 256];
    for (code, place) in narrow.iter_mut().enumerate() {
        // A code that occurs in no row stays 0 and is never read.
        match *new_code.get(code).unwrap_or(&other) {
            NO_CODE => {}
            new => *place = u8::try_from(new).ok()?,
        }
    }
    Some(narrow)
}

/// Columns read from successive tables.
pub(super) struct Stack {
    names: Vec<String>,
    readers: Vec<Reader>,
    files: Files,
    rows: usize,
}

impl Stack {
    /// Empty columns with these names.
    pub(super) fn new(names: Vec<String>) -> Self {
        let readers = names.iter().map(|_| Reader::new()).collect();
        Self { names, readers, files: Files::default(), rows: 0 }
    }

    /// Appends the rows of a table; `positions` gives each column's position in it. A column that the table lacks
    /// has empty cells.
    /// `tolerate` decides whether reading goes on after an error.
    pub(super) fn append(
        &mut self,
        table: Resumed,
        positions: &[Option<usize>],
        tolerate: &mut dyn FnMut(DataError) -> Result<(), DataError>,
    ) -> Result<(), DataError> {
        match table {
            Resumed::Text(table) => self.append_text(*table, positions, tolerate),
            Resumed::Coded(table) => {
                self.append_coded(table, positions);
                Ok(())
            }
        }
    }

    fn append_text(
        &mut self,
        mut table: TextTable,
        positions: &[Option<usize>],
        tolerate: &mut dyn FnMut(DataError) -> Result<(), DataError>,
    ) -> Result<(), DataError> {
        let start = self.rows;
        let mut runs: Vec<(usize, u64)> = Vec::new();
        let mut next_line = 0;
        let mut record = ByteRecord::new();
        // After a tolerated error, further ones of its kind in the same file are not reported.
        let (mut ragged, mut not_utf8) = (false, false);
        loop {
            let line = match table.next(&mut record) {
                Ok(Some(line)) => line,
                Ok(None) => break,
                Err(error @ DataError::Ragged { .. }) => {
                    if !std::mem::replace(&mut ragged, true) {
                        tolerate(error)?;
                    }
                    continue;
                }
                Err(error) => {
                    tolerate(error)?;
                    break;
                }
            };
            for (index, (reader, &position)) in self.readers.iter_mut().zip(positions).enumerate() {
                let cell = position.map_or(&b""[..], |position| &record[position]);
                if !reader.push(cell) {
                    let (file, column) = (table.header.file.clone(), Some(self.names[index].clone()));
                    if !std::mem::replace(&mut not_utf8, true) {
                        tolerate(DataError::NotUtf8 { file, row: line, column })?;
                    }
                    reader.push(String::from_utf8_lossy(cell).as_bytes());
                }
            }
            if line != next_line {
                runs.push((self.rows, line));
            }
            next_line = line + 1;
            self.rows += 1;
        }
        self.files.0.push(RawFile { name: table.header.file, rows: start..self.rows, runs });
        Ok(())
    }

    fn append_coded(&mut self, table: CodedTable, positions: &[Option<usize>]) {
        let start = self.rows;
        self.rows += table.rows();
        let (name, rows) = (table.name().to_owned(), table.rows());
        let mut columns: Vec<Option<CodedColumn>> = table.into_columns().into_iter().map(Some).collect();
        for (index, reader) in self.readers.iter_mut().enumerate() {
            // A column may be requested twice: as a variable and as the group.
            let Some(position) = positions[index] else {
                reader.append(CodedColumn {
                    name: self.names[index].clone(),
                    texts: Vec::new(),
                    codes: Column::U8(vec![0; rows]),
                    is_categorical: false,
                });
                continue;
            };
            let again = positions[index + 1..].contains(&Some(position));
            let column = if again { columns[position].clone() } else { columns[position].take() };
            reader.append(column.expect("a column is taken where it is asked for the last time"));
        }
        self.files.0.push(RawFile { name, rows: start..self.rows, runs: vec![(start, 0)] });
    }

    /// The columns, and the origin of their rows.
    pub(super) fn finish(self) -> (Vec<RawColumn>, Files) {
        let columns =
            self.readers.into_iter().zip(self.names).map(|(reader, name)| reader.finish(name)).collect();
        (columns, self.files)
    }
}
