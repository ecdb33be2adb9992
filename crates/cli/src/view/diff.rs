//! A unified diff as numbered lines.

use crate::text::{Line, Role, Span};

/// The width of the line numbers and the sign.
const GUTTER: usize = 9;

/// A diff, and its size.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Diff {
    pub(crate) added: usize,
    pub(crate) removed: usize,
    pub(crate) hunks: usize,
    pub(crate) lines: Vec<Line>,
}

impl Diff {
    /// Parses a unified diff.
    pub(crate) fn read(text: &str) -> Self {
        let mut diff =
            Self { hunks: text.lines().filter(|line| line.starts_with("@@ ")).count(), ..Self::default() };
        let (mut old, mut new, mut hunk) = (0, 0, 0);
        for line in text.lines() {
            if let Some((left, right)) = numbers(line) {
                (old, new, hunk) = (left, right, hunk + 1);
                diff.head(hunk);
                continue;
            }
            // The lines before the first hunk name the file, which the question shows already.
            if hunk == 0 {
                continue;
            }
            match (line.get(..1).unwrap_or_default(), line.get(1..).unwrap_or_default()) {
                ("+", text) => {
                    diff.added += 1;
                    diff.push(new, "+", text, Role::Done, "added");
                    new += 1;
                }
                ("-", text) => {
                    diff.removed += 1;
                    diff.push(old, "-", text, Role::Bad, "removed");
                    old += 1;
                }
                ("\\", text) => diff.lines.push(note(text.trim())),
                (_, text) => {
                    diff.push(new, " ", text, Role::Text, "");
                    (old, new) = (old + 1, new + 1);
                }
            }
        }
        diff
    }

    /// Formats the size: `+1 -1`.
    pub(crate) fn size(&self) -> String {
        let hunks = if self.hunks > 1 { format!(" in {} hunks", self.hunks) } else { String::new() };
        format!("+{} -{}{hunks}", self.added, self.removed)
    }

    fn head(&mut self, hunk: usize) {
        if self.hunks > 1 {
            self.lines.push(note(&format!("@@ {hunk} of {}", self.hunks)));
        }
    }

    fn push(&mut self, number: usize, sign: &str, text: &str, role: Role, what: &str) {
        let subject = format!("diff: line {number} {what}");
        let number = Span::label(format!("{number:>6} "), Role::Quiet);
        let spans = vec![number, Span::label(format!("{sign} "), role), Span::new(text, role)];
        self.lines.push(Line::note(subject.trim_end(), spans).gutter(GUTTER));
    }
}

fn note(text: &str) -> Line {
    Line::note("diff", vec![Span::quiet(format!("{:7}{text}", ""))]).gutter(GUTTER)
}

/// Parses the first lines of a hunk, before and after: `@@ -1,3 +1,3 @@`.
fn numbers(line: &str) -> Option<(usize, usize)> {
    let (left, right) = line.strip_prefix("@@ -")?.split_once(" +")?;
    let first = |text: &str| text.split([',', ' ']).next().and_then(|number| number.parse().ok());
    Some((first(left)?, first(right)?))
}
