//! The lines that were entered before, in a file that only its owner can read.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

/// How many lines are read again.
const LINES_MAX: usize = 1_000;

/// What was entered, the newest last, and which of it is shown.
#[derive(Default)]
pub(crate) struct History {
    file: PathBuf,
    lines: Vec<String>,
    shown: Option<usize>,
    /// What was typed before older lines were looked at.
    draft: String,
}

impl History {
    /// Reads the file. Without one a person can still type.
    pub(crate) fn open(file: &Path) -> Self {
        let text = fs::read_to_string(file).unwrap_or_default();
        let lines: Vec<String> = text.lines().map(unescaped).collect();
        let over = lines.len().saturating_sub(LINES_MAX);
        let lines = lines.into_iter().skip(over).collect();
        Self { file: file.to_owned(), lines, ..Self::default() }
    }

    /// Adds a line, and stores it. One that begins with a space is not stored.
    pub(crate) fn add(&mut self, line: &str) {
        self.shown = None;
        if line.trim().is_empty()
            || line.starts_with(' ')
            || self.lines.last().is_some_and(|last| last == line)
        {
            return;
        }
        self.lines.push(line.to_owned());
        let opened = OpenOptions::new().create(true).append(true).mode(0o600).open(&self.file);
        // A history that cannot be stored is no reason to stop.
        drop(opened.and_then(|mut file| file.write_all(format!("{}\n", escaped(line)).as_bytes())));
    }

    /// The line before the one that is shown.
    pub(crate) fn older(&mut self, typed: &str) -> Option<&str> {
        let next = match self.shown {
            None => {
                typed.clone_into(&mut self.draft);
                self.lines.len().checked_sub(1)?
            }
            Some(shown) => shown.checked_sub(1)?,
        };
        self.shown = Some(next);
        self.lines.get(next).map(String::as_str)
    }

    /// The line behind the one that is shown; at last what was typed.
    pub(crate) fn newer(&mut self) -> Option<&str> {
        let next = self.shown? + 1;
        if next < self.lines.len() {
            self.shown = Some(next);
            return self.lines.get(next).map(String::as_str);
        }
        self.shown = None;
        Some(&self.draft)
    }
}

/// One line of the file for each entry, however many lines it has.
fn escaped(line: &str) -> String {
    line.replace('\\', "\\\\").replace('\n', "\\n")
}

fn unescaped(line: &str) -> String {
    let (mut text, mut letters) = (String::new(), line.chars());
    while let Some(letter) = letters.next() {
        match (letter, letter == '\\') {
            (_, true) => match letters.next() {
                Some('n') => text.push('\n'),
                other => text.extend(other),
            },
            (letter, false) => text.push(letter),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_back_newest_first_and_the_draft_last() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("history");
        let mut history = History::open(&file);
        [" secret", "one", "two\nlines \\n", "two\nlines \\n"].iter().for_each(|line| history.add(line));
        for mut history in [history, History::open(&file)] {
            assert_eq!(history.older("dra"), Some("two\nlines \\n"));
            assert_eq!(history.older(""), Some("one"));
            assert_eq!(history.older(""), None);
            assert_eq!(history.newer(), Some("two\nlines \\n"));
            assert_eq!(history.newer(), Some("dra"));
            assert_eq!(history.newer(), None);
        }
    }
}
