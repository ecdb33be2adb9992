//! The anchor file: the ends of runs, recorded outside the database where agents cannot write.

use std::fs::OpenOptions;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use crate::config::Project;
use crate::environment;
use crate::failure::{Code, Failure};

impl Project {
    /// Returns the anchor file of the project: from the environment, else from its `provost.toml`.
    pub fn anchor_file(&self) -> Option<PathBuf> {
        from_environment().or_else(|| Some(self.folder.join(self.file.storage.anchor.as_ref()?)))
    }
}

pub(crate) fn from_environment() -> Option<PathBuf> {
    let named = environment::anchor_file()?;
    Some(std::path::absolute(&named).unwrap_or(named))
}

/// Rejects a project whose anchor file is where its agents can write.
pub(crate) fn check_file(project: &Project) -> Result<(), Failure> {
    let Some(named) = &project.file.storage.anchor else { return Ok(()) };
    let checked = outside(&project.folder.join(named), &project.root());
    checked.map_err(|failure| failure.at(&project.file.place_of("anchor")))
}

/// Returns the anchor file of a project, open for appending. `root` is the folder the agent works in. A run
/// does not start if its end could not be recorded.
pub(crate) fn to_write(project: &Project, root: &Path) -> Result<Option<PathBuf>, Failure> {
    let Some(path) = project.anchor_file() else { return Ok(None) };
    outside(&path, &project.root())?;
    outside(&path, root)?;
    let opened = OpenOptions::new().create(true).append(true).mode(0o600).open(&path);
    opened.map(drop).map_err(|error| unwritable(&path, &error))?;
    Ok(Some(path))
}

impl Project {
    /// Checks that the ends of runs could be recorded; creates nothing.
    ///
    /// # Errors
    /// If the anchor file is in the workspace, or could not be written.
    pub fn check_anchor(&self) -> Result<Option<PathBuf>, Failure> {
        let Some(path) = self.anchor_file() else { return Ok(None) };
        outside(&path, &self.root())?;
        let there = if path.exists() { &path } else { path.parent().unwrap_or(&path) };
        match rustix::fs::access(there, rustix::fs::Access::WRITE_OK) {
            Ok(()) => Ok(Some(path)),
            Err(error) => Err(unwritable(&path, &error.into())),
        }
    }
}

fn unwritable(path: &Path, error: &std::io::Error) -> Failure {
    let message = format!("the anchor file {} cannot be written: {error}", path.display());
    Failure::new(Code::File, message)
        .hint("make its folder, or name another file with `anchor` in [storage] or PROVOST_ANCHOR_FILE")
}

/// Rejects a file in the workspace of an agent, with links resolved.
fn outside(path: &Path, root: &Path) -> Result<(), Failure> {
    if !is_inside(path, root) {
        return Ok(());
    }
    let message =
        format!("the anchor file {} is in the workspace, where an agent could change it", path.display());
    Err(Failure::new(Code::Config, message)
        .hint("name a file outside of it, such as /var/lib/provost/anchors.jsonl"))
}

/// Returns whether a path leads into a folder, with links resolved.
pub(crate) fn is_inside(path: &Path, folder: &Path) -> bool {
    resolved(path).starts_with(resolved(folder))
}

/// Resolves the links of a path, as far as it exists.
fn resolved(path: &Path) -> PathBuf {
    let there = path.ancestors().find_map(|above| Some((above, above.canonicalize().ok()?)));
    match there {
        Some((above, real)) => path.strip_prefix(above).map_or_else(|_| real.clone(), |rest| real.join(rest)),
        None => path.to_owned(),
    }
}
