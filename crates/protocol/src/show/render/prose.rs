//! Foreign text that stands on the page by itself.

use super::fence::{Language, longest_run, write_fenced};
use super::turn_tags::neutral;

/// The beginnings of lines that give our page its shape.
const OUR_HEADINGS: [&str; 6] = [
    "## User request",
    "## Assistant protocol request and runtime observations",
    "## Assistant answer",
    "## Summary of earlier turns",
    "### Call ",
    "### Result for ",
];

/// Writes text as it is, unless it could pass for a part of the page: then it stands in a fence.
pub(crate) fn write_prose(out: &mut String, text: &str) {
    let text = text.trim_matches(['\n', '\r']);
    if is_plain(text) {
        out.push_str(&neutral(text));
        out.push('\n');
    } else {
        write_fenced(out, Language::Markdown, text);
    }
}

/// The beginnings of HTML that Markdown reads on until its own end, past blank lines and fences.
const SWALLOWING: [&str; 6] = ["<!", "<?", "<pre", "<script", "<style", "<textarea"];

/// Without three equal marks in a row no fence can open.
fn is_plain(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    longest_run(text, '`') < 3
        && longest_run(text, '~') < 3
        && !SWALLOWING.iter().any(|tag| lower.contains(tag))
        && !text.lines().any(|line| OUR_HEADINGS.iter().any(|ours| line.trim_start().starts_with(ours)))
}
