//! Reading a text, whole and bounded.

use std::io::Read;

use cap_std::fs::File;

use super::reach::failed;
use super::{FileError, Workspace, WorkspacePath};

impl Workspace {
    /// The text of a file.
    pub(crate) fn text(&self, path: &WorkspacePath) -> Result<String, FileError> {
        read_text(self.file(path)?, path, self.limits().files.file_bytes_max)
    }

    /// The text of a file, or none when there is no such file yet.
    pub(crate) fn text_if_there(&self, path: &WorkspacePath) -> Result<Option<String>, FileError> {
        match self.text(path) {
            Ok(text) => Ok(Some(text)),
            Err(FileError::NotFound(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// Reads a file that may grow meanwhile: never more than the limit is kept.
pub(super) fn read_text(file: File, path: &WorkspacePath, limit: u64) -> Result<String, FileError> {
    let mut bytes = Vec::new();
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes).map_err(|source| failed(path, source))?;
    check_size(bytes.len(), path, limit)?;
    let text = String::from_utf8(bytes).map_err(|_| FileError::Binary(path.clone()))?;
    if text.contains('\0') { Err(FileError::Binary(path.clone())) } else { Ok(text) }
}

/// Refuses what is larger than a file may be.
pub(super) fn check_size(bytes: usize, path: &WorkspacePath, limit: u64) -> Result<(), FileError> {
    let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
    if bytes > limit { Err(FileError::TooLarge { path: path.clone(), bytes, limit }) } else { Ok(()) }
}
