//! The results file of a study: rows are appended as replicates finish, and a later run continues it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, Write};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use kinfolk::files::{self, LockError};
use serde::Serialize;
use serde::de::DeserializeOwned;
use thiserror::Error;

use crate::rows::ReplicateRow;

/// A row of a results file, which belongs to a replicate of a study.
pub trait Record: Serialize + DeserializeOwned + Default {
    /// The study.
    fn study(&self) -> &str;
    /// The seed of the study.
    fn seed(&self) -> u64;
    /// The number of the replicate.
    fn replicate(&self) -> u64;
}

impl Record for ReplicateRow {
    fn study(&self) -> &str {
        &self.study
    }

    fn seed(&self) -> u64 {
        self.seed
    }

    fn replicate(&self) -> u64 {
        self.replicate
    }
}

/// Why results cannot be read or written.
#[derive(Debug, Error)]
pub enum StoreError {
    /// An I/O error.
    #[error("{file}: {reason}")]
    File {
        /// The file.
        file: PathBuf,
        /// The error of the operating system.
        reason: io::Error,
    },
    /// A line is not a row of results.
    #[error("{file}: {reason}; this is not a results file of this version of kinfolk; give another folder")]
    Row {
        /// The file.
        file: PathBuf,
        /// The parse error.
        reason: csv::Error,
    },
    /// Another run writes to the folder.
    #[error("{folder}: {reason}; wait until the other run ends, or give another folder")]
    Lock {
        /// The folder.
        folder: PathBuf,
        /// Why it cannot be locked.
        reason: LockError,
    },
    /// The file holds something else.
    #[error("{file} holds other results or something else, and would be overwritten; give another folder")]
    Foreign {
        /// The file.
        file: PathBuf,
    },
    /// The results come from other settings.
    #[error(
        "{file} holds results of study {study} with seed {seed}, not the requested ones; give another folder, or the same study and seed"
    )]
    Other {
        /// The file.
        file: PathBuf,
        /// The study of these results.
        study: String,
        /// The seed of these results.
        seed: u64,
    },
}

/// The lock of a study's folder: only one run at a time writes to it. The system releases it when the process ends.
#[derive(Debug)]
pub struct FolderLock(#[expect(dead_code, reason = "closing the file releases the lock")] File);

impl FolderLock {
    /// Locks a folder by a file in it, `.lock`, which is not deleted.
    pub fn take(folder: &Path) -> Result<Self, StoreError> {
        let path = folder.join(".lock");
        let failed = |reason| StoreError::File { file: path.clone(), reason };
        // `create_new` does not follow links, so that no link can redirect the file.
        let file = match OpenOptions::new().write(true).create_new(true).open(&path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                if !fs::symlink_metadata(&path).map_err(failed)?.is_file() {
                    return Err(StoreError::Foreign { file: path });
                }
                OpenOptions::new().write(true).open(&path)
            }
            created => created,
        };
        let file = file.map_err(failed)?;
        files::lock(&file).map_err(|reason| StoreError::Lock { folder: folder.to_owned(), reason })?;
        Ok(Self(file))
    }
}

/// A results file, open for appending. The caller holds the [`FolderLock`].
#[derive(Debug)]
pub struct Store<R = ReplicateRow> {
    path: PathBuf,
    file: File,
    done: BTreeSet<u64>,
    rows: PhantomData<R>,
}

impl<R: Record> Store<R> {
    /// Opens or creates the results of a study. An incomplete last line, and replicates with missing methods, are
    /// removed and run again; finished results are neither lost nor duplicated.
    pub fn open(
        path: &Path,
        study: &str,
        seed: u64,
        methods_of: impl Fn(u64) -> usize,
    ) -> Result<Self, StoreError> {
        let failed = |reason| StoreError::File { file: path.to_owned(), reason };
        let mut rows: Vec<R> = if path.exists() { read(path)? } else { Vec::new() };
        if let Some(other) = rows.iter().find(|row| row.study() != study || row.seed() != seed) {
            return Err(StoreError::Other {
                file: path.to_owned(),
                study: other.study().to_owned(),
                seed: other.seed(),
            });
        }
        let mut found: BTreeMap<u64, usize> = BTreeMap::new();
        for row in &rows {
            *found.entry(row.replicate()).or_default() += 1;
        }
        let done: BTreeSet<u64> = found
            .iter()
            .filter(|(replicate, methods)| **methods == methods_of(**replicate))
            .map(|(r, _)| *r)
            .collect();
        rows.retain(|row| done.contains(&row.replicate()));
        write_whole(path, &rows)?;
        let file = OpenOptions::new().append(true).open(path).map_err(failed)?;
        Ok(Self { path: path.to_owned(), file, done, rows: PhantomData })
    }

    /// The finished replicates.
    pub fn done(&self) -> &BTreeSet<u64> {
        &self.done
    }

    /// Appends the rows of one replicate in one write.
    pub fn append(&mut self, rows: &[R]) -> Result<(), StoreError> {
        let failed = |reason| StoreError::File { file: self.path.clone(), reason };
        let text =
            to_csv(rows, false).map_err(|reason| StoreError::Row { file: self.path.clone(), reason })?;
        self.file.write_all(&text).map_err(failed)?;
        self.done.extend(rows.iter().map(Record::replicate));
        Ok(())
    }

    /// Sorts the rows, so that the finished file does not depend on the order of completion.
    pub fn finish(self) -> Result<(), StoreError> {
        let mut rows: Vec<R> = read(&self.path)?;
        rows.sort_by_key(Record::replicate);
        write_whole(&self.path, &rows)
    }
}

/// Reads all complete rows; an incomplete last line is skipped.
pub fn read<T: DeserializeOwned>(path: &Path) -> Result<Vec<T>, StoreError> {
    let failed = |reason| StoreError::File { file: path.to_owned(), reason };
    let mut bytes = fs::read(path).map_err(failed)?;
    let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
    bytes.truncate(whole);
    let rows: Result<Vec<T>, csv::Error> = csv::Reader::from_reader(bytes.as_slice()).deserialize().collect();
    rows.map_err(|reason| StoreError::Row { file: path.to_owned(), reason })
}

fn to_csv<T: Serialize>(rows: &[T], header: bool) -> Result<Vec<u8>, csv::Error> {
    let mut writer = csv::WriterBuilder::new().has_headers(header).from_writer(Vec::new());
    for row in rows {
        writer.serialize(row)?;
    }
    writer.into_inner().map_err(|error| error.into_error().into())
}

/// Replaces a results file atomically.
pub fn write_whole<T: Serialize + Default>(path: &Path, rows: &[T]) -> Result<(), StoreError> {
    let text = if rows.is_empty() { header::<T>() } else { to_csv(rows, true) };
    write_file(path, text.map_err(|reason| StoreError::Row { file: path.to_owned(), reason })?)
}

/// Replaces any file of a study atomically.
pub fn write_file(path: &Path, content: impl AsRef<[u8]>) -> Result<(), StoreError> {
    files::replace(path, |out| out.write_all(content.as_ref()))
        .map_err(|reason| StoreError::File { file: path.to_owned(), reason })
}

/// Refuses a file with other columns, before it is overwritten.
pub fn check_columns<T: Serialize + Default>(path: &Path) -> Result<(), StoreError> {
    let failed = |reason| StoreError::File { file: path.to_owned(), reason };
    let file = match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        file => file.map_err(failed)?,
    };
    let expected = header::<T>().map_err(|reason| StoreError::Row { file: path.to_owned(), reason })?;
    let mut first = Vec::new();
    // Reads no more than expected: the file may be of any kind and size.
    let mut file = io::Read::take(BufReader::new(file), expected.len() as u64 + 1);
    file.read_until(b'\n', &mut first).map_err(failed)?;
    if first == expected { Ok(()) } else { Err(StoreError::Foreign { file: path.to_owned() }) }
}

/// The header line, for a file without rows.
fn header<T: Serialize + Default>() -> Result<Vec<u8>, csv::Error> {
    let text = to_csv(&[T::default()], true)?;
    Ok(text.split_inclusive(|&byte| byte == b'\n').next().unwrap_or_default().to_vec())
}
