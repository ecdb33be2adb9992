//! Copying a project, so that a run changes the copy.

use std::fs;
use std::io;
use std::path::Path;

/// How much is copied at most.
const ENTRIES_MAX: usize = 10_000;

/// Copies folders and ordinary files; links and the rest are left out, for they may lead elsewhere.
pub(super) fn copy_folder(from: &Path, to: &Path) -> io::Result<()> {
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
