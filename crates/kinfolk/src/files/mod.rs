//! Atomic writing of files and folders, exclusive file locks, and resume files for long computations.
//!
//! - [`replace`] writes a temporary file beside the target, flushes it to the disk and renames it. Readers see the old file or the new
//!   one, never a part. A target that is a symbolic link is replaced; the link is not followed.
//! - [`prepare`] does the first half, for several files that belong together: none is renamed before all are written.
//! - [`temporary_beside`] also deletes temporary files of runs that were killed.
//! - [`new_folder`] writes a temporary folder beside the target and renames it: the folder appears with all its files, or not at all.
//! - [`lock`] takes an exclusive lock, which the system releases when the process ends, even if it is killed.

mod resume_file;

pub use resume_file::{ResumeError, ResumeFile, ResumeRecord};

use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::{Builder, NamedTempFile};
use thiserror::Error;

/// Why a file cannot be locked.
#[derive(Debug, Error)]
pub enum LockError {
    /// Another process, or another call in this process, holds the lock.
    #[error("another run is using it")]
    Held,
    /// The system does not support locks here, for example on some network file systems.
    #[error("it cannot be locked against a second run ({0})")]
    Refused(io::Error),
}

/// Takes the exclusive lock of an open file without waiting. Closing the file releases it.
pub fn lock(file: &File) -> Result<(), LockError> {
    file.try_lock().map_err(|error| match error {
        TryLockError::WouldBlock => LockError::Held,
        TryLockError::Error(reason) => LockError::Refused(reason),
    })
}

/// Replaces a file atomically with the output of `write`. The permissions of an existing file are kept.
pub fn replace<E: From<io::Error>>(
    file: &Path,
    write: impl FnOnce(&mut dyn Write) -> Result<(), E>,
) -> Result<(), E> {
    Ok(prepare(file, write)?.commit()?)
}

/// The complete new content of a file, written beside it. Dropping it deletes it.
#[derive(Debug)]
pub struct Replacement {
    temporary: NamedTempFile,
    file: PathBuf,
}

/// Writes the new content of a file beside it and flushes it to the disk.
pub fn prepare<E: From<io::Error>>(
    file: &Path,
    write: impl FnOnce(&mut dyn Write) -> Result<(), E>,
) -> Result<Replacement, E> {
    let mut temporary = temporary_beside(file)?;
    write(&mut temporary)?;
    if let Ok(existing) = fs::symlink_metadata(file)
        && existing.is_file()
    {
        fs::set_permissions(temporary.path(), existing.permissions())?;
    }
    // Otherwise a file system may order the rename before the data, and a power failure would leave an empty file.
    temporary.as_file().sync_all()?;
    Ok(Replacement { temporary, file: file.to_owned() })
}

impl Replacement {
    /// Replaces the file.
    pub fn commit(self) -> io::Result<()> {
        self.temporary.persist(&self.file).map_err(|error| error.error)?;
        sync_folder(folder_of(&self.file));
        Ok(())
    }
}

/// The beginning of the names of temporary files.
const PREFIX: &str = ".kinfolk-";

/// Creates a folder with the files that `write` puts into it, all or none. The folder must not exist, or must be empty.
pub fn new_folder<E: From<io::Error>>(
    folder: &Path,
    write: impl FnOnce(&Path) -> Result<(), E>,
) -> Result<(), E> {
    let mut builder = Builder::new();
    builder.prefix(PREFIX);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // The system subtracts the user's umask.
        builder.permissions(fs::Permissions::from_mode(0o777));
    }
    let temporary = builder.tempdir_in(folder_of(folder))?;
    write(temporary.path())?;
    if folder.is_dir() {
        // Fails if the folder is not empty.
        fs::remove_dir(folder)?;
    }
    fs::rename(temporary.path(), folder)?;
    // The folder was renamed, so the temporary one must not be deleted.
    let _ = temporary.keep();
    sync_folder(folder_of(folder));
    Ok(())
}

/// A temporary file in the folder of `file`, with a random name and the permissions of an ordinary new file. Dropping it
/// deletes it. It is locked, so that other runs see that it is in use.
pub fn temporary_beside(file: &Path) -> io::Result<NamedTempFile> {
    let mut builder = Builder::new();
    builder.prefix(PREFIX);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // The system subtracts the user's umask.
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    let temporary = builder.tempfile_in(folder_of(file))?;
    // Without locks the file name is still unique, but leftovers of killed runs cannot be recognised.
    if lock(temporary.as_file()).is_ok() {
        delete_leftovers(folder_of(file), &temporary);
    }
    Ok(temporary)
}

/// The age in seconds from which an unlocked temporary file is a leftover: far longer than the time between its creation and its lock.
const LEFTOVER_AGE: u64 = 60;

/// Deletes the temporary files of killed runs: they are older than this one, and no process holds their lock. Failures
/// are ignored, because no result depends on them.
fn delete_leftovers(folder: &Path, new: &NamedTempFile) {
    let Ok(now) = new.as_file().metadata().and_then(|metadata| metadata.modified()) else { return };
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let is_temporary = entry.file_name().to_string_lossy().starts_with(PREFIX);
        if !is_temporary || !entry.file_type().is_ok_and(|kind| kind.is_file()) {
            continue;
        }
        let modified = entry.metadata().and_then(|metadata| metadata.modified());
        let age = modified.ok().and_then(|modified| now.duration_since(modified).ok());
        let is_old = age.is_some_and(|age| age.as_secs() >= LEFTOVER_AGE);
        if is_old && File::open(entry.path()).is_ok_and(|file| lock(&file).is_ok()) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// The folder of a file.
pub fn folder_of(file: &Path) -> &Path {
    file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Flushes the rename to disk. The new content is complete at this point, so a failure here is not an error.
fn sync_folder(folder: &Path) {
    #[cfg(unix)]
    if let Ok(folder) = File::open(folder) {
        drop(folder.sync_all());
    }
    #[cfg(not(unix))]
    let _ = folder;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_replacement_leaves_the_old_file_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("result");
        replace::<io::Error>(&path, |out| out.write_all(b"old")).unwrap();
        let failed = replace(&path, |out| {
            out.write_all(b"half of the new one")?;
            Err(io::Error::from(io::ErrorKind::StorageFull))
        });
        assert_eq!(failed.unwrap_err().kind(), io::ErrorKind::StorageFull);
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn leftovers_of_killed_runs_are_deleted_and_files_in_use_are_not() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let hour_ago = std::time::SystemTime::now() - std::time::Duration::from_secs(3600);
        for name in [".kinfolk-left", ".kinfolk-used", ".other"] {
            File::create(at(name)).unwrap().set_modified(hour_ago).unwrap();
        }
        fs::write(at(".kinfolk-new"), "").unwrap();
        let used = File::open(at(".kinfolk-used")).unwrap();
        lock(&used).unwrap();
        replace::<io::Error>(&at("result"), |out| out.write_all(b"new")).unwrap();
        let mut names: Vec<_> =
            fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, [".kinfolk-new", ".kinfolk-used", ".other", "result"]);
    }

    #[test]
    fn files_that_belong_together_are_written_before_the_first_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let [first, second] = ["first", "second"].map(|name| folder.path().join(name));
        fs::write(&first, "old").unwrap();
        let prepared = prepare::<io::Error>(&first, |out| out.write_all(b"new")).unwrap();
        assert_eq!(fs::read_to_string(&first).unwrap(), "old");
        prepare(&second, |_| Err(io::Error::from(io::ErrorKind::StorageFull))).unwrap_err();
        prepared.commit().unwrap();
        assert_eq!(fs::read_to_string(&first).unwrap(), "new");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_replaced_and_its_target_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let (link, target) = (folder.path().join("link"), folder.path().join("target"));
        fs::write(&target, "precious").unwrap();
        std::os::unix::fs::symlink(&target, &link).unwrap();
        replace::<io::Error>(&link, |out| out.write_all(b"new")).unwrap();
        assert_eq!(fs::read_to_string(&target).unwrap(), "precious");
        assert_eq!(fs::read_to_string(&link).unwrap(), "new");
        assert!(!link.is_symlink());
    }

    #[test]
    fn a_folder_appears_whole_or_not_at_all_and_never_replaces_files() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("made");
        let failed = new_folder(&folder, |inside| {
            fs::write(inside.join("first"), "written")?;
            Err(io::Error::from(io::ErrorKind::StorageFull))
        });
        assert_eq!(failed.unwrap_err().kind(), io::ErrorKind::StorageFull);
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 0);
        fs::create_dir(&folder).unwrap();
        new_folder(&folder, |inside| fs::write(inside.join("first"), "written")).unwrap();
        assert_eq!(fs::read_to_string(folder.join("first")).unwrap(), "written");
        new_folder(&folder, |inside| fs::write(inside.join("second"), "new")).unwrap_err();
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_lock_is_exclusive_and_ends_with_its_file() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let (first, second) = (file.reopen().unwrap(), file.reopen().unwrap());
        lock(&first).unwrap();
        assert!(matches!(lock(&second), Err(LockError::Held)));
        drop(first);
        lock(&second).unwrap();
    }
}
