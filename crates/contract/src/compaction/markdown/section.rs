//! Cutting a document into sections, and rebuilding it.

use std::collections::HashMap;

use serde_json::json;
use strum::{EnumString, IntoStaticStr};

use super::heading::{self, Heading};
use crate::compaction::Item;
use crate::json;
use crate::message::Content;
use crate::{ContractError, Result};

pub(super) const CODE: &str = "invalid_markdown_section_item";

/// The kinds of items a document is rebuilt from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, IntoStaticStr)]
pub enum SectionType {
    /// What stands before the first heading.
    #[strum(serialize = "markdown_preamble")]
    Preamble,
    /// A heading and what follows it up to the next one.
    #[strum(serialize = "markdown_section")]
    Section,
    /// A heading and a summary of what followed it.
    #[strum(serialize = "markdown_section_summary")]
    Summary,
    /// A heading and where to find what followed it.
    #[strum(serialize = "markdown_section_pointer")]
    Pointer,
}

impl SectionType {
    /// The type of an item; what is no part of a document is refused.
    pub fn of(item: &Item) -> Result<Self> {
        item.kind().parse().map_err(|_| {
            ContractError::with_message(CODE, format!("{CODE}: unsupported item type")).about("type")
        })
    }

    pub(super) fn word(self) -> &'static str {
        self.into()
    }
}

/// Cuts a document into a preamble, even an empty one, and a section for each heading.
pub fn parse(markdown: &str) -> Vec<Item> {
    let mut cutter = Cutter::default();
    let mut content_start = 0;
    let mut line_start = 0;
    for line in lines(markdown) {
        if let Some(heading) = Heading::read(line) {
            cutter.end_section(slice(markdown, content_start, line_start));
            cutter.begin_section(line, &heading);
            content_start = line_start + line.len();
        }
        line_start += line.len();
    }
    cutter.end_section(slice(markdown, content_start, line_start));
    cutter.items
}

/// Puts a document together again.
pub fn reconstruct(items: &[Item]) -> Result<String> {
    let mut markdown = String::new();
    for item in items {
        let (heading_line, content) = pieces(item)?;
        markdown.push_str(heading_line);
        markdown.push_str(content);
    }
    Ok(markdown)
}

/// What an item contributes to its document: its heading line and its text.
pub(super) fn pieces(item: &Item) -> Result<(&str, &str)> {
    let heading_line = match SectionType::of(item)? {
        SectionType::Preamble => "",
        SectionType::Section | SectionType::Summary | SectionType::Pointer => heading_line(&item.metadata)?,
    };
    let content = match &item.content {
        Content::Text(text) => text,
        Content::Structured(_) => "",
    };
    Ok((heading_line, content))
}

/// The heading line a section's metadata must hold.
pub(super) fn heading_line(metadata: &json::Object) -> Result<&str> {
    let line = json::text(metadata, "heading_line").filter(|line| !line.trim().is_empty());
    line.ok_or_else(|| ContractError::whole(CODE, "section item missing heading line"))
}

/// Collects sections while a document is read line by line.
#[derive(Default)]
struct Cutter {
    items: Vec<Item>,
    /// What the section being read will say of itself; none while the preamble is read.
    current: Option<json::Object>,
    path: Vec<String>,
    /// How often each key was used.
    uses: HashMap<String, usize>,
}

impl Cutter {
    fn begin_section(&mut self, line: &str, heading: &Heading<'_>) {
        self.path.truncate(heading.level - 1);
        self.path.push(heading.text.to_owned());
        let key = self.unique(heading::path_key(self.path.iter().map(String::as_str)));
        self.current = Some(json::into_object(json!({
            "heading_path": self.path,
            "heading_key": key,
            "heading_level": heading.level,
            "heading_text": heading.text,
            "heading_line": line,
            "boundary_heading_key": heading::path_key(self.path.iter().map(String::as_str).take(1)),
            "order": self.items.len(),
        })));
    }

    fn end_section(&mut self, content: &str) {
        let item = match self.current.take() {
            Some(metadata) => {
                let key = json::text(&metadata, "heading_key").unwrap_or_default();
                let id = format!("section:{key}");
                Item::new(id, SectionType::Section.word(), content.to_owned(), metadata)
            }
            None => preamble(content),
        };
        self.items.push(item);
    }

    /// The second use of a key gets `-2`, and so on.
    fn unique(&mut self, key: String) -> String {
        let uses = self.uses.entry(key.clone()).or_default();
        *uses += 1;
        if *uses == 1 { key } else { format!("{key}-{uses}") }
    }
}

fn preamble(content: &str) -> Item {
    let metadata = json::into_object(json!({
        "heading_path": [],
        "heading_key": heading::PREAMBLE,
        "heading_level": 0,
        "heading_text": "",
        "heading_line": "",
        "boundary_heading_key": heading::PREAMBLE,
        "order": 0,
    }));
    Item::new(heading::PREAMBLE.to_owned(), SectionType::Preamble.word(), content.to_owned(), metadata)
}

/// The lines of a text with their ends: `\n`, `\r\n` or a lone `\r`.
fn lines(mut text: &str) -> impl Iterator<Item = &str> {
    std::iter::from_fn(move || {
        let (line, rest) = text.split_at(line_length(text));
        text = rest;
        Some(line).filter(|line| !line.is_empty())
    })
}

fn line_length(text: &str) -> usize {
    let body = text.find(['\r', '\n']).unwrap_or(text.len());
    let end = text.get(body..).unwrap_or_default();
    body + if end.starts_with("\r\n") { 2 } else { end.len().min(1) }
}

fn slice(text: &str, start: usize, end: usize) -> &str {
    text.get(start..end).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_line_end_ends_a_line() {
        assert_eq!(
            lines("a\r\nb\rc\n\r\n\rd").collect::<Vec<_>>(),
            ["a\r\n", "b\r", "c\n", "\r\n", "\r", "d"]
        );
    }

    #[test]
    fn seven_hashes_and_words_with_hashes_are_text() {
        let texts = |markdown| -> Vec<String> {
            let items = parse(markdown);
            items
                .iter()
                .skip(1)
                .map(|item| item.metadata["heading_text"].as_str().unwrap().to_owned())
                .collect()
        };
        assert_eq!(texts("####### no\n#no\n # no\n"), Vec::<String>::new());
        assert_eq!(texts("# C#\n# a # b ##\n#  ## \n"), ["C#", "a # b", "##"]);
    }
}
