//! Heading lines, and the keys made of them.

use crate::slug;

/// The key of what stands before the first heading.
pub(super) const PREAMBLE: &str = "__preamble";
/// The deepest heading there is.
pub(super) const LEVEL_MAX: usize = 6;

/// A heading line, read.
pub(super) struct Heading<'a> {
    /// From 1 to 6.
    pub(super) level: usize,
    /// Without the hashes at either end; may be empty.
    pub(super) text: &'a str,
}

impl<'a> Heading<'a> {
    /// Reads a line (with or without its line end) that starts with one to six hashes and then ends or
    /// goes on after a space.
    pub(super) fn read(line: &'a str) -> Option<Self> {
        let line = line.trim_end_matches(['\r', '\n']);
        let rest = line.trim_start_matches('#');
        let level = line.len() - rest.len();
        let is_heading =
            (1..=LEVEL_MAX).contains(&level) && (rest.is_empty() || rest.starts_with([' ', '\t']));
        is_heading.then(|| Self { level, text: without_closing_hashes(rest.trim()) })
    }
}

/// Drops the hashes some writers close a heading with; hashes that are part of a word stay.
fn without_closing_hashes(text: &str) -> &str {
    let open = text.trim_end_matches('#');
    if open.len() < text.len() && open.ends_with([' ', '\t']) { open.trim_end() } else { text }
}

/// The key of a path of headings; nothing has the key of the preamble.
pub(super) fn path_key<'a>(path: impl IntoIterator<Item = &'a str>) -> String {
    let keys: Vec<String> = path.into_iter().map(key).collect();
    if keys.is_empty() { PREAMBLE.to_owned() } else { keys.join("/") }
}

fn key(text: &str) -> String {
    let key = slug(text);
    if key.is_empty() { "untitled".to_owned() } else { key }
}
