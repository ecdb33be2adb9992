//! What a person may mean by the beginning of a word: a command behind `/`, a file behind `@`.

use std::fs;
use std::path::PathBuf;

use super::EditLine;

/// How many names are shown.
const NAMES_MAX: usize = 20;

/// Completes words.
#[derive(Default)]
pub(crate) struct Complete {
    /// The words of commands, without their slash.
    pub(crate) commands: Vec<&'static str>,
    /// Where files are looked for.
    pub(crate) folder: PathBuf,
}

impl Complete {
    /// Adds to the word before the cursor as much as is certain. Returns the names that it may become, if nothing is.
    pub(super) fn complete(&self, line: &mut EditLine) -> Vec<String> {
        let before = line.text().get(..line.at()).unwrap_or_default();
        let word = before.rsplit(char::is_whitespace).next().unwrap_or_default().to_owned();
        let names = match word.strip_prefix('@') {
            Some(path) => self.files(path),
            None if before == word && word.starts_with('/') => self.commands_like(&word),
            None => return Vec::new(),
        };
        let Some(common) = common(&names) else { return Vec::new() };
        let more = common.get(word.len()..).unwrap_or_default();
        let is_whole = names.len() == 1 && !common.ends_with('/');
        let more = format!("{more}{}", if is_whole { " " } else { "" });
        if more.is_empty() {
            return names.into_iter().take(NAMES_MAX).collect();
        }
        line.insert(&more);
        Vec::new()
    }

    fn commands_like(&self, word: &str) -> Vec<String> {
        let all = self.commands.iter().map(|command| format!("/{command}"));
        all.filter(|command| command.starts_with(word)).collect()
    }

    /// The files and folders that a path may become.
    fn files(&self, path: &str) -> Vec<String> {
        let (folder, begin) = path.rsplit_once('/').map_or(("", path), |(folder, begin)| (folder, begin));
        let read = fs::read_dir(self.folder.join(folder)).into_iter().flatten().flatten();
        let mut names: Vec<String> = read
            .filter_map(|entry| {
                let name = entry.file_name().into_string().ok()?;
                let is_meant = name.starts_with(begin) && (!name.starts_with('.') || begin.starts_with('.'));
                let end = if entry.path().is_dir() { "/" } else { "" };
                let parent = if folder.is_empty() { String::new() } else { format!("{folder}/") };
                // A name with a space or a control character would not be one word.
                let is_word = !name.contains(|letter: char| letter.is_whitespace() || letter.is_control());
                (is_meant && is_word).then(|| format!("@{parent}{name}{end}"))
            })
            .collect();
        names.sort();
        names
    }
}

/// How all names begin.
fn common(names: &[String]) -> Option<&str> {
    let first = names.first()?;
    let is_shared =
        |end: &usize| first.get(..*end).is_some_and(|begin| names.iter().all(|name| name.starts_with(begin)));
    let end = (0..=first.len()).rev().find(is_shared)?;
    first.get(..end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_and_files_are_completed_as_far_as_is_certain() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("src")).unwrap();
        for file in ["src/sum.sh", "src/sub.sh", "src/.hidden", "README.md"] {
            fs::write(folder.path().join(file), "").unwrap();
        }
        let complete =
            Complete { commands: vec!["sessions", "help", "happened"], folder: folder.path().to_owned() };
        let after = |text: &str| {
            let mut line = EditLine::default();
            line.set(text);
            let names = complete.complete(&mut line);
            (line.text().to_owned(), names.join(" "))
        };
        assert_eq!(after("/se"), ("/sessions ".to_owned(), String::new()));
        assert_eq!(after("/h"), ("/h".to_owned(), "/help /happened".to_owned()));
        assert_eq!(after("look at @s"), ("look at @src/".to_owned(), String::new()));
        assert_eq!(after("@src/s"), ("@src/su".to_owned(), String::new()));
        assert_eq!(after("@src/"), ("@src/su".to_owned(), String::new()));
        assert_eq!(after("@src/su"), ("@src/su".to_owned(), "@src/sub.sh @src/sum.sh".to_owned()));
        assert_eq!(after("@R"), ("@README.md ".to_owned(), String::new()));
        assert_eq!(after("say /se"), ("say /se".to_owned(), String::new()));
        assert_eq!(after("@nothing"), ("@nothing".to_owned(), String::new()));
    }
}
