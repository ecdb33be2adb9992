//! Private reasoning between `<think>` tags: never shown, never a carrier, never recovered.

use std::borrow::Cow;

const OPEN: &str = "<think>";
const CLOSE: &str = "</think>";

/// A text without private reasoning, and the positions of the cuts.
#[derive(Clone, Debug)]
pub(crate) struct Visible<'a> {
    original: &'a str,
    text: Cow<'a, str>,
    /// For each cut: its offset in `text`, and the number of bytes removed up to there.
    cuts: Vec<(usize, usize)>,
}

impl<'a> Visible<'a> {
    /// Removes private reasoning. Text after an unclosed tag is private, and so is
    /// text before an unopened one: some models get their first tag from the template.
    pub(crate) fn of(original: &'a str) -> Self {
        if !original.contains(OPEN) && !original.contains(CLOSE) {
            return Self { original, text: original.into(), cuts: Vec::new() };
        }
        let (mut text, mut cuts, mut cut_bytes) = (String::new(), Vec::new(), 0);
        let (mut depth, mut start) = (0_usize, 0);
        for (tag_at, tag) in tags(original) {
            let at = tag_at + tag.len();
            let opens = tag == OPEN;
            if opens && depth == 0 {
                text.push_str(original.get(start..tag_at).unwrap_or_default());
                start = tag_at;
            } else if !opens && depth == 0 {
                text.clear();
                cuts.clear();
                cut_bytes = 0;
                start = 0;
            }
            depth = if opens { depth + 1 } else { depth.saturating_sub(1) };
            if depth == 0 {
                cut_bytes += at - start;
                cuts.push((text.len(), cut_bytes));
                start = at;
            }
        }
        if depth == 0 {
            text.push_str(original.get(start..).unwrap_or_default());
        }
        Self { original, text: text.into(), cuts }
    }

    /// Returns the visible text.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Returns the whole text, including reasoning.
    pub(crate) fn original(&self) -> &'a str {
        self.original
    }

    /// Converts an offset in the visible text to one in the whole text.
    pub(crate) fn original_byte(&self, byte: usize) -> usize {
        let cut = self.cuts.iter().rev().find(|(before, _)| *before <= byte).map_or(0, |(_, cut)| *cut);
        byte + cut
    }
}

/// Returns the tags of a text, in order.
fn tags(text: &str) -> impl Iterator<Item = (usize, &'static str)> {
    text.match_indices("think>").filter_map(|(at, _)| {
        let before = text.get(..at)?;
        let found = |tag: &'static str| before.ends_with(tag.strip_suffix("think>")?).then_some(tag);
        let tag = found(CLOSE).or_else(|| found(OPEN))?;
        Some((at + "think>".len() - tag.len(), tag))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(original: &str, visible: &str) {
        let cut = Visible::of(original);
        assert_eq!(cut.text(), visible, "{original}");
        for (byte, character) in cut.text().char_indices() {
            let behind = original.get(cut.original_byte(byte)..).unwrap();
            assert!(behind.starts_with(character), "{original}: byte {byte}");
        }
    }

    #[test]
    fn reasoning_is_cut_and_places_stay_true() {
        check("plain", "plain");
        check("<think>a</think>b", "b");
        check("é<think>a</think>b<think>c</think>d", "ébd");
        check("a<think>b<think>c</think>d</think>e", "ae");
        check("a<think>b", "a");
        check("private</think>b", "b");
        check("<think>a</think>b</think>c", "c");
    }
}
