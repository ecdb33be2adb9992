//! The safe replay record of one tool call: stable hashes and a status, never raw parameters.

use serde_json::{Value, json};

use super::result::DEFAULT_ERROR;
use crate::json::{self, Object};
use crate::{canonical, loose};

const SCHEMA_VERSION: u64 = 1;

/// A call to be written down.
#[derive(Clone, Copy, Debug)]
pub struct AuditedCall<'a> {
    /// The canonical name of the tool, or the name as called when no tool has it.
    pub tool_name: &'a str,
    /// The id that pairs call and result; may be empty.
    pub tool_call_id: &'a str,
    /// The source of the declaration; empty when there is none.
    pub tool_source: &'a str,
    /// The turn of the run.
    pub turn: u64,
    /// The hash of the model's own arguments, redacted, before bindings and defaults.
    pub parameters_sha256: &'a str,
    /// The normalised result.
    pub result: &'a Object,
    /// The hash of its summary, see [`result_hash`].
    pub result_sha256: &'a str,
}

impl AuditedCall<'_> {
    /// The audit event. Fields that would be empty are left out.
    pub fn to_event(&self) -> Value {
        let success = is_success(self.result);
        let metadata = json::object_or_empty(self.result, "metadata");
        let event = json!({
            "schema_version": SCHEMA_VERSION,
            "type": "tool_call",
            "turn_count": self.turn,
            "tool_name": self.tool_name,
            "tool_call_id": self.tool_call_id,
            "tool_source": self.tool_source,
            "parameters_sha256": self.parameters_sha256,
            "parameters_redacted": true,
            "success": success,
            "result_status": if success { "success" } else { "error" },
            "result_sha256": self.result_sha256,
            "error_type": json::text(&metadata, "error_type").unwrap_or_default(),
        });
        let Value::Object(mut event) = event else { return event };
        event.retain(|_, value| value.as_str() != Some(""));
        Value::Object(event)
    }
}

/// The hash of what an audit covers of a result: of its [`result_summary`], without making one.
pub fn result_hash(result: &Object) -> String {
    let success = Value::Bool(is_success(result));
    let error = (success == false).then(|| Value::String(error_hash(result)));
    let (no_metadata, no_name) = (Value::Object(Object::new()), Value::String(String::new()));
    let metadata = json::get(result, "metadata").filter(|metadata| metadata.is_object());
    let tool_name = json::get(result, "tool_name").filter(|name| name.is_string());
    let mut members: Vec<(&str, &Value)> = Vec::with_capacity(4);
    members.extend(error.as_ref().map(|error| ("error_sha256", error)));
    members.push(("metadata", metadata.unwrap_or(&no_metadata)));
    members.push(("success", &success));
    members.push(("tool_name", tool_name.unwrap_or(&no_name)));
    canonical::members_hash(&members)
}

/// What the hash of a result covers: whether it succeeded, the tool, the metadata and the hash of the
/// error. The payload is not covered.
pub fn result_summary(result: &Object) -> Value {
    let success = is_success(result);
    let mut summary = json!({
        "success": success,
        "tool_name": json::text(result, "tool_name").unwrap_or_default(),
        "metadata": json::object_or_empty(result, "metadata"),
    });
    if let (Some(map), false) = (summary.as_object_mut(), success) {
        map.insert("error_sha256".into(), error_hash(result).into());
    }
    summary
}

fn error_hash(result: &Object) -> String {
    let error = json::non_empty_text(result, "error").unwrap_or(DEFAULT_ERROR);
    canonical::hash(&error.into())
}

fn is_success(result: &Object) -> bool {
    json::get(result, "success").is_some_and(loose::flag)
}
