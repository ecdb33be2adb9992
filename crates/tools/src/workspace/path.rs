//! A path in the workspace, as a caller writes it.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use strum::IntoStaticStr;

const BYTES_MAX: usize = 4_096;
/// Folders that belong to other programs: a hook or a setting written there runs later, unasked.
const CLOSED: [&str; 2] = [".git", ".provost"];
/// Files that say what an agent may do and what it is told. File tools read them, and never change them.
pub const GOVERNING_NAMES: [&str; 3] = ["provost.toml", "AGENTS.md", "CLAUDE.md"];

/// Names below the root, none of which leads up, and none of a closed folder. No names mean the root.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct WorkspacePath(Vec<String>);

/// Why a text names no place in the workspace.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub(crate) enum PathError {
    #[error("{0:?} leads outside the workspace: paths are relative to its root, without `..`")]
    OutsideWorkspace(String),
    #[error("{0:?} is closed to file tools")]
    Closed(String),
    #[error("a path has at most {BYTES_MAX} bytes and no control characters")]
    NotAPath,
}

impl WorkspacePath {
    /// The names from the root on.
    pub(crate) fn names(&self) -> &[String] {
        &self.0
    }

    /// The folder it is in, and its name there; none for the root.
    pub(crate) fn split(&self) -> Option<(Self, &str)> {
        let (name, folder) = self.0.split_last()?;
        Some((Self(folder.to_vec()), name))
    }

    /// The entry of this name in it; none when the name is closed.
    pub(crate) fn join(&self, name: &str) -> Option<Self> {
        if is_closed(name) {
            return None;
        }
        Some(Self(self.0.iter().map(String::as_str).chain([name]).map(str::to_owned).collect()))
    }

    /// Whether it is, or lies below, a file that governs agents.
    pub(crate) fn governs(&self) -> bool {
        let governs =
            |name: &String| GOVERNING_NAMES.iter().any(|governing| governing.eq_ignore_ascii_case(name));
        self.0.iter().any(governs)
    }

    /// For crates that want one.
    pub(crate) fn to_path_buf(&self) -> PathBuf {
        self.0.iter().collect()
    }
}

impl FromStr for WorkspacePath {
    type Err = PathError;

    fn from_str(text: &str) -> Result<Self, PathError> {
        if text.len() > BYTES_MAX || text.contains(|character: char| character.is_control()) {
            return Err(PathError::NotAPath);
        }
        let names = text.split('/').filter(|name| !matches!(*name, "" | "."));
        let names: Vec<String> = names.map(str::to_owned).collect();
        if text.starts_with('/') || names.iter().any(|name| name == "..") {
            return Err(PathError::OutsideWorkspace(text.to_owned()));
        }
        if names.iter().any(|name| is_closed(name)) {
            return Err(PathError::Closed(text.to_owned()));
        }
        Ok(Self(names))
    }
}

/// Whatever the case: there are file systems on which `.GIT` is `.git`.
fn is_closed(name: &str) -> bool {
    CLOSED.iter().any(|closed| closed.eq_ignore_ascii_case(name))
}

impl fmt::Display for WorkspacePath {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() { formatter.write_str(".") } else { formatter.write_str(&self.0.join("/")) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_names_below_the_root() {
        let named = |text: &str| text.parse::<WorkspacePath>().map(|path| path.to_string());
        for (text, names) in [("", "."), (".", "."), ("a//./b/", "a/b"), (".github/x", ".github/x")] {
            assert_eq!(named(text).as_deref(), Ok(names), "{text}");
        }
        for outside in ["/etc/passwd", "..", "a/../../b", "a/.."] {
            assert_eq!(named(outside), Err(PathError::OutsideWorkspace(outside.to_owned())));
        }
        for closed in [".git/config", "a/.GIT/hooks", ".Provost/provost.db"] {
            assert_eq!(named(closed), Err(PathError::Closed(closed.to_owned())));
        }
        for nonsense in ["a\0b", "a\nb", &"x".repeat(BYTES_MAX + 1)] {
            assert_eq!(named(nonsense), Err(PathError::NotAPath));
        }
    }
}
