//! From a path to an open handle, one name at a time.

use std::io;

use cap_fs_ext::{DirExt, FollowSymlinks, OpenOptionsFollowExt};
use cap_std::fs::{Dir, File, OpenOptions, OpenOptionsExt};
use rustix::fs::OFlags;

use super::{FileError, Workspace, WorkspacePath};

/// A pipe is not waited for, a terminal is not taken.
const PATIENCE: OFlags = OFlags::NONBLOCK.union(OFlags::NOCTTY);

impl Workspace {
    /// Opens a folder.
    pub(crate) fn folder(&self, path: &WorkspacePath) -> Result<Dir, FileError> {
        let root = self.root().try_clone().map_err(|source| failed(path, source))?;
        path.names().iter().try_fold(root, |folder, name| step(&folder, name, path))
    }

    /// Opens an ordinary file for reading.
    pub(crate) fn file(&self, path: &WorkspacePath) -> Result<File, FileError> {
        let Some((folder, name)) = path.split() else { return Err(FileError::NotAFile(path.clone())) };
        open_file(&self.folder(&folder)?, name, path)
    }
}

/// What a caller expects to find under a name.
#[derive(Clone, Copy)]
enum Wanted {
    File,
    Folder,
}

/// Opens the folder of this name in a folder; `path` is what the caller asked for.
pub(super) fn step(folder: &Dir, name: &str, path: &WorkspacePath) -> Result<Dir, FileError> {
    folder.open_dir_nofollow(name).map_err(|source| explain(folder, name, path, Wanted::Folder, source))
}

/// Opens the ordinary file of this name in a folder.
pub(super) fn open_file(folder: &Dir, name: &str, path: &WorkspacePath) -> Result<File, FileError> {
    let mut options = OpenOptions::new();
    options.read(true).follow(FollowSymlinks::No).custom_flags(PATIENCE.bits().cast_signed());
    let opened = folder.open_with(name, &options);
    let file = opened.map_err(|source| explain(folder, name, path, Wanted::File, source))?;
    let metadata = file.metadata().map_err(|source| failed(path, source))?;
    if metadata.is_file() { Ok(file) } else { Err(FileError::NotAFile(path.clone())) }
}

/// What stands in the way. Only words come of this second look, no decision.
fn explain(folder: &Dir, name: &str, path: &WorkspacePath, wanted: Wanted, source: io::Error) -> FileError {
    let found = match folder.symlink_metadata(name) {
        Ok(metadata) => metadata.file_type(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return FileError::NotFound(path.clone()),
        Err(_) => return failed(path, source),
    };
    if found.is_symlink() {
        return FileError::Link { path: path.clone(), target: target(folder, name) };
    }
    match wanted {
        Wanted::File if !found.is_file() => FileError::NotAFile(path.clone()),
        Wanted::Folder if !found.is_dir() => FileError::NotAFolder(path.clone()),
        Wanted::File | Wanted::Folder => failed(path, source),
    }
}

/// What a link says it points at.
pub(super) fn target(folder: &Dir, name: &str) -> String {
    folder.read_link_contents(name).map(|target| target.display().to_string()).unwrap_or_default()
}

pub(super) fn failed(path: &WorkspacePath, source: io::Error) -> FileError {
    FileError::Failed { path: path.clone(), source }
}
