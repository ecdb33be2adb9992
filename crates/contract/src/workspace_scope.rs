//! The workspace something belongs to: a site, a code checkout, a pull request, a run.

use serde_json::{Value, json};

use crate::{ContractError, Result, loose};

const CODE: &str = "invalid_agent_workspace_scope";

/// A workspace: what it is, and which one. Memory, sessions, approvals and audit records carry it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct WorkspaceScope {
    /// A lower-case slug that starts with a letter.
    workspace_type: String,
    /// Never empty; its form is the host's business.
    workspace_id: String,
}

impl WorkspaceScope {
    /// Builds a scope from values that are already in normal form; nothing is trimmed or lower-cased.
    pub fn new(workspace_type: impl Into<String>, workspace_id: impl Into<String>) -> Result<Self> {
        let scope = Self { workspace_type: workspace_type.into(), workspace_id: workspace_id.into() };
        if scope.workspace_type.is_empty() {
            return Err(ContractError::field(CODE, "workspace_type", "must be non-empty"));
        }
        if !is_slug(&scope.workspace_type) {
            return Err(ContractError::field(CODE, "workspace_type", "must be a lowercase slug"));
        }
        if scope.workspace_id.is_empty() {
            return Err(ContractError::field(CODE, "workspace_id", "must be non-empty"));
        }
        Ok(scope)
    }

    /// Reads `{workspace_type, workspace_id}`: both trimmed, the type in lower case; other keys are dropped.
    pub fn parse(value: &Value) -> Result<Self> {
        let text = |key| value.get(key).and_then(loose::text).unwrap_or_default();
        Self::new(text("workspace_type").to_ascii_lowercase(), text("workspace_id"))
    }

    /// What kind of workspace it is.
    pub fn workspace_type(&self) -> &str {
        &self.workspace_type
    }

    /// Which one of its kind it is.
    pub fn workspace_id(&self) -> &str {
        &self.workspace_id
    }

    /// The map key `type:id`. A type has no colon, so no two scopes share a key.
    pub fn key(&self) -> String {
        format!("{}:{}", self.workspace_type, self.workspace_id)
    }

    /// The wire form.
    pub fn to_value(&self) -> Value {
        json!({ "workspace_type": self.workspace_type, "workspace_id": self.workspace_id })
    }
}

fn is_slug(text: &str) -> bool {
    let mut characters = text.chars();
    characters.next().is_some_and(|first| first.is_ascii_lowercase())
        && characters.all(|other| matches!(other, 'a'..='z' | '0'..='9' | '_' | '-'))
}
