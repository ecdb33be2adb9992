//! Code fences that their content cannot close.

use super::turn_tags::{neutral, neutral_json};

/// The content of a fence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    /// Markdown or plain text.
    Markdown,
    /// One JSON value.
    Json,
    /// A call, its arguments as JSON.
    Shell,
}

impl Language {
    fn word(self) -> &'static str {
        match self {
            Self::Markdown => "md",
            Self::Json => "json",
            Self::Shell => "shell",
        }
    }
}

/// Writes the content between fences longer than any run of backticks in it, with turn tags escaped.
pub(crate) fn write_fenced(out: &mut String, language: Language, content: &str) {
    let content = match language {
        Language::Markdown => neutral(content),
        Language::Json | Language::Shell => neutral_json(content),
    };
    let fence = "`".repeat(longest_run(&content, '`').max(2) + 1);
    out.push_str(&fence);
    out.push_str(language.word());
    out.push('\n');
    out.push_str(&content);
    if !content.ends_with('\n') {
        out.push('\n');
    }
    out.push_str(&fence);
    out.push('\n');
}

/// The length of the longest run of one character.
pub(super) fn longest_run(text: &str, character: char) -> usize {
    let (mut longest, mut run) = (0, 0);
    for found in text.chars() {
        run = if found == character { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}
