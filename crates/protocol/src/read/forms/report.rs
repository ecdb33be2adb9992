//! `final_report_spec`: a report that the runtime writes from its records.

use std::collections::HashSet;

use provost_contract::action::{ActionId, ContextRef, Prompt, Reference};
use provost_contract::json::{self, Object};
use provost_contract::{ContractError, Result};
use serde::Serialize;
use serde_json::{Value, json};
use strum::{EnumString, IntoStaticStr, VariantArray};

use crate::read::checks::{References, parsed_reference};
use crate::read::notes::{Fault, Notes, Spot};
use crate::read::text::Document;
use crate::{Code, Turn};

const CODE: &str = "invalid_schema";

/// The format of a report.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, EnumString, IntoStaticStr, VariantArray,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum ReportFormat {
    /// Markdown.
    #[default]
    Markdown,
    /// JSON.
    Json,
}

/// One section of a report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportSection {
    /// Its id in the report.
    pub id: ActionId,
    /// Its heading.
    pub title: String,
    /// Its sources.
    pub refs: Vec<ContextRef>,
    /// The instructions for writing it.
    pub prompt: Option<Prompt>,
    /// Whether the report fails without it.
    pub required: bool,
}

/// A report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportSpec {
    /// Its title.
    pub title: Option<String>,
    /// Its audience.
    pub audience: Option<String>,
    /// Its sections, in order.
    pub sections: Vec<ReportSection>,
    /// Its format.
    pub format: ReportFormat,
}

/// A parsed section, before its references are resolved.
struct Shape {
    section: ReportSection,
    refs: Vec<String>,
    prompt_ref: Option<String>,
}

impl ReportSpec {
    /// Parses `{type, title?, audience?, sections, format?}` and resolves its references.
    pub(super) fn read(
        raw: &Object,
        document: &Document<'_>,
        turn: &Turn<'_>,
        notes: &mut Notes,
    ) -> Option<Self> {
        let (mut spec, sections) = notes.take("/payload", read_head(raw))?;
        let mut references = References::new(document, turn);
        let mut ids = HashSet::new();
        for (index, value) in sections.iter().enumerate() {
            let at = format!("/payload/sections/{index}");
            let Some(shape) = notes.take(&at, Shape::read(value)) else { continue };
            if !ids.insert(shape.section.id.clone()) {
                let message = format!("the section id {} is used twice", shape.section.id);
                notes.fault(Fault::new(Code::DuplicateId, Spot::Pointer(format!("{at}/id")), message));
            }
            spec.sections.push(shape.resolve(&at, &mut references, turn, notes));
        }
        notes.faults.is_empty().then_some(spec)
    }

    /// Returns the wire form `{title, audience, sections, format}`.
    pub fn to_value(&self) -> Value {
        let section = |section: &ReportSection| {
            json!({
                "id": section.id,
                "title": section.title,
                "refs": section.refs.iter().map(ContextRef::to_value).collect::<Value>(),
                "prompt": section.prompt.as_ref().map(|prompt| prompt.text.as_str()),
                "required": section.required,
            })
        };
        json!({
            "title": self.title,
            "audience": self.audience,
            "sections": self.sections.iter().map(section).collect::<Value>(),
            "format": self.format,
        })
    }
}

fn read_head(raw: &Object) -> Result<(ReportSpec, &Vec<Value>)> {
    json::only_keys(CODE, "", raw, &["type", "title", "audience", "sections", "format"])?;
    if json::text(raw, "type") != Some("final_report_spec") {
        return Err(ContractError::field(CODE, "type", "must be final_report_spec"));
    }
    let format = json::present(raw, "format").map(|word| json::word(CODE, "format", word)).transpose()?;
    let spec = ReportSpec {
        title: json::optional_text(CODE, "title", raw)?,
        audience: json::optional_text(CODE, "audience", raw)?,
        sections: Vec::new(),
        format: format.unwrap_or_default(),
    };
    match json::list(raw, "sections") {
        Some(sections) if !sections.is_empty() => Ok((spec, sections)),
        Some(_) | None => Err(ContractError::field(CODE, "sections", "must list at least one section")),
    }
}

impl Shape {
    fn read(value: &Value) -> Result<Self> {
        let Some(raw) = value.as_object() else {
            return Err(ContractError::whole(CODE, "a section must be an object"));
        };
        json::only_keys(CODE, "", raw, &["id", "title", "refs", "prompt_ref", "required"])?;
        let id = ActionId::parse(json::text(raw, "id").unwrap_or_default())?;
        let title = json::optional_text(CODE, "title", raw)?.unwrap_or_else(|| id.to_string());
        let required = match json::present(raw, "required") {
            None => true,
            Some(Value::Bool(required)) => *required,
            Some(_) => return Err(ContractError::field(CODE, "required", "must be true or false")),
        };
        let refs = match json::present(raw, "refs") {
            None => Vec::new(),
            Some(refs) => json::texts(CODE, "refs", refs)?,
        };
        let prompt_ref = json::optional_text(CODE, "prompt_ref", raw)?;
        if refs.is_empty() && prompt_ref.is_none() {
            return Err(ContractError::field(CODE, "refs", "must name what the section is made from"));
        }
        let section = ReportSection { id, title, refs: Vec::new(), prompt: None, required };
        Ok(Self { section, refs, prompt_ref })
    }

    fn resolve(
        self,
        at: &str,
        references: &mut References<'_>,
        turn: &Turn<'_>,
        notes: &mut Notes,
    ) -> ReportSection {
        let mut section = self.section;
        if let Some(text) = &self.prompt_ref {
            section.prompt = references.prompt(text, Spot::Pointer(format!("{at}/prompt_ref")), notes);
        }
        for (index, text) in self.refs.iter().enumerate() {
            let spot = Spot::Pointer(format!("{at}/refs/{index}"));
            let Some(reference) = parsed_reference(text, &spot, notes) else { continue };
            let expanded = match &reference {
                Reference::Section(name) => references.section(name, spot, notes),
                Reference::Action { id, .. } => {
                    if !turn.completed.contains(id.as_str()) {
                        let message = format!("{text} names no completed action");
                        notes.fault(Fault::new(Code::UnresolvedReference, spot, message));
                    }
                    None
                }
                Reference::UserGoal
                | Reference::Runtime(_)
                | Reference::Artifact(_)
                | Reference::StoredArtifact(_) => None,
            };
            section.refs.push(ContextRef { reference, text: expanded });
        }
        section
    }
}
