//! Looking at everything below a folder, in the order of names.

use std::ops::ControlFlow;

use cap_std::fs::{Dir, DirEntry, File, FileType};

use super::ignored::Ignored;
use super::reach::{failed, open_file, step, target};
use super::{FileError, Workspace, WorkspacePath};
use crate::blocking::Stop;

/// What an entry is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum EntryKind {
    File,
    Folder,
    /// A symbolic link, and what it says. It is shown and never followed.
    Link(String),
    /// A pipe, socket or device.
    Special,
}

/// One entry on the way.
pub(crate) struct Found<'a> {
    pub(crate) path: WorkspacePath,
    pub(crate) kind: EntryKind,
    folder: &'a Dir,
}

impl Found<'_> {
    /// Opens it, if it is an ordinary file.
    pub(crate) fn open(&self) -> Result<File, FileError> {
        let name = self.path.names().last().map_or("", String::as_str);
        open_file(self.folder, name, &self.path)
    }
}

/// A walk below a folder. Hidden files are seen; ignored ones, closed folders and what is out of bounds are not.
pub(crate) struct Walk<'a> {
    workspace: &'a Workspace,
    stop: &'a Stop,
    tool: &'static str,
    depth_max: usize,
    ignored: Ignored,
    walked: usize,
    /// The number of entries that cannot be named or opened.
    pub(crate) skipped: usize,
}

/// The folder a walk is in.
#[derive(Clone, Copy)]
struct Here<'h> {
    folder: &'h Dir,
    path: &'h WorkspacePath,
    depth: usize,
}

type Visit<'v> = dyn FnMut(Found<'_>) -> ControlFlow<()> + 'v;

impl<'a> Walk<'a> {
    pub(crate) fn new(
        workspace: &'a Workspace,
        stop: &'a Stop,
        tool: &'static str,
        depth_max: usize,
    ) -> Self {
        let depth_max = depth_max.min(workspace.limits().files.depth_max);
        Self { workspace, stop, tool, depth_max, ignored: Ignored::default(), walked: 0, skipped: 0 }
    }

    /// Visits every entry until the visitor has enough. Says whether all was seen.
    pub(crate) fn run(
        &mut self,
        start: &WorkspacePath,
        visit: &mut Visit<'_>,
    ) -> Result<ControlFlow<()>, FileError> {
        let folder = self.enter_start(start)?;
        self.folder(Here { folder: &folder, path: start, depth: 1 }, visit)
    }

    /// The rules of the folders above hold below them too.
    fn enter_start(&mut self, start: &WorkspacePath) -> Result<Dir, FileError> {
        let mut here = WorkspacePath::default();
        let mut folder = self.workspace.folder(&here)?;
        for name in start.names() {
            self.ignored.enter(&folder, &here);
            folder = step(&folder, name, start)?;
            here = here.join(name).unwrap_or_default();
        }
        Ok(folder)
    }

    fn folder(&mut self, here: Here<'_>, visit: &mut Visit<'_>) -> Result<ControlFlow<()>, FileError> {
        self.ignored.enter(here.folder, here.path);
        let mut end = ControlFlow::Continue(());
        for (name, file_type) in self.names(here)? {
            self.stop.check()?;
            end = self.entry(here, &name, file_type, visit)?;
            if end.is_break() {
                break;
            }
        }
        self.ignored.leave();
        Ok(end)
    }

    fn entry(
        &mut self,
        here: Here<'_>,
        name: &str,
        file_type: FileType,
        visit: &mut Visit<'_>,
    ) -> Result<ControlFlow<()>, FileError> {
        self.walked += 1;
        if self.walked > self.workspace.limits().files.walked_max {
            return Ok(ControlFlow::Break(()));
        }
        let Some(path) = here.path.join(name) else { return Ok(ControlFlow::Continue(())) };
        let kind = kind_of(here.folder, name, file_type);
        if self.ignored.hide(&path, &kind) || self.workspace.hides(self.tool, &path) {
            return Ok(ControlFlow::Continue(()));
        }
        let is_entered = kind == EntryKind::Folder && here.depth < self.depth_max;
        let visited = visit(Found { path: path.clone(), kind, folder: here.folder });
        if visited.is_break() || !is_entered {
            return Ok(visited);
        }
        let Ok(below) = step(here.folder, name, &path) else {
            self.skipped += 1;
            return Ok(ControlFlow::Continue(()));
        };
        self.folder(Here { folder: &below, path: &path, depth: here.depth + 1 }, visit)
    }

    /// The entries of a folder that have a name in UTF-8, in order.
    fn names(&mut self, here: Here<'_>) -> Result<Vec<(String, FileType)>, FileError> {
        let entries = here.folder.entries().map_err(|source| failed(here.path, source))?;
        let mut names = Vec::new();
        for entry in entries.take(self.workspace.limits().files.walked_max) {
            match entry.ok().as_ref().and_then(named) {
                Some(named) => names.push(named),
                None => self.skipped += 1,
            }
        }
        names.sort_by(|(one, _), (other, _)| one.cmp(other));
        Ok(names)
    }
}

fn named(entry: &DirEntry) -> Option<(String, FileType)> {
    Some((entry.file_name().into_string().ok()?, entry.file_type().ok()?))
}

fn kind_of(folder: &Dir, name: &str, file_type: FileType) -> EntryKind {
    if file_type.is_dir() {
        EntryKind::Folder
    } else if file_type.is_file() {
        EntryKind::File
    } else if file_type.is_symlink() {
        EntryKind::Link(target(folder, name))
    } else {
        EntryKind::Special
    }
}
