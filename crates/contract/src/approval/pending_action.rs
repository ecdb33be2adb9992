//! The record of an action that waits for a decision, and of the decision once it is made.

use serde_json::{Value, json};

use super::status::EXPECTED;
use super::{PendingActionStatus, Resolution};
use crate::json::{self, Object};
use crate::{ContractError, Result, WorkspaceScope, timestamp};

pub(super) const CODE: &str = "invalid_ai_pending_action";

/// An action somebody must decide about. Timestamps are in the words of whoever wrote them.
#[derive(Clone, Debug, PartialEq)]
pub struct PendingAction {
    /// Never blank.
    action_id: String,
    /// Never blank.
    kind: String,
    /// Never blank.
    summary: String,
    /// What the decision is about, for a person to look at.
    pub preview: Value,
    /// What the handler gets once the action is accepted.
    pub apply_input: Value,
    /// Where it would happen.
    pub workspace: Option<WorkspaceScope>,
    /// The agent that wants it.
    pub agent: Option<String>,
    /// Who asked for it.
    pub creator: Option<String>,
    /// A terminal one comes with `resolved_at` and, unless time alone decided, with `resolver`.
    status: PendingActionStatus,
    /// Never blank.
    created_at: String,
    /// Until when it can be decided.
    pub expires_at: Option<String>,
    resolved_at: Option<String>,
    resolver: Option<String>,
    /// What the handler gave.
    pub resolution_result: Value,
    /// Why the handler failed.
    pub resolution_error: Option<String>,
    /// A list or object.
    resolution_metadata: Value,
    /// A list or object.
    metadata: Value,
}

impl PendingAction {
    /// Reads a record; fields we do not know are dropped, the first bad one refuses it.
    pub fn parse(value: &Value) -> Result<Self> {
        let Some(raw) = value.as_object() else {
            return Err(ContractError::whole(CODE, "action must be an array"));
        };
        let action = Self {
            action_id: required_text(raw, "action_id")?,
            kind: required_text(raw, "kind")?,
            summary: required_text(raw, "summary")?,
            preview: required(raw, "preview")?.clone(),
            apply_input: required(raw, "apply_input")?.clone(),
            workspace: json::present(raw, "workspace").map(parse_workspace).transpose()?,
            agent: optional_text(raw, "agent")?,
            creator: optional_text(raw, "creator")?,
            status: parse_status(raw)?,
            created_at: required_text(raw, "created_at")?,
            expires_at: optional_text(raw, "expires_at")?,
            resolved_at: optional_text(raw, "resolved_at")?,
            resolver: optional_text(raw, "resolver")?,
            resolution_result: raw.get("resolution_result").cloned().unwrap_or_default(),
            resolution_error: optional_text(raw, "resolution_error")?,
            resolution_metadata: container(raw, "resolution_metadata")?,
            metadata: container(raw, "metadata")?,
        };
        action.checked_audit()
    }

    /// What names it.
    pub fn action_id(&self) -> &str {
        &self.action_id
    }

    /// What sort of action it is.
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// What it would do, in a sentence.
    pub fn summary(&self) -> &str {
        &self.summary
    }

    /// How far it is.
    pub fn status(&self) -> PendingActionStatus {
        self.status
    }

    /// Who decided.
    pub fn resolver(&self) -> Option<&str> {
        self.resolver.as_deref()
    }

    /// When it was decided.
    pub fn resolved_at(&self) -> Option<&str> {
        self.resolved_at.as_deref()
    }

    /// What the resolver said beside yes or no.
    pub fn resolution_metadata(&self) -> &Object {
        static NOTHING: std::sync::LazyLock<Object> = std::sync::LazyLock::new(Object::new);
        self.resolution_metadata.as_object().unwrap_or(&NOTHING)
    }

    /// Who alone may decide; everybody when nobody is named.
    pub fn approvers(&self) -> Vec<String> {
        self.metadata.get("approvers").map(json::string_list).unwrap_or_default()
    }

    /// Whether only a person may answer, about exactly this call: no approval given beforehand counts, and
    /// the answer cannot be remembered.
    pub fn is_person_only(&self) -> bool {
        self.metadata.get("person_only") == Some(&Value::Bool(true))
    }

    /// The run it belongs to, when it belongs to one.
    pub fn run_id(&self) -> Option<&str> {
        self.metadata.get("run_id").and_then(Value::as_str)
    }

    /// Records a decision, unless one was made before; says whether it did.
    pub fn resolve(&mut self, resolution: Resolution) -> bool {
        let (resolver, resolved_at) = resolution.audit();
        if !self.close(resolution.verdict.into(), Some(resolver), resolved_at) {
            return false;
        }
        self.resolution_result = resolution.result;
        self.resolution_error = resolution.error;
        self.resolution_metadata = Value::Object(resolution.metadata);
        true
    }

    /// Lets it expire if its time was over at a moment and nobody had decided; says whether it did.
    pub fn expire(&mut self, at: &str) -> bool {
        let over = self.expires_at.as_ref().is_some_and(|end| timestamp::is_not_after(end, at));
        over && self.close(PendingActionStatus::Expired, None, at)
    }

    /// Takes it back, unless a decision was made before; says whether it did. The record is kept.
    pub fn withdraw(&mut self, resolver: &str, at: &str) -> bool {
        self.close(PendingActionStatus::Deleted, Some(resolver), at)
    }

    /// Adds what the handler gave or failed with to a decision that was made.
    pub fn add_outcome(&mut self, outcome: std::result::Result<Value, String>) {
        match outcome {
            Ok(result) => self.resolution_result = result,
            Err(error) => self.resolution_error = Some(error).filter(|error| !error.trim().is_empty()),
        }
    }

    /// The wire form, every field always there.
    pub fn to_object(&self) -> Object {
        json::into_object(json!({
            "action_id": self.action_id,
            "kind": self.kind,
            "summary": self.summary,
            "preview": self.preview,
            "apply_input": self.apply_input,
            "workspace": self.workspace.as_ref().map(WorkspaceScope::to_value),
            "agent": self.agent,
            "creator": self.creator,
            "status": self.status,
            "created_at": self.created_at,
            "expires_at": self.expires_at,
            "resolved_at": self.resolved_at,
            "resolver": self.resolver,
            "resolution_result": self.resolution_result,
            "resolution_error": self.resolution_error,
            "resolution_metadata": self.resolution_metadata,
            "metadata": self.metadata,
        }))
    }

    /// Ends the waiting. A record that cannot say who and when stays as it is.
    fn close(&mut self, status: PendingActionStatus, resolver: Option<&str>, at: &str) -> bool {
        let said = |text: &str| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
        let (resolver, resolved_at) = (resolver.and_then(said), said(at));
        if self.status.is_terminal() || resolved_at.is_none() || status.needs_resolver() && resolver.is_none()
        {
            return false;
        }
        (self.status, self.resolver, self.resolved_at) = (status, resolver, resolved_at);
        true
    }

    /// What is decided says when, and by whom.
    fn checked_audit(self) -> Result<Self> {
        let missing = |field| Err(ContractError::field(CODE, field, "is required for terminal status"));
        if self.status.is_terminal() && self.resolved_at.is_none() {
            return missing("resolved_at");
        }
        if self.status.needs_resolver() && self.resolver.is_none() {
            return missing("resolver");
        }
        Ok(self)
    }
}

fn required<'a>(raw: &'a Object, key: &str) -> Result<&'a Value> {
    raw.get(key).ok_or_else(|| ContractError::field(CODE, key, "is required"))
}

fn required_text(raw: &Object, key: &str) -> Result<String> {
    non_blank(required(raw, key)?, key)
}

fn optional_text(raw: &Object, key: &str) -> Result<Option<String>> {
    json::present(raw, key).map(|value| non_blank(value, key)).transpose()
}

fn non_blank(value: &Value, key: &str) -> Result<String> {
    let text = value.as_str().map(str::trim).filter(|text| !text.is_empty());
    text.map(str::to_owned).ok_or_else(|| ContractError::field(CODE, key, "must be a non-empty string"))
}

fn parse_workspace(value: &Value) -> Result<WorkspaceScope> {
    if !value.is_object() {
        return Err(ContractError::field(CODE, "workspace", "must be a workspace scope map"));
    }
    let invalid = "must include valid workspace_type and workspace_id";
    WorkspaceScope::parse(value).map_err(|_| ContractError::field(CODE, "workspace", invalid))
}

fn parse_status(raw: &Object) -> Result<PendingActionStatus> {
    let Some(value) = json::present(raw, "status") else { return Ok(PendingActionStatus::default()) };
    let text = value.as_str().ok_or_else(|| ContractError::field(CODE, "status", "must be a string"))?;
    PendingActionStatus::from_word(text).ok_or_else(|| ContractError::field(CODE, "status", EXPECTED))
}

fn container(raw: &Object, key: &str) -> Result<Value> {
    Ok(json::container_or_empty(json::optional_container(CODE, key, raw)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(more: Value) -> Result<PendingAction> {
        let mut raw = json::into_object(json!({
            "action_id": "a", "kind": "k", "summary": "s", "preview": null, "apply_input": null, "created_at": "t",
        }));
        raw.extend(json::into_object(more));
        PendingAction::parse(&Value::Object(raw))
    }

    fn refused(more: Value) -> Vec<String> {
        with(more).unwrap_err().field_paths().to_vec()
    }

    #[test]
    fn a_decided_action_says_when_and_by_whom_and_time_alone_needs_nobody() {
        assert_eq!(refused(json!({"status": "accepted", "resolver": "u"})), ["resolved_at"]);
        assert_eq!(refused(json!({"status": "accepted", "resolved_at": "t"})), ["resolver"]);
        assert!(with(json!({"status": "accepted", "resolved_at": "t", "resolver": "u"})).is_ok());
        assert_eq!(refused(json!({"status": "expired"})), ["resolved_at"]);
        assert!(with(json!({"status": "expired", "resolved_at": "t"})).is_ok());
    }

    #[test]
    fn the_first_bad_field_in_order_is_the_one_reported() {
        assert_eq!(refused(json!({"metadata": 1, "agent": 1, "kind": " "})), ["kind"]);
        assert_eq!(refused(json!({"metadata": 1, "agent": 1})), ["agent"]);
    }
}
