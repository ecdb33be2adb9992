//! The places that can run tasks.

use serde_json::{Value, json};

use super::placement::{Filter, Placement};
use crate::json::{self, Object};
use crate::{ContractError, Result, loose};

const CODE: &str = "agents_execution_target_invalid";
const LIST_CODE: &str = "agents_execution_targets_invalid";
const SCHEMA: &str = "agents-api/executor-target/v1";
const LIST_SCHEMA: &str = "agents-api/execution-target-list/v1";

/// One place that can run tasks.
#[derive(Clone, Debug, PartialEq)]
pub struct Target {
    schema: String,
    /// Never blank.
    id: String,
    /// What people call it.
    pub label: String,
    /// What sort of executor it is.
    pub kind: String,
    /// What people should know about it.
    pub description: String,
    /// What it can do.
    pub capabilities: Vec<String>,
    /// The kinds of machine it is; empty means any kind.
    pub resource_classes: Vec<String>,
    /// What its owner wants to remember beside it.
    pub metadata: Object,
}

impl Target {
    /// Reads a declaration; fields we do not know are dropped.
    pub fn parse(value: &Value) -> Result<Self> {
        let Some(raw) = value.as_object() else {
            return Err(ContractError::with_message(
                LIST_CODE,
                "Execution target declarations must be arrays.",
            ));
        };
        let text = |key| raw.get(key).and_then(loose::text);
        let texts = |key| raw.get(key).map(loose::text_list).unwrap_or_default();
        let id = text("id").ok_or_else(|| {
            ContractError::with_message(CODE, "Execution target declarations must include id.")
        })?;
        Ok(Self {
            schema: text("schema").unwrap_or_else(|| SCHEMA.to_owned()),
            label: text("label").unwrap_or_else(|| id.clone()),
            id,
            kind: text("kind").unwrap_or_else(|| "executor".to_owned()),
            description: text("description").unwrap_or_default(),
            capabilities: texts("capabilities"),
            resource_classes: texts("resource_classes"),
            metadata: json::object_or_empty(raw, "metadata"),
        })
    }

    /// What names it.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Whether it is and has all that a filter asks for.
    pub fn passes(&self, filter: &Filter) -> bool {
        let allowed = filter.allowed_targets.is_empty() || filter.allowed_targets.contains(&self.id);
        let in_class = filter
            .resource_class
            .as_ref()
            .is_none_or(|class| self.resource_classes.is_empty() || self.resource_classes.contains(class));
        allowed
            && in_class
            && filter.required_capabilities.iter().all(|need| self.capabilities.contains(need))
    }

    /// The wire form.
    pub fn to_value(&self) -> Value {
        json!({
            "schema": self.schema,
            "id": self.id,
            "label": self.label,
            "kind": self.kind,
            "description": self.description,
            "capabilities": self.capabilities,
            "resource_classes": self.resource_classes,
            "metadata": self.metadata,
        })
    }
}

/// The registered targets. One bad declaration refuses all of them: a target that silently disappears
/// would send work elsewhere.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TargetList(Vec<Target>);

impl TargetList {
    /// Reads a registration: a list of declarations.
    pub fn parse(value: &Value) -> Result<Self> {
        let Some(declarations) = value.as_array() else {
            return Err(ContractError::with_message(
                LIST_CODE,
                "Execution target registration must return an array.",
            ));
        };
        Ok(Self(declarations.iter().map(Target::parse).collect::<Result<_>>()?))
    }

    /// The targets that pass a filter, in order of registration.
    pub fn passing(&self, filter: &Filter) -> impl Iterator<Item = &Target> {
        self.0.iter().filter(move |target| target.passes(filter))
    }

    /// The wire form of the targets that pass a filter.
    pub fn to_value(&self, filter: &Filter) -> Value {
        json!({
            "schema": LIST_SCHEMA,
            "targets": self.passing(filter).map(Target::to_value).collect::<Vec<_>>(),
        })
    }
}

/// The target a task goes to: the preferred one if it passes, else the first that does.
pub fn select_target<'a>(targets: &'a TargetList, placement: &Placement) -> Option<&'a Target> {
    let mut passing = targets.passing(placement.filter()).peekable();
    let first = passing.peek().copied();
    let preferred = placement.preferred_target.as_deref();
    passing.find(|target| Some(target.id()) == preferred).or(first)
}
