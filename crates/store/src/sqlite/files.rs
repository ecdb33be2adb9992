//! The database file, its folder and the files that SQLite puts beside it: names, permissions, existence.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::{Access, access};

/// Returns the name of a file beside the database.
pub(super) fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// Returns the folder of a file, unless it is the current one.
fn folder(path: &Path) -> Option<&Path> {
    path.parent().filter(|folder| !folder.as_os_str().is_empty())
}

/// Makes the folder and the file for their owner only. SQLite gives the files beside it the same mode. Files
/// that are open to others are closed to them.
///
/// # Errors
/// The folder cannot be made. What is wrong with the file is found when it is opened.
pub(super) fn prepare(path: &Path) -> io::Result<()> {
    if let Some(folder) = folder(path) {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    }
    drop(OpenOptions::new().write(true).create_new(true).mode(0o600).open(path));
    for ending in ["", "-wal", "-shm"] {
        close_to_others(&beside(path, ending));
    }
    Ok(())
}

/// A file of another user stays as it is.
fn close_to_others(path: &Path) {
    let Ok(about) = fs::metadata(path) else { return };
    let mode = about.permissions().mode();
    if about.is_file() && mode & 0o077 != 0 {
        drop(fs::set_permissions(path, fs::Permissions::from_mode(mode & 0o700)));
    }
}

/// Whether a file exists.
///
/// # Errors
/// It exists and must not be read, or its folder must not be searched.
pub(super) fn is_readable(path: &Path) -> io::Result<bool> {
    if !path.try_exists()? {
        return Ok(false);
    }
    access(path, Access::READ_OK)?;
    Ok(true)
}

/// Returns whether a file exists that this process may not write.
pub(super) fn is_closed_to_writers(path: &Path) -> bool {
    // Not by opening it: closing it again would end the locks that SQLite holds on it in this process.
    path.exists() && access(path, Access::WRITE_OK).is_err()
}

/// Returns why a file cannot be written, where SQLite only says that it cannot be opened.
pub(super) fn write_refusal(path: &Path) -> Option<io::Error> {
    let folder = folder(path).unwrap_or(Path::new("."));
    let file = if path.exists() { access(path, Access::READ_OK | Access::WRITE_OK) } else { Ok(()) };
    file.and_then(|()| access(folder, Access::WRITE_OK | Access::EXEC_OK)).err().map(Into::into)
}

/// Whether the log beside a file has something that may not be in the file yet.
///
/// Such a log is read with the shared memory only, which takes a folder that can be written. Without a log, or
/// with an empty one, the file is complete.
pub(super) fn has_log(path: &Path) -> io::Result<bool> {
    match fs::metadata(beside(path, "-wal")) {
        Ok(log) => Ok(log.len() > 0),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Returns the name under which SQLite reads a file without locks, log and shared memory.
pub(super) fn immutable_uri(path: &Path) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte);
    let written = path.as_os_str().as_encoded_bytes().iter().map(|byte| match *byte {
        byte if plain(byte) => char::from(byte).to_string(),
        byte => format!("%{byte:02X}"),
    });
    format!("file:{}?immutable=1", written.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_cannot_add_options_to_its_uri() {
        let uri = immutable_uri(Path::new("/a b/x?mode=rw#%41.db"));
        assert_eq!(uri, "file:/a%20b/x%3Fmode%3Drw%23%2541.db?immutable=1");
    }
}
