//! Parses a message as CommonMark: its protocol blocks, sections and prose.

use std::collections::HashMap;
use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag};

use super::section_name;

const MARK: &str = "agent-protocol";
/// The maximum indentation; more makes it code.
const INDENT_MAX: usize = 3;

/// A fenced block that contains a declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ProtocolBlock {
    /// The whole block, including fences.
    pub(crate) range: Range<usize>,
    /// The content between the fences.
    pub(crate) body: Range<usize>,
    /// Whether the closing fence is there.
    pub(crate) closed: bool,
}

/// A fenced code block of any kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CodeFence {
    /// The whole block, including fences.
    pub(crate) range: Range<usize>,
    /// The content between the fences.
    pub(crate) body: Range<usize>,
    /// The first word of its info string.
    pub(crate) language: String,
}

#[derive(Clone, Debug)]
struct Heading {
    range: Range<usize>,
    level: usize,
}

/// A parsed text.
#[derive(Debug)]
pub(crate) struct Document<'a> {
    text: &'a str,
    blocks: Vec<ProtocolBlock>,
    fences: Vec<CodeFence>,
    code_spans: Vec<Range<usize>>,
    headings: Vec<Heading>,
    by_name: HashMap<String, Vec<usize>>,
}

/// The result of a section lookup.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Lookup {
    /// No such section.
    Missing,
    /// Exactly one; its text may be empty.
    Found(String),
    /// More than one.
    Several,
}

impl<'a> Document<'a> {
    /// Parses a text. Only blocks at the left edge count: a quoted block or heading is a quotation.
    pub(crate) fn read(text: &'a str) -> Self {
        let mut document = Self {
            text,
            blocks: Vec::new(),
            fences: Vec::new(),
            code_spans: Vec::new(),
            headings: Vec::new(),
            by_name: HashMap::new(),
        };
        for (event, range) in Parser::new(text).into_offset_iter() {
            if let Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) = event {
                document.add_fence(&info, range);
            } else if let Event::Start(Tag::Heading { .. }) = event {
                document.add_heading(range);
            } else if let Event::Code(_) = event {
                document.code_spans.push(range);
            }
        }
        document
    }

    fn add_fence(&mut self, info: &str, range: Range<usize>) {
        let (body, closed) = fence_body(self.text, &range);
        if has_mark(info) && stands_at_the_edge(self.text, range.start) {
            self.blocks.push(ProtocolBlock { range: range.clone(), body: body.clone(), closed });
        }
        let language = info.split_whitespace().next().unwrap_or_default().to_owned();
        self.fences.push(CodeFence { range, body, language });
    }

    /// Underlined headings are not sections: in a task text the line is meant as a rule.
    fn add_heading(&mut self, range: Range<usize>) {
        let line = self.text.get(range.clone()).unwrap_or_default();
        let level = line.bytes().take_while(|byte| *byte == b'#').count();
        if level == 0 || !stands_at_the_edge(self.text, range.start) {
            return;
        }
        let name = section_name(heading_text(line));
        self.by_name.entry(name).or_default().push(self.headings.len());
        self.headings.push(Heading { range, level });
    }

    /// Returns the text.
    pub(crate) fn text(&self) -> &'a str {
        self.text
    }

    /// Returns the protocol blocks, in order.
    pub(crate) fn blocks(&self) -> &[ProtocolBlock] {
        &self.blocks
    }

    /// Returns the code fences, in order.
    pub(crate) fn fences(&self) -> &[CodeFence] {
        &self.fences
    }

    /// Returns whether an offset is inside a code fence or a code span.
    pub(crate) fn is_code(&self, byte: usize) -> bool {
        // Both lists are ordered and do not overlap.
        let fences = self.fences.partition_point(|fence| fence.range.start <= byte);
        let spans = self.code_spans.partition_point(|span| span.start <= byte);
        let fence = fences.checked_sub(1).and_then(|last| self.fences.get(last));
        let span = spans.checked_sub(1).and_then(|last| self.code_spans.get(last));
        fence.is_some_and(|fence| byte < fence.range.end) || span.is_some_and(|span| byte < span.end)
    }

    /// Returns the names of all sections, in no order.
    pub(crate) fn section_names(&self) -> impl Iterator<Item = &str> {
        self.by_name.keys().map(String::as_str)
    }

    /// Returns the section with a name, in normalised spelling.
    pub(crate) fn section(&self, name: &str) -> Lookup {
        let name = section_name(name);
        let hits = self.by_name.get(&name).filter(|_| !name.is_empty()).map_or(&[][..], Vec::as_slice);
        match hits {
            [] => Lookup::Missing,
            [index] => Lookup::Found(self.section_text(*index)),
            [_, _, ..] => Lookup::Several,
        }
    }

    /// From the heading to the next one of the same or a higher level.
    fn section_text(&self, index: usize) -> String {
        let Some(heading) = self.headings.get(index) else { return String::new() };
        let later = self.headings.iter().skip(index + 1).find(|next| next.level <= heading.level);
        let end = later.map_or(self.text.len(), |next| line_start(self.text, next.range.start));
        self.without_blocks(heading.range.end..end)
    }

    /// Returns the text without the protocol blocks.
    pub(crate) fn whole_prose(&self) -> Option<String> {
        not_blank(&self.without_blocks(0..self.text.len()))
    }

    /// Returns the text before the first heading, without the protocol blocks.
    pub(crate) fn lead_prose(&self) -> Option<String> {
        let end =
            self.headings.first().map_or(self.text.len(), |first| line_start(self.text, first.range.start));
        not_blank(&self.without_blocks(0..end))
    }

    fn without_blocks(&self, range: Range<usize>) -> String {
        let cuts: Vec<Range<usize>> = self.blocks.iter().map(|block| block.range.clone()).collect();
        joined(self.text, range, &cuts)
    }
}

/// Returns the text of a range without some parts; the gaps become one blank line.
pub(crate) fn joined(text: &str, range: Range<usize>, cuts: &[Range<usize>]) -> String {
    let mut pieces = Vec::new();
    let mut start = range.start;
    for cut in cuts.iter().filter(|cut| range.start <= cut.start && cut.end <= range.end) {
        pieces.push(text.get(start..cut.start).unwrap_or_default());
        start = cut.end;
    }
    pieces.push(text.get(start..range.end).unwrap_or_default());
    let kept: Vec<&str> =
        pieces.into_iter().map(without_blank_edges).filter(|piece| !piece.is_empty()).collect();
    kept.join("\n\n")
}

/// Removes blank lines at the start and blanks at the end; the indentation of the first line stays.
fn without_blank_edges(text: &str) -> &str {
    let text = text.trim_end();
    let blank = text.len() - text.trim_start().len();
    let first_line = text.get(..blank).and_then(|blank| blank.rfind('\n')).map_or(0, |newline| newline + 1);
    text.get(first_line..).unwrap_or_default()
}

fn not_blank(text: &str) -> Option<String> {
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// Returns whether the text closes all its fences and HTML blocks, so that a following heading is a heading.
pub(crate) fn is_self_contained(text: &str) -> bool {
    let probe = format!("{text}\n\n# end");
    let document = Document::read(&probe);
    document
        .headings
        .last()
        .is_some_and(|last| last.level == 1 && last.range.start == probe.len() - "# end".len())
}

fn has_mark(info: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    info.match_indices(MARK).any(|(at, mark)| {
        let before = info.get(..at).and_then(|before| before.chars().next_back());
        let after = info.get(at + mark.len()..).and_then(|after| after.chars().next());
        !before.is_some_and(is_word) && !after.is_some_and(is_word)
    })
}

fn line_start(text: &str, byte: usize) -> usize {
    text.get(..byte).and_then(|before| before.rfind('\n')).map_or(0, |newline| newline + 1)
}

fn stands_at_the_edge(text: &str, byte: usize) -> bool {
    let before = text.get(line_start(text, byte)..byte).unwrap_or_default();
    before.len() <= INDENT_MAX && before.bytes().all(|byte| byte == b' ')
}

/// Returns the content between the fences, and whether the last line closes the first.
fn fence_body(text: &str, range: &Range<usize>) -> (Range<usize>, bool) {
    let block = text.get(range.clone()).unwrap_or_default();
    let block = block.trim_end_matches(['\n', '\r']);
    let end = range.start + block.len();
    let Some(opening) = block.find('\n') else { return (end..end, false) };
    let body_start = range.start + opening + 1;
    let last_line = line_start(text, end);
    if last_line >= body_start && closes(block, text.get(last_line..end).unwrap_or_default()) {
        return (body_start..last_line, true);
    }
    (body_start..end, false)
}

fn closes(block: &str, line: &str) -> bool {
    let fence = block.chars().next().unwrap_or('`');
    let length = block.chars().take_while(|c| *c == fence).count();
    let indent = line.len() - line.trim_start_matches(' ').len();
    let line = line.trim();
    indent <= INDENT_MAX && line.chars().all(|c| c == fence) && line.chars().count() >= length
}

/// Returns the text of a heading line, without its marks.
fn heading_text(line: &str) -> &str {
    let text = line.trim().trim_start_matches('#').trim();
    let open = text.trim_end_matches('#');
    if open.is_empty() || open.ends_with([' ', '\t']) { open.trim_end() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks(text: &str) -> Vec<(String, bool)> {
        let document = Document::read(text);
        let body = |block: &ProtocolBlock| text.get(block.body.clone()).unwrap_or_default().to_owned();
        document.blocks().iter().map(|block| (body(block), block.closed)).collect()
    }

    fn section(text: &str, name: &str) -> Option<String> {
        match Document::read(text).section(name) {
            Lookup::Found(text) => Some(text),
            Lookup::Missing | Lookup::Several => None,
        }
    }

    #[test]
    fn fences_are_read_as_commonmark_has_them() {
        let one = |body: &str, closed| vec![(body.to_owned(), closed)];
        assert_eq!(blocks("```json agent-protocol\n{}\n```"), one("{}\n", true));
        assert_eq!(blocks("~~~~ agent-protocol\n```\n{}\n~~~~~\r\nend"), one("```\n{}\n", true));
        assert_eq!(blocks("   ```agent-protocol\n   {}\n   ```\n"), one("   {}\n", true));
        assert_eq!(blocks("text\n```{.json .agent-protocol}\r\n{}\r\n```\r\n"), one("{}\r\n", true));
        assert_eq!(blocks("```json agent-protocol\n{}\n``"), one("{}\n``", false));
        assert_eq!(blocks("```json agent-protocol\n{}\n     ```"), one("{}\n     ```", false));
        assert_eq!(blocks("```json agent-protocol"), one("", false));
        assert_eq!(blocks("````json agent-protocol\n{}\n```\n"), one("{}\n```", false));
    }

    #[test]
    fn what_is_quoted_nested_or_named_otherwise_is_no_carrier() {
        for text in [
            "> ```json agent-protocol\n> {}\n> ```",
            "- ```json agent-protocol\n  {}\n  ```",
            "````md\n```json agent-protocol\n{}\n```\n````",
            "    ```json agent-protocol\n    {}\n    ```",
            "```json agent-protocol-v2\n{}\n```",
            "```json my_agent-protocol\n{}\n```",
            "<!--\n```json agent-protocol\n{}\n```\n-->",
            "`` ```json agent-protocol ``",
        ] {
            assert_eq!(blocks(text), [], "{text}");
        }
    }

    #[test]
    fn sections_end_where_an_equal_heading_starts() {
        let text = "intro\n\n# a\n\nA\n## b ##\nB\n\n> ## quoted\n\nrule\n---\n\n###### deep\nD\n# c\n";
        assert_eq!(section(text, "B").as_deref(), Some("B\n\n> ## quoted\n\nrule\n---\n\n###### deep\nD"));
        assert_eq!(section(text, "deep").as_deref(), Some("D"));
        assert_eq!(section(text, "c").as_deref(), Some(""));
        assert_eq!(section(text, "quoted"), None);
        assert_eq!(section(text, "rule"), None);
        assert_eq!(Document::read(text).lead_prose().as_deref(), Some("intro"));
    }

    #[test]
    fn a_section_keeps_the_indentation_of_its_first_line_and_loses_the_block() {
        let text = "# a\n\n    code\n```agent-protocol\n{}\n```\n\n  more  \n";
        assert_eq!(section(text, "a").as_deref(), Some("    code\n\n  more"));
    }

    #[test]
    fn open_constructs_are_noticed() {
        for closed in ["", "text", "```\ncode\n```", "- list\n  - more", "<div>\nx", "`open span"] {
            assert!(is_self_contained(closed), "{closed}");
        }
        for open in ["```\ncode", "a\n~~~", "<!-- comment", "<pre>\nx"] {
            assert!(!is_self_contained(open), "{open}");
        }
    }
}
