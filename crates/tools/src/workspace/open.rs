//! Taking hold of a workspace.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cap_std::ambient_authority;
use cap_std::fs::Dir;

use super::WorkspacePath;
use crate::{Bounds, Limits};

/// A folder that tools work in. Clones share it.
#[derive(Clone, Debug)]
pub struct Workspace(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    root: Dir,
    path: PathBuf,
    limits: Limits,
    bounds: Option<Arc<dyn Bounds>>,
    writing: Mutex<()>,
}

/// Why a workspace could not be opened.
#[derive(Debug, thiserror::Error)]
#[error("{} cannot be a workspace", path.display())]
pub struct OpenError {
    path: PathBuf,
    source: io::Error,
}

impl Workspace {
    /// Opens a folder. The only code that trusts a path: it comes from the host's own configuration.
    ///
    /// # Errors
    /// When it is no folder that can be opened.
    pub fn open(root: impl AsRef<Path>, limits: Limits) -> Result<Self, OpenError> {
        Self::open_within(root, limits, None)
    }

    /// The same, with bounds for walks.
    ///
    /// # Errors
    /// When it is no folder that can be opened.
    pub fn open_within(
        root: impl AsRef<Path>,
        limits: Limits,
        bounds: Option<Arc<dyn Bounds>>,
    ) -> Result<Self, OpenError> {
        let refused = |source| OpenError { path: root.as_ref().to_owned(), source };
        let path = root.as_ref().canonicalize().map_err(refused)?;
        let root = Dir::open_ambient_dir(&path, ambient_authority()).map_err(refused)?;
        Ok(Self(Arc::new(Inner { root, path, limits, bounds, writing: Mutex::new(()) })))
    }

    /// What it allows.
    pub fn limits(&self) -> &Limits {
        &self.0.limits
    }

    /// Whether a walk of a tool leaves a place out.
    pub(super) fn hides(&self, tool: &str, path: &WorkspacePath) -> bool {
        self.0.bounds.as_ref().is_some_and(|bounds| bounds.hides(tool, &path.to_string()))
    }

    /// Whether no tool changes a place.
    pub(super) fn guards(&self, path: &WorkspacePath) -> bool {
        self.0.bounds.as_ref().is_some_and(|bounds| bounds.guards(&path.to_string()))
    }

    pub(super) fn root(&self) -> &Dir {
        &self.0.root
    }

    /// Where it is, for programs that are started in it.
    pub(crate) fn path(&self) -> &Path {
        &self.0.path
    }

    /// One change at a time: two calls of one turn may edit the same file.
    pub(crate) fn writing(&self) -> MutexGuard<'_, ()> {
        self.0.writing.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
