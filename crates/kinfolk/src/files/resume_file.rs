//! Resume files: one line of JSON per finished piece of work, append-only, locked against a second run.
//!
//! Opening a file does not change it. The first append truncates an incomplete last line, which a killed run
//! may leave. Complete lines are never rewritten, so neither a kill nor a full disk can lose them.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use thiserror::Error;

use super::LockError;

/// The version of the file format, stored in the first line.
const VERSION: u64 = 1;

/// A finished piece of work, one line of a resume file.
pub trait ResumeRecord: Serialize + DeserializeOwned {
    /// The key in the first line that identifies files of this kind.
    const KIND: &'static str;
    /// The noun for the whole work, as in "another bootstrap".
    const WORK: &'static str;
    /// The noun for one record, as in "is not a finished search".
    const PIECE: &'static str;
    /// The plural noun for records.
    const PIECES: &'static str;
    /// Settings that do not affect a record, besides the limits of the work and the names of files.
    const WITHOUT_EFFECT: &'static [&'static str];
}

/// Settings that do not affect any record: limits of the work, and names of files, whose content the fingerprint identifies.
const NEVER_RELEVANT: [&str; 3] = ["time_limit", "memory", "files"];

/// What the records depend on: the data, by their fingerprint, and the settings except those without effect.
fn origin<R: ResumeRecord>(settings: &Map<String, Value>, fingerprint: &str) -> Map<String, Value> {
    let mut origin = settings.clone();
    for key in NEVER_RELEVANT.iter().chain(R::WITHOUT_EFFECT) {
        origin.remove(*key);
    }
    origin.insert("data".to_owned(), json!(fingerprint));
    origin
}

/// Why a resume file cannot be read or written. Every message names the file.
#[derive(Debug, Error)]
pub enum ResumeError {
    /// An I/O error.
    #[error("{file}: {reason}")]
    System {
        /// The file.
        file: String,
        /// The error of the operating system.
        reason: io::Error,
    },
    /// Another run has locked the file.
    #[error("{file}: {reason}; wait until the other run ends, or name another file")]
    Lock {
        /// The file.
        file: String,
        /// Why the lock failed.
        reason: LockError,
    },
    /// The file is not a resume file.
    #[error("{file} does not hold {pieces} of a {work}; name another file, which will be created")]
    Foreign {
        /// The file.
        file: String,
        /// What the file should hold.
        pieces: &'static str,
        /// The work.
        work: &'static str,
    },
    /// The file belongs to other data or settings.
    #[error(
        "{file} belongs to another {work}: its {key} is {kept}, not {asked}; give the same options, or name another file"
    )]
    Origin {
        /// The file.
        file: String,
        /// The work.
        work: &'static str,
        /// The first setting that differs.
        key: String,
        /// Its value in the file, as JSON.
        kept: String,
        /// Its value in this run, as JSON.
        asked: String,
    },
    /// A line is not a finished piece of work.
    #[error("{file}, line {line} is not a {piece} ({reason}); remove the line")]
    Line {
        /// The file.
        file: String,
        /// The noun for one record.
        piece: &'static str,
        /// The line number, from 1.
        line: usize,
        /// The parse error.
        reason: serde_json::Error,
    },
}

/// A resume file, open for appending. The lock is held until the value is dropped.
#[derive(Debug)]
pub struct ResumeFile<R> {
    path: PathBuf,
    file: File,
    /// The total length of the complete lines, in bytes.
    end: u64,
    /// Whether an incomplete line may follow `end`.
    torn: bool,
    /// The first line, until it has been written.
    head: Option<String>,
    records: PhantomData<fn(R)>,
}

impl<R: ResumeRecord> ResumeFile<R> {
    /// Opens or creates a file and reads the finished work. A file of other data (told apart by `fingerprint`), of other
    /// settings that affect the work, or of another format is refused. An existing file is not changed.
    pub fn open(
        path: &Path,
        settings: &Map<String, Value>,
        fingerprint: &str,
    ) -> Result<(Self, Vec<R>), ResumeError> {
        let origin = &origin::<R>(settings, fingerprint);
        let file = || path.display().to_string();
        let foreign = || ResumeError::Foreign { file: file(), pieces: R::PIECES, work: R::WORK };
        let system = |reason| ResumeError::System { file: file(), reason };
        let mut open = OpenOptions::new().read(true).append(true).create(true).open(path).map_err(system)?;
        if !open.metadata().map_err(system)?.is_file() {
            return Err(foreign());
        }
        super::lock(&open).map_err(|reason| ResumeError::Lock { file: file(), reason })?;
        let mut bytes = Vec::new();
        open.read_to_end(&mut bytes).map_err(system)?;
        let end = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |last| last + 1);
        let (whole, torn) = bytes.split_at(end);
        let head = json!({ R::KIND: VERSION, "origin": origin }).to_string() + "\n";
        let mut lines = whole.split_inclusive(|&byte| byte == b'\n');
        let Some(first) = lines.next() else {
            // The only incomplete first line accepted is a prefix of this run's own.
            if !head.as_bytes().starts_with(torn) {
                return Err(foreign());
            }
            let torn = !torn.is_empty();
            return Ok((
                Self {
                    path: path.to_owned(),
                    file: open,
                    end: 0,
                    torn,
                    head: Some(head),
                    records: PhantomData,
                },
                Vec::new(),
            ));
        };
        check_origin::<R>(path, first, origin)?;
        let records: Vec<R> = lines
            .enumerate()
            .map(|(number, line)| {
                let wrong =
                    |reason| ResumeError::Line { file: file(), piece: R::PIECE, line: number + 2, reason };
                serde_json::from_slice(line).map_err(wrong)
            })
            .collect::<Result<_, _>>()?;
        let torn = !torn.is_empty();
        let file = Self {
            path: path.to_owned(),
            file: open,
            end: end as u64,
            torn,
            head: None,
            records: PhantomData,
        };
        Ok((file, records))
    }

    /// Appends a finished piece of work. On failure the file keeps its previous content.
    pub fn append(&mut self, record: &R) -> Result<(), ResumeError> {
        self.write(record)
            .map_err(|reason| ResumeError::System { file: self.path.display().to_string(), reason })
    }

    fn write(&mut self, record: &R) -> io::Result<()> {
        if self.torn {
            self.file.set_len(self.end)?;
            self.torn = false;
        }
        let text = format!("{}{}\n", self.head.as_deref().unwrap_or_default(), json!(record));
        if let Err(reason) = self.file.write_all(text.as_bytes()) {
            self.torn = self.file.set_len(self.end).is_err();
            return Err(reason);
        }
        self.end += text.len() as u64;
        self.head = None;
        Ok(())
    }
}

/// Refuses a first line with a different origin.
fn check_origin<R: ResumeRecord>(
    path: &Path,
    first: &[u8],
    asked: &Map<String, Value>,
) -> Result<(), ResumeError> {
    let file = path.display().to_string();
    let found: Value = serde_json::from_slice(first).unwrap_or_default();
    let Some(kept) = found["origin"].as_object().filter(|_| found[R::KIND] == VERSION) else {
        return Err(ResumeError::Foreign { file, pieces: R::PIECES, work: R::WORK });
    };
    let value = |of: &Map<String, Value>, key: &str| of.get(key).cloned().unwrap_or_default();
    match asked.keys().chain(kept.keys()).find(|key| value(asked, key) != value(kept, key)) {
        None => Ok(()),
        Some(key) => Err(ResumeError::Origin {
            file,
            work: R::WORK,
            key: key.clone(),
            kept: value(kept, key).to_string(),
            asked: value(asked, key).to_string(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use serde::Deserialize;

    use super::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Piece {
        replicate: u64,
    }

    impl ResumeRecord for Piece {
        const KIND: &'static str = "kinfolk_test";
        const WORK: &'static str = "test";
        const PIECE: &'static str = "piece";
        const PIECES: &'static str = "pieces";
        const WITHOUT_EFFECT: &'static [&'static str] = &["keep_scores"];
    }

    type PieceFile = ResumeFile<Piece>;

    fn record(replicate: u64) -> Piece {
        Piece { replicate }
    }

    fn settings() -> Map<String, Value> {
        Map::from_iter([("seed".to_owned(), json!(1))])
    }

    /// Writes a file with three finished searches; returns its text.
    fn three(path: &Path) -> String {
        let (mut file, done) = PieceFile::open(path, &settings(), "f").unwrap();
        assert!(done.is_empty());
        (0..3).for_each(|number| file.append(&record(number)).unwrap());
        drop(file);
        fs::read_to_string(path).unwrap()
    }

    #[test]
    fn a_file_cut_anywhere_keeps_its_whole_lines_and_is_not_changed_by_opening() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("kept.jsonl");
        let text = three(&path);
        assert_eq!(text.lines().count(), 4);
        for cut in 0..=text.len() {
            fs::write(&path, &text[..cut]).unwrap();
            let whole = text[..cut].matches('\n').count().saturating_sub(1);
            let (mut file, done) = PieceFile::open(&path, &settings(), "f").unwrap();
            assert_eq!(done, (0..whole as u64).map(record).collect::<Vec<_>>(), "cut at {cut}");
            assert_eq!(fs::read_to_string(&path).unwrap(), text[..cut]);
            for number in whole as u64..3 {
                file.append(&record(number)).unwrap();
            }
            drop(file);
            let written = fs::read_to_string(&path).unwrap();
            assert_eq!(written, if whole == 3 { &text[..cut] } else { &text }, "cut at {cut}");
        }
    }

    #[test]
    fn a_file_that_is_refused_is_not_changed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("kept.jsonl");
        let text = three(&path);
        let damaged = text.replacen("replicate", "replica", 1) + "{\"torn";
        let other = Map::from_iter([("seed".to_owned(), json!(2))]);
        for (content, settings) in [(damaged.as_str(), settings()), (&text, other), ("notes", settings())] {
            fs::write(&path, content).unwrap();
            PieceFile::open(&path, &settings, "f").unwrap_err();
            assert_eq!(fs::read_to_string(&path).unwrap(), content);
        }
    }

    #[test]
    fn a_setting_on_one_side_only_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("kept.jsonl");
        three(&path);
        let mut more = settings();
        more.insert("iss".to_owned(), json!(1.5));
        let refused = PieceFile::open(&path, &more, "f").unwrap_err().to_string();
        assert!(refused.contains("its iss is null, not 1.5"), "{refused}");
        let refused = PieceFile::open(&path, &Map::new(), "f").unwrap_err().to_string();
        assert!(refused.contains("its seed is 1, not null"), "{refused}");
    }

    #[test]
    fn other_data_are_refused_and_settings_without_effect_may_change() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("kept.jsonl");
        three(&path);
        let refused = PieceFile::open(&path, &settings(), "g").unwrap_err().to_string();
        assert!(refused.contains("its data is \"f\", not \"g\""), "{refused}");
        let mut changed = settings();
        for key in ["time_limit", "memory", "keep_scores"] {
            changed.insert(key.to_owned(), json!(3));
        }
        assert_eq!(PieceFile::open(&path, &changed, "f").unwrap().1.len(), 3);
    }

    #[test]
    fn a_second_run_is_refused_while_the_first_one_lasts() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("kept.jsonl");
        let (first, _) = PieceFile::open(&path, &settings(), "f").unwrap();
        let refused = PieceFile::open(&path, &settings(), "f").unwrap_err();
        assert!(matches!(refused, ResumeError::Lock { reason: LockError::Held, .. }), "{refused}");
        drop(first);
        PieceFile::open(&path, &settings(), "f").unwrap();
    }

    /// A device that fails like a full disk.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_failed_append_is_reported_and_can_be_repeated() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("kept.jsonl");
        let text = three(&path);
        let (mut file, _) = PieceFile::open(&path, &settings(), "f").unwrap();
        let disk =
            std::mem::replace(&mut file.file, OpenOptions::new().append(true).open("/dev/full").unwrap());
        let refused = file.append(&record(3)).unwrap_err();
        assert!(refused.to_string().contains("kept.jsonl"), "{refused}");
        file.file = disk;
        file.append(&record(3)).unwrap();
        let written = fs::read_to_string(&path).unwrap();
        assert_eq!(written.lines().count(), 5);
        assert!(written.starts_with(&text));
    }
}
