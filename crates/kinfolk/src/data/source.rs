//! Input sources, plain or gzip-compressed, and the names of their data sets.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fmt;
use std::fs::File;
use std::io::{self, Cursor, Read};
use std::path::{Component, Path, PathBuf};

use flate2::read::MultiGzDecoder;

use super::coded::CodedTable;
use super::error::DataError;

/// One input table: a file, a reader, or a table in memory.
pub enum Source {
    /// A file, plain or gzip-compressed.
    Path(PathBuf),
    /// A file with an explicit data set name.
    Named {
        /// The name of its data set.
        name: String,
        /// The file.
        path: PathBuf,
    },
    /// Any reader, plain or gzip-compressed.
    Reader {
        /// The name of its data set.
        name: String,
        /// The source of the bytes.
        reader: Box<dyn Read + Send>,
    },
    /// A dictionary-encoded table in memory.
    Coded(CodedTable),
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Source").field(&self.display()).finish()
    }
}

/// The name of the data set read from standard input.
const STDIN: &str = "stdin";

impl Source {
    /// Standard input; its data set is named `stdin`.
    pub fn stdin() -> Self {
        Self::Reader { name: STDIN.to_owned(), reader: Box::new(io::stdin()) }
    }

    /// The source's name in messages: the path as given, or "standard input".
    pub fn display(&self) -> String {
        match self {
            Self::Path(path) | Self::Named { path, .. } => path.display().to_string(),
            Self::Reader { name, .. } if name == STDIN => "standard input".to_owned(),
            Self::Reader { name, .. } => name.clone(),
            Self::Coded(table) => table.name().to_owned(),
        }
    }

    /// The path, if the source is a file.
    pub(super) fn path(&self) -> Option<&PathBuf> {
        if let Self::Path(path) | Self::Named { path, .. } = self { Some(path) } else { None }
    }

    /// Whether the file's extension implies tab-separated cells.
    pub(super) fn is_tab_separated(&self) -> bool {
        let Some(path) = self.path() else { return false };
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
        let name = name.strip_suffix(".gz").unwrap_or(&name);
        [".tsv", ".tab"].iter().any(|suffix| name.ends_with(suffix))
    }

    /// Opens the source and decompresses it if it starts with the gzip signature; returns whether it does.
    pub(super) fn open(self) -> Result<(Box<dyn Read>, bool), DataError> {
        let file = self.display();
        let mut reader: Box<dyn Read> = match self {
            Self::Path(path) | Self::Named { path, .. } => {
                if path.is_dir() {
                    return Err(DataError::Directory { file });
                }
                Box::new(File::open(&path).map_err(|reason| DataError::Open { file: file.clone(), reason })?)
            }
            Self::Reader { reader, .. } => reader,
            Self::Coded(_) => unreachable!("coded tables are not opened as bytes"),
        };
        let mut magic = Vec::with_capacity(2);
        reader.by_ref().take(2).read_to_end(&mut magic).map_err(|reason| DataError::Read { file, reason })?;
        let compressed = magic == [0x1f, 0x8b];
        let whole = Cursor::new(magic).chain(reader);
        Ok((if compressed { Box::new(MultiGzDecoder::new(whole)) } else { Box::new(whole) }, compressed))
    }
}

/// The names of the data sets, one per source: the file's name without its extension, preceded by as many
/// path components as make it unique.
pub(super) fn name_data_sets(sources: &[Source]) -> Result<Vec<String>, DataError> {
    let mut seen = BTreeSet::new();
    for source in sources {
        if let Some(path) = source.path() {
            let file = path.canonicalize().unwrap_or_else(|_| path.clone());
            if !seen.insert(file) {
                return Err(DataError::SameFile { file: source.display() });
            }
        }
    }
    let mut depths = vec![1; sources.len()];
    let mut names: Vec<String> = sources.iter().map(|source| name_at_depth(source, 1)).collect();
    loop {
        let mut deeper = false;
        for index in repeated(&names) {
            depths[index] += 1;
            let name = name_at_depth(&sources[index], depths[index]);
            deeper |= name != names[index];
            names[index] = name;
        }
        if !deeper {
            break;
        }
    }
    // The remaining duplicates differ only in their extension (`x.csv`, `x.tsv`) or not at all (two readers
    // of one name).
    for index in repeated(&names) {
        names[index] = sources[index].display();
    }
    loop {
        let still = repeated(&names);
        if still.is_empty() {
            break;
        }
        for index in still {
            names[index] = format!("{} ({})", names[index], index + 1);
        }
    }
    Ok(names)
}

/// The positions of names that occur more than once.
fn repeated(names: &[String]) -> Vec<usize> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for name in names {
        *counts.entry(name).or_default() += 1;
    }
    (0..names.len()).filter(|&index| counts[names[index].as_str()] > 1).collect()
}

/// The last `depth` components of a path, without the file's extension.
fn name_at_depth(source: &Source, depth: usize) -> String {
    match source {
        Source::Reader { name, .. } | Source::Named { name, .. } => name.clone(),
        Source::Coded(table) => table.name().to_owned(),
        Source::Path(path) => {
            let mut parts: Vec<String> = path
                .parent()
                .unwrap_or(Path::new(""))
                .components()
                .filter(|part| !matches!(part, Component::CurDir | Component::RootDir))
                .map(|part| part.as_os_str().to_string_lossy().into_owned())
                .collect();
            parts.push(stem(path.file_name().unwrap_or(OsStr::new("data"))));
            parts[parts.len().saturating_sub(depth)..].join("/")
        }
    }
}

/// A file's name without `.gz` and the extension of a table.
fn stem(name: &OsStr) -> String {
    let name = name.to_string_lossy();
    let mut stem: &str = &name;
    for endings in [&["gz"][..], &["csv", "tsv", "tab", "txt", "psv", "data"][..]] {
        if let Some((before, ending)) = stem.rsplit_once('.')
            && !before.is_empty()
            && endings.iter().any(|known| ending.eq_ignore_ascii_case(known))
        {
            stem = before;
        }
    }
    stem.to_owned()
}
