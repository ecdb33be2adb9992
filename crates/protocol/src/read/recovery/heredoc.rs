//! A call in the notation of transcripts: `tool <name> <<'JSON'`, the arguments, `JSON`.

use std::ops::Range;

use crate::read::text::Document;

const OPEN: &str = "<<'JSON'";
const CLOSE: &str = "JSON";
const SHELLS: [&str; 4] = ["shell", "sh", "bash", "console"];

/// One heredoc.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Heredoc {
    /// The whole range, including the fence around it.
    pub(super) range: Range<usize>,
    /// The class of executor it names.
    pub(super) class: String,
    /// The executor it names.
    pub(super) name: String,
    /// The text between the delimiters; `None` if the end is missing.
    pub(super) body: Option<Range<usize>>,
    /// Whether the fence around it contains anything else.
    pub(super) crowded: bool,
}

/// Finds the heredocs of a text: bare ones, and those in a fence for a shell.
pub(super) fn find_heredocs(document: &Document<'_>) -> Vec<Heredoc> {
    let text = document.text();
    let mut found: Vec<Heredoc> =
        scan(text, 0..text.len()).into_iter().filter(|call| !document.is_code(call.range.start)).collect();
    for fence in document.fences().iter().filter(|fence| SHELLS.contains(&fence.language.as_str())) {
        let inside = scan(text, fence.body.clone());
        let alone = |call: &Heredoc| {
            let before = text.get(fence.body.start..call.range.start).unwrap_or_default();
            let after = text.get(call.range.end..fence.body.end).unwrap_or_default();
            before.trim().is_empty() && after.trim().is_empty()
        };
        found.extend(inside.into_iter().map(|call| Heredoc {
            crowded: !alone(&call),
            range: fence.range.clone(),
            ..call
        }));
    }
    found
}

fn scan(text: &str, range: Range<usize>) -> Vec<Heredoc> {
    let mut found = Vec::new();
    let mut open: Option<Heredoc> = None;
    let mut at = range.start;
    for line in text.get(range.clone()).unwrap_or_default().split_inclusive('\n') {
        let end = at + line.len();
        let trimmed_end = at + line.trim_end().len();
        match &mut open {
            Some(call) if line.trim_end() == CLOSE => {
                let body_start = call.range.end;
                call.body = Some(body_start..at);
                call.range.end = trimmed_end;
                found.extend(open.take());
            }
            Some(_) => {}
            None => {
                open = header(line).map(|(class, name)| Heredoc {
                    range: at..end,
                    class,
                    name,
                    body: None,
                    crowded: false,
                });
            }
        }
        at = end;
    }
    found.extend(open.map(|call| Heredoc { range: call.range.start..range.end, ..call }));
    found
}

fn header(line: &str) -> Option<(String, String)> {
    let mut words = line.split_whitespace();
    let (class, name, open) = (words.next()?, words.next()?, words.next()?);
    let plain = !line.starts_with([' ', '\t']) && words.next().is_none() && open == OPEN;
    plain.then(|| (class.to_owned(), name.to_owned()))
}
