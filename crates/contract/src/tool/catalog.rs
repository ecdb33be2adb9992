//! The tools of a run: every declaration that was accepted, and why others were not.

use serde_json::{Value, json};

use super::ToolDeclaration;
use crate::json::{self, Object};

/// Why something that is no declaration at all was left out.
pub(super) const NOT_A_DECLARATION: &str = "declaration must be an array";

/// A declaration that was left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RejectedTool {
    /// The name it was known by; empty when it had none.
    pub name: String,
    /// What is wrong with it.
    pub reason: String,
}

impl RejectedTool {
    /// The wire form.
    pub fn to_value(&self) -> Value {
        json!({ "name": self.name, "reason": self.reason })
    }
}

/// The accepted tools of a run, no two of the same name, and the rejected ones.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolCatalog {
    accepted: Vec<ToolDeclaration>,
    rejected: Vec<RejectedTool>,
}

impl ToolCatalog {
    /// Reads a list of declarations, or a map whose keys name those that have no name. A bad entry is
    /// left out and reported; of two tools with one name the later stays.
    pub fn read(declarations: &Value) -> Self {
        let mut catalog = Self::default();
        match declarations {
            Value::Array(entries) => entries.iter().for_each(|entry| catalog.add(None, entry)),
            Value::Object(entries) => entries.iter().for_each(|(key, entry)| catalog.add(Some(key), entry)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
        catalog
    }

    /// Reads the wire form back. What it accepted is checked again; what it rejected stays rejected.
    pub fn from_wire(wire: &Value) -> Self {
        let mut catalog = Self::read(wire.get("accepted").unwrap_or(&Value::Null));
        let text = |entry: &Value, key| entry.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        let rejected = wire.get("rejected").and_then(Value::as_array).into_iter().flatten();
        let known =
            rejected.map(|entry| RejectedTool { name: text(entry, "name"), reason: text(entry, "reason") });
        catalog.rejected.splice(..0, known);
        catalog
    }

    /// The accepted tools, in order.
    pub fn tools(&self) -> &[ToolDeclaration] {
        &self.accepted
    }

    /// The same catalog with only those of its tools that are kept.
    #[must_use]
    pub fn only(mut self, kept: impl Fn(&ToolDeclaration) -> bool) -> Self {
        self.accepted.retain(kept);
        self
    }

    /// The same catalog with more tools at its end.
    #[must_use]
    pub fn with(mut self, tools: impl IntoIterator<Item = ToolDeclaration>) -> Self {
        for tool in tools {
            self.accepted.retain(|known| known.name() != tool.name());
            self.accepted.push(tool);
        }
        self
    }

    /// The rejected declarations, in order.
    pub fn rejected(&self) -> &[RejectedTool] {
        &self.rejected
    }

    /// The tool of this canonical name.
    pub fn get(&self, name: &str) -> Option<&ToolDeclaration> {
        self.accepted.iter().find(|tool| tool.name().as_str() == name)
    }

    /// The tool a provider meant: by its name, or else the first known by that alias.
    pub fn find(&self, called: &str) -> Option<&ToolDeclaration> {
        self.get(called).or_else(|| self.accepted.iter().find(|tool| tool.answers_to(called)))
    }

    /// The wire form: accepted declarations by name, and the rejected ones.
    pub fn to_value(&self) -> Value {
        let accepted: Object =
            self.accepted.iter().map(|tool| (tool.name().to_string(), tool.to_value())).collect();
        json!({ "accepted": accepted, "rejected": self.rejected_value() })
    }

    fn rejected_value(&self) -> Value {
        self.rejected.iter().map(RejectedTool::to_value).collect()
    }

    fn add(&mut self, key: Option<&String>, entry: &Value) {
        let parsed = read_entry(key, entry);
        match parsed {
            Ok(tool) => match self.accepted.iter_mut().find(|known| known.name() == tool.name()) {
                Some(known) => *known = tool,
                None => self.accepted.push(tool),
            },
            Err(reason) => {
                let declared = || entry.get("name").and_then(Value::as_str);
                let name = key.map(String::as_str).or_else(declared).unwrap_or_default().to_owned();
                self.rejected.push(RejectedTool { name, reason });
            }
        }
    }
}

fn read_entry(key: Option<&String>, entry: &Value) -> Result<ToolDeclaration, String> {
    let Some(raw) = entry.as_object() else { return Err(NOT_A_DECLARATION.to_owned()) };
    let mut raw = raw.clone();
    if let (Some(key), None) = (key, json::present(&raw, "name")) {
        raw.insert("name".into(), key.as_str().into());
    }
    ToolDeclaration::parse_request(&raw).map_err(|error| error.message().to_owned())
}

/// Whether a run was given something that executes tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolExecution {
    /// Nothing runs tools; the caller handles calls.
    CallerManaged,
    /// The run mediates and executes calls.
    Mediated,
}

/// What a run tells its observers about its tools before the first turn.
#[derive(Clone, Debug, PartialEq)]
pub struct CatalogEvent {
    /// The name of the event.
    pub event: &'static str,
    /// What it says.
    pub payload: Value,
}

impl ToolCatalog {
    /// The events about rejected declarations; none when nothing was rejected.
    pub fn events(&self, execution: ToolExecution) -> Vec<CatalogEvent> {
        if self.rejected.is_empty() {
            return Vec::new();
        }
        let (rejected, rejected_count) = (self.rejected_value(), self.rejected.len());
        let mut events = vec![CatalogEvent {
            event: "tool_declarations_rejected",
            payload: json!({
                "rejected": rejected,
                "rejected_count": rejected_count,
                "accepted_count": self.accepted.len(),
            }),
        }];
        if self.accepted.is_empty() && execution == ToolExecution::Mediated {
            let payload = json!({
                "reason": "all_declarations_rejected",
                "rejected": rejected,
                "rejected_count": rejected_count,
            });
            events.push(CatalogEvent { event: "tool_mediation_disabled", payload });
        }
        events
    }
}
