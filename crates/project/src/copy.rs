//! Copying a project, so that a run changes the copy.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::config::Project;
use crate::data_dir::{self, DataDir};
use crate::failure::{Code, Failure};

/// The maximum number of entries in a copy.
const ENTRIES_MAX: usize = 10_000;

impl Project {
    /// Returns the folder that a run or a conversation works in: the project's own, or a copy.
    pub fn workspace(&self, data: &DataDir, name: &str) -> Result<PathBuf, Failure> {
        let root = self.root();
        if !self.file.workspace.copy {
            return Ok(root);
        }
        let copy = data.copy_of(name);
        if copy.is_dir() {
            return Ok(copy);
        }
        // The folder of copies is created with the storage, which hides it from git.
        data.open()?;
        // A copy exists as a whole or not at all, because a conversation continues with an existing copy.
        let partial = data.copy_of(&format!("{name}.partial"));
        let copies = data.file("work");
        data_dir::for_the_owner(&copies).map_err(|error| Failure::unwritable(&copies, &error))?;
        match copy_folder(&root, &partial).and_then(|()| std::fs::rename(&partial, &copy)) {
            Ok(()) => Ok(copy),
            Err(error) => {
                // A partial copy is useless; if it cannot be removed, the error says what is wrong.
                drop(std::fs::remove_dir_all(&partial));
                Err(uncopied(&root, &error))
            }
        }
    }
}

fn uncopied(root: &Path, error: &std::io::Error) -> Failure {
    let message = format!("{} cannot be copied: {error}", root.display());
    match error.kind() {
        std::io::ErrorKind::StorageFull => Failure::new(Code::Store, message).hint("free some space"),
        _ => Failure::new(Code::Project, message)
            .hint("make it readable, or set copy = false under [workspace]"),
    }
}

/// Copies folders and regular files; links and special files are skipped, because they may lead elsewhere.
fn copy_folder(from: &Path, to: &Path) -> io::Result<()> {
    let mut left = ENTRIES_MAX;
    copy_into(from, to, &mut left)
}

fn copy_into(from: &Path, to: &Path, left: &mut usize) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        *left = left.checked_sub(1).ok_or_else(|| {
            io::Error::other(format!("there are more than {ENTRIES_MAX} files; set copy = false"))
        })?;
        let kind = entry.file_type()?;
        let target = to.join(entry.file_name());
        if kind.is_dir() && entry.file_name() != ".provost" && entry.file_name() != ".git" {
            copy_into(&entry.path(), &target, left)?;
        } else if kind.is_file() {
            fs::copy(entry.path(), &target)?;
        }
    }
    Ok(())
}
