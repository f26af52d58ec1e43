//! Output files of `--out` and `--report`: checked before the work begins, written atomically.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use kinfolk::files::{Replacement, folder_of, prepare, temporary_beside};
use serde::Serialize;

use crate::failure::Failure;
use crate::{output, rows};

/// The destination of a result.
pub(crate) struct OutFile {
    /// The option that named it, for messages.
    flag: &'static str,
    target: Target,
}

enum Target {
    /// A regular file, replaced when the new one is complete; symbolic links are resolved first.
    Ordinary(PathBuf),
    /// A pipe or a device, which cannot be replaced.
    Stream(PathBuf),
}

impl OutFile {
    /// Checks before the work begins that the file can be written and is not an input.
    pub(crate) fn check(file: &Path, inputs: &[PathBuf]) -> Result<Self, Failure> {
        if file.as_os_str() == "-" {
            return Err(Failure::Call(
                "--out takes a file; --json prints the result on standard output".to_owned(),
            ));
        }
        Self::check_named("--out", file, inputs)
    }

    /// As [`Self::check`], for the file of another option.
    pub(crate) fn check_named(flag: &'static str, file: &Path, inputs: &[PathBuf]) -> Result<Self, Failure> {
        if file.as_os_str() == "-" {
            return Err(Failure::Call(format!("{flag} takes a file, not standard output")));
        }
        let ordinary = |file: PathBuf| Ok(Self { flag, target: Target::Ordinary(file) });
        let fail = |reason| failure(flag, file, reason);
        if let Ok(existing) = fs::metadata(file) {
            if existing.is_dir() {
                return Err(Failure::Call(format!(
                    "{flag}: {} is a folder; name a file in it",
                    file.display()
                )));
            }
            if !existing.is_file() {
                return Ok(Self { flag, target: Target::Stream(file.to_owned()) });
            }
            let target = file.canonicalize().map_err(fail)?;
            if inputs.iter().any(|input| is_same(input, &target)) {
                return Err(Failure::Call(format!(
                    "{flag}: {} is an input file; name another file",
                    file.display()
                )));
            }
            if let Some((option, _)) = input_options().find(|(_, input)| is_same(input, &target)) {
                return Err(Failure::Call(format!(
                    "{flag}: {} is also an input file ({option}); name another file",
                    file.display()
                )));
            }
            OpenOptions::new().append(true).open(&target).map_err(fail)?;
            temporary_beside(&target).map_err(fail)?;
            return ordinary(target);
        }
        let folder = folder_of(file);
        if folder.is_file() {
            return Err(Failure::Call(format!(
                "{flag}: {} is a file, so nothing can be written in it; name a file in a folder",
                folder.display()
            )));
        }
        if !folder.is_dir() {
            return Err(Failure::Call(format!(
                "{flag}: there is no folder {}; create it first",
                folder.display()
            )));
        }
        temporary_beside(file).map_err(fail)?;
        ordinary(file.to_owned())
    }

    /// Writes the content: a text, or bytes.
    pub(crate) fn write(&self, content: impl AsRef<[u8]>) -> Result<(), Failure> {
        self.write_by(|out| Ok(out.write_all(content.as_ref())?))
    }

    /// Writes a result as JSON, piece by piece.
    pub(crate) fn write_json(&self, result: &impl Serialize) -> Result<(), Failure> {
        self.write_by(|out| output::write_json(out, result))
    }

    /// Writes rows as CSV, one at a time.
    pub(crate) fn write_csv<'a>(&self, rows: impl Iterator<Item = Vec<&'a str>>) -> Result<(), Failure> {
        self.write_by(|out| rows::write_csv(out, rows))
    }

    /// Writes the output of a function.
    fn write_by(&self, write: impl FnOnce(&mut dyn Write) -> Result<(), Failure>) -> Result<(), Failure> {
        self.prepare(write)?.commit()
    }

    /// Writes the content without replacing the file yet, for files that belong together. A pipe or a device receives
    /// it at once.
    pub(crate) fn prepare(
        &self,
        write: impl FnOnce(&mut dyn Write) -> Result<(), Failure>,
    ) -> Result<PreparedFile<'_>, Failure> {
        let written = match &self.target {
            Target::Ordinary(file) => prepare(file, write).map(Some),
            Target::Stream(file) => {
                let stream = OpenOptions::new().write(true).open(file).map_err(Failure::from);
                stream.and_then(|mut stream| write(&mut stream)).map(|()| None)
            }
        };
        match written {
            Ok(replacement) => Ok(PreparedFile { file: self, replacement }),
            Err(Failure::Output(reason)) => Err(self.failure(reason)),
            Err(other) => Err(other),
        }
    }

    fn failure(&self, reason: io::Error) -> Failure {
        let (Target::Ordinary(file) | Target::Stream(file)) = &self.target;
        failure(self.flag, file, reason)
    }
}

/// A file whose new content is written next to it.
pub(crate) struct PreparedFile<'a> {
    file: &'a OutFile,
    replacement: Option<Replacement>,
}

impl PreparedFile<'_> {
    /// Replaces the file.
    pub(crate) fn commit(self) -> Result<(), Failure> {
        let committed = self.replacement.map_or(Ok(()), Replacement::commit);
        committed.map_err(|reason| self.file.failure(reason))
    }
}

/// The options that name an input file. Data files and networks given as arguments are parameters of `check`.
const INPUT_OPTIONS: [&str; 8] = [
    "--blacklist",
    "--bootstrap",
    "--levels",
    "--network",
    "--start",
    "--structure",
    "--tiers",
    "--whitelist",
];

/// The input files named by options of this command line, with their options.
fn input_options() -> impl Iterator<Item = (&'static str, PathBuf)> {
    let mut arguments = std::env::args_os().skip(1);
    std::iter::from_fn(move || {
        loop {
            let argument = arguments.next()?;
            let argument = argument.to_string_lossy();
            let (name, value) = match argument.split_once('=') {
                Some((name, value)) => (name, Some(PathBuf::from(value))),
                None => (argument.as_ref(), None),
            };
            let option = INPUT_OPTIONS.into_iter().find(|option| *option == name);
            if let Some(option) = option {
                return Some((option, value.or_else(|| arguments.next().map(PathBuf::from))?));
            }
        }
    })
}

/// Whether a path leads to a file whose canonical path is known.
fn is_same(input: &Path, canonical: &Path) -> bool {
    input.canonicalize().is_ok_and(|input| input == canonical)
}

/// Rejects two outputs of one command that are the same file. Devices and pipes are exempt.
pub(crate) fn check_apart<'a>(
    outputs: impl IntoIterator<Item = (&'static str, Option<&'a Path>)>,
) -> Result<(), Failure> {
    let mut known: Vec<(&str, PathBuf)> = Vec::new();
    for (flag, file) in outputs {
        let Some(file) = file.filter(|file| file.is_file() || !file.exists()) else { continue };
        let place = real_place(file);
        if let Some((other, _)) = known.iter().find(|(_, known)| *known == place) {
            return Err(Failure::Call(format!(
                "{other} and {flag} are the same file, {}, and one would replace the other; name two files",
                file.display()
            )));
        }
        known.push((flag, place));
    }
    Ok(())
}

/// The canonical path of a file that may not exist yet.
fn real_place(file: &Path) -> PathBuf {
    let new = || Some(folder_of(file).canonicalize().ok()?.join(file.file_name()?));
    file.canonicalize().ok().or_else(new).unwrap_or_else(|| file.to_owned())
}

fn failure(flag: &str, file: &Path, reason: io::Error) -> Failure {
    // Only the kind: the message may name a temporary file.
    let reason = if reason.raw_os_error().is_some() { reason } else { reason.kind().into() };
    let way_out = "name another file, in a folder where files can be written";
    Failure::Call(format!("{flag}: {} cannot be written ({reason}); {way_out}", file.display()))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;
    use serde::Serializer;
    use serde::ser::{Error, SerializeSeq};

    use super::*;
    use crate::args::Cli;

    /// A list that fails while it is serialised.
    struct Defective;

    impl Serialize for Defective {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let mut list = serializer.serialize_seq(None)?;
            list.serialize_element(&"x".repeat(1 << 20))?;
            Err(S::Error::custom("no more"))
        }
    }

    #[test]
    fn every_option_that_names_a_file_is_an_output_or_a_protected_input() {
        let mut inputs = Vec::new();
        let all = Cli::command();
        for command in all.get_subcommands() {
            let takes_a_file = |argument: &&clap::Arg| {
                argument.get_value_names().is_some_and(|names| names.iter().any(|name| name.contains("FILE")))
            };
            inputs.extend(command.get_arguments().filter(takes_a_file).filter_map(clap::Arg::get_long));
        }
        inputs.sort_unstable();
        inputs.dedup();
        inputs.retain(|name| !["jkl", "out", "report", "resume"].contains(name));
        let protected: Vec<&str> =
            INPUT_OPTIONS.iter().map(|option| option.trim_start_matches('-')).collect();
        assert_eq!(inputs, protected);
    }

    #[test]
    fn what_cannot_be_written_whole_leaves_what_is_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("result.json");
        let file = OutFile::check(&path, &[]).unwrap();
        file.write_json(&["first"]).unwrap();
        let refused = file.write_json(&Defective).unwrap_err();
        assert!(matches!(&refused, Failure::Internal(reason) if reason.starts_with("no more")), "{refused}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "[\n  \"first\"\n]\n");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left beside it");
    }
}
