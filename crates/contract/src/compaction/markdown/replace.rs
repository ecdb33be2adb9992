//! Putting a summary or a pointer in the place of a section.

use serde_json::{Value, json};

use super::heading::{self, LEVEL_MAX};
use super::section::{CODE, SectionType, heading_line};
use crate::compaction::Item;
use crate::json::{self, Object};
use crate::{ContractError, Result};

const POINTER_CODE: &str = "invalid_markdown_section_pointer";
const POINTER_LEVEL: i64 = 2;

/// A section that something shorter can stand for: it has a heading line to keep.
#[derive(Clone, Debug, PartialEq)]
pub struct Section {
    /// Empty when its owner gave it none.
    id: String,
    kind: String,
    metadata: Object,
}

impl Section {
    /// Reads a section item. The preamble has no heading and is refused.
    pub fn parse(value: &Value) -> Result<Self> {
        let raw = value.as_object().ok_or_else(|| ContractError::whole(CODE, "section must be an array"))?;
        let kind = json::trimmed_text(raw, "type").unwrap_or_default();
        if kind == SectionType::Preamble.word() {
            return Err(ContractError::whole(CODE, "preamble cannot be replaced as a section"));
        }
        let metadata = json::object_or_empty(raw, "metadata");
        heading_line(&metadata)?;
        let id = json::trimmed_text(raw, "id").unwrap_or_default();
        Ok(Self { id: id.to_owned(), kind: kind.to_owned(), metadata })
    }

    /// The section with a summary in the place of its text.
    pub fn summary(&self, summary: &str) -> Item {
        let more = [("source_item_id", self.id.as_str()), ("source_item_type", &self.kind)];
        self.replaced(SectionType::Summary, "summary", summary.to_owned(), more)
    }

    /// The section with the place of its text in the place of its text.
    pub fn pointer(&self, destination: &str) -> Result<Item> {
        let destination = required(destination, "destination")?;
        let more = [("source_item_id", self.id.as_str()), ("pointer_destination", destination)];
        Ok(self.replaced(SectionType::Pointer, "pointer", pointer_text(destination), more))
    }

    fn replaced(&self, kind: SectionType, suffix: &str, content: String, more: [(&str, &str); 2]) -> Item {
        let id = if self.id.is_empty() { "section" } else { &self.id };
        let mut metadata = self.metadata.clone();
        metadata.extend(more.map(|(key, value)| (key.to_owned(), value.into())));
        Item::new(format!("{id}:{suffix}"), kind.word(), content, metadata)
    }
}

/// A section of its own that says where others went.
#[derive(Clone, Debug, PartialEq)]
pub struct ArchivePointer {
    /// The text of its heading; must not be blank.
    pub heading: String,
    /// Where the others went; must not be blank.
    pub destination: String,
    /// The level of its heading, brought between 1 and 6; 2 when not given.
    pub level: Option<i64>,
    /// What it says; names the destination when empty.
    pub content: String,
}

impl ArchivePointer {
    /// The pointer as an item at the end of its document.
    pub fn to_item(&self) -> Result<Item> {
        let heading = required(&self.heading, "heading")?;
        let destination = required(&self.destination, "destination")?;
        let level = clamped_level(self.level.unwrap_or(POINTER_LEVEL));
        let key = heading::path_key([heading]);
        let content = if self.content.is_empty() { pointer_text(destination) } else { self.content.clone() };
        let metadata = json::into_object(json!({
            "heading_path": [heading],
            "heading_key": key,
            "heading_level": level,
            "heading_text": heading,
            "heading_line": format!("{} {heading}\n", "#".repeat(level)),
            "boundary_heading_key": key,
            "pointer_destination": destination,
        }));
        Ok(Item::new(format!("section:{key}:pointer"), SectionType::Pointer.word(), content, metadata))
    }
}

/// A heading level between 1 and 6.
pub(super) fn clamped_level(level: i64) -> usize {
    usize::try_from(level).unwrap_or_default().clamp(1, LEVEL_MAX)
}

fn pointer_text(destination: &str) -> String {
    format!("[Archived section: {destination}]\n")
}

fn required<'a>(text: &'a str, field: &str) -> Result<&'a str> {
    match text.trim() {
        "" => Err(ContractError::field(POINTER_CODE, field, "must be non-empty")),
        text => Ok(text),
    }
}
