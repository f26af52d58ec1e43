//! Atomic file replacement and exclusive file locks.
//!
//! - [`replace`] writes a temporary file beside the target, flushes it to the disk and renames it. Readers see the old file or the new
//!   one, never a part. A target that is a symbolic link is replaced; the link is not followed.
//! - [`lock`] takes an exclusive lock that the system releases when the process ends, however it ends.

use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::Path;

use tempfile::{Builder, NamedTempFile};
use thiserror::Error;

/// Why a file cannot be locked.
#[derive(Debug, Error)]
pub enum LockError {
    /// Another process, or another call in this process, holds the lock.
    #[error("another run is using it")]
    Held,
    /// The system refuses the lock, for example on a network file system without locks.
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
    let mut temporary = temporary_beside(file)?;
    write(&mut temporary)?;
    if let Ok(existing) = fs::symlink_metadata(file)
        && existing.is_file()
    {
        fs::set_permissions(temporary.path(), existing.permissions())?;
    }
    // Without this, some file systems may order the rename before the data, and a power failure leaves an empty file.
    temporary.as_file().sync_all()?;
    temporary.persist(file).map_err(|error| error.error)?;
    sync_folder(folder_of(file));
    Ok(())
}

/// A temporary file in the folder of `file`, with a random name and the permissions of an ordinary new file. Dropping it
/// deletes it.
pub fn temporary_beside(file: &Path) -> io::Result<NamedTempFile> {
    let mut builder = Builder::new();
    builder.prefix(".kinfolk-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // The system subtracts the user's umask.
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder_of(file))
}

/// The folder that a file is in.
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
    fn a_lock_is_exclusive_and_ends_with_its_file() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let (first, second) = (file.reopen().unwrap(), file.reopen().unwrap());
        lock(&first).unwrap();
        assert!(matches!(lock(&second), Err(LockError::Held)));
        drop(first);
        lock(&second).unwrap();
    }
}
