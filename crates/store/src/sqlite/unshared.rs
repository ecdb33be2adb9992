//! Reading a file without the memory that its readers and its writer share: on a disk that is read-only or
//! full, or as a user who may not write in its folder.

use std::path::{Path, PathBuf};

/// Whether the log beside a file holds something that is not in the file yet.
///
/// Such a log can only be read together with the shared memory, and to make that takes a folder that can be
/// written. An empty log, or none, means that the file is complete as it is.
pub(super) fn has_log(path: &Path) -> std::io::Result<bool> {
    match std::fs::metadata(log_of(path)) {
        Ok(log) => Ok(log.len() > 0),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// The log beside a file.
pub(super) fn log_of(path: &Path) -> PathBuf {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    log.into()
}

/// The name under which SQLite reads a file as it lies there, without locks and without a log.
pub(super) fn as_it_lies(path: &Path) -> String {
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
    fn a_path_cannot_add_options_to_its_name() {
        let name = as_it_lies(Path::new("/a b/x?mode=rw#%41.db"));
        assert_eq!(name, "file:/a%20b/x%3Fmode%3Drw%23%2541.db?immutable=1");
    }
}
