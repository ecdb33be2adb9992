//! Untrusted text outside a fence.

use super::fence::{Language, longest_run, write_fenced};
use super::turn_tags::neutral;

/// The line prefixes that structure the page.
const OUR_HEADINGS: [&str; 6] = [
    "## User request",
    "## Assistant protocol request and runtime observations",
    "## Assistant answer",
    "## Summary of earlier turns",
    "### Call ",
    "### Result for ",
];

/// Writes text unchanged, or in a fence if it could be mistaken for a part of the page.
pub(crate) fn write_prose(out: &mut String, text: &str) {
    let text = text.trim_matches(['\n', '\r']);
    if is_plain(text) {
        out.push_str(&neutral(text));
        out.push('\n');
    } else {
        write_fenced(out, Language::Markdown, text);
    }
}

/// The starts of HTML blocks that extend past blank lines and fences.
const SWALLOWING: [&str; 6] = ["<!", "<?", "<pre", "<script", "<style", "<textarea"];

/// Without three equal marks in a row no fence can open.
fn is_plain(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    longest_run(text, '`') < 3
        && longest_run(text, '~') < 3
        && !SWALLOWING.iter().any(|tag| lower.contains(tag))
        && !text.lines().any(|line| OUR_HEADINGS.iter().any(|ours| line.trim_start().starts_with(ours)))
}
