//! Writing a text: all of it or nothing.

use std::io::{self, Write};
use std::sync::atomic::{AtomicU64, Ordering};

use cap_std::fs::{Dir, File, OpenOptions, Permissions, PermissionsExt};

use super::reach::{failed, open_file, step};
use super::read::check_size;
use super::{FileError, Workspace, WorkspacePath};
use crate::blocking::Stop;

/// Rights to read, write and run; never setuid or setgid.
const MODE: u32 = 0o777;

impl Workspace {
    /// Puts a text in the place of a file, or makes the file and the folders on the way. Readers see the
    /// old text or the new one. A file keeps its mode.
    pub(crate) fn replace(&self, path: &WorkspacePath, text: &str, stop: &Stop) -> Result<(), FileError> {
        let Some((folder, name)) = path.split() else { return Err(FileError::NotAFile(path.clone())) };
        self.check_text(path, text)?;
        let folder = self.folder_made(&folder)?;
        let mode = mode_of(&folder, name, path)?;
        let draft = Draft::create(&folder, name).map_err(|source| failed(path, source))?;
        draft.fill(text, mode).map_err(|source| failed(path, source))?;
        stop.check()?;
        draft.publish(name).map_err(|source| failed(path, source))
    }

    /// Refuses a place that no tool may change, and a text that no file may hold.
    pub(crate) fn check_text(&self, path: &WorkspacePath, text: &str) -> Result<(), FileError> {
        if path.governs() || self.guards(path) {
            return Err(FileError::Governs(path.clone()));
        }
        check_size(text.len(), path, self.limits().files.file_bytes_max)?;
        if text.contains('\0') { Err(FileError::Binary(path.clone())) } else { Ok(()) }
    }

    fn folder_made(&self, path: &WorkspacePath) -> Result<Dir, FileError> {
        let root = self.root().try_clone().map_err(|source| failed(path, source))?;
        path.names().iter().try_fold(root, |folder, name| match step(&folder, name, path) {
            Err(FileError::NotFound(_)) => {
                folder.create_dir(name).map_err(|source| failed(path, source))?;
                step(&folder, name, path)
            }
            reached => reached,
        })
    }
}

/// The mode of the file that is there; none when there is none.
fn mode_of(folder: &Dir, name: &str, path: &WorkspacePath) -> Result<Option<u32>, FileError> {
    match open_file(folder, name, path) {
        Ok(file) => {
            let metadata = file.metadata().map_err(|source| failed(path, source))?;
            Ok(Some(metadata.permissions().mode() & MODE))
        }
        Err(FileError::NotFound(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

/// A file beside the one to be written. Unless it is published it goes away.
struct Draft<'a> {
    folder: &'a Dir,
    name: Option<String>,
    file: File,
}

impl<'a> Draft<'a> {
    /// Names are counted; one that a crash left behind is passed over.
    fn create(folder: &'a Dir, of: &str) -> io::Result<Self> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        loop {
            let count = COUNT.fetch_add(1, Ordering::Relaxed);
            let name = format!(".{}.provost-{}-{count}", shortened(of), std::process::id());
            match folder.open_with(&name, OpenOptions::new().write(true).create_new(true)) {
                Ok(file) => return Ok(Self { folder, name: Some(name), file }),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
    }

    fn fill(&self, text: &str, mode: Option<u32>) -> io::Result<()> {
        let mut file = &self.file;
        file.write_all(text.as_bytes())?;
        if let Some(mode) = mode {
            file.set_permissions(Permissions::from_mode(mode))?;
        }
        file.sync_all()
    }

    fn publish(mut self, name: &str) -> io::Result<()> {
        let Some(draft) = self.name.take() else { return Ok(()) };
        if let Err(error) = self.folder.rename(&draft, self.folder, name) {
            self.name = Some(draft);
            return Err(error);
        }
        // The write is done. Until the folder is on disk a power cut may undo it; not every file system can say.
        let _ = self.folder.open(".").and_then(|folder| folder.sync_all());
        Ok(())
    }
}

impl Drop for Draft<'_> {
    fn drop(&mut self) {
        if let Some(name) = self.name.take() {
            // Nothing more can be done about a draft that will not go.
            let _ = self.folder.remove_file(name);
        }
    }
}

/// Leaves room in a name for what is added to it.
fn shortened(name: &str) -> &str {
    let end = name.floor_char_boundary(150);
    name.get(..end).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::Limits;

    #[test]
    fn a_write_nobody_waits_for_changes_nothing_and_leaves_nothing() {
        let home = tempfile::tempdir().unwrap();
        let workspace = Workspace::open(home.path(), Limits::default()).unwrap();
        let path: WorkspacePath = "a".parse().unwrap();
        let names = || fs::read_dir(home.path()).unwrap().count();
        assert!(matches!(workspace.replace(&path, "one", &Stop::stopped()), Err(FileError::Stopped(_))));
        assert_eq!(names(), 0);
        workspace.replace(&path, "one", &Stop::default()).unwrap();
        assert_eq!((names(), workspace.text(&path).unwrap().as_str()), (1, "one"));
    }
}
