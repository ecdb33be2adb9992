//! Which entries ignore files hide.

use cap_std::fs::Dir;
use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::reach::open_file;
use super::read::read_text;
use super::{EntryKind, WorkspacePath};

/// In the order in which a later one overrules an earlier one.
const FILES: [&str; 2] = [".gitignore", ".ignore"];
const FILE_BYTES_MAX: u64 = 1024 * 1024;

/// The rules of the folders from the root down to where a walk is.
#[derive(Default)]
pub(super) struct Ignored(Vec<Gitignore>);

impl Ignored {
    /// Enters a folder: its rules are added. A file that cannot be read has none.
    pub(super) fn enter(&mut self, folder: &Dir, path: &WorkspacePath) {
        let mut rules = GitignoreBuilder::new(path.to_path_buf());
        for name in FILES {
            let text = open_file(folder, name, path).and_then(|file| read_text(file, path, FILE_BYTES_MAX));
            for line in text.iter().flat_map(|text| text.lines()) {
                // A line that is no pattern hides nothing.
                let _ = rules.add_line(None, line);
            }
        }
        self.0.push(rules.build().unwrap_or_else(|_| Gitignore::empty()));
    }

    /// Leaves the folder entered last.
    pub(super) fn leave(&mut self) {
        self.0.pop();
    }

    /// Whether an entry is hidden. The folder nearest to it has the last word.
    pub(super) fn hide(&self, path: &WorkspacePath, kind: &EntryKind) -> bool {
        let path = path.to_path_buf();
        let is_folder = *kind == EntryKind::Folder;
        let said = self.0.iter().rev().map(|rules| rules.matched(&path, is_folder));
        let mut said = said.filter(|said| !matches!(said, Match::None));
        said.next().is_some_and(|said| said.is_ignore())
    }
}
